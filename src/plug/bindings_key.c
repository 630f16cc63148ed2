// How: the aliases that an arg_meta uses are counted through like the digits of
// a number, the last fastest: each count is a key. What ExecuTorch's own
// generator does with an alias of several types is the same product.
#include <string.h>

#include "base/label.h"
#include "core/dtype.h"
#include "plug/bindings.h"

enum { ALIASES_MOST = 32, KEYS_MOST = 4096 };

// ---------------------------------------------------------------------------
// Values of aliases
// ---------------------------------------------------------------------------

static const struct scalar_type {
  const char *name;
  tenon_dtype dtype;
} scalar_types[] = {
#define SCALAR(name, dtype, type) {#name, TENON_##dtype},
#include "plug/glue/scalar_types.def"
#undef SCALAR
};
enum { SCALAR_TYPES = sizeof scalar_types / sizeof *scalar_types };

static tenon_dtype key_find_dtype(const tenon_yaml *at) {
  for (size_t i = 0; i < SCALAR_TYPES; ++i)
    if (tenon_yaml_is(at, scalar_types[i].name)) return scalar_types[i].dtype;
  return 0;
}

static tenon_status key_read_dtype(const tenon_yaml *at, tenon_dtype *out) {
  char label[TENON_LABEL];
  const char *text = NULL;
  tenon_nearest near;
  TENON_TRY(tenon_yaml_text(at, &text));
  *out = key_find_dtype(at);
  if (*out) return TENON_OK;
  tenon_nearest_init(&near, text);
  for (size_t i = 0; i < SCALAR_TYPES; ++i)
    tenon_nearest_feed(&near, scalar_types[i].name);
  tenon_label_make(label, at->text);
  return tenon_yaml_fail_note(
      at, "binding-dtype",
      "Byte, Char, Short, Int, Long, UInt16, UInt32, UInt64, Half, BFloat16, "
      "Float, Double, ComplexFloat, ComplexDouble, Bool, Float8_e4m3fn, "
      "Float8_e5m2, Float8_e4m3fnuz, Float8_e5m2fnuz, Float8_e8m0fnu",
      "'%s' is no element type%s%s%s", label, TENON_DID_YOU_MEAN(near.best));
}

// What one alias stands for, by turns: element types or dimension orders.
typedef struct choice {
  const char *alias;  // null: written out where it is used
  const tenon_yaml *at;
  uint8_t values[64];
  const char *orders[64];
  size_t count, now;
  bool is_type;
} choice;

typedef struct expanding {
  const tenon_bindings *b;
  const tenon_bind_op *op;
  const tenon_yaml *entry;
  choice choices[ALIASES_MOST];
  size_t count;
  int16_t type_of[64], order_of[64];  // slot to choice; -1: any
} expanding;

// A dimension order as its digits, "0231".
static tenon_status read_order(expanding *x, const tenon_yaml *at,
                               const char **out) {
  char digits[TENON_MAX_RANK + 1] = "";
  uint32_t seen = 0;
  int64_t i = 0, d = 0;
  TENON_TRY(tenon_yaml_list(at));
  if (at->count == 0 || at->count > TENON_MAX_RANK)
    return tenon_yaml_fail(at, "binding-order",
                           "a dimension order of %u dimensions; there are 1 to "
                           "%d",
                           (unsigned)at->count, TENON_MAX_RANK);
  for (const tenon_yaml *e = at->first; e; e = e->next, ++i) {
    TENON_TRY(tenon_yaml_int(e, 0, (int64_t)at->count - 1, &d));
    if (seen >> d & 1)
      return tenon_yaml_fail(e, "binding-order",
                             "dimension %d stands twice in the order", (int)d);
    seen |= 1u << d;
    digits[i] = (char)('0' + d);
  }
  *out = tenon_arena_string(x->b->arena, digits);
  return *out ? TENON_OK : tenon_bindings_memory(x->b);
}

static bool key_is_plain(const char *order) {
  for (int i = 0; order[i]; ++i)
    if (order[i] != '0' + i) return false;
  return true;
}

static tenon_status key_fill_types(const tenon_yaml *at, choice *c) {
  if (at->kind != TENON_YAML_LIST) {
    c->count = 1;
    return key_read_dtype(at, &c->values[0]);
  }
  if (at->count == 0 || at->count > sizeof c->values)
    return tenon_yaml_fail(at, "binding-alias", "an alias of %u types",
                           (unsigned)at->count);
  for (const tenon_yaml *e = at->first; e; e = e->next) {
    TENON_TRY(key_read_dtype(e, &c->values[c->count]));
    for (size_t i = 0; i < c->count; ++i)
      if (c->values[i] == c->values[c->count])
        return tenon_yaml_fail(e, "binding-alias", "'%s' stands twice",
                               e->text.data);
    ++c->count;
  }
  return TENON_OK;
}

// Flat, [0, 1, 2], or nested, [[0, 1, 2], [0, 2, 1]].
static tenon_status fill_orders(expanding *x, const tenon_yaml *at, choice *c) {
  bool is_nested = at->first && at->first->kind == TENON_YAML_LIST;
  TENON_TRY(tenon_yaml_list(at));
  for (const tenon_yaml *e = is_nested ? at->first : at; e; e = e->next) {
    if (c->count == sizeof c->orders / sizeof *c->orders)
      return tenon_yaml_fail(at, "binding-alias", "an alias of %u orders",
                             (unsigned)at->count);
    TENON_TRY(read_order(x, e, &c->orders[c->count]));
    ++c->count;
    if (!is_nested) break;
  }
  return TENON_OK;
}

static tenon_status no_alias(const tenon_yaml *at, const tenon_yaml *aliases,
                             const char *kind) {
  tenon_nearest near;
  char label[TENON_LABEL];
  tenon_nearest_init(&near, at->text.data);
  if (aliases && aliases->kind == TENON_YAML_MAP)
    for (const tenon_yaml *e = aliases->first; e; e = e->next)
      tenon_nearest_feed(&near, e->key->text.data);
  tenon_label_make(label, at->text);
  return tenon_yaml_fail(at, "binding-alias", "'%s' has no '%s'%s%s%s", kind,
                         label, TENON_DID_YOU_MEAN(near.best));
}

// The choice that `at` in an arg_meta means: an alias, or a value itself.
static tenon_status find_choice(expanding *x, const tenon_yaml *at,
                                bool is_type, int16_t *out) {
  const char *kind = is_type ? "type_alias" : "dim_order_alias";
  const tenon_yaml *aliases = tenon_yaml_get(x->entry, kind), *value = NULL;
  bool is_word = at->kind == TENON_YAML_SCALAR && !tenon_yaml_is_null(at);
  if (aliases) TENON_TRY(tenon_yaml_map(aliases));
  if (is_word && aliases) value = tenon_yaml_get(aliases, at->text.data);
  const char *alias = value ? value->key->text.data : NULL;
  for (size_t i = 0; alias && i < x->count; ++i) {
    if (x->choices[i].is_type != is_type || x->choices[i].alias != alias)
      continue;
    *out = (int16_t)i;
    return TENON_OK;
  }
  if (!value && is_word && (!is_type || (aliases && !key_find_dtype(at))))
    return no_alias(at, aliases, kind);
  if (x->count == ALIASES_MOST)
    return tenon_yaml_fail(at, "binding-alias", "more than %d aliases",
                           ALIASES_MOST);
  choice *c = &x->choices[x->count];
  memset(c, 0, sizeof *c);
  c->alias = alias;
  c->at = value ? value : at;
  c->is_type = is_type;
  TENON_TRY(is_type ? key_fill_types(c->at, c) : fill_orders(x, c->at, c));
  *out = (int16_t)x->count++;
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// arg_meta
// ---------------------------------------------------------------------------

static const tenon_bind_param *key_find_tensor(const tenon_bind_op *op,
                                               const char *name) {
  for (uint16_t i = 0; i < op->n_params; ++i)
    if (op->params[i].role != TENON_BIND_ATTR &&
        strcmp(op->params[i].name, name) == 0)
      return &op->params[i];
  return NULL;
}

// The tensors of a list may differ in rank; where there is one, all lie
// outermost dimension first.
static tenon_status key_check_list(const expanding *x, const tenon_yaml *at,
                                   const tenon_bind_param *p) {
  const choice *c = &x->choices[x->order_of[p->slot]];
  const tenon_bind_param *list = NULL;
  for (uint16_t i = 0; i < x->op->n_params && !list; ++i)
    if (x->op->params[i].role != TENON_BIND_ATTR &&
        x->op->params[i].argument->is_list)
      list = &x->op->params[i];
  for (size_t i = 0; list && i < c->count; ++i)
    if (!key_is_plain(c->orders[i]))
      return tenon_yaml_fail(at, "binding-order",
                             "another dimension order for '%s' of an operator "
                             "with a list of tensors, '%s'",
                             p->name, list->name);
  return TENON_OK;
}

static tenon_status key_read_argument(expanding *x, const tenon_yaml *at) {
  char label[TENON_LABEL];
  tenon_nearest near;
  const tenon_bind_param *p = key_find_tensor(x->op, at->key->text.data);
  if (!p) {
    tenon_nearest_init(&near, at->key->text.data);
    for (uint16_t i = 0; i < x->op->n_params; ++i)
      if (x->op->params[i].role != TENON_BIND_ATTR)
        tenon_nearest_feed(&near, x->op->params[i].name);
    tenon_label_make(label, at->key->text);
    return tenon_yaml_fail(at->key, "binding-key",
                           "'%s' has no tensor '%s'%s%s%s", x->op->given->name,
                           label, TENON_DID_YOU_MEAN(near.best));
  }
  TENON_TRY(tenon_yaml_list(at));
  if (at->count != 2)
    return tenon_yaml_fail(at, "yaml-value",
                           "expected an element type and a dimension order, "
                           "found a list of %u",
                           (unsigned)at->count);
  TENON_TRY(find_choice(x, at->first, true, &x->type_of[p->slot]));
  TENON_TRY(find_choice(x, at->first->next, false, &x->order_of[p->slot]));
  return key_check_list(x, at, p);
}

// --- counting ----------------------------------------------------------------

static size_t count_keys(const expanding *x) {
  size_t n = 1;
  for (size_t i = 0; i < x->count; ++i) {
    n *= x->choices[i].count;
    if (n > KEYS_MOST) return n;
  }
  return n;
}

static bool key_step(expanding *x) {
  for (size_t i = x->count; i-- > 0;) {
    if (++x->choices[i].now < x->choices[i].count) return true;
    x->choices[i].now = 0;
  }
  return false;
}

static bool make_key(const expanding *x, tenon_bind_key *key) {
  size_t n = x->op->n_slots;
  tenon_dtype *dtypes = tenon_arena_array(x->b->arena, tenon_dtype, n + 1);
  int8_t *ranks = tenon_arena_array(x->b->arena, int8_t, n + 1);
  const char **orders = tenon_arena_array(x->b->arena, const char *, n + 1);
  if (!dtypes || !ranks || !orders) return false;
  for (size_t i = 0; i < n; ++i) {
    const choice *t = x->type_of[i] < 0 ? NULL : &x->choices[x->type_of[i]];
    const choice *r = x->order_of[i] < 0 ? NULL : &x->choices[x->order_of[i]];
    dtypes[i] = t ? t->values[t->now] : 0;
    ranks[i] = r ? (int8_t)strlen(r->orders[r->now]) : (int8_t)-1;
    if (r && !key_is_plain(r->orders[r->now])) orders[i] = r->orders[r->now];
    key->is_ordered |= orders[i] != NULL;
    key->n_fixed = (uint16_t)(key->n_fixed + (t != NULL));
  }
  key->dtypes = dtypes;
  key->ranks = ranks;
  key->orders = orders;
  return true;
}

tenon_status tenon_bindings_keys(const tenon_bindings *b,
                                 const tenon_yaml *entry, const tenon_yaml *at,
                                 const tenon_bind_op *op,
                                 tenon_bind_kernel *kernel) {
  const tenon_yaml *meta = tenon_yaml_get(at, "arg_meta");
  expanding x = {.b = b, .op = op, .entry = entry};
  tenon_status status = TENON_OK;
  bool is_general = !meta || tenon_yaml_is_null(meta);
  if (op->n_slots > sizeof x.type_of / sizeof *x.type_of)
    return tenon_yaml_fail(op->at, "binding-schema", "more than 64 tensors");
  memset(x.type_of, -1, sizeof x.type_of);
  memset(x.order_of, -1, sizeof x.order_of);
  if (!is_general) TENON_TRY(tenon_yaml_map(meta));
  for (const tenon_yaml *e = is_general ? NULL : meta->first; e; e = e->next) {
    tenon_status one = key_read_argument(&x, e);
    if (status == TENON_OK) status = one;
  }
  TENON_TRY(status);
  size_t n = count_keys(&x);
  if (n > KEYS_MOST)
    return tenon_yaml_fail(meta, "binding-alias",
                           "the aliases multiply to more than %d keys",
                           KEYS_MOST);
  kernel->keys = tenon_arena_array(b->arena, tenon_bind_key, n);
  if (!kernel->keys) return tenon_bindings_memory(b);
  for (; kernel->n_keys < n; (void)key_step(&x)) {
    tenon_bind_key *key = &kernel->keys[kernel->n_keys++];
    key->at = kernel->at;
    key->is_general = is_general;
    if (!make_key(&x, key)) return tenon_bindings_memory(b);
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// When all is read
// ---------------------------------------------------------------------------

// "f32" of a key whose types are all that, "f32_s64" otherwise, "any" of none;
// with ranks "f32_4d".
static void print_key(const tenon_bind_op *op, const tenon_bind_key *key,
                      tenon_buf *out) {
  bool is_same = true;
  int8_t rank = -1;
  for (uint16_t i = 0; i < op->n_slots; ++i) {
    is_same = is_same && key->dtypes[i] == key->dtypes[0];
    if (key->ranks[i] > rank) rank = key->ranks[i];
  }
  for (uint16_t i = 0; i < op->n_slots && (i == 0 || !is_same); ++i)
    tenon_buf_format(out, "_%s",
                     key->dtypes[i] ? tenon_dtype_name(key->dtypes[i]) : "any");
  if (op->n_slots == 0) tenon_buf_text(out, "_any");
  if (rank >= 0) tenon_buf_format(out, "_%dd", rank);
  for (uint16_t i = 0; i < op->n_slots; ++i) {
    if (!key->orders[i]) continue;
    tenon_buf_format(out, "_%s", key->orders[i]);
    break;
  }
}

int tenon_bind_score(const tenon_bind_kernel *k, const tenon_bind_key *key) {
  return 2 * key->n_fixed + (k->condition != NULL);
}

static bool key_is_same(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "") == 0;
}

bool tenon_bind_are_apart(const tenon_bind_kernel *k, const char *needs,
                          const char *condition) {
  return !key_is_same(k->condition, condition) || !key_is_same(k->needs, needs);
}

bool tenon_bind_same_order(const char *a, const char *b) {
  return !a == !b && (!a || strcmp(a, b) == 0);
}

static bool may_both_fit(const tenon_bind_op *op, const tenon_bind_key *a,
                         const tenon_bind_key *b) {
  for (uint16_t i = 0; i < op->n_slots; ++i) {
    bool types = !a->dtypes[i] || !b->dtypes[i] || a->dtypes[i] == b->dtypes[i];
    bool ranks =
        a->ranks[i] < 0 || b->ranks[i] < 0 || a->ranks[i] == b->ranks[i];
    if (!types || !ranks || !tenon_bind_same_order(a->orders[i], b->orders[i]))
      return false;
  }
  return true;
}

static tenon_status refuse_equal(const tenon_bindings *b,
                                 const tenon_bind_op *op,
                                 const tenon_bind_key *key,
                                 const tenon_bind_kernel *kernel,
                                 const tenon_bind_kernel *other) {
  char where[TENON_YAML_WHERE];
  tenon_place place = tenon_yaml_place(other->at, where);
  tenon_buf what;
  tenon_buf_init(&what, b->cx->allocator);
  print_key(op, key, &what);
  tenon_status status = tenon_yaml_fail_note(
      kernel->at, "binding-key",
      "of two keys that both fit, the one that says more tensors' types wins; "
      "these say as many, with the same `needs` and `when`",
      "'%s' of '%s' is bound for types that '%s' has too (%s), %s, %s",
      kernel->name, op->schema->name, other->name,
      what.failed ? "?" : what.data + 1, place.file, place.where);
  tenon_buf_deinit(&what);
  return status;
}

static tenon_status key_check_kernel(const tenon_bindings *b,
                                     const tenon_bind_op *op,
                                     const tenon_bind_kernel *kernel) {
  for (size_t i = 0; i < kernel->n_keys; ++i) {
    const tenon_bind_key *key = &kernel->keys[i];
    for (const tenon_bind_kernel *o = op->first; o != kernel; o = o->next)
      for (size_t k = 0; k < o->n_keys; ++k)
        if (o->keys[k].n_fixed == key->n_fixed &&
            !tenon_bind_are_apart(kernel, o->needs, o->condition) &&
            may_both_fit(op, key, &o->keys[k]))
          return refuse_equal(b, op, key, kernel, o);
  }
  return TENON_OK;
}

// Whether two bindings ask for a function of one type.
static bool has_same_type(const tenon_bindings *b, const tenon_bind_op *op,
                          const tenon_bind_kernel *k,
                          const tenon_bind_op *other_op,
                          const tenon_bind_kernel *other) {
  tenon_buf one, two;
  tenon_buf_init(&one, b->cx->allocator);
  tenon_buf_init(&two, b->cx->allocator);
  tenon_glue_prototype(op, k, NULL, &one);
  tenon_glue_prototype(other_op, other, NULL, &two);
  bool is_same = one.failed || two.failed || strcmp(one.data, two.data) == 0;
  tenon_buf_deinit(&one);
  tenon_buf_deinit(&two);
  return is_same;
}

// A function of C has one type, where C++ has overloads.
static tenon_status key_check_type(const tenon_bindings *b,
                                   const tenon_bind_op *op,
                                   const tenon_bind_kernel *kernel) {
  char where[TENON_YAML_WHERE];
  for (const tenon_bind_op *o = b->first; o; o = o->next)
    for (const tenon_bind_kernel *k = o->first; k; k = k->next) {
      if (k == kernel) return TENON_OK;
      if (strcmp(k->function, kernel->function) != 0 ||
          has_same_type(b, op, kernel, o, k))
        continue;
      tenon_place place = tenon_yaml_place(k->at, where);
      return tenon_yaml_fail_note(
          kernel->at, "binding-function",
          "a function of C has one type: give one of them another name",
          "'%s' for '%s' is the C function '%s', which takes the arguments of "
          "'%s' already, %s, %s",
          kernel->name, op->given->name, kernel->function, o->given->name,
          place.file, place.where);
    }
  return TENON_OK;
}

static bool key_is_taken(const tenon_bindings *b, const char *symbol,
                         const tenon_bind_key *end) {
  for (const tenon_bind_op *op = b->first; op; op = op->next)
    for (const tenon_bind_kernel *k = op->first; k; k = k->next)
      for (size_t i = 0; i < k->n_keys; ++i) {
        if (&k->keys[i] == end) return false;
        // What is refused is never named.
        const char *taken = k->keys[i].symbol;
        if (taken && strcmp(taken, symbol) == 0) return true;
      }
  return false;
}

static tenon_status name_key(const tenon_bindings *b, const tenon_bind_op *op,
                             const tenon_bind_kernel *k, tenon_bind_key *key) {
  tenon_buf name;
  tenon_buf_init(&name, b->cx->allocator);
  tenon_buf_text(&name, k->function);
  print_key(op, key, &name);
  size_t size = name.size;
  for (int n = 2; !name.failed && key_is_taken(b, name.data, key); ++n) {
    name.size = size;
    tenon_buf_format(&name, "_%d", n);
  }
  if (!name.failed)
    key->symbol = tenon_arena_text(b->arena, name.data, name.size);
  tenon_buf_deinit(&name);
  return key->symbol ? TENON_OK : tenon_bindings_memory(b);
}

tenon_status tenon_bindings_settle(const tenon_bindings *b) {
  tenon_status status = TENON_OK;
  for (const tenon_bind_op *op = b->first; op; op = op->next) {
    for (const tenon_bind_kernel *k = op->first; k; k = k->next) {
      tenon_status one = key_check_kernel(b, op, k);
      if (one == TENON_OK && !b->sources) one = key_check_type(b, op, k);
      for (size_t i = 0; one == TENON_OK && i < k->n_keys; ++i)
        one = name_key(b, op, k, &k->keys[i]);
      if (status == TENON_OK) status = one;
    }
  }
  return status;
}
