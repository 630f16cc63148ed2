// How: digits by division. The shortest decimal of a float is searched from six
// digits up: a float scaled by an exact power of ten is off by less than 2^-52,
// far less than the distance to the next float, and the candidate is read back
// the same way. Where that reading lands exactly between two floats, which is
// where rounding twice could go wrong, the candidate is passed over. Very large
// and very small floats are written in hexadecimal.
#include "emit/cprint.h"

#include <string.h>

#include "base/text.h"

size_t tenon_c_put_uint(char *to, uint64_t value) {
  size_t n = 1;
  for (uint64_t rest = value; rest >= 10; rest /= 10)
    ++n;
  for (size_t i = n; i-- > 0; value /= 10)
    to[i] = (char)('0' + value % 10);
  return n;
}

static size_t cprint_put_text(char *to, const char *text) {
  size_t size = strlen(text);
  memcpy(to, text, size);
  return size;
}

size_t tenon_c_put_int(char *to, int64_t value) {
  // -9223372036854775808 would be an operator and a number that does not fit.
  if (value == INT64_MIN) return cprint_put_text(to, "INT64_MIN");
  if (value == INT32_MIN) return cprint_put_text(to, "INT32_MIN");
  if (value >= 0) return tenon_c_put_uint(to, (uint64_t)value);
  to[0] = '-';
  return 1 + tenon_c_put_uint(to + 1, (uint64_t)-value);
}

static size_t put_nibbles(char *to, uint64_t value, int count) {
  for (int i = 0; i < count; ++i)
    to[i] = "0123456789abcdef"[value >> (4 * (count - 1 - i)) & 15];
  return (size_t)count;
}

// Weights are hundreds of thousands of digits: all eight are made at once, each
// in a byte of its own, the first in the lowest.
size_t tenon_c_put_hex(char *to, uint32_t value) {
  const uint64_t ones = UINT64_C(0x0101010101010101);
  uint64_t x = (uint64_t)(value & 0xffff) << 32 | value >> 16;
  x = (x & UINT64_C(0xff000000ff)) << 16 | (x >> 8 & UINT64_C(0xff000000ff));
  x = (x & UINT64_C(0xf000f000f000f)) << 8 |
      (x >> 4 & UINT64_C(0xf000f000f000f));
  const uint64_t is_letter = (x + 6 * ones) >> 4 & ones;
  x += '0' * ones + ('a' - '0' - 10) * is_letter;
  memcpy(to, "0x", 2);
  memcpy(to + 2, &x, 8);  // little-endian, as every host of this library
  return 10;
}

// --- floats -----------------------------------------------------------------

static uint32_t cprint_bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static size_t put_hex_float(char *to, uint32_t bits) {
  uint32_t fraction = bits & 0x7fffffu;
  int exponent = (int)(bits >> 23 & 0xff);
  size_t at = cprint_put_text(to, exponent ? "0x1." : "0x0.");
  at += put_nibbles(to + at, fraction << 1, 6);
  to[at++] = 'p';
  at += tenon_c_put_int(to + at, exponent ? exponent - 127 : -126);
  to[at++] = 'f';
  return at;
}

size_t tenon_c_put_double(char *to, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int exponent = (int)(bits >> 52 & 0x7ff);
  size_t at = 0;
  if (exponent == 0x7ff) return 0;
  if (bits >> 63) to[at++] = '-';
  if (bits << 1 == 0) return at + cprint_put_text(to + at, "0.0");
  at += cprint_put_text(to + at, exponent ? "0x1." : "0x0.");
  at += put_nibbles(to + at, bits & UINT64_C(0xfffffffffffff), 13);
  to[at++] = 'p';
  return at + tenon_c_put_int(to + at, exponent ? exponent - 1023 : -1022);
}

// q times ten to the power `exponent` of its first digit.
static size_t put_decimal(char *to, uint64_t q, int exponent) {
  char digits[20] = "";
  size_t at = 0;
  while (q % 10 == 0)
    q /= 10;
  int n = (int)tenon_c_put_uint(digits, q);
  if (exponent < -5 || exponent > 8) {
    to[at++] = digits[0];
    to[at++] = '.';
    if (n == 1) to[at++] = '0';
    for (int i = 1; i < n; ++i)
      to[at++] = digits[i];
    to[at++] = 'e';
    at += tenon_c_put_int(to + at, exponent);
  } else if (exponent < 0) {
    at += cprint_put_text(to + at, "0.");
    for (int i = -1; i > exponent; --i)
      to[at++] = '0';
    for (int i = 0; i < n; ++i)
      to[at++] = digits[i];
  } else {
    for (int i = 0; i < n || i <= exponent; ++i) {
      to[at++] = i < n ? digits[i] : '0';
      if (i == exponent) to[at++] = '.';
    }
    if (n <= exponent + 1) to[at++] = '0';
  }
  to[at++] = 'f';
  return at;
}

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Both are exact but for one rounding, as long as |n| is at most 22.
static double times_power(double x, int n) {
  return n < 0 ? x / powers[-n] : x * powers[n];
}

static bool is_between_floats(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (bits & 0x1fffffffu) == 0x10000000u;
}

size_t tenon_c_put_float(char *to, float value) {
  uint32_t bits = cprint_bits_of(value);
  size_t at = 0;
  if ((bits >> 23 & 0xff) == 0xff) return 0;
  if (bits >> 31) to[at++] = '-';
  bits &= 0x7fffffffu;
  if (bits == 0) return at + cprint_put_text(to + at, "0.0f");
  double x = value < 0 ? -(double)value : (double)value;
  if (x < 1e-12 || x >= 1e15) return at + put_hex_float(to + at, bits);
  int exponent = 0;
  while (x < times_power(1, exponent))
    --exponent;
  while (x >= times_power(1, exponent + 1))
    ++exponent;
  for (int n = 6; n <= 9; ++n) {
    int shift = n - 1 - exponent;
    uint64_t q = (uint64_t)(times_power(x, shift) + 0.5);
    double back = times_power((double)q, -shift);
    if ((float)back != (float)x || is_between_floats(back)) continue;
    int carry = (double)q >= powers[n];
    return at + put_decimal(to + at, q, exponent + carry);
  }
  return at + put_hex_float(to + at, bits);
}

void tenon_c_int(tenon_buf *out, int64_t value) {
  char text[TENON_C_NUMBER];
  tenon_buf_add(out, text, tenon_c_put_int(text, value));
}

void tenon_c_uint(tenon_buf *out, uint64_t value) {
  char text[TENON_C_NUMBER];
  tenon_buf_add(out, text, tenon_c_put_uint(text, value));
}

void tenon_c_float(tenon_buf *out, float value) {
  char text[TENON_C_NUMBER];
  size_t size = tenon_c_put_float(text, value);
  tenon_buf_add(out, text, size);
  if (size) return;
  tenon_buf_text(out, value != value ? "NAN"
                      : value < 0    ? "-INFINITY"
                                     : "INFINITY");
}

void tenon_c_double(tenon_buf *out, double value) {
  bool is_finite = value - value == 0;
  if (is_finite) {
    tenon_buf_double(out, value);
  } else {
    tenon_buf_text(out, "(double)");
    tenon_c_float(out, (float)value);
  }
}

// --- texts ------------------------------------------------------------------

// The character at the start of a text in UTF-8 and how many bytes it takes; 0
// if these are not UTF-8.
static size_t take_char(const char *text, uint32_t *code) {
  const unsigned char *p = (const unsigned char *)text;
  size_t whole = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
  size_t has = strnlen(text, whole);
  if (has < whole || !tenon_text_is_utf8(text, whole)) return 0;
  *code = whole == 1 ? p[0] : p[0] & (0xffu >> (whole + 1));
  for (size_t i = 1; i < whole; ++i)
    *code = *code << 6 | (p[i] & 0x3fu);
  return whole;
}

#define COMMENT_MOST 400
#define NAME_MOST 52

static void cprint_put_escaped(tenon_buf *out, const char *mark, uint32_t code,
                               int digits) {
  char text[16];
  size_t at = 0;
  while (digits < 6 && code >> (4 * digits))
    ++digits;
  text[at++] = '<';
  at += cprint_put_text(text + at, mark);
  at += put_nibbles(text + at, code, digits);
  text[at++] = '>';
  for (size_t i = 1 + strlen(mark); mark[0] && i < at; ++i)
    if (text[i] >= 'a') text[i] = (char)(text[i] - 'a' + 'A');
  tenon_buf_add(out, text, at);
}

static void cprint_put_comment(tenon_buf *out, const char *text, size_t most) {
  size_t end = out->size + most;
  bool after_question = false;
  while (*text && out->size < end && !out->failed) {
    uint32_t code = 0;
    size_t whole = take_char(text, &code);
    char c = *text;
    if (whole == 0) {
      cprint_put_escaped(out, "", (unsigned char)c, 2);
    } else if (whole > 1 || code == 0x7f) {
      cprint_put_escaped(out, "U+", code, 4);
    } else if (code < 0x20) {
      tenon_buf_char(out, ' ');
    } else {
      // Two question marks in a row may begin a trigraph.
      if (c == '?' && after_question) tenon_buf_char(out, ' ');
      tenon_buf_char(out, c == '\\' ? '/' : c);
    }
    after_question = c == '?';
    text += whole ? whole : 1;
  }
  if (*text) tenon_buf_text(out, "...");
}

void tenon_c_comment(tenon_buf *out, const char *text) {
  cprint_put_comment(out, text, COMMENT_MOST);
}

void tenon_c_name(tenon_buf *out, const char *text) {
  cprint_put_comment(out, text, NAME_MOST);
}

void tenon_c_string(tenon_buf *out, const char *text) {
  tenon_buf_char(out, '"');
  for (; *text; ++text) {
    unsigned char c = (unsigned char)*text;
    bool is_special = c == '"' || c == '\\' || c == '?';
    if (c < 0x20 || c > 0x7e) {
      char octal[4] = {'\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)),
                       (char)('0' + (c & 7))};
      tenon_buf_add(out, octal, sizeof octal);
    } else {
      if (is_special) tenon_buf_char(out, '\\');
      tenon_buf_char(out, (char)c);
    }
  }
  tenon_buf_char(out, '"');
}

// --- types ------------------------------------------------------------------

const char *tenon_c_type(tenon_dtype dtype) {
  switch (dtype) {
    case 0:
      return "void";
    case TENON_F32:
    case TENON_C64:
      return "float";
    case TENON_F64:
    case TENON_C128:
      return "double";
    case TENON_S8:
      return "int8_t";
    case TENON_S16:
      return "int16_t";
    case TENON_S32:
      return "int32_t";
    case TENON_S64:
      return "int64_t";
    case TENON_F16:
    case TENON_BF16:
    case TENON_U16:
      return "uint16_t";
    case TENON_U32:
      return "uint32_t";
    case TENON_U64:
      return "uint64_t";
    case TENON_STR:
      return "tenon_string";
    default:
      return "uint8_t";
  }
}

const char *tenon_c_dtype(tenon_dtype dtype) {
  switch (dtype) {
#define DTYPE(ENUM, name, bits, kind, torch, numpy) \
  case TENON_##ENUM:                                \
    return "TENON_" #ENUM;
#include "core/dtype.def"
#undef DTYPE
    default:
      return "0";
  }
}

void tenon_c_put_value_int(tenon_buf *out, const tenon_put_value *v) {
  tenon_c_int(out, v->as.i);
}
void tenon_c_put_value_comment(tenon_buf *out, const tenon_put_value *v) {
  tenon_c_comment(out, (const char *)v->as.p);
}
void tenon_c_put_value_name(tenon_buf *out, const tenon_put_value *v) {
  tenon_c_name(out, (const char *)v->as.p);
}
void tenon_c_put_value_string(tenon_buf *out, const tenon_put_value *v) {
  tenon_c_string(out, (const char *)v->as.p);
}
