# SPDX-License-Identifier: Apache-2.0
"""Recording switched off and on again, block by block: blocks allocated while
it is on are counted until they are freed, at any time; blocks allocated while
it is off never are."""

from harness import scenario
from harness.scenario import equal

SHORT = "--sysctl=sysctl.vm.mem_profiling=1,compressed"
FUNCTIONS = ("take", "change")
FIGURES = ("blocks_total", "bytes_total", "blocks_live", "bytes_live")


def of(how, *options):
    def step(place):
        outcome = place.recorder.run(
            [place.victim("switched_off"), place.recorder.tally, how], options)
        equal("status", 0, outcome.status)
        report = place.recorder.report(place.recorder.ledger())
        sites = [site for site in report["sites"]
                 if any(frame["function"] in FUNCTIONS
                        for frame in site["stack"])]
        expected = dict(zip(FIGURES, map(int, outcome.stdout.split())))
        equal("recorded", expected,
              {name: sum(site[name] for site in sites) for name in FIGURES})
        equal("frees not seen", 0, report["lost"]["unseen_frees"])
    step.__name__ = "_".join((how, *options))
    return step


scenario.main(*(of(how, *options) for how in ("alone", "threads")
                for options in ((), ("--stacks=caller",), (SHORT,))))
