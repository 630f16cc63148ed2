// How: the header of a .npy is a Python dictionary in text; three keys are
// looked for in it. Format: NumPy's NEP 1. Big-endian data and Fortran order
// are refused in words.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

typedef struct dtype_row {
  tenon_dtype dtype;
  const char *descr;  // NumPy's; null: none
  const char *name;
} dtype_row;

// The types that have whole bytes.
static const dtype_row rows[] = {{TENON_F32, "<f4", "f32"},
                                 {TENON_F64, "<f8", "f64"},
                                 {TENON_F16, "<f2", "f16"},
                                 {TENON_S8, "|i1", "s8"},
                                 {TENON_U8, "|u1", "u8"},
                                 {TENON_S16, "<i2", "s16"},
                                 {TENON_U16, "<u2", "u16"},
                                 {TENON_S32, "<i4", "s32"},
                                 {TENON_U32, "<u4", "u32"},
                                 {TENON_S64, "<i8", "s64"},
                                 {TENON_U64, "<u8", "u64"},
                                 {TENON_BOOL, "|b1", "bool"},
                                 {TENON_C64, "<c8", "c64"},
                                 {TENON_C128, "<c16", "c128"},
                                 {TENON_BF16, NULL, "bf16"},
                                 {TENON_F8E4M3FN, NULL, "f8e4m3fn"},
                                 {TENON_F8E5M2, NULL, "f8e5m2"},
                                 {TENON_F8E4M3FNUZ, NULL, "f8e4m3fnuz"},
                                 {TENON_F8E5M2FNUZ, NULL, "f8e5m2fnuz"},
                                 {TENON_F8E8M0FNU, NULL, "f8e8m0fnu"},
                                 {TENON_STR, NULL, "str"}};
#define N_ROWS (sizeof rows / sizeof *rows)

static const dtype_row *npy_find(tenon_dtype t) {
  for (size_t i = 0; i < N_ROWS; ++i)
    if (rows[i].dtype == t) return &rows[i];
  return NULL;
}

const char *cli_dtype_name(tenon_dtype t) {
  const dtype_row *r = npy_find(t);
  return r ? r->name : t ? "a packed type" : "none";
}

static bool npy_bad(cli *c, const char *where, const char *what) {
  (void)cli_fail(c, TENON_BAD_INPUT, "cli-npy", "%s: %s", where, what);
  return false;
}

// What follows 'key': in the header.
static const char *npy_value_of(const char *header, const char *key) {
  const char *p = strstr(header, key);
  if (!p) return NULL;
  p = strchr(p + strlen(key), ':');
  if (!p) return NULL;
  ++p;
  while (*p == ' ')
    ++p;
  return p;
}

static int parse_shape(const char *p, int64_t dims[TENON_MAX_RANK]) {
  int rank = 0;
  if (*p++ != '(') return -1;
  for (;;) {
    while (*p == ' ' || *p == ',')
      ++p;
    if (*p == ')') return rank;
    char *end = NULL;
    long long v = strtoll(p, &end, 10);
    if (end == p || v < 0 || rank == TENON_MAX_RANK) return -1;
    dims[rank++] = v;
    p = *end == 'L' ? end + 1 : end;
  }
}

// Of strings: 'S' or 'U', and how many bytes or code points each has.
typedef struct string_form {
  char kind;
  size_t width;
} string_form;

static tenon_dtype parse_descr(const char *p, string_form *form) {
  if (*p != '\'' && *p != '"') return 0;
  ++p;
  if ((p[0] == '|' && p[1] == 'S') || (p[0] == '<' && p[1] == 'U')) {
    char *end = NULL;
    const long long width = strtoll(p + 2, &end, 10);
    if (end == p + 2 || width < 0 || width > INT32_MAX) return 0;
    *form = (string_form){p[1], (size_t)width};
    return TENON_STR;
  }
  for (size_t i = 0; i < N_ROWS; ++i)
    if (rows[i].descr && strncmp(p, rows[i].descr, strlen(rows[i].descr)) == 0)
      return rows[i].dtype;
  return 0;
}

// The header's text, ended by a zero, and where the data begins.
static char *copy_header(const unsigned char *p, size_t size, size_t *data) {
  if (size < 10 || memcmp(p, "\x93NUMPY", 6) != 0) return NULL;
  size_t at = p[6] >= 2 ? 12 : 10, n = (size_t)p[8] | (size_t)p[9] << 8;
  if (p[6] >= 2) {
    if (size < 12) return NULL;
    n |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
  }
  if (n > size - at || n > 1u << 20) return NULL;
  char *text = (char *)malloc(n + 1);
  if (!text) return NULL;
  memcpy(text, p + at, n);
  text[n] = 0;
  *data = at + n;
  return text;
}

static bool parse_header(cli *c, const char *where, const char *header,
                         cli_tensor *out, string_form *form) {
  int64_t dims[TENON_MAX_RANK] = {0};
  const char *descr = npy_value_of(header, "'descr'");
  const char *order = npy_value_of(header, "'fortran_order'");
  const char *shape = npy_value_of(header, "'shape'");
  if (!descr || !order || !shape) return npy_bad(c, where, "not a .npy header");
  tenon_dtype dtype = parse_descr(descr, form);
  if (!dtype)
    return npy_bad(c, where, "an element type that has no counterpart");
  int rank = parse_shape(shape, dims);
  if (rank < 0) return npy_bad(c, where, "a shape that cannot be read");
  if (strncmp(order, "True", 4) == 0 && rank > 1)
    return npy_bad(c, where,
                   "Fortran order; save it with numpy.ascontiguousarray");
  if (!cli_tensor_make(out, dtype, dims, rank))
    return npy_bad(c, where, "too large");
  return true;
}

bool cli_npy_parse(cli *c, const char *where, const void *data, size_t size,
                   cli_tensor *out) {
  size_t begin = 0;
  string_form form = {0, 0};
  memset(out, 0, sizeof *out);
  char *header = copy_header((const unsigned char *)data, size, &begin);
  if (!header) return npy_bad(c, where, "not a .npy file");
  bool ok = parse_header(c, where, header, out, &form);
  free(header);
  if (!ok) return false;
  const char *elements = (const char *)data + begin;
  const size_t unit = form.kind == 'U' ? 4 * form.width : form.width;
  const size_t count = out->size / sizeof(tenon_string);
  if (form.kind ? unit && count > (size - begin) / unit
                : size - begin < out->size) {
    cli_tensor_free(out);
    return npy_bad(c, where, "shorter than its header says");
  }
  if (form.kind) {
    if (cli_strings_unpack(out, form.kind, form.width, elements)) return true;
    cli_tensor_free(out);
    return npy_bad(c, where, "strings that cannot be read");
  }
  if (out->size) memcpy(out->memory, elements, out->size);
  return true;
}

bool cli_npy_format(const tenon_tensor *t, tenon_buf *out) {
  static const char *const bits[] = {NULL, "|u1", "<u2", NULL, "<u4"};
  const dtype_row *r = npy_find(t->dtype);
  char header[256];
  tenon_buf strings = {0};
  char padded[32];
  size_t width = 0;
  if (!r) return false;
  if (t->dtype == TENON_STR && !cli_strings_pack(t, &width, &strings)) {
    tenon_buf_deinit(&strings);
    return false;
  }
  snprintf(padded, sizeof padded, "|S%zu", width);
  const char *descr = t->dtype == TENON_STR ? padded
                      : r->descr            ? r->descr
                                 : bits[tenon_element_bytes(r->dtype)];
  int n = snprintf(header, sizeof header,
                   "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (int i = 0; i < t->rank; ++i)
    n += snprintf(header + n, sizeof header - (size_t)n, "%s%d", i ? ", " : "",
                  (int)t->dims[i]);
  n += snprintf(header + n, sizeof header - (size_t)n, "%s), }",
                t->rank == 1 ? "," : "");
  while ((n + 11) % 64)
    header[n++] = ' ';
  header[n++] = '\n';
  char front[10] = {'\x93',          'N',           'U', 'M', 'P', 'Y', 1, 0,
                    (char)(n & 255), (char)(n >> 8)};
  tenon_buf_add(out, front, sizeof front);
  tenon_buf_add(out, header, (size_t)n);
  if (t->dtype == TENON_STR)
    tenon_buf_add(out, strings.data, strings.size);
  else
    tenon_buf_add(out, t->data, tenon_count(t) * tenon_element_bytes(t->dtype));
  tenon_buf_deinit(&strings);
  return !out->failed;
}

bool cli_npy_read(cli *c, const char *path, cli_tensor *out) {
  tenon_buf b;
  if (!cli_read_file(c, path, &b)) return false;
  bool ok = cli_npy_parse(c, path, b.data, b.size, out);
  tenon_buf_deinit(&b);
  return ok;
}

bool cli_npy_write(cli *c, const char *path, const tenon_tensor *t) {
  tenon_buf b = {0};
  bool ok =
      cli_npy_format(t, &b)
          ? cli_write_file(c, path, b.data, b.size)
          : npy_bad(c, path, "this element type cannot be written as .npy");
  tenon_buf_deinit(&b);
  return ok;
}
