# SPDX-License-Identifier: Apache-2.0
# A console may show much before the first call; but not without an end.
i=0
while [ $i -lt 5000 ]; do echo "line $i of what a device shows at its start"; i=$((i + 1)); done > t
printf '#m:0x20003240;0x600d-50\n' >> t
tally report t | head -n 1
tally report - < t | head -n 1
yes | tally report -
true
