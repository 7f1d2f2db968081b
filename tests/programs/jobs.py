# SPDX-License-Identifier: Apache-2.0
"""The jobs of programs.toml and matrix.toml, and one run of one of them."""

import os
import shutil
import tomllib

import inputs
from harness import watchdog

TIMEOUT_SECONDS = 90
OTHER_USER = 65534
UNPRIVILEGED = ["setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}",
                "--clear-groups"]
HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin:/usr/sbin:/sbin:/usr/games",
    "TZ": "UTC",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_AUTHOR_DATE": "1000000000 +0000",
    "GIT_COMMITTER_DATE": "1000000000 +0000",
}


def table(name):
    with open(os.path.join(HERE, name), "rb") as file:
        return tomllib.load(file)


def program(job):
    """Return the path of the program of a job, or None; `setup` makes programs
    below "."."""
    if job["command"][0].startswith("./"):
        return job["command"][0]
    return shutil.which(job["command"][0], path=ENVIRONMENT["PATH"])


def prepare(job, folder, environment):
    """Make the folder anew, with the inputs and the files of `setup`."""
    if os.path.exists(folder):
        shutil.rmtree(folder)
    os.mkdir(folder)
    inputs.write(folder)
    inputs.write_texts(folder, job.get("files", {}).items())
    if job.get("unprivileged") and os.getuid() == 0:
        os.chown(folder, OTHER_USER, OTHER_USER)
    if "setup" in job:
        made = watchdog.run(["/bin/sh", "-ec", job["setup"]], folder=folder,
                            environment=environment, timeout=TIMEOUT_SECONDS)
        assert made.status == 0, made.stderr.decode()


def run(job, command, folder, extra=None, timeout=TIMEOUT_SECONDS):
    """Run the command in a fresh folder, with the variables of `extra` and the
    job."""
    environment = ENVIRONMENT | {"HOME": folder} | (extra or {}) | \
        job.get("environment", {})
    prepare(job, folder, environment)
    stdin = b""
    if "stdin" in job:
        with open(os.path.join(folder, job["stdin"]), "rb") as file:
            stdin = file.read()
    if job.get("unprivileged") and os.getuid() == 0:
        command = [*UNPRIVILEGED, *command]
    return watchdog.run(command, folder=folder, stdin=stdin,
                        environment=environment, timeout=timeout)
