# SPDX-License-Identifier: Apache-2.0
# A folder has metadata, so that others read it, too.
command -v babeltrace2 >/dev/null || {
    echo "SKIPPED: no babeltrace2; scripts/install-deps test" >&2
    exit 77
}
for layout in 1 2 3; do
    "$PYTHON" "$CASE_DIR/../make_trace.py" --layout=$layout --rounds=9 trace
    tally capture trace -o folder/
    ls folder
    cmp trace folder/channel0_0
    tally decode trace > events
    tally decode folder | cmp events -
    babeltrace2 folder > others || echo "babeltrace2 fails"
    [ "$(wc -l < others)" = 36 ] || echo "babeltrace2 reads others"
    tally capture trace -o folder/; echo "exit $?"
    rm -r folder
done
mkdir folder
tally capture "$CASE_DIR/../data/zpl-sample.txt" -o folder/
ls folder
tally capture gone -o none/; ls
# Metadata exist before the first byte, also if text follows.
mkfifo pipe
tally capture pipe -o live/ &
exec 3> pipe
for _ in 1 2 3 4 5 6 7 8 9; do [ -f live/metadata ] || sleep 1; done
babeltrace2 live && ls -A live
tally top --count=1 live | head -n 1
printf 'no event here' >&3
exec 3>&-
wait
ls -A live
: > empty
tally capture empty -o none/
babeltrace2 none && ls -A none
