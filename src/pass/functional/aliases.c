// How: views are re-made in the order in which they were made, so that a base
// is there before its views. A write into a view goes up step by step: the
// operator that made the view is applied to the positions of its base's
// elements, and core::index_put sets what stands at those. The positions are
// constants, so folding leaves one constant for each such write.
#include "pass/functional/aliases.h"

#include <string.h>

#include "ir/build.h"
#include "ir/edit.h"
#include "pass/functional/disjoint.h"

// Positions of more elements are not made: a view of so much is refused.
#define MOST_POSITIONS (INT64_C(1) << 24)

void tenon_alias_table_init(tenon_alias_table *t, tenon_allocator allocator) {
  tenon_vec_init(&t->names, allocator);
  tenon_map_init(&t->of, allocator);
}

void tenon_alias_table_deinit(tenon_alias_table *t) {
  tenon_vec_deinit(&t->names);
  tenon_map_deinit(&t->of);
}

static uint32_t aliases_add(tenon_alias_table *t,
                            const tenon_alias_name *name) {
  uint32_t at = (uint32_t)t->names.count;
  if (!tenon_vec_push(&t->names, *name) ||
      !tenon_map_put(&t->of, name->value->id, at, NULL))
    return TENON_NO_ALIAS;
  return at;
}

uint32_t tenon_alias_table_find(tenon_alias_table *t, tenon_value *v) {
  const uint64_t *known = tenon_map_find(&t->of, v->id);
  tenon_alias_name root = {0};
  if (known) return (uint32_t)*known;
  root.value = root.origin = v;
  root.base = TENON_NO_ALIAS;
  root.root = (uint32_t)t->names.count;
  root.is_sure = root.is_whole = true;
  return aliases_add(t, &root);
}

// --- who makes views --------------------------------------------------------

static bool aliases_is_among(const tenon_node *n, const char *words) {
  return tenon_schema_is_among(n->op->schema, words);
}

// Of torch's operators with a mark, those that copy where they must: the result
// of one of these may or may not be written through.
static bool may_copy(const tenon_node *n) {
  return aliases_is_among(
      n, "reshape reshape_as flatten ravel contiguous to type_as");
}

static bool is_dropout(const tenon_node *n) {
  return aliases_is_among(
      n, "dropout feature_dropout alpha_dropout feature_alpha_dropout");
}

// Gives its operand itself, or a copy where it says so.
static bool aliases_gives_itself(const tenon_node *n) {
  return aliases_is_among(n, "to type_as") || is_dropout(n);
}

// Of torch's operators without a mark, those that give a view or the operand
// itself all the same: result i of operand i.
static bool hides_views(const tenon_node *n) {
  if (!n->op->schema || strcmp(n->op->schema->set, "aten") != 0 ||
      n->n_in != n->n_out)
    return false;
  const tenon_arg *train = tenon_node_arg(n, "train"),
                  *p = tenon_node_arg(n, "p");
  if (is_dropout(n)) return !(train && train->as.i && p && p->as.f > 0);
  return aliases_is_among(n,
                          "atleast_1d atleast_2d atleast_3d einsum "
                          "broadcast_tensors meshgrid");
}

// Whether such a result lies in the memory of its operand for sure.
static bool is_hidden_for_sure(const tenon_node *n) {
  return n->n_in == 1 && strcmp(n->op->schema->base, "einsum") != 0;
}

// The operand that declared result r is a view of; n_in: none.
static uint32_t viewed(const tenon_node *n, int r) {
  const tenon_schema *s = n->op->schema;
  const tenon_argument *result = &s->returns[r];
  if (!result->alias || !result->alias[0] || result->is_written) return n->n_in;
  for (int i = 0; i < s->n_tensors; ++i) {
    const tenon_argument *a = tenon_schema_tensor(s, i);
    int first = 0;
    if (a->is_written || a->is_list || !a->alias ||
        strcmp(a->alias, result->alias) != 0)
      continue;
    if (tenon_node_group(n, i, &first) == 1 && n->in[first].value)
      return (uint32_t)first;
  }
  return n->n_in;
}

// Of torch's, those that give all elements of their operand in its order.
static bool keeps_order(const tenon_node *n) {
  return strcmp(n->op->schema->set, "aten") == 0 &&
         aliases_is_among(n,
                          "view alias detach unsqueeze squeeze reshape "
                          "reshape_as flatten unflatten view_as");
}

// Dimensions of size 1 lie anywhere.
static bool has_same_sizes_but_ones(const tenon_type *a, const tenon_type *b) {
  int i = 0, j = 0;
  for (;; ++i, ++j) {
    while (i < a->rank && tenon_dim_equals(a->dims[i], tenon_dim_fixed(1)))
      ++i;
    while (j < b->rank && tenon_dim_equals(b->dims[j], tenon_dim_fixed(1)))
      ++j;
    if (i == a->rank || j == b->rank) return i == a->rank && j == b->rank;
    if (!tenon_dim_equals(a->dims[i], b->dims[j])) return false;
  }
}

// These copy only where sizes change.
static bool reshapes(const tenon_node *n) {
  return aliases_is_among(n, "reshape reshape_as flatten");
}

static bool aliases_note_result(tenon_alias_table *t, const tenon_node *n,
                                uint32_t i, uint32_t operand) {
  tenon_alias_name name = {0};
  tenon_value *base = n->in[operand].value;
  bool copies = may_copy(n), is_same = aliases_gives_itself(n);
  const tenon_arg *copy = tenon_node_arg(n, "copy");
  const tenon_arg *format = tenon_node_arg(n, "memory_format");
  if (copies && n->out[i]->type.dtype != base->type.dtype) return true;
  if (is_same && copy && copy->as.i) return true;
  is_same &= !format || !format->as.s;
  name.base = tenon_alias_table_find(t, base);
  if (name.base == TENON_NO_ALIAS) return false;
  name.value = name.origin = n->out[i];
  name.made = n;
  name.operand = operand;
  name.result = i;
  name.root = t->names.data[name.base].root;
  // What is dense stays where it is; what others have cut need not. Elements of
  // another type have other places.
  const bool stays =
      t->names.data[name.base].is_whole ||
      (reshapes(n) && has_same_sizes_but_ones(&n->out[i]->type, &base->type));
  name.is_sure = n->out[i]->type.dtype == base->type.dtype &&
                 (!copies || is_same || stays) &&
                 (!hides_views(n) || is_hidden_for_sure(n));
  name.is_whole =
      name.is_sure && t->names.data[name.base].is_whole && keeps_order(n);
  return aliases_add(t, &name) != TENON_NO_ALIAS;
}

bool tenon_alias_table_note(tenon_alias_table *t, const tenon_node *n) {
  const tenon_schema *s = n->op->schema;
  for (uint32_t i = 0; hides_views(n) && i < n->n_out; ++i)
    if (n->in[i].value && !aliases_note_result(t, n, i, i)) return false;
  for (int r = 0; s && r < s->n_returns; ++r) {
    uint32_t operand = viewed(n, r);
    uint32_t i = n->out_group ? n->out_group[r] : (uint32_t)r;
    uint32_t end = n->out_group ? n->out_group[r + 1] : i + 1;
    for (; operand < n->n_in && i < end && i < n->n_out; ++i)
      if (!aliases_note_result(t, n, i, operand)) return false;
  }
  return true;
}

// --- building ---------------------------------------------------------------

typedef struct writer {
  tenon_alias_table *table;
  tenon_arena *scratch;
  const tenon_node *by;      // the node that writes
  const tenon_node *behind;  // it, or what an earlier write of it has made
  tenon_node *last;          // new nodes go behind it
  uint32_t first_id;         // of new nodes
  tenon_value **fresh;       // by entry; null: unchanged
} writer;

static tenon_module *aliases_module_of(const writer *w) {
  return w->behind->graph->module;
}

static tenon_status aliases_no_memory(const writer *w) {
  return tenon_fail_memory(&aliases_module_of(w)->report,
                           "making it functional");
}

static tenon_value *build_core(writer *w, const char *op,
                               tenon_value *const *in, uint32_t n_in,
                               const tenon_arg *args, const tenon_type *type) {
  tenon_value *v = tenon_build_value(
      w->behind->graph, w->last->next, op, type,
      (tenon_node_spec){
          .args = args, .in = in, .n_in = n_in, .loc = w->behind->loc});
  if (v) w->last = v->node;
  return v;
}

static tenon_value *reshape(writer *w, tenon_value *x, const tenon_dim *dims,
                            int rank) {
  tenon_type type = x->type;
  type.dims = dims;
  type.rank = (uint8_t)rank;
  return build_core(w, "core::reshape", &x, 1,
                    TENON_ARGS(tenon_arg_dims("shape", dims, (size_t)rank)),
                    &type);
}

// The operator that made a view, once more: on `base`, with results of the
// element type of `base`.
static tenon_value *view_again(writer *w, const tenon_alias_name *name,
                               tenon_value *base) {
  const tenon_node *made = name->made;
  const tenon_value *old = made->in[name->operand].value;
  if (aliases_gives_itself(made)) return base;
  tenon_value **in = tenon_arena_array(w->scratch, tenon_value *, made->n_in);
  tenon_type *types = tenon_arena_array(w->scratch, tenon_type, made->n_out);
  const tenon_type **list =
      tenon_arena_array(w->scratch, const tenon_type *, made->n_out);
  const char **names = tenon_arena_array(w->scratch, const char *, made->n_out);
  if (w->scratch->failed) return NULL;
  for (uint32_t i = 0; i < made->n_in; ++i)
    in[i] = made->in[i].value == old ? base : made->in[i].value;
  for (uint32_t i = 0; i < made->n_out; ++i) {
    types[i] = made->out[i]->type;
    if (base->type.dtype != old->type.dtype) {
      types[i].dtype = base->type.dtype;
      types[i].quant = NULL;
    }
    list[i] = &types[i];
    names[i] = made->out[i]->name;
  }
  tenon_node_spec spec = tenon_spec_like(made, in);
  spec.types = list;
  spec.names = names;
  spec.loc = w->behind->loc;
  tenon_node *n = tenon_build_node(w->behind->graph, w->last->next, &spec);
  if (n) w->last = n;
  return n ? n->out[name->result] : NULL;
}

// --- writing through a view -------------------------------------------------

static tenon_status aliases_refuse(const writer *w, const char *why) {
  return tenon_fail(&aliases_module_of(w)->report, TENON_UNSUPPORTED,
                    "functional-view", tenon_node_place(w->by),
                    "'%s' writes through a view %s", tenon_node_name(w->by),
                    why);
}

// 0, 1, 2, ... in the shape of the base.
static tenon_value *fixed_positions(writer *w, const tenon_type *base,
                                    uint64_t count) {
  tenon_module *m = aliases_module_of(w);
  tenon_type type = {base->dims, NULL, TENON_S64, base->rank, 0};
  int64_t *data = tenon_arena_array(w->scratch, int64_t, (size_t)count + 1);
  if (!data) {
    (void)aliases_no_memory(w);
    return NULL;
  }
  for (uint64_t i = 0; i < count; ++i)
    data[i] = (int64_t)i;
  return tenon_build_constant(m, "", &type, data, false, w->behind->loc);
}

static tenon_value *one_number(writer *w, int64_t value) {
  const tenon_type type = {NULL, NULL, TENON_S64, 0, 0};
  return tenon_build_constant(aliases_module_of(w), "", &type, &value, false,
                              w->behind->loc);
}

// Of a size that a run finds out: as many ones summed up, less one.
static tenon_value *open_positions(writer *w, const tenon_type *base,
                                   tenon_dim count) {
  const tenon_type flat = {&count, NULL, TENON_S64, 1, 0};
  const tenon_arg shape[] = {tenon_arg_dims("shape", &count, 1),
                             TENON_END_ARGS};
  const tenon_arg axis[] = {tenon_arg_int("axis", 0), TENON_END_ARGS};
  tenon_value *in[2] = {one_number(w, 1), NULL};
  if (in[0]) in[0] = build_core(w, "core::expand", in, 1, shape, &flat);
  if (in[0]) in[0] = build_core(w, "core::cumsum", in, 1, axis, &flat);
  in[1] = one_number(w, 1);
  if (!in[0] || !in[1]) return NULL;
  in[0] = build_core(w, "core::sub", in, 2, NULL, &flat);
  return in[0] ? reshape(w, in[0], base->dims, base->rank) : NULL;
}

static tenon_value *positions(writer *w, const tenon_type *base,
                              tenon_dim count) {
  return tenon_dim_is_fixed(count)
             ? fixed_positions(w, base, (uint64_t)count.value)
             : open_positions(w, base, count);
}

// Where the elements of a view lie among those of its root.
static tenon_value *aliases_places(writer *w, uint32_t at, tenon_dim count) {
  const tenon_alias_name *name = &w->table->names.data[at];
  if (name->base == TENON_NO_ALIAS)
    return positions(w, &name->value->type, count);
  tenon_value *base = aliases_places(w, name->base, count);
  return base ? view_again(w, name, base) : NULL;
}

// How many elements a type has; below 0: more than can be counted.
static tenon_dim aliases_count_of(writer *w, const tenon_type *type) {
  tenon_dim n = tenon_dim_fixed(1);
  for (int d = 0; d < type->rank; ++d)
    n = tenon_symbols_apply(&aliases_module_of(w)->symbols, TENON_DIM_MUL, n,
                            type->dims[d]);
  return n;
}

// The root with the elements of `value` where entry `at` is a view of it.
static tenon_status scatter(writer *w, uint32_t at, tenon_value *value,
                            tenon_value **out) {
  const tenon_alias_name *names = w->table->names.data;
  tenon_value *root = names[names[at].root].value;
  tenon_dim whole = aliases_count_of(w, &root->type);
  tenon_dim window = aliases_count_of(w, &value->type);
  if (value->type.dtype != root->type.dtype)
    return aliases_refuse(w, "of another element type");
  if (tenon_dim_is_fixed(whole) &&
      (whole.value < 0 || whole.value > MOST_POSITIONS))
    return aliases_refuse(w, "of too many elements");
  tenon_value *to = aliases_places(w, at, whole);
  tenon_value *in[] = {reshape(w, root, &whole, 1),
                       reshape(w, value, &window, 1),
                       to ? reshape(w, to, &window, 1) : NULL};
  if (!in[0] || !in[1] || !in[2]) return aliases_no_memory(w);
  tenon_value *y = build_core(w, "core::index_put", in, 3, NULL, &in[0]->type);
  *out = y ? reshape(w, y, root->type.dims, root->type.rank) : NULL;
  return *out ? TENON_OK : aliases_no_memory(w);
}

// --- what follows -----------------------------------------------------------

// Uses behind the writing node, in its graph or in regions of later nodes, but
// not by what is new.
static bool is_behind(void *self, const tenon_use *use) {
  const writer *w = (const writer *)self;
  const tenon_node *n = w->behind, *user = use->node;
  if (user == n || user->id >= w->first_id) return false;
  while (user->graph != n->graph) {
    if (!user->graph->parent) return false;
    user = user->graph->parent;
  }
  return user != n && tenon_node_precedes(n, user);
}

static bool has_uses_behind(writer *w, const tenon_value *v) {
  for (const tenon_use *u = v->uses; u; u = u->next)
    if (is_behind(w, u)) return true;
  return false;
}

// Every other view that somebody still reads.
static tenon_status make_views(writer *w, uint32_t root) {
  const tenon_alias_name *names = w->table->names.data;
  uint32_t n = (uint32_t)w->table->names.count;
  bool *needed = tenon_arena_array(w->scratch, bool, n);
  if (!needed) return aliases_no_memory(w);
  for (uint32_t i = n; i-- > 0;) {
    if (names[i].root != root || w->fresh[i]) continue;
    needed[i] |= has_uses_behind(w, names[i].value);
    if (needed[i] && names[i].base != TENON_NO_ALIAS)
      needed[names[i].base] = true;
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (!needed[i] || w->fresh[i] || names[i].root != root) continue;
    if (!names[i].is_sure)
      return aliases_refuse(w,
                            "that another, which may or may not be a "
                            "copy, may lie in");
    w->fresh[i] = view_again(w, &names[i], w->fresh[names[i].base]);
    if (!w->fresh[i]) return aliases_no_memory(w);
  }
  return TENON_OK;
}

static tenon_status aliases_follow(writer *w, uint32_t root) {
  tenon_graph_number(w->behind->graph);
  for (uint32_t i = 0; i < w->table->names.count; ++i) {
    tenon_alias_name *name = &w->table->names.data[i];
    if (name->root != root || !w->fresh[i]) continue;
    tenon_value_replace_if(name->value, w->fresh[i], is_behind, w);
    name->value = w->fresh[i];
    if (!tenon_map_put(&w->table->of, w->fresh[i]->id, i, NULL))
      return aliases_no_memory(w);
  }
  return TENON_OK;
}

// A write of what may be a copy is a write of nothing else if nobody can tell.
static bool aliases_is_alone(writer *w, uint32_t at) {
  const tenon_alias_name *names = w->table->names.data;
  const tenon_value *root = names[names[at].root].origin;
  if (root->kind != TENON_VALUE_RESULT ||
      tenon_op_is(root->node->op, "core::state_read"))
    return false;
  for (uint32_t i = 0; i < w->table->names.count; ++i)
    if (i != at && names[i].root == names[at].root &&
        has_uses_behind(w, names[i].value))
      return false;
  return true;
}

// What it was a view of is not written, since nobody reads that: views that
// are made of it from now on are written into it alone.
static void detach(tenon_alias_name *name, uint32_t at) {
  name->base = TENON_NO_ALIAS;
  name->root = at;
  name->is_sure = name->is_whole = true;
}

static bool has_same_sizes(const tenon_type *a, const tenon_type *b) {
  bool same = a->rank == b->rank;
  for (int i = 0; same && i < a->rank; ++i)
    same = tenon_dim_equals(a->dims[i], b->dims[i]);
  return same;
}

// A cache that grows by what comes in: memory of states is laid out once.
static tenon_status refuse_shape(const writer *w, const tenon_value *origin,
                                 const tenon_type *type) {
  const tenon_node *read = origin->node;
  tenon_module *m = aliases_module_of(w);
  const tenon_arg *state =
      read && tenon_op_is(read->op, "core::state_read") ? read->args : NULL;
  while (state && state->name && strcmp(state->name, "state") != 0)
    ++state;
  if (!state || !state->name)
    return aliases_refuse(w,
                          "or a name that others have, and changes its shape");
  tenon_diag hint =
      tenon_note_of("functional-view",
                    "make it as large as it may become, and write "
                    "a part of it: cache[:, n:n + k] = x",
                    NULL);
  tenon_buf from, to;
  tenon_buf_init(&from, m->arena.allocator);
  tenon_buf_init(&to, m->arena.allocator);
  tenon_type_print(&origin->type, &m->symbols, &from);
  tenon_type_print(type, &m->symbols, &to);
  tenon_status status = tenon_fail_notes(
      &m->report, TENON_UNSUPPORTED, "functional-view", tenon_node_place(w->by),
      &hint,
      "'%s' writes %s to the state '%s', which is %s: a state keeps its size",
      tenon_node_name(w->by), to.data ? to.data : "?", state->as.s,
      from.data ? from.data : "?");
  tenon_buf_deinit(&from);
  tenon_buf_deinit(&to);
  return status;
}

// What is the same everywhere is so whatever lies over what.
static bool writes_one_value(const tenon_node *n) {
  return n->op->schema && strcmp(n->op->schema->set, "aten") == 0 &&
         aliases_is_among(n, "fill_ zero_");
}

static tenon_status aliases_write_all(writer *w, uint32_t at,
                                      tenon_value *value) {
  const tenon_alias_name *names = w->table->names.data;
  uint32_t root = names[at].root;
  bool is_sure = true;
  for (uint32_t i = at; i != TENON_NO_ALIAS; i = names[i].base)
    is_sure &= names[i].is_sure;
  if (tenon_overlap_within(w->table, at) && !writes_one_value(w->by))
    return aliases_refuse(w, "that has elements of its base twice");
  if (aliases_is_alone(w, at)) {
    w->fresh[at] = value;
    detach(&w->table->names.data[at], at);
    return aliases_follow(w, at);
  }
  if (!has_same_sizes(&names[at].value->type, &value->type))
    return refuse_shape(w, names[at].origin, &value->type);
  if (!is_sure) return aliases_refuse(w, "that may be a copy");
  w->fresh[at] = value;
  if (at != root) TENON_TRY(scatter(w, at, value, &w->fresh[root]));
  TENON_TRY(make_views(w, root));
  return aliases_follow(w, root);
}

tenon_status tenon_alias_table_write(tenon_alias_table *t, uint32_t at,
                                     tenon_value *value, tenon_node **last) {
  tenon_arena scratch;
  tenon_node *n = *last;
  tenon_arena_init(&scratch, n->graph->module->cx->allocator);
  writer w = {t, &scratch, value->node, n, n, n->graph->module->n_nodes, NULL};
  tenon_graph_number(n->graph);
  w.fresh = tenon_arena_array(&scratch, tenon_value *, t->names.count);
  tenon_status status =
      w.fresh ? aliases_write_all(&w, at, value) : aliases_no_memory(&w);
  *last = w.last;
  tenon_arena_deinit(&scratch);
  return status;
}
