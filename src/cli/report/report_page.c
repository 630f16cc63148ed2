// How: the files of page/ as they are, and the data between them. JSON is
// written in ASCII, and '<' as an escape, so that no name of a model ends the
// script it stands in.
#include <stdlib.h>
#include <string.h>

#include "cli/report/reporting.h"

static const char css[] =
#include "cli/page.css.inc"
    ;
static const char body[] =
#include "cli/page.html.inc"
    ;
static const char *const scripts[] = {
#include "cli/base.js.inc"
    ,
#include "cli/layout.js.inc"
    ,
#include "cli/graph.js.inc"
    ,
#include "cli/detail.js.inc"
    ,
#include "cli/memory.js.inc"
    ,
#include "cli/compare.js.inc"
    ,
#include "cli/summary.js.inc"
};

static void add_data(const json_t *data, tenon_buf *out) {
  char *text = json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII);
  out->failed |= !text;
  for (const char *p = text; p && *p;) {
    size_t n = strcspn(p, "<");
    tenon_buf_add(out, p, n);
    p += n;
    if (*p == '<') {
      tenon_buf_text(out, "\\u003c");
      ++p;
    }
  }
  free(text);
}

void report_page(const json_t *data, tenon_buf *out) {
  tenon_put(out,
            "<!doctype html>\n<html lang=\"en\" data-theme=\"light\">\n<head>\n"
            "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
            "content=\"width=device-width, initial-scale=1\">\n"
            "<title>Report</title>\n<style>\n$</style>\n</head>\n<body>\n$"
            "<script type=\"application/json\" id=\"data\">",
            css, body);
  add_data(data, out);
  tenon_buf_text(out, "</script>\n<script>\n");
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i)
    tenon_buf_text(out, scripts[i]);
  tenon_buf_text(out, "</script>\n</body>\n</html>\n");
}
