# SPDX-License-Identifier: Apache-2.0
"""What limits cost in instructions, which callgrind counts: bench/pairs.c with
the recorder preloaded is within the bounds of bench/pairs_tables.py.

usage: instructions.py PAIRS RECORDER
"""

import os
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../../bench"))
import measure  # noqa: E402
import pairs_tables  # noqa: E402

FEW, MANY = 500, 2500


def instructions(program, word, environment):
    """Return the instructions of a malloc and its free, or of a scope."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = (measure.callgrind_instructions(
            [*measure.CALLGRIND, program, word, str(count)],
            environment | {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}, None,
            folder) for count in (FEW, MANY))
    return (many - few) / (MANY - FEW)


def main(program, recorder):
    if not os.path.exists(measure.CALLGRIND[0]):
        print("SKIPPED: no valgrind; scripts/install-deps test",
              file=sys.stderr)
        return 77
    wrong = 0
    plain = instructions(program, "plain", {})
    for state, word, options, bound in pairs_tables.ROWS:
        if options is not None:
            continue
        more = instructions(program, word, {"LD_PRELOAD": recorder})
        more -= 0 if word == "scopes" else plain
        print(f"{state}: {more:.1f} of {bound}")
        # a block in so many takes the slow path
        wrong += more > bound + 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
