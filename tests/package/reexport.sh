#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# reexport.sh <cmake> <tutti's source> <build folder> <generator> <compiler> <prefix of tutti>
# Builds and installs a library that links tutti PUBLIC, then a program that finds only the library.
set -eu
cmake=$1 source=$2/tests/package build=$3 generator=$4 compiler=$5 prefix=$6

rm -rf "$build"
"$cmake" -S "$source/reexport" -B "$build/library" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix"
"$cmake" --build "$build/library"
"$cmake" --install "$build/library" --prefix "$build/prefix"
bash "$source/consumer.sh" "$cmake" "$source/reexport/user" "$build/user" "$generator" "$compiler" builds "sum 3" \
  "-DCMAKE_PREFIX_PATH=$build/prefix;$prefix"
