# SPDX-License-Identifier: Apache-2.0
"""JSON of a report or a comparison, with each stack as a list of its frames."""

import json


def calls(tables, stack):
    """Return the frames of a stack, innermost first, as docs/json.md
    describes."""
    found = []
    while stack is not None:
        frame = dict(tables["frame_table"][
            tables["stack_table"]["frame"][stack]])
        for name in ("function", "file", "module"):
            if frame[name] is not None:
                frame[name] = tables["strings"][frame[name]]
        found.append(frame)
        stack = tables["stack_table"]["callers"][stack]
    return found


def loads(text):
    report = json.loads(text)
    for rows in ("sites", "maps", "files", "threads", "stacks"):
        if "stack_table" in report and isinstance(report.get(rows), list):
            for row in report[rows]:
                row["stack"] = calls(report, row["stack"])
    return report


def load(file):
    return loads(file.read())
