# SPDX-License-Identifier: Apache-2.0
# A trace without memory events is said to be one, and others read its folder,
# which has metadata at once.
command -v babeltrace2 >/dev/null || {
    echo "SKIPPED: no babeltrace2; scripts/install-deps test" >&2
    exit 77
}
"$PYTHON" - > trace <<'END'
import struct, sys
for n in range(100):
    for ident in 0x10, 0x11:
        sys.stdout.buffer.write(struct.pack("<IBI20s", 1000 * n, ident, 77, b"main"))
END
tally capture trace -o folder/
babeltrace2 folder | grep -o ' thread_[a-z_]*' | sort | uniq -c
for command in report decode "export --to text"; do
    tally $command trace; echo "exit $?"
done
tally report folder; echo "exit $?"

mkfifo pipe
tally capture pipe -o live/ 2> /dev/null & pid=$!
exec 3> pipe
cat trace >&3
for _ in 1 2 3 4 5 6 7 8 9; do [ -f live/metadata ] || sleep 1; done
ls live
kill -KILL $pid
exec 3>&-
cmp trace live/channel0_0
