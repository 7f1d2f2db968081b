# SPDX-License-Identifier: Apache-2.0
# A capture replaces an earlier one with --force, and never its source.
printf '#m:0x20003240;0x600d-50\n' > one
printf '#m:0x20003240;0x600d-50\n#m:0x20003280;0x600d-60\n' > two
tally capture one -o out
tally capture two -o out
echo $?
tally capture two --force -o out
echo $?
cmp two out
tally capture out -f -o out
echo $?
cmp two out
mkdir folder
tally capture one -o folder/
tally capture two -f -o folder/
echo $?
cmp folder/channel0_0 two
# ... and nothing before there is a source.
tally capture gone -f -o out
echo $?
cmp two out
