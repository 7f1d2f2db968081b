# SPDX-License-Identifier: Apache-2.0
"""A root of the file system without /usr/lib/debug.

Each report would unpack the debug information of libc (libc6-dbg is there for
gdb and Valgrind): ten times the cost of the rest. The victims contain their
own.
"""

import os
import tempfile


def link_entries(source, place, hidden):
    os.mkdir(place)
    for name in os.listdir(source):
        if name != hidden:
            os.symlink(os.path.join(source, name), os.path.join(place, name))


def plain_root(build):
    """Return the folder for --sysroot in the build tree; make it at the first
    use."""
    root = os.path.join(build, "plain_root")
    if not os.path.isdir(root):
        made = tempfile.mkdtemp(dir=build)
        new = os.path.join(made, "root")
        link_entries("/", new, "usr")
        link_entries("/usr", os.path.join(new, "usr"), "lib")
        link_entries("/usr/lib", os.path.join(new, "usr", "lib"), "debug")
        try:
            os.rename(new, root)
        except OSError:  # another test was faster; what it made is the same
            pass
    return root
