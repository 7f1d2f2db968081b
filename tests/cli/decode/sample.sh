# SPDX-License-Identifier: Apache-2.0
# The lines of ZPL's manual come out as they went in.
tally decode "$CASE_DIR/../data/zpl-sample.txt"
