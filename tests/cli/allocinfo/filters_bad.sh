# SPDX-License-Identifier: Apache-2.0
# Refused filters.
for option in --line=x --line= --min-size=-1 --max-size=18446744073709551616 \
    "--min-size=2 --max-size=1"; do
    tally allocinfo $option "$CASE_DIR/../data/linux-7.3.4-boot.txt"
    echo $?
done
