# SPDX-License-Identifier: Apache-2.0
# A folder.
tally report .
