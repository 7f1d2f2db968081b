# SPDX-License-Identifier: Apache-2.0
# Whatever is around whole events, a folder holds these alone, and others read
# it.
command -v babeltrace2 >/dev/null || {
    echo "SKIPPED: no babeltrace2; scripts/install-deps test" >&2
    exit 77
}
make() { "$PYTHON" "$CASE_DIR/../make_trace.py" "$@"; }
boot='*** Booting Zephyr OS build v4.1.0 ***\r\n'
try() { # NAME EVENTS: the stream is in `trace`
    tally capture trace -o folder/ 2> told || echo "exit $?"
    babeltrace2 folder > others 2> failed || echo "$1: babeltrace2 fails"
    [ "$(wc -l < others)" = "$2" ] || echo "$1: babeltrace2 reads $(wc -l < others)"
    tally decode trace > all 2>/dev/null
    tally decode folder | cmp - all || echo "$1: other events"
    echo "$1: $(sed -n 's/^tally: trace: //p' told)"
    rm -r folder
}
for layout in 1 2 3 4 5; do
    make --layout=$layout --rounds=20 whole
    echo "layout $layout"
    tail -c +10 whole > trace; try "joined" 79
    { printf '\001\200\377\000'; cat whole; } > trace; try "stray bytes" 80
    { printf "$boot"; cat whole; } > trace; try "booted" 80
    { cat whole; printf "$boot"; cat whole; } > trace
    [ $layout -ge 3 ] || try "booted again" 160
    head -c -9 whole > trace; try "cut off" 79
done
for layout in 1 3 4; do
    "$PYTHON" "$CASE_DIR/../make_zephyr.py" --layout=$layout --events=500 whole
    echo "everything, layout $layout"
    { printf '\001\200\377\000'; cat whole; } > trace
    tally capture trace -o folder/ 2> /dev/null
    babeltrace2 folder > others || echo "babeltrace2 fails"
    tail -c "$(wc -c < folder/channel0_0)" whole | cmp - folder/channel0_0
    [ "$(grep -c zpl_memory: others)" = 500 ] || echo "$(grep -c zpl_memory: others) of memory"
    rm -r folder
done

make --layout=3 --rounds=20 whole
echo "two classes of streams"
"$PYTHON" - > trace <<'END'
import struct, sys
for n in range(200):
    for stream, ident, payload in (
            (1, 0x100, struct.pack("<BIHHH3sII", 0, 9, 0, n, 3, b"ADD", 1, 2)),
            (0, 0x106, struct.pack("<BIIII", 1, 4096, n, 900 - n, 0)),
            (1, 0x103, struct.pack("<BIBH", 1, 9, 2, 0)),
            (0, 0x107, struct.pack("<BH", 0, n))):
        size = 8 * (14 + len(payload))
        sys.stdout.buffer.write(struct.pack("<HHQH", stream, size, 10**9 + n, ident) + payload)
END
tally capture trace -o folder/
ls folder
babeltrace2 folder | grep -o ' zpl_[a-z_]*' | sort | uniq -c
tally decode trace > all
tally decode folder | cmp - all
rm -r folder

# Unknown events of layout 3 have a size: metadata describe their bytes.
"$PYTHON" - > trace <<'END'
import struct, sys
for n in range(100):
    for ident, payload in ((0x106, struct.pack("<BIIII", 1, 4096, n, 900 - n, 0)),
                           (0x7777, b"what")):
        size = 8 * (14 + len(payload))
        sys.stdout.buffer.write(struct.pack("<HHQH", 0, size, 10**9 + n, ident) + payload)
END
echo "unknown events"
tally capture trace -o folder/ 2>&1
babeltrace2 folder | grep -o 'unknown_0x7777: .*bytes.*\|zpl_memory:' | sed 's/{.*bytes/bytes/' | sort | uniq -c
cmp trace folder/channel0_0
tally decode folder | wc -l
rm -r folder

# No metadata describe these streams, and nothing is lost.
undescribed() {
    echo "$1:"
    tally capture trace -o folder/ 2>&1 | sed -n 2p
    ls folder
    cmp trace folder/channel0_0
    rm -r folder
}
{ cat whole; printf "$boot"; cat whole; } > trace
undescribed "two boots with whole times"
make --rounds=20 trace
make --layout=2 --rounds=20 - >> trace
undescribed "two layouts"
