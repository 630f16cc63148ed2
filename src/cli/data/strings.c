// How: the bytes of a tensor's strings lie one after the other in a block of
// its own; elements point into it once all are there, since it moves while it
// grows. NumPy's counterparts are |S, padded with zeros, and <U, of code
// points.
#include <string.h>

#include "cli/cli.h"

static tenon_string *elements_of(const cli_tensor *t) {
  return (tenon_string *)t->memory;
}

bool cli_tensor_copy(cli_tensor *to, const tenon_tensor *from) {
  int64_t dims[TENON_MAX_RANK];
  cli_strings all = {.to = to};
  for (int i = 0; i < from->rank; ++i)
    dims[i] = from->dims[i];
  if (!cli_tensor_make(to, from->dtype, dims, from->rank)) return false;
  if (!to->size || !from->data) return true;
  if (from->dtype != TENON_STR) {
    memcpy(to->memory, from->data, to->size);
    return true;
  }
  const tenon_string *strings = (const tenon_string *)from->data;
  for (size_t i = 0; i < to->size / sizeof *strings; ++i)
    cli_strings_add(&all, strings[i].at.data, (size_t)strings[i].size);
  return cli_strings_end(&all);
}

bool cli_string_same(const tenon_tensor *a, const tenon_tensor *b, size_t i) {
  const tenon_string *x = (const tenon_string *)a->data + i;
  const tenon_string *y = (const tenon_string *)b->data + i;
  return x->size == y->size &&
         (x->size == 0 || memcmp(x->at.data, y->at.data, (size_t)x->size) == 0);
}

// --- text --------------------------------------------------------------------

static size_t put_utf8(char *to, uint32_t c) {
  const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
  for (int k = more; k > 0; --k, c >>= 6)
    to[k] = (char)(0x80 | (c & 0x3f));
  to[0] = (char)(first[more] | c);
  return (size_t)more + 1;
}

// Bytes of the character at `p`; 0: none of UTF-8.
static size_t utf8_at(const unsigned char *p, size_t left) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const size_t n = *p < 0x80   ? 1
                   : *p < 0xc2 ? 0
                   : *p < 0xe0 ? 2
                   : *p < 0xf0 ? 3
                   : *p < 0xf5 ? 4
                               : 0;
  if (n == 0 || n > left) return 0;
  uint32_t c = n == 1 ? *p : *p & (0xffu >> (n + 1));
  for (size_t k = 1; k < n; ++k) {
    if ((p[k] & 0xc0) != 0x80) return 0;
    c = c << 6 | (p[k] & 0x3fu);
  }
  if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0;
  return n;
}

// Whether a character may be printed as it is.
static bool cli_string_is_plain(const unsigned char *p, size_t n) {
  char text[5] = {0};
  memcpy(text, p, n);
  return n > 0 && *p >= 0x20 && tenon_text_show(NULL, 0, text) == n;
}

static uint32_t cli_string_point_of(const unsigned char *p, size_t n) {
  uint32_t c = n == 1 ? *p : *p & (0xffu >> (n + 1));
  for (size_t k = 1; k < n; ++k)
    c = c << 6 | (p[k] & 0x3fu);
  return c;
}

static void cli_string_put_escaped(tenon_buf *out, const unsigned char *p,
                                   size_t n, bool is_json) {
  if (!is_json) {
    for (size_t k = 0; k < (n ? n : 1); ++k)
      tenon_buf_format(out, "\\x%02x", p[k]);
    return;
  }
  uint32_t c = n ? cli_string_point_of(p, n) : 0;
  if (n == 0) {  // no UTF-8: as Python's "surrogateescape" has the byte
    tenon_buf_format(out, "\\udc%02x", *p);
  } else if (c < 0x10000) {
    tenon_buf_format(out, "\\u%04x", (unsigned)c);
  } else {
    c -= 0x10000;
    tenon_buf_format(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + (c >> 10)),
                     (unsigned)(0xdc00 + (c & 0x3ff)));
  }
}

void cli_string_format(const tenon_tensor *t, size_t i, bool is_json,
                       tenon_buf *out) {
  const tenon_string *s = (const tenon_string *)t->data + i;
  const unsigned char *p = (const unsigned char *)s->at.data;
  tenon_buf_char(out, '"');
  for (size_t left = (size_t)s->size; left > 0;) {
    const size_t n = utf8_at(p, left), step = n ? n : 1;
    if (*p == '"' || *p == '\\')
      tenon_buf_format(out, "\\%c", *p);
    else if (cli_string_is_plain(p, n))
      tenon_buf_add(out, p, n);
    else
      cli_string_put_escaped(out, p, n, is_json);
    p += step;
    left -= step;
  }
  tenon_buf_char(out, '"');
}

static int cli_string_hex_of(const char *p, int digits, uint32_t *out) {
  *out = 0;
  for (int k = 0; k < digits; ++k) {
    const char *all = "0123456789abcdef";
    const char c = p[k] >= 'A' && p[k] <= 'F' ? (char)(p[k] + 32) : p[k];
    const char *found = c ? strchr(all, c) : NULL;
    if (!found) return 0;
    *out = *out << 4 | (uint32_t)(found - all);
  }
  return digits;
}

// One character behind a backslash; how many bytes of text it takes, 0: none.
static size_t take_escape(const char *p, char *to, size_t *n) {
  static const char letters[] = "\"\\/nrtbf", meant[] = "\"\\/\n\r\t\b\f";
  uint32_t c = 0, low = 0;
  const char *found = *p ? strchr(letters, *p) : NULL;
  *n = 1;
  if (found) {
    *to = meant[found - letters];
    return 1;
  }
  if (*p == 'x' && cli_string_hex_of(p + 1, 2, &c)) {
    *to = (char)c;
    return 3;
  }
  if (*p != 'u' || !cli_string_hex_of(p + 1, 4, &c)) return 0;
  if (c >= 0xdc80 && c <= 0xdcff) {  // a byte: see put_escaped
    *to = (char)(c & 0xff);
    return 5;
  }
  if (c >= 0xd800 && c < 0xdc00 && p[5] == '\\' && p[6] == 'u' &&
      cli_string_hex_of(p + 7, 4, &low) && low >= 0xdc00 && low < 0xe000) {
    *n = put_utf8(to, 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00)));
    return 11;
  }
  if (c >= 0xd800 && c < 0xe000) return 0;
  *n = put_utf8(to, c);
  return 5;
}

const char *cli_string_parse(const char *p, tenon_buf *out) {
  if (*p++ != '"') return NULL;
  while (*p && *p != '"') {
    char c[4] = {*p};
    size_t n = 1, step = 1;
    if (*p == '\\') {
      step = take_escape(p + 1, c, &n);
      if (step++ == 0) return NULL;
    }
    tenon_buf_add(out, c, n);
    p += step;
  }
  return *p && !out->failed ? p + 1 : NULL;
}

// --- all elements of a tensor ------------------------------------------------

// Where it points to is said at the end.
void cli_strings_add(cli_strings *s, const char *data, size_t size) {
  if (s->n >= s->to->size / sizeof(tenon_string)) return;
  elements_of(s->to)[s->n++].size = size;
  tenon_buf_add(&s->bytes, data, size);
}

bool cli_strings_end(cli_strings *s) {
  size_t at = 0;
  if (s->failed || s->bytes.failed) {
    tenon_buf_deinit(&s->bytes);
    return false;
  }
  s->to->texts = s->bytes.data;
  for (size_t i = 0; i < s->to->size / sizeof(tenon_string); ++i) {
    tenon_string *one = &elements_of(s->to)[i];
    one->at.data = s->bytes.data ? s->bytes.data + at : "";
    at += (size_t)one->size;
  }
  return true;
}

// --- of drivers --------------------------------------------------------------

void cli_strings_write(const tenon_tensor *t, tenon_buf *out) {
  const tenon_string *strings = (const tenon_string *)t->data;
  for (size_t i = 0; i < tenon_count(t); ++i) {
    tenon_buf_add(out, &strings[i].size, sizeof strings[i].size);
    tenon_buf_add(out, strings[i].at.data, (size_t)strings[i].size);
  }
}

size_t cli_strings_read(cli_tensor *out, const char *data, size_t size) {
  cli_strings all = {.to = out};
  size_t at = 0;
  for (size_t i = 0; i < out->size / sizeof(tenon_string); ++i) {
    uint64_t one = 0;
    if (size - at < sizeof one) break;
    memcpy(&one, data + at, sizeof one);
    at += sizeof one;
    if (size - at < one) break;
    cli_strings_add(&all, data + at, (size_t)one);
    at += (size_t)one;
  }
  all.failed |= all.n < out->size / sizeof(tenon_string);
  return cli_strings_end(&all) ? at : SIZE_MAX;
}

// --- .npy --------------------------------------------------------------------

bool cli_strings_unpack(cli_tensor *out, char kind, size_t width,
                        const char *data) {
  cli_strings all = {.to = out};
  const size_t n = out->size / sizeof(tenon_string);
  tenon_buf one = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < n; ++i) {
    if (kind == 'S') {
      const char *p = data + i * width;
      size_t size = width;
      while (size > 0 && p[size - 1] == 0)
        --size;
      cli_strings_add(&all, p, size);
      continue;
    }
    one.size = 0;
    size_t count = width;
    uint32_t c = 0;
    for (; count > 0; --count) {
      memcpy(&c, data + (i * width + count - 1) * 4, 4);
      if (c) break;
    }
    for (size_t k = 0; ok && k < count; ++k) {
      char text[4];
      memcpy(&c, data + (i * width + k) * 4, 4);
      ok = c <= 0x10ffff;
      if (ok) tenon_buf_add(&one, text, put_utf8(text, c));
    }
    cli_strings_add(&all, one.data, one.size);
  }
  all.failed |= !ok || one.failed;
  tenon_buf_deinit(&one);
  return cli_strings_end(&all);
}

bool cli_strings_pack(const tenon_tensor *t, size_t *width, tenon_buf *out) {
  const tenon_string *strings = (const tenon_string *)t->data;
  const size_t n = tenon_count(t);
  *width = 1;
  for (size_t i = 0; i < n; ++i) {
    // NumPy takes zeros at the end for padding.
    if (strings[i].size && strings[i].at.data[strings[i].size - 1] == 0)
      return false;
    if (strings[i].size > *width) *width = (size_t)strings[i].size;
  }
  for (size_t i = 0; i < n; ++i) {
    tenon_buf_add(out, strings[i].at.data, (size_t)strings[i].size);
    for (size_t k = (size_t)strings[i].size; k < *width; ++k)
      tenon_buf_char(out, 0);
  }
  return !out->failed;
}
