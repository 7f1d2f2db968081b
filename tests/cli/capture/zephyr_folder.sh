# SPDX-License-Identifier: Apache-2.0
# Everything that Zephyr traces, captured into a folder, is what others read,
# too, event for event; and so with metadata that are given.
command -v babeltrace2 >/dev/null || {
    echo "SKIPPED: no babeltrace2; scripts/install-deps test" >&2
    exit 77
}
for layout in 1 2 3 4; do
    "$PYTHON" "$CASE_DIR/../make_zephyr.py" --layout=$layout --events=500 mixed
    tally capture mixed -o folder/ 2> told; cat told
    babeltrace2 folder > others || echo "babeltrace2 fails"
    "$PYTHON" "$CASE_DIR/../count_zephyr.py" $layout mixed > events
    awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^[a-z_]+:$/) { print $i; break } }' others |
        sort | uniq -c | awk '{ sub(":", "", $2); print $2, $1 }' | diff - events && echo "layout $layout: the same"
    tally decode mixed > alone
    tally decode folder | cmp - alone
    mv folder/metadata given
    rm -r folder
    tally capture --metadata=given mixed -o folder/ 2> /dev/null
    cmp given folder/metadata
    for command in decode "export --to text"; do
        tally $command --metadata=given mixed > named || echo "exit $?"
        tally $command mixed | cmp - named
    done
    # Zephyr's own metadata lack the event of memory.
    awk 'BEGIN { RS = ""; ORS = "\n\n" } !/name = "zpl_memory"/' given > own
    grep -c zpl_memory\" own
    tally decode --metadata=own mixed | cmp - alone
    tally report --metadata=given mixed | head -n 1
    tally diff --metadata=given mixed mixed | head -n 2
    rm -r folder
done
echo "bad:"
tally decode --metadata=mixed mixed
tally decode --metadata=none mixed
tally decode --metadata=/dev/zero mixed
