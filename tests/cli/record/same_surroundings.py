# SPDX-License-Identifier: Apache-2.0
"""Compare the environment of a program run plainly and under tally record,
from odd surroundings. Prints differences."""

import os
import resource
import signal
import subprocess
import sys

TALLY = os.environ["TALLY"]

# Reads with the shell's builtins, so that it shows the program's own process.
PROBE = r"""
echo "umask $(umask)"
echo "cwd $(pwd -P)"
echo "arguments $0 $*"
show() {
    while IFS= read -r line; do
        case $line in
        Sig[BI]*|ShdPnd*|NoNewPrivs*|Seccomp:*|Threads*|Uid*|Gid*|Groups*)
            echo "status $line" ;;
        esac
    done < /proc/$$/status
    while IFS= read -r line; do echo "limit $line"; done < /proc/$$/limits
    read -r line < /proc/$$/oom_score_adj; echo "oom $line"
    read -r line < /proc/$$/coredump_filter; echo "coredump $line"
    read -r line < /proc/$$/personality; echo "personality $line"
    read -r line < /proc/$$/cgroup; echo "cgroup $line"
    read -r line < /proc/$$/stat
    line=${line##*) }
    set -- $line
    # group, session, terminal, foreground group, priority, nice
    echo "stat $3 $4 $5 $6 ${16} ${17}"
}
show
for fd in /proc/$$/fd/*; do echo "descriptor ${fd##*/}"; done
"""

ENVIRONMENT = r"""
import os
for entry in open("/proc/self/environ", "rb").read().split(b"\0"):
    print(entry.decode("utf-8", "backslashreplace"))
"""


def surroundings():
    """In the child, set up state that a program could lose on its way."""
    os.umask(0o027)
    os.nice(3)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK,
                           {signal.SIGUSR1, signal.SIGTERM})
    resource.setrlimit(resource.RLIMIT_FSIZE,
                       (1 << 20, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 128))
    os.dup2(1, 9)
    os.close(0)


# Like systemd, which names its child.
MEANT = ["/bin/sh", "-c", """export LISTEN_PID=$$ WATCHDOG_PID=$$
    export SYSTEMD_EXEC_PID=1; exec "$@" """, "sh"]
SHOW_MEANT = ["/bin/sh", "-c",
              "echo $((LISTEN_PID - $$)) $((WATCHDOG_PID - $$)) "
              "$SYSTEMD_EXEC_PID"]

INODE = """import os, sys
own = str(os.fstat(os.pidfd_open(os.getpid())).st_ino)
if len(sys.argv) == 1:
    sys.exit(print(os.environ["LISTEN_PIDFDID"] == own))
os.environ["LISTEN_PIDFDID"] = own
os.execv(sys.argv[1], sys.argv[1:])
"""


def run(command, environment):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, close_fds=False,
                          env=environment, timeout=60,
                          preexec_fn=surroundings)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode().splitlines()


def is_ours(line):
    return line.startswith(("LD_PRELOAD=", "TALLY_SESSION="))


def compare(name, command, environment, drop=lambda line: False):
    plain = run(command, environment)
    recorded = run([TALLY, "record", "-q", "-o", name, "--"] + command,
                   environment)
    plain, recorded = ([line for line in lines if not drop(line)]
                       for lines in (plain, recorded))
    print(f"{name}: {len(plain) > 5 and 'enough' or plain} lines")
    for line in plain:
        if line not in recorded:
            print(f"{name}: only plain: {line}")
    for line in recorded:
        if line not in plain:
            print(f"{name}: only recorded: {line}")
    if sorted(plain) == sorted(recorded) and plain != recorded:
        print(f"{name}: other order")


def main():
    environment = dict(os.environ, EMPTY="", ODD="a=b c\n", _="/bin/odd")
    compare("process", ["/bin/sh", "-c", PROBE, "name", "one", "two words", ""],
            environment)
    compare("environment", ["/usr/bin/python3", "-c", ENVIRONMENT],
            environment, is_ours)
    print("meant:", *run(MEANT + SHOW_MEANT, environment),
          *run([*MEANT, TALLY, "record", "-q", "-o", "meant", "--",
                *SHOW_MEANT], environment),
          *run(["/usr/bin/python3", "-c", INODE, TALLY, "record", "-q", "-o",
                "inode", "--", "/usr/bin/python3", "-c", INODE], environment))
    environment["LD_PRELOAD"] = "/lib/x86_64-linux-gnu/libm.so.6"
    lines = run([TALLY, "record", "-q", "-o", "kept", "--",
                 "/usr/bin/python3", "-c", ENVIRONMENT], environment)
    preload = [line for line in lines if line.startswith("LD_PRELOAD=")]
    print("kept:", preload[0].endswith(
        "libtally-record.so:/lib/x86_64-linux-gnu/libm.so.6"), len(preload))


main()
