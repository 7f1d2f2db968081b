# SPDX-License-Identifier: Apache-2.0
# Help goes to standard output.
tally check --help
tally check --version
