// How: the only member of an Argument says its kind, and each kind has a
// reader. Names of sizes stand for what the graph says they are.
#include "read/pt2/pt2_import.h"

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-argument", __VA_ARGS__)

// ---------------------------------------------------------------------------
// Attributes
// ---------------------------------------------------------------------------

// A list of kind `list_kind`, which tenon_arg calls `member`, of what
// `read_item` makes of JSON.
#define READ_LIST(name, T, list_kind, member, read_item)           \
  static tenon_status name(tenon_pt2 *im, const tenon_json *value, \
                           tenon_arg *out) {                       \
    size_t n = tenon_json_count(value);                            \
    TENON_TRY(tenon_json_array(value));                            \
    T *data = tenon_arena_array(&im->scratch, T, n);               \
    if (!data) return tenon_pt2_memory(im);                        \
    for (size_t i = 0; i < n; ++i) {                               \
      tenon_json item = tenon_json_item(value, i);                 \
      TENON_TRY(read_item(&item, &data[i]));                       \
    }                                                              \
    *out = (tenon_arg){"", list_kind, {.member = {data, n}}};      \
    return TENON_OK;                                               \
  }
READ_LIST(read_ints, int64_t, TENON_KIND_INTS, ints, tenon_json_int)
READ_LIST(read_floats, double, TENON_KIND_FLOATS, floats, tenon_json_real)
READ_LIST(read_bools, bool, TENON_KIND_BOOLS, bools, tenon_json_bool)
READ_LIST(read_texts, const char *, TENON_KIND_STRS, strs, tenon_json_text)

// A float or a truth value that sizes make, as an attribute: a node finds out
// what it is.
static tenon_status decide_open(tenon_pt2_scope *s, tenon_pt2_name *entry,
                                const char *name) {
  tenon_pt2 *im = s->im;
  tenon_value *value = NULL;
  uint32_t kind = entry->is_truth ? TENON_KIND_BOOL : TENON_KIND_FLOAT;
  tenon_loc loc = tenon_pt2_loc(im, "number", name);
  TENON_TRY(tenon_pt2_compute(s, entry, 0, loc, &value));
  if (!value) return TENON_OK;
  const char *leaf = tenon_read_unique(&im->m->arena, &im->leaves, name);
  if (!leaf) return tenon_pt2_memory(im);
  tenon_dim dim = tenon_symbols_number(&im->m->symbols, leaf, kind);
  tenon_dim *own =
      tenon_arena_copy(&im->m->arena, &dim, sizeof dim, _Alignof(tenon_dim));
  if (!own || dim.symbol == 0) return tenon_pt2_memory(im);
  TENON_TRY(tenon_pt2_item(s, value, &own->symbol, loc));
  entry->kind = TENON_PT2_NUMBER;
  entry->number = tenon_arg_dims("", own, 1);
  return TENON_OK;
}

tenon_status tenon_pt2_complex(const tenon_json *value, double parts[2]) {
  TENON_TRY(tenon_json_real(tenon_json_at(value, "real"), &parts[0]));
  return tenon_json_real(tenon_json_at(value, "imag"), &parts[1]);
}

// {"as_name": ...} or a literal.
static tenon_status pt2_args_read_number(tenon_pt2_scope *s, const char *kind,
                                         const tenon_json *at, tenon_arg *out) {
  const char *tag = NULL, *name = NULL;
  tenon_pt2_name *entry = NULL;
  tenon_json value;
  TENON_TRY(tenon_json_tag(at, &tag, &value));
  if (strcmp(tag, "as_name") != 0)
    return tenon_pt2_attribute(s, tag, &value, out);
  TENON_TRY(tenon_json_text(&value, &name));
  TENON_TRY(tenon_pt2_look(s, &value, name, &entry));
  if (entry->kind == TENON_PT2_OPEN) TENON_TRY(decide_open(s, entry, name));
  *out = entry->number;
  if (entry->kind == TENON_PT2_NUMBER) return TENON_OK;
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(name));
  if (entry->kind == TENON_PT2_OPEN)
    return tenon_json_fail(
        &value, TENON_UNSUPPORTED, "pt2-symbol",
        "'%s' is %s that only a run knows, and here "
        "nothing computes it",
        label, strcmp(kind, "as_sym_bool") == 0 ? "a truth value" : "a number");
  return fail(&value, "'%s' is no number", label);
}

static tenon_status pt2_args_read_sizes(tenon_pt2_scope *s,
                                        const tenon_json *value,
                                        tenon_arg *out) {
  size_t n = tenon_json_count(value);
  bool is_fixed = true;
  TENON_TRY(tenon_json_array(value));
  tenon_dim *dims = tenon_arena_array(&s->im->scratch, tenon_dim, n);
  int64_t *ints = tenon_arena_array(&s->im->scratch, int64_t, n);
  if (!dims || !ints) return tenon_pt2_memory(s->im);
  for (size_t i = 0; i < n; ++i) {
    tenon_arg number = {"", 0, {0}};
    tenon_json item = tenon_json_item(value, i);
    TENON_TRY(pt2_args_read_number(s, "as_sym_int", &item, &number));
    if (number.kind != TENON_KIND_INT && number.kind != TENON_KIND_DIMS)
      return fail(&item, "is no integer");
    bool is_symbol = number.kind == TENON_KIND_DIMS;
    dims[i] = is_symbol ? number.as.dims.data[0] : tenon_dim_fixed(number.as.i);
    ints[i] = is_symbol ? 0 : number.as.i;
    is_fixed &= !is_symbol;
  }
  *out = is_fixed ? tenon_arg_ints("", ints, n) : tenon_arg_dims("", dims, n);
  return TENON_OK;
}

// A list of numbers of which none is known by name only.
static tenon_status read_numbers(tenon_pt2_scope *s, const char *kind,
                                 const tenon_json *value, tenon_arg *out) {
  size_t n = tenon_json_count(value);
  TENON_TRY(tenon_json_array(value));
  tenon_scalar *list = tenon_arena_array(&s->im->scratch, tenon_scalar, n);
  if (!list) return tenon_pt2_memory(s->im);
  for (size_t i = 0; i < n; ++i) {
    tenon_arg number = {"", 0, {0}};
    tenon_json item = tenon_json_item(value, i);
    TENON_TRY(pt2_args_read_number(s, kind, &item, &number));
    if (number.kind == TENON_KIND_DIMS)
      return tenon_json_fail(&item, TENON_UNSUPPORTED, "pt2-symbol",
                             "a list with a number that only a run knows");
    list[i] = tenon_attr_scalar(&number, 0);
  }
  out->kind = TENON_KIND_SCALARS;
  out->as.scalars = (tenon_scalars){list, n};
  return TENON_OK;
}

static tenon_status read_device(tenon_pt2 *im, const tenon_json *value,
                                tenon_arg *out) {
  const char *type = NULL;
  int64_t number = 0;
  tenon_json index = tenon_json_get(value, "index");
  TENON_TRY(tenon_json_text(tenon_json_at(value, "type"), &type));
  *out = tenon_arg_str("", type);
  if (!tenon_json_is(&index)) return TENON_OK;
  TENON_TRY(tenon_json_int(&index, &number));
  tenon_buf_clear(&im->text);
  tenon_buf_format(&im->text, "%s:%lld", type, (long long)number);
  if (!im->text.failed)
    out->as.s = tenon_arena_text(&im->scratch, im->text.data, im->text.size);
  return im->text.failed || !out->as.s ? tenon_pt2_memory(im) : TENON_OK;
}

static tenon_status read_operator(tenon_pt2 *im, const tenon_json *value,
                                  tenon_arg *out) {
  const char *target = NULL;
  TENON_TRY(tenon_json_text(value, &target));
  TENON_TRY(tenon_pt2_target(im, value, target));
  *out = tenon_arg_str(
      "", tenon_arena_text(&im->scratch, im->text.data, im->text.size));
  return out->as.s ? TENON_OK : tenon_pt2_memory(im);
}

static tenon_status read_enum(const tenon_json *value, const char *tag,
                              tenon_arg *out) {
  tenon_dtype dtype = 0;
  if (strcmp(tag, "as_scalar_type") == 0) {
    TENON_TRY(tenon_pt2_dtype(value, &dtype));
    out->kind = TENON_KIND_DTYPE;
    out->as.i = dtype;
    return TENON_OK;
  }
  bool is_layout = strcmp(tag, "as_layout") == 0;
  out->kind = TENON_KIND_STR;
  return is_layout
             ? tenon_pt2_enum(value, tenon_pt2_layouts, 8, "layout", &out->as.s)
             : tenon_pt2_enum(value, tenon_pt2_memory_formats, 5,
                              "memory format", &out->as.s);
}

// What the file's schema has and attributes cannot say.
static tenon_status pt2_args_refuse(const char *tag, const tenon_json *value) {
  static const char *const known[] = {
      "as_custom_obj",      "as_nested_tensors",
      "as_int_lists",       "as_string_to_argument",
      "as_float_lists",     "as_graph",
      "as_tensor",          "as_tensors",
      "as_optional_tensor", "as_optional_tensors"};
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(tag));
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (strcmp(tag, known[i]) == 0)
      return tenon_json_fail(value, TENON_UNSUPPORTED, "pt2-argument",
                             "an argument of the kind '%s' is not supported "
                             "here",
                             label);
  }
  return fail(value, "there is no kind of argument '%s'", label);
}

static tenon_status read_complex(tenon_pt2 *im, const tenon_json *value,
                                 tenon_arg *out) {
  double parts[2] = {0, 0};
  TENON_TRY(tenon_pt2_complex(value, parts));
  tenon_buf_clear(&im->text);
  tenon_complex_print(parts[0], parts[1], &im->text);
  if (im->text.failed) return tenon_pt2_memory(im);
  *out = tenon_arg_str(
      "", tenon_arena_text(&im->scratch, im->text.data, im->text.size));
  return out->as.s ? TENON_OK : tenon_pt2_memory(im);
}

static tenon_status read_literal(const char *tag, const tenon_json *value,
                                 tenon_arg *out) {
  bool truth = false;
  if (strcmp(tag, "as_int") == 0) {
    out->kind = TENON_KIND_INT;
    return tenon_json_int(value, &out->as.i);
  }
  if (strcmp(tag, "as_float") == 0) {
    out->kind = TENON_KIND_FLOAT;
    return tenon_json_real(value, &out->as.f);
  }
  if (strcmp(tag, "as_bool") == 0) {
    TENON_TRY(tenon_json_bool(value, &truth));
    *out = tenon_arg_bool("", truth);
    return TENON_OK;
  }
  if (strcmp(tag, "as_none") == 0) return TENON_OK;
  out->kind = TENON_KIND_STR;
  return tenon_json_text(value, &out->as.s);
}

tenon_status tenon_pt2_attribute(tenon_pt2_scope *s, const char *tag,
                                 const tenon_json *value, tenon_arg *out) {
  static const char *const literals[] = {"as_int", "as_float", "as_bool",
                                         "as_string", "as_none"};
  static const char *const enums[] = {"as_scalar_type", "as_memory_format",
                                      "as_layout"};
  memset(out, 0, sizeof *out);
  out->name = "";
  for (size_t i = 0; i < sizeof literals / sizeof *literals; ++i)
    if (strcmp(tag, literals[i]) == 0) return read_literal(tag, value, out);
  for (size_t i = 0; i < sizeof enums / sizeof *enums; ++i)
    if (strcmp(tag, enums[i]) == 0) return read_enum(value, tag, out);
  if (strcmp(tag, "as_ints") == 0) return read_ints(s->im, value, out);
  if (strcmp(tag, "as_floats") == 0) return read_floats(s->im, value, out);
  if (strcmp(tag, "as_bools") == 0) return read_bools(s->im, value, out);
  if (strcmp(tag, "as_strings") == 0) return read_texts(s->im, value, out);
  if (strcmp(tag, "as_complex") == 0) return read_complex(s->im, value, out);
  if (strcmp(tag, "as_operator") == 0) return read_operator(s->im, value, out);
  if (strcmp(tag, "as_device") == 0) return read_device(s->im, value, out);
  if (strcmp(tag, "as_sym_ints") == 0)
    return pt2_args_read_sizes(s, value, out);
  if (strcmp(tag, "as_sym_floats") == 0 || strcmp(tag, "as_sym_bools") == 0)
    return read_numbers(s, tag, value, out);
  if (strcmp(tag, "as_sym_int") == 0 || strcmp(tag, "as_sym_float") == 0 ||
      strcmp(tag, "as_sym_bool") == 0)
    return pt2_args_read_number(s, tag, value, out);
  // An empty list that torch knew no type of.
  if (strcmp(tag, "as_tensors") == 0 && json_is_array(value->value) &&
      tenon_json_count(value) == 0) {
    *out = tenon_arg_ints("", NULL, 0);
    return read_ints(s->im, value, out);
  }
  return pt2_args_refuse(tag, value);
}
