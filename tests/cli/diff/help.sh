# SPDX-License-Identifier: Apache-2.0
# Help goes to standard output.
tally diff --help
tally diff --version
