# SPDX-License-Identifier: Apache-2.0
# What Zephelin sent from native boards of 32 and 64 bit, and from a Cortex-M3
# that made a round a second, or marked scopes: babeltrace2 with metadata that
# say so reads 125, 125, 213 and 119 events of memory, of 310, 310, 439 and 546.
command -v babeltrace2 >/dev/null || {
    echo "SKIPPED: no babeltrace2; scripts/install-deps test" >&2
    exit 77
}
for board in native32 native64 sync_1s scope; do
    trace=$CASE_DIR/../data/zephyr_$board.raw
    echo "$board"
    tally decode "$trace" > events
    wc -l < events
    tally report "$trace" | awk '$1 ~ /^(stack|k_heap|mem_slab)$/ && NF > 8 { print $1, $2, $3 }'
    tally capture "$trace" -o folder/ 2> told
    grep -v captured told
    cmp "$trace" folder/channel0_0
    babeltrace2 folder > others
    grep -c zpl_memory: others
    wc -l < others
    tally decode folder | cmp - events
    tally export --to tef "$trace" -o viewer.json
    "$PYTHON" -c 'import json
print(sum(e["name"] == "MEMORY" for e in json.load(open("viewer.json"))))'
    rm -r folder viewer.json
done
