# SPDX-License-Identifier: Apache-2.0
# A file or a trace that an earlier export wrote gives way with --force.
cp "$CASE_DIR/../data/linux-7.3.4-boot.txt" kernel
try() {
    tally export "$@"
    echo "$*: $?"
}
try --to folded -o out kernel
cp out first
try --to folded -o out kernel
try --to folded -f -o out kernel
cmp out first
tally export --to folded --force -o - kernel | cmp - first
try --to folded --force -o kernel kernel
mkdir folder
echo mine > folder/thesis
try --to folded --force -o folder kernel
try --to folded --force -o /dev/null kernel
ls folder
cmp kernel "$CASE_DIR/../data/linux-7.3.4-boot.txt"
