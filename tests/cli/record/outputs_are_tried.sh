# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A place that nothing can be written to is refused before the program runs, by
# root too, and by other commands before they read what they are given.
mkdir gone read_only && touch file
mount -t tmpfs tmpfs read_only 2> /dev/null && mount -o remount,ro read_only ||
    { echo "SKIPPED: no tmpfs can be mounted; run it as root" >&2; exit 77; }
home=$PWD
trap 'cd /; umount "$home/read_only"' EXIT
long=$(printf '%0250d' 7)
sleep 200 & process=$!
say() { # WORDS... : the line, how it ends, and if anything was done
    timeout 20 "$@" > "$home/lines" 2>&1 < /dev/null
    echo "$?: $(sed "s:$home/::g; s/$long/LONG/g; s/\b$process\b/PID/g; q" "$home/lines")"
    [ ! -e "$home/ran" ] || { echo "it ran"; rm "$home/ran"; }
}
record() { say tally record "$@" -- /bin/touch "$home/ran"; }
try_all() { # FOLDER FILE SPOOL
    record -o "$2"
    record -f -o "$2"
    record -o "$home/x" --trace="$2"
    record -o "$home/x" --events="$2"
    record -o "$home/x" --keep="$1"
    record -o "$home/x" --keep="$1" --blackbox=2M
    say tally attach -o "$2" $process
    say tally snapshot -o "$2" 888888888
    say tally export --to folded missing -o "$2"
    say tally check --learn --baseline=missing --baseline=b --baseline=c -o "$2"
    say tally capture missing -o "$2"
    say tally capture missing -o "$2/"
    say tally push --to=http://127.0.0.1:1 --spool="$3" 888888888
}
echo "# read_only"
try_all read_only read_only/x read_only
for folder in file missing /proc/self; do
    echo "# $folder"
    try_all $folder $folder/x $folder/x
done
echo "# a long name"
try_all $long.tally $long.tally $long.tally
cd read_only
echo "# in read_only"
record
record --events
cd ../gone && rmdir ../gone
echo "# in a folder that was removed"
record
record --events
try_all . x x
cd "$home"
echo "# left behind"
grep -c libtally /proc/$process/maps
kill $process
ls
