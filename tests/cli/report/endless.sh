# SPDX-License-Identifier: Apache-2.0
# An endless file is refused at its beginning.
tally report /dev/zero
