#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# install.sh <cmake> <tutti's source> <tutti's build folder> <prefix>
# Installs for the tests of package users; all headers arrive, nothing else does, and nothing names this machine.
set -eu
cmake=$1 source=$2 build=$3 prefix=$4

rm -rf "$prefix"
"$cmake" --install "$build" --prefix "$prefix"

[[ $(cd "$prefix" && echo *) == "include share" ]] || { echo "more than headers and shared files:"; ls "$prefix"; exit 1; }
[[ $(cd "$prefix/include" && echo *) == tutti ]] || { echo "more than tutti/:"; ls "$prefix/include"; exit 1; }
diff -r "$source/include/tutti" "$prefix/include/tutti"
for target in tutti tutti_shm tutti_mpi tutti_boost_mpi tutti_nccl; do
  [[ -s $prefix/share/cmake/tutti/$target-targets.cmake ]] || { echo "no file of target $target"; exit 1; }
done
# MPI stays a name, whatever this build has found.
grep -qF '"tutti::tutti;MPI::MPI_CXX"' "$prefix/share/cmake/tutti/tutti_mpi-targets.cmake"
if grep -rnF -e "$source" -e "$build" -e "$prefix" "$prefix/share"; then
  echo "the package names folders of this machine"
  exit 1
fi
