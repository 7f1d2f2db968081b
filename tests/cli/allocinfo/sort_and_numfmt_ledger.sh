# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Read the text with the commands in Linux's documentation, for a program of
# many call sites.
tally record -q -o a.tally -- "$PYTHON" -c ''
tally allocinfo a.tally | sort -g | tail | numfmt --to=iec |
    grep -cE '^ +[0-9.]+[KM]? +[0-9]+ [^ ]+:[0-9]+ (\[[^ ]+\] )?func:[^ ]+ $'
