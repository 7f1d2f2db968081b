# SPDX-License-Identifier: Apache-2.0
# Lines that are cut or damaged are skipped and counted; what follows is read.
printf '#m:0x2000\n#m:0x20003240;0x600d-50\n0003240;0x600d-50\n' > t
printf '#m:0x20003240;0x600d-5#f:0x0;0x602f-0x20003240\n#c:0x1;0x2-3\n' >> t
tally decode t
