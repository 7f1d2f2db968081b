/* SPDX-License-Identifier: Apache-2.0 */
/* regex.cpp - a small program that takes long to compile */
#include <regex>

static bool matches(const char *text, const char *pattern)
{
    return std::regex_match(text, std::regex(pattern));
}

int main(int count, char **words)
{
    return matches(words[0], words[count - 1]);
}
