# SPDX-License-Identifier: Apache-2.0
# Growth of a kernel under load, the largest first.
cp "$CASE_DIR"/../data/*.txt .
tally diff --top=4 linux-7.3.4-boot.txt linux-7.3.4-load.txt
tally diff --top=2 linux-7.3.4-load.txt linux-7.3.4-boot.txt | sed -n 3,8p
