# SPDX-License-Identifier: Apache-2.0
"""Signals, stopping, continuing and exiting: tally record's forwarding,
without duplicates, and its end. Prints one line for each.

usage: signals.py SCENARIO
"""

import os
import pty
import select
import signal
import subprocess
import sys
import time

TALLY = os.environ["TALLY"]
PATIENCE = 60  # seconds until a wait is given up

# Counts received signals; ends by "end" on its standard input.
COUNTER = r"""
import os, signal, sys, time
counts = {}
def count(number, frame):
    counts[number] = counts.get(number, 0) + 1
for number in CAUGHT:
    signal.signal(number, count)
os.write(1, b"ready %d\n" % os.getpid())
BODY
os.read(0, 100)
time.sleep(0.2)
for number in sorted(counts):
    os.write(1, b"%s %d\n" % (signal.Signals(number).name.encode(),
                              counts[number]))
"""

FORWARDED = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT,
             signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGALRM,
             signal.SIGPIPE, signal.SIGTSTP, signal.SIGCONT, signal.SIGURG,
             signal.SIGXCPU, signal.SIGRTMIN, signal.SIGRTMAX]


def counter(caught, body=""):
    caught = ",".join(str(int(number)) for number in caught)
    return COUNTER.replace("CAUGHT", f"[{caught}]").replace("BODY", body)


def start(command, **more):
    return subprocess.Popen([TALLY, "record", "-q", "-o", "ledger", "--"] +
                            command, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, start_new_session=True,
                            **more)


def start_counter(caught, body=""):
    """Start a recording; return it and the PID of its program."""
    record = start(["/usr/bin/python3", "-c", counter(caught, body)])
    return record, int(record.stdout.readline().split()[1])


def finish(record):
    out, _ = record.communicate(b"end\n", timeout=PATIENCE)
    return out.decode().split("\n")[:-1], record.returncode


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0]


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited in vain until {what}")
        time.sleep(0.01)


def quiet():
    """Wait long enough for a second delivery."""
    time.sleep(0.1)


def forwarded():
    record, _ = start_counter(FORWARDED)
    for number in FORWARDED:
        os.kill(record.pid, number)
        quiet()
    lines, status = finish(record)
    missing = [number.name for number in map(signal.Signals, FORWARDED)
               if f"{number.name} 1" not in lines]
    print("forwarded once:", len(lines) == len(FORWARDED), missing, status)


def group():
    record, _ = start_counter([signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
    for _ in range(3):
        os.killpg(record.pid, signal.SIGTERM)
        quiet()
    os.kill(record.pid, signal.SIGINT)
    quiet()
    os.killpg(record.pid, signal.SIGINT)
    lines, status = finish(record)
    print("sent to the group:", lines, status)


def left_group():
    """Test that a program in another process group gets the signals sent to
    tally record's."""
    for leave in ("os.setpgid(0, 0)", "os.setsid()"):
        record, program = start_counter(
            [signal.SIGTERM, signal.SIGUSR1],
            f"{leave}; os.write(1, b'left\\n')")
        record.stdout.readline()
        try:
            for number in (signal.SIGTERM, signal.SIGUSR1):
                os.killpg(record.pid, number)
                quiet()
            os.kill(program, signal.SIGSTOP)
            wait_for("both stop", lambda: state(program) == "T" and
                     state(record.pid) == "T")
            os.killpg(record.pid, signal.SIGCONT)
            wait_for("both go on", lambda: state(program) != "T" and
                     state(record.pid) != "T")
            print(leave, *finish(record))
            os.unlink("ledger")
        finally:
            if record.poll() is None:
                os.kill(program, signal.SIGKILL)
                record.kill()


def unheard():
    """Test that a signal that the program never sees ends the wait for others.

    This program blocks it; a program that is just exiting misses it too.
    """
    record = start(["/usr/bin/python3", "-c",
                    "import os, signal, subprocess\n"
                    "signal.pthread_sigmask(signal.SIG_BLOCK, [15])\n"
                    "daemon = subprocess.Popen(['/bin/sleep', '200'],"
                    " stdout=2, start_new_session=True)\n"
                    "os.write(1, b'%d\\n' % daemon.pid)\n"
                    "os.read(0, 100)\n"], stderr=subprocess.DEVNULL)
    daemon = int(record.stdout.readline())
    try:
        record.send_signal(signal.SIGTERM)
        quiet()
        record.stdin.write(b"end\n")
        record.stdin.close()
        print("unheard:", record.wait(PATIENCE))
    finally:
        os.kill(daemon, signal.SIGKILL)
        record.kill()


def timeout():
    """Test that timeout ends a program that left its group, and the wait for a
    daemon."""
    for name, body in (
            ("program", "os.setsid()"),
            ("daemon", "os.fork() and os._exit(0)\nos.setsid()")):
        record = subprocess.Popen(
            ["timeout", "-k", "30", "300", TALLY, "record", "-q", "-o", name,
             "--", "/usr/bin/python3", "-c",
             f"import os, time\n{body}\n"
             "os.write(1, b'%d\\n' % os.getpid())\ntime.sleep(200)"],
            stdout=subprocess.PIPE)
        pid = int(record.stdout.readline())
        record.send_signal(signal.SIGALRM)  # its time is over
        status = record.wait(PATIENCE)  # the daemon may hold the pipe
        runs = group_of(pid) == pid
        print(f"timeout, a {name}:", status, "runs on" if runs else "ended")
        if runs:
            os.kill(pid, signal.SIGKILL)


def early():
    """Test a key typed before the program runs, or just as it starts.

    At any time it ends the program, or the process that was to run it.
    """
    ends = {}
    for number in (signal.SIGINT, signal.SIGRTMIN):
        for case in range(200):
            record = subprocess.Popen(
                [TALLY, "record", "-q", "-o", f"{number}.{case}", "--",
                 "/bin/sleep", "2"], start_new_session=True)
            time.sleep(case * 0.012 / 200)
            os.killpg(record.pid, number)
            status = record.wait(PATIENCE)
            ends[status] = ends.get(status, 0) + 1
    print("sent while it begins:", sorted(ends.items()))


def own_group():
    """Test a program that signals its own group, tally record included."""
    body = "os.kill(0, signal.SIGUSR1)"
    record, _ = start_counter([signal.SIGUSR1], body)
    quiet()
    lines, status = finish(record)
    print("sent by the program:", lines, status)


def ended_alike():
    for command in ("exit 0", "exit 7", "exit 255", "kill -TERM $$",
                    "kill -KILL $$", "kill -SEGV $$", "kill -ABRT $$",
                    "kill -PIPE $$", "kill -HUP $$", "kill -USR1 $$"):
        plain = subprocess.run(["/bin/sh", "-c", command], timeout=PATIENCE)
        record = start(["/bin/sh", "-c", command])
        _, status = finish(record)
        os.unlink("ledger")
        print(f"{command}:", "same" if status == plain.returncode
              else f"{status} for {plain.returncode}")


def stopped():
    record, program = start_counter([signal.SIGUSR1])
    for number, resumed in ((signal.SIGSTOP, program),
                            (signal.SIGSTOP, record.pid),
                            (signal.SIGTSTP, program)):
        # In an orphaned group, SIGTSTP stops no process.
        stops = number == signal.SIGSTOP
        os.kill(program, number)
        if stops:
            wait_for("both stop", lambda: state(program) == "T" and
                     state(record.pid) == "T")
        os.kill(resumed, signal.SIGCONT)
        wait_for("both go on", lambda: state(program) != "T" and
                 state(record.pid) != "T")
    os.kill(record.pid, signal.SIGUSR1)
    quiet()
    print("stopped and continued:", *finish(record))


def terminal():
    """Test ^C and ^Z typed at a terminal, with a shell's job control around
    it."""
    shell = "set -m\n" \
        "\"$TALLY\" record -q -o ledger -- /usr/bin/python3 -c \"$COUNTER\"\n" \
        "echo stopped $?\nfg > /dev/null\necho ended $?\n"
    environment = dict(os.environ, COUNTER=counter(
        [signal.SIGINT, signal.SIGCONT, signal.SIGWINCH]))
    pid, master = pty.fork()
    if pid == 0:
        os.execve("/bin/bash", ["bash", "-c", shell], environment)
    out = b""

    def read_until(text):
        nonlocal out
        end = time.monotonic() + PATIENCE
        while text not in out:
            if time.monotonic() > end:
                sys.exit(f"no {text} in {out}")
            if select.select([master], [], [], 0.1)[0]:
                out += os.read(master, 4096)

    read_until(b"ready ")
    os.write(master, b"\x03")
    quiet()
    os.write(master, b"\x1a")
    read_until(b"stopped ")
    quiet()
    os.write(master, b"end\n")
    read_until(b"ended ")
    os.waitpid(pid, 0)
    lines = [line for line in out.decode().replace("\r", "").split("\n")
             if line.startswith(("SIG", "stopped", "ended"))]
    print("terminal:", lines)


def killed():
    """Test that the program goes on if tally record is killed."""
    record, program = start_counter([signal.SIGUSR1])
    record.kill()
    record.wait(PATIENCE)
    os.kill(program, signal.SIGUSR1)
    quiet()
    record.stdin.write(b"end\n")
    record.stdin.close()
    out = record.stdout.read().decode().split()
    print("record killed:", out, os.path.exists("ledger"))


def program_killed():
    record, program = start_counter([])
    os.kill(program, signal.SIGKILL)
    record.wait(PATIENCE)
    print("program killed:", record.returncode, os.path.exists("ledger"))


def nobody_left():
    """Test that no process of Tally outlives tally record."""
    record, _ = start_counter([])
    before = [pid for pid in os.listdir("/proc") if pid.isdigit() and
              group_of(pid) == record.pid]
    finish(record)
    after = [pid for pid in os.listdir("/proc") if pid.isdigit() and
             group_of(pid) == record.pid]
    print("left behind:", len(before) > 1, after)


def group_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
            return int(fields[2]) if fields[0] != "Z" else -1
    except (FileNotFoundError, ProcessLookupError):
        return -1


SCENARIOS = {function.__name__: function for function in (
    forwarded, group, left_group, timeout, unheard, early, own_group,
    ended_alike, stopped, terminal, killed, program_killed, nobody_left)}
SCENARIOS[sys.argv[1]]()
