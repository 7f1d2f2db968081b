# SPDX-License-Identifier: Apache-2.0
# A desktop's browser is led to the page by a file that is for its user alone.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
mkdir bin
cat >bin/xdg-open <<'END'
#!/bin/sh
echo "$*" >opened
END
chmod +x bin/xdg-open
mkfifo address opened
DISPLAY=:0 XDG_RUNTIME_DIR=$PWD PATH=$PWD/bin:$PATH tally view a.tally >address &
server=$!
read -r url <address
read -r file <opened
echo "$file" | sed "s|$PWD|FOLDER|; s|[^-]*\.html|NAME.html|"
stat -c %A "$file"
sed "s|$url|ADDRESS|" "$file"
kill $server
wait $server
ls "$file" 2>&1 | grep -c 'No such file'
