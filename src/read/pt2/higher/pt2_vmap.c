// How: torch.vmap, which associative_scan calls too, is written into graphs
// that are not decomposed as calls that begin and end it, around nodes that say
// what one lane does: their types are those of a lane. So what stands between
// is the body of a map over the lanes, and needs no rules for operators. The
// body is imported from the same list of nodes, which keeps their places.
#include "read/pt2/pt2_import.h"

#define PREFIX "torch._functorch.predispatch."
#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-vmap", __VA_ARGS__)
#define refuse(at, ...) \
  tenon_json_fail((at), TENON_UNSUPPORTED, "pt2-vmap", __VA_ARGS__)

typedef enum call {
  NONE,
  LOAD,   // lazy_load_decompositions(): tables of Python
  BEGIN,  // (lanes, randomness); no operator here draws numbers
  SPLIT,  // (tensor, dimension, level): a lane
  JOIN,   // (value, level, lanes, dimension): all lanes of it
  END,
} call;

static call call_of(const tenon_json *node) {
  static const char *const names[] = {
      [LOAD] = "lazy_load_decompositions", [BEGIN] = "_vmap_increment_nesting",
      [SPLIT] = "_add_batch_dim",          [JOIN] = "_remove_batch_dim",
      [END] = "_vmap_decrement_nesting",
  };
  tenon_json at = tenon_json_get(node, "target");
  const char *target = json_string_value(at.value);
  if (!target || strncmp(target, PREFIX, sizeof PREFIX - 1) != 0) return NONE;
  for (int i = LOAD; i <= END; ++i)
    if (strcmp(target + sizeof PREFIX - 1, names[i]) == 0) return (call)i;
  return NONE;
}

// A value that goes into the body, or comes out of it.
typedef struct port {
  tenon_value *value;      // outside
  const char *name;        // of a lane in the body; of all of them outside
  const tenon_type *type;  // of that name
  int64_t dim;             // of the lanes, outside
} port;

typedef struct vmap {
  tenon_pt2_scope *outer;
  size_t first, last;  // nodes that begin and end it
  tenon_dim lanes;
  int64_t level;  // 0: not known yet
  TENON_VEC(port) in, others, out;
  TENON_VEC(const char *) results;  // names in the body
  TENON_VEC(const char *) numbers;  // names of the graph around, used in it
  tenon_map seen;                   // names of others and numbers
  tenon_loc loc;
} vmap;

static tenon_status vmap_no_memory(const vmap *v) {
  return tenon_pt2_memory(v->outer->im);
}

// Argument i of a call; its parents are `store`.
static tenon_json vmap_argument(const tenon_json *node, size_t i,
                                tenon_json store[2]) {
  store[0] = tenon_json_get(node, "inputs");
  store[1] = tenon_json_item(&store[0], i);
  return tenon_json_get(&store[1], "arg");
}

static tenon_status vmap_read_int(const tenon_json *node, size_t i,
                                  int64_t *out) {
  tenon_json store[2], arg = vmap_argument(node, i, store);
  return tenon_json_int(tenon_json_at(&arg, "as_int"), out);
}

static tenon_status read_lanes(vmap *v, const tenon_json *node, size_t i,
                               tenon_dim *out) {
  tenon_json store[2], arg = vmap_argument(node, i, store), value;
  const char *tag = NULL;
  tenon_arg number;
  TENON_TRY(tenon_json_tag(&arg, &tag, &value));
  TENON_TRY(tenon_pt2_attribute(v->outer, tag, &value, &number));
  if (number.kind == TENON_KIND_INT)
    *out = tenon_dim_fixed(number.as.i);
  else if (number.kind == TENON_KIND_DIMS)
    *out = number.as.dims.data[0];
  else
    return fail(&arg, "expected a number of lanes");
  return TENON_OK;
}

// Calls of one vmap have one level; those inside have their own.
static tenon_status check_level(vmap *v, const tenon_json *node, size_t i) {
  int64_t level = 0;
  TENON_TRY(vmap_read_int(node, i, &level));
  if (v->level == 0) v->level = level;
  if (v->level == level) return TENON_OK;
  return refuse(node, "level %lld of vmap inside level %lld", (long long)level,
                (long long)v->level);
}

static tenon_status check_lanes(const vmap *v, const tenon_json *node,
                                tenon_dim lanes) {
  bool are_known = tenon_dim_is_fixed(lanes) && tenon_dim_is_fixed(v->lanes);
  if (!are_known || lanes.value == v->lanes.value) return TENON_OK;
  return fail(node, "a vmap over %lld lanes meets %lld",
              (long long)v->lanes.value, (long long)lanes.value);
}

static tenon_status vmap_name_of(const tenon_json *node, const char **out) {
  tenon_json outputs = tenon_json_get(node, "outputs");
  tenon_json output = tenon_json_item(&outputs, 0);
  return tenon_json_text(
      tenon_json_at(tenon_json_at(&output, "as_tensor"), "name"), out);
}

static tenon_status read_port(vmap *v, const tenon_json *node, size_t dim_at,
                              port *p) {
  TENON_TRY(vmap_name_of(node, &p->name));
  TENON_TRY(tenon_pt2_declared(v->outer, p->name, &p->type));
  if (!p->type)
    return fail(node, "the graph does not say what type '%s' has", p->name);
  return vmap_read_int(node, dim_at, &p->dim);
}

// ---------------------------------------------------------------------------
// What goes in and out
// ---------------------------------------------------------------------------

// The dimension of lanes, moved between `dim` and 0.
static tenon_status move(vmap *v, tenon_value *x, const tenon_type *type,
                         const char *name, int64_t from, int64_t to,
                         tenon_value **out) {
  int64_t dims[TENON_MAX_RANK];
  for (int64_t i = 0, k = 0; i < type->rank; ++i) {
    if (k == from) ++k;
    dims[i] = i == to ? from : k++;
  }
  const tenon_arg args[] = {tenon_arg_ints("dims", dims, type->rank),
                            TENON_END_ARGS};
  *out = tenon_build_value(
      v->outer->graph, NULL, "core::permute", type,
      (tenon_node_spec){
          .args = args, .in = &x, .n_in = 1, .names = &name, .loc = v->loc});
  return *out ? TENON_OK : tenon_pt2_built(v->outer->im);
}

// The type with dimension `from` at place `to`.
static const tenon_type *vmap_moved(vmap *v, const tenon_type *t, int64_t from,
                                    int64_t to) {
  tenon_arena *arena = &v->outer->im->scratch;
  tenon_type *copy = tenon_arena_new(arena, tenon_type);
  tenon_dim *dims = tenon_arena_array(arena, tenon_dim, t->rank);
  if (!copy || !dims) return NULL;
  for (int64_t i = 0, k = 0; i < t->rank; ++i) {
    if (k == from) ++k;
    dims[i] = i == to ? t->dims[from] : t->dims[k++];
  }
  *copy = *t;
  copy->dims = dims;
  return copy;
}

static tenon_status add_lane(vmap *v, const tenon_json *node) {
  port p = {.value = NULL};
  tenon_json store[2], arg = vmap_argument(node, 0, store);
  tenon_json tensor = tenon_json_get(&arg, "as_tensor");
  TENON_TRY(read_port(v, node, 1, &p));
  TENON_TRY(check_level(v, node, 2));
  TENON_TRY(tenon_pt2_tensor(v->outer, &tensor, &p.value));
  const tenon_type *t = &p.value->type;
  if (p.dim < 0) p.dim += t->rank;
  if (p.dim < 0 || p.dim >= t->rank)
    return fail(node, "no dimension %lld of a tensor with %d", (long long)p.dim,
                t->rank);
  TENON_TRY(check_lanes(v, node, t->dims[p.dim]));
  if (p.dim != 0) {
    const tenon_type *type = vmap_moved(v, t, p.dim, 0);
    if (!type) return vmap_no_memory(v);
    TENON_TRY(move(v, p.value, type, NULL, p.dim, 0, &p.value));
  }
  return tenon_vec_push(&v->in, p) ? TENON_OK : vmap_no_memory(v);
}

static tenon_status add_joined(vmap *v, const tenon_json *node) {
  port p = {.value = NULL};
  const char *name = NULL;
  tenon_dim lanes;
  tenon_json store[2], arg = vmap_argument(node, 0, store);
  tenon_json tensor = tenon_json_get(&arg, "as_tensor");
  TENON_TRY(tenon_json_text(tenon_json_at(&tensor, "name"), &name));
  TENON_TRY(read_port(v, node, 3, &p));
  TENON_TRY(check_level(v, node, 1));
  TENON_TRY(read_lanes(v, node, 2, &lanes));
  TENON_TRY(check_lanes(v, node, lanes));
  if (p.dim < 0) p.dim += p.type->rank;
  if (p.dim < 0 || p.dim >= p.type->rank)
    return fail(node, "no dimension %lld of a tensor with %d", (long long)p.dim,
                p.type->rank);
  bool done = tenon_vec_push(&v->out, p) && tenon_vec_push(&v->results, name);
  return done ? TENON_OK : vmap_no_memory(v);
}

// A name of the graph around that the body uses: a tensor is passed to every
// lane, a number is the same inside.
static tenon_status add_used(vmap *v, const tenon_json *at, const char *name) {
  bool is_new = false;
  const uint64_t *index = tenon_map_find_text(&v->outer->names, name);
  if (!index) return TENON_OK;
  if (!tenon_map_put_text(&v->seen, name, 1, &is_new)) return vmap_no_memory(v);
  if (!is_new) return TENON_OK;
  tenon_pt2_kind kind = v->outer->entries.data[*index].kind;
  if (kind != TENON_PT2_VALUE && kind != TENON_PT2_WEIGHT)
    return tenon_vec_push(&v->numbers, name) ? TENON_OK : vmap_no_memory(v);
  port p = {.name = name};
  TENON_TRY(tenon_pt2_tensor(v->outer, at, &p.value));
  p.type = &p.value->type;
  return tenon_vec_push(&v->others, p) ? TENON_OK : vmap_no_memory(v);
}

// Graphs inside see nothing but what they are given.
static tenon_status add_uses(vmap *v, const tenon_json *arg) {
  tenon_json at = tenon_json_get(arg, "name");
  tenon_json number = tenon_json_get(arg, "as_name");
  const char *name = json_string_value(at.value);
  if (name) return add_used(v, arg, name);
  name = json_string_value(number.value);
  if (name) return add_used(v, arg, name);
  if (json_is_array(arg->value)) {
    for (size_t i = 0; i < tenon_json_count(arg); ++i) {
      tenon_json item = tenon_json_item(arg, i);
      TENON_TRY(add_uses(v, &item));
    }
  } else if (json_is_object(arg->value)) {
    const char *tag = NULL;
    tenon_json value;
    TENON_TRY(tenon_json_tag(arg, &tag, &value));
    if (strcmp(tag, "as_graph") != 0) return add_uses(v, &value);
  }
  return TENON_OK;
}

static tenon_status vmap_visit(vmap *v, const tenon_json *node, int depth) {
  call c = call_of(node);
  if (c == SPLIT && depth == 1) return add_lane(v, node);
  if (c == JOIN && depth == 1) TENON_TRY(add_joined(v, node));
  tenon_json inputs = tenon_json_get(node, "inputs");
  for (size_t i = 0; i < tenon_json_count(&inputs); ++i) {
    tenon_json input = tenon_json_item(&inputs, i);
    tenon_json arg = tenon_json_get(&input, "arg");
    TENON_TRY(add_uses(v, &arg));
  }
  return TENON_OK;
}

static tenon_status visit_all(vmap *v) {
  const tenon_json *nodes = &v->outer->nodes;
  int depth = 1;
  tenon_json begin = tenon_json_item(nodes, v->first);
  TENON_TRY(tenon_pt2_node_loc(v->outer, &begin, &v->loc));
  TENON_TRY(read_lanes(v, &begin, 0, &v->lanes));
  for (size_t i = v->first + 1; i < tenon_json_count(nodes); ++i) {
    tenon_json node = tenon_json_item(nodes, i);
    call c = call_of(&node);
    depth += c == BEGIN ? 1 : c == END ? -1 : 0;
    v->last = i;
    if (depth == 0) break;
    TENON_TRY(vmap_visit(v, &node, depth - (c == BEGIN)));
  }
  if (depth != 0) return fail(&begin, "a vmap that does not end");
  return v->in.count > 0 ? TENON_OK : fail(&begin, "a vmap over nothing");
}

// ---------------------------------------------------------------------------
// The node
// ---------------------------------------------------------------------------

static tenon_status vmap_build(vmap *v, tenon_node **out) {
  tenon_pt2 *im = v->outer->im;
  size_t n_in = v->in.count, n_others = v->others.count;
  size_t n = v->out.count;
  if (n_in + n_others > UINT16_MAX || n > UINT16_MAX)
    return tenon_pt2_memory(im);
  const uint16_t groups[] = {0, (uint16_t)n_in, (uint16_t)(n_in + n_others)};
  tenon_value **in =
      tenon_arena_array(&im->scratch, tenon_value *, n_in + n_others + 1);
  const tenon_type **types =
      tenon_arena_array(&im->scratch, const tenon_type *, n + 1);
  if (!in || !types) return tenon_pt2_memory(im);
  for (size_t i = 0; i < n_in; ++i)
    in[i] = v->in.data[i].value;
  for (size_t i = 0; i < n_others; ++i)
    in[n_in + i] = v->others.data[i].value;
  for (size_t i = 0; i < n; ++i) {
    const port *p = &v->out.data[i];
    types[i] = p->dim == 0 ? p->type : vmap_moved(v, p->type, p->dim, 0);
    if (!types[i]) return tenon_pt2_memory(im);
  }
  tenon_node_spec spec = {
      .op = tenon_module_op(im->m, "higher_order::map_impl"),
      .in = in,
      .n_in = (uint32_t)(n_in + n_others),
      .in_group = groups,
      .n_in_groups = 2,
      .n_out = (uint32_t)n,
      .types = types,
      .n_regions = 1,
      .loc = v->loc};
  *out = spec.op ? tenon_build_node(v->outer->graph, NULL, &spec) : NULL;
  return *out ? TENON_OK : tenon_pt2_built(im);
}

static tenon_status vmap_define_results(vmap *v, const tenon_node *node) {
  tenon_json at = tenon_json_item(&v->outer->nodes, v->last);
  for (size_t i = 0; i < v->out.count; ++i) {
    const port *p = &v->out.data[i];
    tenon_pt2_name entry = {.kind = TENON_PT2_VALUE, .value = node->out[i]};
    if (p->dim != 0)
      TENON_TRY(
          move(v, entry.value, p->type, p->name, 0, p->dim, &entry.value));
    TENON_TRY(tenon_pt2_define(v->outer, &at, p->name, &entry));
  }
  return TENON_OK;
}

static tenon_status add_params(tenon_pt2_scope *s, const tenon_json *at,
                               const port *list, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    tenon_pt2_name entry = {.kind = TENON_PT2_VALUE};
    entry.value =
        tenon_build_param(s->graph, list[i].name, list[i].type, s->graph->loc);
    if (!entry.value) return tenon_pt2_built(s->im);
    TENON_TRY(tenon_pt2_define(s, at, list[i].name, &entry));
  }
  return TENON_OK;
}

static tenon_status vmap_fill(vmap *v, tenon_pt2_scope *s) {
  tenon_json at = tenon_json_item(&v->outer->nodes, v->first);
  TENON_TRY(add_params(s, &at, v->in.data, v->in.count));
  TENON_TRY(add_params(s, &at, v->others.data, v->others.count));
  for (size_t i = 0; i < v->numbers.count; ++i) {
    const char *name = v->numbers.data[i];
    tenon_pt2_name *entry = NULL;
    TENON_TRY(tenon_pt2_look(v->outer, &at, name, &entry));
    TENON_TRY(tenon_pt2_define(s, &at, name, entry));
  }
  TENON_TRY(s->im->nodes(s, v->first + 1, v->last));
  tenon_value **values =
      tenon_arena_array(&s->im->scratch, tenon_value *, v->results.count + 1);
  if (!values) return vmap_no_memory(v);
  for (size_t i = 0; i < v->results.count; ++i) {
    tenon_pt2_name *entry = NULL;
    TENON_TRY(tenon_pt2_look(s, &at, v->results.data[i], &entry));
    if (entry->kind != TENON_PT2_VALUE)
      return fail(&at, "'%s' is no tensor", v->results.data[i]);
    values[i] = entry->value;
  }
  bool done = tenon_build_results(s->graph, values, (uint32_t)v->results.count,
                                  s->graph->loc);
  return done ? TENON_OK : tenon_pt2_built(s->im);
}

static tenon_status vmap_import(vmap *v) {
  tenon_node *node = NULL;
  tenon_pt2_scope inner;
  TENON_TRY(visit_all(v));
  TENON_TRY(vmap_build(v, &node));
  TENON_TRY(vmap_define_results(v, node));
  size_t decided = v->outer->im->local.count;
  tenon_status status = tenon_pt2_scope_open(
      &inner, v->outer->im, node->regions[0], &v->outer->json, "vmap");
  inner.is_lane = true;
  inner.is_called = true;
  inner.is_retyped = v->outer->is_retyped;
  inner.autocast = v->outer->autocast;
  if (status == TENON_OK) status = vmap_fill(v, &inner);
  tenon_pt2_forget(v->outer->im, decided);
  tenon_pt2_scope_close(&inner);
  return status;
}

tenon_status tenon_pt2_vmap(tenon_pt2_scope *s, size_t *i, bool *done) {
  tenon_json node = tenon_json_item(&s->nodes, *i);
  call c = call_of(&node);
  *done = c != NONE;
  if (c == END) return fail(&node, "a vmap ends that has not begun");
  if (c == SPLIT || c == JOIN) {
    // Those of the vmap whose body this is are its parameters and results.
    if (s->is_lane) return TENON_OK;
    return fail(&node, "a lane outside of a vmap");
  }
  if (c != BEGIN) return TENON_OK;
  tenon_allocator allocator = s->im->cx->allocator;
  vmap v;
  memset(&v, 0, sizeof v);
  v.outer = s;
  v.first = *i;
  tenon_map_init(&v.seen, allocator);
  tenon_vec_init(&v.in, allocator);
  tenon_vec_init(&v.others, allocator);
  tenon_vec_init(&v.out, allocator);
  tenon_vec_init(&v.results, allocator);
  tenon_vec_init(&v.numbers, allocator);
  tenon_status status = vmap_import(&v);
  *i = v.last;
  tenon_vec_deinit(&v.numbers);
  tenon_vec_deinit(&v.results);
  tenon_vec_deinit(&v.out);
  tenon_vec_deinit(&v.others);
  tenon_vec_deinit(&v.in);
  tenon_map_deinit(&v.seen);
  return status;
}
