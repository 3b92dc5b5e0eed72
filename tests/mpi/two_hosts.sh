#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# two_hosts.sh <mpirun> <conformance_hybrid> <conformance_mpi> [<collectives_tour>]: Open MPI on two hosts, which are network
# namespaces of this one, joined by a cable: what goes from one to the other goes by TCP. Nobody tells tutti which rank is where:
# it has to find out. Skipped (77) where namespaces aren't allowed.
set -euo pipefail
export LC_ALL=C
mpirun=$1 hybrid=$2 mpi=$3 tour=${4:-}
die() { printf '%s\n' "$@"; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
"$mpirun" --version | grep -qE 'Open MPI|OpenRTE' || skip "not Open MPI"
for tool in ip unshare hostname; do command -v $tool >/dev/null || skip "there is no program $tool"; done

here=tutti-here-$$ there=tutti-there-$$
folder=$(mktemp -d)
clean_up() {
  for space in $here $there; do
    ip netns pids $space 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns del $space 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap clean_up EXIT
{
  ip netns add $here && ip netns add $there &&
    ip link add near-$$ netns $here type veth peer name far-$$ netns $there &&
    ip -n $here addr add 10.77.0.1/24 dev near-$$ && ip -n $there addr add 10.77.0.2/24 dev far-$$ &&
    ip -n $here link set near-$$ up && ip -n $there link set far-$$ up &&
    ip -n $here link set lo up && ip -n $there link set lo up && unshare --uts true
} 2>"$folder/why" || skip "no network namespaces: $(tail -n 1 "$folder/why")"

# on_host <namespace> <command>: Open MPI knows hosts by their names, too.
cat >"$folder/on_host" <<'EOF'
#!/usr/bin/env bash
space=$1; shift
exec ip netns exec "$space" unshare --uts bash -c 'hostname "$1"; shift; exec "$@"' on_host "${space%-*}" "$@"
EOF
# What stands in for ssh: the host's address, then words for its shell.
cat >"$folder/agent" <<EOF
#!/usr/bin/env bash
shift
exec "$folder/on_host" $there bash -c "\$*"
EOF
chmod +x "$folder/on_host" "$folder/agent"

# on_two_hosts <ranks> <ranks a host> <arguments of mpirun...>
on_two_hosts() {
  local ranks=$1 each=$2
  shift 2
  timeout 200 "$folder/on_host" $here "$mpirun" -n "$ranks" --host "10.77.0.1:$each,10.77.0.2:$each" \
    --mca plm_rsh_agent "$folder/agent" --mca pml ob1 --mca btl self,vader,tcp --mca btl_tcp_if_include 10.77.0.0/24 \
    --mca oob_tcp_if_include 10.77.0.0/24 -x TUTTI_TEST_RANKS -x TUTTI_TEST_HOSTS -x TUTTI_TEST_REAL_HOSTS -x TUTTI_TIMEOUT "$@"
}
sent() { ip netns exec $here cat "/sys/class/net/near-$$/statistics/tx_bytes"; }

export TUTTI_TIMEOUT=60 TUTTI_TEST_REAL_HOSTS=1 TUTTI_TEST_RANKS=4 TUTTI_TEST_HOSTS=
# On each line: ranks, ranks a host, how they are placed, and on which host each rank then is.
while read -r ranks each map hosts; do
  before=$(sent)
  TUTTI_TEST_RANKS=$ranks TUTTI_TEST_HOSTS=$hosts on_two_hosts "$ranks" "$each" --map-by "$map" "$hybrid" --no-intro </dev/null ||
    die "hybrid on $ranks ranks, $hosts: status $?"
  echo "hybrid on $ranks ranks, $hosts: $((($(sent) - before) / 1024)) KiB went over the cable"
  (($(sent) - before > 100000)) || die "nothing went over the cable"
done <<'EOF'
4 2 slot aabb
4 2 node ab
3 2 slot aab
2 1 slot ab
EOF
TUTTI_TEST_RANKS=3 on_two_hosts 3 2 --map-by slot "$mpi" --no-intro || die "mpi on 3 ranks: status $?"

[[ -n $tour ]] || exit 0
lines() { sed -E '/ initialised: /d; s/: [0-9.e+-]+ ms, [0-9.e+-]+ GB\/s$/: TIME/' | sort; }
for transport in mpi hybrid; do
  diff <("$tour" --ranks 4 | lines) <(on_two_hosts 4 2 "$tour" --transport $transport | lines) ||
    die "collectives_tour on one host (<) and on two by $transport (>) differ"
done
echo "collectives_tour on two hosts says what it says on one"
