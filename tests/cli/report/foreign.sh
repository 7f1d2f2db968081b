# SPDX-License-Identifier: Apache-2.0
# A file of another kind.
echo hello >a.tally
tally report a.tally
