# SPDX-License-Identifier: Apache-2.0
tally --help
tally --version
for command in record report top diff export allocinfo ctl; do
    tally $command --version
done
