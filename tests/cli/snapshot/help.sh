# SPDX-License-Identifier: Apache-2.0
tally snapshot --help
tally snapshot --version
