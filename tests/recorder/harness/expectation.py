# SPDX-License-Identifier: Apache-2.0
"""The expectations of NAME.expect: how to run a victim, and what its ledger
holds.

One statement a line, words apart by blanks, $1 stands for the victim's
argument:

    exit 3 | signal 11 | any_end   the program's end (exit 0)
    limit as 2000000000            a resource limit, by its name
    drop ipc_lock                  run without this capability
    record --follow=none           an option of tally record
    env NAME=VALUE
    counts_itself                  the victim prints such statements
    allocations 10                 also frees, bytes_allocated, leaked_blocks,
                                   leaked_bytes, bytes_inherited, ...
    allocations_and_lost 10        sum of recorded and lost allocations
    lost.failed_allocations 2      an unnamed counter must be 0,
    counts_unnamed no              unless this permits any value
    may_count raw_map_calls        this counter may have any value
    notice own_allocator 1         an unnamed notice must not be given
    site FUNCTION COLUMN N ...     sum over the rows of this function; COLUMN
                                   "rows" is their number
    map FUNCTION COLUMN N ...
    file FUNCTION COLUMN N ...
    thread FUNCTION COLUMN N ...   stacks of threads
    stack N FUNCTION ...           blocks ever allocated by this whole stack,
                                   innermost first, without libc's callers of
                                   main and threads; - is any function
    map_stack N M FUNCTION ...     pieces and bytes of live mappings of a stack
    children images 3              ledgers in FILE.d
    children STATEMENT             summed over the ledgers in FILE.d
"""

KINDS = {"site": "sites", "map": "maps", "file": "files", "thread": "threads"}


class Expectation:
    """The parsed file."""

    def __init__(self, path, argument):
        self.status = 0
        self.limits = {}
        self.drop = []
        self.options = []
        self.environment = {}
        self.counts_itself = False
        self.unnamed = True
        self.uncounted = set()
        self.first = []
        self.children = []
        self.images = None
        with open(path, encoding="utf-8") as file:
            self.read_text(file.read().replace("$1", argument or ""))

    def read_text(self, text):
        for words in map(str.split, text.splitlines()):
            if words:
                self.read(words)

    def read(self, words):
        name, rest = words[0], words[1:]
        if name == "any_end":
            self.status = None
        elif name == "counts_unnamed":
            self.unnamed = rest[0] != "no"
        elif name == "may_count":
            self.uncounted.update(rest)
        elif name == "exit":
            self.status = int(rest[0])
        elif name == "signal":
            self.status = -int(rest[0])
        elif name == "limit":
            self.limits[rest[0]] = int(rest[1])
        elif name == "drop":
            self.drop += rest
        elif name == "record":
            self.options += rest
        elif name == "env":
            key, value = rest[0].split("=", 1)
            self.environment[key] = value
        elif name == "counts_itself":
            self.counts_itself = True
        elif name == "children" and rest[0] == "images":
            self.images = int(rest[1])
        elif name == "children":
            self.children.append(rest)
        else:
            self.first.append(words)

    def problems(self, account, statements):
        """Yield each statement that the recording contradicts."""
        for words in statements:
            for what, expected, found in compare(account, words):
                if expected != found:
                    yield f"{what}: expected {expected}, recorded {found}"
        for row in account.negative_rows():
            yield f"less than nothing is live: {row}"
        named = {words[0][len("lost."):] for words in statements
                 if words[0].startswith("lost.")}
        for name in sorted(account.lost_names() - named -
                           self.uncounted):
            if self.unnamed and account.lost(name) != 0:
                yield f"lost.{name}: expected 0, " \
                    f"recorded {account.lost(name)}"
        noted = {words[1] for words in statements if words[0] == "notice"}
        for code, times in account.notices().items():
            if code not in noted:
                yield f"notice {code}: expected none, recorded {times}"

    def check(self, account):
        return self.problems(account, self.first)

    def check_children(self, account):
        return self.problems(account, self.children)


def compare(account, words):
    """Yield what one statement names, its expected value and the found one."""
    name = words[0]
    if name in KINDS:
        function = words[1]
        for column, value in zip(words[2::2], words[3::2]):
            yield (f"{name} {function} {column}", int(value),
                   account.column(KINDS[name], function, column))
    elif name == "stack":
        yield (f"stack {' '.join(words[2:])}"[:200], int(words[1]),
               account.stack_blocks(words[2:]))
    elif name == "map_stack":
        for column, value in zip(("blocks_live", "bytes_live"), words[1:3]):
            yield (f"{column} of {' '.join(words[3:])}", int(value),
                   account.map_stack(words[3:], column))
    elif name == "notice":
        yield (f"notice {words[1]}", int(words[2]),
               account.notices().get(words[1], 0))
    elif name == "allocations_and_lost":
        yield (name, int(words[1]), account.total("allocations") +
               account.lost("lost_allocations"))
    elif name.startswith("lost."):
        yield name, int(words[1]), account.lost(name[len("lost."):])
    else:
        yield name, int(words[1]), account.total(name)
