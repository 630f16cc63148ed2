// core/schema/default.c - default values of schema arguments, both ways.
//
// A default is read as what it looks like (a number, a list, a string, a name)
// and then goes through the conversions of attributes, so `int[2] x=1` is kept
// as [1, 1] and `float x=1` as 1.0. PyTorch prints the defaults of enumerations
// as numbers (`MemoryFormat? memory_format=0`) and writes them as names
// (`contiguous_format`); both become the name here.
#include <string.h>

#include "core/attr.h"
#include "core/cursor.h"

// ---------------------------------------------------------------------------
// Enumerations
// ---------------------------------------------------------------------------

// By their numbers in c10.
static const char *const memory_formats[] = {"contiguous_format",
                                             "preserve_format", "channels_last",
                                             "channels_last_3d"};
static const char *const layouts[] = {"strided",    "sparse_coo", "sparse_csr",
                                      "_mkldnn",    "sparse_csc", "sparse_bsr",
                                      "sparse_bsc", "jagged"};

// Element types by PyTorch's other names, and by their numbers in c10; -1 has
// none.
static const struct dtype_row {
  const char *name;
  int number;
  tenon_dtype dtype;
} dtypes[] = {
    {"byte", 0, TENON_U8},      {"char", 1, TENON_S8},
    {"short", 2, TENON_S16},    {"int", 3, TENON_S32},
    {"long", 4, TENON_S64},     {"half", 5, TENON_F16},
    {"float", 6, TENON_F32},    {"double", 7, TENON_F64},
    {"cfloat", 9, TENON_C64},   {"cdouble", 10, TENON_C128},
    {"bool", 11, TENON_BOOL},   {"bfloat16", 15, TENON_BF16},
    {"", 23, TENON_F8E5M2},     {"", 24, TENON_F8E4M3FN},
    {"", 25, TENON_F8E5M2FNUZ}, {"", 26, TENON_F8E4M3FNUZ},
    {"uint16", 27, TENON_U16},  {"uint32", 28, TENON_U32},
    {"uint64", 29, TENON_U64},  {"", 44, TENON_F8E8M0FNU},
};

static tenon_dtype default_value_find_dtype(tenon_text word) {
  int64_t number = -1;
  bool is_number = tenon_text_int(word, &number);
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; ++i) {
    if (is_number ? number == dtypes[i].number
                  : tenon_text_is(word, dtypes[i].name))
      return dtypes[i].dtype;
  }
  return tenon_dtype_find(word);
}

// The type without suffixes: whether it is `name`.
static bool default_value_is_type(const tenon_argument *a, const char *name) {
  size_t size = strlen(name);
  return strncmp(a->type_text, name, size) == 0 &&
         (a->type_text[size] == 0 || a->type_text[size] == '?');
}

// The name of a number of an enumeration; null when it has none.
static const char *find_name(const tenon_argument *a, int64_t number) {
  const char *const *names = NULL;
  int64_t count = 0;
  if (default_value_is_type(a, "MemoryFormat")) {
    names = memory_formats;
    count = sizeof memory_formats / sizeof memory_formats[0];
  } else if (default_value_is_type(a, "Layout")) {
    names = layouts;
    count = sizeof layouts / sizeof layouts[0];
  }
  return number >= 0 && number < count ? names[number] : NULL;
}

// ---------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------

static bool as_scalar(tenon_text word, tenon_scalar *out) {
  memset(out, 0, sizeof *out);
  out->kind = TENON_KIND_BOOL;
  out->as.i = tenon_text_is(word, "True");
  if (out->as.i || tenon_text_is(word, "False")) return true;
  out->kind = TENON_KIND_INT;
  if (tenon_text_int(word, &out->as.i)) return true;
  out->kind = TENON_KIND_FLOAT;
  return tenon_text_double(word, &out->as.f);
}

// Behind the opening bracket.
static bool parse_texts(tenon_cursor *c, tenon_arg *out) {
  size_t n = 0, room = tenon_cursor_items(c);
  const char **list = tenon_arena_array(c->arena, const char *, room);
  if (!list) return tenon_cursor_memory(c);
  out->kind = TENON_KIND_STRS;
  out->as.strs.data = list;
  if (tenon_cursor_accept(c, "]")) return true;
  do {
    char next = tenon_cursor_peek(c);
    if (next != '"' && next != '\'')
      return tenon_cursor_expected(c, "a string");
    if (!tenon_cursor_string(c, &list[n++])) return false;
  } while (tenon_cursor_accept(c, ","));
  out->as.strs.count = n;
  return tenon_cursor_accept(c, "]") || tenon_cursor_expected(c, "',' or ']'");
}

static bool default_value_parse_list(tenon_cursor *c, const tenon_argument *a,
                                     tenon_arg *out) {
  size_t n = 0, room = 0;
  ++c->at;  // the opening bracket
  if (a->kind == TENON_KIND_STRS) return parse_texts(c, out);
  room = tenon_cursor_items(c);
  tenon_scalar *list = tenon_arena_array(c->arena, tenon_scalar, room);
  if (!list) return tenon_cursor_memory(c);
  out->kind = TENON_KIND_SCALARS;
  out->as.scalars.data = list;
  if (tenon_cursor_accept(c, "]")) return true;
  do {
    tenon_cursor_skip(c);
    size_t start = c->at;
    if (!as_scalar(tenon_cursor_word(c), &list[n++])) {
      c->at = start;
      return tenon_cursor_expected(c, "a number");
    }
  } while (tenon_cursor_accept(c, ","));
  out->as.scalars.count = n;
  return tenon_cursor_accept(c, "]") || tenon_cursor_expected(c, "',' or ']'");
}

// A word for an argument that takes a name: an element type, an enumerator, or
// any text.
static bool default_value_parse_name(tenon_cursor *c, const tenon_argument *a,
                                     tenon_text word, tenon_arg *out) {
  int64_t number = 0;
  const char *name = NULL;
  if (a->base == TENON_BASE_DTYPE) {
    out->kind = TENON_KIND_DTYPE;
    out->as.i = default_value_find_dtype(word);
    return out->as.i != 0 || tenon_cursor_expected(c, "an element type");
  }
  if (tenon_text_int(word, &number)) name = find_name(a, number);
  if (!name) name = tenon_arena_text(c->arena, word.data, word.size);
  out->kind = TENON_KIND_STR;
  out->as.s = name;
  return name || tenon_cursor_memory(c);
}

static bool parse_word(tenon_cursor *c, const tenon_argument *a,
                       tenon_arg *out) {
  size_t start = c->at;
  tenon_text word = tenon_cursor_word(c);
  size_t end = c->at;
  tenon_scalar scalar;
  c->at = start;  // where errors point
  if (word.size == 0) return tenon_cursor_expected(c, "a default");
  bool is_name = a->base == TENON_BASE_NAME || a->base == TENON_BASE_DTYPE;
  if (is_name && !a->is_list) {
    if (!default_value_parse_name(c, a, word, out)) return false;
  } else if (a->base == TENON_BASE_INT && tenon_text_is(word, "Mean")) {
    out->kind = TENON_KIND_INT;  // the only named constant: a loss's reduction
    out->as.i = 1;
  } else if (!as_scalar(word, &scalar)) {
    return tenon_cursor_expected(c, a->base == TENON_BASE_STR ? "a string"
                                    : a->base == TENON_BASE_BOOL
                                        ? "True or False"
                                        : "a number");
  } else {
    out->kind = TENON_KIND_SCALAR;
    out->as.scalar = scalar;
  }
  c->at = end;
  return true;
}

static bool accept_none(tenon_cursor *c) {
  size_t start = c->at;
  if (tenon_text_is(tenon_cursor_word(c), "None")) return true;
  c->at = start;
  return false;
}

bool tenon_cursor_default(tenon_cursor *c, tenon_argument *a) {
  tenon_arg given;
  char next = tenon_cursor_peek(c);
  size_t start = c->at;
  char reason[160];
  memset(&given, 0, sizeof given);
  given.name = a->name;
  a->has_default = true;
  a->value = given;
  if (accept_none(c)) {
    bool may_be_none = a->is_optional || a->base == TENON_BASE_TENSOR ||
                       a->base == TENON_BASE_NAME;
    return may_be_none ||
           tenon_cursor_fail(c, start, "None is no default for '%s'",
                             a->type_text);
  }
  if (a->base == TENON_BASE_TENSOR)
    return tenon_cursor_expected(c, "None, the only default of a tensor");
  bool is_read = next == '[' ? default_value_parse_list(c, a, &given)
                 : next == '"' || next == '\''
                     ? tenon_cursor_string(c, &given.as.s)
                     : parse_word(c, a, &given);
  if (!is_read) return false;
  if (next == '"' || next == '\'') given.kind = TENON_KIND_STR;
  return tenon_attr_convert(c->arena, a, &given, &a->value, reason,
                            sizeof reason) ||
         tenon_cursor_fail(c, start, "%s", reason);
}

// ---------------------------------------------------------------------------
// Printing
// ---------------------------------------------------------------------------

// A name stands bare when it reads back as one.
static void print_name(const tenon_argument *a, tenon_buf *out) {
  const char *name = a->value.as.s;
  int64_t number = 0;
  bool is_bare = a->base == TENON_BASE_NAME && name[0] &&
                 strcmp(name, "None") != 0 &&
                 !tenon_text_int(tenon_text_of(name), &number);
  for (const char *p = name; *p && is_bare; ++p)
    is_bare = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
              (*p >= '0' && *p <= '9') || strchr("_.+-", *p);
  if (is_bare) {
    tenon_buf_text(out, name);
  } else {
    tenon_buf_quote(out, name, strlen(name));
  }
}

static void print_dtype(const tenon_arg *v, tenon_buf *out) {
  const tenon_dtype_info *info = tenon_dtype_look((tenon_dtype)v->as.i);
  tenon_buf_text(out, info->torch[0] ? info->torch : info->name);
}

void tenon_default_print(const tenon_argument *a, tenon_buf *out) {
  switch (a->value.kind) {
    case TENON_KIND_STR:
      print_name(a, out);
      return;
    case TENON_KIND_DTYPE:
      print_dtype(&a->value, out);
      return;
    default:
      tenon_arg_print_python(&a->value, out);
  }
}
