# SPDX-License-Identifier: Apache-2.0
# By name where there is one, else by address. A new build has moved everything.
cat > before.txt <<'END'
zpl_memory_event stack (0x1000) 100B 900B 1
zpl_memory_event heap (0x2000) 50B 50B 0
zpl_memory_event heap (0x2000) 10B 90B 0
zpl_memory_event mem_slab (0x3000) 64B 64B 0
zpl_memory_event mem_slab (0x4000) 32B 0B 0
zpl_memory_event k_heap (0x5000) 7B 1B 0
END
cat > after.txt <<'END'
zpl_memory_event stack (0x1800) 300B 700B 1
zpl_memory_event heap (0x2800) 80B 20B 0
zpl_memory_event heap (0x2800) 20B 80B 0
zpl_memory_event mem_slab (0x3000) 64B 64B 0
zpl_memory_event mem_slab (0x4800) 32B 0B 0
zpl_memory_event k_heap (0x5000) 3B 5B 0
END
tally diff before.txt after.txt
"$PYTHON" "$CASE_DIR/../make_elf.py" 32 before.elf main_stack@0x1000+1000 \
    heap@0x2000+24 slab@0x4000+28
"$PYTHON" "$CASE_DIR/../make_elf.py" 64 after.elf main_stack@0x1800+1000 \
    heap@0x2800+24 slab@0x4800+28
tally diff --elf=before.elf --elf=after.elf before.txt after.txt
tally diff before.txt before.txt
