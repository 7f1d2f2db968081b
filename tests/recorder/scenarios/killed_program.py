# SPDX-License-Identifier: Apache-2.0
"""kill -9 during a run: the ledger is complete up to that instant."""

import os
import signal
import struct
import subprocess

from harness import scenario, watchdog
from harness.scenario import equal


def kill_in_mid_run(place, options=()):
    counts = place.file("counts")
    with open(counts, "wb") as file:
        file.write(bytes(4096))
    command = place.recorder.command(
        [place.victim("counts_until_killed"), counts], options)
    tally = subprocess.Popen(command, stdout=subprocess.PIPE,
                             env=watchdog.clean_environment())
    try:
        equal("first words", b"running\n", tally.stdout.readline())
        program = int(scenario.read_file(
            f"/proc/{tally.pid}/task/{tally.pid}/children").split()[0])
        os.kill(program, signal.SIGKILL)
        equal("how tally record ends", -signal.SIGKILL,
              tally.wait(timeout=30))
    finally:
        tally.kill()
        tally.wait()
        tally.stdout.close()
    with open(counts, "rb") as file:
        begun, done = struct.unpack("QQ", file.read(16))
    account = place.recorder.first()
    recorded = account.column("sites", "in_loop", "blocks_total")
    live = account.column("sites", "in_loop", "blocks_live")
    assert done <= recorded <= begun, \
        f"{done} done and {begun} begun, {recorded} recorded"
    # One block of each hundred stays, and one may be in progress.
    assert recorded // 100 <= live <= recorded // 100 + 1, \
        f"{live} live of {recorded}"
    equal("bytes", recorded * 64,
          account.column("sites", "in_loop", "bytes_total"))


def kill_again_and_again(place):
    for number in range(10):
        folder = place.file(str(number))
        os.mkdir(folder)
        kill_in_mid_run(scenario.Place(
            os.path.dirname(os.path.dirname(place.recorder.tally)),
            place.programs, folder))


def kill_while_each_byte_is_a_sample(place):
    kill_in_mid_run(place, ["--stacks=sampled", "--interval=1"])


scenario.main(kill_in_mid_run, kill_again_and_again,
              kill_while_each_byte_is_a_sample)
