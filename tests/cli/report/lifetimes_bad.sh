# SPDX-License-Identifier: Apache-2.0
# Only samples tell lifetimes, and a variance is a number.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally report --lifetimes a.tally
echo $?
tally report --lifetimes --leaks a.tally
echo $?
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally sampled
"$PYTHON" - <<'END'
import struct
content = bytearray(open("b.tally", "rb").read())
for entry in range(4096, 65536, 32):
    kind, index, offset = struct.unpack_from("<IIQ", content, entry)
    if kind == 10:
        struct.pack_into("<d", content, offset + 768 + 40, float("nan"))
        open("b.tally", "wb").write(content)
        print(offset + 768)
END
tally report b.tally
echo $?
