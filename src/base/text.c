// base/text.c - reading text without the locale and without memory.
//
// Floats go through strtod, which rounds correctly but wants the locale's
// decimal point and a final zero. So the digits are copied to the stack as one
// integer, with the point accounted for in the exponent: then there is no point
// to spell. 800 digits tell any double from its neighbours and from the points
// halfway between; of the digits beyond, only whether one is not zero counts.
//
// The edit distance is computed on a band around the diagonal as wide as the
// limit allows, so its memory does not depend on the lengths: with three rows
// of LIMIT_MOST * 2 + 1 cells, indexed by column minus row.
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/chars.h"

bool tenon_text_is_identifier(tenon_text t) {
  bool ok = t.size > 0 && tenon_char_begins_name(t.data[0]);
  for (size_t i = 0; i < t.size; ++i)
    ok &= tenon_char_is_in_name(t.data[i]);
  return ok;
}

bool tenon_text_starts(const char *s, const char *prefix) {
  return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool tenon_text_ends(const char *s, const char *suffix) {
  size_t size = strlen(s), tail = strlen(suffix);
  return tail <= size && memcmp(s + size - tail, suffix, tail) == 0;
}

static bool text_is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

tenon_text tenon_text_trim(tenon_text t) {
  while (t.size != 0 && text_is_blank(t.data[0])) {
    ++t.data;
    --t.size;
  }
  while (t.size != 0 && text_is_blank(t.data[t.size - 1]))
    --t.size;
  return t;
}

// A separator at the very end has nothing after it: "a,b," has two pieces.
bool tenon_text_next(tenon_text *rest, char separator, tenon_text *piece) {
  if (rest->size == 0) return false;
  const char *end = memchr(rest->data, separator, rest->size);
  piece->data = rest->data;
  piece->size = end ? (size_t)(end - rest->data) : rest->size;
  size_t cut = end ? piece->size + 1 : piece->size;
  rest->data += cut;
  rest->size -= cut;
  return true;
}

bool tenon_text_has_word(const char *words, tenon_text word) {
  tenon_text rest = tenon_text_of(words), piece;
  while (tenon_text_next(&rest, ' ', &piece))
    if (tenon_text_same(piece, word)) return true;
  return false;
}

bool tenon_text_add_word(char *words, size_t size, tenon_text word) {
  size_t at = strlen(words);
  if (at + (at > 0) + word.size >= size) return false;
  if (at) words[at++] = ' ';
  memcpy(words + at, word.data, word.size);
  words[at + word.size] = 0;
  return true;
}

void tenon_text_append(char *text, size_t size, const char *fmt, ...) {
  const size_t used = strlen(text);
  va_list args;
  va_start(args, fmt);
  (void)vsnprintf(text + used, size - used, fmt, args);
  va_end(args);
}

// After a mismatch only the last star may take one more character: an earlier
// one that took more could not help. Hence no recursion, and at most
// pattern * text steps.
bool tenon_text_glob(const char *pattern, const char *s) {
  const char *star = NULL, *retry = NULL;
  while (*s) {
    if (*pattern == '*') {
      star = ++pattern;
      retry = s;
    } else if (*pattern && (*pattern == '?' || *pattern == *s)) {
      ++pattern;
      ++s;
    } else if (star) {
      pattern = star;
      s = ++retry;
    } else {
      return false;
    }
  }
  while (*pattern == '*')
    ++pattern;
  return *pattern == 0;
}

static bool take_sign(tenon_text *t) {
  if (t->size == 0 || (t->data[0] != '-' && t->data[0] != '+')) return false;
  bool is_negative = t->data[0] == '-';
  ++t->data;
  --t->size;
  return is_negative;
}

// Cuts 0x off a number that has it.
static bool take_hex(tenon_text *t) {
  if (t->size < 2 || t->data[0] != '0') return false;
  if (t->data[1] != 'x' && t->data[1] != 'X') return false;
  t->data += 2;
  t->size -= 2;
  return true;
}

// The value of a digit, or 16.
static unsigned digit_of(char c) {
  if (c >= '0' && c <= '9') return (unsigned)(c - '0');
  if (c >= 'a' && c <= 'f') return (unsigned)(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return (unsigned)(c - 'A') + 10;
  return 16;
}

bool tenon_text_int(tenon_text t, int64_t *out) {
  bool is_negative = take_sign(&t);
  unsigned base = take_hex(&t) ? 16 : 10;
  uint64_t most = (uint64_t)INT64_MAX + (is_negative ? 1 : 0), value = 0;
  if (t.size == 0) return false;
  for (size_t i = 0; i < t.size; ++i) {
    unsigned digit = digit_of(t.data[i]);
    if (digit >= base) return false;
    if (value > (most - digit) / base) return false;
    value = value * base + digit;
  }
  if (is_negative && value != 0) {
    *out = -(int64_t)(value - 1) - 1;
  } else {
    *out = (int64_t)value;
  }
  return true;
}

enum { DIGITS_MOST = 800, EXPONENT_MOST = 1000000 };

// The digits of a number without leading zeros, and the digits to move the
// point by: digits * base ** shift.
typedef struct digits {
  char text[DIGITS_MOST + 2];
  size_t count;
  int64_t shift;
  bool any;  // also a zero
} digits;

static void keep_digit(digits *d, char c, bool is_fraction, bool *lost) {
  d->any = true;
  if (is_fraction) --d->shift;
  if (c == '0' && d->count == 0) return;
  if (d->count < DIGITS_MOST) {
    d->text[d->count++] = c;
  } else {
    ++d->shift;
    if (c != '0') *lost = true;
  }
}

static void text_take_digits(tenon_text *t, unsigned base, digits *d) {
  bool is_fraction = false, lost = false;
  for (; t->size != 0; ++t->data, --t->size) {
    char c = t->data[0];
    if (c == '.' && !is_fraction) {
      is_fraction = true;
    } else if (digit_of(c) < base) {
      keep_digit(d, c, is_fraction, &lost);
    } else {
      break;
    }
  }
  if (lost) {
    d->text[d->count++] = '1';
    --d->shift;
  }
  if (d->count == 0) d->text[d->count++] = '0';
  d->text[d->count] = 0;
}

// An exponent after its letter. Far out of range it is cut: the texts that
// could make up for it by their length do not fit in memory.
static bool take_exponent(tenon_text t, int64_t *out) {
  const int64_t most = INT64_MAX / 16;
  bool is_negative = take_sign(&t);
  int64_t value = 0;
  if (t.size == 0) return false;
  for (size_t i = 0; i < t.size; ++i) {
    unsigned digit = digit_of(t.data[i]);
    if (digit >= 10) return false;
    value = value > most / 10 ? most : value * 10 + digit;
  }
  *out = is_negative ? -value : value;
  return true;
}

static bool read_finite(tenon_text t, bool is_negative, double *out) {
  digits d = {.count = 0};
  char text[DIGITS_MOST + 64];
  int64_t exponent = 0;
  bool is_hex = take_hex(&t);
  text_take_digits(&t, is_hex ? 16 : 10, &d);
  if (!d.any) return false;
  if (t.size != 0) {
    char letter = (char)(t.data[0] | 0x20);
    if (letter != (is_hex ? 'p' : 'e')) return false;
    ++t.data;
    --t.size;
    if (!take_exponent(t, &exponent)) return false;
  }
  exponent += is_hex ? d.shift * 4 : d.shift;
  if (exponent > EXPONENT_MOST) exponent = EXPONENT_MOST;
  if (exponent < -EXPONENT_MOST) exponent = -EXPONENT_MOST;
  snprintf(text, sizeof text, "%s%s%s%c%ld", is_negative ? "-" : "",
           is_hex ? "0x" : "", d.text, is_hex ? 'p' : 'e', (long)exponent);
  double value = strtod(text, NULL);
  if (isinf(value)) return false;
  *out = value;
  return true;
}

bool tenon_text_double(tenon_text t, double *out) {
  bool is_negative = take_sign(&t);
  if (tenon_text_is(t, "inf")) {
    *out = is_negative ? -(double)INFINITY : (double)INFINITY;
    return true;
  }
  if (tenon_text_is(t, "nan")) {
    *out = (double)NAN;
    return true;
  }
  return read_finite(t, is_negative, out);
}

// The bytes that follow a lead byte, and the range of the first of them, which
// is what excludes overlong forms, surrogates and what lies past U+10FFFF.
static size_t text_follow(unsigned char lead, unsigned char *low,
                          unsigned char *high) {
  *low = 0x80;
  *high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) return 1;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (lead == 0xe0) *low = 0xa0;
    if (lead == 0xed) *high = 0x9f;
    return 2;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (lead == 0xf0) *low = 0x90;
    if (lead == 0xf4) *high = 0x8f;
    return 3;
  }
  return 0;
}

bool tenon_text_is_utf8(const char *data, size_t size) {
  const unsigned char *p = (const unsigned char *)data;
  for (size_t i = 0; i < size;) {
    unsigned char low = 0, high = 0, lead = p[i++];
    if (lead < 0x80) continue;
    size_t count = text_follow(lead, &low, &high);
    if (count == 0 || count > size - i) return false;
    if (p[i] < low || p[i] > high) return false;
    for (size_t k = 1; k < count; ++k) {
      if ((p[i + k] & 0xc0) != 0x80) return false;
    }
    i += count;
  }
  return true;
}

static bool text_same(char a, char b) {
  return tenon_char_lower(a) == tenon_char_lower(b);
}

enum { LIMIT_MOST = 63, BAND = LIMIT_MOST * 2 + 1 };

static size_t text_least(size_t a, size_t b) {
  return a < b ? a : b;
}

// One row of the table, for the first i characters of a: cell k is column
// i + k - limit. `one` and `two` are the rows above. Cells outside the table or
// the band hold limit + 1. Returns the least cell.
static size_t fill_row(const tenon_text a, const tenon_text b, size_t i,
                       size_t limit, size_t *row, const size_t *one,
                       const size_t *two) {
  size_t far = limit + 1, nearest = far, last = limit * 2;
  for (size_t k = 0; k <= last; ++k) {
    size_t cell = far;
    row[k] = far;
    if (i + k < limit || i + k - limit > b.size) continue;
    size_t j = i + k - limit;
    if (i == 0 || j == 0) {
      cell = i + j;
    } else {
      bool equal = text_same(a.data[i - 1], b.data[j - 1]);
      cell = one[k] + (equal ? 0 : 1);
      if (k > 0) cell = text_least(cell, row[k - 1] + 1);
      if (k < last) cell = text_least(cell, one[k + 1] + 1);
      if (i > 1 && j > 1 && text_same(a.data[i - 1], b.data[j - 2]) &&
          text_same(a.data[i - 2], b.data[j - 1])) {
        cell = text_least(cell, two[k] + 1);
      }
    }
    row[k] = text_least(cell, far);
    nearest = text_least(nearest, row[k]);
  }
  return nearest;
}

// Limits above LIMIT_MOST, which names never need, count as LIMIT_MOST.
size_t tenon_text_distance(const char *a, const char *b, size_t limit) {
  size_t rows[3][BAND];
  tenon_text x = tenon_text_of(a), y = tenon_text_of(b);
  size_t band = text_least(limit, LIMIT_MOST);
  size_t gap = x.size > y.size ? x.size - y.size : y.size - x.size;
  if (gap > band) return limit + 1;
  size_t above = 0;
  for (size_t i = 0; i <= x.size; ++i) {
    size_t nearest = fill_row(x, y, i, band, rows[i % 3], rows[(i + 2) % 3],
                              rows[(i + 1) % 3]);
    // A transposition reaches back two rows, so both must be out of reach.
    if (nearest > band && above > band) return limit + 1;
    above = nearest;
  }
  size_t distance = rows[x.size % 3][y.size + band - x.size];
  return distance > band ? limit + 1 : distance;
}

void tenon_nearest_init(tenon_nearest *n, const char *name) {
  n->name = name;
  n->best = NULL;
  n->distance = SIZE_MAX;
}

// How many slips are still a slip: a third of what distinguishes the name,
// which is neither the dashes of an option nor the set of an operator.
static size_t slips(const char *name) {
  const char *tail = name;
  while (*tail == '-')
    ++tail;
  for (const char *p = tail; *p; ++p) {
    if (p[0] == ':' && p[1] == ':') tail = p + 2;
  }
  size_t third = strlen(tail) / 3;
  return third > 1 ? third : 1;
}

// Whether one was cut short of the other: the shorter has at least three
// letters or digits and half of the longer.
static bool is_cut(const char *a, const char *b) {
  size_t common = 0, letters = 0, longer = 0;
  for (; a[common] && text_same(a[common], b[common]); ++common) {
    char c = tenon_char_lower(a[common]);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) ++letters;
  }
  if (a[common] && b[common]) return false;
  longer = common + strlen(a + common) + strlen(b + common);
  return letters >= 3 && common * 2 >= longer;
}

void tenon_nearest_feed(tenon_nearest *n, const char *candidate) {
  size_t limit = slips(n->name);
  size_t distance = tenon_text_distance(n->name, candidate, limit);
  if (distance > limit) {
    // A cut name comes after every slip, the less was cut the better.
    if (!is_cut(n->name, candidate)) return;
    size_t a = strlen(n->name), b = strlen(candidate);
    distance = limit + (a > b ? a - b : b - a);
  }
  if (distance >= n->distance) return;
  n->best = candidate;
  n->distance = distance;
}
