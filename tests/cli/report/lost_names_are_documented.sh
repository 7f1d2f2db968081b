# SPDX-License-Identifier: Apache-2.0
# Every counter that scripts see is in the document, and no other.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
document=$CASE_DIR/../../../docs/ledger-format.md
tally report --json a.tally |
    sed -n '/"lost": {/,/}/s/^    "\([a-z_]*\)":.*/\1/p' >printed
sed -n '/^### Counts/,/^## /s/^| [0-9]* | \([a-z_]*\) |.*/\1/p' "$document" \
    >documented
diff documented printed && echo same
