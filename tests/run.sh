#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests/run.sh [preset...]
#
# Builds and runs all tests on a Debian or Ubuntu machine with g++ and CMake. What else is needed is installed through apt-get,
# which is said before it happens. Safe to repeat. Presets: asan tsan clang mpich release unless others are named; the first that
# fails ends the run with its status. The last line is CTest's own closing line of the last preset.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '== %s\n' "$*"; }
skipped=()

# --- what is missing -----------------------------------------------------------------------------------------------------

have() { command -v "$1" >/dev/null; }

# install_packages <package>...: those of them that are not there yet.
install_packages() {
  local package missing=() root=()
  for package; do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == "install ok installed" ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  say "installing through apt-get: ${missing[*]}"
  if ((EUID != 0)); then
    have sudo || { say "neither root nor sudo: please install them yourself"; return 1; }
    root=(sudo)
  fi
  # An outdated list of packages is not yet a failure: the installation tells.
  "${root[@]}" apt-get update -q || true
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

if have apt-get && have dpkg-query; then
  packages=(doctest-dev libeigen3-dev zlib1g-dev libopenmpi-dev libboost-mpi-dev libboost-serialization-dev libmpich-dev mpich
            libgloo-dev)
  have ninja || packages+=(ninja-build)
  have mpirun || packages+=(openmpi-bin)
  have pkg-config || packages+=(pkg-config)
  have ip || packages+=(iproute2)
  have hostname || packages+=(hostname)
  install_packages "${packages[@]}"
else
  say "no apt-get here: Ninja, doctest, Eigen, ZLIB, MPI, Boost.MPI and pkg-config must be installed already"
fi

# --- which presets -------------------------------------------------------------------------------------------------------

# Sanitizers of older compilers fail at random under a kernel that randomises addresses widely; setarch switches that off
# where it is allowed. runner[preset] is the prefix of ctest.
declare -A runner=()
sanitizer_works() {  # <preset> <sanitizer>
  local folder works=0
  folder=$(mktemp -d)
  echo 'int main() {}' >"$folder/probe.cpp"
  if "${CXX:-c++}" "-fsanitize=$2" "$folder/probe.cpp" -o "$folder/probe" >/dev/null 2>&1; then
    works=1
    for _ in {1..10}; do "$folder/probe" >/dev/null 2>&1 || works=0; done
    if ((!works)) && setarch "$(uname -m)" -R "$folder/probe" >/dev/null 2>&1; then
      runner[$1]="setarch $(uname -m) -R"
      works=1
    fi
  fi
  rm -rf "$folder"
  ((works)) || skipped+=("preset $1: a program built with -fsanitize=$2 doesn't run here")
  ((works))
}

(($#)) || set -- asan tsan clang mpich release  # release last: its closing line is the one that is asked for
presets=()
for preset; do
  case $preset in
    clang)
      if ! have clang++ && have apt-get; then install_packages clang || true; fi
      if ! have clang++; then
        skipped+=("preset clang: no clang++, and it could not be installed")
        continue
      fi
      ;;
    mpich)
      if ! have mpicxx.mpich; then
        skipped+=("preset mpich: no mpicxx.mpich")
        continue
      fi
      ;;
    asan) sanitizer_works asan address || continue ;;
    tsan) sanitizer_works tsan thread || continue ;;
  esac
  presets+=("$preset")
done
((${#presets[@]})) || { say "no preset is left"; printf '  %s\n' "${skipped[@]}"; exit 1; }

# --- build and run -------------------------------------------------------------------------------------------------------

# why_skipped <build folder> <test>: the test's own line "skipped: ...", from CTest's log.
why_skipped() {
  awk -v test="$2" '
    /^[0-9]+\/[0-9]+ Testing: / { inside = ($3 == test) }
    inside && sub(/^.*skipped: /, "") { print; exit }' "$1/Testing/Temporary/LastTest.log"
}

jobs=$(nproc)
for preset in "${presets[@]}"; do
  build=build/$preset
  mkdir -p "$build"
  say "preset $preset: configure"
  cmake --preset "$preset" -DTUTTI_REQUIRE=ON | tee "$build/configure.log"
  say "preset $preset: build"
  cmake --build --preset "$preset" -j "$jobs"
  say "preset $preset: test"
  status=0
  # shellcheck disable=SC2086  # a prefix of several words, or none
  ${runner[$preset]:-} ctest --preset "$preset" 2>&1 | tee "$build/ctest.log" || status=$?

  while IFS= read -r line; do skipped+=("preset $preset: $line"); done \
    < <(sed -n 's/^-- tutti: skipped: //p' "$build/configure.log")
  while IFS= read -r test; do skipped+=("preset $preset: test $test: $(why_skipped "$build" "$test")"); done \
    < <(sed -n -E 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) \.*\*\*\*(Skipped|Not Run).*/\1/p' "$build/ctest.log")

  if ((status)); then
    say "preset $preset failed; its log: $build/ctest.log"
    grep -E '^[0-9]+% tests passed' "$build/ctest.log" || true
    exit "$status"
  fi
done

say "presets that passed: ${presets[*]}"
if ((${#skipped[@]})); then
  say "skipped:"
  printf '  %s\n' "${skipped[@]}"
else
  say "skipped: nothing"
fi
grep -E '^[0-9]+% tests passed' "build/${presets[-1]}/ctest.log" | tail -n 1
