// core/attr.c - bringing attributes into canonical form.
//
// Numbers and lists of numbers are read through one view, as Scalars, and
// written as the kind that the schema asks for; so each conversion is stated
// once, in `is_convertible`. Sizes with symbols go beside that: they are copied
// as they are, and only where the schema says SymInt or Scalar.
//
// Matching names is quadratic. Operators have few attributes, and no table
// would pay for itself.
#include "core/attr.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/attr_lists.h"

typedef struct writer {
  tenon_arena *arena;
  char *error;
  size_t size;
} writer;

static bool attr_say(const writer *w, const char *fmt, ...) TENON_PRINTF(2, 3);
static bool attr_say(const writer *w, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  if (w->size > 0) (void)vsnprintf(w->error, w->size, fmt, args);
  va_end(args);
  return false;
}

static bool say_memory(const writer *w) {
  return attr_say(w, "out of memory");
}

// ---------------------------------------------------------------------------
// Reading numbers
// ---------------------------------------------------------------------------

static bool attr_is_number(uint32_t kind) {
  return kind == TENON_KIND_BOOL || kind == TENON_KIND_INT ||
         kind == TENON_KIND_FLOAT || kind == TENON_KIND_SCALAR;
}

size_t tenon_attr_count(const tenon_arg *arg) {
  switch (arg->kind) {
#define COUNT(its_kind, list, T) \
  case TENON_KIND_##its_kind:    \
    return arg->as.list.count;
    TENON_ATTR_LISTS(COUNT)
#undef COUNT
    case TENON_KIND_DIMS:
      return arg->as.dims.count;
    default:
      return attr_is_number(arg->kind) ? 1 : 0;
  }
}

static const void *data_of(const tenon_arg *arg) {
  switch (arg->kind) {
#define DATA(its_kind, list, T) \
  case TENON_KIND_##its_kind:   \
    return arg->as.list.data;
    TENON_ATTR_LISTS(DATA)
#undef DATA
    case TENON_KIND_DIMS:
      return arg->as.dims.data;
    case TENON_KIND_STR:
      return arg->as.s;
    default:
      return arg;
  }
}

static tenon_scalar attr_scalar_of(uint32_t kind, int64_t i) {
  tenon_scalar s = {kind, {0}};
  s.as.i = i;
  return s;
}

static tenon_scalar scalar_of_float(double f) {
  tenon_scalar s = {TENON_KIND_FLOAT, {0}};
  s.as.f = f;
  return s;
}

// What infer and lower see of a number that is not known yet.
static tenon_scalar scalar_of_dim(tenon_dim d) {
  if (d.symbol == 0) return attr_scalar_of(TENON_KIND_INT, d.value);
  if (d.value == TENON_KIND_FLOAT) return scalar_of_float((double)NAN);
  if (d.value == TENON_KIND_BOOL) return attr_scalar_of(TENON_KIND_BOOL, 0);
  return attr_scalar_of(TENON_KIND_INT, TENON_UNKNOWN);
}

tenon_scalar tenon_attr_scalar(const tenon_arg *arg, size_t i) {
  switch (arg->kind) {
    case TENON_KIND_BOOL:
      return attr_scalar_of(TENON_KIND_BOOL, arg->as.i != 0);
    case TENON_KIND_INT:
      return attr_scalar_of(TENON_KIND_INT, arg->as.i);
    case TENON_KIND_FLOAT:
      return scalar_of_float(arg->as.f);
    case TENON_KIND_SCALAR:
      return arg->as.scalar;
    case TENON_KIND_INTS:
      return attr_scalar_of(TENON_KIND_INT, arg->as.ints.data[i]);
    case TENON_KIND_FLOATS:
      return scalar_of_float(arg->as.floats.data[i]);
    case TENON_KIND_BOOLS:
      return attr_scalar_of(TENON_KIND_BOOL, arg->as.bools.data[i]);
    case TENON_KIND_SCALARS:
      return arg->as.scalars.data[i];
    case TENON_KIND_DIMS:
      return scalar_of_dim(arg->as.dims.data[i]);
    default:
      return attr_scalar_of(0, 0);
  }
}

bool tenon_attr_is_complex(const tenon_argument *argument,
                           const tenon_arg *value) {
  return argument->base == TENON_BASE_SCALAR && !argument->is_list &&
         value->kind == TENON_KIND_STR && value->as.s;
}

static bool has_symbols(const tenon_arg *arg) {
  if (arg->kind != TENON_KIND_DIMS) return false;
  for (size_t i = 0; i < arg->as.dims.count; ++i) {
    if (!tenon_dim_is_fixed(arg->as.dims.data[i])) return true;
  }
  return false;
}

// ---------------------------------------------------------------------------
// Converting
// ---------------------------------------------------------------------------

static bool say_kind(const writer *w, const tenon_argument *a,
                     const char *found) {
  return attr_say(w, "attribute '%s': expected %s, found %s", a->name,
                  a->type_text, found);
}

static bool say_length(const writer *w, const tenon_argument *a, size_t count) {
  return attr_say(w, "attribute '%s': expected %s, found a list of %zu",
                  a->name, a->type_text, count);
}

// A Scalar is named for what it holds.
static const char *attr_name_of(const tenon_arg *given) {
  bool is_scalar = given->kind == TENON_KIND_SCALAR;
  return tenon_kind_name(is_scalar ? given->as.scalar.kind : given->kind);
}

// What PyTorch converts without being asked: int to float, any to Scalar.
static bool is_convertible(uint32_t from, uint8_t base) {
  switch (base) {
    case TENON_BASE_INT:
      return from == TENON_KIND_INT;
    case TENON_BASE_FLOAT:
      return from == TENON_KIND_INT || from == TENON_KIND_FLOAT;
    case TENON_BASE_BOOL:
      return from == TENON_KIND_BOOL;
    case TENON_BASE_SCALAR:
      return from == TENON_KIND_INT || from == TENON_KIND_FLOAT ||
             from == TENON_KIND_BOOL;
    default:
      return false;
  }
}

static double as_float(tenon_scalar s) {
  return s.kind == TENON_KIND_INT ? (double)s.as.i : s.as.f;
}

static bool copy_dims(const writer *w, const tenon_arg *given, size_t count,
                      tenon_arg *out) {
  tenon_dim *dims = tenon_arena_array(w->arena, tenon_dim, count);
  if (!dims) return say_memory(w);
  for (size_t i = 0; i < count; ++i)
    dims[i] = given->as.dims.data[given->as.dims.count == 1 ? 0 : i];
  out->kind = TENON_KIND_DIMS;
  out->as.dims.data = dims;
  out->as.dims.count = count;
  return true;
}

// Elements of any kind into a new list of the base's kind; a single one is
// repeated. They have been found convertible.
static bool copy_elements(const writer *w, uint8_t base, const tenon_arg *given,
                          size_t count, tenon_arg *out) {
  size_t step = tenon_attr_count(given) == 1 ? 0 : 1;
#define COPY(its_kind, list, T, element)                   \
  do {                                                     \
    T *data = tenon_arena_array(w->arena, T, count);       \
    for (size_t i = 0; data && i < count; ++i) {           \
      tenon_scalar s = tenon_attr_scalar(given, i * step); \
      data[i] = element;                                   \
    }                                                      \
    out->kind = TENON_KIND_##its_kind;                     \
    out->as.list.data = data;                              \
    out->as.list.count = count;                            \
  } while (0)
  if (base == TENON_BASE_FLOAT)
    COPY(FLOATS, floats, double, as_float(s));
  else if (base == TENON_BASE_BOOL)
    COPY(BOOLS, bools, bool, s.as.i != 0);
  else if (base == TENON_BASE_SCALAR)
    COPY(SCALARS, scalars, tenon_scalar, s);
  else  // int; also what an empty list of anything else is kept as
    COPY(INTS, ints, int64_t, s.as.i);
#undef COPY
  return data_of(out) || say_memory(w);
}

static bool check_elements(const writer *w, const tenon_argument *a,
                           const tenon_arg *given, size_t count) {
  if (count > 0 && a->kind == 0)
    return attr_say(w,
                    "attribute '%s': no value can be given for the type '%s'",
                    a->name, a->type_text);
  for (size_t i = 0; i < count; ++i) {
    uint32_t kind = tenon_attr_scalar(given, i).kind;
    if (!is_convertible(kind, a->base))
      return say_kind(
          w, a,
          tenon_kind_is_list(given->kind) && kind == TENON_KIND_FLOAT
              ? "a list with a float"
              : attr_name_of(given));
  }
  if (has_symbols(given) && !(a->base == TENON_BASE_INT && a->is_symbolic))
    return say_kind(w, a, "sizes that are not numbers yet");
  return true;
}

// A text for `str[n]` may stand alone; it is repeated as a number is.
static bool convert_texts(const writer *w, const tenon_argument *a,
                          const tenon_arg *given, tenon_arg *out) {
  bool is_one = given->kind == TENON_KIND_STR;
  bool is_texts = given->kind == TENON_KIND_STRS;
  const char *const *from = is_one ? &given->as.s : given->as.strs.data;
  size_t given_count = is_one ? 1 : tenon_attr_count(given);
  size_t length = (size_t)a->length, count = given_count;
  bool may_repeat = length > 0 && given_count == 1;
  // A list of nothing has no kind yet.
  bool is_empty = tenon_kind_is_list(given->kind) && given_count == 0;
  if (!is_texts && !is_empty && !(is_one && may_repeat))
    return say_kind(w, a, attr_name_of(given));
  if (length > 1 && count > 1 && count != length)
    return say_length(w, a, count);
  if (may_repeat) count = length;
  const char **texts = tenon_arena_array(w->arena, const char *, count);
  if (!texts) return say_memory(w);
  for (size_t i = 0; i < count; ++i) {
    const char *text = from[given_count == 1 ? 0 : i];
    if (!text) return say_kind(w, a, "a list with none");
    texts[i] = tenon_arena_string(w->arena, text);
    if (!texts[i]) return say_memory(w);
  }
  out->kind = TENON_KIND_STRS;
  out->as.strs = (tenon_strs){texts, count};
  return true;
}

static bool convert_list(const writer *w, const tenon_argument *a,
                         const tenon_arg *given, tenon_arg *out) {
  size_t count = tenon_attr_count(given), length = (size_t)a->length;
  bool may_repeat = length > 0 && count == 1;
  if (!tenon_kind_is_list(given->kind) &&
      (!attr_is_number(given->kind) || !may_repeat))
    return say_kind(w, a, attr_name_of(given));
  if (!check_elements(w, a, given, count)) return false;
  if (length > 1 && count > 1 && count != length)
    return say_length(w, a, count);
  if (may_repeat) count = length;
  return has_symbols(given) ? copy_dims(w, given, count, out)
                            : copy_elements(w, a->base, given, count, out);
}

static bool convert_complex(const writer *w, const tenon_argument *a,
                            const tenon_arg *given, tenon_arg *out) {
  double real = 0, imaginary = 0;
  if (!tenon_complex_parse(given->as.s, &real, &imaginary))
    return attr_say(w, "attribute '%s': expected %s, found the text '%.60s'",
                    a->name, a->type_text, given->as.s);
  out->kind = TENON_KIND_STR;
  out->as.s = tenon_arena_string(w->arena, given->as.s);
  return out->as.s || say_memory(w);
}

static bool convert_number(const writer *w, const tenon_argument *a,
                           const tenon_arg *given, tenon_arg *out) {
  if (tenon_attr_is_complex(a, given)) return convert_complex(w, a, given, out);
  bool is_size = given->kind == TENON_KIND_DIMS && given->as.dims.count == 1;
  if (!attr_is_number(given->kind) && !is_size)
    return say_kind(w, a, attr_name_of(given));
  if (has_symbols(given)) {
    uint32_t kind = tenon_attr_scalar(given, 0).kind;
    bool takes_symbols = (a->base == TENON_BASE_SCALAR || a->is_symbolic) &&
                         is_convertible(kind, a->base);
    return takes_symbols ? copy_dims(w, given, 1, out)
                         : say_kind(w, a, "a size that is not a number yet");
  }
  tenon_scalar s = tenon_attr_scalar(given, 0);
  if (!is_convertible(s.kind, a->base))
    return say_kind(w, a, attr_name_of(given));
  if (a->base == TENON_BASE_SCALAR) {
    out->kind = TENON_KIND_SCALAR;
    out->as.scalar = s;
  } else if (a->base == TENON_BASE_FLOAT) {
    out->kind = TENON_KIND_FLOAT;
    out->as.f = as_float(s);
  } else {
    out->kind = s.kind;
    out->as.i = s.as.i;
  }
  return true;
}

static bool convert_text(const writer *w, const tenon_argument *a,
                         const tenon_arg *given, tenon_arg *out) {
  if (given->kind != TENON_KIND_STR) return say_kind(w, a, attr_name_of(given));
  out->kind = TENON_KIND_STR;
  out->as.s = tenon_arena_string(w->arena, given->as.s);
  return out->as.s || say_memory(w);
}

static bool convert_dtype(const writer *w, const tenon_argument *a,
                          const tenon_arg *given, tenon_arg *out) {
  int64_t number = given->as.i;
  if (given->kind == TENON_KIND_STR) {
    number = tenon_dtype_find(tenon_text_of(given->as.s));
    if (number == 0)
      return attr_say(w, "attribute '%s': there is no element type '%.60s'",
                      a->name, given->as.s);
  } else if (given->kind != TENON_KIND_DTYPE) {
    return say_kind(w, a, attr_name_of(given));
  }
  if (number < 0 || number > UINT8_MAX || !tenon_dtype_look((uint8_t)number))
    return attr_say(w, "attribute '%s': there is no element type %lld", a->name,
                    (long long)number);
  out->kind = TENON_KIND_DTYPE;
  out->as.i = number;
  return true;
}

// An absent value may be given as such, as a null list or text, or as a Scalar
// or element type of kind 0.
static bool attr_is_none(const tenon_argument *a, const tenon_arg *given) {
  if (given->kind == 0 || !data_of(given))
    return !tenon_kind_is_list(given->kind) || tenon_attr_count(given) > 0 ||
           a->is_optional;
  if (given->kind == TENON_KIND_SCALAR) return given->as.scalar.kind == 0;
  return given->kind == TENON_KIND_DTYPE && given->as.i == 0;
}

bool tenon_attr_convert(tenon_arena *arena, const tenon_argument *argument,
                        const tenon_arg *given, tenon_arg *out, char *error,
                        size_t size) {
  writer w = {arena, error, size};
  memset(out, 0, sizeof *out);
  out->name = argument->name;
  if (attr_is_none(argument, given)) {
    // TorchScript has None also for what is only carried as text.
    return argument->is_optional || argument->base == TENON_BASE_NAME ||
           say_kind(&w, argument, "none");
  }
  if (argument->kind == TENON_KIND_STRS)
    return convert_texts(&w, argument, given, out);
  if (argument->is_list) return convert_list(&w, argument, given, out);
  switch (argument->base) {
    case TENON_BASE_STR:
    case TENON_BASE_NAME:
      return convert_text(&w, argument, given, out);
    case TENON_BASE_DTYPE:
      return convert_dtype(&w, argument, given, out);
    default:
      return convert_number(&w, argument, given, out);
  }
}

// ---------------------------------------------------------------------------
// Completing
// ---------------------------------------------------------------------------

// Every name given is an attribute, and given once.
static bool attr_check_names(const writer *w, const tenon_schema *s,
                             const tenon_arg *given) {
  for (const tenon_arg *arg = given; arg && arg->name; ++arg) {
    const tenon_argument *a = tenon_schema_find(s, arg->name);
    if (a && a->base == TENON_BASE_TENSOR)
      return attr_say(w, "'%s' of %s is an operand, not an attribute", a->name,
                      s->name);
    if (a && tenon_args_find(given, arg->name) != arg)
      return attr_say(w, "attribute '%s' is given twice", a->name);
    if (a) continue;
    tenon_nearest nearest;
    tenon_nearest_init(&nearest, arg->name);
    for (int i = 0; tenon_schema_attr(s, i); ++i)
      tenon_nearest_feed(&nearest, tenon_schema_attr(s, i)->name);
    if (!nearest.best)
      return attr_say(w, "%s has no attribute '%.60s'", s->name, arg->name);
    return attr_say(w, "%s has no attribute '%.60s', did you mean '%s'?",
                    s->name, arg->name, nearest.best);
  }
  return true;
}

static bool check_length(const writer *w, const tenon_argument *a,
                         const tenon_arg *value) {
  bool may_be_empty = a->length < 2 || (a->has_default && a->value.kind != 0 &&
                                        tenon_attr_count(&a->value) == 0);
  if (!tenon_kind_is_list(value->kind) || tenon_attr_count(value) > 0 ||
      may_be_empty)
    return true;
  return attr_say(w, "attribute '%s': expected %s, found an empty list",
                  a->name, a->type_text);
}

bool tenon_attr_complete(tenon_arena *arena, const tenon_schema *schema,
                         const tenon_arg *given, const tenon_arg **out,
                         char *error, size_t size) {
  writer w = {arena, error, size};
  if (!attr_check_names(&w, schema, given)) return false;
  tenon_arg *list =
      tenon_arena_array(arena, tenon_arg, (size_t)schema->n_attrs + 1);
  if (!list) return say_memory(&w);
  for (int i = 0; i < schema->n_attrs; ++i) {
    const tenon_argument *a = tenon_schema_attr(schema, i);
    const tenon_arg *arg = tenon_args_find(given, a->name);
    if (!arg && !a->has_default)
      return attr_say(&w, "%s needs the attribute '%s' (%s)", schema->name,
                      a->name, a->type_text);
    if (!arg) arg = &a->value;
    if (!tenon_attr_convert(arena, a, arg, &list[i], error, size) ||
        !check_length(&w, a, &list[i]))
      return false;
  }
  *out = list;
  return true;
}
