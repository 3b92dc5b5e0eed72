#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# add_subdirectory.sh <cmake> <ctest> <tutti's source> <build folder> <generator> <compiler>
# Builds and runs the consumer; its CMakeLists.txt checks settings, this script what is built, tested and installed.
set -eu
cmake=$1 ctest=$2 source=$3 build=$4 generator=$5 compiler=$6

rm -rf "$build"
"$cmake" -S "$source/tests/package/consumer" -B "$build" -G "$generator" \
  -DCMAKE_CXX_COMPILER="$compiler" -DTUTTI_SOURCE="$source"
"$cmake" --build "$build"

output=$("$build/consumer")
echo "$output"
[[ $output == "sum 3" ]] || { echo "the consumer must print 'sum 3'"; exit 1; }

tests=$("$ctest" --test-dir "$build" -N)
[[ $tests == *"Total Tests: 0"* ]] || { echo "tutti as a subproject adds tests: $tests"; exit 1; }

"$cmake" --install "$build" --prefix "$build/prefix"
if [[ -e $build/prefix ]]; then
  echo "tutti as a subproject installs files:"
  find "$build/prefix"
  exit 1
fi
