# SPDX-License-Identifier: Apache-2.0
# A report far down: a file is looked through whole, a pipe for 4 MiB.
{
    yes '[   75.301340] usb 1-1: new high-speed USB device number 2' |
        head -n 90000
    echo '[   75.301341] Memory allocations:'
    echo '[   75.301341]         336 B        7 kernel/fork.c:1 func:dup'
    yes '[   75.301342] usb 1-1: new high-speed USB device number 2' |
        head -n 90000
} >log
tally allocinfo log
cat log | tally allocinfo -
tail -n 120000 log | tally allocinfo -
