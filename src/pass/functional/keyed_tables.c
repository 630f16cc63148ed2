// How: a table is known by its number. Imports note its keys and values; the
// first fills it, as in LiteRT, and of a second nothing is taken, so that it
// must be the same. Where keys are looked up, the values have the default
// behind them, which is where -1 counts from the end.
#include "pass/functional/keyed_tables.h"

#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/build.h"
#include "ir/edit.h"
#include "ir/turned.h"
#include "kern/op/find.h"
#include "ops/tfl/tfl_variables.h"

typedef struct table {
  int64_t id;
  tenon_value *keys, *values;  // constants of one dimension
  bool is_once;                // filled before all entry points
  const tenon_graph *in;       // else in this one, before what follows
} table;

struct tenon_tables {
  tenon_module *m;
  TENON_VEC(table) list;
};

tenon_tables *tenon_tables_create(tenon_module *m) {
  tenon_tables *t = tenon_arena_new(&m->arena, tenon_tables);
  if (!t) return NULL;
  t->m = m;
  tenon_vec_init(&t->list, m->cx->allocator);
  return t;
}

void tenon_tables_destroy(tenon_tables *t) {
  if (t) tenon_vec_deinit(&t->list);
}

bool tenon_tables_has(const tenon_node *n) {
  return tenon_node_is(n, TENON_TFL_HASHTABLE_IMPORT) ||
         tenon_node_is(n, TENON_TFL_HASHTABLE_FIND) ||
         tenon_node_is(n, TENON_TFL_HASHTABLE_SIZE);
}

static tenon_status keyed_fail(const tenon_node *n, const char *what) {
  return tenon_fail(&n->graph->module->report, TENON_UNSUPPORTED,
                    "functional-table", tenon_node_place(n), "'%s': %s",
                    tenon_node_name(n), what);
}

static tenon_status id_of(const tenon_node *n, int64_t *id) {
  const tenon_value *v = n->n_in ? n->in[0].value : NULL;
  if (!v || v->kind != TENON_VALUE_RESULT ||
      !tenon_node_is(v->node, TENON_TFL_HASHTABLE))
    return keyed_fail(n, "a table that is passed around is not supported");
  const tenon_arg *a = tenon_node_arg(v->node, "table_id");
  *id = a ? a->as.i : 0;
  return TENON_OK;
}

static table *keyed_find(tenon_tables *t, int64_t id) {
  for (size_t i = 0; i < t->list.count; ++i)
    if (t->list.data[i].id == id) return &t->list.data[i];
  return NULL;
}

// --- what is in them ---------------------------------------------------------

// The constant as a list; null: it is none, or there is no memory.
static tenon_value *keyed_list_of(tenon_module *m, tenon_value *v,
                                  uint64_t *count) {
  if (!v || v->kind != TENON_VALUE_CONSTANT || v->type.quant ||
      tenon_value_is_apart(v) || !tenon_type_count(&v->type, count))
    return NULL;
  if (v->type.rank == 1) return v;
  const tenon_dim dim = tenon_dim_fixed((int64_t)*count);
  const tenon_type type = {.dims = &dim, .dtype = v->type.dtype, .rank = 1};
  return tenon_build_constant(m, v->name, &type, tenon_value_constant(v)->data,
                              true, v->loc);
}

static bool same_list(const tenon_value *a, const tenon_value *b) {
  const tenon_tensor *x = a->constant, *y = b->constant;
  if (a == b) return true;
  if (!tenon_type_equals(&a->type, &b->type)) return false;
  for (int32_t i = 0; i < x->dims[0]; ++i)
    if (tenon_find_order(x, i, y, i) != 0) return false;
  return true;
}

static bool may_be_table(const tenon_value *keys, const tenon_value *values) {
  const tenon_dtype k = keys->type.dtype, v = values->type.dtype;
  return (k == TENON_S64 && v == TENON_STR) ||
         (k == TENON_STR && v == TENON_S64);
}

tenon_status tenon_tables_import(tenon_tables *t, tenon_node *n, bool is_once) {
  uint64_t n_keys = 0, n_values = 0;
  int64_t id = 0;
  TENON_TRY(id_of(n, &id));
  tenon_value *keys =
      n->n_in > 2 ? keyed_list_of(t->m, n->in[1].value, &n_keys) : NULL;
  tenon_value *values =
      keys ? keyed_list_of(t->m, n->in[2].value, &n_values) : NULL;
  if (t->m->arena.failed)
    return tenon_fail_memory(&t->m->report, "reading tables");
  if (!keys || !values)
    return keyed_fail(
        n,
        "keys and values that are no constants are not supported: "
        "a table keeps its strings longer than a run its operands");
  if (!may_be_table(keys, values) || n_keys != n_values)
    return keyed_fail(
        n,
        "expected as many values as keys, of s64 and strings or of "
        "strings and s64");
  table *known = keyed_find(t, id);
  if (known && same_list(known->keys, keys) &&
      same_list(known->values, values)) {
    known->is_once |= is_once;
    return TENON_OK;
  }
  if (known)
    return keyed_fail(
        n,
        "a table that is filled twice, with different contents, is "
        "not supported");
  table fresh = {id, keys, values, is_once, n->graph};
  return tenon_vec_push(&t->list, fresh)
             ? TENON_OK
             : tenon_fail_memory(&t->m->report, "reading tables");
}

// --- looking into them -------------------------------------------------------

static tenon_value *keyed_make(tenon_node *at, const char *op,
                               tenon_value *const *in, uint32_t n_in,
                               const uint16_t *group, const tenon_arg *args) {
  tenon_node_spec spec = {.op = tenon_module_op(at->graph->module, op),
                          .args = args,
                          .in = in,
                          .n_in = n_in,
                          .in_group = group,
                          .n_out = 1,
                          .loc = at->loc};
  tenon_node *made = tenon_build_node(at->graph, at, &spec);
  return made ? made->out[0] : NULL;
}

static tenon_value *look_up(tenon_node *n, const table *known) {
  static const int64_t one[] = {1};
  static const uint16_t joined[] = {0, 2}, indexed[] = {0, 1, 2};
  const tenon_arg shape[] = {tenon_arg_ints("shape", one, 1), TENON_END_ARGS};
  const tenon_arg axis[] = {tenon_arg_int("axis", 0), TENON_END_ARGS};
  tenon_value *places[] = {n->in[1].value, known->keys};
  tenon_value *parts[] = {known->values, n->in[2].value};
  tenon_value *of[2];
  parts[1] = keyed_make(n, "core::reshape", &parts[1], 1, NULL, shape);
  of[0] =
      parts[1] ? keyed_make(n, "core::concat", parts, 2, joined, axis) : NULL;
  of[1] = of[0] ? keyed_make(n, "core::find", places, 2, NULL, NULL) : NULL;
  return of[1] ? keyed_make(n, "core::index", of, 2, indexed, axis) : NULL;
}

static uint64_t keyed_hash_of(const tenon_tensor *keys, ptrdiff_t i) {
  if (keys->dtype == TENON_S64)
    return tenon_hash_bulk((const int64_t *)keys->data + i, sizeof(int64_t),
                           TENON_HASH_SEED);
  const tenon_string *s = (const tenon_string *)keys->data + i;
  return tenon_hash_bulk(s->at.data, (size_t)s->size, TENON_HASH_SEED);
}

// How many different keys there are; -1: no memory.
static int64_t keyed_size_of(const tenon_tables *t, const table *known) {
  const tenon_tensor *keys = tenon_value_constant(known->keys);
  int64_t count = 0;
  bool ok = true;
  tenon_map first;           // by hash: a key, plus 1
  TENON_VEC(uint32_t) next;  // another of that hash, plus 1
  tenon_map_init(&first, t->m->cx->allocator);
  tenon_vec_init(&next, t->m->cx->allocator);
  for (int32_t i = 0; ok && i < keys->dims[0]; ++i) {
    bool added = false;
    uint64_t *slot = tenon_map_put(&first, keyed_hash_of(keys, i), 0, &added);
    uint64_t k = slot ? *slot : 0;
    while (k && tenon_find_order(keys, i, keys, (ptrdiff_t)k - 1) != 0)
      k = next.data[k - 1];
    ok = slot && tenon_vec_push(&next, (uint32_t)*slot);
    if (!ok || k) continue;
    *slot = (uint64_t)i + 1;
    ++count;
  }
  tenon_map_deinit(&first);
  tenon_vec_deinit(&next);
  return ok ? count : -1;
}

static tenon_value *keyed_number(tenon_node *n, int64_t value) {
  const tenon_dim one = tenon_dim_fixed(1);
  const tenon_type type = {.dims = &one, .dtype = TENON_S64, .rank = 1};
  return tenon_build_constant(n->graph->module, n->out[0]->name, &type, &value,
                              false, n->loc);
}

tenon_status tenon_tables_use(tenon_tables *t, tenon_node *n, bool is_entry) {
  int64_t id = 0;
  if (tenon_node_is(n, TENON_TFL_HASHTABLE_IMPORT) && !is_entry)
    return keyed_fail(n,
                      "a table that is filled in a branch, loop or function is "
                      "not supported");
  if (tenon_node_is(n, TENON_TFL_HASHTABLE_IMPORT)) {
    TENON_TRY(tenon_tables_import(t, n, false));
    tenon_node_erase(n);
    return TENON_OK;
  }
  TENON_TRY(id_of(n, &id));
  const table *known = keyed_find(t, id);
  if (!known || !(known->is_once || (is_entry && known->in == n->graph)))
    return keyed_fail(n, "the table has not been filled before");
  const bool is_find = tenon_node_is(n, TENON_TFL_HASHTABLE_FIND);
  const tenon_value *x = is_find ? n->in[1].value : known->keys;
  const tenon_value *other = is_find ? n->in[2].value : known->values;
  uint64_t count = 1;
  if (!x || !other || x->type.dtype != known->keys->type.dtype ||
      other->type.dtype != known->values->type.dtype ||
      (is_find && (!tenon_type_count(&other->type, &count) || count != 1)))
    return keyed_fail(
        n, "expected keys and one default of the types of the table");
  const int64_t size = is_find ? 0 : keyed_size_of(t, known);
  if (size < 0) return tenon_fail_memory(&t->m->report, "reading tables");
  tenon_value *y = is_find ? look_up(n, known) : keyed_number(n, size);
  if (!y) return tenon_fail_memory(&t->m->report, "reading tables");
  if (!tenon_type_may_equal(&y->type, &n->out[0]->type))
    return keyed_fail(n, "the result has another type than the table gives");
  tenon_value_replace(n->out[0], y);
  tenon_node_erase(n);
  return TENON_OK;
}
