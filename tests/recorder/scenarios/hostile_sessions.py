# SPDX-License-Identifier: Apache-2.0
"""The command's trust in sessions: programs write values that could make root
act on another process. Also the list of docs/hazards.md."""

import contextlib
import fcntl
import os
import re
import signal
import struct
import subprocess

from harness import scenario, watchdog
from harness.attached_program import Program, account, attach, children_of, \
    detach, has, is_clean
from harness.scenario import Skip, equal

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
PAGE = os.path.join(SOURCES, "docs/hazards.md")
VERSION = int(os.environ.get("TALLY_SESSION_VERSION", "4"))
EXTENT = 1 << 32
SESSION_SIZE = EXTENT * ((1 << 20) + 1)
NOBODY = 65534
SHRINK, GROW = fcntl.F_SEAL_SHRINK, fcntl.F_SEAL_GROW
# Offset of the plan to patch in versions up to 3.
PLAN = 32 << 20


def for_root():
    if os.getuid() != 0:
        raise Skip("only root has rights to give up; run it as root")


@contextlib.contextmanager
def running(command, **options):
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def session_header(attached=0, count=1, size=EXTENT):
    header = bytearray(176)
    struct.pack_into("<8sIIQQIII", header, 0, b"TALLYSES", VERSION, 3, 0x1234,
                     size, count, 1 << 20, 1)
    struct.pack_into("<I", header, 124, 1)
    struct.pack_into("<II", header, 164, attached, 0)
    return header


def plan_over(at, covered, way):
    """Return one entry whose jump would lead to `way`."""
    plan = bytearray(64 + 64 * 192)
    struct.pack_into("<QQQQQQQII", plan, 0, 0, os.getpid(), 0, 0, 0, way, 0, 1,
                     1)
    entry = struct.pack("<40sQQBBBB6xB5x", b"malloc", at, at, 20, 20, 0, 0, 0)
    plan[64:64 + 192] = (entry + covered).ljust(192, b"\0")
    return plan


def ledger_of(pid):
    """Return the start of a ledger that claims to be of process `pid`."""
    header = bytearray(4096)
    struct.pack_into("<8sHHI", header, 0, b"TALLYLGR", 1, 9, 0x01020304)
    struct.pack_into("<I", header, 56, pid)
    return header


FORGER = """
import ctypes, fcntl, mmap, os, sys
fd = os.memfd_create("tally", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
os.ftruncate(fd, int(sys.argv[1]))
for number in range(2, len(sys.argv), 2):
    os.pwrite(fd, bytes.fromhex(sys.argv[number + 1]), int(sys.argv[number]))
if int(sys.argv[1]) > 0:
    fcntl.fcntl(fd, 1033, 2 | 4)
kept = mmap.mmap(fd, 4096)
print("ready", flush=True)
sys.stdin.read()
"""


def forge(*pieces, size=SESSION_SIZE, user=NOBODY):
    """Start a process of another user that holds such a session."""
    words = [text for at, data in pieces for text in (str(at), data.hex())]
    process = subprocess.Popen(
        ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups",
         "/usr/bin/python3", "-c", FORGER, str(size), *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=watchdog.clean_environment())
    equal("forger", b"ready\n", process.stdout.readline())
    return process


def existing_jump(pid):
    """Return the address and target of a jmp rel32 in libc's code of the
    process."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        line = next(line for line in file
                    if "/libc.so" in line and "x" in line.split()[1])
    start, end = (int(word, 16) for word in line.split()[0].split("-"))
    with open(f"/proc/{pid}/mem", "rb") as memory:
        memory.seek(start)
        code = memory.read(end - start)
    for at, byte in enumerate(code[:-5]):
        if byte == 0xe9:
            target = start + at + 5 + struct.unpack_from("<i", code, at + 1)[0]
            if start <= target < end:
                return start + at, target
    raise AssertionError("no jump")


def commands_on(place, pid):
    """Run tally detach, then tally attach, on a hostile process."""
    for verb in (["detach"], ["attach", "-q", "-f", "-o", place.file("x")]):
        with running([place.recorder.tally, *verb, str(pid)],
                     stdout=subprocess.DEVNULL,
                     stderr=subprocess.PIPE) as command:
            try:
                command.wait(2)
            except subprocess.TimeoutExpired:
                command.send_signal(signal.SIGINT)
            command.communicate(timeout=30)


def a_strangers_plan(place):
    """Test another user's session with a plan to patch a process of root's."""
    for_root()
    with Program(place) as program:
        at, target = existing_jump(program.pid)
        with forge((0, session_header()),
                   (PLAN, plan_over(at, b"\xcc" * 20, target)),
                   (EXTENT, ledger_of(int(program.pid)))) as stranger:
            commands_on(place, stranger.pid)
            assert is_clean(program.pid), "a stranger's plan was followed"
            stranger.kill()
        program.do("a")
        program.end()


TARGET = """
import ctypes, fcntl, os, struct, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.mremap.restype = ctypes.c_void_p
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t,
                        ctypes.c_int]
libc.malloc.restype = ctypes.c_void_p
PLAN, EXTENT = 32 << 20, 1 << 32

def spoil(fd, plan):
    # Versions up to 3 had the plan here: entries from byte 64 on.
    if plan:
        os.pwrite(fd, struct.pack("<I", 1), 124)
        os.pwrite(fd, plan, PLAN)
        return
    count = struct.unpack("<I", os.pread(fd, 4, PLAN + 56))[0]
    for number in range(min(count, 64)):
        os.pwrite(fd, b"\\x0b" * 20, PLAN + 64 + number * 192 + 76)
    os.pwrite(fd, struct.pack("<I", 1), 168)

def work(plan):
    libc.malloc(100)
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    opened = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink("/proc/self/fd/" + name).startswith("/memfd:tally"):
                spoil(os.open("/proc/self/fd/" + name, os.O_RDWR), plan)
                opened += 1
        except OSError:
            pass
    for line in open("/proc/self/maps"):
        where, access, offset = line.split()[:3]
        if "/memfd:tally " in line and "s" in access:
            at = int(where.split("-")[0], 16)
            more = libc.mremap(at, 0, EXTENT + 8192, 1)
            if more not in (None, 2**64 - 1):
                ctypes.memset(more + EXTENT - int(offset, 16) % EXTENT, 255,
                              4096)
    print(opened, flush=True)
    sys.stdin.close()
    os.pause() if hasattr(os, "pause") else __import__("signal").pause()

print("ready", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "worker" and os.fork() == 0:
        work(bytes.fromhex(rest[0]) if rest else None)
    elif word == "run":
        done = subprocess.run(rest, input=b"ae", stdout=subprocess.PIPE)
        print(done.returncode, done.stdout.decode(), flush=True)
    elif word == "allocate":
        for _ in range(1000):
            libc.free(ctypes.c_void_p(libc.malloc(1000)))
        print("done", flush=True)
"""


class Master:
    """A program of root whose worker drops its privileges, and is hostile."""

    def __init__(self, place):
        self.tally = place.recorder.tally
        self.process = subprocess.Popen(
            ["/usr/bin/python3", "-c", TARGET], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=watchdog.clean_environment())
        self.pid = str(self.process.pid)
        equal("target", "ready", self.answer())

    def answer(self):
        return self.process.stdout.readline().decode().strip()

    def ask(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return self.answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in children_of(self.pid):
            os.kill(int(child), signal.SIGKILL)
        self.process.kill()
        self.process.communicate()


def a_worker_rewrites_the_session(place):
    """Test that its master is unchanged after attaching and detaching."""
    for_root()
    with Master(place) as master:
        attaching = attach(master.tally, master.pid, place.file("a"))
        equal("session's files that a worker could open", "0",
              master.ask("worker"))
        worker = children_of(master.pid)[0]
        equal("allocating", "done", master.ask("allocate"))
        detach(master.tally, master.pid, attaching)
        assert is_clean(master.pid), "the worker's bytes are in its master"
        assert not is_clean(worker), "another user's process was touched"
        outcome = watchdog.run([master.tally, "detach", worker])
        equal(outcome.stderr.decode(), 0, outcome.status)
        assert is_clean(worker)
        equal("allocating", "done", master.ask("allocate"))


def a_worker_rewrites_what_programs_run(place):
    """Test that a program that its master runs meanwhile works as alone."""
    for_root()
    victim = place.victim("steps")
    symbols = subprocess.run(["nm", victim], stdout=subprocess.PIPE,
                             check=True).stdout.decode()
    main = next(int(line.split()[0], 16) for line in symbols.splitlines()
                if line.endswith(" T main"))
    status = os.stat(victim)
    with open(victim, "rb") as file:
        file.seek(main)
        covered = file.read(20)
        file.seek(24)
        entry = struct.unpack("<Q", file.read(8))[0]
    plan = plan_over(main, covered, 0)
    struct.pack_into("<QQQ", plan, 0, status.st_dev, status.st_ino, entry)
    with Master(place) as master:
        alone = master.ask(f"run {victim}")
        attaching = attach(master.tally, master.pid, place.file("a"))
        master.ask(f"worker {plan.hex()}")
        equal("run", alone, master.ask(f"run {victim}"))
        detach(master.tally, master.pid, attaching)


def a_session_of_others_that_is_named(place):
    """Test that tally detach ends no recording if the process does not map the
    session named by its environment."""
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        path = next(f"/proc/{attaching.pid}/fd/{name}" for name in
                    os.listdir(f"/proc/{attaching.pid}/fd")
                    if os.readlink(f"/proc/{attaching.pid}/fd/{name}")
                    .startswith("/memfd:tally "))
        with open(path, "rb") as file:
            nonce = struct.unpack("<Q", file.read(24)[16:])[0]
        with running([place.victim("steps")], stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE,
                     env={**watchdog.clean_environment(),
                          "TALLY_SESSION": f"{path}:{nonce:016x}"}) as other:
            equal("ready", b".", os.read(other.stdout.fileno(), 1))
            outcome = watchdog.run([program.tally, "detach", str(other.pid)])
            equal(outcome.stderr.decode(), 2, outcome.status)
            assert "tally attach does not record it" in \
                outcome.stderr.decode(), outcome.stderr
        equal("recording", None, attaching.poll())
        assert not is_clean(program.pid), "another's recording was ended"
        program.do("a")
        program.detach(attaching)
        has(account(place, place.file("a")), "first", 100, 100)
        program.end()


def a_ledger_that_names_another_process(place):
    """Test that nothing is read in a process that does not map the ledger."""
    with running(place.recorder.command([place.victim("steps")], []),
                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                 env=watchdog.clean_environment()) as recording, \
            Program(place) as other:
        os.read(recording.stdout.fileno(), 1)
        with open(f"/proc/{children_of(recording.pid)[0]}/environ",
                  "rb") as file:
            path = re.search(rb"TALLY_SESSION=([^:]+):", file.read())[1]
        fd = os.open(path, os.O_RDWR)
        os.pwrite(fd, struct.pack("<I", int(other.pid)), EXTENT + 56)
        os.pwrite(fd, bytes(8), EXTENT + 72)
        os.close(fd)
        outcome = watchdog.run([other.tally, "report", "--resident",
                                str(recording.pid)])
        equal("report", (2, b"", f"tally: {other.pid}: not recorded by Tally; "
                         "record it from now on with tally attach\n"),
              (outcome.status, outcome.stdout, outcome.stderr.decode()))
        recording.communicate(b"e", timeout=30)


def a_file_that_can_be_cut_off(place):
    """Test that a program told to record into one runs on unrecorded."""
    library = os.path.join(os.path.dirname(place.recorder.tally),
                           "../lib/libtally-record.so")
    for seals, recorded in ((GROW, 0), (SHRINK | GROW, 1)):
        fd = os.memfd_create("tally", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, SESSION_SIZE)
        os.pwrite(fd, session_header(count=0), 0)
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
        done = subprocess.run(
            [place.victim("steps")], input=b"ae", stdout=subprocess.PIPE,
            env={**watchdog.clean_environment(), "LD_PRELOAD": library,
                 "TALLY_SESSION": f"/proc/{os.getpid()}/fd/{fd}:{0x1234:016x}"})
        equal("run", (4, b".."), (done.returncode, done.stdout))
        equal(f"ledgers with seals {seals}", recorded,
              struct.unpack("<I", os.pread(fd, 4, 32))[0])
        os.close(fd)


def fields_of(header, struct_name):
    """Return the names of a struct's fields, as its header declares them."""
    text = scenario.read_file(os.path.join(SOURCES, header))
    body = re.search(rf"struct {struct_name} \{{(.*?)\n\}};", text, re.S)[1]
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    return {re.sub(r"\[.*", "", name).strip()
            for line in re.findall(r"u?int\w+ ([^;]+);|char ([^;]+);", body)
            for name in (line[0] or line[1]).split(",")} - {"reserved"}


def the_list_is_whole(place):
    """Test that docs/hazards.md names each field that another party can
    write."""
    page = scenario.read_file(PAGE)
    section = page[page.index("\n## Trust of the command\n"):]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", section, re.M)
    assert len(rows) > 15, rows
    bytes_named = {name for row in rows
                   for name in re.findall(r"`(\w+)`", "".join(row))}
    for header, name in (("format/ledger/session_layout.h", "session_header"),
                         ("format/ledger/session_layout.h", "session_copy"),
                         ("format/recorder_image.h", "recorder_image")):
        equal(f"fields of {name} that are not in the list", set(),
              fields_of(header, name) - bytes_named)
    equal("rows without a check", [],
          [row for row, check in rows if not check.strip()])


scenario.main(the_list_is_whole, a_strangers_plan,
              a_worker_rewrites_the_session,
              a_worker_rewrites_what_programs_run,
              a_session_of_others_that_is_named,
              a_ledger_that_names_another_process,
              a_file_that_can_be_cut_off)
