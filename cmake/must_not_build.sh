#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# must_not_build.sh <compiler id> <source> <compiler> <options...>
#
# Compiles the source twice. As it stands it must fail, and the compiler's output must hold every text the source asks for:
#     // expect: text                 in the output of every compiler
#     // expect[GNU]: text            only asked of g++  (Clang: of clang++)
# With -DTUTTI_MUST_BUILD the same file must compile, which proves that it fails for the reason it names and not by a typo.
set -u
export LC_ALL=C  # plain quotes in messages

id=$1 source=$2
shift 2

mapfile -t expected < <(sed -n -e 's|^// expect: ||p' -e "s|^// expect\[$id\]: ||p" "$source")
if ((${#expected[@]} == 0)); then
  echo "$source names no text to expect: begin it with '// expect: text'"
  exit 1
fi

failed=0
if output=$("$@" "$source" 2>&1); then
  echo "$source compiles, and must not"
  failed=1
else
  for text in "${expected[@]}"; do
    if [[ $output != *"$text"* ]]; then
      echo "the message lacks: $text"
      failed=1
    fi
  done
  ((failed)) && printf '%s\n' "the compiler said:" "$output"
fi

if ! output=$("$@" -DTUTTI_MUST_BUILD "$source" 2>&1); then
  printf '%s\n' "$source must compile with -DTUTTI_MUST_BUILD, and doesn't:" "$output"
  failed=1
fi
exit $failed
