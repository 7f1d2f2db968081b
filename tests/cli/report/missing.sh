# SPDX-License-Identifier: Apache-2.0
# No such file.
tally report nowhere.tally
