# SPDX-License-Identifier: Apache-2.0
# An empty file.
: >a.tally
tally report a.tally
