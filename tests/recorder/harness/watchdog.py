# SPDX-License-Identifier: Apache-2.0
"""Run a command with a timeout: no test waits for ever."""

import ctypes
import os
import resource
import signal
import subprocess
import time
from dataclasses import dataclass

PR_CAPBSET_DROP = 24
CAPABILITIES = {"ipc_lock": 14, "sys_resource": 24}


@dataclass
class Outcome:
    """The end of a command: its status as in subprocess, -N for signal N."""

    status: int
    stdout: bytes
    stderr: bytes
    seconds: float
    hung: bool = False


def clean_environment(extra=None):
    """Return the environment without variables that redirect a recording."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("TALLY_", "LD_", "MALLOC_", "GLIBC_"))
            and name not in ("NO_COLOR", "DEBUGINFOD_URLS")}
    kept["LC_ALL"] = "C"
    kept.update(extra or {})
    return kept


def limiter(limits, drop):
    """Return a function that prepares a child before it execs: no cores, and
    its own limits."""
    libc = ctypes.CDLL(None)

    def apply():
        if os.getuid() == 0:
            for name in drop:
                libc.prctl(PR_CAPBSET_DROP, CAPABILITIES[name], 0, 0, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for name, value in (limits or {}).items():
            which = getattr(resource, "RLIMIT_" + name.upper())
            hard = resource.getrlimit(which)[1]
            if hard != resource.RLIM_INFINITY:
                value = min(value, hard)
            resource.setrlimit(which, (value, hard))
    return apply


def run(command, *, timeout=60, environment=None, folder=None, limits=None,
        drop=(), stdin=b""):
    """Run `command` in a session of its own; kill all of it at `timeout`."""
    begin = time.monotonic()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=clean_environment(environment),
        cwd=folder, start_new_session=True,
        preexec_fn=limiter(limits, drop))
    try:
        out, err = process.communicate(stdin, timeout=timeout)
        hung = False
    except subprocess.TimeoutExpired:
        hung = True
        os.killpg(process.pid, signal.SIGKILL)
        try:
            out, err = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            out, err = b"", b""
    return Outcome(process.returncode, out, err, time.monotonic() - begin,
                   hung)
