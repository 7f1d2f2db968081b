/* SPDX-License-Identifier: Apache-2.0 */
/* tsdl_token.c - the words of a CTF metadata file, one after the other */
#include "format/ctf/tsdl_token.h"

#include <string.h>

struct tsdl_token tsdl_begin(const char *text, size_t size)
{
    struct tsdl_token token = { .next = text, .end = text + size };

    tsdl_next(&token);
    return token;
}

static bool is_word(char letter)
{
    return (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '.';
}

/* Behind a comment that begins at `next`, or `next` when none does. */
static const char *behind_comment(const char *next, const char *end)
{
    if (end - next < 2 || next[0] != '/' || (next[1] != '*' && next[1] != '/'))
        return next;
    if (next[1] == '/') {
        const char *newline = memchr(next, '\n', (size_t)(end - next));

        return newline == NULL ? end : newline + 1;
    }
    for (next += 2; end - next >= 2; next++) {
        if (next[0] == '*' && next[1] == '/')
            return next + 2;
    }
    return end;
}

static void skip_space(struct tsdl_token *token)
{
    const char *before;

    do {
        before = token->next;
        while (token->next < token->end && (unsigned char)*token->next <= ' ')
            token->next++;
        token->next = behind_comment(token->next, token->end);
    } while (token->next != before);
}

static void read_string(struct tsdl_token *token)
{
    token->kind = TSDL_STRING;
    token->start = ++token->next;
    while (token->next < token->end && *token->next != '"') {
        if (*token->next == '\\' && token->end - token->next > 1)
            token->next++;
        token->next++;
    }
    token->length = (size_t)(token->next - token->start);
    if (token->next < token->end)
        token->next++;
}

void tsdl_next(struct tsdl_token *token)
{
    skip_space(token);
    token->start = token->next;
    token->length = 0;
    token->kind = TSDL_END;
    if (token->next == token->end)
        return;
    if (*token->next == '"') {
        read_string(token);
        return;
    }
    if (is_word(*token->next)) {
        token->kind = TSDL_WORD;
        while (token->next < token->end && is_word(*token->next))
            token->next++;
    } else {
        token->kind = TSDL_SIGN;
        if (*token->next++ == ':' && token->next < token->end &&
            *token->next == '=')
            token->next++;
    }
    token->length = (size_t)(token->next - token->start);
}

bool tsdl_is(const struct tsdl_token *token, const char *text)
{
    size_t i = 0;

    if (token->kind == TSDL_END || token->kind == TSDL_STRING)
        return false;
    while (i < token->length && text[i] != '\0' && token->start[i] == text[i])
        i++;
    return i == token->length && text[i] == '\0';
}

bool tsdl_take(struct tsdl_token *token, const char *text)
{
    if (!tsdl_is(token, text))
        return false;
    tsdl_next(token);
    return true;
}

static unsigned digit_of(char letter)
{
    if (letter >= '0' && letter <= '9')
        return (unsigned)(letter - '0');
    letter = (char)(letter | 32);
    return letter >= 'a' && letter <= 'f' ? (unsigned)(letter - 'a') + 10 : 16;
}

bool tsdl_number(const struct tsdl_token *token, uint64_t *value)
{
    size_t i = 0;
    unsigned base = 10;

    *value = 0;
    if (token->length > 2 && token->start[0] == '0' &&
        (token->start[1] | 32) == 'x') {
        base = 16;
        i = 2;
    } else if (token->length > 1 && token->start[0] == '0') {
        base = 8;
        i = 1;
    }
    if (token->length == 0)
        return false;
    for (; i < token->length; i++) {
        unsigned digit = digit_of(token->start[i]);

        if (digit >= base || __builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return true;
}

void tsdl_skip_block(struct tsdl_token *token)
{
    unsigned depth = 0;

    do {
        if (token->kind == TSDL_SIGN && tsdl_is(token, "{"))
            depth++;
        else if (token->kind == TSDL_SIGN && tsdl_is(token, "}"))
            depth--;
        tsdl_next(token);
    } while (depth > 0 && token->kind != TSDL_END);
}
