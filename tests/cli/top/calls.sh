# SPDX-License-Identifier: Apache-2.0
# A trace of calls: current live bytes by call site; and one during its capture,
# until that has ended.
cc -nostdlib -static -Wl,-e,make_buffer -Wl,-Ttext=0x6000 -o app.elf \
    "$CASE_DIR/../callers.S"
printf '#m:0x10;0x6004-100\n#m:0x90;0x6004-200\n#m:0x200;0x6018-50\n' >calls
tally top --elf=app.elf calls
tally top --elf=app.elf --function=make_buffer -s peak calls | tail -1
echo "while it is captured, from nothing on:"
wait_for() { for i in $(seq 600); do "$@" && return; sleep 0.1; done; echo "never: $*"; }
mkfifo wire
tally capture wire -o live 2>told &
capture=$!
exec 8>wire
wait_for test -f live
: >watched
tally top -d 0.1 --elf=app.elf live >watched 8>&- &
top=$!
wait_for grep -q '^live: 0 regions, 0 events$' watched
cat calls >&8
wait_for grep -q '^live: 3 calls$' watched
printf '#m:0x300;0x6018-5000\n#f:0x0;0x6004-0x10\n' >&8
wait_for grep -q '^live: 5 calls$' watched
exec 8>&-
wait $capture
wait $top
echo "exit $?"
tail -n 7 watched
echo "lost, and from a pipe:"
{ cat calls; printf 'noise\n#m:0x4'; } >wire &
tally top -d 0.1 wire | tail -n 7 | head -n 3 | sed "s|, [^,]*/s$||"
tally top -s resident calls
echo "exit $?"
echo "on a terminal, while it begins:"
mkfifo other
"$PYTHON" - <<'END'
import os, pty, select, subprocess
tally = os.environ["TALLY"]
capture = subprocess.Popen([tally, "capture", "other", "-o", "begun"],
                           stderr=subprocess.DEVNULL)
wire = open("other", "wb", buffering=0)
while not os.path.exists("begun"):
    select.select([], [], [], 0.05)
pid, master = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(tally, ["tally", "top", "-d", "0.1", "begun"])
seen = b""
def wait_for(text):
    global seen
    while text not in seen and select.select([master], [], [], 60)[0]:
        seen += os.read(master, 4096)
    return text in seen
print(wait_for(b"begun: 0 regions"))
wire.write(b"#m:0x10;0x6004-100\n#m:0x90;0x6004-200\n")
print(wait_for(b"begun: 2 calls"), wait_for(b"0x6004"))
os.write(master, b"r")
print(wait_for(b"resident memory needs one"))
os.write(master, b"q")
try:
    while select.select([master], [], [], 60)[0] and os.read(master, 4096):
        pass
except OSError:
    pass
print("exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
wire.close()
capture.wait()
END
