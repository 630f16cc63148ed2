// How: a table is known by its number. Imports note its keys and values; the
// first fills it, as in LiteRT, and of a second nothing is taken, so that it
// must be the same. What a run computes is kept in states, beside one that says
// whether the first run has been: later runs take what that has left. Where
// keys are looked up, the values have the default behind them, which is where
// -1 counts from the end.
#include "pass/functional/keyed_tables.h"

#include <stdio.h>

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
  tenon_value *counted;  // 0, 1, ... for the keys, where a run computes them
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

// --- nodes -------------------------------------------------------------------

static tenon_value *keyed_number(tenon_node *n, uint64_t size,
                                 const int64_t *list) {
  const tenon_dim dim = tenon_dim_fixed((int64_t)size);
  const tenon_type type = {.dims = &dim, .dtype = TENON_S64, .rank = 1};
  return tenon_build_constant(n->graph->module, "", &type, list, false, n->loc);
}

static tenon_value *keyed_make(tenon_node *at, const char *op,
                               tenon_value *const *in, uint32_t n_in,
                               const uint16_t *group, const tenon_arg *args) {
  return tenon_build_value(at->graph, at, op, NULL,
                           (tenon_node_spec){.args = args,
                                             .in = in,
                                             .n_in = n_in,
                                             .in_group = group,
                                             .loc = at->loc});
}

static tenon_value *keyed_list(tenon_node *n, tenon_value *v, int64_t size) {
  return keyed_make(n, "core::reshape", &v, 1, NULL,
                    TENON_ARGS(tenon_arg_ints("shape", &size, 1)));
}

// Rows `places` of one list and another behind it.
static tenon_value *pick(tenon_node *n, tenon_value *a, tenon_value *b,
                         tenon_value *places) {
  static const uint16_t joined[] = {0, 2}, indexed[] = {0, 1, 2};
  const tenon_arg axis[] = {tenon_arg_int("axis", 0), TENON_END_ARGS};
  tenon_value *parts[] = {a, b}, *of[] = {NULL, places};
  if (!a || !b || !places) return NULL;
  of[0] = keyed_make(n, "core::concat", parts, 2, joined, axis);
  return of[0] ? keyed_make(n, "core::index", of, 2, indexed, axis) : NULL;
}

// --- what a run computes -----------------------------------------------------

// A state of the table, of the type of `like`; what it holds.
static tenon_value *kept_before(tenon_node *n, int64_t id, const char *what,
                                const tenon_value *like, char name[64]) {
  tenon_module *m = n->graph->module;
  snprintf(name, 64, "table %lld: %s", (long long)id, what);
  const tenon_state state = {.name = name, .type = like->type, .loc = n->loc};
  if (tenon_module_find_state(m, name) < 0 && !tenon_build_state(m, &state))
    return NULL;
  return tenon_build_state_read(n->graph, n, name, &like->type, NULL, n->loc);
}

static bool keep_now(tenon_node *n, const char *name, tenon_value *v) {
  return v && tenon_build_state_write(n->graph, n, name, v, n->loc);
}

// What was given in the first run.
static tenon_value *first_given(tenon_node *n, int64_t id, const char *what,
                                tenon_value *given, tenon_value *places) {
  char name[64];
  tenon_value *old = given ? kept_before(n, id, what, given, name) : NULL;
  tenon_value *y = old ? pick(n, given, old, places) : NULL;
  return keep_now(n, name, y) ? y : NULL;
}

static tenon_status keyed_fill(tenon_tables *t, tenon_node *n, int64_t id,
                               uint64_t count) {
  tenon_module *m = t->m;
  char name[64];
  const int64_t one = 1, size = (int64_t)count;
  int64_t *list = tenon_arena_array(&m->arena, int64_t, count);
  for (uint64_t i = 0; list && i < count; ++i)
    list[i] = (int64_t)i;
  table fresh = {.id = id, .in = n->graph};
  tenon_value *filled = keyed_number(n, 1, &one);
  tenon_value *in[] = {
      filled ? kept_before(n, id, "filled", filled, name) : NULL,
      keyed_number(n, 1, &size)};
  if (list) fresh.counted = keyed_number(n, count, list);
  // Behind the first run from the end of what was given on.
  in[1] = in[0] && in[1] ? keyed_make(n, "core::mul", in, 2, NULL, NULL) : NULL;
  in[0] = fresh.counted;
  in[1] = in[0] && in[1] ? keyed_make(n, "core::add", in, 2, NULL, NULL) : NULL;
  const bool ok = in[1] && keep_now(n, name, filled);
  if (ok)
    fresh.keys =
        first_given(n, id, "keys", keyed_list(n, n->in[1].value, size), in[1]);
  if (fresh.keys)
    fresh.values = first_given(n, id, "values",
                               keyed_list(n, n->in[2].value, size), in[1]);
  return fresh.values && tenon_vec_push(&t->list, fresh)
             ? TENON_OK
             : tenon_fail_memory(&m->report, "reading tables");
}

// In an entry point, whose runs have states.
static tenon_status import_computed(tenon_tables *t, tenon_node *n, int64_t id,
                                    bool is_once) {
  const tenon_value *keys = n->n_in > 2 ? n->in[1].value : NULL;
  const tenon_value *values = n->n_in > 2 ? n->in[2].value : NULL;
  uint64_t n_keys = 0, n_values = 0;
  if (!keys || !values || is_once || keys->type.quant || values->type.quant ||
      tenon_value_is_apart(keys) || tenon_value_is_apart(values) ||
      !tenon_type_count(&keys->type, &n_keys) ||
      !tenon_type_count(&values->type, &n_values) || n_keys != n_values ||
      n_keys == 0 || n_keys > INT32_MAX || !may_be_table(keys, values))
    return keyed_fail(n,
                      "expected as many values as keys, of s64 and strings or "
                      "of strings and s64, and of known sizes");
  if (keyed_find(t, id))
    return keyed_fail(n,
                      "a table that is filled twice, with different contents, "
                      "is not supported");
  return keyed_fill(t, n, id, n_keys);
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
  if (!keys || !values) return import_computed(t, n, id, is_once);
  if (!may_be_table(keys, values) || n_keys != n_values)
    return keyed_fail(
        n,
        "expected as many values as keys, of s64 and strings or of "
        "strings and s64");
  table *known = keyed_find(t, id);
  if (known && !known->counted && same_list(known->keys, keys) &&
      same_list(known->values, values)) {
    known->is_once |= is_once;
    return TENON_OK;
  }
  if (known)
    return keyed_fail(
        n,
        "a table that is filled twice, with different contents, is "
        "not supported");
  table fresh = {id, keys, values, is_once, n->graph, NULL};
  return tenon_vec_push(&t->list, fresh)
             ? TENON_OK
             : tenon_fail_memory(&t->m->report, "reading tables");
}

// --- looking into them -------------------------------------------------------

static tenon_value *look_up(tenon_node *n, const table *known) {
  tenon_value *places[] = {n->in[1].value, known->keys};
  return pick(n, known->values, keyed_list(n, n->in[2].value, 1),
              keyed_make(n, "core::find", places, 2, NULL, NULL));
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

// The same of keys that a run computes: those that are found where they are.
static tenon_value *keyed_count(tenon_node *n, const table *known) {
  static const int64_t axis[] = {0};
  const tenon_arg sum[] = {tenon_arg_ints("dims", axis, 1),
                           tenon_arg_bool("keepdim", true), TENON_END_ARGS};
  tenon_value *in[] = {known->keys, known->keys};
  in[0] = keyed_make(n, "core::find", in, 2, NULL, NULL);
  in[1] = known->counted;
  in[0] = in[0] ? keyed_make(n, "core::eq", in, 2, NULL, NULL) : NULL;
  in[0] = in[0] ? keyed_make(n, "core::cast", in, 1, NULL,
                             TENON_ARGS({.name = "dtype",
                                         .kind = TENON_KIND_DTYPE,
                                         .as = {.i = TENON_S64}}))
                : NULL;
  return in[0] ? keyed_make(n, "core::sum", in, 1, NULL, sum) : NULL;
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
  const int64_t size = is_find || known->counted ? 0 : keyed_size_of(t, known);
  if (size < 0) return tenon_fail_memory(&t->m->report, "reading tables");
  tenon_value *y = is_find          ? look_up(n, known)
                   : known->counted ? keyed_count(n, known)
                                    : keyed_number(n, 1, &size);
  if (!y) return tenon_fail_memory(&t->m->report, "reading tables");
  if (!tenon_type_may_equal(&y->type, &n->out[0]->type))
    return keyed_fail(n, "the result has another type than the table gives");
  tenon_value_replace(n->out[0], y);
  tenon_node_erase(n);
  return TENON_OK;
}
