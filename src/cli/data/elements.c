// How: an element's bytes as a double or as text; whole numbers as text keep
// all of their bits.
#include <math.h>
#include <string.h>

#include "cli/cli.h"

static double half(uint16_t h) {
  int exponent = h >> 10 & 31;
  double m = h & 1023;
  double v = exponent == 31 ? (m > 0 ? (double)NAN : (double)INFINITY)
             : exponent     ? ldexp(1024 + m, exponent - 25)
                            : ldexp(m, -24);
  return h >> 15 ? -v : v;
}

double cli_element(const tenon_tensor *t, size_t i) {
  const char *p = (const char *)t->data;
  float f = 0;
  double d = 0;
  uint16_t h = 0;
  int64_t v = 0;
  size_t size = tenon_element_bytes(t->dtype);
  p += i * size;
  switch (t->dtype) {
    case TENON_F32:
      memcpy(&f, p, 4);
      return f;
    case TENON_F64:
      memcpy(&d, p, 8);
      return d;
    case TENON_F16:
      memcpy(&h, p, 2);
      return half(h);
    case TENON_BF16: {
      uint32_t bits = 0;
      memcpy(&h, p, 2);
      bits = (uint32_t)h << 16;
      memcpy(&f, &bits, 4);
      return f;
    }
    case TENON_S8:
      return *(const int8_t *)p;
    case TENON_S16:
      memcpy(&h, p, 2);
      return (int16_t)h;
    case TENON_S32: {
      int32_t s = 0;
      memcpy(&s, p, 4);
      return s;
    }
    case TENON_S64:
      memcpy(&v, p, 8);
      return (double)v;
    default:
      memcpy(&v, p, size <= 8 ? size : 8);
      return (double)(uint64_t)v;
  }
}

void cli_element_text(const tenon_tensor *t, size_t i, char *out, size_t size) {
  const char *p = (const char *)t->data + i * tenon_element_bytes(t->dtype);
  double v = cli_element(t, i);
  uint64_t u = 0;
  if (cli_is_real(t->dtype)) {
    snprintf(out, size, "%.*g", t->dtype == TENON_F64 ? 17 : 9, v);
  } else if (t->dtype == TENON_U64) {
    memcpy(&u, p, 8);
    snprintf(out, size, "%llu", (unsigned long long)u);
  } else if (t->dtype == TENON_S64) {
    memcpy(&u, p, 8);
    snprintf(out, size, "%lld", (long long)u);
  } else {
    snprintf(out, size, "%lld", (long long)v);
  }
}

static void format_level(const tenon_tensor *t, int level, size_t *at,
                         tenon_buf *out) {
  char text[40];
  if (level == t->rank && t->dtype == TENON_STR) {
    cli_string_format(t, (*at)++, false, out);
    return;
  }
  if (level == t->rank) {
    cli_element_text(t, (*at)++, text, sizeof text);
    tenon_buf_text(out, text);
    return;
  }
  tenon_buf_char(out, '[');
  for (int32_t i = 0; i < t->dims[level]; ++i) {
    if (i) tenon_buf_text(out, ", ");
    format_level(t, level + 1, at, out);
  }
  tenon_buf_char(out, ']');
}

void cli_literal_format(const tenon_tensor *t, tenon_buf *out) {
  size_t at = 0;
  format_level(t, 0, &at, out);
}

bool cli_is_real(tenon_dtype t) {
  return t == TENON_F32 || t == TENON_F64 || t == TENON_F16 || t == TENON_BF16;
}

bool cli_same_shape(const tenon_tensor *a, const tenon_tensor *b) {
  bool same = a->dtype == b->dtype && a->rank == b->rank;
  for (int i = 0; same && i < a->rank; ++i)
    same = a->dims[i] == b->dims[i];
  return same;
}

const char *cli_kind_type(uint32_t kind) {
  static const char *const types[] = {
      [TENON_KIND_BOOL] = "bool",
      [TENON_KIND_INT] = "int64_t",
      [TENON_KIND_FLOAT] = "double",
      [TENON_KIND_STR] = "const char *",
      [TENON_KIND_INTS] = "tenon_ints",
      [TENON_KIND_FLOATS] = "tenon_floats",
      [TENON_KIND_DTYPE] = "tenon_dtype",
      [TENON_KIND_SCALAR] = "tenon_scalar",
      [TENON_KIND_BOOLS] = "tenon_bools",
      [TENON_KIND_SCALARS] = "tenon_scalars",
      [TENON_KIND_OPT_BOOL] = "tenon_opt_bool",
      [TENON_KIND_OPT_INT] = "tenon_opt_int",
      [TENON_KIND_OPT_FLOAT] = "tenon_opt_float",
      [TENON_KIND_STRS] = "tenon_strs"};
  return kind < sizeof types / sizeof *types && types[kind] ? types[kind] : "";
}
