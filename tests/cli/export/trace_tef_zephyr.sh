# SPDX-License-Identifier: Apache-2.0
# Threads, switches, named events, spans and CPU load are in TEF as Zephelin's
# converter writes them.
command -v babeltrace2 >/dev/null || {
    echo "SKIPPED: no babeltrace2; scripts/install-deps test" >&2
    exit 77
}
for layout in 1 3; do
    "$PYTHON" "$CASE_DIR/../make_zephyr.py" --layout=$layout --events=300 mixed
    tally capture mixed -o folder/ 2> /dev/null
    tally export --to tef mixed > trace.json
    "$PYTHON" "$CASE_DIR/trace_tef_zephyr.py" folder trace.json
    rm -r folder
done
