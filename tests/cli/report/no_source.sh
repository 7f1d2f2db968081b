# SPDX-License-Identifier: Apache-2.0
# A source must be named.
tally report
