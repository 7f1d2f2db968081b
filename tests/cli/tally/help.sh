# SPDX-License-Identifier: Apache-2.0
tally --help
tally --version
for command in record report top diff export allocinfo ctl; do
    tally $command --version
done
tally help | diff - "$CASE_DIR/../../../tool/commands/help/tally.help"
for command in record report store; do
    tally help $command | diff - \
        "$CASE_DIR/../../../tool/commands/help/$command.help"
done
tally version
tally help reprot 2>&1
echo $?
