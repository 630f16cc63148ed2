// core/symbol/symbol.c - the table of expressions and their ranges.
//
// The map goes from a hash to an id, as in loc.c: what is found is compared,
// and the next number is tried until it is equal or free. The algebra that
// brings equal expressions to one form is in symbol_sum.c; here is what it
// stands on.
//
// Ranges (symbol_range.c) are worked out when an expression is made and not
// again when a leaf narrows, which leaves them wider than they could be, never
// wrong.
#include "core/symbol/symbol.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/vec.h"
#include "core/symbol/symbol_sum.h"

void tenon_symbols_init(tenon_symbols *s, tenon_arena *arena,
                        tenon_allocator allocator) {
  memset(s, 0, sizeof *s);
  s->arena = arena;
  tenon_map_init(&s->map, allocator);
}

void tenon_symbols_deinit(tenon_symbols *s) {
  tenon_free(&s->map.allocator, s->data, s->capacity * sizeof *s->data,
             _Alignof(max_align_t));
  tenon_map_deinit(&s->map);
  s->data = NULL;
  s->count = s->capacity = 0;
}

const tenon_symbol *tenon_symbols_look(const tenon_symbols *s, uint32_t id) {
  return s && id > 0 && id < s->count ? &s->data[id] : NULL;
}

// ---------------------------------------------------------------------------
// The table
// ---------------------------------------------------------------------------

static uint64_t hash_symbol(const tenon_symbol *e) {
  if (e->op == 0) return tenon_hash(e->name, strlen(e->name), TENON_HASH_SEED);
  uint64_t words[5] = {e->op, e->a.symbol, (uint64_t)e->a.value, e->b.symbol,
                       (uint64_t)e->b.value};
  return tenon_hash(words, sizeof words, TENON_HASH_SEED);
}

static bool same_symbol(const tenon_symbol *x, const tenon_symbol *y) {
  if (x->op != y->op) return false;
  if (x->op == 0) return strcmp(x->name, y->name) == 0;
  return tenon_dim_equals(x->a, y->a) && tenon_dim_equals(x->b, y->b);
}

static uint32_t symbol_find(const tenon_symbols *s, const tenon_symbol *e,
                            uint64_t *key) {
  for (;; ++*key) {
    const uint64_t *id = tenon_map_find(&s->map, *key);
    if (!id) return 0;
    if (same_symbol(&s->data[*id], e)) return (uint32_t)*id;
  }
}

// 0 when memory ran out.
static uint32_t symbol_append(tenon_symbols *s, const tenon_symbol *e,
                              uint64_t key) {
  uint32_t id = tenon_map_append(&s->map, key, (void **)(void *)&s->data,
                                 &s->count, &s->capacity, e, sizeof *e);
  s->arena->failed |= id == 0;
  return id;
}

// A symbol that can have one value only is that value.
tenon_dim tenon_symbols_folded(const tenon_symbols *s, tenon_dim d) {
  const tenon_symbol *e = tenon_symbols_look(s, d.symbol);
  if (!e || e->min != e->max || e->min == INT64_MAX || e->min == INT64_MIN)
    return d;
  return tenon_dim_fixed(e->min);
}

static tenon_dim symbolic(uint32_t id) {
  tenon_dim d = {0, id};
  return id == 0 ? TENON_DIM_NONE : d;
}

static tenon_symbol leaf_of(const char *name, int64_t min, int64_t max) {
  tenon_symbol e = {.name = name, .min = min, .max = max};
  return e;
}

// Gives a leaf the first name that no other has. The map still leads from the
// old one to it, where what is found is compared.
static bool name_freshly(tenon_symbols *s, tenon_symbol *e, uint64_t *key) {
  char name[32];
  for (uint32_t i = s->count;; ++i) {
    snprintf(name, sizeof name, "u%u", (unsigned)i);
    e->name = name;
    *key = hash_symbol(e);
    if (symbol_find(s, e, key) == 0) break;
  }
  e->name = tenon_arena_string(s->arena, name);
  return e->name != NULL;
}

// A leaf that nobody has named leaves its name to somebody who asks for it.
static bool rename_fresh(tenon_symbols *s, uint32_t id) {
  tenon_symbol e = s->data[id];
  uint64_t key = 0;
  if (!name_freshly(s, &e, &key)) return false;
  if (!tenon_map_put(&s->map, key, id, NULL)) {
    s->arena->failed = true;
    return false;
  }
  s->data[id].name = e.name;
  return true;
}

tenon_dim tenon_symbols_fresh(tenon_symbols *s, int64_t min, int64_t max) {
  tenon_symbol e = leaf_of(NULL, min, max);
  uint64_t key = 0;
  e.is_fresh = true;
  return symbolic(name_freshly(s, &e, &key) ? symbol_append(s, &e, key) : 0);
}

tenon_dim tenon_symbols_leaf(tenon_symbols *s, const char *name, int64_t min,
                             int64_t max) {
  tenon_symbol e = leaf_of(name, min, max);
  uint64_t key = hash_symbol(&e);
  uint32_t id = symbol_find(s, &e, &key);
  if (id != 0 && s->data[id].is_fresh) {
    if (!rename_fresh(s, id)) return TENON_DIM_NONE;
    key = hash_symbol(&e);
    id = symbol_find(s, &e, &key);
  }
  if (id != 0) return tenon_symbols_narrow(s, id, min, max);
  e.name = tenon_arena_string(s->arena, name);
  return tenon_symbols_folded(s,
                              symbolic(e.name ? symbol_append(s, &e, key) : 0));
}

tenon_dim tenon_symbols_narrow(tenon_symbols *s, uint32_t leaf, int64_t min,
                               int64_t max) {
  tenon_symbol *e = &s->data[leaf];
  if (min > e->min) e->min = min;
  if (max < e->max) e->max = max;
  tenon_dim d = {e->kind, leaf};
  return tenon_symbols_folded(s, d);
}

tenon_dim tenon_symbols_number(tenon_symbols *s, const char *name,
                               uint32_t kind) {
  uint32_t count = s->count;
  tenon_dim d = tenon_symbols_leaf(s, name, INT64_MIN, INT64_MAX);
  if (s->count == count || d.symbol == 0) return TENON_DIM_NONE;
  s->data[d.symbol].kind = kind;
  d.value = kind;
  return d;
}

void tenon_symbols_bound(tenon_symbols *s, tenon_dim leaf, tenon_dim most) {
  if (leaf.symbol != 0) s->data[leaf.symbol].most = most;
}

void tenon_symbols_store(tenon_symbols *s, tenon_dim leaf, int64_t size) {
  if (leaf.symbol != 0) s->data[leaf.symbol].stored = size;
}

void tenon_symbols_settle(tenon_symbols *s, tenon_dim expression,
                          int64_t value) {
  tenon_symbol *e = expression.symbol ? &s->data[expression.symbol] : NULL;
  if (!e || e->op == 0 || e->kind != 0) return;
  if (e->min <= value && value <= e->max) e->min = e->max = value;
}

// ---------------------------------------------------------------------------
// Expressions
// ---------------------------------------------------------------------------

static tenon_range symbol_range_of(const tenon_symbols *s, tenon_dim d) {
  const tenon_symbol *e = tenon_symbols_look(s, d.symbol);
  tenon_range r = {d.value, d.value};
  if (e) {
    r.min = e->min;
    r.max = e->max;
  }
  return r;
}

tenon_dim tenon_symbols_node(tenon_symbols *s, tenon_dim_op op, tenon_dim a,
                             tenon_dim b) {
  tenon_range r =
      tenon_range_apply(op, symbol_range_of(s, a), symbol_range_of(s, b));
  tenon_symbol e = {
      .op = (uint32_t)op, .a = a, .b = b, .min = r.min, .max = r.max};
  uint64_t key = hash_symbol(&e);
  uint32_t id = symbol_find(s, &e, &key);
  return symbolic(id != 0 ? id : symbol_append(s, &e, key));
}
