# SPDX-License-Identifier: Apache-2.0
tally ctl --help
tally ctl --version
