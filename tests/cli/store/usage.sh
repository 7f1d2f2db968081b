# SPDX-License-Identifier: Apache-2.0
# Usage that tally store refuses before it contacts a server.
refuse() {
    tally store "$@"
    echo "status $?"
}
refuse
refuse tops
refuse top
refuse top --db=http://127.0.0.1:1
refuse top --db=clickhouse://127.0.0.1
refuse top --db="clickhouse://127.0.0.1:1/a'b"
refuse top --cluster=fleet
refuse add --by=host a.tally
refuse init --cluster="a'b"
refuse init --keep=0
refuse report --outliers
refuse top --stack=1,2
refuse top --label=zone
refuse top --label=a=1 --label=b=2
refuse top --format=xml
refuse top --last=yesterday
refuse top --last=30000d
refuse diff --since=30000d
refuse diff --from-version=1
refuse diff --since=1d --from-version=1 --to-version=2
refuse diff --since=7d --last=7d
refuse top --outliers --by=host
refuse top web
refuse top --password-file=none --db=clickhouse://127.0.0.1:1
mkdir lib && : >lib/libcurl.so.4
LD_LIBRARY_PATH=$PWD/lib tally store top --db=clickhouse://127.0.0.1:1
echo "status $?"
