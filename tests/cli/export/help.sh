# SPDX-License-Identifier: Apache-2.0
# Help goes to standard output.
tally export --help
tally export --version
