# SPDX-License-Identifier: Apache-2.0
tally decode --help
