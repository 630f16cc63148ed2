// How: the central directory at the end of the file lists the entries; each is
// stored or deflated (zlib). Format: PKWARE's APPNOTE 6.3, sections 4.3.7
// and 4.3.12.
#include "cli/data/npz.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct entry {
  const unsigned char *name;
  size_t name_size, packed, size, header;
  unsigned method;
} entry;

static size_t u16(const unsigned char *p) {
  return (size_t)p[0] | (size_t)p[1] << 8;
}
static size_t u32(const unsigned char *p) {
  return u16(p) | u16(p + 2) << 16;
}

static const unsigned char *npz_find_directory(const tenon_buf *b,
                                               size_t *count) {
  const unsigned char *p = (const unsigned char *)b->data;
  if (b->size < 22) return NULL;
  size_t stop = b->size > 65557 ? b->size - 65557 : 0;
  for (size_t at = b->size - 22 + 1; at-- > stop;)
    if (memcmp(p + at, "PK\5\6", 4) == 0) {
      size_t offset = u32(p + at + 16);
      *count = u16(p + at + 10);
      return offset < b->size ? p + offset : NULL;
    }
  return NULL;
}

static const unsigned char *npz_next(const tenon_buf *b, const unsigned char *p,
                                     entry *e) {
  const unsigned char *end = (const unsigned char *)b->data + b->size;
  if (end - p < 46 || memcmp(p, "PK\1\2", 4) != 0) return NULL;
  e->method = (unsigned)u16(p + 10);
  e->packed = u32(p + 20);
  e->size = u32(p + 24);
  e->name_size = u16(p + 28);
  e->header = u32(p + 42);
  e->name = p + 46;
  size_t all = 46 + e->name_size + u16(p + 30) + u16(p + 32);
  return (size_t)(end - p) < all ? NULL : p + all;
}

static bool is_named(const entry *e, const char *name) {
  size_t n = strlen(name);
  return e->name_size == n + 4 && memcmp(e->name, name, n) == 0 &&
         memcmp(e->name + n, ".npy", 4) == 0;
}

static bool extract(const tenon_buf *b, const entry *e, tenon_buf *out) {
  const unsigned char *p = (const unsigned char *)b->data;
  if (e->header > b->size || b->size - e->header < 30) return false;
  size_t at =
      e->header + 30 + u16(p + e->header + 26) + u16(p + e->header + 28);
  if (at > b->size || e->packed > b->size - at) return false;
  if (e->method == 0) {
    tenon_buf_add(out, p + at, e->packed);
    return !out->failed;
  }
  // A ratio beyond deflate's own limit is a lie of the header.
  if (e->method != 8 || e->size / 1040 > e->packed + 1) return false;
  out->data = (char *)malloc(e->size + 1);
  if (!out->data) return false;
  out->capacity = e->size + 1;
  z_stream z = {0};
  z.next_in = (unsigned char *)(uintptr_t)(p + at);
  z.avail_in = (unsigned)e->packed;
  z.next_out = (unsigned char *)out->data;
  z.avail_out = (unsigned)e->size;
  if (inflateInit2(&z, -15) != Z_OK) return false;
  bool ok = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == e->size;
  inflateEnd(&z);
  out->size = e->size;
  return ok;
}

bool cli_npz_read(cli *c, const char *path, const char *name, cli_tensor *out) {
  tenon_buf b, content = {0};
  size_t count = 0;
  entry e = {0}, chosen = {0};
  if (!cli_read_file(c, path, &b)) return false;
  const unsigned char *p = npz_find_directory(&b, &count);
  for (size_t i = 0; p && i < count; ++i) {
    p = npz_next(&b, p, &e);
    if (p && (is_named(&e, name) || count == 1)) chosen = e;
  }
  bool ok = chosen.name && extract(&b, &chosen, &content) &&
            cli_npy_parse(c, path, content.data, content.size, out);
  if (!ok && !content.size)
    (void)cli_fail(c, TENON_BAD_INPUT, "cli-npz",
                   "%s: no readable array '%s.npy' in it", path, name);
  tenon_buf_deinit(&content);
  tenon_buf_deinit(&b);
  return ok;
}

// --- writing ----------------------------------------------------------------

static void npz_put(unsigned char *p, size_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    p[i] = (unsigned char)(value >> 8 * i);
}

// A name that no earlier entry has.
static void npz_name_entry(const tenon_io *io, size_t i, char name[256]) {
  bool is_taken = io[i].name[0] == 0;
  for (size_t k = 0; k < i; ++k)
    is_taken = is_taken || strcmp(io[k].name, io[i].name) == 0;
  if (is_taken)
    snprintf(name, 256, "%.200s_%zu.npy", io[i].name, i);
  else
    snprintf(name, 256, "%.200s.npy", io[i].name);
}

// The same fields stand in the local header and, behind 6 more bytes, in the
// directory: version 2.0, stored, no date, checksum and sizes.
static void fill_fields(unsigned char *p, const tenon_buf *data, size_t name) {
  npz_put(p, 20, 2);
  npz_put(p + 8, 0x21, 2);  // the first of January 1980
  npz_put(p + 10,
          crc32(0, (const unsigned char *)data->data, (unsigned)data->size), 4);
  npz_put(p + 14, data->size, 4);
  npz_put(p + 18, data->size, 4);
  npz_put(p + 22, name, 2);
}

bool cli_npz_format(const tenon_io *io, const tenon_tensor *list, size_t n,
                    tenon_buf *out) {
  tenon_buf directory = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < n; ++i) {
    unsigned char local[30] = {'P', 'K', 3, 4};
    unsigned char central[46] = {'P', 'K', 1, 2, 20};
    tenon_buf data = {0};
    char name[256];
    npz_name_entry(io, i, name);
    ok = cli_npy_format(&list[i], &data);
    if (ok) {
      fill_fields(local + 4, &data, strlen(name));
      fill_fields(central + 6, &data, strlen(name));
      npz_put(central + 42, out->size, 4);
      tenon_buf_add(&directory, central, sizeof central);
      tenon_buf_text(&directory, name);
      tenon_buf_add(out, local, sizeof local);
      tenon_buf_text(out, name);
      tenon_buf_add(out, data.data, data.size);
    }
    tenon_buf_deinit(&data);
  }
  unsigned char end[22] = {'P', 'K', 5, 6};
  npz_put(end + 8, n, 2);
  npz_put(end + 10, n, 2);
  npz_put(end + 12, directory.size, 4);
  npz_put(end + 16, out->size, 4);
  tenon_buf_add(out, directory.data, directory.size);
  tenon_buf_add(out, end, sizeof end);
  ok = ok && !directory.failed && !out->failed;
  tenon_buf_deinit(&directory);
  return ok;
}
