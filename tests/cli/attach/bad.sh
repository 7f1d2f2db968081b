# SPDX-License-Identifier: Apache-2.0
# No process, a process that cannot be attached to, or no option: one line and
# status 2.
try() {
    tally "$@" 2>&1 | sed "s/\b$$\b/PID/g"
}
tally attach; echo $?
tally attach 1 2; echo $?
tally attach x; echo $?
tally attach -1; echo $?
tally attach 4194305; echo $?
tally attach --other 1; echo $?
tally attach --stacks=some 1; echo $?
tally attach --wait=first 1; echo $?
tally attach --rate=0.5 1; echo $?
tally attach --trace=x --events=y 1; echo $?
tally attach -p 4194305; echo $?
tally attach -p 1 2; echo $?
tally detach; echo $?
tally detach 1 2; echo $?
tally detach x; echo $?
tally detach 4194305; echo $?
tally detach --force 1; echo $?
try detach $$
ls
