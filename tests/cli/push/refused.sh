# SPDX-License-Identifier: Apache-2.0
#
# A source that cannot be sent, or has no receiver, is refused before any
# request; nothing is left behind.

to=--to=http://127.0.0.1:9/ingest
: >empty
mkdir open
chmod 777 open

tally push nginx
tally push "$to"
tally push --to=ftp://host/ a
tally push --to=host:4040 a
tally push "$to#part" a
tally push --to=http://me:secret@host/ingest a
tally push "$to" --every=0.5 a
tally push "$to" --every=often a
tally push "$to" --spool-size=much a
tally push "$to" --label=zone a
tally push "$to" --label=zone=a,b a
tally push "$to" --label='in zone=a' a
tally push "$to" --label=zone= a
tally push "$to" --label=pid=1 a
tally push "$to" --headers=none ./empty
tally push "$to" --spool=none/folder ./empty
tally push "$to" --spool=empty ./empty
tally push "$to" --spool=open ./empty
tally push "$to" ./none
tally push "$to" ./empty
tally push "$to" 999999999
echo $?
ls
