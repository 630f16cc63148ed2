// core/attr_bind.c - attribute structs: laying out, filling, reading back.
//
// Members are written and read as bytes, so the struct's own declaration is
// never needed. The layout that the fields promise is checked by laying the
// kinds out again in order of offset.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "core/attr.h"
#include "core/attr_lists.h"

// ---------------------------------------------------------------------------
// From canonical form to a struct
// ---------------------------------------------------------------------------

static bool flatten(tenon_arena *arena, const tenon_arg *arg, tenon_ints *out) {
  size_t count = arg->as.dims.count;
  int64_t *data = tenon_arena_array(arena, int64_t, count);
  for (size_t i = 0; data && i < count; ++i)
    data[i] = tenon_attr_scalar(arg, i).as.i;
  out->data = data;
  out->count = count;
  return data;
}

static const void *bind_array(tenon_arena *arena, const tenon_arg *args) {
  static const tenon_arg none[1];
  size_t n = 0;
  if (!args) return none;
  if (!tenon_args_has_dims(args)) return args;
  while (args[n].name)
    ++n;
  tenon_arg *flat = tenon_arena_array(arena, tenon_arg, n + 1);
  if (!flat) return NULL;
  for (size_t i = 0; i < n; ++i) {
    flat[i] = args[i];
    if (args[i].kind != TENON_KIND_DIMS) continue;
    flat[i].kind = TENON_KIND_INTS;
    if (!flatten(arena, &args[i], &flat[i].as.ints)) return NULL;
  }
  return flat;
}

// The value as a member of the struct; zero is what absent values are.
typedef union member {
  bool b;
  int64_t i;
  double f;
  const char *s;
  tenon_dtype dtype;
  tenon_ints ints;
  tenon_floats floats;
  tenon_bools bools;
  tenon_scalar scalar;
  tenon_scalars scalars;
  tenon_strs strs;
  tenon_opt_bool opt_bool;
  tenon_opt_int opt_int;
  tenon_opt_float opt_float;
} member;

static double float_of(const tenon_arg *arg) {
  tenon_scalar s = tenon_attr_scalar(arg, 0);
  if (s.kind == TENON_KIND_FLOAT) return s.as.f;
  return s.as.i == TENON_UNKNOWN ? (double)NAN : (double)s.as.i;
}

static int64_t attr_bind_integer(const tenon_arg *arg) {
  return tenon_attr_scalar(arg, 0).as.i;
}

// Numbers and optional ones: kind, members, how they are read, where they are
// kept in canonical form.
#define NUMBERS(NUMBER)                              \
  NUMBER(BOOL, b, opt_bool, attr_bind_integer, as.i) \
  NUMBER(INT, i, opt_int, attr_bind_integer, as.i)   \
  NUMBER(FLOAT, f, opt_float, float_of, as.f)

static bool fill_member(tenon_arena *arena, uint32_t kind, const tenon_arg *arg,
                        member *out) {
  memset(out, 0, sizeof *out);
  if (!arg || arg->kind == 0) return true;
  if (kind == TENON_KIND_INTS && arg->kind == TENON_KIND_DIMS)
    return flatten(arena, arg, &out->ints);
  switch (kind) {
#define FILL(its_kind, plain, optional, read, kept) \
  case TENON_KIND_##its_kind:                       \
    out->plain = read(arg);                         \
    break;                                          \
  case TENON_KIND_OPT_##its_kind:                   \
    out->optional.value = read(arg);                \
    out->optional.has = true;                       \
    break;
    NUMBERS(FILL)
#undef FILL
    case TENON_KIND_STR:
      out->s = arg->as.s;
      break;
#define FILL(its_kind, list, T) \
  case TENON_KIND_##its_kind:   \
    out->list = arg->as.list;   \
    break;
      TENON_ATTR_LISTS(FILL)
#undef FILL
    case TENON_KIND_DTYPE:
      out->dtype = (tenon_dtype)arg->as.i;
      break;
    case TENON_KIND_SCALAR:
      out->scalar = tenon_attr_scalar(arg, 0);
      break;
  }
  return true;
}

const void *tenon_attr_bind(tenon_arena *arena, const tenon_field *fields,
                            size_t attrs_size, const tenon_arg *args) {
  if (!fields) return bind_array(arena, args);
  char *attrs = tenon_arena_zalloc(arena, attrs_size, _Alignof(max_align_t));
  if (!attrs) return NULL;
  for (const tenon_field *f = fields; f->name; ++f) {
    member value;
    size_t align = 0, size = tenon_kind_size(f->kind, &align);
    if (!fill_member(arena, f->kind, tenon_args_find(args, f->name), &value))
      return NULL;
    memcpy(attrs + f->offset, &value, size);
  }
  return attrs;
}

// ---------------------------------------------------------------------------
// And back
// ---------------------------------------------------------------------------

static void set_list(tenon_arg *out, uint32_t kind, bool is_there) {
  out->kind = is_there ? kind : 0;
}

// The argument that stands for a member; what it points to is the member's.
static void read_member(uint32_t kind, const member *m, tenon_arg *out) {
  out->kind = kind;
  switch (kind) {
#define READ(its_kind, plain, optional, read, kept)        \
  case TENON_KIND_##its_kind:                              \
    out->kept = m->plain;                                  \
    break;                                                 \
  case TENON_KIND_OPT_##its_kind:                          \
    out->kept = m->optional.value;                         \
    set_list(out, TENON_KIND_##its_kind, m->optional.has); \
    break;
    NUMBERS(READ)
#undef READ
    case TENON_KIND_STR:
      out->as.s = m->s;
      set_list(out, kind, m->s);
      break;
#define READ(its_kind, list, T)        \
  case TENON_KIND_##its_kind:          \
    out->as.list = m->list;            \
    set_list(out, kind, m->list.data); \
    break;
      TENON_ATTR_LISTS(READ)
#undef READ
    case TENON_KIND_DTYPE:
      out->as.i = m->dtype;
      set_list(out, kind, m->dtype != 0);
      break;
    case TENON_KIND_SCALAR:
      out->as.scalar = m->scalar;
      set_list(out, kind, m->scalar.kind != 0);
      break;
  }
}

static const tenon_field *find_field(const tenon_field *fields,
                                     const char *name) {
  for (; fields && fields->name; ++fields) {
    if (strcmp(fields->name, name) == 0) return fields;
  }
  return NULL;
}

bool tenon_attr_unbind(tenon_arena *arena, const tenon_schema *schema,
                       const tenon_field *fields, const void *attrs,
                       const tenon_arg **out) {
  char ignored[1];
  size_t n = schema->n_attrs;
  tenon_arg *list = tenon_arena_array(arena, tenon_arg, n + 1);
  if (!list) return false;
  for (size_t i = 0; i < n; ++i) {
    const tenon_argument *a = tenon_schema_attr(schema, (int)i);
    const tenon_field *f = find_field(fields, a->name);
    member value;
    tenon_arg given = {a->name, 0, {0}};
    size_t align = 0, size = f ? tenon_kind_size(f->kind, &align) : 0;
    if (size == 0) return false;
    memcpy(&value, (const char *)attrs + f->offset, size);
    read_member(f->kind, &value, &given);
    // A list that the reader left out is an empty one if it cannot be absent.
    if (given.kind == 0 && a->is_list && !a->is_optional)
      given.kind = TENON_KIND_INTS;
    if (!tenon_attr_convert(arena, a, &given, &list[i], ignored, 0))
      return false;
  }
  *out = list;
  return true;
}

// ---------------------------------------------------------------------------
// Checking
// ---------------------------------------------------------------------------

static bool check_pairs(const tenon_schema *schema, const tenon_field *fields,
                        char *error, size_t size) {
  for (int i = 0; tenon_schema_attr(schema, i); ++i) {
    const tenon_argument *a = tenon_schema_attr(schema, i);
    const tenon_field *f = find_field(fields, a->name);
    if (!f || f->kind != a->kind || a->kind == 0) {
      (void)snprintf(error, size,
                     "schema argument '%s %s' has no field of that kind%s%s",
                     a->type_text, a->name, f ? ": it is " : "",
                     f ? tenon_kind_name(f->kind) : "");
      return false;
    }
    if (find_field(f + 1, a->name)) {
      (void)snprintf(error, size, "schema argument '%s' has two fields",
                     a->name);
      return false;
    }
  }
  for (const tenon_field *f = fields; f->name; ++f) {
    const tenon_argument *a = tenon_schema_find(schema, f->name);
    if (a && a->base != TENON_BASE_TENSOR) continue;
    (void)snprintf(error, size, "field '%s' is no attribute of the schema",
                   f->name);
    return false;
  }
  return true;
}

// The field of least offset among those of at least `from`.
static const tenon_field *next_field(const tenon_field *fields, size_t from) {
  const tenon_field *best = NULL;
  for (const tenon_field *f = fields; f->name; ++f) {
    if (f->offset >= from && (!best || f->offset < best->offset)) best = f;
  }
  return best;
}

static bool say_layout(char *error, size_t size, const char *what,
                       size_t promised, size_t expected) {
  (void)snprintf(error, size, "%s is %zu, this machine lays it out as %zu",
                 what, promised, expected);
  return false;
}

static bool check_layout(const tenon_field *fields, size_t attrs_size,
                         char *error, size_t size) {
  size_t end = 0, widest = 1, align = 0, n = 0;
  char what[96];
  for (const tenon_field *f = fields; f->name; ++f)
    ++n;
  for (size_t i = 0; i < n; ++i) {
    const tenon_field *f = next_field(fields, end);
    if (!f) {
      (void)snprintf(error, size, "two fields overlap");
      return false;
    }
    size_t bytes = tenon_kind_size(f->kind, &align), at = 0;
    if (!tenon_size_align(end, align, &at) || at != f->offset) {
      (void)snprintf(what, sizeof what, "offset of the field '%.50s'", f->name);
      return say_layout(error, size, what, f->offset, at);
    }
    end = at + bytes;
    if (align > widest) widest = align;
  }
  if (!tenon_size_align(end, widest, &end) || end != attrs_size)
    return say_layout(error, size, "size of the attributes", attrs_size, end);
  return true;
}

bool tenon_attr_check_fields(const tenon_schema *schema,
                             const tenon_field *fields, size_t attrs_size,
                             char *error, size_t size) {
  if (!fields && attrs_size == 0) return true;
  if (!fields) {
    (void)snprintf(error, size, "attributes of %zu bytes without fields",
                   attrs_size);
    return false;
  }
  return check_pairs(schema, fields, error, size) &&
         check_layout(fields, attrs_size, error, size);
}
