#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mnist_bad_output.sh <mnist_cpu>: what can't be written is an error with a message, not a silent success.
source "$(dirname "$0")/mnist_common.sh"
program=$1
[[ -c /dev/full ]] || { echo "skipped: no /dev/full"; exit 77; }

# expect_failure <text> <arguments...>
expect_failure() {
  local text=$1 message
  shift
  if message=$("$program" "${small[@]}" --ranks 2 "$@" 2>&1 >"${stdout:-/dev/null}"); then die "$*: must fail"; fi
  printf '%s\n' "$*: $message"
  [[ $message == *"$text"* ]] || die "the message lacks: $text"
}

expect_failure "/dev/full" --plot /dev/full
expect_failure "No space left on device" --plot /dev/full
expect_failure "/nowhere/curve.svg" --plot /nowhere/curve.svg
stdout=/dev/full expect_failure "standard output"
