# SPDX-License-Identifier: Apache-2.0
tally; echo $?
tally recor; echo $?
tally --bogus; echo $?
tally --help > /dev/full; echo $?
escape=$(printf '\033[31m')
tally report "--x${escape}red"; echo $?
tally report --help=x; echo $?
tally report --full -zq; echo $?
