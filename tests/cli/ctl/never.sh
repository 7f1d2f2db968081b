# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# never cannot be undone.
mkfifo in
tally record -q -o x.tally --sysctl vm.mem_profiling=never -- \
    /bin/sh -c 'echo > ready; read line' < in &
exec 8> in
while ! test -e ready; do sleep 0.1; done
tally ctl $! vm.mem_profiling
tally ctl $! vm.mem_profiling=1 2>&1 | sed 's/[0-9][0-9]*/PID/'
tally ctl $! vm.mem_profiling=1 2> /dev/null; echo $?
echo >&8
wait
