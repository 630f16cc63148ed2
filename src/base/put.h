// base/put.h - a text with values in it, in one call.
//
//   tenon_put(out, "$ of $ bytes", name, size);
//   tenon_put_json(out, "{'name': $, 'bytes': $}", name, size);
//
// `$` stands for the next value, which is printed as its type says: integers of
// any width in decimal, doubles with nine digits, bool as true or false, texts
// as they are, null as nothing. In JSON `'` stands for a double quote, a text
// is a string, and null is null. tenon_as_* says another form. There are as
// many `$` as values (tools/check_style.py), 16 at most; a comparison is an
// int, so it needs (bool).
#ifndef TENON_BASE_PUT_H
#define TENON_BASE_PUT_H

#include "base/buf.h"

typedef struct tenon_put_value {
  // Null: a text, which JSON makes a string of.
  void (*put)(tenon_buf *out, const struct tenon_put_value *v);
  union {
    int64_t i;
    uint64_t u;
    double f;
    const void *p;  // a text, or what `put` knows
  } as;
} tenon_put_value;

// What values are printed by: a caller that prints some otherwise compares.
void tenon_put_bool(tenon_buf *out, const tenon_put_value *v);
void tenon_put_int(tenon_buf *out, const tenon_put_value *v);
void tenon_put_uint(tenon_buf *out, const tenon_put_value *v);
void tenon_put_real(tenon_buf *out, const tenon_put_value *v);
void tenon_put_plain(tenon_buf *out, const tenon_put_value *v);
void tenon_put_quoted(tenon_buf *out, const tenon_put_value *v);
void tenon_put_shown(tenon_buf *out, const tenon_put_value *v);

#define TENON_PUT_AS(name, T, member, by)                 \
  TENON_INLINE tenon_put_value tenon_as_##name(T value) { \
    tenon_put_value v;                                    \
    v.put = by;                                           \
    v.as.member = value;                                  \
    return v;                                             \
  }
TENON_PUT_AS(bool, bool, i, tenon_put_bool)
TENON_PUT_AS(int, int64_t, i, tenon_put_int)
TENON_PUT_AS(uint, uint64_t, u, tenon_put_uint)
TENON_PUT_AS(text, const char *, p, NULL)
// With nine digits; "nan", "inf" or "-inf", in quotes, where JSON has no
// number.
TENON_PUT_AS(real, double, f, tenon_put_real)
// In JSON too, as it is: part of a document.
TENON_PUT_AS(plain, const char *, p, tenon_put_plain)
// As a JSON string; a name out of a file as a person may see it.
TENON_PUT_AS(json, const char *, p, tenon_put_quoted)
TENON_PUT_AS(shown, const char *, p, tenon_put_shown)

TENON_INLINE tenon_put_value tenon_as_given(tenon_put_value v) {
  return v;
}

#define TENON_PUT_1(x) \
  _Generic((x), bool: tenon_as_bool, signed char: tenon_as_int,              \
           short: tenon_as_int, int: tenon_as_int, long: tenon_as_int,       \
           long long: tenon_as_int, unsigned char: tenon_as_uint,            \
           unsigned short: tenon_as_uint, unsigned: tenon_as_uint,           \
           unsigned long: tenon_as_uint, unsigned long long: tenon_as_uint,  \
           double: tenon_as_real, char *: tenon_as_text, const char *: tenon_as_text,               \
           tenon_put_value: tenon_as_given)(x)
#define TENON_PUT_2(x, ...) TENON_PUT_1(x), TENON_PUT_1(__VA_ARGS__)
#define TENON_PUT_3(x, ...) TENON_PUT_1(x), TENON_PUT_2(__VA_ARGS__)
#define TENON_PUT_4(x, ...) TENON_PUT_1(x), TENON_PUT_3(__VA_ARGS__)
#define TENON_PUT_5(x, ...) TENON_PUT_1(x), TENON_PUT_4(__VA_ARGS__)
#define TENON_PUT_6(x, ...) TENON_PUT_1(x), TENON_PUT_5(__VA_ARGS__)
#define TENON_PUT_7(x, ...) TENON_PUT_1(x), TENON_PUT_6(__VA_ARGS__)
#define TENON_PUT_8(x, ...) TENON_PUT_1(x), TENON_PUT_7(__VA_ARGS__)
#define TENON_PUT_9(x, ...) TENON_PUT_1(x), TENON_PUT_8(__VA_ARGS__)
#define TENON_PUT_10(x, ...) TENON_PUT_1(x), TENON_PUT_9(__VA_ARGS__)
#define TENON_PUT_11(x, ...) TENON_PUT_1(x), TENON_PUT_10(__VA_ARGS__)
#define TENON_PUT_12(x, ...) TENON_PUT_1(x), TENON_PUT_11(__VA_ARGS__)
#define TENON_PUT_13(x, ...) TENON_PUT_1(x), TENON_PUT_12(__VA_ARGS__)
#define TENON_PUT_14(x, ...) TENON_PUT_1(x), TENON_PUT_13(__VA_ARGS__)
#define TENON_PUT_15(x, ...) TENON_PUT_1(x), TENON_PUT_14(__VA_ARGS__)
#define TENON_PUT_16(x, ...) TENON_PUT_1(x), TENON_PUT_15(__VA_ARGS__)
#define TENON_PUT_OF(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, which, \
                     ...)                                                   \
  which
#define TENON_PUT_VALUES(...)                                              \
  ((const tenon_put_value[]){TENON_PUT_OF(                                 \
      __VA_ARGS__, TENON_PUT_16, TENON_PUT_15, TENON_PUT_14, TENON_PUT_13, \
      TENON_PUT_12, TENON_PUT_11, TENON_PUT_10, TENON_PUT_9, TENON_PUT_8,  \
      TENON_PUT_7, TENON_PUT_6, TENON_PUT_5, TENON_PUT_4, TENON_PUT_3,     \
      TENON_PUT_2, TENON_PUT_1, 0)(__VA_ARGS__)})

// One value, in no JSON.
void tenon_put_one(tenon_buf *out, const tenon_put_value *v);

#define tenon_put(out, fmt, ...) \
  tenon_put_values(out, fmt, TENON_PUT_VALUES(__VA_ARGS__))
#define tenon_put_json(out, fmt, ...) \
  tenon_put_json_values(out, fmt, TENON_PUT_VALUES(__VA_ARGS__))

void tenon_put_values(tenon_buf *out, const char *fmt,
                      const tenon_put_value *values);
void tenon_put_json_values(tenon_buf *out, const char *fmt,
                           const tenon_put_value *values);

#endif  // TENON_BASE_PUT_H
