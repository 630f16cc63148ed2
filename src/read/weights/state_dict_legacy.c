// How: such a file is a row of pickles, behind which the storages lie one after
// the other: a number that says what it is, the version, the machine, the
// dictionary, the names of the storages. They are listed as members of an
// archive, so that nobody else sees the difference.
#include "base/label.h"
#include "base/text.h"
#include "core/dtype.h"
#include "read/weights/state_dict.h"

// LONG1 of ten bytes, behind the version of the protocol.
static const uint8_t magic[] = {0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46,
                                0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19};
#define VERSION 1001

bool tenon_state_dict_is_legacy(tenon_bytes bytes) {
  // From protocol 4 on a frame of nine bytes stands between.
  for (size_t at = 2; at <= 11; at += 9) {
    if (bytes.size >= at + sizeof magic && bytes.data[0] == 0x80 &&
        memcmp(bytes.data + at, magic, sizeof magic) == 0)
      return true;
  }
  return false;
}

typedef struct reading {
  tenon_state_dict *dict;
  tenon_bytes bytes;
  const char *where;
  uint64_t at;
} reading;

#define legacy_fail(r, ...)                                              \
  tenon_fail((r)->dict->zip.report, TENON_BAD_MODEL, "read-pickle",      \
             &(const tenon_place){(r)->dict->zip.file, (r)->where, NULL, \
                                  (r)->dict->zip.base + (r)->at, 0},     \
             __VA_ARGS__)

static tenon_status legacy_no_memory(const reading *r) {
  return tenon_fail_memory(r->dict->zip.report, "reading weights");
}

static tenon_status next_pickle(reading *r, tenon_pickle *out) {
  const tenon_zip *zip = &r->dict->zip;
  tenon_bytes rest = {r->bytes.data + r->at, r->bytes.size - (size_t)r->at};
  TENON_TRY(tenon_pickle_parse(rest, zip->base + r->at, zip->arena, zip->report,
                               zip->file, r->where, out));
  r->at += out->size;
  return TENON_OK;
}

static tenon_status check_head(reading *r) {
  tenon_pickle pickle;
  TENON_TRY(next_pickle(r, &pickle));
  TENON_TRY(next_pickle(r, &pickle));
  if (pickle.root->kind != TENON_PICKLE_INT || pickle.root->i != VERSION)
    return legacy_fail(r, "expected version %d of torch.save", VERSION);
  TENON_TRY(next_pickle(r, &pickle));
  const tenon_pickle_value *is_little =
      tenon_pickle_get(pickle.root, "little_endian");
  if (!is_little || is_little->kind != TENON_PICKLE_INT || !is_little->i)
    return legacy_fail(r, "has bytes in another order than little-endian");
  return TENON_OK;
}

// Bytes of an element of the storage; 0: the dictionary has none of that name.
static size_t width_of(const tenon_pickle *pickle, const char *key) {
  for (const tenon_pickle_value *s = pickle->storages; s; s = s->storage) {
    if (strcmp(s->text, key) != 0) continue;
    return s->dtype ? tenon_dtype_look(s->dtype)->bits / 8u : 1;
  }
  return 0;
}

static tenon_status add_member(reading *r, const tenon_pickle *pickle,
                               const char *key) {
  tenon_zip *zip = &r->dict->zip;
  uint64_t count = 0, size = 0;
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(key));
  size_t width = width_of(pickle, key);
  if (width == 0)
    return legacy_fail(r, "nothing refers to the storage '%s'", label);
  if (!tenon_bytes_u64(r->bytes, r->at, &count) || count > SIZE_MAX / width)
    return legacy_fail(r, "the storage '%s' is cut", label);
  size = count * width;
  tenon_zip_member *m = &zip->members[zip->count];
  *m = (tenon_zip_member){
      .header = r->at, .stored = size, .size = size, .is_known = true};
  if (!tenon_bytes_slice(r->bytes, r->at + 8, size, &m->data))
    return legacy_fail(r, "the storage '%s' is cut", label);
  size_t n = strlen(key) + sizeof "data/";
  char *name = tenon_arena_alloc(zip->arena, n, 1);
  bool added = false;
  if (!name) return legacy_no_memory(r);
  memcpy(name, "data/", 5);
  memcpy(name + 5, key, n - 5);
  m->name = name;
  if (!tenon_map_put_text(&zip->names, name, zip->count, &added))
    return legacy_no_memory(r);
  if (!added)
    return legacy_fail(r, "the storage '%s' stands there twice", label);
  ++zip->count;
  r->at += 8 + size;
  return TENON_OK;
}

static tenon_status legacy_read_all(reading *r) {
  tenon_pickle pickle, keys;
  tenon_zip *zip = &r->dict->zip;
  TENON_TRY(check_head(r));
  TENON_TRY(next_pickle(r, &pickle));
  r->dict->root = pickle.root;
  TENON_TRY(next_pickle(r, &keys));
  if (keys.root->kind != TENON_PICKLE_LIST)
    return legacy_fail(r, "expected a list of storages");
  zip->members =
      tenon_arena_array(zip->arena, tenon_zip_member, keys.root->count);
  if (!zip->members) return legacy_no_memory(r);
  for (size_t i = 0; i < keys.root->count; ++i) {
    const tenon_pickle_value *key = keys.root->items[i];
    if (key->kind != TENON_PICKLE_TEXT)
      return legacy_fail(r, "expected a list of storages");
    TENON_TRY(add_member(r, &pickle, key->text));
  }
  if (r->at == r->bytes.size) return TENON_OK;
  return legacy_fail(r, "%llu bytes behind the last storage",
                     (unsigned long long)(r->bytes.size - r->at));
}

tenon_status tenon_state_dict_open_legacy(tenon_state_dict *dict,
                                          tenon_bytes bytes, uint64_t base,
                                          tenon_arena *arena,
                                          const tenon_report *report,
                                          const char *file, const char *where) {
  reading r = {.dict = dict, .bytes = bytes, .where = where};
  memset(dict, 0, sizeof *dict);
  dict->zip.bytes = bytes;
  dict->zip.base = base;
  dict->zip.report = report;
  dict->zip.file = file;
  dict->zip.arena = arena;
  dict->folder = "";
  tenon_map_init(&dict->zip.names, arena->allocator);
  return legacy_read_all(&r);
}
