# SPDX-License-Identifier: Apache-2.0
# A trace of regions: the current use of each; and one during its capture, until
# that has ended. The case waits for nothing: each step is signalled.
make="$PYTHON $CASE_DIR/../make_trace.py --layout=3 --grow=1"
$make --rounds=8 trace
tally top trace
tally top -n 2 -d 0.1 -r 2 trace
echo "of a folder, with names:"
tally export --to ctf -o folder trace
tally top folder | head -n 1
"$PYTHON" "$CASE_DIR/../make_zephyr.py" mixed
tally top mixed | grep -c main
echo "while it is captured:"
wait_for() { for i in $(seq 600); do "$@" && return; sleep 0.1; done; echo "never: $*"; }
mkfifo wire
tally capture wire -o live 2> told &
capture=$!
exec 8> wire
cat trace >&8
wait_for cmp -s trace live
: > watched
tally top -d 0.1 live > watched 8>&- &
top=$!
wait_for grep -q "^live: 4 regions, 32 events$" watched
$make --rounds=40 more
tail -c +993 more >&8
wait_for grep -q "^live: 4 regions, 160 events$" watched
exec 8>&-
wait $capture
wait $top
tail -n 7 watched
echo "from a pipe, and from one who connects:"
cat trace > wire &
tally top wire | tail -n 7 | head -n 1
cat > server.py <<'END'
import socket
with socket.create_server(("127.0.0.1", 0)) as server, open("trace", "rb") as file:
    server.settimeout(60)
    with open("port", "w") as port:
        port.write(str(server.getsockname()[1]))
    connection, _ = server.accept()
    with connection:
        connection.sendall(file.read())
END
"$PYTHON" server.py &
wait_for test -s port
tally top "tcp:127.0.0.1:$(cat port)" | tail -n 7 | sed -n '1s/:[0-9]*:/:PORT:/p'
echo "on a terminal:"
"$PYTHON" - <<'END'
import os, pty, select
pid, master = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(os.environ["TALLY"], ["tally", "top", "trace"])
seen = b""
while b"mem_slab" not in seen and select.select([master], [], [], 60)[0]:
    seen += os.read(master, 4096)
os.write(master, b"q")
try:
    while select.select([master], [], [], 60)[0] and os.read(master, 4096):
        pass
except OSError:
    pass
print("exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), b"0x20011748" in seen)
END
