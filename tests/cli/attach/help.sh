# SPDX-License-Identifier: Apache-2.0
tally attach --help
tally attach --version
tally detach --help
tally detach --version
