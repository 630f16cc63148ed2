// How: the bytes of a tensor's strings lie one after the other in a block of
// its own; elements point into it once all are there, since it moves while it
// grows. NumPy's counterparts are |S, padded with zeros, and <U, of code
// points.
#include <string.h>

#include "cli/cli.h"

static tenon_string *elements_of(const cli_tensor *t) {
  return (tenon_string *)t->memory;
}

// Element i is the next `size` bytes; where it points to is said at the end.
static bool add_string(cli_tensor *t, cli_bytes *bytes, size_t i,
                       const char *data, size_t size) {
  elements_of(t)[i].size = size;
  return cli_bytes_add(bytes, data ? data : "", size);
}

static void end_strings(cli_tensor *t, cli_bytes *bytes) {
  size_t at = 0;
  t->texts = bytes->data;
  for (size_t i = 0; i < t->size / sizeof(tenon_string); ++i) {
    elements_of(t)[i].at.data = bytes->data ? bytes->data + at : "";
    at += (size_t)elements_of(t)[i].size;
  }
}

bool cli_tensor_copy(cli_tensor *to, const tenon_tensor *from) {
  int64_t dims[TENON_MAX_RANK];
  cli_bytes bytes = {0};
  bool ok = true;
  for (int i = 0; i < from->rank; ++i)
    dims[i] = from->dims[i];
  if (!cli_tensor_make(to, from->dtype, dims, from->rank)) return false;
  if (!to->size || !from->data) return true;
  if (from->dtype != TENON_STR) {
    memcpy(to->memory, from->data, to->size);
    return true;
  }
  const tenon_string *strings = (const tenon_string *)from->data;
  for (size_t i = 0; ok && i < to->size / sizeof *strings; ++i)
    ok = add_string(to, &bytes, i, strings[i].at.data, (size_t)strings[i].size);
  if (ok)
    end_strings(to, &bytes);
  else
    cli_bytes_free(&bytes);
  return ok;
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

static bool cli_string_put_escaped(cli_bytes *out, const unsigned char *p,
                                   size_t n, bool is_json) {
  if (!is_json) {
    bool ok = true;
    for (size_t k = 0; ok && k < (n ? n : 1); ++k)
      ok = cli_bytes_format(out, "\\x%02x", p[k]);
    return ok;
  }
  // A byte that is no UTF-8 as Python's "surrogateescape" has it.
  if (n == 0) return cli_bytes_format(out, "\\udc%02x", *p);
  uint32_t c = cli_string_point_of(p, n);
  if (c < 0x10000) return cli_bytes_format(out, "\\u%04x", (unsigned)c);
  c -= 0x10000;
  return cli_bytes_format(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + (c >> 10)),
                          (unsigned)(0xdc00 + (c & 0x3ff)));
}

bool cli_string_format(const tenon_tensor *t, size_t i, bool is_json,
                       cli_bytes *out) {
  const tenon_string *s = (const tenon_string *)t->data + i;
  const unsigned char *p = (const unsigned char *)s->at.data;
  bool ok = cli_bytes_add(out, "\"", 1);
  for (size_t left = (size_t)s->size; ok && left > 0;) {
    const size_t n = utf8_at(p, left), step = n ? n : 1;
    if (*p == '"' || *p == '\\')
      ok = cli_bytes_format(out, "\\%c", *p);
    else if (cli_string_is_plain(p, n))
      ok = cli_bytes_add(out, p, n);
    else
      ok = cli_string_put_escaped(out, p, n, is_json);
    p += step;
    left -= step;
  }
  return ok && cli_bytes_add(out, "\"", 1);
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

const char *cli_string_parse(const char *p, cli_bytes *out) {
  if (*p++ != '"') return NULL;
  while (*p && *p != '"') {
    char c[4] = {*p};
    size_t n = 1, step = 1;
    if (*p == '\\') {
      step = take_escape(p + 1, c, &n);
      if (step++ == 0) return NULL;
    }
    if (!cli_bytes_add(out, c, n)) return NULL;
    p += step;
  }
  return *p ? p + 1 : NULL;
}

// --- all elements of a tensor ------------------------------------------------

void cli_strings_add(cli_strings *s, const char *data, size_t size) {
  if (s->failed || s->n >= s->to->size / sizeof(tenon_string)) return;
  s->failed = !add_string(s->to, &s->bytes, s->n++, data, size);
}

bool cli_strings_end(cli_strings *s) {
  if (s->failed) {
    cli_bytes_free(&s->bytes);
    return false;
  }
  end_strings(s->to, &s->bytes);
  return true;
}

// --- of drivers --------------------------------------------------------------

bool cli_strings_write(const tenon_tensor *t, cli_bytes *out) {
  const tenon_string *strings = (const tenon_string *)t->data;
  bool ok = true;
  for (size_t i = 0; ok && i < tenon_count(t); ++i)
    ok = cli_bytes_add(out, &strings[i].size, sizeof strings[i].size) &&
         (strings[i].size == 0 ||
          cli_bytes_add(out, strings[i].at.data, (size_t)strings[i].size));
  return ok;
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
  cli_bytes one = {0};
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
      ok = c <= 0x10ffff && cli_bytes_add(&one, text, put_utf8(text, c));
    }
    cli_strings_add(&all, one.data, one.size);
  }
  cli_bytes_free(&one);
  all.failed |= !ok;
  return cli_strings_end(&all);
}

bool cli_strings_pack(const tenon_tensor *t, size_t *width, cli_bytes *out) {
  const tenon_string *strings = (const tenon_string *)t->data;
  const size_t n = tenon_count(t);
  bool ok = true;
  *width = 1;
  for (size_t i = 0; i < n; ++i) {
    // NumPy takes zeros at the end for padding.
    if (strings[i].size && strings[i].at.data[strings[i].size - 1] == 0)
      return false;
    if (strings[i].size > *width) *width = (size_t)strings[i].size;
  }
  for (size_t i = 0; ok && i < n; ++i) {
    ok = cli_bytes_add(out, strings[i].size ? strings[i].at.data : "",
                       (size_t)strings[i].size);
    for (size_t k = (size_t)strings[i].size; ok && k < *width; ++k)
      ok = cli_bytes_add(out, "", 1);
  }
  return ok;
}
