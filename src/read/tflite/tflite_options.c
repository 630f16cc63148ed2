// How: a builtin operator's options are a table that tenon_fb_verify has
// checked against the schema, so a slot has a known width. Custom options are
// bytes: a descriptor with a reader function gets them as they are, for any
// other they are a FlexBuffers map, whose values become attributes that
// core/attr.c converts and completes. Attributes of an operator that nobody
// describes are kept as bytes.
#include "core/attr.h"
#include "core/dtype.h"
#include "read/flexbuf.h"
#include "read/tflite/tflite_import.h"

// Keys of one operator that are reported one by one.
#define MAX_WARNINGS 8
#define MAX_ERROR 256

typedef struct options {
  tenon_options base;
  tenon_import *im;
  tenon_import_graph *g;  // null: not of an operator of a graph
  tenon_fb_vector inputs, outputs, intermediates;  // of the operator
  const tenon_op *op;
  tenon_fb_table table;  // of a builtin; absent: none
  tenon_place place;     // of the operator, with the bytes of its options
  bool has_failed;       // and that was reported
} options;

// ---------------------------------------------------------------------------
// Failing
// ---------------------------------------------------------------------------

// The place of bytes of the options; of the operator where it has none.
static tenon_place options_place_of(const options *o, uint64_t at,
                                    uint64_t size) {
  tenon_place place = o->place;
  if (o->base.size == 0) return place;
  if (at > o->base.size) at = o->base.size;
  if (size > o->base.size - at) size = o->base.size - at;
  place.offset += at;
  place.size = size;
  return place;
}

static tenon_status options_no_memory(options *o) {
  o->has_failed = true;
  return tenon_fail_memory(&o->im->m->report, "reading options");
}

static tenon_status vfail_at(options *o, uint64_t at, uint64_t size,
                             const char *fmt, va_list args) {
  tenon_place place = options_place_of(o, at, size);
  o->has_failed = true;
  return tenon_vfail(&o->im->m->report, TENON_BAD_MODEL, "tflite-options",
                     &place, NULL, fmt, args);
}

static tenon_status fail_at(options *o, uint64_t at, uint64_t size,
                            const char *fmt, ...) TENON_PRINTF(4, 5);
static tenon_status fail_at(options *o, uint64_t at, uint64_t size,
                            const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  tenon_status status = vfail_at(o, at, size, fmt, args);
  va_end(args);
  return status;
}

static tenon_status options_fail(tenon_options *base, size_t byte_offset,
                                 const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  tenon_status status =
      vfail_at((options *)base, byte_offset, base->size, fmt, args);
  va_end(args);
  return status;
}

// ---------------------------------------------------------------------------
// Tables
// ---------------------------------------------------------------------------

static int64_t options_integer(const tenon_options *base, int slot,
                               int64_t absent) {
  const options *o = (const options *)base;
  const int64_t i = tenon_fb_int(&o->table, slot, absent);
  return o->g ? tenon_import_callee(o->g, slot, 0, i) : i;
}

static double options_real(const tenon_options *base, int slot, double absent) {
  return tenon_fb_float(&((const options *)base)->table, slot, absent);
}

static const char *options_text(const tenon_options *base, int slot) {
  return tenon_fb_text(&((const options *)base)->table, slot).data;
}

static tenon_ints options_ints(const tenon_options *base, int slot) {
  const options *o = (const options *)base;
  tenon_fb_vector v = tenon_fb_list(&o->table, slot);
  tenon_ints ints = {NULL, 0};
  if (v.at == 0 || v.element == 'f' || v.element == 't') return ints;
  int64_t *data = tenon_arena_array(&o->im->scratch, int64_t, v.count);
  for (uint32_t i = 0; data && i < v.count; ++i) {
    data[i] = tenon_fb_item_int(&v, i);
    if (o->g) data[i] = tenon_import_callee(o->g, slot, i, data[i]);
  }
  ints.data = data;
  ints.count = data ? v.count : 0;
  return ints;
}

static tenon_floats options_floats(const tenon_options *base, int slot) {
  const options *o = (const options *)base;
  tenon_fb_vector v = tenon_fb_list(&o->table, slot);
  tenon_floats floats = {NULL, 0};
  if (v.at == 0 || v.element != 'f') return floats;
  double *data = tenon_arena_array(&o->im->scratch, double, v.count);
  for (uint32_t i = 0; data && i < v.count; ++i)
    data[i] = tenon_fb_item_float(&v, i);
  floats.data = data;
  floats.count = data ? v.count : 0;
  return floats;
}

// ---------------------------------------------------------------------------
// Tensors
// ---------------------------------------------------------------------------

static bool options_look(const options *o, const tenon_fb_vector *list, int i,
                         tenon_file_tensor *out) {
  return o->g && i >= 0 && (uint32_t)i < list->count &&
         tenon_import_look(o->g, tenon_fb_item_int(list, (uint32_t)i), out);
}

static bool options_operand(const tenon_options *base, int i,
                            tenon_file_tensor *out) {
  const options *o = (const options *)base;
  return options_look(o, &o->inputs, i, out);
}

static bool options_result(const tenon_options *base, int i,
                           tenon_file_tensor *out) {
  const options *o = (const options *)base;
  return options_look(o, &o->outputs, i, out);
}

static tenon_status options_workspace(tenon_options *base, int i) {
  options *o = (options *)base;
  tenon_file_tensor t;
  if (!options_look(o, &o->inputs, i, &t))
    return options_fail(base, 0, "there is no operand %d to work in", i);
  if (!tenon_import_is_blank(&o->g->tensors[t.index]))
    return options_fail(
        base, 0, "operand %d is to be memory to work in, but is a value", i);
  o->g->is_workspace[i] = true;
  return TENON_OK;
}

static bool options_intermediate(const tenon_options *base, int i, float *scale,
                                 int32_t *zero) {
  const options *o = (const options *)base;
  if (!o->g || i < 0 || (uint32_t)i >= o->intermediates.count) return false;
  int64_t tensor = tenon_fb_item_int(&o->intermediates, (uint32_t)i);
  if (tensor < 0 || tensor >= o->g->n_tensors) return false;
  const tenon_quant *q = o->g->tensors[tensor].type.quant;
  bool has_one = q && q->channels == 1;
  *scale = has_one ? q->scale[0] : 0;
  *zero = has_one && q->zero ? q->zero[0] : 0;
  return true;
}

// Whether item k of a list of tensors is the tensor t.
static bool is_item(const tenon_fb_vector *list, uint32_t k, int64_t t) {
  return k < list->count && tenon_fb_item_int(list, k) == t;
}

static const char *options_body(const tenon_options *base, int64_t i) {
  const options *o = (const options *)base;
  const tenon_tflite *file = &o->im->file;
  if (i < 0 || i >= file->subgraphs.count) return NULL;
  tenon_fb_table graph = tenon_fb_item(&file->subgraphs, (uint32_t)i);
  tenon_fb_vector in = tenon_fb_list(&graph, SUBGRAPH_INPUTS);
  tenon_fb_vector out = tenon_fb_list(&graph, SUBGRAPH_OUTPUTS);
  tenon_fb_vector ops = tenon_fb_list(&graph, SUBGRAPH_OPERATORS);
  if (in.count != 2 || out.count != 1 || ops.count > 1) return NULL;
  const int64_t a = tenon_fb_item_int(&in, 0), b = tenon_fb_item_int(&in, 1);
  if (ops.count == 0) return is_item(&out, 0, b) && a != b ? "" : NULL;
  tenon_fb_table op = tenon_fb_item(&ops, 0);
  tenon_fb_vector x = tenon_fb_list(&op, OPERATOR_INPUTS);
  tenon_fb_vector y = tenon_fb_list(&op, OPERATOR_OUTPUTS);
  const int64_t code = tenon_fb_int(&op, OPERATOR_CODE, 0);
  const bool is_both = x.count == 2 && y.count == 1 &&
                       ((is_item(&x, 0, a) && is_item(&x, 1, b)) ||
                        (is_item(&x, 0, b) && is_item(&x, 1, a)));
  if (!is_both || !is_item(&out, 0, tenon_fb_item_int(&y, 0)) || code < 0 ||
      code >= file->codes.count)
    return NULL;
  tenon_fb_table entry = tenon_fb_item(&file->codes, (uint32_t)code);
  const int64_t old = tenon_fb_int(&entry, CODE_DEPRECATED, 0);
  const int64_t number = tenon_fb_int(&entry, CODE_BUILTIN, 0);
  return tenon_tflite_look(number > old ? number : old).name;
}

static void *options_memory(tenon_options *base, size_t size) {
  options *o = (options *)base;
  return tenon_arena_zalloc(&o->im->scratch, size + 1, _Alignof(max_align_t));
}

// ---------------------------------------------------------------------------
// FlexBuffers
// ---------------------------------------------------------------------------

static tenon_status wrong_kind(options *o, const tenon_argument *a,
                               const tenon_flex *v) {
  return fail_at(o, v->at, v->width, "attribute '%s': expected %s, found %s",
                 a->name, a->type_text,
                 tenon_flex_kind_name(tenon_flex_look(v)));
}

// A number as the file has it. Exporters write booleans also as 0 and 1.
static bool options_read_number(const tenon_argument *a, const tenon_flex *v,
                                tenon_scalar *out) {
  int64_t i = tenon_flex_int(v);
  switch (tenon_flex_look(v)) {
    case TENON_FLEX_BOOL:
      out->kind = TENON_KIND_BOOL;
      out->as.i = i != 0;
      return true;
    case TENON_FLEX_UINT:
    case TENON_FLEX_INT:
      if (tenon_flex_look(v) == TENON_FLEX_UINT && i < 0) return false;
      out->kind = a->base == TENON_BASE_BOOL && (i == 0 || i == 1)
                      ? TENON_KIND_BOOL
                      : TENON_KIND_INT;
      out->as.i = i;
      return true;
    case TENON_FLEX_FLOAT:
      out->kind = TENON_KIND_FLOAT;
      out->as.f = tenon_flex_float(v);
      return true;
    default:
      return false;
  }
}

static tenon_status options_read_list(options *o, const tenon_argument *a,
                                      const tenon_flex *v, tenon_arg *out) {
  uint64_t count = tenon_flex_count(v);
  tenon_scalar *data =
      tenon_arena_array(&o->im->scratch, tenon_scalar, (size_t)count);
  if (!data) return options_no_memory(o);
  for (uint64_t i = 0; i < count; ++i) {
    tenon_flex item = tenon_flex_item(v, i);
    if (!options_read_number(a, &item, &data[i]))
      return wrong_kind(o, a, &item);
  }
  out->kind = TENON_KIND_SCALARS;
  out->as.scalars.data = data;
  out->as.scalars.count = (size_t)count;
  return TENON_OK;
}

static tenon_status read_value(options *o, const tenon_argument *a,
                               const tenon_flex *v, tenon_arg *out) {
  tenon_text text = tenon_flex_text(v);
  switch (tenon_flex_look(v)) {
    case TENON_FLEX_NULL:
      out->kind = 0;
      return a->is_optional ? TENON_OK : wrong_kind(o, a, v);
    case TENON_FLEX_STRING:
      if (memchr(text.data, 0, text.size))
        return fail_at(o, v->at, v->width, "attribute '%s' has a zero byte",
                       a->name);
      out->kind = TENON_KIND_STR;
      out->as.s = text.data;
      return TENON_OK;
    case TENON_FLEX_VECTOR:
      return options_read_list(o, a, v, out);
    default:
      if (!options_read_number(a, v, &out->as.scalar))
        return wrong_kind(o, a, v);
      break;
  }
  out->kind = TENON_KIND_SCALAR;
  if (a->base == TENON_BASE_DTYPE &&
      out->as.scalar.kind == TENON_KIND_INT) {  // by the schema's numbers
    int64_t type = out->as.scalar.as.i;
    out->kind = TENON_KIND_DTYPE;
    out->as.i = tenon_import_dtype(type);
    if (out->as.i == 0) return wrong_kind(o, a, v);
  }
  return TENON_OK;
}

static void warn_unknown(options *o, const tenon_flex *map, uint64_t i,
                         uint32_t *n_unknown) {
  tenon_place place = options_place_of(o, map->at, map->width);
  const tenon_report *report = &o->im->m->report;
  if (*n_unknown < MAX_WARNINGS) {
    tenon_warn(report, "tflite-option-unknown", &place,
               "'%s' has no attribute '%s': the option is ignored", o->op->name,
               tenon_import_label(o->im, 0, tenon_flex_key(map, i)));
  } else if (*n_unknown == MAX_WARNINGS) {
    tenon_warn(report, "tflite-option-unknown", &place,
               "'%s': more options are ignored", o->op->name);
  }
  ++*n_unknown;
}

// The attribute that a key names, or null.
static const tenon_argument *find_attribute(const options *o, tenon_text key) {
  for (int i = 0; tenon_schema_attr(o->op->schema, i); ++i) {
    const tenon_argument *a = tenon_schema_attr(o->op->schema, i);
    if (tenon_text_is(key, a->name)) return a;
  }
  return NULL;
}

static tenon_status read_entries(options *o, const tenon_flex *map,
                                 tenon_arg *list) {
  uint32_t n = 0, n_unknown = 0;
  for (uint64_t i = 0; i < tenon_flex_count(map); ++i) {
    const tenon_argument *a = find_attribute(o, tenon_flex_key(map, i));
    if (!a) {
      warn_unknown(o, map, i, &n_unknown);
      continue;
    }
    for (uint32_t k = 0; k < n; ++k) {
      if (strcmp(list[k].name, a->name) == 0)
        return fail_at(o, map->at, map->width, "attribute '%s' is given twice",
                       a->name);
    }
    tenon_flex value = tenon_flex_item(map, i);
    list[n].name = a->name;
    TENON_TRY(read_value(o, a, &value, &list[n++]));
  }
  return TENON_OK;
}

// What the map gives, in the scratch arena, ended by a null name.
static tenon_status read_map(options *o, const tenon_arg **out) {
  tenon_bytes bytes = {o->base.data, o->base.size};
  tenon_flex root;
  tenon_flex_error error;
  tenon_arg *list = tenon_arena_array(&o->im->scratch, tenon_arg,
                                      (size_t)o->op->schema->n_attrs + 1);
  if (!list) return options_no_memory(o);
  memset(list, 0, ((size_t)o->op->schema->n_attrs + 1) * sizeof *list);
  *out = list;
  if (bytes.size == 0) return TENON_OK;
  if (!tenon_flex_verify(bytes, &root, &error)) {
    return fail_at(o, error.at, error.size,
                   "expected a FlexBuffers map: %s (at byte %llu of %zu)",
                   error.text, (unsigned long long)error.at, bytes.size);
  }
  tenon_flex_kind kind = tenon_flex_look(&root);
  if (kind == TENON_FLEX_NULL) return TENON_OK;
  if (kind != TENON_FLEX_MAP) {
    return fail_at(o, 0, bytes.size, "expected a FlexBuffers map, found %s",
                   tenon_flex_kind_name(kind));
  }
  return read_entries(o, &root, list);
}

static tenon_status complete(options *o, const tenon_arg *given,
                             const tenon_arg **out) {
  char error[MAX_ERROR] = "";
  if (tenon_attr_complete(&o->im->m->arena, o->op->schema, given, out, error,
                          sizeof error))
    return TENON_OK;
  if (o->im->m->arena.failed) return options_no_memory(o);
  return fail_at(o, 0, o->base.size, "%s", error);
}

// ---------------------------------------------------------------------------
// Attribute structs
// ---------------------------------------------------------------------------

static size_t options_attrs_size(const tenon_op *op) {
  if (op->desc->fields) return op->desc->attrs_size;
  return ((size_t)op->schema->n_attrs + 1) * sizeof(tenon_arg);
}

// Into memory of attrs_size bytes: the struct, or the array without fields.
static tenon_status options_store(options *o, const tenon_arg *args,
                                  void *attrs) {
  const void *bound = tenon_attr_bind(&o->im->m->arena, o->op->desc->fields,
                                      o->op->desc->attrs_size, args);
  if (!bound) return options_no_memory(o);
  memcpy(attrs, bound, options_attrs_size(o->op));
  return TENON_OK;
}

static tenon_status options_map(tenon_options *base, void *attrs) {
  options *o = (options *)base;
  const tenon_arg *given = NULL, *args = NULL;
  TENON_TRY(read_map(o, &given));
  TENON_TRY(complete(o, given, &args));
  return options_store(o, args, attrs);
}

static const tenon_options_api options_api = {sizeof(tenon_options_api),
                                              options_fail,
                                              options_integer,
                                              options_real,
                                              options_text,
                                              options_ints,
                                              options_floats,
                                              options_map,
                                              options_operand,
                                              options_result,
                                              options_workspace,
                                              options_memory,
                                              options_intermediate,
                                              options_body};

// Something of the right kind for an attribute that has no default, so that
// there is a struct to fill.
static void blank(const tenon_argument *a, tenon_arg *out) {
  static const int64_t nothing[1];
  out->name = a->name;
  out->kind = TENON_KIND_INT;
  if (a->is_optional) out->kind = 0;
  if (a->base == TENON_BASE_BOOL) out->kind = TENON_KIND_BOOL;
  if (a->base == TENON_BASE_STR || a->base == TENON_BASE_NAME) {
    out->kind = TENON_KIND_STR;
    out->as.s = "";
  }
  if (a->base == TENON_BASE_DTYPE) {
    out->kind = TENON_KIND_DTYPE;
    out->as.i = TENON_F32;
  }
  if (a->is_list && a->length == 0) {
    out->kind = TENON_KIND_INTS;
    out->as.ints.data = nothing;
    out->as.ints.count = 0;
  }
}

static tenon_status make_defaults(options *o, void *attrs) {
  const tenon_schema *s = o->op->schema;
  const tenon_arg *args = NULL;
  tenon_arg *list =
      tenon_arena_array(&o->im->scratch, tenon_arg, (size_t)s->n_attrs + 1);
  size_t n = 0;
  if (!list) return options_no_memory(o);
  memset(list, 0, ((size_t)s->n_attrs + 1) * sizeof *list);
  for (int i = 0; i < s->n_attrs; ++i) {
    const tenon_argument *a = tenon_schema_attr(s, i);
    if (!a->has_default) blank(a, &list[n++]);
  }
  TENON_TRY(complete(o, list, &args));
  return options_store(o, args, attrs);
}

// The descriptor's own reader, over a struct that holds the defaults.
static tenon_status call_reader(options *o, tenon_node_spec *spec) {
  const tenon_op_desc *desc = o->op->desc;
  void *attrs = tenon_arena_zalloc(
      &o->im->scratch, options_attrs_size(o->op) + 1, _Alignof(max_align_t));
  if (!attrs) return options_no_memory(o);
  TENON_TRY(make_defaults(o, attrs));
  tenon_status status = desc->read_tflite(&o->base, attrs);
  if (o->im->scratch.failed) return options_no_memory(o);
  if (status != TENON_OK && !o->has_failed) {
    return tenon_fail(
        &o->im->m->report, TENON_BAD_PLUGIN, "tflite-reader", &o->place,
        "'%s': its reader of options failed without saying why", o->op->name);
  }
  if (desc->fields) {
    spec->attrs = attrs;
  } else {
    spec->args = (const tenon_arg *)attrs;
  }
  return status;
}

// ---------------------------------------------------------------------------
// Where the options are
// ---------------------------------------------------------------------------

static tenon_status find_custom(options *o, const tenon_fb_table *table,
                                tenon_bytes *out) {
  const tenon_tflite *file = &o->im->file;
  uint64_t offset = (uint64_t)tenon_fb_int(table, OPERATOR_LARGE_OFFSET, 0);
  uint64_t size = (uint64_t)tenon_fb_int(table, OPERATOR_LARGE_SIZE, 0);
  *out = tenon_fb_data(table, OPERATOR_CUSTOM_OPTIONS);
  if (offset <= 1) return TENON_OK;
  if (out->size > 0) {
    return tenon_fail(&o->im->m->report, TENON_BAD_MODEL, "tflite-options",
                      &o->place, "has custom_options and their offset");
  }
  TENON_TRY(tenon_tflite_appended(
      file, offset, size, "large_custom_options_offset", &o->place, out));
  return tenon_import_spend(o->im, size, &o->place);
}

// The table of a builtin, of the type that its code has in the schema.
static tenon_status find_table(options *o, const tenon_import_code *code,
                               const tenon_fb_table *table, tenon_bytes *out) {
  bool is_second = tenon_fb_int(table, OPERATOR_OPTIONS2_TYPE, 0) != 0;
  int slot = is_second ? OPERATOR_OPTIONS2 : OPERATOR_OPTIONS;
  const tenon_fb_type *expected = code->row.options;
  o->table = tenon_fb_child(table, slot);
  const bool is_known = o->table.type != NULL;
  // LiteRT takes options of another operator for none.
  if (o->table.type && expected && o->table.type != expected)
    o->table = (tenon_fb_table){.fb = o->table.fb};
  if (tenon_fb_has(table, slot) && expected && !is_known &&
      o->table.type != expected) {
    return tenon_fail(&o->im->m->report, TENON_BAD_MODEL, "tflite-options",
                      &o->place, "expected options of type %s, found %s (%lld)",
                      expected->name,
                      o->table.type ? o->table.type->name : "an unknown one",
                      (long long)tenon_fb_int(table, slot - 1, 0));
  }
  *out = tenon_fb_table_bytes(&o->table);
  return TENON_OK;
}

static tenon_status find_options(options *o, tenon_import_graph *g, uint32_t op,
                                 const tenon_import_code *code) {
  tenon_fb_table table = tenon_fb_item(&g->operators, op);
  tenon_bytes bytes = {NULL, 0};
  o->table.fb = table.fb;
  o->g = g;
  o->inputs = tenon_fb_list(&table, OPERATOR_INPUTS);
  o->outputs = tenon_fb_list(&table, OPERATOR_OUTPUTS);
  o->intermediates = tenon_fb_list(&table, OPERATOR_INTERMEDIATES);
  if (code->is_custom) {
    TENON_TRY(find_custom(o, &table, &bytes));
  } else {
    TENON_TRY(find_table(o, code, &table, &bytes));
  }
  o->base.data = bytes.data;
  o->base.size = bytes.size;
  if (bytes.size > 0) {
    o->place.offset = tenon_tflite_offset(&o->im->file, bytes.data);
    o->place.size = bytes.size;
  }
  return TENON_OK;
}

tenon_status tenon_import_attributes(tenon_import_graph *g, tenon_bytes bytes,
                                     uint32_t version, tenon_node_spec *spec) {
  tenon_import *im = g->im;
  const tenon_arg *given = NULL;
  options o = {.base = {&options_api, bytes.data, bytes.size, version},
               .im = im,
               .op = spec->op,
               .place = *tenon_locs_place(&im->m->locs, spec->loc)};
  o.table.fb = g->table.fb;
  if (bytes.size > 0) {
    o.place.offset = tenon_tflite_offset(&im->file, bytes.data);
    o.place.size = bytes.size;
  }
  if (o.op->desc->read_tflite) return call_reader(&o, spec);
  TENON_TRY(read_map(&o, &given));
  return complete(&o, given, &spec->args);
}

tenon_status tenon_import_options(tenon_import_graph *g, uint32_t op,
                                  const tenon_import_code *code,
                                  tenon_node_spec *spec) {
  tenon_import *im = g->im;
  options o = {.base = {&options_api, NULL, 0, code->version},
               .im = im,
               .op = code->op,
               .place = *tenon_locs_place(&im->m->locs, spec->loc)};
  const tenon_arg *given = NULL;
  TENON_TRY(find_options(&o, g, op, code));
  // Whoever describes the operator reads absent members as 0.
  const tenon_fb_type *type =
      !code->is_custom && code->op->desc ? code->row.options : o.table.type;
  tenon_fb_table named = o.table;
  if (named.type != type) named.type = NULL;
  TENON_TRY(tenon_import_calls(g, type, &named, spec));
  if (!code->op->desc) {
    spec->opaque = o.base.size > 0 ? o.base.data : NULL;
    spec->opaque_size = o.base.size;
    return TENON_OK;
  }
  if (code->op->desc->read_tflite) return call_reader(&o, spec);
  if (code->is_custom) TENON_TRY(read_map(&o, &given));
  return complete(&o, given, &spec->args);
}
