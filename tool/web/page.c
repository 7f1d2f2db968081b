/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - see page.h */
#include "tool/web/page.h"

static const char begin[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
    " script-src '%s'; style-src '%s'; img-src data: blob:;"
    " connect-src %s; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,"
    " initial-scale=1\">\n<title>";

/*
 * Bytes as characters that no script element ends with and that mail, editors
 * and terminals keep: 13 bits in two of 91, the lowest first.
 */
struct packing {
    FILE *out;
    unsigned bits, count; /* bits that wait */
    unsigned column;
};

enum { BASE = 91, FIRST = '#', LEFT_OUT = '<', LINE = 1000 };

static void put_digit(struct packing *packing, unsigned digit)
{
    putc_unlocked((int)(FIRST + digit + (digit >= LEFT_OUT - FIRST)),
                  packing->out);
    if (++packing->column % LINE == 0)
        putc_unlocked('\n', packing->out);
}

static ssize_t take(void *cookie, const char *bytes, size_t size)
{
    struct packing *packing = cookie;

    for (size_t i = 0; i < size; i++) {
        packing->bits |= (unsigned)(unsigned char)bytes[i] << packing->count;
        packing->count += 8;
        if (packing->count < 13)
            continue;
        put_digit(packing, (packing->bits & 0x1fff) % BASE);
        put_digit(packing, (packing->bits & 0x1fff) / BASE);
        packing->bits >>= 13;
        packing->count -= 13;
    }
    return (ssize_t)size;
}

/* One digit has 6 bits; so there is never a byte too many. */
static int finish(void *cookie)
{
    struct packing *packing = cookie;

    if (packing->count > 0)
        put_digit(packing, packing->bits % BASE);
    if (packing->count > 6)
        put_digit(packing, packing->bits / BASE);
    return 0;
}

static void write_data(FILE *out, const struct page_subject *subject)
{
    const cookie_io_functions_t calls = { .write = take, .close = finish };
    struct packing packing = { .out = out };
    FILE *file = memory_or_exit(fopencookie(&packing, "w", calls));

    page_data_write(file, subject);
    fclose(file);
}

void page_begin(FILE *out, const char *title, const char *script_hash,
                const char *sources)
{
    fprintf(out, begin, script_hash, page_style_hash, sources);
    escape_write(out, ESCAPE_XML, title, SIZE_MAX);
    fprintf(out, " - Tally</title>\n<style>%s</style>\n</head>\n<body>\n",
            page_style);
}

/* The script comes first, so that it can say when the rest is missing. */
void page_write(FILE *out, const struct page_subject *subject)
{
    page_begin(out, subject->title, page_script_hash,
               subject->is_served ? "'self'" : "'none'");
    fprintf(out,
            "<p id=\"waiting\">This page draws itself. If this line "
            "stays, allow it to run its script, which asks for nothing from "
            "anywhere else; or it is cut off: export it again.</p>\n"
            "<script>%s</script>\n"
            "<script type=\"application/octet-stream\" id=\"data\">",
            page_script);
    if (!subject->is_served)
        write_data(out, subject);
    fputs("</script>\n</body>\n</html>\n", out);
}
