# SPDX-License-Identifier: Apache-2.0
# The picture has a plot of what is live, besides those of regions.
printf '#m:0x20003240;0x600d-50\n#f:0x0;0x602f-0x20003240\n' > t
tally report --svg t | grep -c '<g '
tally report --svg t | grep -o 'as its calls tell' | head -n 1
printf 'zpl_memory_event heap (0x20010048) 28B 164B 0\r\n' >> t
tally report --svg t | grep -c '<g '
tally report --svg t > out && "$PYTHON" -c '
import xml.dom.minidom
xml.dom.minidom.parse("out")'
