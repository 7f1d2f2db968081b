# SPDX-License-Identifier: Apache-2.0
tally decode - < "$CASE_DIR/../data/zpl-sample.txt" | tail -n 1
head -n 3 "$CASE_DIR/../data/zpl-sample.txt" | tally decode - | tail -n 1
