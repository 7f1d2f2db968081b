# SPDX-License-Identifier: Apache-2.0
for option in --bogus -x -o --follow=some --stacks=every --sysctl=1 \
    --sysctl=vm.mem_profiling=2 --sysctl=vm.mem_profiling=1,foo \
    --sysctl=vm.mem_profiling= --output; do
    tally record $option
    echo "$option: $?"
done
TALLY_SYSCTL=nonsense tally record -- /bin/echo no
echo "TALLY_SYSCTL: $?"
tally record
echo "nothing: $?"
