# SPDX-License-Identifier: Apache-2.0
"""A catalogue of books: write it as JSON, read it back, turn it over by word.

usage: py.py COUNT
"""
import collections
import json
import sys

WORDS = ("river", "stone", "winter", "lamp", "harbour", "salt", "orchard")


def book(number):
    title = [WORDS[number * step % 7] for step in (1, 3, 5)]
    return {
        "isbn": f"978-{number * 2654435761 % 10**9:09}",
        "title": " ".join(title) + f", volume {number % 40}",
        "authors": [{"name": WORDS[number % 5].title(), "born": 1900 + born}
                    for born in (number % 50, number % 90)],
        "price": number % 2000 / 100,
    }


catalogue = [book(number) for number in range(int(sys.argv[1]))]
text = json.dumps(catalogue, indent=1)
again = json.loads(text)
by_word = collections.defaultdict(list)
for entry in again:
    for word in entry["title"].split():
        by_word[word].append((entry["isbn"], entry["price"]))
cheapest = {word: min(entries, key=lambda entry: (entry[1], entry[0]))
            for word, entries in by_word.items()}
print(len(text), len(by_word), sorted(cheapest.items())[0])
