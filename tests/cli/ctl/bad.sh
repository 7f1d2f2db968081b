# SPDX-License-Identifier: Apache-2.0
tally ctl; echo $?
tally ctl 1; echo $?
tally ctl x vm.mem_profiling; echo $?
tally ctl 1x vm.mem_profiling; echo $?
tally ctl 0 vm.mem_profiling; echo $?
tally ctl 99999999999999999999 vm.mem_profiling; echo $?
tally ctl 4194305 vm.mem_profiling; echo $?
tally ctl 1 vm.other; echo $?
tally ctl 1 vm.mem_profiling=never; echo $?
tally ctl 1 vm.mem_profiling=; echo $?
tally ctl --other; echo $?
tally ctl $$ vm.mem_profiling 2>&1 | sed 's/[0-9][0-9]*/PID/'
TALLY_SESSION=/etc/passwd:0123456789abcdef sleep 60 & pid=$!
TALLY_SESSION=/proc/self/fd/0:0123456789abcdef sleep 60 & other=$!
while ! grep -q sleep /proc/$pid/comm || ! grep -q sleep /proc/$other/comm; do
    sleep 0.1
done
tally ctl $pid vm.mem_profiling 2>&1 | sed 's/[0-9][0-9]*/PID/'
tally ctl $other vm.mem_profiling 2>&1 | sed 's/[0-9][0-9]*/PID/'
kill $pid $other
