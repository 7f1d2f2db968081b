# SPDX-License-Identifier: Apache-2.0
tally snapshot; echo $?
tally snapshot 1 2; echo $?
tally snapshot x; echo $?
tally snapshot --other 1; echo $?
tally snapshot -o bad 4194305; echo $?
tally snapshot -o . $$; echo $?
tally snapshot -o bad $$ 2>&1 | sed 's/[0-9][0-9]*/PID/'
ls
