#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# examples/run.sh [option of mnist_cpu...]
#
# Builds the examples on a Debian or Ubuntu machine with g++ and CMake, fetches MNIST and trains on it: 10 epochs on 2 ranks,
# each checked for identical parameters, unless options say otherwise (examples/run.sh --help). What else is needed is
# installed through apt-get, which is said before it happens. Safe to repeat. The last line is the test accuracy.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '== %s\n' "$*"; }
have() { command -v "$1" >/dev/null; }

# install_packages <package>...: those of them that are not there yet.
install_packages() {
  local package missing=() as_root=()
  for package; do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == "install ok installed" ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  say "installing through apt-get: ${missing[*]}"
  if ((EUID != 0)); then
    have sudo || { say "neither root nor sudo: please install them yourself"; return 1; }
    as_root=(sudo)
  fi
  # An outdated list of packages is not yet a failure: the installation tells.
  "${as_root[@]}" apt-get update -q || true
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# A user's own data needs no download, and its place is the program's business.
own_data=${TUTTI_MNIST:-}
for argument; do
  [[ $argument != --data && $argument != --data=* && $argument != --help && $argument != -h ]] || own_data=yes
done

if have apt-get && have dpkg-query; then
  # All that preset release looks for, so that the same build folder serves the tests.
  packages=(doctest-dev libeigen3-dev zlib1g-dev libopenmpi-dev libboost-mpi-dev libboost-serialization-dev)
  have c++ || packages+=(g++)
  have cmake || packages+=(cmake)
  have ninja || packages+=(ninja-build)
  have mpirun || packages+=(openmpi-bin)
  have pkg-config || packages+=(pkg-config)
  install_packages "${packages[@]}"
else
  say "no apt-get here: Ninja, doctest, Eigen, ZLIB, MPI, Boost.MPI and pkg-config must be installed already"
fi

say "building (preset release)"
(
  cd "$root"
  cmake --preset release -DTUTTI_REQUIRE=ON
  cmake --build --preset release -j "$(nproc)" --target mnist_cpu quickstart
)

[[ -n $own_data ]] || bash "$root/examples/mnist/get_mnist.sh"

say "training"
# The options given here come last and so win over the defaults.
exec "$root/build/release/bin/mnist_cpu" --ranks 2 --epochs 10 --check "$@"
