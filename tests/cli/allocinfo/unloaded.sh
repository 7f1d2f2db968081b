# SPDX-License-Identifier: Apache-2.0
# Rows of objects that are gone are marked; one that came back is not gone.
$PYTHON $CASE_DIR/../make_ledger.py a.tally reloaded
tally allocinfo --format=2.0 a.tally
tally allocinfo --format=2.0 --sum a.tally | grep -c unloaded:yes
tally allocinfo a.tally | grep -c unloaded:yes
tally report --json a.tally | grep -oE '"(unloaded|address)".*[^}]'
