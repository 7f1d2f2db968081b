# SPDX-License-Identifier: Apache-2.0
# An unknown option is one line and no guess.
tally report --frobnicate a.tally
