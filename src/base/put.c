#include "base/put.h"

#include <math.h>
#include <string.h>

void tenon_put_bool(tenon_buf *out, const tenon_put_value *v) {
  tenon_buf_text(out, v->as.i ? "true" : "false");
}

void tenon_put_uint(tenon_buf *out, const tenon_put_value *v) {
  char digits[20];
  size_t at = sizeof digits;
  uint64_t rest = v->as.u;
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  tenon_buf_add(out, digits + at, sizeof digits - at);
}

void tenon_put_int(tenon_buf *out, const tenon_put_value *v) {
  tenon_put_value positive = tenon_as_uint((uint64_t)v->as.i);
  if (v->as.i < 0) {
    tenon_buf_char(out, '-');
    positive.as.u = 0 - positive.as.u;
  }
  tenon_put_uint(out, &positive);
}

void tenon_put_real(tenon_buf *out, const tenon_put_value *v) {
  if (isfinite(v->as.f))
    tenon_buf_format(out, "%.9g", v->as.f);
  else
    tenon_buf_text(out, isnan(v->as.f) ? "\"nan\""
                        : v->as.f > 0  ? "\"inf\""
                                       : "\"-inf\"");
}

void tenon_put_plain(tenon_buf *out, const tenon_put_value *v) {
  if (v->as.p) tenon_buf_text(out, (const char *)v->as.p);
}

void tenon_put_one(tenon_buf *out, const tenon_put_value *v) {
  if (v->put)
    v->put(out, v);
  else
    tenon_put_plain(out, v);
}

void tenon_put_quoted(tenon_buf *out, const tenon_put_value *v) {
  if (v->as.p)
    tenon_buf_json(out, (const char *)v->as.p);
  else
    tenon_buf_text(out, "null");
}

void tenon_put_shown(tenon_buf *out, const tenon_put_value *v) {
  if (v->as.p) tenon_buf_shown(out, (const char *)v->as.p);
}

void tenon_put_values(tenon_buf *out, const char *fmt,
                      const tenon_put_value *values) {
  while (*fmt) {
    const size_t size = strcspn(fmt, "$");
    tenon_buf_add(out, fmt, size);
    fmt += size;
    if (*fmt == 0) return;
    tenon_put_one(out, values++);
    ++fmt;
  }
}

void tenon_put_json_values(tenon_buf *out, const char *fmt,
                           const tenon_put_value *values) {
  while (*fmt) {
    const size_t size = strcspn(fmt, "'$");
    tenon_buf_add(out, fmt, size);
    fmt += size;
    if (*fmt == 0) return;
    if (*fmt++ == '\'')
      tenon_buf_char(out, '"');
    else if (!values->put)
      tenon_put_quoted(out, values++);
    else
      tenon_put_one(out, values++);
  }
}
