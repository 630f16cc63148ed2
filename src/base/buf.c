// base/buf.c - text that doubles, and numbers printed digit by digit.
//
// The shortest decimal of a number is found by printing with more and more
// digits until the text reads back the same. Any decimal of up to 15 digits (6
// for float) survives a normal number, so the search starts there and drops
// trailing zeros; at most three attempts. Subnormal numbers have fewer digits
// to give and are searched from one.
//
// The C library prints a decimal point of the locale. Only the digits and the
// exponent are taken from it, and what is read back is an integer with an
// exponent, which has no point. Formats with %f or %g are run in the C locale.
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L  // newlocale
#endif
#include "base/buf.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <locale.h>
#endif

#include "base/heap.h"
#include "base/show.h"
#include "base/size.h"

void tenon_buf_init(tenon_buf *buf, tenon_allocator allocator) {
  memset(buf, 0, sizeof *buf);
  buf->allocator = allocator;
}

static const tenon_allocator *buf_allocator(tenon_buf *buf) {
  if (!buf->allocator.resize) buf->allocator = tenon_heap();
  return &buf->allocator;
}

void tenon_buf_deinit(tenon_buf *buf) {
  tenon_free(buf_allocator(buf), buf->data, buf->capacity, 1);
  tenon_buf_init(buf, buf->allocator);
}

// The text starts anew, and with it the latch: what was lost is gone anyway.
void tenon_buf_clear(tenon_buf *buf) {
  buf->size = 0;
  buf->failed = false;
  if (buf->data) buf->data[0] = 0;
}

// Makes room for `more` bytes and the final zero.
static bool buf_reserve(tenon_buf *buf, size_t more) {
  size_t need = 0;
  if (buf->failed) return false;
  if (!tenon_size_add(buf->size, more, &need) ||
      !tenon_size_add(need, 1, &need)) {
    buf->failed = true;
    return false;
  }
  if (need <= buf->capacity) return true;
  size_t room = buf->capacity > SIZE_MAX / 2 ? need : buf->capacity * 2;
#ifdef TENON_STRESS
  room = need;
#endif
  if (room < 64) room = 64;
  if (room < need) room = need;
  const tenon_allocator *a = buf_allocator(buf);
  char *moved = a->resize(a->self, buf->data, buf->capacity, room, 1);
  if (!moved) {
    buf->failed = true;
    return false;
  }
  buf->data = moved;
  buf->capacity = room;
  return true;
}

void tenon_buf_add(tenon_buf *buf, const void *bytes, size_t size) {
  if (!buf_reserve(buf, size)) return;
  if (size != 0) memcpy(buf->data + buf->size, bytes, size);
  buf->size += size;
  buf->data[buf->size] = 0;
}

void tenon_buf_text(tenon_buf *buf, const char *text) {
  tenon_buf_add(buf, text, strlen(text));
}

void tenon_buf_char(tenon_buf *buf, char c) {
  tenon_buf_add(buf, &c, 1);
}

// vsnprintf with a point as the decimal point, whatever the locale. The C
// locale is an object of the C library that costs nothing to ask for.
static int buf_print(char *out, size_t size, const char *fmt, va_list args) {
#ifdef _WIN32
  return vsnprintf(out, size, fmt, args);
#else
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = plain ? uselocale(plain) : (locale_t)0;
  int count = vsnprintf(out, size, fmt, args);
  if (plain) {
    uselocale(before);
    freelocale(plain);
  }
  return count;
#endif
}

void tenon_buf_vformat(tenon_buf *buf, const char *fmt, va_list args) {
  if (!buf_reserve(buf, 0)) return;
  va_list again;
  va_copy(again, args);
  size_t room = buf->capacity - buf->size;
  int count = buf_print(buf->data + buf->size, room, fmt, args);
  if (count >= 0 && (size_t)count >= room) {
    buf->data[buf->size] = 0;
    if (buf_reserve(buf, (size_t)count)) {
      count = buf_print(buf->data + buf->size, (size_t)count + 1, fmt, again);
    }
  }
  va_end(again);
  if (count < 0) buf->failed = true;
  if (buf->failed) {
    buf->data[buf->size] = 0;
  } else {
    buf->size += (size_t)count;
  }
}

void tenon_buf_format(tenon_buf *buf, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  tenon_buf_vformat(buf, fmt, args);
  va_end(args);
}

// A positive number as 0.d1d2d3... times ten to the power `point`.
typedef struct decimal {
  char digits[32];
  int count, point;
} decimal;

static void buf_take_digits(decimal *d, double value, int count) {
  char text[64];
  const char *p = text;
  snprintf(text, sizeof text, "%.*e", count - 1, value);
  d->count = 0;
  for (; *p && *p != 'e'; ++p) {
    if (*p >= '0' && *p <= '9') d->digits[d->count++] = *p;
  }
  d->point = (*p ? atoi(p + 1) : 0) + 1;
  while (d->count > 1 && d->digits[d->count - 1] == '0')
    --d->count;
  d->digits[d->count] = 0;
}

static bool reads_back(const decimal *d, double value, bool is_float) {
  char text[64];
  snprintf(text, sizeof text, "%se%d", d->digits, d->point - d->count);
  return is_float ? strtof(text, NULL) == (float)value
                  : strtod(text, NULL) == value;
}

static void find_shortest(decimal *d, double value, bool is_float) {
  bool is_normal = value >= (is_float ? (double)FLT_MIN : DBL_MIN);
  int most = is_float ? 9 : 17;
  int count = !is_normal ? 1 : is_float ? FLT_DIG : DBL_DIG;
  buf_take_digits(d, value, count);
  while (count < most && !reads_back(d, value, is_float))
    buf_take_digits(d, value, ++count);
}

// From 1e-4 up to below 1e16 written out, else with an exponent, as Python
// does.
static void add_decimal(tenon_buf *buf, const decimal *d) {
  if (d->point > 16 || d->point < -3) {
    tenon_buf_char(buf, d->digits[0]);
    if (d->count > 1) tenon_buf_char(buf, '.');
    tenon_buf_text(buf, d->digits + 1);
    tenon_buf_format(buf, "e%+03d", d->point - 1);
    return;
  }
  if (d->point <= 0) tenon_buf_text(buf, "0.");
  for (int i = d->point; i < 0; ++i)
    tenon_buf_char(buf, '0');
  for (int i = 0; i < d->count; ++i) {
    if (i == d->point && i != 0) tenon_buf_char(buf, '.');
    tenon_buf_char(buf, d->digits[i]);
  }
  for (int i = d->count; i < d->point; ++i)
    tenon_buf_char(buf, '0');
  if (d->count <= d->point) tenon_buf_text(buf, ".0");
}

static void buf_add_number(tenon_buf *buf, double value, bool is_float) {
  decimal d;
  if (isnan(value)) {
    tenon_buf_text(buf, "nan");
    return;
  }
  if (signbit(value)) {
    tenon_buf_char(buf, '-');
    value = -value;
  }
  if (isinf(value)) {
    tenon_buf_text(buf, "inf");
  } else if (value == 0) {
    tenon_buf_text(buf, "0.0");
  } else {
    find_shortest(&d, value, is_float);
    add_decimal(buf, &d);
  }
}

void tenon_buf_double(tenon_buf *buf, double value) {
  buf_add_number(buf, value, false);
}

void tenon_buf_float(tenon_buf *buf, float value) {
  buf_add_number(buf, (double)value, true);
}

void tenon_buf_quote(tenon_buf *buf, const char *text, size_t size) {
  tenon_buf_char(buf, '"');
  for (size_t i = 0; i < size;) {
    static const char plain[] = "\"\\\n\t", escaped[] = "\"\\nt";
    size_t whole = tenon_text_shown(text + i, size - i);
    const char *found = text[i] ? strchr(plain, text[i]) : NULL;
    if (found) {
      tenon_buf_char(buf, '\\');
      tenon_buf_char(buf, escaped[found - plain]);
    } else if (whole == 0) {
      tenon_buf_format(buf, "\\x%02x", (unsigned)(unsigned char)text[i]);
    } else {
      tenon_buf_add(buf, text + i, whole);
    }
    i += whole ? whole : 1;
  }
  tenon_buf_char(buf, '"');
}

typedef size_t escape_fn(char *to, size_t size, const char *text);

static void add_escaped(tenon_buf *buf, const char *text, escape_fn *escape) {
  size_t size = escape(NULL, 0, text);
  if (!buf_reserve(buf, size)) return;
  (void)escape(buf->data + buf->size, size + 1, text);
  buf->size += size;
}

void tenon_buf_shown(tenon_buf *buf, const char *text) {
  add_escaped(buf, text, tenon_text_show);
}

// ">" for "]]>", which text must not have.
void tenon_buf_markup(tenon_buf *buf, const char *text) {
  for (const char *c = text; *c; ++c) {
    if (*c == '<')
      tenon_buf_text(buf, "&lt;");
    else if (*c == '>')
      tenon_buf_text(buf, "&gt;");
    else if (*c == '&')
      tenon_buf_text(buf, "&amp;");
    else
      tenon_buf_char(buf, *c);
  }
}

void tenon_buf_shown_markup(tenon_buf *buf, const char *text) {
  tenon_buf shown;
  tenon_buf_init(&shown, buf->allocator);
  tenon_buf_shown(&shown, text);
  tenon_buf_markup(buf, shown.data ? shown.data : "");
  if (shown.failed) buf->failed = true;
  tenon_buf_deinit(&shown);
}

void tenon_buf_json(tenon_buf *buf, const char *text) {
  tenon_buf_char(buf, '"');
  add_escaped(buf, text, tenon_text_json);
  tenon_buf_char(buf, '"');
}
