/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - see page.h */
#include "tool/web/page.h"

#include "tool/render/render.h"

static const char begin[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
    " script-src '%s'; style-src '%s'; img-src data: blob:;"
    " connect-src %s; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,"
    " initial-scale=1\">\n<title>";

static void write_data(FILE *out, const struct page_subject *subject)
{
    char *bytes;
    size_t size;
    FILE *file = memory_or_exit(open_memstream(&bytes, &size));

    page_data_write(file, subject);
    fclose(file);
    OWNED char *text = base64_text(bytes, size);

    fputs(text, out);
    free(bytes);
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
