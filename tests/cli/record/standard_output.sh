# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The ledger behind the program's own output; never on a terminal.
tally record -q -o - -- /bin/true | tally report --json - | grep -c '"command_line": "/bin/true"'
tally record -q -o - -- /bin/echo first > both
head -n 1 both
tail -c +7 both > ledger
tally report --json ledger | grep -c '"command_line": "/bin/echo first"'
ls
echo "a reader that goes away:"
{ tally record -o - -- /bin/echo gone; echo "status $?" >&2; } 2> told | head -c 5
cat told
echo "a budget:"
printf 'rules:\n  - leaks = 0\n' > budget
tally record -o - --budget=budget -- /bin/touch ran
echo $?
"$PYTHON" - <<'END'
import os, pty
pid, master = pty.fork()
if pid == 0:
    os.execv(os.environ["TALLY"], ["tally", "record", "-o", "-", "touch", "ran"])
told = b""
try:
    while part := os.read(master, 4096):
        told += part
except OSError:
    pass
print(told.decode().strip(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
test ! -e ran
