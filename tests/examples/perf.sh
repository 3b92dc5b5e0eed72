#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# perf.sh <tutti_perf>: every algorithm it measures gives right results, table and JSON tell the same, wrong requests get an
# answer. That a wrong element is found is perf_check_test's to show.
set -euo pipefail
perf=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
die() { printf '%s\n' "$@"; exit 1; }
rows() { grep -v '^#' <<<"$1"; }

# measured <how many rows> <arguments...>: exit 0, so many rows, none with a wrong element, a time above 0 in each.
measured() {
  local expected=$1
  shift
  output=$("$perf" --iters 3 --check "$@") || die "tutti_perf $* fails"
  (($(rows "$output" | wc -l) == expected)) || die "tutti_perf $*: $expected rows expected" "$output"
  rows "$output" | awk 'NF != 9 || $6 <= 0 || $9 != ($4 == "none" && $3 == "none" ? "-" : "0") { print; bad = 1 } END { exit bad }' ||
    die "tutti_perf $*: the rows above are wrong"
}
says() { grep -qF -- "$1" <<<"$output" || die "it doesn't print: $1" "$output"; }

measured 168 --transport shm --ranks 2 --collective all_reduce --algorithm all -e 64K  # 14 sizes, 12 algorithms
says "# all_reduce: busbw = algbw * 2(n-1)/n"
says "transport shm, 2 ranks, call blocking"
measured 34 --transport threads --ranks 3 --collective all -b 4 -e 1K -f 16  # 3 sizes of 11 collectives, and the barrier
measured 208 --transport threads --ranks 3 --root 2 --collective all --algorithm all -b 100 -e 400K -f 60  # uneven shards
says "# reduce, root 2: busbw"
says "# don't serve it: recursive_doubling, halving_doubling"
# However it is called; one that can't be called so is left out.
measured 208 --transport shm --ranks 3 --root 1 --call async --collective all --algorithm all -b 100 -e 400K -f 60
measured 205 --transport threads --ranks 3 --root 1 --call plan --collective all --algorithm all -b 100 -e 400K -f 60
says "transport threads, 3 ranks, call plan"
says "# left out: --call plan: send_recv can't be planned"
measured 3 --transport shm --ranks 2 --call plan --in-place --op sum -b 8 -e 64K -f 64
measured 13 --ranks 3 --collective all --in-place -b 1000 -e 100K -f 100
says "# left out: --in-place: reduce_scatter has no such form"
measured 12 --ranks 3 --algorithm all -b 4001 -e 4001
for op in prod min max avg argmax; do
  for collective in all_reduce reduce_scatter scan exclusive_scan; do
    measured 1 --ranks 3 --op $op --collective $collective --algorithm all -b 4001 -e 4001
    says "# all algorithms are built for op sum on type float"
  done
done
for type in double half bf16 i8 u8 i32 u32 i64 u64; do
  measured 12 --ranks 3 --type $type --collective all -b 3001 -e 3001
done
measured 13 --ranks 3 --memory allocated --collective all --in-place -b 4000 -e 400K -f 100  # straight from there
measured 34 --transport threads --ranks 2 --memory allocated --collective all -b 4 -e 1K -f 16
says "# cpus rank 0: "
measured 4 --ranks 2 --algorithm automatic -b 8 -e 64 --svg "$folder/chart.svg"
grep -q "^<svg .*xmlns" "$folder/chart.svg" && (($(grep -c "<polyline" "$folder/chart.svg") == 2)) || die "--svg" "$(<"$folder/chart.svg")"
measured 2 --ranks 1 -b 8 -e 16  # a world of one moves nothing, but isn't wrong either

unchecked=$("$perf" --ranks 2 -b 8 -e 8 --iters 1 --warmup 0)
[[ $(rows "$unchecked") == *- ]] || die "without --check the last column is -:" "$unchecked"

# The ranks of a launcher: its number of them, and only rank 0 speaks.
export TUTTI_JOB="perf.$$" TUTTI_SIZE=2 TUTTI_TIMEOUT=20
TUTTI_RANK=1 "$perf" --iters 3 --check -e 1K >"$folder/silent" 2>&1 &
TUTTI_RANK=0 measured 8 -e 1K
wait $! || die "rank 1 of the launcher fails" "$(<"$folder/silent")"
says "transport shm, 2 ranks"
[[ ! -s $folder/silent ]] || die "rank 1 prints" "$(<"$folder/silent")"
unset TUTTI_JOB TUTTI_SIZE TUTTI_TIMEOUT

# --- JSON ------------------------------------------------------------------------------------------------------------------
real='-?[0-9.]+(e[+-]?[0-9]+)?'
row='\{"collective":"[a-z_]+","bytes":[0-9]+,"count":[0-9]+,"type":"[a-z0-9]+","op":"[a-z]+","algorithm":"[a-z0-9_<>]+"'
row+=",\"memory\":\"(plain|allocated)\",\"in_place\":(true|false),\"time_us\":$real,\"p10_us\":$real,\"p90_us\":$real"
row+=",\"kept\":$real,\"pulse_ns\":$real"
row+=",\"algbw_gbs\":$real,\"busbw_gbs\":$real,\"wrong\":([0-9]+|null)\}"
text='"([^"\\]|\\["\\]|\\u[0-9a-f]{4})*"'
meta="\{\"meta\":\{\"date\":$text,\"host\":$text,\"hardware\":$text,\"versions\":$text,\"ranks\":[0-9]+,\"command\":$text,\"class\":$text,\"call\":\"(blocking|async|plan)\"\},"

# is_json <file> <rows>: the layout line by line; a parser looks too where there is one.
is_json() {
  local file=$1 rows=$2
  (($(wc -l <"$file") == rows + 3)) || die "$rows rows expected" "$(<"$file")"
  sed -n 1p "$file" | grep -qxE "$meta" || die "meta data" "$(sed -n 1p "$file")"
  [[ $(sed -n 2p "$file") == '"rows":[' && $(tail -n 1 "$file") == ']}' ]] || die "brackets" "$(<"$file")"
  (($(sed -n "3,$((rows + 1))p" "$file" | grep -cxE "$row,") == rows - 1)) || die "rows" "$(<"$file")"
  sed -n "$((rows + 2))p" "$file" | grep -qxE "$row" || die "last row" "$(<"$file")"
  if python3 -c 'import json' 2>/dev/null; then python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$file"; fi
}
measured 18 --ranks 2 --algorithm all --collective reduce -b 1K -e 1M -f 1024 --json "$folder/a \"quoted\" \\ name.json"
is_json "$folder/a \"quoted\" \\ name.json" 18
(($(grep -c '"wrong":0' "$folder/a \"quoted\" \\ name.json") == 18)) || die "checked rows have a number of wrong elements"
"$perf" --ranks 2 -e 64 --iters 1 --json "$folder/unchecked.json" >/dev/null
is_json "$folder/unchecked.json" 4
grep -qF '"call":"blocking"' "$folder/unchecked.json" || die "how it was called" "$(sed -n 1p "$folder/unchecked.json")"
(($(grep -c '"wrong":null' "$folder/unchecked.json") == 4)) || die "unchecked rows have none"

# --- against another ------------------------------------------------------------------------------------------------------
output=$("$perf" --ranks 2 --algorithm direct --versus shm:ring -b 1K -e 4K -f 4 --iters 5 --check --json "$folder/versus.json")
rows "$output" | awk 'NF != 12 || $9 != "0" || $10 != "shm:ring" || $11 <= 0 || $12 <= 0 { print; bad = 1 } END { exit bad || NR != 2 }' ||
  die "--versus" "$output"
(($(grep -cE "\"wrong\":0,\"other\":\"shm:ring\",\"other_time_us\":$real,\"other_p10_us\":$real,\"other_p90_us\":$real,\"other_kept\":$real,\"ratio\":$real\}" "$folder/versus.json") == 2)) ||
  die "--versus in JSON" "$(<"$folder/versus.json")"

# Against Gloo, where the program was built with it.
if "$perf" --list | grep -q "^--versus gloo:native: "; then
  for collective in all_reduce reduce broadcast all_gather all_to_all barrier; do
    output=$("$perf" --ranks 3 --root 1 --collective $collective --versus gloo:native -b 8 -e 4001 -f 60 --iters 3 --check) ||
      die "--collective $collective --versus gloo:native fails" "$output"
    rows "$output" | awk -v wrong="$([[ $collective == barrier ]] && echo - || echo 0)" \
      'NF != 12 || $9 != wrong || $10 != "gloo:native" || $12 <= 0 { print; bad = 1 } END { exit bad || NR < 1 }' ||
      die "--collective $collective --versus gloo:native" "$output"
  done
  for pair in max:float min:float prod:float sum:double sum:i32 sum:u64; do
    output=$("$perf" --ranks 2 --in-place --op ${pair%:*} --type ${pair#*:} --versus gloo:native -b 400 -e 400 --iters 3 --check) ||
      die "$pair in place against gloo:native" "$output"
  done
  output=$("$perf" --ranks 2 --collective reduce --in-place --versus gloo:native -b 400 -e 400 --iters 3 --check) ||
    die "reduce in place against gloo:native" "$output"
fi

# --- what it tells automatic ----------------------------------------------------------------------------------------------
# Its last lines are C++, which a program compiles and goes by.
output=$("$perf" --tune --iters 3 --ranks 3 --check -b 512 -e 2K)
rows "$(head -n -4 <<<"$output")" | awk 'NF != 12 || $5 != "one_phase" || $9 != "0" || $10 != "shm:direct" { print; bad = 1 } END { exit bad || NR != 3 }' ||
  die "--tune" "$output"
{
  printf '%s\n' '#include <tutti/tutti.hpp>' "$(tail -n 4 <<<"$output")"
  sed -n -E 's/.*crossings\[\] = \{\{2, ([0-9]+)\}\};/static_assert(tuned::one_phase_bytes(2) == \1 \&\& tuned::one_phase_bytes(99) == \1);/p' <<<"$output"
  printf 'int main() { tutti::threads::launch(3, [](auto& comm) { float x[1] = {1}; tutti::all_reduce<tuned>(comm, x, tutti::sum{}); if (x[0] != 3) throw 1; }); }\n'
} >"$folder/tuned.cpp"
grep -q "^static_assert" "$folder/tuned.cpp" || die "a table of one line" "$output"
"${CXX:-c++}" -std=c++20 -I "$(dirname "$0")/../../include" "$folder/tuned.cpp" -o "$folder/tuned" -pthread && "$folder/tuned" || die "what --tune prints" "$(<"$folder/tuned.cpp")"

# --- what can't be done ----------------------------------------------------------------------------------------------------
# refuse <status> <text> <arguments...>
refuse() {
  local expected=$1 text=$2 said status=0
  shift 2
  said=$("$perf" "$@" 2>&1 >/dev/null) || status=$?
  ((status == expected)) || die "tutti_perf $*: status $status, expected $expected" "$said"
  [[ $said == "tutti_perf: "* ]] || die "tutti_perf $* says: $said"
  grep -qF -- "$text" <<<"$said" || die "tutti_perf $* doesn't say \"$text\" but: $said"
}
refuse 2 "unknown option '--speed'" --speed
refuse 2 "--transport: expected one of shm, threads" --transport nccl
refuse 2 "--collective: expected one of all_reduce" --collective sort
refuse 2 "--algorithm: expected one of automatic, ring" --algorithm native
refuse 2 "halving_doubling doesn't serve broadcast; there are automatic" --collective broadcast --algorithm halving_doubling
refuse 2 "op sum on every type, and every op on type float" --op max --type i32
refuse 2 "--algorithm tree with --op max --type float; that is built for op sum on type float" --op max --algorithm tree
refuse 2 "--call plan with --op sum --type i32; that is built for op sum on type float" --type i32 --call plan
refuse 2 "--call async with --op sum --type u8; that is built" --type u8 --call async --collective gather
refuse 2 "--call plan: send_recv can't be planned" --call plan --collective send_recv
refuse 2 "--call: expected one of blocking, async, plan, found 'soon'" --call soon
refuse 2 "--versus: expected a transport, a colon and an algorithm, found 'ring'" --versus ring
refuse 2 "--versus: expected one of automatic, ring" --versus shm:native
refuse 2 "--versus: halving_doubling doesn't serve broadcast" --collective broadcast --versus shm:halving_doubling
refuse 2 "--versus threads:ring: can't be measured in one run with --transport shm" --versus threads:ring
if "$perf" --list | grep -q "^--versus gloo:native: "; then
  refuse 2 "--transport: expected one of shm, threads" --transport gloo
  refuse 2 "--versus: expected one of native, found 'ring'" --versus gloo:ring
  refuse 2 "--collective scan: gloo has none" --collective scan --versus gloo:native
  refuse 2 "--versus: gloo has blocking calls only" --call async --versus gloo:native
  refuse 2 "--op avg --type float: this pair isn't built for all_reduce on gloo; there are ops sum" --op avg --versus gloo:native
  refuse 2 "--versus gloo:native: can't be measured in one run with --transport threads" --transport threads --versus gloo:native
fi
refuse 2 "--in-place: reduce_scatter" --collective reduce_scatter --in-place
refuse 2 "--memory: expected one of plain, allocated, found 'pinned'" --memory pinned
refuse 2 "--graph is not in this program" --graph
refuse 2 "--tune: 1 rank has nothing to choose from" --tune --ranks 1
refuse 2 "--tune measures all_reduce by one_phase and direct" --tune --collective broadcast
refuse 2 "--root 2 is not below the number of ranks, 2" --ranks 2 --root 2
refuse 2 "-b: expected a number of bytes" -b 8X
refuse 2 "-b: expected a number of bytes" -b 0
refuse 2 "-f: expected a whole number from 2" -f 1
refuse 2 "-e: 4 bytes are less than the 8 of -b" -e 4
refuse 2 "-e: the value is missing" -e
refuse 2 "--check takes no value" --check=yes
refuse 1 "cannot write $folder/nowhere/rows.json" --json "$folder/nowhere/rows.json"
TUTTI_RANK=0 TUTTI_SIZE=1 refuse 1 "size is 2 here and 1 at the launcher" --ranks 2
[[ ! -c /dev/full ]] || { status=0; "$perf" -e 8 >/dev/full 2>/dev/null || status=$?; ((status == 1)) || die "a full disk: status $status"; }

"$perf" --list | grep -qxF "  broadcast: automatic, ring, tree, aggregator, direct, one_phase, knomial<4>, chain, double_binary_tree, scatter_all_gather" ||
  die "--list" "$("$perf" --list)"
"$perf" --help | grep -qF -- "--check " || die "--help"
