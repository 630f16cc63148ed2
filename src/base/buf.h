// base/buf.h - growable text; the only place that formats.
//
// A failed growth is latched: later additions do nothing, and whoever takes the
// text asks `failed` once. The text always ends in a zero (data is never null
// after a successful addition). Numbers are printed without regard to locale.
// One that is all zeros takes its memory from the heap.
#ifndef TENON_BASE_BUF_H
#define TENON_BASE_BUF_H

#include <stdarg.h>

#include "tenon/alloc.h"

typedef struct tenon_buf {
  tenon_allocator allocator;
  char *data;
  size_t size, capacity;
  bool failed;
} tenon_buf;

void tenon_buf_init(tenon_buf *buf, tenon_allocator allocator);
void tenon_buf_deinit(tenon_buf *buf);
void tenon_buf_clear(tenon_buf *buf);  // keeps the memory
void tenon_buf_add(tenon_buf *buf, const void *bytes, size_t size);
void tenon_buf_text(tenon_buf *buf, const char *text);  // up to its zero
void tenon_buf_char(tenon_buf *buf, char c);
void tenon_buf_format(tenon_buf *buf, const char *fmt, ...) TENON_PRINTF(2, 3);
void tenon_buf_vformat(tenon_buf *buf, const char *fmt, va_list args);
// The shortest decimal that reads back as the same number; "nan", "inf",
// "-inf". A whole number gets ".0", so that it stays a float where types
// matter.
void tenon_buf_double(tenon_buf *buf, double value);
void tenon_buf_float(tenon_buf *buf, float value);
// A name out of a file as a person may see it (tenon_text_show).
void tenon_buf_shown(tenon_buf *buf, const char *text);
// In double quotes, with \" \\ \n \t and \xHH for other bytes that may not be
// printed (base/show.h).
void tenon_buf_quote(tenon_buf *buf, const char *text, size_t size);
// As text of SVG or HTML, whatever it holds.
void tenon_buf_markup(tenon_buf *buf, const char *text);
// A name out of a file as that (tenon_buf_shown).
void tenon_buf_shown_markup(tenon_buf *buf, const char *text);
// As a JSON string (tenon_text_json).
void tenon_buf_json(tenon_buf *buf, const char *text);

#endif  // TENON_BASE_BUF_H
