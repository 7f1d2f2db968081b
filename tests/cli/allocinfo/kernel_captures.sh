# SPDX-License-Identifier: Apache-2.0
# A kernel's text is written back unchanged, from a file and from a pipe.
for file in "$CASE_DIR"/../data/linux-*.txt; do
    tally allocinfo "$file" | cmp - "$file" && echo same
    tally allocinfo - <"$file" | cmp - "$file" && echo same
done
