# SPDX-License-Identifier: Apache-2.0
# An unknown option is one line.
tally allocinfo --top=1 a.tally
