// How: "3", "[[1, 2], [3, 4]]", "true", "none": brackets give the shape, which
// has to be that of the input; a list without inner ones fills any shape of as
// many elements.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// --- one number -------------------------------------------------------------

static uint16_t half_of(double d) {
  uint16_t sign = signbit(d) ? 0x8000 : 0;
  double a = fabs(d);
  int exponent = 0;
  if (isnan(d)) return (uint16_t)(sign | 0x7e00);
  if (a >= 65520) return (uint16_t)(sign | 0x7c00);
  (void)frexp(a, &exponent);
  --exponent;
  if (a == 0 || exponent < -14) exponent = -14;
  // A carry out of the fraction runs into the exponent, as it should.
  double fraction = nearbyint(ldexp(a, 10 - exponent));
  return (uint16_t)(sign | (((exponent + 14) << 10) + (int)fraction));
}

static uint16_t bfloat_of(double d) {
  float f = (float)d;
  uint32_t bits = 0;
  memcpy(&bits, &f, 4);
  if (isnan(d)) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static bool put_float(tenon_dtype dtype, void *to, double d) {
  float f = (float)d;
  uint16_t h = dtype == TENON_F16 ? half_of(d) : bfloat_of(d);
  switch (dtype) {
    case TENON_F32:
      memcpy(to, &f, 4);
      return true;
    case TENON_F64:
      memcpy(to, &d, 8);
      return true;
    case TENON_F16:
    case TENON_BF16:
      memcpy(to, &h, 2);
      return true;
    default:
      return false;
  }
}

static bool literal_is_word(const char *text, size_t n, const char *a,
                            const char *b, const char *c) {
  return (strlen(a) == n && memcmp(text, a, n) == 0) ||
         (strlen(b) == n && memcmp(text, b, n) == 0) ||
         (strlen(c) == n && memcmp(text, c, n) == 0);
}

static bool put_integer(tenon_dtype dtype, void *to, const char *text,
                        const char *end) {
  char *stop = NULL;
  size_t size = tenon_element_bytes(dtype);
  bool is_unsigned = dtype == TENON_U8 || dtype == TENON_U16 ||
                     dtype == TENON_U32 || dtype == TENON_U64;
  bool is_signed = dtype == TENON_S8 || dtype == TENON_S16 ||
                   dtype == TENON_S32 || dtype == TENON_S64;
  if (!is_unsigned && !is_signed) return false;
  errno = 0;
  if (dtype == TENON_U64) {
    unsigned long long u = strtoull(text, &stop, 10);
    memcpy(to, &u, 8);
    return stop == end && errno == 0 && *text != '-';
  }
  long long v = strtoll(text, &stop, 10);
  if (stop != end || errno) return false;
  if (size < 8) {
    long long top = 1LL << (size * 8 - (is_unsigned ? 0 : 1));
    if (v >= top || v < (is_unsigned ? 0 : -top)) return false;
  }
  memcpy(to, &v, size);  // little-endian hosts only, as all of Tenon
  return true;
}

static bool literal_put_number(tenon_dtype dtype, void *to, const char *text,
                               size_t n) {
  char *stop = NULL;
  if (n == 0) return false;
  if (dtype == TENON_BOOL) {
    bool is_true = literal_is_word(text, n, "true", "True", "1");
    *(uint8_t *)to = is_true;
    return is_true || literal_is_word(text, n, "false", "False", "0");
  }
  if (dtype == TENON_F32 || dtype == TENON_F64 || dtype == TENON_F16 ||
      dtype == TENON_BF16) {
    double d = strtod(text, &stop);
    return stop == text + n && put_float(dtype, to, d);
  }
  return put_integer(dtype, to, text, text + n);
}

// --- lists ------------------------------------------------------------------

typedef struct list {
  const char *at;
  int64_t dims[TENON_MAX_RANK];  // -1: not seen yet
  int rank;                      // deepest bracket with numbers in it
  size_t count;                  // numbers so far
  cli_tensor *out;               // null: only counting
  cli_strings *strings;          // null: numbers
  bool has_strings;
} list;

static void literal_skip_blanks(list *l) {
  while (*l->at == ' ')
    ++l->at;
}

static bool read_string(list *l, int depth) {
  tenon_buf text = {0};
  const char *end = cli_string_parse(l->at, &text);
  if (l->rank < 0) l->rank = depth;
  if (end && l->strings) cli_strings_add(l->strings, text.data, text.size);
  tenon_buf_deinit(&text);
  ++l->count;
  l->at = end;
  return end && depth == l->rank;
}

static bool literal_read_number(list *l, int depth) {
  if (l->has_strings) return *l->at == '"' && read_string(l, depth);
  size_t n = strcspn(l->at, ",] ");
  if (l->rank < 0) l->rank = depth;
  if (depth != l->rank) return false;
  if (l->out) {
    size_t size = tenon_element_bytes(l->out->view.dtype);
    if (!literal_put_number(l->out->view.dtype,
                            (char *)l->out->memory + l->count * size, l->at, n))
      return false;
  }
  ++l->count;
  l->at += n;
  return n > 0;
}

// Levels follow each other through `depth`; a text that nests deeper than any
// tensor is refused before.
static bool literal_read_list(list *l, int depth) {
  int64_t n = 0;
  if (depth >= TENON_MAX_RANK) return false;
  ++l->at;
  literal_skip_blanks(l);
  while (*l->at && *l->at != ']') {
    bool ok = *l->at == '[' ? literal_read_list(l, depth + 1)
                            : literal_read_number(l, depth + 1);
    if (!ok) return false;
    ++n;
    literal_skip_blanks(l);
    if (*l->at == ',')
      ++l->at;
    else if (*l->at != ']')
      return false;
    literal_skip_blanks(l);
  }
  if (*l->at != ']') return false;
  ++l->at;
  if (n == 0 && l->rank < 0) l->rank = depth + 1;
  if (l->dims[depth] >= 0 && l->dims[depth] != n) return false;
  l->dims[depth] = n;
  return true;
}

static bool scan(const char *text, tenon_dtype dtype, cli_tensor *out,
                 list *l) {
  cli_strings strings = {.to = out};
  *l = (list){.at = text,
              .rank = -1,
              .out = out,
              .has_strings = dtype == TENON_STR,
              .strings = out && dtype == TENON_STR ? &strings : NULL};
  for (int i = 0; i < TENON_MAX_RANK; ++i)
    l->dims[i] = -1;
  bool ok = *text == '[' && literal_read_list(l, 0) && !*l->at;
  strings.failed |= !ok;
  return l->strings ? cli_strings_end(&strings) : ok;
}

static bool is_shape_of(const tenon_io *io, const list *l) {
  bool same = l->rank == io->rank;
  for (int i = 0; same && i < io->rank; ++i)
    same = io->dims[i] < 0 || io->dims[i] == l->dims[i];
  return same;
}

// The shape of what is written; false: it does not fit.
static bool fit(const tenon_io *io, const char *text, int64_t *dims) {
  size_t count = 1;
  bool is_open = false;
  list l;
  for (int i = 0; i < io->rank; ++i) {
    is_open |= io->dims[i] < 0;
    dims[i] = io->dims[i] < 0 ? 1 : io->dims[i];
    count *= (size_t)dims[i];
  }
  if (*text != '[') return count == 1;
  if (!scan(text, io->dtype, NULL, &l)) return false;
  if (is_shape_of(io, &l)) {
    for (int i = 0; i < io->rank; ++i)
      dims[i] = l.dims[i];
    return true;
  }
  if (is_open && io->rank == 1) dims[0] = (int64_t)l.count;
  return l.rank == 1 && (is_open ? io->rank == 1 : l.count == count);
}

// One, in quotes or without.
static bool literal_put_string(cli_tensor *out, const char *text) {
  cli_strings strings = {.to = out};
  tenon_buf bytes = {0};
  const char *end = *text == '"' ? cli_string_parse(text, &bytes) : NULL;
  strings.failed = *text == '"' && !(end && !*end);
  if (*text == '"')
    cli_strings_add(&strings, bytes.data, bytes.size);
  else
    cli_strings_add(&strings, text, strlen(text));
  tenon_buf_deinit(&bytes);
  return cli_strings_end(&strings);
}

bool cli_literal_parse(cli *c, const char *text, const tenon_io *io,
                       cli_tensor *out) {
  int64_t dims[TENON_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
  list l;
  memset(out, 0, sizeof *out);
  if (io->dtype == 0) {
    if (literal_is_word(text, strlen(text), "none", "None", "null"))
      return true;
    (void)cli_fail(c, TENON_BAD_INPUT, "cli-input",
                   "'%s': expected none, found '%s'", io->name, text);
    return false;
  }
  if (!fit(io, text, dims)) {
    (void)cli_fail(c, TENON_BAD_INPUT, "cli-input",
                   "'%s': expected a file, or a number or list of shape %s, "
                   "found '%s'",
                   io->name, io->shape, text);
    return false;
  }
  if (!cli_tensor_make(out, io->dtype, dims, io->rank)) return false;
  bool ok =
      *text == '[' ? scan(text, io->dtype, out, &l)
      : io->dtype == TENON_STR
          ? literal_put_string(out, text)
          : literal_put_number(io->dtype, out->memory, text, strlen(text));
  if (ok) return true;
  (void)cli_fail(c, TENON_BAD_INPUT, "cli-input",
                 "'%s': expected %s, found '%s'", io->name,
                 cli_dtype_name(io->dtype), text);
  cli_tensor_free(out);
  return false;
}
