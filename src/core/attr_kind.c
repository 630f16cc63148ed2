// core/attr_kind.c - the kinds of attributes: names, C types and layout; one in
// a list.
//
// A kind has one C type, whose size and alignment the compiler tells.
#include <string.h>

#include "core/attr.h"

static const struct kind_row {
  const char *name, *type;
  size_t size, align;  // of a member; 0: never one
  bool is_list;
} kinds[] = {
#define ROW(K, name, T, is_list) \
  [TENON_KIND_##K] = {name, #T, sizeof(T), _Alignof(T), is_list}
#define KIND(K, name, T) ROW(K, name, T, false)
#define LIST(K, name, T) ROW(K, name, T, true)
    KIND(BOOL, "bool", bool),
    KIND(INT, "int", int64_t),
    KIND(FLOAT, "float", double),
    KIND(STR, "str", const char *),
    LIST(INTS, "int[]", tenon_ints),
    LIST(FLOATS, "float[]", tenon_floats),
    KIND(DTYPE, "ScalarType", tenon_dtype),
    KIND(SCALAR, "Scalar", tenon_scalar),
    LIST(BOOLS, "bool[]", tenon_bools),
    LIST(SCALARS, "Scalar[]", tenon_scalars),
    KIND(OPT_BOOL, "bool?", tenon_opt_bool),
    KIND(OPT_INT, "int?", tenon_opt_int),
    KIND(OPT_FLOAT, "float?", tenon_opt_float),
    LIST(STRS, "str[]", tenon_strs),
#undef LIST
#undef KIND
#undef ROW
    [TENON_KIND_DIMS] = {"SymInt[]", NULL, 0, 0, true},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

size_t tenon_kind_size(uint32_t kind, size_t *align) {
  bool is_known = kind > 0 && kind < KIND_COUNT;
  *align = is_known ? kinds[kind].align : 0;
  return is_known ? kinds[kind].size : 0;
}

const char *tenon_kind_name(uint32_t kind) {
  if (kind == 0) return "none";
  return kind < KIND_COUNT ? kinds[kind].name : "a value of unknown kind";
}

void tenon_kind_declare(uint32_t kind, const char *name, tenon_buf *out) {
  const char *type = kind < KIND_COUNT ? kinds[kind].type : NULL;
  if (!type) type = "int64_t";
  tenon_buf_text(out, type);
  if (type[strlen(type) - 1] != '*') tenon_buf_char(out, ' ');
  tenon_buf_text(out, name);
}

bool tenon_kind_is_list(uint32_t kind) {
  return kind < KIND_COUNT && kinds[kind].is_list;
}

const tenon_arg *tenon_args_find(const tenon_arg *args, const char *name) {
  for (; args && args->name; ++args)
    if (strcmp(args->name, name) == 0) return args;
  return NULL;
}

bool tenon_args_has_dims(const tenon_arg *args) {
  for (; args && args->name; ++args)
    if (args->kind == TENON_KIND_DIMS) return true;
  return false;
}
