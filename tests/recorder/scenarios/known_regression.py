# SPDX-License-Identifier: Apache-2.0
"""tally check finds a leak that a real program had, and the guilty function.

leveldown 6.1.1 is 6.1.0 with one more line, which frees the key copies of
getMany(). Both come from npm, as built by their authors.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import tarfile

from harness import scenario, watchdog
from harness.scenario import equal

RELEASES = {
    "6.1.0": "8C7oJDT44JXxh04aSSsfcMI8YiaGRhOFI9/pMEL7nWJLVsWajDPTRxsSHTM2Wc"
             "TVY5nXM+SuRHzPPi0GbnDX+w==",
    "6.1.1": "88c+E+Eizn4CkQOBHwqlCJaTNEjGpaEIikn1S+cINc5E9HEvJ77bqY4JY/HxT5"
             "u0caWqsc3P3DcFIKBI1vHt+A==",
}
BINDING = "package/prebuilds/linux-x64/node.napi.glibc.node"
READER = """
'use strict'
// reader.js BINDING STORE: 200 times, ask for 100 keys at once.
const level = require(process.argv[2])
const store = level.db_init()
const keys = []
const fail = (error) => { if (error) throw error }

function read (times) {
  level.db_get_many(store, keys, { asBuffer: true }, (error, values) => {
    fail(error)
    if (values.length !== keys.length) throw new Error('values')
    if (times > 1) read(times - 1)
    else level.db_close(store, fail)
  })
}

level.db_open(store, process.argv[3], { createIfMissing: true }, (error) => {
  fail(error)
  for (let i = 0; i < 100; i++) keys.push(Buffer.from('key ' + i))
  let left = keys.length
  for (const key of keys) {
    level.db_put(store, key, Buffer.alloc(1000, 'v'), {}, (error) => {
      fail(error)
      if (--left === 0) read(200)
    })
  }
})
"""
BUDGET = """
program: node*
rules:
  - growth live <= 5 %
  - growth live "node.napi*" <= 5 %
  - growth blocks <= 5 %
  - growth live "db_put" <= 5 %
"""


def unpack(place, release):
    """Return its binding from npm."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise scenario.Skip("no npm or no node; scripts/install-deps test")
    if os.uname().machine != "x86_64":
        raise scenario.Skip("the releases are for x86-64")
    fetched = subprocess.run(
        ["npm", "pack", "--silent", "--cache", place.file("cache"),
         f"leveldown@{release}"], cwd=place.folder, capture_output=True,
        timeout=120, check=False)
    archive = place.file(f"leveldown-{release}.tgz")
    if fetched.returncode != 0 or not os.path.exists(archive):
        raise scenario.Skip(f"npm has no leveldown@{release}: "
                            f"{fetched.stderr.decode()[-200:]}")
    with open(archive, "rb") as file:
        equal("sha512", RELEASES[release], base64.b64encode(
            hashlib.sha512(file.read()).digest()).decode())
    with tarfile.open(archive) as files:
        files.extract(BINDING, place.file(release))
    return os.path.join(place.file(release), BINDING)


def record(place, name, binding):
    ledger, reader = place.file(name), place.file("reader.js")
    scenario.write_file(reader, READER)
    outcome = watchdog.run([place.recorder.tally, "record", "-q", "-o", ledger,
                            "--", "node", reader, binding,
                            place.file(f"{name}.store")])
    equal(f"status of {name}", 0, outcome.status)
    return ledger


def check(place, baseline, ledger):
    scenario.write_file(place.file("budget"), BUDGET)
    outcome = watchdog.run([place.recorder.tally, "check",
                            "--budget=" + place.file("budget"),
                            "--baseline=" + baseline, ledger])
    return outcome.status, outcome.stdout.decode()


def the_leak_is_charged_to_who_makes_it(place):
    mended = unpack(place, "6.1.1")
    baseline = record(place, "mended", mended)
    status, text = check(place, baseline, record(place, "again", mended))
    equal(f"status of the same release: {text}", 0, status)

    leaky = record(place, "leaky", unpack(place, "6.1.0"))
    status, text = check(place, baseline, leaky)
    equal(f"status of the leaky release: {text}", 1, status)
    assert text.endswith("\n1 rule kept, 3 broken\n"), text
    guilty = [line.split()[1] for line in text.splitlines()
              if line.strip().startswith("by ")]
    equal("guilty", ["db_get_many"] * 3, guilty)


scenario.main(the_leak_is_charged_to_who_makes_it)
