# SPDX-License-Identifier: Apache-2.0
# A folder with the metadata that Zephyr ships, among other events; two streams
# come in the order of their times.
mkdir trace
cat > trace/metadata <<'END'
/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
struct event_header { uint32_t timestamp; uint8_t id; };
trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct event_header; };
event { name = thread_ready; id = 0x16; fields := struct { uint32_t id; }; };
enum zpl_memory_region : uint8_t { ZPL_STACK, ZPL_HEAP, ZPL_K_HEAP, ZPL_MEM_SLAB };
event {
    name = zpl_memory;
    id = 0xEE;
    fields := struct {
        enum zpl_memory_region memory_region;
        uint32_t memory_addr;
        uint32_t used;
        uint32_t unused;
        uint32_t for_thread_id;
    };
};
END
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=2 trace/channel0_0
printf '\000\000\000\000\026\001\000\000\000' > trace/channel0_1
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=1 --step=2 - >> trace/channel0_1
tally decode trace
rm trace/channel0_0 trace/channel0_1
tally decode trace; echo "exit $?"
echo 'event { name = zpl_memory' > trace/metadata
echo > trace/channel0_0
tally decode trace; echo "exit $?"
