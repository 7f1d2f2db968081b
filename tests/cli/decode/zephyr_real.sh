# SPDX-License-Identifier: Apache-2.0
# Traces that Zephyr 3.4 and Zephelin wrote on boards: native ones have an enum
# of 4 bytes, one has scopes, one a second between rounds.
command -v babeltrace2 >/dev/null || {
    echo "SKIPPED: no babeltrace2; scripts/install-deps test" >&2
    exit 77
}
"$PYTHON" "$CASE_DIR/zephyr_real.py" "$CASE_DIR/../data"
echo "a buffer that is not full:"
{ cat "$CASE_DIR/../data/sync_1s_real.raw"; head -c 5000 /dev/zero; } > ram
tally decode ram | wc -l
tally capture ram -o folder/ 2> /dev/null
cmp folder/channel0_0 "$CASE_DIR/../data/sync_1s_real.raw"
