# SPDX-License-Identifier: Apache-2.0
# What watches a source takes no trace.
printf '#m:0x20003240;0x600d-50\n' > t
tally top t
echo "exit $?"
