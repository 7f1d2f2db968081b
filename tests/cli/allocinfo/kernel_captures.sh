# SPDX-License-Identifier: Apache-2.0
# What a kernel wrote comes back to the byte, from a file and from a pipe.
for file in "$CASE_DIR"/../data/linux-*.txt; do
    tally allocinfo "$file" | cmp - "$file" && echo same
    tally allocinfo - <"$file" | cmp - "$file" && echo same
done
