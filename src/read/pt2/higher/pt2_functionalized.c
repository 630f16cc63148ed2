// How: a call of an operator that writes its arguments was made functional by
// torch, which left views of bases in their place. A graph that makes the call
// on those views is put together as the file would have it, and imported as the
// region of the node; ops/higher_order/README.md has what comes of it.
#include "read/pt2/pt2_import.h"

typedef struct call {
  tenon_pt2_node *n;
  const char *target;  // of the operator that is called
  const tenon_op *op;
  const tenon_schema *schema;  // null: nobody describes it
  bool is_first;     // the older form, where bases have the names of arguments
  tenon_json bases;  // a list of tensors
  json_t *inputs, *outputs, *values;  // of the graph
  json_t *in, *out;                   // of the call in it
  json_t *numbers;                    // names of sizes that it uses
  uint32_t n_written;
  TENON_VEC(int64_t) base, rank;
  TENON_VEC(tenon_dim) slice, size, stride, offset;
} call;

static tenon_status hop_no_memory(const call *c) {
  return tenon_pt2_memory(c->n->scope->im);
}

static tenon_status hop_fail(const call *c, tenon_status status,
                             const char *what) {
  return tenon_json_fail(&c->n->json, status, "pt2-argument", "'%s': %s",
                         c->n->op->name, what);
}

// Takes `element` over, which is null where memory ran out.
static tenon_status hop_append(const call *c, json_t *list, json_t *element) {
  return element && json_array_append_new(list, element) == 0
             ? TENON_OK
             : hop_no_memory(c);
}

static tenon_json find_argument(const call *c, const char *fmt,
                                const char *name, const char *part) {
  char key[256];
  const tenon_json none = {c->n->inputs.doc, NULL, &c->n->inputs, NULL, 0};
  if ((size_t)snprintf(key, sizeof key, fmt, name, part) >= sizeof key)
    return none;
  for (size_t i = 1; i < tenon_json_count(&c->n->inputs); ++i) {
    tenon_json input = tenon_json_item(&c->n->inputs, i);
    tenon_json at = tenon_json_get(&input, "name");
    const char *text = json_string_value(at.value);
    if (!text || strcmp(text, key) != 0) continue;
    // The parent of what is returned has to outlive it.
    tenon_json arg = tenon_json_get(&input, "arg");
    arg.parent = &c->n->inputs;
    arg.key = NULL;
    arg.index = i;
    return arg;
  }
  return none;
}

// ---------------------------------------------------------------------------
// The graph
// ---------------------------------------------------------------------------

// A tensor of the graph by the number of its kind: "w0" written, "a0" read,
// "r0" a result; with the type that `meta` says.
static tenon_status hop_add_tensor(call *c, json_t *list, char kind,
                                   size_t number, const json_t *meta,
                                   json_t **name) {
  char text[32];
  snprintf(text, sizeof text, "%c%zu", kind, number);
  json_t *copy = meta ? json_deep_copy(meta) : NULL;
  *name = json_pack("{s:s}", "name", text);
  if (!*name || (meta && !copy) ||
      (copy && json_object_set_new(c->values, text, copy) != 0) ||
      (list && json_array_append_new(
                   list, json_pack("{s:O}", "as_tensor", *name)) != 0)) {
    json_decref(*name);
    return hop_no_memory(c);
  }
  return TENON_OK;
}

static tenon_status hop_add_input(call *c, const char *name, json_t *arg) {
  return hop_append(
      c, c->in,
      json_pack("{s:s, s:{s:o}}", "name", name, "arg", "as_tensor", arg));
}

static const json_t *meta_of(const call *c, const json_t *tensor) {
  const char *name = json_string_value(json_object_get(tensor, "name"));
  tenon_json meta = tenon_json_get(&c->n->scope->tensors, name ? name : "");
  return meta.value;
}

// ---------------------------------------------------------------------------
// Written arguments
// ---------------------------------------------------------------------------

// A list of sizes in an argument, each as a SymInt with its expression.
static tenon_status hop_read_sizes(call *c, const tenon_json *arg,
                                   json_t **out) {
  const char *tag = NULL;
  tenon_json list;
  TENON_TRY(tenon_json_tag(arg, &tag, &list));
  TENON_TRY(tenon_json_array(&list));
  *out = json_array();
  for (size_t i = 0; *out && i < tenon_json_count(&list); ++i) {
    tenon_json item = tenon_json_item(&list, i);
    tenon_json named = tenon_json_get(&item, "as_name");
    const char *name = json_string_value(named.value);
    tenon_json known = tenon_json_get(&c->n->scope->ints, name ? name : "");
    json_t *size = json_is_integer(item.value)
                       ? json_pack("{s:O}", "as_int", item.value)
                   : name ? json_deep_copy(known.value)
                          : json_deep_copy(item.value);
    TENON_TRY(hop_append(c, *out, size));
  }
  return *out ? TENON_OK : hop_no_memory(c);
}

static tenon_status add_dims(call *c, const tenon_json *arg, bool is_size) {
  const char *tag = NULL;
  tenon_json list;
  tenon_arg out;
  TENON_TRY(tenon_json_tag(arg, &tag, &list));
  TENON_TRY(tenon_pt2_attribute(c->n->scope, tag, &list, &out));
  bool is_list = out.kind == TENON_KIND_DIMS || out.kind == TENON_KIND_INTS ||
                 out.kind == TENON_KIND_INT;
  if (!is_list) return hop_fail(c, TENON_BAD_MODEL, "a size is no integer");
  for (size_t i = 0; i < tenon_attr_count(&out); ++i) {
    tenon_dim d = out.kind == TENON_KIND_DIMS
                      ? out.as.dims.data[i]
                      : tenon_dim_fixed(tenon_attr_scalar(&out, i).as.i);
    bool done =
        is_size ? tenon_vec_push(&c->size, d) : tenon_vec_push(&c->stride, d);
    if (!done) return hop_no_memory(c);
  }
  return TENON_OK;
}

static tenon_status hop_read_int(const tenon_json *arg, int64_t absent,
                                 int64_t *out) {
  *out = absent;
  if (!tenon_json_is(arg) || tenon_json_is(tenon_json_at(arg, "as_none")))
    return TENON_OK;
  return tenon_json_int(tenon_json_at(arg, "as_int"), out);
}

// An argument that is a number, as a size.
static tenon_status hop_read_dim(call *c, const char *tag,
                                 const tenon_json *value, const char *refusal,
                                 tenon_dim *dim) {
  tenon_arg number;
  TENON_TRY(tenon_pt2_attribute(c->n->scope, tag, value, &number));
  if (number.kind != TENON_KIND_INT && number.kind != TENON_KIND_DIMS)
    return hop_fail(c, TENON_BAD_MODEL, refusal);
  *dim = number.kind == TENON_KIND_DIMS ? number.as.dims.data[0]
                                        : tenon_dim_fixed(number.as.i);
  return TENON_OK;
}

// The same, and as the file would state it; absent or None: *out null.
static tenon_status read_bound(call *c, const tenon_json *arg, tenon_dim *dim,
                               json_t **out) {
  const char *tag = NULL;
  tenon_json value;
  *out = NULL;
  if (!tenon_json_is(arg)) return TENON_OK;
  TENON_TRY(tenon_json_tag(arg, &tag, &value));
  if (strcmp(tag, "as_none") == 0) return TENON_OK;
  TENON_TRY(
      hop_read_dim(c, tag, &value, "a bound of a slice is no integer", dim));
  const char *name = json_string_value(json_object_get(value.value, "as_name"));
  tenon_json known = tenon_json_get(&c->n->scope->ints, name ? name : "");
  *out = tenon_dim_is_fixed(*dim)
             ? json_pack("{s:I}", "as_int", (json_int_t)dim->value)
             : json_deep_copy(known.value);
  return *out ? TENON_OK : hop_no_memory(c);
}

// A SymInt as sympy's text.
static void print_size(tenon_buf *b, const json_t *size) {
  const json_t *number = json_object_get(size, "as_int");
  const json_t *expr = json_object_get(size, "as_expr");
  if (number)
    tenon_buf_format(b, "%lld", (long long)json_integer_value(number));
  else
    tenon_buf_text(b, json_string_value(json_object_get(expr, "expr_str")));
}

// As Python cuts: from the end when negative, brought within.
static tenon_dim hop_cut(call *c, tenon_dim at, tenon_dim whole) {
  tenon_symbols *symbols = &c->n->scope->im->m->symbols;
  if (tenon_dim_is_fixed(at) && at.value < 0)
    at = tenon_symbols_apply(symbols, TENON_DIM_ADD, whole, at);
  at = tenon_symbols_apply(symbols, TENON_DIM_MIN, at, whole);
  return tenon_symbols_apply(symbols, TENON_DIM_MAX, at, tenon_dim_fixed(0));
}

// The length of what lies between two bounds, as a text that the file could
// state: Max(0, Min(end, whole) - start).
static tenon_status state_length(call *c, const json_t *start,
                                 const json_t *end, const json_t *whole,
                                 json_t **out) {
  tenon_buf b;
  tenon_buf_init(&b, c->n->scope->im->cx->allocator);
  const json_t *bounds[] = {end, start};
  tenon_buf_text(&b, "Max(0, ");
  for (int i = 0; i < 2; ++i) {
    const json_t *number = json_object_get(bounds[i], "as_int");
    bool is_negative = number && json_integer_value(number) < 0;
    if (i == 1) tenon_buf_text(&b, " - ");
    tenon_buf_text(&b, "Max(0, Min(");
    print_size(&b, whole);
    if (bounds[i]) {
      tenon_buf_text(&b, ", ");
      if (is_negative) print_size(&b, whole);
      if (is_negative) tenon_buf_text(&b, " + ");
      print_size(&b, bounds[i]);
    }
    tenon_buf_text(&b, "))");
  }
  tenon_buf_text(&b, ")");
  *out =
      b.failed ? NULL : json_pack("{s:{s:s}}", "as_expr", "expr_str", b.data);
  tenon_buf_deinit(&b);
  return *out ? TENON_OK : hop_no_memory(c);
}

static bool push_slice(call *c, int64_t dim, tenon_dim start, tenon_dim end) {
  return tenon_vec_push(&c->slice, tenon_dim_fixed(dim)) &&
         tenon_vec_push(&c->slice, start) && tenon_vec_push(&c->slice, end);
}

// The bounds in `bounds`, which the caller gives back.
static tenon_status slice_size(call *c, const char *name, int64_t dim,
                               json_t *bounds[2], json_t *meta) {
  tenon_dim start = tenon_dim_fixed(0), end = tenon_dim_fixed(INT64_MAX);
  tenon_json start_at = find_argument(c, "_%s_%s", name, "slice_start");
  tenon_json end_at = find_argument(c, "_%s_%s", name, "slice_end");
  TENON_TRY(read_bound(c, &start_at, &start, &bounds[0]));
  TENON_TRY(read_bound(c, &end_at, &end, &bounds[1]));
  if (!push_slice(c, dim, start, end)) return hop_no_memory(c);
  if (dim < 0) return TENON_OK;
  tenon_pt2 *im = c->n->scope->im;
  json_t *sizes = json_object_get(meta, "sizes"), *length = NULL;
  tenon_json whole_at = c->n->json;
  tenon_dim whole;
  whole_at.value = json_array_get(sizes, (size_t)dim);
  if (!whole_at.value)
    return hop_fail(c, TENON_BAD_MODEL, "a slice of no dimension");
  TENON_TRY(tenon_pt2_size(im, &whole_at, &whole));
  start = hop_cut(c, start, whole);
  end = hop_cut(c, end, whole);
  tenon_dim size =
      tenon_symbols_apply(&im->m->symbols, TENON_DIM_SUB, end, start);
  if (tenon_dim_is_fixed(size) && size.value < 0)
    return hop_fail(c, TENON_BAD_MODEL, "a slice that is none");
  if (tenon_dim_is_fixed(size)) {
    length = json_pack("{s:I}", "as_int", (json_int_t)size.value);
  } else {
    if (!bounds[0]) bounds[0] = json_pack("{s:i}", "as_int", 0);
    TENON_TRY(state_length(c, bounds[0], bounds[1], whole_at.value, &length));
  }
  return length && json_array_set_new(sizes, (size_t)dim, length) == 0
             ? TENON_OK
             : hop_no_memory(c);
}

// A slice of the base: the type of the piece is the base's with another size.
static tenon_status read_slice(call *c, const char *name, json_t *meta) {
  int64_t dim = 0;
  json_t *bounds[2] = {NULL, NULL};
  tenon_json dim_at = find_argument(c, "_%s_%s", name, "slice_dim");
  TENON_TRY(hop_read_int(&dim_at, -1, &dim));
  tenon_status status = slice_size(c, name, dim, bounds, meta);
  json_decref(bounds[0]);
  json_decref(bounds[1]);
  return status;
}

static tenon_status read_strided(call *c, const char *name,
                                 const tenon_json *size_at, json_t *meta) {
  tenon_json stride = find_argument(c, "_%s_%s", name, "stride");
  tenon_json offset = find_argument(c, "_%s_%s", name, "storage_offset");
  json_t *sizes = NULL;
  const char *tag = NULL;
  tenon_json value;
  tenon_dim at;
  TENON_TRY(hop_read_sizes(c, size_at, &sizes));
  int64_t rank = (int64_t)json_array_size(sizes);
  bool done = json_object_set_new(meta, "sizes", sizes) == 0 &&
              tenon_vec_push(&c->rank, rank);
  if (!done) return hop_no_memory(c);
  TENON_TRY(add_dims(c, size_at, true));
  TENON_TRY(add_dims(c, &stride, false));
  if (c->size.count != c->stride.count)
    return hop_fail(c, TENON_BAD_MODEL, "a view with more sizes than strides");
  TENON_TRY(tenon_json_tag(&offset, &tag, &value));
  TENON_TRY(hop_read_dim(c, tag, &value, "an offset is no integer", &at));
  return tenon_vec_push(&c->offset, at) ? TENON_OK : hop_no_memory(c);
}

// One tensor that is written: a view of a base.
static tenon_status add_piece(call *c, const char *name, json_t **tensor) {
  int64_t index = 0;
  tenon_json at = find_argument(c, "_%s_%s", name, "base_index");
  tenon_json size_at = find_argument(c, "_%s_%s", name, "size");
  TENON_TRY(hop_read_int(&at, -1, &index));
  if (c->is_first) index = c->n_written;
  *tensor = NULL;
  if (index < 0) return TENON_OK;  // None
  tenon_json base = tenon_json_item(&c->bases, (size_t)index);
  const json_t *meta = meta_of(c, base.value);
  if (!tenon_json_is(&base) || !meta)
    return hop_fail(c, TENON_BAD_MODEL, "a written argument has no base");
  json_t *own = json_deep_copy(meta);
  if (!own || !tenon_vec_push(&c->base, index)) return hop_no_memory(c);
  json_object_del(own, "strides");
  tenon_status status = TENON_OK;
  if (tenon_json_is(&size_at)) {
    if (!push_slice(c, -1, tenon_dim_fixed(0), tenon_dim_fixed(INT64_MAX)))
      status = hop_no_memory(c);
    if (status == TENON_OK) status = read_strided(c, name, &size_at, own);
  } else {
    status = read_slice(c, name, own);
    if (status == TENON_OK && !tenon_vec_push(&c->rank, -1))
      status = hop_no_memory(c);
  }
  if (status == TENON_OK)
    status = hop_add_tensor(c, c->inputs, 'w', c->n_written++, own, tensor);
  json_decref(own);
  return status;
}

static tenon_status add_pieces(call *c, const char *name, int64_t count) {
  json_t *list = json_array();
  for (int64_t i = 0; list && i < count; ++i) {
    char element[200];
    json_t *tensor = NULL;
    snprintf(element, sizeof element, "%s_%lld", name, (long long)i);
    TENON_TRY(add_piece(c, element, &tensor));
    if (!tensor || json_array_append_new(list, tensor) != 0)
      return hop_fail(c, TENON_UNSUPPORTED, "a list with an absent element");
  }
  return hop_append(c, c->in,
                    list ? json_pack("{s:s, s:{s:o}}", "name", name, "arg",
                                     "as_tensors", list)
                         : NULL);
}

static tenon_status add_written(call *c, const tenon_argument *a) {
  json_t *tensor = NULL;
  int64_t count = -1;
  tenon_json length = find_argument(c, "_%s_%s", a->name, "length");
  tenon_json own = find_argument(c, "%s%s", a->name, "");
  tenon_json many = tenon_json_get(&own, "as_tensors");
  TENON_TRY(hop_read_int(&length, -1, &count));
  if (c->is_first && json_is_array(many.value))
    count = (int64_t)tenon_json_count(&many);
  else if (c->is_first && !tenon_json_is(tenon_json_at(&own, "as_tensor")))
    return TENON_OK;  // None
  if (a->is_list && count >= 0) return add_pieces(c, a->name, count);
  TENON_TRY(add_piece(c, a->name, &tensor));
  return tensor ? hop_add_input(c, a->name, tensor) : TENON_OK;
}

// ---------------------------------------------------------------------------
// Arguments that are only read
// ---------------------------------------------------------------------------

// A list in which some are absent: those are no operands of the node.
static tenon_status copy_optional(call *c, const tenon_json *list,
                                  size_t *n_read, json_t **out) {
  TENON_TRY(tenon_json_array(list));
  json_t *copy = json_array();
  *out = copy ? json_pack("{s:o}", "as_optional_tensors", copy) : NULL;
  for (size_t i = 0; *out && i < tenon_json_count(list); ++i) {
    tenon_json item = tenon_json_item(list, i);
    tenon_json one = tenon_json_get(&item, "as_tensor");
    json_t *name = NULL;
    json_t *element = NULL;
    if (!tenon_json_is(&one)) {
      element = json_deep_copy(item.value);
    } else {
      TENON_TRY(tenon_pt2_push_tensors(c->n, "as_tensor", &one));
      TENON_TRY(hop_add_tensor(c, c->inputs, 'a', (*n_read)++,
                               meta_of(c, one.value), &name));
      element = json_pack("{s:o}", "as_tensor", name);
    }
    TENON_TRY(hop_append(c, copy, element));
  }
  return *out ? TENON_OK : hop_no_memory(c);
}

// The same Argument with the names that tensors have in the graph.
static tenon_status copy_renamed(call *c, const tenon_json *arg, size_t *n_read,
                                 json_t **out) {
  const char *tag = NULL;
  tenon_json value;
  json_t *name = NULL;
  TENON_TRY(tenon_json_tag(arg, &tag, &value));
  if (strcmp(tag, "as_optional_tensors") == 0)
    return copy_optional(c, &value, n_read, out);
  TENON_TRY(tenon_pt2_push_tensors(c->n, tag, &value));
  if (strcmp(tag, "as_tensor") == 0) {
    TENON_TRY(hop_add_tensor(c, c->inputs, 'a', (*n_read)++,
                             meta_of(c, value.value), &name));
    *out = json_pack("{s:o}", tag, name);
    return *out ? TENON_OK : hop_no_memory(c);
  }
  json_t *list = json_array();
  for (size_t i = 0; list && i < tenon_json_count(&value); ++i) {
    tenon_json item = tenon_json_item(&value, i);
    TENON_TRY(hop_add_tensor(c, c->inputs, 'a', (*n_read)++,
                             meta_of(c, item.value), &name));
    TENON_TRY(hop_append(c, list, name));
  }
  *out = list ? json_pack("{s:o}", tag, list) : NULL;
  return *out ? TENON_OK : hop_no_memory(c);
}

// Names of sizes are the same in the graph; they come in as the sizes they are.
static tenon_status share_numbers(call *c, const char *tag,
                                  const json_t *value) {
  size_t n = json_is_array(value) ? json_array_size(value) : 1;
  if (strncmp(tag, "as_sym_", 7) != 0) return TENON_OK;
  for (size_t i = 0; i < n; ++i) {
    const json_t *item =
        json_is_array(value) ? json_array_get(value, i) : value;
    const json_t *name = json_object_get(item, "as_name");
    const char *text = json_string_value(name);
    if (!text || json_object_get(c->numbers, text)) continue;
    json_t *input = json_pack("{s:{s:s}}", "as_sym_int", "as_name", text);
    if (!input || json_array_append_new(c->inputs, input) != 0 ||
        json_object_set_new(c->numbers, text, json_true()) != 0)
      return hop_no_memory(c);
  }
  return TENON_OK;
}

static tenon_status add_read(call *c, const tenon_argument *a, size_t *n_read) {
  tenon_json arg = find_argument(c, "%s%s", a->name, "");
  json_t *copy = NULL;
  const char *tag = NULL;
  tenon_json value;
  if (!tenon_json_is(&arg)) return TENON_OK;  // its default
  TENON_TRY(tenon_json_tag(&arg, &tag, &value));
  if (strcmp(tag, "as_tensor") == 0 || strcmp(tag, "as_tensors") == 0 ||
      strcmp(tag, "as_optional_tensors") == 0) {
    TENON_TRY(copy_renamed(c, &arg, n_read, &copy));
  } else if (tenon_pt2_is_tensors(tag)) {
    return hop_fail(c, TENON_UNSUPPORTED, "an optional tensor of this form");
  } else {
    TENON_TRY(share_numbers(c, tag, value.value));
    copy = json_deep_copy(arg.value);
  }
  return hop_append(
      c, c->in,
      copy ? json_pack("{s:s, s:o}", "name", a->name, "arg", copy) : NULL);
}

// ---------------------------------------------------------------------------
// Results
// ---------------------------------------------------------------------------

static size_t count_written(const tenon_schema *s) {
  size_t n = 0;
  for (int i = 0; i < s->n_args; ++i)
    n += s->args[i].is_written;
  return n;
}

static tenon_status hop_add_results(call *c) {
  size_t n = tenon_json_count(&c->n->outputs);
  size_t n_after = tenon_json_count(&c->bases), n_results = 0;
  // In the older form a list is one result, and so is what is None.
  if (c->is_first) n_after = count_written(c->schema);
  if (n < n_after) return hop_fail(c, TENON_BAD_MODEL, "has too few results");
  for (size_t i = 0; i < n - n_after; ++i) {
    tenon_json output = tenon_json_item(&c->n->outputs, i);
    tenon_json one = tenon_json_get(&output, "as_tensor");
    tenon_json list = tenon_json_get(&output, "as_tensors");
    json_t *copy = json_deep_copy(output.value), *name = NULL;
    if (tenon_json_is(&one)) {
      TENON_TRY(hop_add_tensor(c, c->outputs, 'r', n_results++,
                               meta_of(c, one.value), &name));
      (void)json_object_set_new(copy, "as_tensor", name);
    }
    for (size_t k = 0; k < tenon_json_count(&list); ++k) {
      tenon_json item = tenon_json_item(&list, k);
      TENON_TRY(hop_add_tensor(c, c->outputs, 'r', n_results++,
                               meta_of(c, item.value), &name));
      (void)json_array_set_new(json_object_get(copy, "as_tensors"), k, name);
    }
    TENON_TRY(hop_append(c, c->out, copy));
  }
  for (uint32_t i = 0; i < c->n_written; ++i) {
    json_t *name = NULL;
    TENON_TRY(hop_add_tensor(c, c->outputs, 'w', i, NULL, &name));
    json_decref(name);
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// The node
// ---------------------------------------------------------------------------

static tenon_status read_parts(call *c) {
  size_t n_read = 0;
  TENON_TRY(tenon_pt2_push_tensors(c->n, "as_tensors", &c->bases));
  TENON_TRY(tenon_pt2_end_group(c->n));
  for (int i = 0; i < c->schema->n_args; ++i) {
    const tenon_argument *a = &c->schema->args[i];
    if (a->is_written) TENON_TRY(add_written(c, a));
  }
  for (int i = 0; i < c->schema->n_args; ++i) {
    const tenon_argument *a = &c->schema->args[i];
    if (!a->is_written) TENON_TRY(add_read(c, a, &n_read));
  }
  TENON_TRY(tenon_pt2_end_group(c->n));
  return hop_add_results(c);
}

// Copied: the lists here end before the node is built.
static tenon_status push_attribute(call *c, const char *name, tenon_arg arg) {
  tenon_pt2 *im = c->n->scope->im;
  size_t count = tenon_attr_count(&arg);
  arg.name = name;
  if (arg.kind == TENON_KIND_DIMS)
    arg.as.dims.data =
        tenon_arena_copy(&im->scratch, arg.as.dims.data,
                         count * sizeof(tenon_dim), _Alignof(tenon_dim));
  else
    arg.as.ints.data =
        tenon_arena_copy(&im->scratch, arg.as.ints.data,
                         count * sizeof(int64_t), _Alignof(int64_t));
  bool done = !im->scratch.failed && tenon_vec_push(&im->args, arg);
  return done ? TENON_OK : hop_no_memory(c);
}

// Numbers, where none of them is open.
static tenon_status push_slices(call *c) {
  size_t n = c->slice.count;
  bool is_fixed = true;
  int64_t *ints =
      tenon_arena_array(&c->n->scope->im->scratch, int64_t, n ? n : 1);
  if (!ints) return hop_no_memory(c);
  for (size_t i = 0; i < n; ++i) {
    is_fixed &= tenon_dim_is_fixed(c->slice.data[i]);
    ints[i] = c->slice.data[i].value;
  }
  return push_attribute(c, "slice",
                        is_fixed ? tenon_arg_ints("", ints, n)
                                 : tenon_arg_dims("", c->slice.data, n));
}

static tenon_status add_attributes(call *c) {
  tenon_arg end = TENON_END_ARGS;
  TENON_TRY(push_attribute(c, "base",
                           tenon_arg_ints("", c->base.data, c->base.count)));
  TENON_TRY(push_slices(c));
  TENON_TRY(push_attribute(c, "rank",
                           tenon_arg_ints("", c->rank.data, c->rank.count)));
  if (c->size.count > 0)
    TENON_TRY(push_attribute(c, "size",
                             tenon_arg_dims("", c->size.data, c->size.count)));
  if (c->stride.count > 0)
    TENON_TRY(push_attribute(
        c, "stride", tenon_arg_dims("", c->stride.data, c->stride.count)));
  if (c->offset.count > 0)
    TENON_TRY(push_attribute(
        c, "offset", tenon_arg_dims("", c->offset.data, c->offset.count)));
  return tenon_vec_push(&c->n->scope->im->args, end) ? TENON_OK
                                                     : hop_no_memory(c);
}

// The graph with the call in it, as the file would have it.
static tenon_status make_graph(call *c, json_t **out) {
  tenon_json metadata = tenon_json_get(&c->n->json, "metadata");
  tenon_json ints = c->n->scope->ints;
  json_t *node = json_pack("{s:s, s:O, s:O}", "target", c->target, "inputs",
                           c->in, "outputs", c->out);
  if (node && tenon_json_is(&metadata))
    (void)json_object_set(node, "metadata",
                          (json_t *)(uintptr_t)metadata.value);
  json_t *graph =
      json_pack("{s:O, s:O, s:[o], s:O}", "inputs", c->inputs, "outputs",
                c->outputs, "nodes", node, "tensor_values", c->values);
  if (graph && tenon_json_is(&ints))
    (void)json_object_set(graph, "sym_int_values",
                          (json_t *)(uintptr_t)ints.value);
  *out = graph ? json_pack("{s:s, s:o}", "name", "call", "graph", graph) : NULL;
  if (*out && tenon_json_keep(c->n->json.doc, *out)) return TENON_OK;
  return hop_no_memory(c);
}

// The operator that is called, if somebody describes it.
static tenon_status find_operator(call *c) {
  tenon_pt2 *im = c->n->scope->im;
  tenon_json input = tenon_json_item(&c->n->inputs, 0);
  tenon_json target =
      tenon_json_get(tenon_json_at(&input, "arg"), "as_operator");
  TENON_TRY(tenon_json_text(&target, &c->target));
  TENON_TRY(tenon_pt2_target(im, &target, c->target));
  const tenon_op *op = tenon_module_op(im->m, im->text.data);
  if (!op) return hop_no_memory(c);
  tenon_json all = find_argument(c, "%s%s", "_all_bases", "");
  TENON_TRY(tenon_pt2_functionalized_out(
      c->n, c->is_first, tenon_json_count(tenon_json_at(&all, "as_tensors")),
      &op));
  c->op = op;
  c->schema = op->schema;
  return TENON_OK;
}

// The list of bases, in the older form of those arguments that are written.
static tenon_status find_bases(call *c) {
  tenon_json all = find_argument(c, "%s%s", "_all_bases", "");
  json_t *list = NULL;
  if (!c->is_first) {
    c->bases = tenon_json_get(&all, "as_tensors");
    c->bases.parent = &c->n->inputs;
    return TENON_OK;
  }
  list = json_array();
  for (int i = 0; list && c->schema && i < c->schema->n_args; ++i) {
    const tenon_argument *a = &c->schema->args[i];
    tenon_json arg = find_argument(c, "%s%s", a->name, "");
    tenon_json one = tenon_json_get(&arg, "as_tensor");
    tenon_json many = tenon_json_get(&arg, "as_tensors");
    if (a->is_written && tenon_json_is(&one))
      (void)json_array_append(list, (json_t *)(uintptr_t)one.value);
    if (a->is_written && json_is_array(many.value))
      (void)json_array_extend(list, (json_t *)(uintptr_t)many.value);
  }
  c->bases = c->n->inputs;
  c->bases.value = list;
  return list && tenon_json_keep(c->n->json.doc, list) ? TENON_OK
                                                       : hop_no_memory(c);
}

static bool hop_init(call *c) {
  tenon_allocator allocator = c->n->scope->im->cx->allocator;
  tenon_vec_init(&c->base, allocator);
  tenon_vec_init(&c->slice, allocator);
  tenon_vec_init(&c->rank, allocator);
  tenon_vec_init(&c->size, allocator);
  tenon_vec_init(&c->stride, allocator);
  tenon_vec_init(&c->offset, allocator);
  c->inputs = json_array();
  c->outputs = json_array();
  c->values = json_object();
  c->in = json_array();
  c->out = json_array();
  c->numbers = json_object();
  return c->inputs && c->outputs && c->values && c->in && c->out && c->numbers;
}

static void deinit(call *c) {
  json_decref(c->numbers);
  json_decref(c->out);
  json_decref(c->in);
  json_decref(c->values);
  json_decref(c->outputs);
  json_decref(c->inputs);
  tenon_vec_deinit(&c->offset);
  tenon_vec_deinit(&c->stride);
  tenon_vec_deinit(&c->size);
  tenon_vec_deinit(&c->rank);
  tenon_vec_deinit(&c->slice);
  tenon_vec_deinit(&c->base);
}

tenon_status tenon_pt2_functionalized(tenon_pt2_node *n, bool *done,
                                      json_t **graph) {
  tenon_pt2 *im = n->scope->im;
  call c;
  *done = false;
  memset(&c, 0, sizeof c);
  c.n = n;
  c.is_first = tenon_op_is(n->op, "higher_order::auto_functionalized");
  tenon_status status = hop_init(&c) ? find_operator(&c) : hop_no_memory(&c);
  if (status == TENON_OK) status = find_bases(&c);
  *done = status == TENON_OK && c.schema && tenon_json_is(&c.bases);
  // Who reads of it should read the name of what is missing.
  if (status == TENON_OK && !c.schema) n->op = c.op;
  if (*done) {
    im->in.count = im->groups.count = im->args.count = 0;
    status = tenon_pt2_end_group(n);
    if (status == TENON_OK) status = read_parts(&c);
    if (status == TENON_OK) status = add_attributes(&c);
    if (status == TENON_OK) status = make_graph(&c, graph);
  }
  deinit(&c);
  return status;
}
