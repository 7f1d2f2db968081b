# SPDX-License-Identifier: Apache-2.0
# Files of metadata are judged together, and events with strings are stepped
# over.
cat > types <<'END'
/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct { uint32_t timestamp; uint8_t id; }; };
event { name = said; id = 1; fields := struct { uint32_t a; string s; uint8_t b; }; };
END
cat > memory <<'END'
enum zpl_memory_region : uint8_t { ZPL_STACK, ZPL_HEAP, ZPL_K_HEAP, ZPL_MEM_SLAB };
event { name = zpl_memory; id = 0xEE; fields := struct {
    enum zpl_memory_region memory_region; uint32_t memory_addr;
    uint32_t used; uint32_t unused; uint32_t for_thread_id; }; };
END
for name in one "two words" ""; do
    printf '\000\000\000\000\001\002\000\000\000%s\000\003' "$name"
    "$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=1 -
done > trace
tally decode --metadata=types --metadata=memory trace
tally export --metadata=types --metadata=memory --to tef trace > tef
grep -o '"s":"[^"]*"' tef
tally decode --metadata=types trace; echo "exit $?"
tally decode --metadata=memory --metadata=types trace; echo "exit $?"
tally decode --metadata=types --metadata=gone trace; echo "exit $?"
