# SPDX-License-Identifier: Apache-2.0
"""Other people's recorders: how each is run, and when it is taken off.

A peer is run like a mode of ours, and all that it starts counts: heaptrack's
interpreter by being waited for, LTTng's daemons by what the kernel says of
them. A peer that takes too long, too much room or too much memory is ended, and
that is its figure.
"""

import contextlib
import dataclasses
import glob
import os
import shutil
import signal
import subprocess
import tempfile
import time

import measure

LIBRARIES = "/usr/lib/*-linux-gnu/"
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")

RUN_SECONDS = 40
DISK_MIB = 4096
MEMORY_MIB = 4096
WAIT_SECONDS = 0.02  # between looks whether it has ended,
LOOK_WAITS = 25  # and so many between looks at what it has taken

HEAPTRACK = "heaptrack"
HEAPTRACK_RAW = "heaptrack --raw"
LTTNG = "LTTng's libc wrapper"
JEMALLOC = "jemalloc, not sampling"
JEMALLOC_PROF = "jemalloc prof, 512 KiB"
JEMALLOC_EACH = "jemalloc prof, each"
TCMALLOC = "tcmalloc, not sampling"
TCMALLOC_SAMPLE = "tcmalloc, 512 KiB"
MEMUSAGE = "memusage"


def library(name):
    """The path of a shared library of Debian's, or None. Its plain name may be
    in a package for developers."""
    found = sorted(glob.glob(LIBRARIES + name + "*"))
    return found[0] if found else None


@dataclasses.dataclass(frozen=True)
class Peer:
    """What stands before a program, or why nothing does."""
    prefix: tuple = ()
    environment: dict = dataclasses.field(default_factory=dict)
    absence: str | None = None


def preloaded(name, package, **environment):
    path = library(name)
    if path is None:
        return Peer(absence=f"no {name}; install {package}")
    return Peer(environment={"LD_PRELOAD": path, **environment})


def jemalloc(folder, sampling):
    """Debian builds it with profiling; what else is in the way says so."""
    peer = preloaded("libjemalloc.so.2", "libjemalloc2",
                     **({"MALLOC_CONF": sampling} if sampling else {}))
    if peer.absence is None and sampling:
        _, said = measure.run(
            ["true"], {**peer.environment, "MALLOC_CONF":
                       "stats_print:true"}, None, folder)
        if "config.prof: true" not in said:
            return Peer(absence="not built with prof")
    return peer


def command(name, package, *arguments):
    if shutil.which(name) is None:
        return Peer(absence=f"no {name}; install {package}")
    return Peer(prefix=(name, *arguments))


def all_peers(folder):
    """{name: Peer}; what they write goes into `folder`."""
    output = os.path.join(folder, "peer")
    prof = f"prof:true,prof_final:true,prof_prefix:{output}/heap,"
    return {
        HEAPTRACK: command("heaptrack", "heaptrack", "-o", f"{output}/data"),
        HEAPTRACK_RAW: command("heaptrack", "heaptrack", "--raw", "-o",
                               f"{output}/data"),
        LTTNG: Session.peer(folder),
        JEMALLOC: jemalloc(folder, None),
        JEMALLOC_PROF: jemalloc(folder, prof + "lg_prof_sample:19"),
        JEMALLOC_EACH: jemalloc(folder, prof + "lg_prof_sample:0"),
        TCMALLOC: preloaded("libtcmalloc.so.4", "libgoogle-perftools4"),
        TCMALLOC_SAMPLE: preloaded("libtcmalloc.so.4", "libgoogle-perftools4",
                                   TCMALLOC_SAMPLE_PARAMETER="524288"),
        MEMUSAGE: command("memusage", "libc-devtools"),
    }


class Session:
    """A session of LTTng that takes events of its libc wrapper."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "lttng")
        self.is_open = False

    @staticmethod
    def peer(folder):
        peer = preloaded("liblttng-ust-libc-wrapper.so", "liblttng-ust1",
                         LTTNG_HOME=os.path.join(folder, "lttng"))
        return command("lttng", "lttng-tools") if shutil.which(
            "lttng") is None else peer

    def lttng(self, *arguments):
        own = {**os.environ, "HOME": self.folder, "LTTNG_HOME": self.folder}
        return subprocess.run(["lttng", *arguments], env=own, check=False,
                              stdout=subprocess.PIPE, encoding="utf-8",
                              errors="replace", stderr=subprocess.DEVNULL)

    def __enter__(self):
        if shutil.which("lttng") is None:
            return self
        own = {**os.environ, "HOME": self.folder, "LTTNG_HOME": self.folder}
        os.makedirs(self.folder, exist_ok=True)
        with subprocess.Popen(["lttng-sessiond", "--background", "--no-kernel",
                               f"--pidfile={self.folder}/pid"], env=own,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as starting:
            starting.wait()
        self.is_open = all(self.lttng(*step).returncode in (0, 3) for step in (
            ("create", "bench", f"--output={self.folder}/out"),
            ("enable-channel", "-u", "--subbuf-size=1M", "--num-subbuf=8",
             "wide"),
            ("enable-event", "-u", "-c", "wide", "lttng_ust_libc:*"),
            ("start",)))
        return self

    def pid(self):
        try:
            with open(f"{self.folder}/pid", encoding="utf-8") as file:
                return int(file.read())
        except (OSError, ValueError):
            return None  # there is none

    def daemon_seconds(self):
        """User time of its daemons so far."""
        pid = self.pid()
        return sum(process.user_seconds for process in processes()
                   if pid is not None and pid in (process.pid, process.parent))

    def flush(self):
        """Its buffers are on disk; how many events there was no room for."""
        self.lttng("stop")
        said = self.lttng("list", "bench").stdout
        return sum(int(line.split(":")[1]) for line in said.splitlines()
                   if "Discarded events:" in line)

    def __exit__(self, *_):
        if self.is_open:
            self.lttng("destroy", "bench")
        pid = self.pid()
        if pid is not None:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGTERM)
        shutil.rmtree(f"{self.folder}/out", ignore_errors=True)


@dataclasses.dataclass(frozen=True)
class Process:
    """What the kernel says of one."""
    pid: int
    parent: int
    session: int
    user_seconds: float
    resident_mib: float


def processes():
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        with contextlib.suppress(OSError):
            with open(f"/proc/{name}/stat", encoding="utf-8",
                      errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            yield Process(int(name), int(fields[1]), int(fields[3]),
                          int(fields[11]) / CLOCK_TICKS,
                          int(fields[21]) * PAGE / 2**20)


def folder_mib(folder):
    size = 0
    for where, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.stat(os.path.join(where, name)).st_blocks * 512
    return size / 2**20


def excess(session, folder, seconds):
    """What a run has too much of by now, or None."""
    if seconds > RUN_SECONDS:
        return f"ended after {RUN_SECONDS} s"
    memory = sum(process.resident_mib for process in processes()
                 if process.session == session)
    if memory > MEMORY_MIB:
        return f"ended when it held {memory / 1024:.0f} GiB of memory"
    disk = folder_mib(folder)
    if disk > DISK_MIB:
        return f"ended when it had written {disk / 1024:.0f} GiB"
    return None


def user_seconds(words, environment, stdin_path, folder):
    """measure.user_seconds of a command that is ended when it takes too
    much."""
    with open(stdin_path or os.devnull, "rb") as stdin, \
            tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            words, stdin=stdin, stdout=output, stderr=subprocess.STDOUT,
            cwd=folder, env={**os.environ, **environment},
            start_new_session=True)
        begin, reason, waits, pid = time.monotonic(), None, 0, 0
        while pid == 0:
            time.sleep(WAIT_SECONDS)
            waits += 1
            if waits % LOOK_WAITS == 0 and reason is None:
                reason = excess(process.pid, folder, time.monotonic() - begin)
                if reason is not None:
                    os.killpg(process.pid, signal.SIGKILL)
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if reason is not None or status != 0:
        last = " ".join(text.strip().splitlines()[-1:])
        raise measure.Failure(reason or f"exit {process.returncode}: {last}")
    return usage.ru_utime, text


def run(peer_name, peer, words, environment, stdin, folder):
    """(user time in seconds, what it printed, a remark)"""
    output = os.path.join(folder, "peer")
    shutil.rmtree(output, ignore_errors=True)
    os.makedirs(output)
    both = {**environment, **peer.environment}
    try:
        if peer_name != LTTNG:
            return *user_seconds([*peer.prefix, *words], both, stdin,
                                 folder), ""
        with Session(folder) as session:
            if not session.is_open:
                raise measure.Failure("no session of LTTng could be opened")
            before = session.daemon_seconds()
            seconds, text = user_seconds(words, both, stdin, folder)
            lost = session.flush()
            after = session.daemon_seconds()
            return seconds + after - before, text, \
                f"{lost / 1e6:.1f} million events lost" if lost else ""
    finally:
        shutil.rmtree(output, ignore_errors=True)
