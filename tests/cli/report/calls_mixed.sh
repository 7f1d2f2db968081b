# SPDX-License-Identifier: Apache-2.0
# A console with lines of mem_trace and of ZPL shows both.
printf 'boot\r\n#m:0x20003240;0x600d-50\r\n' > t
printf 'zpl_memory_event heap (0x20010048) 28B 164B 0\r\n' >> t
printf 'zpl_memory_event heap (0x20010048) 92B 100B 0\r\n' >> t
tally report t
echo "--- regions alone"
tally report --regions t
tally report --json t | "$PYTHON" -c '
import json, sys
report = json.load(sys.stdin)
print([(region["region"], region["used"]) for region in report["regions"]],
      report["totals"]["leaked_bytes"])'
