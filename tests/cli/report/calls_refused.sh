# SPDX-License-Identifier: Apache-2.0
# What watches a source, or prints the text of Linux, takes no trace.
printf '#m:0x20003240;0x600d-50\n' > t
tally allocinfo t
tally top t
echo "exit $?"
