# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# An output that is in the way is found before the process is touched; nothing
# is left behind.
sleep 60 &
touch there
for words in "-o there" "-o nowhere/x" "-o there/x" "--events=there" \
    "--trace=nowhere/x" "-f -o /dev/full" "--keep=nowhere"; do
    tally attach $words $! 2>&1 | sed "s/\b$!\b/PID/g"
done
grep -c libtally /proc/$!/maps # none
kill $!
ls
