# SPDX-License-Identifier: Apache-2.0
"""Check documents against docs/json, and docs/json against documents.

A schema permits unknown members, as scripts should; here they are refused, so
that each is documented.
"""

import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.realpath(__file__ + "/../.."))
import make_ledger  # noqa: E402

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("SKIPPED: no python3-jsonschema; scripts/install-deps test",
          file=sys.stderr)
    sys.exit(77)

CALLS = "#m:0x1000;0x600d-50\n#r:0x2000;0x6011-0x1000;80\n#m:0x0;0x600d-9\n"
REGIONS = "zpl_memory_event heap (0x2000) 10B 90B 0\n"
BUDGET = "rules: [peak <= 1 KiB, leaks = 0, growth live <= 1 %, live q < 1]\n"
OF_LEDGERS = {
    "--regions": {"regions"}, "--lifetimes": {"sampled", "sampled_whole"},
    "--all": {"plain"}, "--resident": {"residency"}, "--at=0.5s": {"history"},
}
FOLDER = os.path.realpath(__file__ + "/../../../../docs/json")


def closed(schema):
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(member) for name, member in schema.items()}
    if isinstance(schema.get("properties"), dict):
        found["additionalProperties"] = False
    return found


def validators(command):
    with open(f"{FOLDER}/{command}.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema), Draft202012Validator(closed(schema))


def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


class Checks:
    """Check tally's output by its schema; return the number of documents."""

    def __init__(self):
        self.schemas = {name: validators(name)
                        for name in ("report", "diff", "check")}
        self.counts = collections.Counter()

    def hold(self, schema, *command):
        done = subprocess.run(["tally", *command], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        if not done.stdout:
            print(command, done.stderr.decode())
            return None
        document = json.loads(done.stdout)
        for validator in self.schemas[schema]:
            for error in validator.iter_errors(document):
                for cause in [error, *(error.context or [])]:
                    print(command, cause.json_path, cause.message[:200])
        self.counts[schema] += 1
        return document

    def refuse(self, schema, document, **changes):
        """Test that unknown members pass, and changed meanings do not."""
        if self.schemas[schema][0].is_valid({**document, **changes}):
            print(schema, "accepts", changes)
        if not self.schemas[schema][0].is_valid({**document, "more": 1}):
            print(schema, "accepts no more members")


def reports(checks):
    for name, scenario in make_ledger.SCENARIOS.items():
        with open(name, "wb") as file:
            file.write(scenario().to_bytes())
        options = [option for option, names in OF_LEDGERS.items()
                   if name in names]
        for words in [], *([option] for option in options):
            report = checks.hold("report", "report", "--json", *words, name)
    checks.hold("report", "report", "--json", "--since=stacks", "stacks")
    for name in "kernel", "calls", "zpl":
        checks.hold("report", "report", "--json", name)
    checks.refuse("report", report, version=2)
    checks.refuse("report", report, sites=[{"bytes_live": 1}])


def main():
    checks = Checks()
    os.symlink(os.path.realpath(
        __file__ + "/../../data/linux-7.3.4-boot.txt"), "kernel")
    write("calls", CALLS)
    write("zpl", REGIONS)
    write("budget", BUDGET)
    reports(checks)
    for before, after in (("plain", "other"), ("stacks", "stacks_later"),
                          ("stacks", "sampled"), ("kernel", "plain"),
                          ("zpl", "zpl")):
        found = checks.hold("diff", "diff", "--json", before, after)
    checks.hold("diff", "report", "--json", "--between=0.25s,end", "history")
    checks.refuse("diff", found, lossy=0)
    for ledger in "plain", "stacks", "sampled":
        found = checks.hold("check", "check", "--json", "--budget=budget",
                            ledger)
    checks.refuse("check", found, results=[{}])
    print(dict(checks.counts))


if __name__ == "__main__":
    main()
