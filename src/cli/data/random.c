// How: a counter through a mixing function gives the bits of each element. What
// an input is drawn from, --random-range says; nothing said, floats are in
// [-1, 1), 8 and 16 bits whole, and wider integers 0 or 1: those are mostly
// ids, lengths and counts, and nothing larger is right for all of them.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// SplitMix64: a counter through a mixing function (Steele, Lea, Flood 2014).
static uint64_t mix(uint64_t x) {
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static double unit(uint64_t bits) {
  return (double)(bits >> 11) * 0x1p-53 * 2 - 1;
}

// Words of up to six letters.
static void draw_strings(cli_tensor *t, uint64_t seed) {
  cli_strings all = {.to = t};
  for (size_t i = 0; i < t->size / sizeof(tenon_string); ++i) {
    char word[6];
    uint64_t bits = mix(mix(seed) + i);
    const size_t n = (size_t)(bits % (sizeof word + 1));
    for (size_t k = 0; k < n; ++k)
      word[k] = (char)('a' + (bits >> (8 * (k + 1))) % 26);
    cli_strings_add(&all, word, n);
  }
  (void)cli_strings_end(&all);
}

void cli_tensor_random(cli_tensor *t, uint64_t seed) {
  if (t->view.dtype == TENON_STR) {
    draw_strings(t, seed);
    return;
  }
  size_t unit_size = tenon_element_bytes(t->view.dtype);
  size_t n = unit_size ? t->size / unit_size : 0;
  char *p = (char *)t->memory;
  for (size_t i = 0; i < n; ++i, p += unit_size) {
    uint64_t bits = mix(mix(seed) + i);
    float f = (float)unit(bits);
    double d = unit(bits);
    switch (t->view.dtype) {
      case TENON_F32:
        memcpy(p, &f, 4);
        break;
      case TENON_F64:
        memcpy(p, &d, 8);
        break;
      case TENON_F16:
      case TENON_BF16: {
        // A sign, an exponent below that of one, and the top bits: within [-1,
        // 1).
        uint16_t h =
            (uint16_t)((bits & 0x8000) |
                       (t->view.dtype == TENON_F16 ? 0x3000 + (bits & 0x0bff)
                                                   : 0x3e00 + (bits & 0x017f)));
        memcpy(p, &h, 2);
        break;
      }
      case TENON_BOOL:
        *p = (char)(bits & 1);
        break;
      default:
        memcpy(p, &bits, unit_size <= 8 ? unit_size : 8);
    }
  }
}

// --- ranges -----------------------------------------------------------------

typedef struct range {
  int64_t lo, hi;  // of integers
  double real_lo, real_hi;
} range;

static bool is_signed(tenon_dtype t) {
  return t == TENON_S8 || t == TENON_S16 || t == TENON_S32 || t == TENON_S64;
}

bool cli_random_is_integer(tenon_dtype t) {
  return is_signed(t) || t == TENON_U8 || t == TENON_U16 || t == TENON_U32 ||
         t == TENON_U64;
}

// Those of a type; of u64 what an int64_t has.
static range limits_of(tenon_dtype t) {
  int bits = (int)tenon_element_bytes(t) * 8 - (is_signed(t) ? 1 : 0);
  range r = {0};
  r.hi = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
  r.lo = is_signed(t) ? -r.hi - 1 : 0;
  return r;
}

// "LO..HI"; false: it is none. Both ends are of an integer.
static bool cli_random_parse(const char *text, bool is_real, range *out) {
  const char *dots = strstr(text, "..");
  char low[64], *end = NULL;
  if (!dots || dots == text || !dots[2] || (size_t)(dots - text) >= sizeof low)
    return false;
  memcpy(low, text, (size_t)(dots - text));
  low[dots - text] = 0;
  errno = 0;
  out->real_lo = strtod(low, &end);
  out->lo = is_real ? 0 : strtoll(low, &end, 10);
  if (*end) return false;
  out->real_hi = strtod(dots + 2, &end);
  out->hi = is_real ? 0 : strtoll(dots + 2, &end, 10);
  if (*end || errno != 0) return false;
  // Nor is one nan, or both too far apart for what is between them.
  return is_real ? out->real_hi - out->real_lo >= 0 &&
                       out->real_hi - out->real_lo < 1e308
                 : out->lo <= out->hi;
}

static void draw_integers(cli_tensor *t, uint64_t seed, const range *r) {
  size_t size = tenon_element_bytes(t->view.dtype);
  char *p = (char *)t->memory;
  uint64_t count = (uint64_t)r->hi - (uint64_t)r->lo + 1;  // 0: all there are
  for (size_t i = 0; i < t->size / size; ++i, p += size) {
    uint64_t bits = mix(mix(seed) + i);
    uint64_t u64 = (uint64_t)r->lo + (count ? bits % count : bits);
    uint32_t u32 = (uint32_t)u64;
    uint16_t u16 = (uint16_t)u64;
    uint8_t u8 = (uint8_t)u64;
    memcpy(p,
           size == 1   ? (const void *)&u8
           : size == 2 ? (const void *)&u16
           : size == 4 ? (const void *)&u32
                       : (const void *)&u64,
           size);
  }
}

static void draw_reals(cli_tensor *t, uint64_t seed, const range *r) {
  size_t size = tenon_element_bytes(t->view.dtype);
  char *p = (char *)t->memory;
  for (size_t i = 0; i < t->size / size; ++i, p += size) {
    double u = (unit(mix(mix(seed) + i)) + 1) / 2;
    double d = r->real_lo + (r->real_hi - r->real_lo) * u;
    float f = (float)d;
    memcpy(p, size == 4 ? (const void *)&f : (const void *)&d, size);
  }
}

int cli_random_input(cli *c, const tenon_io *io, const char *text,
                     uint64_t seed, cli_tensor *t) {
  bool is_integer = cli_random_is_integer(io->dtype);
  bool is_real = io->dtype == TENON_F32 || io->dtype == TENON_F64;
  const range most = limits_of(io->dtype);
  range r = {.hi = 1};
  if (!text) {
    if (is_integer && tenon_element_bytes(io->dtype) >= 4)
      draw_integers(t, seed, &r);
    else
      cli_tensor_random(t, seed);
    return 0;
  }
  if (!is_integer && !is_real)
    return cli_fail(c, CLI_USAGE, "cli-value",
                    "'--random-range' is for integers, f32 and f64; '%s' is %s",
                    io->name, cli_dtype_name(io->dtype));
  if (!cli_random_parse(text, is_real, &r) ||
      (is_integer && (r.lo < most.lo || r.hi > most.hi)))
    return cli_fail(c, CLI_USAGE, "cli-value",
                    "'--random-range' of '%s' expects LO..HI of %s, as "
                    "0..49, found '%s'",
                    io->name, cli_dtype_name(io->dtype), text);
  if (is_integer)
    draw_integers(t, seed, &r);
  else
    draw_reals(t, seed, &r);
  return 0;
}
