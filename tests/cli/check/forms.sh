# SPDX-License-Identifier: Apache-2.0
# Every form, of names that would break out of it.
"$PYTHON" "$CASE_DIR/forms.py" a.tally b.yaml
for form in text markdown github junit json; do
    echo "-- $form"
    tally check --budget=b.yaml --format=$form a.tally | tee out.$form
done
tally check --budget=b.yaml --format=junit a.tally >out.xml
"$PYTHON" - <<'END'
import json
import re
import xml.etree.ElementTree as tree

suite = tree.parse("out.xml").getroot()[0]
print(suite.attrib, [case.attrib["name"] for case in suite])
print([len(case.findall("failure")) for case in suite])
print(json.load(open("out.json"))["results"][1]["program"])
lines = open("out.markdown").read().splitlines()
print(lines[0], {len(re.findall(r"\|", line)) for line in lines[3:]})
print([line[:8] for line in open("out.github").read().splitlines()])
END
