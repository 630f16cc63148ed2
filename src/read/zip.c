// How: the end record is looked for from the end, the ZIP64 record is found
// through its locator, and the directory is walked once. Local headers are
// looked at when a member is read, so opening touches the end of the file only.
#include "read/zip.h"

#include <zlib.h>

#include "base/label.h"
#include "base/text.h"

#define END_SIZE 22
#define END64_SIZE 56
#define LOCATOR_SIZE 20
#define ENTRY_SIZE 46
#define LOCAL_SIZE 30
#define SATURATED16 0xffffu
#define SATURATED32 0xffffffffu
#define FLAG_ENCRYPTED 0x2041u  // bit 0, and two newer ways bits 6 and 13

enum { METHOD_STORED = 0, METHOD_DEFLATED = 8 };

#define zip_fail(z, what, at, ...)                                             \
  tenon_fail((z)->report, TENON_BAD_MODEL, "zip-archive",                      \
             &(const tenon_place){(z)->file, what, NULL, (z)->base + (at), 0}, \
             __VA_ARGS__)

bool tenon_zip_recognise(const void *data, size_t size) {
  return size >= 4 &&
         (memcmp(data, "PK\3\4", 4) == 0 || memcmp(data, "PK\5\6", 4) == 0);
}

// ---------------------------------------------------------------------------
// The end records
// ---------------------------------------------------------------------------

typedef struct directory {
  uint64_t at, size, count;
} directory;

static bool is_signature(tenon_bytes b, uint64_t at, uint32_t signature) {
  uint32_t found = 0;
  return tenon_bytes_u32(b, at, &found) && found == signature;
}

// The last end record whose comment reaches to the end of the file.
static bool find_end(tenon_bytes b, uint64_t *out) {
  uint64_t most = END_SIZE + 65535u;
  for (uint64_t back = END_SIZE; back <= most && back <= b.size; ++back) {
    uint16_t comment = 0;
    uint64_t at = b.size - back;
    if (!is_signature(b, at, 0x06054b50)) continue;
    if (!tenon_bytes_u16(b, at + 20, &comment) || comment != back - END_SIZE)
      continue;
    *out = at;
    return true;
  }
  return false;
}

static tenon_status read_end64(const tenon_zip *z, uint64_t end, directory *d) {
  uint64_t at = 0, here = 0;
  uint32_t disk = 0, first = 0;
  static const char where[] = "ZIP64 end record";
  if (end < LOCATOR_SIZE ||
      !is_signature(z->bytes, end - LOCATOR_SIZE, 0x07064b50))
    return TENON_OK;
  (void)tenon_bytes_u64(z->bytes, end - LOCATOR_SIZE + 8, &at);
  if (!tenon_bytes_has(z->bytes, at, END64_SIZE) ||
      !is_signature(z->bytes, at, 0x06064b50))
    return zip_fail(z, where, end - LOCATOR_SIZE,
                    "is not where its locator says");
  directory d64 = {0, 0, 0};
  (void)tenon_bytes_u32(z->bytes, at + 16, &disk);
  (void)tenon_bytes_u32(z->bytes, at + 20, &first);
  (void)tenon_bytes_u64(z->bytes, at + 24, &here);
  (void)tenon_bytes_u64(z->bytes, at + 32, &d64.count);
  (void)tenon_bytes_u64(z->bytes, at + 40, &d64.size);
  (void)tenon_bytes_u64(z->bytes, at + 48, &d64.at);
  if (disk != 0 || first != 0 || here != d64.count)
    return zip_fail(z, where, at, "says that the archive has several parts");
  if ((d->count != SATURATED16 && d->count != d64.count) ||
      (d->size != SATURATED32 && d->size != d64.size) ||
      (d->at != SATURATED32 && d->at != d64.at))
    return zip_fail(
        z, where, at,
        "does not agree with the end record: the archive is damaged");
  *d = d64;
  return TENON_OK;
}

static tenon_status find_directory(const tenon_zip *z, directory *d) {
  uint64_t end = 0;
  uint16_t disk = 0, first = 0, here = 0, count = 0;
  uint32_t size = 0, at = 0;
  if (!find_end(z->bytes, &end))
    return zip_fail(z, "end of the file", z->bytes.size,
                    "no end record of a ZIP archive, which it would end with: "
                    "the file is cut short; copy it again");
  (void)tenon_bytes_u16(z->bytes, end + 4, &disk);
  (void)tenon_bytes_u16(z->bytes, end + 6, &first);
  (void)tenon_bytes_u16(z->bytes, end + 8, &here);
  (void)tenon_bytes_u16(z->bytes, end + 10, &count);
  (void)tenon_bytes_u32(z->bytes, end + 12, &size);
  (void)tenon_bytes_u32(z->bytes, end + 16, &at);
  if (disk != 0 || first != 0 || here != count)
    return zip_fail(z, "end record", end,
                    "says that the archive has several parts");
  *d = (directory){at, size, count};
  TENON_TRY(read_end64(z, end, d));
  if (!tenon_bytes_has(z->bytes, d->at, d->size) || d->at + d->size > end)
    return zip_fail(z, "end record", end,
                    "the directory, %llu bytes at %llu, lies outside the file",
                    (unsigned long long)d->size, (unsigned long long)d->at);
  if (d->count > d->size / ENTRY_SIZE)
    return zip_fail(z, "end record", end,
                    "%llu members do not fit into a directory of %llu bytes",
                    (unsigned long long)d->count, (unsigned long long)d->size);
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// The directory
// ---------------------------------------------------------------------------

// Numbers that do not fit into 32 bits stand in an extra field, one after the
// other, as many as are saturated.
static bool read_extra(tenon_bytes extra, tenon_zip_member *m) {
  uint64_t *const wide[] = {&m->size, &m->stored, &m->header};
  for (uint64_t at = 0; at + 4 <= extra.size;) {
    uint16_t id = 0, size = 0;
    tenon_bytes field;
    (void)tenon_bytes_u16(extra, at, &id);
    (void)tenon_bytes_u16(extra, at + 2, &size);
    if (!tenon_bytes_slice(extra, at + 4, size, &field)) return false;
    at += 4 + (uint64_t)size;
    if (id != 1) continue;
    uint64_t used = 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; ++i) {
      if (*wide[i] != SATURATED32) continue;
      if (!tenon_bytes_u64(field, used, wide[i])) return false;
      used += 8;
    }
    return true;
  }
  return true;
}

static tenon_status check_member(const tenon_zip *z, uint64_t at,
                                 const tenon_zip_member *m, uint16_t flags,
                                 uint16_t method) {
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(m->name));
  if (flags & FLAG_ENCRYPTED) return zip_fail(z, label, at, "is encrypted");
  if (method != METHOD_STORED && method != METHOD_DEFLATED)
    return zip_fail(z, label, at,
                    "is compressed by method %u, expected 0 (stored) or 8 "
                    "(deflated)",
                    (unsigned)method);
  if (!tenon_bytes_has(z->bytes, m->header, LOCAL_SIZE) ||
      !tenon_bytes_has(z->bytes, m->header + LOCAL_SIZE, m->stored))
    return zip_fail(z, label, at, "%llu bytes at %llu lie outside the file",
                    (unsigned long long)m->stored,
                    (unsigned long long)m->header);
  if (!m->is_deflated && m->stored != m->size)
    return zip_fail(z, label, at, "has %llu bytes, stored as %llu",
                    (unsigned long long)m->size, (unsigned long long)m->stored);
  return TENON_OK;
}

static tenon_status zip_add_member(tenon_zip *z, uint64_t at,
                                   const tenon_zip_member *m) {
  bool added = false;
  if (!tenon_map_put_text(&z->names, m->name, z->count, &added))
    return tenon_fail_memory(z->report, "reading an archive");
  if (!added) {
    char label[TENON_LABEL];
    tenon_label_make(label, tenon_text_of(m->name));
    return zip_fail(z, label, at, "is in the archive twice, expected once");
  }
  z->members[z->count++] = *m;
  return TENON_OK;
}

static tenon_status zip_read_entry(tenon_zip *z, uint64_t at, uint64_t *next) {
  uint16_t flags = 0, method = 0, n_name = 0, n_extra = 0, n_comment = 0;
  uint32_t stored = 0, size = 0, header = 0;
  tenon_zip_member m;
  tenon_bytes name, extra;
  memset(&m, 0, sizeof m);
  if (!is_signature(z->bytes, at, 0x02014b50))
    return zip_fail(z, "directory", at, "no entry where one was expected");
  (void)tenon_bytes_u16(z->bytes, at + 8, &flags);
  (void)tenon_bytes_u16(z->bytes, at + 10, &method);
  (void)tenon_bytes_u32(z->bytes, at + 16, &m.crc);
  (void)tenon_bytes_u32(z->bytes, at + 20, &stored);
  (void)tenon_bytes_u32(z->bytes, at + 24, &size);
  (void)tenon_bytes_u16(z->bytes, at + 28, &n_name);
  (void)tenon_bytes_u16(z->bytes, at + 30, &n_extra);
  (void)tenon_bytes_u16(z->bytes, at + 32, &n_comment);
  (void)tenon_bytes_u32(z->bytes, at + 42, &header);
  m.stored = stored;
  m.size = size;
  m.header = header;
  m.is_deflated = method == METHOD_DEFLATED;
  *next = at + ENTRY_SIZE + n_name + n_extra + n_comment;
  if (!tenon_bytes_slice(z->bytes, at + ENTRY_SIZE, n_name, &name) ||
      !tenon_bytes_slice(z->bytes, at + ENTRY_SIZE + n_name, n_extra, &extra))
    return zip_fail(z, "directory", at, "an entry lies outside the file");
  if (!read_extra(extra, &m))
    return zip_fail(z, "directory", at, "an entry has a broken extra field");
  if (memchr(name.data, 0, name.size) || n_name == 0)
    return zip_fail(z, "directory", at,
                    "a member has no name, or one with a zero");
  if (name.data[name.size - 1] == '/' && m.size == 0) return TENON_OK;
  m.name = tenon_arena_text(z->arena, (const char *)name.data, name.size);
  if (!m.name) return tenon_fail_memory(z->report, "reading an archive");
  TENON_TRY(check_member(z, at, &m, flags, method));
  return zip_add_member(z, at, &m);
}

static tenon_status read_directory(tenon_zip *z) {
  directory d = {0, 0, 0};
  TENON_TRY(find_directory(z, &d));
  z->members = tenon_arena_array(z->arena, tenon_zip_member, (size_t)d.count);
  if (!z->members) return tenon_fail_memory(z->report, "reading an archive");
  uint64_t at = d.at;
  for (uint64_t i = 0; i < d.count; ++i) {
    TENON_TRY(zip_read_entry(z, at, &at));
    if (at > d.at + d.size)
      return zip_fail(z, "directory", d.at,
                      "is longer than its end record says");
  }
  if (at != d.at + d.size)
    return zip_fail(z, "directory", d.at,
                    "is shorter than its end record says");
  return TENON_OK;
}

tenon_status tenon_zip_open(tenon_zip *zip, tenon_bytes bytes, uint64_t base,
                            tenon_arena *arena, const tenon_report *report,
                            const char *file) {
  memset(zip, 0, sizeof *zip);
  zip->bytes = bytes;
  zip->base = base;
  zip->arena = arena;
  zip->report = report;
  zip->file = file;
  tenon_map_init(&zip->names, arena->allocator);
  return read_directory(zip);
}

tenon_bytes tenon_zip_appended(tenon_bytes bytes) {
  uint64_t end = 0;
  uint32_t size = 0, at = 0;
  if (!find_end(bytes, &end)) return bytes;
  (void)tenon_bytes_u32(bytes, end + 12, &size);
  (void)tenon_bytes_u32(bytes, end + 16, &at);
  if ((uint64_t)size + at > end) return bytes;
  const size_t front = (size_t)(end - size - at);
  return (tenon_bytes){bytes.data + front, bytes.size - front};
}

void tenon_zip_deinit(tenon_zip *zip) {
  tenon_map_deinit(&zip->names);
}

tenon_zip_member *tenon_zip_find(const tenon_zip *zip, const char *name) {
  const uint64_t *index = tenon_map_find_text(&zip->names, name);
  return index ? &zip->members[*index] : NULL;
}

tenon_place tenon_zip_place(const tenon_zip *zip,
                            const tenon_zip_member *member) {
  tenon_place place = {zip->file, member->name, NULL, 0, 0};
  if (!member->is_known || member->is_deflated) return place;
  place.offset = zip->base + (uint64_t)(member->data.data - zip->bytes.data);
  place.size = member->data.size;
  return place;
}

// ---------------------------------------------------------------------------
// Reading a member
// ---------------------------------------------------------------------------

static tenon_status find_data(const tenon_zip *z, const tenon_zip_member *m,
                              const char *label, tenon_bytes *out) {
  uint16_t n_name = 0, n_extra = 0;
  tenon_bytes name;
  if (!is_signature(z->bytes, m->header, 0x04034b50))
    return zip_fail(z, label, m->header,
                    "has no header where the directory says");
  (void)tenon_bytes_u16(z->bytes, m->header + 26, &n_name);
  (void)tenon_bytes_u16(z->bytes, m->header + 28, &n_extra);
  uint64_t at = m->header + LOCAL_SIZE + n_name + n_extra;
  if (!tenon_bytes_slice(z->bytes, m->header + LOCAL_SIZE, n_name, &name) ||
      !tenon_bytes_slice(z->bytes, at, m->stored, out))
    return zip_fail(z, label, m->header, "lies outside the file");
  if (name.size != strlen(m->name) ||
      memcmp(name.data, m->name, name.size) != 0)
    return zip_fail(z, label, m->header,
                    "has another name in its header than in the directory");
  return TENON_OK;
}

static voidpf give_memory(voidpf self, uInt count, uInt size) {
  return tenon_arena_calloc((tenon_arena *)self, count, size, 16);
}

static void take_memory(voidpf self, voidpf ptr) {
  (void)self, (void)ptr;  // goes with the arena
}

// Both sides in pieces: zlib counts in 32 bits.
static int inflate_all(z_stream *s, tenon_bytes from, uint8_t *to,
                       uint64_t size) {
  const uint64_t piece = UINT64_C(1) << 30;
  uint64_t in_left = from.size, out_left = size;
  s->next_in = (z_const Bytef *)(uintptr_t)from.data;
  s->next_out = to;
  for (int code = Z_OK;;) {
    uInt in = (uInt)(in_left < piece ? in_left : piece);
    uInt out = (uInt)(out_left < piece ? out_left : piece);
    s->avail_in = in;
    s->avail_out = out;
    code = inflate(s, Z_NO_FLUSH);
    in_left -= in - s->avail_in;
    out_left -= out - s->avail_out;
    if (code == Z_STREAM_END)
      return in_left + out_left == 0 ? Z_OK : Z_DATA_ERROR;
    if (code != Z_OK) return code;
    if (s->avail_in == in && s->avail_out == out) return Z_DATA_ERROR;
  }
}

static tenon_status zip_unpack(tenon_zip *z, const tenon_zip_member *m,
                               const char *label, tenon_bytes *data) {
  uint64_t limit =
      TENON_ZIP_UNPACKED + (uint64_t)z->bytes.size * TENON_ZIP_UNPACKED_FACTOR;
  // No deflated byte stands for more than 1032.
  if (m->size / 1032 > m->stored)
    return zip_fail(z, label, m->header, "%llu bytes cannot unpack to %llu",
                    (unsigned long long)m->stored, (unsigned long long)m->size);
  if (m->size > limit - z->unpacked) {
    return zip_fail(z, label, m->header,
                    "unpacks to %llu bytes, more than this archive may",
                    (unsigned long long)m->size);
  }
  uint8_t *to = tenon_arena_alloc(z->arena, (size_t)m->size, 64);
  if (!to) return tenon_fail_memory(z->report, "unpacking a member");
  tenon_arena own;
  tenon_arena_init(&own, z->arena->allocator);
  z_stream s = {.zalloc = give_memory, .zfree = take_memory, .opaque = &own};
  int code = inflateInit2(&s, -MAX_WBITS);
  if (code == Z_OK) {
    code = inflate_all(&s, *data, to, m->size);
    (void)inflateEnd(&s);
  }
  tenon_arena_deinit(&own);
  if (code == Z_MEM_ERROR)
    return tenon_fail_memory(z->report, "unpacking a member");
  if (code != Z_OK)
    return zip_fail(z, label, m->header, "does not unpack to %llu bytes",
                    (unsigned long long)m->size);
  z->unpacked += m->size;
  *data = (tenon_bytes){to, (size_t)m->size};
  return TENON_OK;
}

static bool zip_is_small(const tenon_zip *z, const tenon_zip_member *m) {
  return m->size <= TENON_ZIP_CHECKED &&
         m->size <= TENON_ZIP_CHECKED_ALL - z->checked;
}

tenon_status tenon_zip_read(tenon_zip *zip, tenon_zip_member *member,
                            tenon_bytes *out) {
  char label[TENON_LABEL];
  tenon_bytes data = {NULL, 0};
  *out = member->data;
  if (member->is_known) return TENON_OK;
  tenon_label_make(label, tenon_text_of(member->name));
  TENON_TRY(find_data(zip, member, label, &data));
  if (member->is_deflated) TENON_TRY(zip_unpack(zip, member, label, &data));
  bool is_checked = member->is_deflated || zip->checks_all;
  if (zip_is_small(zip, member) && !member->is_deflated) {
    zip->checked += member->size;
    is_checked = true;
  }
  if (is_checked) {
    uint32_t crc = (uint32_t)crc32_z(0, data.data, data.size);
    if (crc != member->crc)
      return zip_fail(
          zip, label, member->header,
          "its checksum is %08x, expected %08x: the file is damaged",
          (unsigned)crc, (unsigned)member->crc);
  }
  member->data = *out = data;
  member->is_known = true;
  return TENON_OK;
}

tenon_status tenon_zip_check(tenon_zip *zip) {
  for (size_t i = 0; i < zip->count; ++i) {
    tenon_bytes data = {NULL, 0};
    tenon_zip_member *m = &zip->members[i];
    bool is_wanted =
        zip->checks_all || (!m->is_deflated && zip_is_small(zip, m));
    if (is_wanted) TENON_TRY(tenon_zip_read(zip, m, &data));
  }
  return TENON_OK;
}
