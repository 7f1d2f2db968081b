/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - see page.h */
#include "tool/web/page.h"

#include <stdlib.h>
#include <string.h>

#include "tool/tables/memory.h"
#include "tool/text/escape.h"

static const char begin[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
    " script-src 'nonce-tally'; style-src 'nonce-tally'; img-src data: blob:;"
    " connect-src %s; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,"
    " initial-scale=1\">\n<title>";

static const char body[] =
    "</script>\n</head>\n<body>\n"
    "<noscript>This page draws itself: allow it to run its script. It asks for"
    " nothing from anywhere else.</noscript>\n"
    "<script type=\"application/octet-stream\" id=\"data\">";

/* Bytes as base64, in lines. */
struct base64 {
    FILE *out;
    unsigned bits, count; /* bytes that wait, and how many */
    unsigned column;
};

static void put_group(struct base64 *base64, unsigned characters)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
                                 "stuvwxyz0123456789+/";
    unsigned bits = base64->bits << 8 * (3 - base64->count);

    for (unsigned i = 0; i < 4; i++)
        putc_unlocked(i < characters ? digits[bits >> (18 - 6 * i) & 63] : '=',
                      base64->out);
    base64->column += 4;
    if (base64->column == 76)
        putc_unlocked('\n', base64->out);
    base64->column %= 76;
    base64->bits = 0;
    base64->count = 0;
}

static ssize_t take(void *cookie, const char *bytes, size_t size)
{
    struct base64 *base64 = cookie;

    for (size_t i = 0; i < size; i++) {
        base64->bits = base64->bits << 8 | (unsigned char)bytes[i];
        if (++base64->count == 3)
            put_group(base64, 4);
    }
    return (ssize_t)size;
}

static int finish(void *cookie)
{
    struct base64 *base64 = cookie;

    if (base64->count > 0)
        put_group(base64, base64->count + 1);
    return 0;
}

static void write_data(FILE *out, const struct page_subject *subject)
{
    const cookie_io_functions_t calls = { .write = take, .close = finish };
    struct base64 base64 = { .out = out };
    FILE *file = memory_got(fopencookie(&base64, "w", calls));

    page_data_write(file, subject);
    fclose(file);
}

/* The script comes first, so that it can say when the rest is missing. */
static void write_head(FILE *out, const char *title, const char *sources)
{
    fprintf(out, begin, sources);
    escape_write(out, ESCAPE_XML, title, SIZE_MAX);
    fprintf(out,
            " - Tally</title>\n<style nonce=\"tally\">%s</style>\n"
            "<script nonce=\"tally\">%s%s",
            page_style, page_script, body);
}

void page_write(FILE *out, const struct page_subject *subject)
{
    write_head(out, subject->title, "'none'");
    write_data(out, subject);
    fputs("</script>\n</body>\n</html>\n", out);
}

void page_write_served(FILE *out, const char *title)
{
    write_head(out, title, "'self'");
    fputs("</script>\n</body>\n</html>\n", out);
}
