# SPDX-License-Identifier: Apache-2.0
"""Build a dictionary of records, write it as JSON, read it, sort it.

usage: records.py COUNT
"""
import json
import sys

count = int(sys.argv[1])
records = {
    f"key{i}": {
        "id": i,
        "name": "n" * (i % 37),
        "tags": [i, i + 1, str(i)],
        "weight": i * 1.5,
    }
    for i in range(count)
}
text = json.dumps(records)
again = json.loads(text)
order = sorted((str(record["id"]), key) for key, record in again.items())
print(len(text), sum(len(record["name"]) for record in again.values()),
      order[0])
