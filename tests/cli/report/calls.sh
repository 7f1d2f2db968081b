# SPDX-License-Identifier: Apache-2.0
# The example of Mbed OS: one allocation of 50 bytes, freed.
printf '#m:0x20003240;0x600d-50\n#f:0x0;0x602f-0x20003240\n' | tally report -
