# SPDX-License-Identifier: Apache-2.0
# One source at a time.
tally report a b
