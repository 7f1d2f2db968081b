#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Write allocinfo texts that no program writes, each to a file.

usage: odd_texts.py refused|taken

Each differs in one thing from a correct text.
"""

import sys

ONE = "allocinfo - version: 1.0\n#     <size>  <calls> <tag info>\n"
TWO = ONE.replace("1.0", "2.0")
ROW = "           1        1 a.c:1 func:f \n"


def row(before, after):
    return ROW.replace(before, after)


def with_numbers(size, calls):
    return ONE + f"{size} {calls} a.c:1 func:f \n"


REFUSED = {
    "title_cut": ONE[:15],
    "version_3": ONE.replace("1.0", "3.0"),
    "version_1.1": ONE.replace("1.0", "1.1"),
    "version_10": ONE.replace("1.0", "10.0"),
    "two_last_spaces": ONE + row(" \n", "  \n"),
    "empty_line": ONE + "\n" + ROW,
    "nul_in_a_name": ONE + row("a.c", "a\0c"),
    "escape_in_a_name": ONE + row("a.c", "\033[31ma.c"),
    "tab": ONE + row(" func", "\tfunc"),
    "two_spaces": ONE + row(" func", "  func"),
    "plus": with_numbers("+1", "1"),
    "two_signs": with_numbers("--1", "1"),
    "hexadecimal": with_numbers("0x1", "1"),
    "unknown_unit": with_numbers("1Q", "1"),
    "two_units": with_numbers("1KK", "1"),
    "unit_apart": with_numbers("1 K", "1"),
    "unit_of_calls": with_numbers("1K", "1K"),
    "fraction_without_end": with_numbers("1.K", "1"),
    "long_fraction": with_numbers("1.1234K", "1"),
    "rounded_2_63": with_numbers("8.0E", "1"),
    "some_prefixes": ONE + ROW + "a:" + ROW,
    "prefixes_of_some": "a:" + ROW + ROW,
    "prompt_between_rows": ONE + ROW + "root@host:~# ls\n" + ROW,
    "prompt_behind_the_heading": ONE + "$ ls\n" + ROW,
    "blank_between_rows": ONE + ROW + "\n" + ROW,
    "words_behind": ONE + ROW + "and more\n",
    "second_line_cut": "a.c:1 func:f \na.c:1 func:f \n" + ROW,
    "star": with_numbers("1*", "1"),
    "fraction": with_numbers("1.5", "1"),
    "negative_calls": with_numbers("1", "-1"),
    "bytes_of_2_63": with_numbers(2**63, 1),
    "bytes_below_2_63": with_numbers(-2**63 - 1, 1),
    "calls_of_2_64": with_numbers(1, 2**64),
    "line_of_2_64": ONE + row(":1 ", f":{2**64} "),
    "line_below_0": ONE + row(":1 ", ":-1 "),
    "no_line": ONE + row("a.c:1", "a.c"),
    "no_file": ONE + row("a.c:1", ":1"),
    "no_function": ONE + row("func:f ", ""),
    "empty_function": ONE + row("func:f", "func:"),
    "empty_module": ONE + row("func", "[] func"),
    "open_module": ONE + row("func", "[m func"),
    "pair_in_version_1": ONE + row(" \n", " accurate:no \n"),
    "pair_without_colon": TWO + row(" \n", " accurate \n"),
    "second_heading": ONE + ROW + ONE + ROW,
    "long_line_of_junk": ONE + "x" * 65536 + "\n",
    "error_message": ONE + "cat: read error: Input/output error\n",
    "every_byte": ONE + "".join(map(chr, range(256))),
    "noise": "".join(map(chr, range(255, 0, -1))) * 300,
}

TAKEN = {
    "heading_alone": ONE,
    "heading_alone_2": TWO,
    "least_bytes": with_numbers(-2**63, 1),
    "most_bytes": with_numbers(2**63 - 1, 2**64 - 1),
    "minus_zero": with_numbers("-0", "00001"),
    "wide": ONE + " " * 5000 + ROW,
    "last_line": ONE + row(":1 ", f":{2**64 - 1} "),
    "leading_zeros": ONE + row(":1 ", ":0001 "),
    "colons": ONE + row("a.c", "::a:1:c:"),
    "file_of_64_kib": ONE + row("a.c", "a" * 65536),
    "function_of_64_kib": ONE + row(":f", ":" + "f" * 65536),
    "module_of_64_kib": ONE + row("func", "[" + "m" * 65536 + "] func"),
    "pairs_of_64_kib": TWO + row(" \n", " k:v" * 16384 + " \n"),
    "odd_pairs": TWO + row(" \n", " : :: accurate:yes accurate:no:no a:no \n"),
    "same_pair_twice": TWO + row(" \n", " accurate:no accurate:no \n"),
    "no_last_space": ONE + row(" \n", "\n"),
    "no_last_space_2": TWO + row(" \n", " accurate:no\n"),
    "brackets": ONE + row("func:f", "[[m]] func:[f]"),
    "module_like_a_function": ONE + row("func:f", "[func:m] func:func:f"),
    "other_bytes": ONE + row("a.c", "\xff\xfe\xe9.c"),
    "delete": ONE + row("a.c", "\x7f"),
    "no_end_of_rows": ONE + ROW * 3000,
}


def main():
    for name, text in {"refused": REFUSED, "taken": TAKEN}[sys.argv[1]].items():
        with open(name, "wb") as file:
            file.write(text.encode("latin-1"))


if __name__ == "__main__":
    main()
