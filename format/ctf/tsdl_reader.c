/* SPDX-License-Identifier: Apache-2.0 */
/* tsdl_reader.c - the words of a CTF metadata file, and the types they
   declare */
#include "format/ctf/tsdl_reader.h"

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
    return token->kind != TSDL_END && token->kind != TSDL_STRING &&
           text_is(tsdl_text(token), text);
}

bool tsdl_take(struct tsdl_token *token, const char *text)
{
    if (!tsdl_is(token, text))
        return false;
    tsdl_next(token);
    return true;
}

bool tsdl_number(const struct tsdl_token *token, uint64_t *value)
{
    struct cursor digits = { token->start, token->start + token->length };
    unsigned base = 10;

    if (token->length > 2 &&
        (cursor_text(&digits, "0x") || cursor_text(&digits, "0X")))
        base = 16;
    else if (token->length > 1 && cursor_byte(&digits, '0'))
        base = 8;
    *value = 0;
    return cursor_number(&digits, base, value) && digits.next == digits.end;
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

enum { DEEPEST = 8 }; /* structs within structs */

struct text_view tsdl_text(const struct tsdl_token *token)
{
    return (struct text_view){ token->start, token->length };
}

void tsdl_declare(struct tsdl_types *types, struct text_view name,
                  uint32_t bits, const char *body)
{
    if (types->alias_count < TSDL_ALIAS_CAPACITY && name.length > 0)
        types->aliases[types->alias_count++] =
            (struct tsdl_alias){ name, bits, types->value, types->labels,
                                 body };
}

static const struct tsdl_alias *find(const struct tsdl_types *types,
                                     struct text_view name)
{
    for (unsigned i = types->alias_count; i-- > 0;) {
        const struct tsdl_alias *alias = &types->aliases[i];

        if (text_is_same(alias->name, name))
            return alias;
    }
    return NULL;
}

static uint32_t bits_of(struct tsdl_types *types, struct text_view name)
{
    const struct tsdl_alias *alias = find(types, name);

    types->value = alias == NULL ? TSDL_BYTES : alias->value;
    types->labels = alias == NULL ? NULL : alias->labels;
    return alias == NULL ? TSDL_NOT_FIXED : alias->bits;
}

uint32_t tsdl_add(uint32_t sum, uint32_t bits, uint64_t count)
{
    if (sum >= TSDL_NOT_FIXED || bits >= TSDL_NOT_FIXED ||
        count >= TSDL_NOT_FIXED || sum + bits * count >= TSDL_NOT_FIXED)
        return TSDL_NOT_FIXED;
    return (uint32_t)(sum + bits * count);
}

static bool ends_in(const struct tsdl_token *token, const char *ending,
                    size_t length)
{
    return token->length >= length &&
           memcmp(token->start + token->length - length, ending, length) == 0;
}

/*
 * { size = 32; ... }: the sum of all values whose name ends in `name`. What
 * says how they lie is looked at, too.
 */
static uint32_t read_attribute(struct tsdl_types *types, const char name[4])
{
    struct tsdl_token *token = &types->token;
    uint32_t sum = 0;

    if (!tsdl_take(token, "{"))
        return TSDL_NOT_FIXED;
    while (token->kind != TSDL_END && !tsdl_is(token, "}")) {
        struct tsdl_token key = *token;
        uint64_t value;

        tsdl_next(token);
        if (!tsdl_take(token, "="))
            continue;
        if (ends_in(&key, name, 4) && tsdl_number(token, &value))
            sum = tsdl_add(sum, 1, value);
        else if ((tsdl_is(&key, "align") && tsdl_number(token, &value) &&
                  value > 8) ||
                 (tsdl_is(&key, "byte_order") &&
                  (tsdl_is(token, "be") || tsdl_is(token, "network"))))
            sum = TSDL_NOT_FIXED;
        else if (tsdl_is(&key, "signed") &&
                 (tsdl_is(token, "true") || tsdl_is(token, "1")))
            types->value = TSDL_SIGNED;
        else if (tsdl_is(&key, "encoding") && !tsdl_is(token, "none"))
            types->value = TSDL_LETTER;
    }
    tsdl_take(token, "}");
    return sum;
}

/* { TYPE NAME[COUNT]; ... }, an `align` behind it ignored. */
static uint32_t read_fields(struct tsdl_types *types,
                            const struct tsdl_field_listener *listener)
{
    struct tsdl_token *token = &types->token;
    uint32_t sum = 0;

    if (++types->depth > DEEPEST) {
        types->depth--;
        tsdl_skip_block(token);
        return TSDL_NOT_FIXED;
    }
    tsdl_take(token, "{");
    while (token->kind != TSDL_END && !tsdl_take(token, "}")) {
        struct tsdl_field field = { .count = 1 };

        field.bits = tsdl_read_type(types, NULL);
        field.value = types->value;
        field.labels = types->labels;
        field.name = tsdl_text(token);
        if (token->kind == TSDL_WORD)
            tsdl_next(token);
        while (tsdl_take(token, "[")) {
            uint64_t more;

            if (token->kind == TSDL_WORD && !tsdl_number(token, &more) &&
                field.length.length == 0)
                field.length = tsdl_text(token);
            else if (!tsdl_number(token, &more) ||
                     __builtin_mul_overflow(field.count, more, &field.count))
                field.bits = TSDL_NOT_FIXED;
            tsdl_next(token);
            tsdl_take(token, "]");
        }
        if (!tsdl_is(token, ";"))
            field.bits = TSDL_NOT_FIXED;
        while (token->kind != TSDL_END && !tsdl_is(token, ";") &&
               !tsdl_is(token, "}"))
            tsdl_next(token);
        tsdl_take(token, ";");
        if (listener != NULL)
            listener->tell(listener->context, &field);
        sum = field.length.length > 0 ? TSDL_NOT_FIXED
                                      : tsdl_add(sum, field.bits, field.count);
    }
    types->depth--;
    return sum;
}

static uint32_t read_enum(struct tsdl_types *types)
{
    struct tsdl_token *token = &types->token;
    struct text_view name = { 0 };
    uint32_t bits;

    if (token->kind == TSDL_WORD) {
        name = tsdl_text(token);
        tsdl_next(token);
    }
    if (!tsdl_take(token, ":"))
        bits = tsdl_is(token, "{") ? 32 : bits_of(types, name);
    else
        bits = tsdl_read_type(types, NULL);
    if (tsdl_is(token, "{")) {
        types->labels = token->start;
        tsdl_skip_block(token);
        tsdl_declare(types, name, bits, NULL);
    }
    return bits;
}

static uint32_t read_struct(struct tsdl_types *types,
                            const struct tsdl_field_listener *listener)
{
    struct tsdl_token *token = &types->token;
    struct text_view name = { 0 };
    const struct tsdl_alias *alias;
    const char *body;
    uint32_t bits;

    if (token->kind == TSDL_WORD) {
        name = tsdl_text(token);
        tsdl_next(token);
    }
    body = token->start;
    if (tsdl_is(token, "{")) {
        bits = read_fields(types, listener);
        types->value = TSDL_BYTES;
        types->labels = NULL;
        tsdl_declare(types, name, bits, body);
        return bits;
    }
    alias = find(types, name);
    if (alias != NULL && alias->body != NULL && listener != NULL) {
        /* Its fields are asked for only now: read them once more. */
        struct tsdl_token behind = *token;

        *token = tsdl_begin(alias->body, (size_t)(token->end - alias->body));
        read_fields(types, listener);
        *token = behind;
    }
    return alias == NULL ? TSDL_NOT_FIXED : alias->bits;
}

/* A type, to what stands behind it. Names may be of several words. */
uint32_t tsdl_read_type(struct tsdl_types *types,
                        const struct tsdl_field_listener *listener)
{
    struct tsdl_token *token = &types->token;
    uint32_t bits;

    types->value = TSDL_UNSIGNED;
    types->labels = NULL;
    tsdl_take(token, "const");
    if (tsdl_take(token, "struct"))
        return read_struct(types, listener);
    if (tsdl_take(token, "enum"))
        return read_enum(types);
    if (tsdl_take(token, "integer"))
        return read_attribute(types, "size");
    if (tsdl_take(token, "floating_point")) {
        bits = read_attribute(types, "_dig");
        types->value = TSDL_FLOAT;
        return bits;
    }
    if (tsdl_take(token, "string")) {
        types->value = TSDL_TEXT;
        if (tsdl_is(token, "{"))
            tsdl_skip_block(token);
        return TSDL_NOT_FIXED;
    }
    if (tsdl_is(token, "variant") || token->kind != TSDL_WORD) {
        types->value = TSDL_BYTES;
        tsdl_next(token);
        return TSDL_NOT_FIXED;
    }
    bits = bits_of(types, tsdl_text(token));
    tsdl_next(token);
    return bits;
}
