# SPDX-License-Identifier: Apache-2.0
# Received events are shown before more arrive, however small the pieces are.
cat > live.py <<'END'
import os
import subprocess
import sys

trace = open("trace", "rb").read()
process = subprocess.Popen([os.environ["TALLY"], "decode", "-"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
process.stdin.write(trace)
process.stdin.flush()
for _ in range(40):
    line = process.stdout.readline()
print(line.decode(), end="")
for byte in trace[:22]:
    process.stdin.write(bytes([byte]))
    process.stdin.flush()
print(process.stdout.readline().decode(), end="")
process.stdin.close()
print(process.wait())
END
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=10 trace
"$PYTHON" live.py
