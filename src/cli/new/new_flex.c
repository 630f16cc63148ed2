// How: a FlexBuffers buffer is read from its end: the last byte is the width of
// the root, the one before its type. Only what a schema needs is looked at:
// keys of the root map, kinds of their values, and the first element of
// vectors. Every offset is checked against the buffer before it is followed.
#include <string.h>

#include "cli/new/new.h"

// Numbers of the format.
enum {
  FLEX_INT = 1,
  FLEX_UINT = 2,
  FLEX_FLOAT = 3,
  FLEX_STRING = 5,
  FLEX_INDIRECT_INT = 6,
  FLEX_INDIRECT_UINT = 7,
  FLEX_INDIRECT_FLOAT = 8,
  FLEX_MAP = 9,
  FLEX_VECTOR = 10,
  FLEX_VECTOR_INT = 11,
  FLEX_VECTOR_UINT = 12,
  FLEX_VECTOR_FLOAT = 13,
  FLEX_VECTOR_INT2 = 16,
  FLEX_VECTOR_FLOAT4 = 24,
  FLEX_BOOL = 26,
  FLEX_VECTOR_BOOL = 36
};

typedef struct flex {
  const unsigned char *data;
  size_t size;
} flex;

static bool flex_get(const flex *f, size_t at, size_t width, uint64_t *out) {
  if (width == 0 || width > 8 || at > f->size || f->size - at < width)
    return false;
  *out = 0;
  for (size_t i = 0; i < width; ++i)
    *out |= (uint64_t)f->data[at + i] << (8 * i);
  return true;
}

// What the offset at `at` refers to; offsets point backwards.
static bool flex_follow(const flex *f, size_t at, size_t width, size_t *out) {
  uint64_t back = 0;
  if (!flex_get(f, at, width, &back) || back > at) return false;
  *out = at - (size_t)back;
  return true;
}

// The type of the first element of an untyped vector at `at`; 0: it is empty.
static bool flex_element_type(const flex *f, size_t at, size_t width,
                              int *out) {
  uint64_t count = 0;
  *out = 0;
  if (at < width || !flex_get(f, at - width, width, &count)) return false;
  if (count == 0) return true;
  if (count > f->size / width) return false;
  size_t types = at + (size_t)count * width;
  if (types >= f->size) return false;
  *out = f->data[types] >> 2;
  return true;
}

static const char *flex_list_of(int element) {
  switch (element) {
    case FLEX_INT:
    case FLEX_UINT:
    case FLEX_INDIRECT_INT:
    case FLEX_INDIRECT_UINT:
      return "int[]";
    case FLEX_FLOAT:
    case FLEX_INDIRECT_FLOAT:
      return "float[]";
    case FLEX_BOOL:
      return "bool[]";
    default:
      return NULL;
  }
}

// The type of a schema for a value; null: there is none.
static const char *flex_type_of(const flex *f, int type, size_t at,
                                size_t parent, size_t width) {
  size_t target = 0;
  int element = 0;
  if (type >= FLEX_VECTOR_INT2 && type <= FLEX_VECTOR_FLOAT4)
    return (type - FLEX_VECTOR_INT2) % 3 == 2 ? "float[]" : "int[]";
  switch (type) {
    case FLEX_INT:
    case FLEX_UINT:
    case FLEX_INDIRECT_INT:
    case FLEX_INDIRECT_UINT:
      return "int";
    case FLEX_FLOAT:
    case FLEX_INDIRECT_FLOAT:
      return "float";
    case FLEX_BOOL:
      return "bool";
    case FLEX_STRING:
      return "str";
    case FLEX_VECTOR_INT:
    case FLEX_VECTOR_UINT:
      return "int[]";
    case FLEX_VECTOR_FLOAT:
      return "float[]";
    case FLEX_VECTOR_BOOL:
      return "bool[]";
    case FLEX_VECTOR:
      if (!flex_follow(f, at, parent, &target) ||
          !flex_element_type(f, target, width, &element))
        return NULL;
      return flex_list_of(element);
    default:
      return NULL;
  }
}

static bool is_identifier(const char *s, size_t n) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return n > 0 && n < 64 && strspn(s, letters) >= n &&
         !(s[0] >= '0' && s[0] <= '9');
}

// Key i of the map whose vector of keys is at `keys`.
static bool get_key(const flex *f, size_t keys, size_t width, uint64_t i,
                    const char **text, size_t *size) {
  size_t at = 0;
  if (!flex_follow(f, keys + (size_t)i * width, width, &at)) return false;
  *text = (const char *)f->data + at;
  const void *end = memchr(*text, 0, f->size - at);
  if (!end) return false;
  *size = (size_t)((const char *)end - *text);
  return true;
}

bool new_flex_schema(const unsigned char *data, size_t size, cli_bytes *out,
                     cli_bytes *notes, bool *has_any) {
  flex f = {data, size};
  size_t map = 0, keys = 0;
  uint64_t count = 0, key_width = 0;
  if (size < 3) return false;
  size_t root_width = data[size - 1], root_type = data[size - 2];
  size_t width = (size_t)1 << (root_type & 3);
  if (root_type >> 2 != FLEX_MAP || size < 2 + root_width ||
      !flex_follow(&f, size - 2 - root_width, root_width, &map) ||
      map < 3 * width || !flex_get(&f, map - width, width, &count) ||
      !flex_get(&f, map - 2 * width, width, &key_width) ||
      !flex_follow(&f, map - 3 * width, width, &keys) || count > size)
    return false;
  for (uint64_t i = 0; i < count; ++i) {
    const char *key = NULL;
    size_t n = 0, type_at = map + (size_t)count * width + (size_t)i;
    if (!get_key(&f, keys, (size_t)key_width, i, &key, &n) || type_at >= size)
      return false;
    int packed = data[type_at];
    const char *type = flex_type_of(&f, packed >> 2, map + (size_t)i * width,
                                    width, (size_t)1 << (packed & 3));
    bool ok = true;
    if (type && is_identifier(key, n)) {
      ok = cli_bytes_format(out, "%s%s %.*s", *has_any ? ", " : ", *, ", type,
                            (int)n, key);
      *has_any = true;
    } else {
      ok = cli_bytes_format(notes, " %.*s", (int)(n < 64 ? n : 64), key);
    }
    if (!ok) return false;
  }
  return true;
}
