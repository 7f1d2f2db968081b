# SPDX-License-Identifier: Apache-2.0
tally record --version
tally record -V
