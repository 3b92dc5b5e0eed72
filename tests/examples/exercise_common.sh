# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the exercises' scripts share; sourced by NAME.sh <program> [mpirun]. The script says what is expected:
#   expected <ranks> <transport>   prints the lines, in any order
#   mask                           a filter for what differs from run to run; optional
# and calls check_exercise.
set -euo pipefail
export LC_ALL=C
program=$1 mpirun=${2:-} name=${1##*/}

mask() { cat; }

die() {
  printf '%s\n' "$@"
  exit 1
}

# repeat <n> <word>: the word n times.
repeat() { for ((i_ = 0; i_ < $1; ++i_)); do printf '%s ' "$2"; done | sed 's/ $//'; }

# each <n> <command...>: what the command prints for 0, 1, ... n-1 behind its arguments, in a line.
each() {
  local n=$1 r
  shift
  for ((r = 0; r < n; ++r)); do printf '%s ' "$("$@" "$r")"; done | sed 's/ $//'
}

# is_expected <ranks> <transport> <command...>: the lines are the expected ones, in any order.
is_expected() {
  local ranks=$1 transport=$2 printed
  shift 2
  printed=$("$@") || die "$*: status $?"
  diff <(expected "$ranks" "$transport" | sort) <(mask <<<"$printed" | sort) || die "expected (<) and printed (>) by: $*"
}

# refuse <status> <text> <arguments...>
refuse() {
  local expected=$1 text=$2 said status=0
  shift 2
  said=$("$program" "$@" 2>&1 >/dev/null) || status=$?
  ((status == expected)) || die "$name $*: status $status, expected $expected" "$said"
  [[ $said == "$name: "*"$text"* ]] || die "$name $* says: $said"
  ((status != 2)) || grep -qxF "usage: $name [--ranks N] [--transport shm|threads|mpi|hybrid]" <<<"$said" || die "no usage: $said"
}

# Open MPI alone listens: it can't be initialised then. A program that links MPI must not ask it to unless it is told to use
# it: starting it takes time, and forked ranks can't use it. (Whether libmpi is linked says nothing about that.)
no_mpi=(env OMPI_MCA_pml=none)

# Alone on both transports with one rank, two, four and an uneven number; or under the launcher.
check_exercise() {
  local ranks transport said status=0
  if [[ -n $mpirun ]]; then
    for ranks in 2 5; do is_expected $ranks shm "$mpirun" -n $ranks "${no_mpi[@]}" "$program"; done
    return
  fi
  for transport in shm threads; do
    for ranks in 1 2 4 5; do is_expected $ranks $transport "$program" --ranks $ranks --transport $transport; done
  done
  is_expected 4 shm "${no_mpi[@]}" "$program"

  said=$("$program" --ranks 1 --transport mpi 2>&1) || status=$?
  ((status == 0)) || refuse 2 "this program was built without MPI" --ranks 1 --transport mpi
  refuse 2 "--ranks is a whole number of at least 1, not 0" --ranks 0
  refuse 2 "--ranks is a whole number of at least 1, not 3x" --ranks 3x
  refuse 2 "--ranks needs a value" --ranks
  refuse 2 "--transport is shm, threads, mpi or hybrid, not gpu" --transport gpu
  refuse 2 "there is no option --speed" --speed 3
  TUTTI_RANK=0 TUTTI_SIZE=2 refuse 2 "--transport threads: the launcher started processes" --transport threads
  TUTTI_RANK=0 TUTTI_SIZE=1 refuse 1 "size is 2 here and 1 at the launcher" --ranks 2
}
