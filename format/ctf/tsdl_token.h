/* SPDX-License-Identifier: Apache-2.0 */
/* tsdl_token.h - split TSDL into words, strings and signs */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/cursor.h"

enum token_kind {
    TSDL_END,
    TSDL_WORD,   /* a name with dots, such as packet.header, or a number */
    TSDL_STRING, /* text between the quotes, verbatim */
    TSDL_SIGN,
};

/* Position in the text; `text` is the current token. */
struct token {
    const char *next, *end; /* rest of the text */
    struct text_view text;
    enum token_kind kind;
};

static inline bool is_word(char letter)
{
    return (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '.';
}

/* Return the end of a comment that the text begins with, or the text itself. */
static inline const char *behind_comment(struct cursor text)
{
    const char *closing = cursor_text(&text, "//")   ? "\n"
                          : cursor_text(&text, "/*") ? "*/"
                                                     : "";

    if (*closing != '\0')
        text.next = text_find(text.next, text.end, closing);
    cursor_text(&text, closing);
    return text.next;
}

static inline void skip_space(struct token *token)
{
    const char *before;

    do {
        before = token->next;
        while (token->next < token->end && (unsigned char)*token->next <= ' ')
            token->next++;
        token->next =
            behind_comment((struct cursor){ token->next, token->end });
    } while (token->next != before);
}

static inline void read_string(struct token *token)
{
    token->kind = TSDL_STRING;
    token->text.bytes = ++token->next;
    while (token->next < token->end && *token->next != '"') {
        if (*token->next == '\\' && token->end - token->next > 1)
            token->next++;
        token->next++;
    }
    token->text.length = (size_t)(token->next - token->text.bytes);
    if (token->next < token->end)
        token->next++;
}

static inline void next_token(struct token *token)
{
    skip_space(token);
    token->text.bytes = token->next;
    token->text.length = 0;
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
    token->text.length = (size_t)(token->next - token->text.bytes);
}

static inline struct token begin(const char *text, size_t size)
{
    struct token token = { .next = text, .end = text + size };

    next_token(&token);
    return token;
}

static inline bool is(const struct token *token, const char *text)
{
    return token->kind != TSDL_END && token->kind != TSDL_STRING &&
           text_is(token->text, text);
}

static inline bool take(struct token *token, const char *text)
{
    if (!is(token, text))
        return false;
    next_token(token);
    return true;
}

static inline bool number_of(const struct token *token, uint64_t *value)
{
    struct cursor digits = cursor_over(token->text);
    unsigned base = 10;

    if (token->text.length > 2 &&
        (cursor_text(&digits, "0x") || cursor_text(&digits, "0X")))
        base = 16;
    else if (token->text.length > 1 && cursor_byte(&digits, '0'))
        base = 8;
    *value = 0;
    return cursor_number(&digits, base, value) && digits.next == digits.end;
}

static inline void skip_block(struct token *token)
{
    unsigned depth = 0;

    do {
        if (token->kind == TSDL_SIGN && is(token, "{"))
            depth++;
        else if (token->kind == TSDL_SIGN && is(token, "}"))
            depth--;
        next_token(token);
    } while (depth > 0 && token->kind != TSDL_END);
}
