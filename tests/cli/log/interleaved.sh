# SPDX-License-Identifier: Apache-2.0
# Other processors go on talking while a kernel reports: rows behind that count.
cat >log <<'END'
[   75.301330] lowmem_reserve[]: 0 0 0 0
[   75.301337] Memory allocations (profiling is currently turned on):
[   75.301338]      11.0 MiB     2816 mm/slub.c:3061 func:alloc_slab_page
[   75.301339] usb 1-1: new high-speed USB device number 2
[   75.301340]      4.05 KiB        3 fs/a b.c:7 [ext4] func:f

[   75.301341] leak.c:9 module leak func:g has 1792 allocated at module unload
[   75.301342]         336 B        7 kernel/fork.c:1 func:dup
[   75.301400] Out of memory: Killed process 1 (python3) total-vm:8 kB
[   75.301401] oom_reaper: reaped process 1
END
tally allocinfo log
tally report log
# None between rows, none to tell of.
sed -i '4d;6,7d' log
tally allocinfo --file='fs/*' log
