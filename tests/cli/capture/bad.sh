# SPDX-License-Identifier: Apache-2.0
# Usage, sources and files. A capture without events leaves no file.
echo words > words
for arguments in "" "words" "-o out" "words words -o out" "gone -o out" \
    "words -o words" "words -o gone/out" ". -o out" "tcp:host -o out" \
    "tcp:127.0.0.1:1 --wait=1 -o out" "listen:127.0.0.1:x -o out" "tcp:127.0.0.1:99999 -o out" \
    "/dev/null:9600 -o out" "words --wait=x -o out" "words --seconds= -o out" \
    "words --enable -o out" "- --enable -o out" "words --what -o out"; do
    tally capture $arguments
    echo "$arguments: $?"
    rm -f out
done
ls; cat words
