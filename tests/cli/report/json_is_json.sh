# SPDX-License-Identifier: Apache-2.0
# A reader of JSON agrees, whatever bytes names have.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally lossy
tally report --json a.tally |
    "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["notices"])'
