// How: what was bound stays with the context as a row per key, found through
// the list of what is closed with it; a later file is compared with these rows.
// Types are by operand and result, since two files may name an operator by its
// functional and by its out variant.
#include <stdio.h>
#include <string.h>

#include "plug/bindings.h"

typedef struct seen {
  const char *op, *function, *where, *needs, *condition;
  const tenon_dtype *dtypes;  // operands, then results
  const int8_t *ranks;
  const char *const *orders;
  uint16_t count, n_fixed;
  int least;
  struct seen *next;
} seen;

// Closing does nothing: rows are in the arena of the context.
static void close_seen(void *self) {
  (void)self;
}

static seen **find_all(const tenon_context *cx) {
  for (tenon_context_end *end = cx->ends; end; end = end->next)
    if (end->close == close_seen) return (seen **)end->self;
  return NULL;
}

// The slots of a key, by operand and result.
static uint16_t seen_spread(const tenon_bind_op *op, const tenon_bind_key *key,
                            tenon_dtype *dtypes, int8_t *ranks,
                            const char **orders) {
  uint16_t n_in = op->schema->n_tensors;
  uint16_t count = (uint16_t)(n_in + op->n_results);
  memset(dtypes, 0, count);
  memset(ranks, -1, count);
  memset(orders, 0, count * sizeof *orders);
  for (uint16_t i = 0; i < op->n_params; ++i) {
    const tenon_bind_param *p = &op->params[i];
    uint16_t at =
        p->role == TENON_BIND_OUT ? (uint16_t)(n_in + p->index) : p->index;
    if (p->role == TENON_BIND_ATTR) continue;
    dtypes[at] = key->dtypes[p->slot];
    ranks[at] = key->ranks[p->slot];
    orders[at] = key->orders[p->slot];
  }
  return count;
}

static bool seen_may_both_fit(const seen *s, const tenon_dtype *dtypes,
                              const int8_t *ranks, const char *const *orders) {
  for (uint16_t i = 0; i < s->count; ++i) {
    if (s->dtypes[i] && dtypes[i] && s->dtypes[i] != dtypes[i]) return false;
    if (s->ranks[i] >= 0 && ranks[i] >= 0 && s->ranks[i] != ranks[i])
      return false;
    if (!tenon_bind_same_order(s->orders[i], orders[i])) return false;
  }
  return true;
}

enum { TENSORS_MOST = 128 };

static tenon_status check_key(const tenon_bind_op *op,
                              const tenon_bind_kernel *k,
                              const tenon_bind_key *key, const seen *all) {
  tenon_dtype dtypes[TENSORS_MOST];
  int8_t ranks[TENSORS_MOST];
  const char *orders[TENSORS_MOST];
  uint16_t count = seen_spread(op, key, dtypes, ranks, orders);
  for (const seen *s = all; s; s = s->next) {
    if (strcmp(s->op, op->schema->name) != 0 || s->count != count ||
        s->n_fixed != key->n_fixed ||
        !seen_may_both_fit(s, dtypes, ranks, orders) ||
        tenon_bind_are_apart(k, s->needs, s->condition))
      continue;
    return tenon_yaml_fail(
        k->at, "binding-key",
        "'%s' of '%s' is bound for types that '%s' has too, %s", k->name, s->op,
        s->function, s->where);
  }
  return TENON_OK;
}

tenon_status tenon_bindings_check_seen(tenon_bindings *b) {
  seen **all = find_all(b->cx);
  tenon_status status = TENON_OK;
  for (tenon_bind_op *op = b->first; op; op = op->next) {
    op->least = INT32_MAX;
    for (const tenon_bind_kernel *k = op->first; k; k = k->next)
      for (size_t i = 0; i < k->n_keys; ++i)
        if (tenon_bind_score(k, &k->keys[i]) < op->least)
          op->least = tenon_bind_score(k, &k->keys[i]);
    for (const seen *s = all ? *all : NULL; s; s = s->next) {
      if (strcmp(s->op, op->schema->name) != 0) continue;
      op->is_seen = true;
      op->least = s->least;
    }
    for (const tenon_bind_kernel *k = op->first; k; k = k->next)
      for (size_t i = 0; all && i < k->n_keys; ++i) {
        tenon_status one = check_key(op, k, &k->keys[i], *all);
        if (status == TENON_OK) status = one;
      }
  }
  return status;
}

static seen *make_row(const tenon_bindings *b, const tenon_bind_op *op,
                      const tenon_bind_kernel *k, const tenon_bind_key *key) {
  tenon_arena *arena = &b->cx->arena;
  size_t most = (size_t)op->schema->n_tensors + op->n_results;
  char where[TENON_YAML_WHERE + 512];
  char place[TENON_YAML_WHERE];
  tenon_place at = tenon_yaml_place(k->at, place);
  snprintf(where, sizeof where, "%s, %s", at.file, place);
  seen *row = tenon_arena_new(arena, seen);
  tenon_dtype *dtypes = tenon_arena_array(arena, tenon_dtype, most + 1);
  int8_t *ranks = tenon_arena_array(arena, int8_t, most + 1);
  const char **orders = tenon_arena_array(arena, const char *, most + 1);
  if (!row || !dtypes || !ranks || !orders) return NULL;
  row->op = tenon_arena_string(arena, op->schema->name);
  row->function = tenon_arena_string(arena, k->name);
  row->where = tenon_arena_string(arena, where);
  row->count = seen_spread(op, key, dtypes, ranks, orders);
  for (uint16_t i = 0; i < row->count; ++i)
    orders[i] = tenon_arena_string(arena, orders[i]);
  row->orders = orders;
  row->dtypes = dtypes;
  row->ranks = ranks;
  row->n_fixed = key->n_fixed;
  row->least = op->least;
  row->needs = tenon_arena_string(arena, k->needs ? k->needs : "");
  row->condition = tenon_arena_string(arena, k->condition ? k->condition : "");
  return row->needs && row->condition && row->op && row->function && row->where
             ? row
             : NULL;
}

tenon_status tenon_bindings_remember(const tenon_bindings *b) {
  seen **all = find_all(b->cx), *row = NULL;
  if (!all) {
    all = tenon_arena_new(&b->cx->arena, seen *);
    if (!all || !tenon_context_at_end(b->cx, close_seen, (void *)all))
      return tenon_fail_memory(&b->cx->report, "loading bindings");
  }
  for (const tenon_bind_op *op = b->first; op; op = op->next)
    for (const tenon_bind_kernel *k = op->first; k; k = k->next)
      for (size_t i = 0; i < k->n_keys; ++i) {
        row = make_row(b, op, k, &k->keys[i]);
        if (!row) return tenon_fail_memory(&b->cx->report, "loading bindings");
        row->next = *all;
        *all = row;
      }
  return TENON_OK;
}
