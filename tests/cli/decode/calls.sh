# SPDX-License-Identifier: Apache-2.0
# Lines of mem_trace come out to the byte, whatever a console shows beside them,
# and those of ZPL with them, in their order.
printf 'Booting...\r\n#m:0x20003240;0x600d-50\r\n' > calls.txt
printf 'app> zpl_memory_event heap (0x20010048) 28B 164B 0\n' >> calls.txt
printf '\033[32m#r:0x20003300;0x6011-0x20003240;80\033[0m\n\0\n' >> calls.txt
printf '[3] #c:0x20003400;0x6021-25;10 #m:(nil);6021-9\n' >> calls.txt
printf '#f:0x0;0x602F-0x20003240' >> calls.txt
tally decode calls.txt
echo "--- again"
tally decode calls.txt | tally decode -
