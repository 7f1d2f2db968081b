# SPDX-License-Identifier: Apache-2.0
# A trace like Zephelin's converter writes it, computed by hand. The main thread
# is searched in the whole trace, and is that of events before any switch.
# Operators of TFLite Micro have two indexes after their names; those of TVM
# lose the prefix of each function. An event without fields has no arguments. In
# a pipe the event that names the main thread gives it.
"$PYTHON" - > trace <<'EOF'
import struct, sys

MAIN, WORKER = 536871400, 536871600


def event(us, ident, form="", *fields):
    payload = struct.pack("<" + form, *fields)
    stream = 0x100 <= ident <= 0x103  # Zephyr has these numbers in stream 0
    sys.stdout.buffer.write(struct.pack(
        "<HHQH", stream, 8 * (14 + len(payload)), 5000000000 + 1000 * us,
        ident) + payload)


event(0, 0x62, "20sII", b"counter_value", 7, 0)
event(10, 0x1B)
event(20, 0x1C)
event(30, 0x106, "BIIII", 1, 0x20001000, 10, 20, 0)
event(40, 0x19, "I20sII", WORKER, b"worker", 536890000, 512)
event(50, 0x19, "I20sII", MAIN, b"main", 536886064, 1024)
event(60, 0x100, "BIHHH8sII", 0, MAIN, 0, 0, 8, b"CONV_2D", 100, 200)
event(70, 0x101, "BIHHH8sII", 0, MAIN, 0, 0, 8, b"CONV_2D", 100, 200)
tag = b"tvmgen_default_fused_add_12"
event(80, 0x102, "BIBH32s", 1, MAIN, 3, 32, tag)
event(90, 0x103, "BIBH32s", 1, MAIN, 3, 32, tag)
event(100, 0x108, "Hff", 2, 25.5, 0.1)
event(110, 0x11, "I20s", WORKER, b"worker")
event(120, 0x62, "20sII", b"counter_value", 8, 0)
EOF
tally export --to tef trace
echo "of a pipe:"
cat trace | tally export --to tef - | cut -d , -f 1,4,6 | sed -n 3,12p
