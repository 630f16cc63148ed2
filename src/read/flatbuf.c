// How: one recursive walk over the schema, which has no cycles, so its depth is
// that of the schema and not of the file. The walk keeps the path it came by in
// an array of frames and spells it only when it fails. Costs a constant per
// byte of the tables and vectors that it meets; `budget` bounds those, since
// offsets may make one table the child of many.
#include "read/flatbuf.h"

#include <stdarg.h>

// The root offset and the file identifier.
#define HEADER_SIZE 8
// Bytes walked per byte of the file, and for files of a few bytes.
#define BUDGET_FACTOR 4
#define BUDGET_FLOOR 65536
// Deeper than any schema here.
#define MAX_DEPTH 16
#define PATH_SIZE 192

typedef struct frame {
  const tenon_fb_type *type;
  int slot;       // -1: the table itself
  int64_t index;  // in a vector of tables; -1: none
} frame;

typedef struct walk {
  const tenon_fb *fb;
  uint64_t budget;
  frame frames[MAX_DEPTH];
  int depth;
} walk;

// ---------------------------------------------------------------------------
// Failing
// ---------------------------------------------------------------------------

static tenon_text field_name(const tenon_fb_type *type, int slot) {
  tenon_text rest = tenon_text_of(type->names), piece = {"?", 1};
  for (int i = 0; i <= slot; ++i) {
    if (!tenon_text_next(&rest, ' ', &piece)) return (tenon_text){"?", 1};
  }
  return piece;
}

// "Tensor at Model.subgraphs[0].tensors[3].name": the table, and the way there.
static void spell_path(const walk *w, char *path) {
  const frame *f = w->frames;
  *path = 0;
  tenon_text_append(path, PATH_SIZE, "%s", f[w->depth - 1].type->name);
  if (w->depth == 1 && f->slot < 0) return;
  tenon_text_append(path, PATH_SIZE, " at %s", f->type->name);
  for (; f < w->frames + w->depth; ++f) {
    if (f->slot < 0) continue;
    tenon_text name = field_name(f->type, f->slot);
    tenon_text_append(path, PATH_SIZE, ".%.*s", (int)name.size, name.data);
    if (f->index >= 0)
      tenon_text_append(path, PATH_SIZE, "[%lld]", (long long)f->index);
  }
}

// `size` is what the walk wanted to read at `at`; the place says how much of
// that the file has.
static tenon_status flatbuf_fail(const walk *w, uint64_t at, uint64_t size,
                                 const char *fmt, ...) TENON_PRINTF(4, 5);
static tenon_status flatbuf_fail(const walk *w, uint64_t at, uint64_t size,
                                 const char *fmt, ...) {
  char path[PATH_SIZE];
  spell_path(w, path);
  uint64_t end = w->fb->bytes.size;
  if (at > end) at = end;
  if (size > end - at) size = end - at;
  tenon_place place = {w->fb->file, path, NULL, at, size};
  va_list args;
  va_start(args, fmt);
  tenon_status status = tenon_vfail(w->fb->report, TENON_BAD_MODEL, w->fb->id,
                                    &place, NULL, fmt, args);
  va_end(args);
  return status;
}

// ---------------------------------------------------------------------------
// Reading what may be anything
// ---------------------------------------------------------------------------

static uint16_t u16_at(const tenon_fb *fb, uint64_t at) {
  return (uint16_t)tenon_bytes_uint(fb->bytes, at, 2);
}

static uint32_t u32_at(const tenon_fb *fb, uint64_t at) {
  return (uint32_t)tenon_bytes_uint(fb->bytes, at, 4);
}

// Bytes of a field in its table; 0 for a deprecated one.
static uint32_t field_width(char letter) {
  return letter == '-'          ? 0
         : strchr("bc", letter) ? 1
         : strchr("lw", letter) ? 8
                                : 4;
}

// The letter of a vector's elements, 0 if the field is no vector.
static char element_of(char letter) {
  static const char vectors[] = "BCDHIULFT", elements[] = "bcchiulft";
  const char *at = letter ? strchr(vectors, letter) : NULL;
  return at ? elements[at - vectors] : 0;
}

static uint32_t element_width(char element) {
  return element == 'h' ? 2 : field_width(element);
}

static const tenon_fb_link *link_of(const tenon_fb_type *type, int slot) {
  const tenon_fb_link *link = type->links;
  for (int i = 0; i < slot; ++i) {
    if (strchr("tTx", type->fields[i])) ++link;
  }
  return link;
}

static uint64_t vtable_of(const tenon_fb *fb, uint64_t at) {
  return (uint64_t)((int64_t)at - (int32_t)u32_at(fb, at));
}

// Where the field is; 0 if absent.
static uint64_t field_at(const tenon_fb *fb, uint64_t table, int slot) {
  uint64_t vtable = vtable_of(fb, table);
  uint64_t entry = 4 + 2 * (uint64_t)slot;
  if (entry + 2 > u16_at(fb, vtable)) return 0;
  uint16_t offset = u16_at(fb, vtable + entry);
  return offset ? table + offset : 0;
}

// ---------------------------------------------------------------------------
// The walk
// ---------------------------------------------------------------------------

static tenon_status walk_table(walk *w, const tenon_fb_type *type, uint64_t at);

static tenon_status flatbuf_spend(walk *w, uint64_t at, uint64_t size) {
  if (size > w->budget) {
    return flatbuf_fail(
        w, at, size,
        "tables overlap: the file refers to many times its %zu bytes",
        w->fb->bytes.size);
  }
  w->budget -= size;
  return TENON_OK;
}

// Follows the offset stored at `at`.
static tenon_status flatbuf_follow(walk *w, uint64_t at, uint64_t *out) {
  uint32_t offset = u32_at(w->fb, at);
  uint64_t target = at + offset;
  if (offset < 4)
    return flatbuf_fail(w, at, 4, "expected an offset, found %u",
                        (unsigned)offset);
  if (!tenon_bytes_has(w->fb->bytes, target, 4)) {
    return flatbuf_fail(
        w, at, 4,
        "offset 0x%x leads to byte 0x%llx, behind the end of the file",
        (unsigned)offset, (unsigned long long)target);
  }
  if (target % 4 != 0) {
    return flatbuf_fail(
        w, at, 4,
        "offset 0x%x leads to byte 0x%llx, which is not a multiple of "
        "4",
        (unsigned)offset, (unsigned long long)target);
  }
  *out = target;
  return TENON_OK;
}

static tenon_status walk_string(walk *w, uint64_t field) {
  uint64_t at = 0;
  TENON_TRY(flatbuf_follow(w, field, &at));
  uint64_t size = u32_at(w->fb, at);
  if (!tenon_bytes_has(w->fb->bytes, at, 4 + size + 1)) {
    return flatbuf_fail(w, at, 4 + size + 1,
                        "string of %llu bytes does not fit the file",
                        (unsigned long long)size);
  }
  if (w->fb->bytes.data[at + 4 + size] != 0)
    return flatbuf_fail(w, at, 4 + size + 1,
                        "string does not end in a zero byte");
  return flatbuf_spend(w, at, 4 + size);
}

static tenon_status walk_vector(walk *w, char letter, uint64_t field,
                                uint64_t *first, uint32_t *count) {
  uint64_t at = 0;
  TENON_TRY(flatbuf_follow(w, field, &at));
  *count = u32_at(w->fb, at);
  *first = at + 4;
  uint64_t size = (uint64_t)*count * element_width(element_of(letter));
  if (!tenon_bytes_has(w->fb->bytes, *first, size)) {
    return flatbuf_fail(
        w, at, 4 + size,
        "vector of %u elements of %u bytes does not fit the file",
        (unsigned)*count, (unsigned)element_width(element_of(letter)));
  }
  return flatbuf_spend(w, at, letter == 'D' ? 4 : 4 + size);
}

static tenon_status walk_tables(walk *w, const tenon_fb_type *type,
                                uint64_t field) {
  uint64_t first = 0;
  uint32_t count = 0;
  frame *f = &w->frames[w->depth - 1];
  TENON_TRY(walk_vector(w, 'T', field, &first, &count));
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t at = 0;
    f->index = i;
    TENON_TRY(flatbuf_follow(w, first + 4 * (uint64_t)i, &at));
    TENON_TRY(walk_table(w, type, at));
  }
  f->index = -1;
  return TENON_OK;
}

// The type is in the slot before. A type that the schema does not know cannot
// be verified and reads as absent: the file may be newer than the schema.
static tenon_status walk_union(walk *w, const tenon_fb_link *link,
                               uint64_t table, int slot, uint64_t field) {
  uint64_t at = 0, type_at = field_at(w->fb, table, slot - 1);
  uint8_t number = 0;
  if (type_at) (void)tenon_bytes_u8(w->fb->bytes, type_at, &number);
  if (number == 0)
    return flatbuf_fail(w, field, 4, "a value is given, but its type is not");
  TENON_TRY(flatbuf_follow(w, field, &at));
  if (number >= link->n_types || !link->types[number]) return TENON_OK;
  return walk_table(w, link->types[number], at);
}

static tenon_status walk_field(walk *w, const tenon_fb_type *type, int slot,
                               uint64_t table, uint64_t field) {
  char letter = type->fields[slot];
  uint64_t at = 0;
  uint32_t count = 0;
  switch (letter) {
    case 's':
      return walk_string(w, field);
    case 't':
      TENON_TRY(flatbuf_follow(w, field, &at));
      return walk_table(w, link_of(type, slot)->types[0], at);
    case 'T':
      return walk_tables(w, link_of(type, slot)->types[0], field);
    case 'x':
      return walk_union(w, link_of(type, slot), table, slot, field);
    default:
      if (!element_of(letter)) return TENON_OK;
      return walk_vector(w, letter, field, &at, &count);
  }
}

// What must hold of table and vtable before any field is looked at.
static tenon_status check_table(walk *w, uint64_t at, uint32_t *table_size,
                                uint32_t *vtable_size) {
  const tenon_fb *fb = w->fb;
  int64_t distance = (int32_t)u32_at(fb, at);
  int64_t vtable = (int64_t)at - distance;
  if (vtable < 0 || vtable % 2 != 0 || distance == 0 ||
      !tenon_bytes_has(fb->bytes, (uint64_t)vtable, 4)) {
    return flatbuf_fail(w, at, 4, "expected a vtable, found a distance of %lld",
                        (long long)distance);
  }
  *vtable_size = u16_at(fb, (uint64_t)vtable);
  *table_size = u16_at(fb, (uint64_t)vtable + 2);
  if (*vtable_size < 4 || *vtable_size % 2 != 0 ||
      !tenon_bytes_has(fb->bytes, (uint64_t)vtable, *vtable_size)) {
    return flatbuf_fail(w, (uint64_t)vtable, 4,
                        "expected a vtable, found one of %u bytes",
                        (unsigned)*vtable_size);
  }
  if (*table_size < 4 || !tenon_bytes_has(fb->bytes, at, *table_size)) {
    return flatbuf_fail(w, at, *table_size,
                        "table of %u bytes does not fit the file",
                        (unsigned)*table_size);
  }
  if (vtable < (int64_t)(at + *table_size) &&
      vtable + (int64_t)*vtable_size > (int64_t)at) {
    return flatbuf_fail(w, at, *table_size, "table and its vtable overlap");
  }
  return TENON_OK;
}

static tenon_status walk_table(walk *w, const tenon_fb_type *type,
                               uint64_t at) {
  uint32_t table_size = 0, vtable_size = 0;
  if (w->depth == MAX_DEPTH)
    return tenon_fail_bug(w->fb->report, "schema deeper than %d", MAX_DEPTH);
  frame *f = &w->frames[w->depth++];
  *f = (frame){type, -1, -1};
  TENON_TRY(check_table(w, at, &table_size, &vtable_size));
  TENON_TRY(flatbuf_spend(w, at, table_size));
  int n_slots = (int)(vtable_size - 4) / 2;
  int n_known = (int)strlen(type->fields);
  for (int slot = 0; slot < n_slots && slot < n_known; ++slot) {
    uint64_t field = field_at(w->fb, at, slot);
    uint32_t width = field_width(type->fields[slot]);
    if (!field || width == 0) continue;
    f->slot = slot;
    if (field < at + 4 || field + width > at + table_size) {
      return flatbuf_fail(
          w, at, table_size,
          "field at offset %llu lies outside its table of %u bytes",
          (unsigned long long)(field - at), (unsigned)table_size);
    }
    if (field % width != 0) {
      return flatbuf_fail(w, field, width, "field of %u bytes is not aligned",
                          (unsigned)width);
    }
    TENON_TRY(walk_field(w, type, slot, at, field));
  }
  --w->depth;
  return TENON_OK;
}

bool tenon_fb_recognise(const void *data, size_t size, const char *identifier) {
  return size >= HEADER_SIZE &&
         memcmp((const char *)data + 4, identifier, 4) == 0;
}

tenon_status tenon_fb_verify(const tenon_fb *fb, const char *identifier,
                             const tenon_fb_type *root, tenon_fb_table *out) {
  walk w = {fb, BUDGET_FLOOR, {{root, -1, -1}}, 1};
  uint64_t more = (uint64_t)fb->bytes.size;
  w.budget += more > UINT64_MAX / 8 ? more : more * BUDGET_FACTOR;
  if (!tenon_fb_recognise(fb->bytes.data, fb->bytes.size, identifier)) {
    return flatbuf_fail(&w, 0, HEADER_SIZE,
                        "expected a file with identifier '%s'", identifier);
  }
  uint64_t at = u32_at(fb, 0);
  if (at < HEADER_SIZE || at % 4 != 0 || !tenon_bytes_has(fb->bytes, at, 4)) {
    return flatbuf_fail(&w, 0, 4,
                        "expected the offset of the root table, found 0x%llx",
                        (unsigned long long)at);
  }
  w.depth = 0;  // the root's own frame follows
  TENON_TRY(walk_table(&w, root, at));
  *out = (tenon_fb_table){fb, root, at};
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Access
// ---------------------------------------------------------------------------

// The letter of a slot that is there, with its position; 0 if absent.
static char flatbuf_find(const tenon_fb_table *t, int slot, uint64_t *at) {
  if (!t->type || slot < 0 || (size_t)slot >= strlen(t->type->fields)) return 0;
  *at = field_at(t->fb, t->at, slot);
  return *at ? t->type->fields[slot] : 0;
}

static int64_t flatbuf_number_at(const tenon_fb *fb, char letter, uint64_t at) {
  if (!strchr("bchiulw", letter)) return 0;
  const uint32_t width = element_width(letter);
  return strchr("bil", letter)
             ? tenon_bytes_int(fb->bytes, at, width)
             : (int64_t)tenon_bytes_uint(fb->bytes, at, width);
}

bool tenon_fb_has(const tenon_fb_table *t, int slot) {
  uint64_t at = 0;
  return flatbuf_find(t, slot, &at) != 0;
}

int64_t tenon_fb_int(const tenon_fb_table *t, int slot, int64_t absent) {
  uint64_t at = 0;
  char letter = flatbuf_find(t, slot, &at);
  return letter && strchr("bciulw", letter)
             ? flatbuf_number_at(t->fb, letter, at)
             : absent;
}

double tenon_fb_float(const tenon_fb_table *t, int slot, double absent) {
  uint64_t at = 0;
  return flatbuf_find(t, slot, &at) == 'f'
             ? tenon_bytes_float(t->fb->bytes, at, 4)
             : absent;
}

tenon_text tenon_fb_text(const tenon_fb_table *t, int slot) {
  uint64_t at = 0;
  tenon_bytes text = {NULL, 0};
  if (flatbuf_find(t, slot, &at) == 's') {
    at += u32_at(t->fb, at);
    (void)tenon_bytes_slice(t->fb->bytes, at + 4, u32_at(t->fb, at), &text);
  }
  return (tenon_text){(const char *)text.data, text.size};
}

tenon_fb_table tenon_fb_child(const tenon_fb_table *t, int slot) {
  uint64_t at = 0;
  tenon_fb_table child = {t->fb, NULL, 0};
  char letter = flatbuf_find(t, slot, &at);
  if (letter != 't' && letter != 'x') return child;
  const tenon_fb_link *link = link_of(t->type, slot);
  uint64_t number =
      letter == 't' ? 0 : (uint64_t)tenon_fb_int(t, slot - 1, 0) & 0xff;
  if (number < link->n_types) child.type = link->types[number];
  child.at = at + u32_at(t->fb, at);
  return child;
}

tenon_fb_vector tenon_fb_list(const tenon_fb_table *t, int slot) {
  uint64_t at = 0;
  tenon_fb_vector v = {t->fb, NULL, 'c', 0, 0};
  char letter = flatbuf_find(t, slot, &at);
  if (!letter || !element_of(letter)) return v;
  at += u32_at(t->fb, at);
  v.element = element_of(letter);
  v.at = at + 4;
  v.count = u32_at(t->fb, at);
  if (letter == 'T') v.type = link_of(t->type, slot)->types[0];
  return v;
}

tenon_bytes tenon_fb_data(const tenon_fb_table *t, int slot) {
  tenon_fb_vector v = tenon_fb_list(t, slot);
  tenon_bytes data = {NULL, 0};
  if (v.at && v.element == 'c')
    (void)tenon_bytes_slice(t->fb->bytes, v.at, v.count, &data);
  return data;
}

int64_t tenon_fb_item_int(const tenon_fb_vector *v, uint32_t i) {
  if (i >= v->count) return 0;
  return flatbuf_number_at(v->fb, v->element,
                           v->at + (uint64_t)i * element_width(v->element));
}

double tenon_fb_item_float(const tenon_fb_vector *v, uint32_t i) {
  if (i >= v->count || v->element != 'f') return 0;
  return tenon_bytes_float(v->fb->bytes, v->at + 4 * (uint64_t)i, 4);
}

tenon_fb_table tenon_fb_item(const tenon_fb_vector *v, uint32_t i) {
  tenon_fb_table item = {v->fb, NULL, 0};
  if (i >= v->count || v->element != 't') return item;
  uint64_t at = v->at + 4 * (uint64_t)i;
  item.type = v->type;
  item.at = at + u32_at(v->fb, at);
  return item;
}

tenon_bytes tenon_fb_table_bytes(const tenon_fb_table *t) {
  tenon_bytes bytes = {NULL, 0};
  if (t->type) {
    uint64_t size = u16_at(t->fb, vtable_of(t->fb, t->at) + 2);
    (void)tenon_bytes_slice(t->fb->bytes, t->at, size, &bytes);
  }
  return bytes;
}
