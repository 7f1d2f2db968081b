# SPDX-License-Identifier: Apache-2.0
tally top --help
tally top --version
