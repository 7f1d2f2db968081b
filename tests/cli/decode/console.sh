# SPDX-License-Identifier: Apache-2.0
# Lines among others: a shell's prompt, a log's time, thread ids in both forms,
# carriage returns, a line that is no event and one that has no end.
printf '%s\r\n' '*** Booting Zephyr OS build v4.2.0 ***' \
    'uart:~$ zpl_memory_event stack (0x20011748) 80B 432B 536936848' \
    '[00:00:01.234] <inf> zpl: zpl_memory_event heap (0x20010048) 28B 164B 0x0' \
    'zpl_memory_event stack (0x20011348) 48B 976B 0x20010310' \
    'zpl_memory_event heap (0x2001' \
    'zpl_named_event: inference (3; 4)' > console
printf 'zpl_memory_event mem_slab (0) 256B 7936B 0' >> console
tally decode console
