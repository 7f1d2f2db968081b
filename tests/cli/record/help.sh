# SPDX-License-Identifier: Apache-2.0
tally record --help
