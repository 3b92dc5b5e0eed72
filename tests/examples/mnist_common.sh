# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the mnist tests share; sourced.
set -euo pipefail
small=(--data synthetic --limit 2000 --epochs 2 --check)

die() {
  printf '%s\n' "$@"
  exit 1
}

# curve <output>: the losses and accuracies without the speeds, one epoch a line.
curve() { sed -n -E 's/^(epoch [0-9]+  loss [^ ]+  test accuracy [^ ]+) .*/\1/p' <<<"$1"; }

# last_loss <output>
last_loss() { sed -n -E 's/^epoch [0-9]+  loss ([^ ]+) .*/\1/p' <<<"$1" | tail -n 1; }

# close <a> <b>: equal to rounding; the program prints four digits.
close() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= 0.00051) }'; }
