# SPDX-License-Identifier: Apache-2.0
# The clock of the metadata is that of the events, and fields are in the order
# of the metadata; other values of the enum are refused.
mkdir trace
cat > metadata <<'END'
/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
clock { name = mono; freq = 1000000000; offset_s = 100; };
typealias integer { size = 32; align = 8; map = clock.mono.value; } := ts_t;
trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct { ts_t timestamp; uint8_t id; }; };
enum zpl_memory_region : uint8_t { ZPL_STACK, ZPL_HEAP, ZPL_K_HEAP, ZPL_MEM_SLAB };
event { name = zpl_memory; id = 0xEE; fields := struct {
    enum zpl_memory_region memory_region; uint32_t memory_addr;
    uint32_t used; uint32_t unused; uint32_t for_thread_id; }; };
END
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=1 trace/channel0_0
try() {
    sed "$2" metadata > trace/metadata
    echo "$1:"
    tally decode trace; echo "exit $?"
    tally decode --metadata=trace/metadata trace/channel0_0 > given 2>/dev/null
    echo "exit $?, $(wc -l < given) lines"
}
try "as it is" ''
try "microseconds" 's/freq = 1000000000/freq = 1000000/'
try "a watch crystal" 's/freq = 1000000000/freq = 32768/'
try "unused first" 's/ used;/ x;/; s/unused/used/; s/ x;/ unused;/'
try "address behind" 's/memory_addr/x/; s/ used/ memory_addr/; s/ x;/ used;/'
try "id first" 's/ts_t timestamp; uint8_t id;/uint8_t id; ts_t timestamp;/'
try "other values" 's/ZPL_STACK, ZPL_HEAP/ZPL_HEAP, ZPL_STACK/'
