# SPDX-License-Identifier: Apache-2.0
# A file of a line for each block is refused before it fills the disk.
echo '1 9223372036854775807 a.c:1 func:f ' >kernel.txt
tally export --to heaptrack kernel.txt -o out.gz
echo "status $?"
ls out.gz
echo '1 200000001 a.c:1 func:f ' >kernel.txt
tally export --to heaptrack kernel.txt -o out.gz
echo "status $?"
