// How: `lay_out` says for any value where its bytes begin and end and what its
// elements are; verifying walks it once per value, and the accessors call it
// again, so both see the same bytes. Offsets lead backwards: each walked value
// must end before its parent begins, which makes the walk finite without a
// record of what was seen. Cost: a constant per element walked.
#include "read/flexbuf.h"

// Elements and text bytes walked per byte of the buffer, and for small ones.
#define BUDGET_FACTOR 4
#define BUDGET_FLOOR 256

enum {  // numbers of the format
  TYPE_NULL = 0,
  TYPE_INT = 1,
  TYPE_UINT = 2,
  TYPE_FLOAT = 3,
  TYPE_KEY = 4,
  TYPE_STRING = 5,
  TYPE_INDIRECT_INT = 6,
  TYPE_INDIRECT_UINT = 7,
  TYPE_INDIRECT_FLOAT = 8,
  TYPE_MAP = 9,
  TYPE_VECTOR = 10,
  TYPE_VECTOR_INT = 11,
  TYPE_VECTOR_UINT = 12,
  TYPE_VECTOR_FLOAT = 13,
  TYPE_VECTOR_KEY = 14,
  TYPE_VECTOR_STRING = 15,  // deprecated: reads as keys
  TYPE_VECTOR_INT2 = 16,    // then UINT2, FLOAT2, INT3, ... FLOAT4
  TYPE_VECTOR_FLOAT4 = 24,
  TYPE_BLOB = 25,
  TYPE_BOOL = 26,
  TYPE_VECTOR_BOOL = 36
};

// Where the bytes of a value are. Of an inline value only `data` is set.
typedef struct layout {
  uint64_t begin, data, end;  // prefix from `begin`, elements from `data`
  uint64_t count;             // elements or bytes
  uint8_t element;            // type of the elements; TYPE_NULL: said by each
} layout;

typedef struct walk {
  tenon_bytes bytes;
  uint64_t budget;
  tenon_flex_error *error;
} walk;

static bool is_inline(uint8_t type) {
  return type <= TYPE_FLOAT || type == TYPE_BOOL;
}

// The type of a typed vector's elements; TYPE_NULL if `type` is no such vector.
static uint8_t element_type(uint8_t type) {
  if (type >= TYPE_VECTOR_INT2 && type <= TYPE_VECTOR_FLOAT4)
    return (uint8_t)(TYPE_INT + (type - TYPE_VECTOR_INT2) % 3);
  switch (type) {
    case TYPE_VECTOR_INT:
      return TYPE_INT;
    case TYPE_VECTOR_UINT:
      return TYPE_UINT;
    case TYPE_VECTOR_FLOAT:
      return TYPE_FLOAT;
    case TYPE_VECTOR_KEY:
    case TYPE_VECTOR_STRING:
      return TYPE_KEY;
    case TYPE_VECTOR_BOOL:
      return TYPE_BOOL;
    default:
      return TYPE_NULL;
  }
}

static bool flexbuf_fail(tenon_flex_error *error, const char *text, uint64_t at,
                         uint64_t size) {
  *error = (tenon_flex_error){text, at, size};
  return false;
}

// ---------------------------------------------------------------------------
// Layout
// ---------------------------------------------------------------------------

// A value with a count before it: `prefix` words of the target's width, the
// last of them the count; `unit` bytes an element and `tail` bytes behind.
static bool lay_out_counted(const tenon_flex *v, uint8_t prefix, uint64_t unit,
                            uint64_t tail, layout *out,
                            tenon_flex_error *error) {
  uint64_t head = (uint64_t)prefix * v->target, size = v->bytes.size;
  if (out->data < head)
    return flexbuf_fail(error, "size lies before the start of the options", 0,
                        1);
  out->begin = out->data - head;
  out->count = tenon_bytes_uint(v->bytes, out->data - v->target, v->target);
  if (out->count > size || out->data + out->count * unit + tail > size) {
    return flexbuf_fail(error, "more elements than the options have bytes",
                        out->begin, head);
  }
  out->end = out->data + out->count * unit + tail;
  return true;
}

static bool lay_out_key(const tenon_flex *v, layout *out,
                        tenon_flex_error *error) {
  const uint8_t *text = v->bytes.data + out->data;
  const uint8_t *zero =
      (const uint8_t *)memchr(text, 0, v->bytes.size - (size_t)out->data);
  if (!zero)
    return flexbuf_fail(error, "key does not end in a zero byte", out->data, 1);
  out->count = (uint64_t)(zero - text);
  out->end = out->data + out->count + 1;
  return true;
}

// Where a value is that has an offset; the bytes [begin, end) exist.
static bool lay_out_target(const tenon_flex *v, layout *out,
                           tenon_flex_error *error) {
  uint64_t size = v->bytes.size;
  out->begin = out->end = out->data;
  switch (v->type) {
    case TYPE_KEY:
      return lay_out_key(v, out, error);
    case TYPE_INDIRECT_INT:
    case TYPE_INDIRECT_UINT:
    case TYPE_INDIRECT_FLOAT:
      out->end += v->target;
      break;
    case TYPE_STRING:
      return lay_out_counted(v, 1, 1, 1, out, error);
    case TYPE_BLOB:
      return lay_out_counted(v, 1, 1, 0, out, error);
    case TYPE_MAP:
      return lay_out_counted(v, 3, (uint64_t)v->target + 1, 0, out, error);
    case TYPE_VECTOR:
      return lay_out_counted(v, 1, (uint64_t)v->target + 1, 0, out, error);
    default:
      out->element = element_type(v->type);
      if (out->element == TYPE_NULL)
        return flexbuf_fail(error, "unknown type of value", v->at, v->width);
      if (v->type < TYPE_VECTOR_INT2 || v->type > TYPE_VECTOR_FLOAT4)
        return lay_out_counted(v, 1, v->target, 0, out, error);
      out->count = 2 + (uint64_t)(v->type - TYPE_VECTOR_INT2) / 3;
      out->end += out->count * v->target;
      break;
  }
  return out->end <= size ||
         flexbuf_fail(error, "value does not fit the options", out->begin,
                      size - out->begin);
}

static bool flexbuf_lay_out(const tenon_flex *v, layout *out,
                            tenon_flex_error *error) {
  *out = (layout){v->at, v->at, v->at, 0, TYPE_NULL};
  if (is_inline(v->type)) return true;
  uint64_t offset = tenon_bytes_uint(v->bytes, v->at, v->width);
  if (offset > v->at)  // 0 leads to something empty
    return flexbuf_fail(error, "offset leads outside the options", v->at,
                        v->width);
  out->data = v->at - offset;
  return lay_out_target(v, out, error);
}

// Bytes of one slot of a vector, map or vector of numbers.
static tenon_flex item_of(const tenon_flex *v, const layout *l, uint64_t i) {
  uint64_t at = l->data + i * v->target;
  tenon_flex item = {v->bytes, at, v->target, l->element, 1};
  if (l->element == TYPE_NULL) {  // each element says its own type
    uint8_t packed = 0;
    (void)tenon_bytes_u8(v->bytes, l->data + l->count * v->target + i, &packed);
    item.type = packed >> 2;
    item.target = (uint8_t)(1u << (packed & 3));
  }
  return item;
}

// The vector of keys of a map, as a value.
static tenon_flex keys_of(const tenon_flex *map, const layout *l) {
  uint64_t at = l->data - 3 * (uint64_t)map->target;
  uint64_t width = tenon_bytes_uint(map->bytes, at + map->target, map->target);
  tenon_flex keys = {map->bytes, at, map->target, TYPE_VECTOR_KEY, 0};
  if (width == 1 || width == 2 || width == 4 || width == 8)
    keys.target = (uint8_t)width;
  return keys;
}

// ---------------------------------------------------------------------------
// Verifying
// ---------------------------------------------------------------------------

static bool walk_value(walk *w, const tenon_flex *v, uint64_t before,
                       int depth);

static bool walk_keys(walk *w, const tenon_flex *map, const layout *l,
                      int depth) {
  tenon_flex keys = keys_of(map, l);
  layout k;
  if (keys.target == 0) {
    return flexbuf_fail(w->error, "width of a map's keys is not 1, 2, 4 or 8",
                        keys.at + map->target, map->target);
  }
  if (!walk_value(w, &keys, l->begin, depth)) return false;
  (void)flexbuf_lay_out(&keys, &k, w->error);
  return k.count == l->count ||
         flexbuf_fail(w->error, "a map has as many keys as values", l->begin,
                      l->data - l->begin);
}

static bool is_container(uint8_t type) {
  return type == TYPE_MAP || type == TYPE_VECTOR ||
         element_type(type) != TYPE_NULL;
}

// `before`: where what refers to the value begins.
static bool walk_value(walk *w, const tenon_flex *v, uint64_t before,
                       int depth) {
  layout l;
  if (depth > TENON_FLEX_DEPTH)
    return flexbuf_fail(w->error, "values are nested too deeply", v->at,
                        v->width);
  if (!flexbuf_lay_out(v, &l, w->error)) return false;
  if (!is_inline(v->type) && l.end > before) {
    return flexbuf_fail(w->error, "value does not lie before what refers to it",
                        v->at, v->width);
  }
  uint8_t width = v->type == TYPE_FLOAT ? v->width : v->target;
  if ((v->type == TYPE_FLOAT || v->type == TYPE_INDIRECT_FLOAT) && width < 4)
    return flexbuf_fail(w->error, "float of less than 4 bytes", v->at,
                        v->width);
  uint64_t cost = 1 + (v->type == TYPE_BLOB ? 0 : l.count);
  if (cost > w->budget)
    return flexbuf_fail(w->error, "values are shared too often", v->at,
                        v->width);
  w->budget -= cost;
  if (v->type == TYPE_STRING && v->bytes.data[l.end - 1] != 0) {
    return flexbuf_fail(w->error, "string does not end in a zero byte", l.begin,
                        l.end - l.begin);
  }
  if (v->type == TYPE_MAP && !walk_keys(w, v, &l, depth + 1)) return false;
  if (!is_container(v->type)) return true;
  for (uint64_t i = 0; i < l.count; ++i) {
    tenon_flex item = item_of(v, &l, i);
    if (!walk_value(w, &item, l.begin, depth + 1)) return false;
  }
  return true;
}

bool tenon_flex_verify(tenon_bytes bytes, tenon_flex *root,
                       tenon_flex_error *error) {
  uint64_t size = bytes.size;
  if (size < 3) {
    return flexbuf_fail(error, "a FlexBuffer has at least 3 bytes", 0, size);
  }
  uint8_t width = bytes.data[size - 1], packed = bytes.data[size - 2];
  if ((width != 1 && width != 2 && width != 4 && width != 8) ||
      width > size - 2) {
    return flexbuf_fail(
        error, "last byte, the root's width, is not 1, 2, 4 or 8", size - 1, 1);
  }
  uint64_t at = size - 2 - width;
  *root = (tenon_flex){bytes, at, width, packed >> 2,
                       (uint8_t)(1u << (packed & 3))};
  walk w = {bytes, BUDGET_FLOOR, error};
  w.budget += size > UINT64_MAX / 8 ? size : size * BUDGET_FACTOR;
  return walk_value(&w, root, at, 0);
}

// ---------------------------------------------------------------------------
// Access
// ---------------------------------------------------------------------------

tenon_flex_kind tenon_flex_look(const tenon_flex *v) {
  switch (v->type) {
    case TYPE_INT:
    case TYPE_INDIRECT_INT:
      return TENON_FLEX_INT;
    case TYPE_UINT:
    case TYPE_INDIRECT_UINT:
      return TENON_FLEX_UINT;
    case TYPE_FLOAT:
    case TYPE_INDIRECT_FLOAT:
      return TENON_FLEX_FLOAT;
    case TYPE_KEY:
    case TYPE_STRING:
      return TENON_FLEX_STRING;
    case TYPE_MAP:
      return TENON_FLEX_MAP;
    case TYPE_BLOB:
      return TENON_FLEX_BLOB;
    case TYPE_BOOL:
      return TENON_FLEX_BOOL;
    default:
      return is_container(v->type) ? TENON_FLEX_VECTOR : TENON_FLEX_NULL;
  }
}

const char *tenon_flex_kind_name(tenon_flex_kind kind) {
  static const char *const names[] = {
      "nothing", "null",     "a boolean", "an integer", "an integer",
      "a float", "a string", "a blob",    "a vector",   "a map"};
  return names[kind >= TENON_FLEX_NULL && kind <= TENON_FLEX_MAP ? kind : 0];
}

// Where a number is and how wide.
static uint64_t flexbuf_number_at(const tenon_flex *v, uint8_t *width) {
  tenon_flex_error ignored;
  layout l;
  if (is_inline(v->type) || !flexbuf_lay_out(v, &l, &ignored)) {
    *width = v->width;
    return v->at;
  }
  *width = v->target;
  return l.data;
}

int64_t tenon_flex_int(const tenon_flex *v) {
  uint8_t width = 0;
  uint64_t at = flexbuf_number_at(v, &width);
  switch (tenon_flex_look(v)) {
    case TENON_FLEX_INT:
      return tenon_bytes_int(v->bytes, at, width);
    case TENON_FLEX_UINT:
    case TENON_FLEX_BOOL:
      return (int64_t)tenon_bytes_uint(v->bytes, at, width);
    case TENON_FLEX_FLOAT: {
      double d = tenon_bytes_float(v->bytes, at, width);
      return d > -9e18 && d < 9e18 ? (int64_t)d : 0;
    }
    default:
      return 0;
  }
}

double tenon_flex_float(const tenon_flex *v) {
  uint8_t width = 0;
  uint64_t at = flexbuf_number_at(v, &width);
  switch (tenon_flex_look(v)) {
    case TENON_FLEX_FLOAT:
      return tenon_bytes_float(v->bytes, at, width);
    case TENON_FLEX_UINT:
      return (double)tenon_bytes_uint(v->bytes, at, width);
    default:
      return (double)tenon_flex_int(v);
  }
}

tenon_text tenon_flex_text(const tenon_flex *v) {
  tenon_flex_error ignored;
  layout l;
  tenon_flex_kind kind = tenon_flex_look(v);
  if ((kind != TENON_FLEX_STRING && kind != TENON_FLEX_BLOB) ||
      !flexbuf_lay_out(v, &l, &ignored)) {
    return (tenon_text){NULL, 0};
  }
  return (tenon_text){(const char *)v->bytes.data + l.data, (size_t)l.count};
}

uint64_t tenon_flex_count(const tenon_flex *v) {
  tenon_flex_error ignored;
  layout l;
  return is_container(v->type) && flexbuf_lay_out(v, &l, &ignored) ? l.count
                                                                   : 0;
}

tenon_flex tenon_flex_item(const tenon_flex *v, uint64_t i) {
  tenon_flex_error ignored;
  layout l;
  tenon_flex none = {v->bytes, v->at, v->width, TYPE_NULL, 1};
  if (!is_container(v->type) || !flexbuf_lay_out(v, &l, &ignored) ||
      i >= l.count)
    return none;
  return item_of(v, &l, i);
}

tenon_text tenon_flex_key(const tenon_flex *v, uint64_t i) {
  tenon_flex_error ignored;
  layout l;
  if (v->type != TYPE_MAP || !flexbuf_lay_out(v, &l, &ignored))
    return (tenon_text){NULL, 0};
  tenon_flex keys = keys_of(v, &l);
  tenon_flex key = tenon_flex_item(&keys, i);
  return tenon_flex_text(&key);
}

const char *tenon_flex_type(const tenon_flex *v) {
  static const char *const types[][2] = {
      [TENON_FLEX_BOOL] = {"bool", "bool[]"},
      [TENON_FLEX_INT] = {"int", "int[]"},
      [TENON_FLEX_UINT] = {"int", "int[]"},
      [TENON_FLEX_FLOAT] = {"float", "float[]"},
      [TENON_FLEX_STRING] = {"str", NULL},
      [TENON_FLEX_MAP] = {NULL, NULL}};
  const bool is_list = tenon_flex_look(v) == TENON_FLEX_VECTOR;
  tenon_flex first = *v;
  if (is_list && v->type == TYPE_VECTOR)
    first = tenon_flex_item(v, 0);
  else if (is_list)
    first.type = element_type(v->type);
  return types[tenon_flex_look(&first)][is_list];
}
