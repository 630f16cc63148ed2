// ir/infer.c - calling a shape rule, and believing it only after a look.
//
// A rule writes into an array beside the node. When it has returned, what it
// left is checked against its contract, then against what is declared, and only
// then do the results get their types; so a rule that fails changes nothing. A
// rule is a plugin's code: it may set nothing, too much or nonsense, and each
// of these is an error with the plugin's name.
#include "ir/infer.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "core/attr.h"
#include "ir/graph_link.h"
#include "ir/rewrite.h"
#include "ir/written.h"

// Lowerings that run to find types may need others; this many deep.
#define MAX_PROBES 16
// Sizes that one node may leave to its data.
#define MAX_DECIDED 64
// Conditions that one rule leaves to a run.
#define MAX_REQUIRED 64
// Functions that call each other, when new shapes go through them.
#define MAX_CALLS 128

typedef struct run {
  tenon_infer base;
  tenon_module *m;
  tenon_node *n;
  const tenon_type *const *declared;
  tenon_type *out;  // n_out; dtype 0: not set yet
  uint32_t decided[MAX_DECIDED];
  uint32_t n_decided;
  tenon_guard required[MAX_REQUIRED];
  uint32_t n_required;
  int n_later;       // results that the node gets when it becomes functional
  bool is_kept;      // something in the arena is in use now
  bool is_lowered;   // types come from a lowering, where there is no rule
  const char *said;  // who declares
  tenon_status failure;  // what was reported first
  tenon_title title;
} run;

static const tenon_place *place_of(const run *r) {
  return tenon_node_place(r->n);
}

// The rule has broken its contract. The first report counts.
static tenon_status violate(run *r, const char *what, int64_t value) {
  if (r->failure == TENON_OK)
    r->failure = tenon_fail(&r->m->report, TENON_BAD_PLUGIN, "infer-contract",
                            place_of(r), "%s: its shape rule %s (%lld)",
                            r->title.text, what, (long long)value);
  return r->failure;
}

// ---------------------------------------------------------------------------
// What a rule may ask
// ---------------------------------------------------------------------------

static const tenon_value *operand(const run *r, int i) {
  if (i < 0 || i >= r->n->n_in) return NULL;
  return tenon_node_in(r->n, (uint32_t)i);
}

static const tenon_type *infer_in(const tenon_infer *c, int i) {
  const tenon_value *v = operand((const run *)c, i);
  return v ? &v->type : NULL;
}

static int infer_group(const tenon_infer *c, int arg, int *first) {
  return tenon_node_group(((const run *)c)->n, arg, first);
}

static const tenon_tensor *infer_constant(const tenon_infer *c, int i) {
  const tenon_value *v = operand((const run *)c, i);
  return v && !tenon_tensor_is_apart(v->constant) ? v->constant : NULL;
}

static const tenon_type *infer_declared(const tenon_infer *c, int i) {
  const run *r = (const run *)c;
  if (!r->declared || i < 0 || i >= r->n->n_out) return NULL;
  return r->declared[i];
}

static const void *infer_attrs(const tenon_infer *c) {
  return ((const run *)c)->n->attrs;
}

static tenon_dim infer_size(const tenon_infer *c, const char *attr, int i) {
  return tenon_node_size(((const run *)c)->n, attr, i);
}

static const void *infer_user(const tenon_infer *c) {
  const tenon_op *op = ((const run *)c)->n->op;
  return op->desc ? op->desc->user : NULL;
}

// ---------------------------------------------------------------------------
// What a rule may do
// ---------------------------------------------------------------------------

static tenon_dim infer_dim(tenon_infer *c, tenon_dim_op op, tenon_dim a,
                           tenon_dim b) {
  run *r = (run *)c;
  tenon_dim none = {TENON_UNKNOWN, 0};
  if ((op == TENON_DIM_DIV || op == TENON_DIM_MOD) && tenon_dim_is_fixed(b) &&
      b.value == 0) {
    (void)violate(r, "divides a size by zero", 0);
    return none;
  }
  return tenon_symbols_apply(&r->m->symbols, op, a, b);
}

// A leaf with a name that no other has.
static tenon_dim fresh_leaf(tenon_module *m, int64_t max) {
  char name[32];
  for (uint32_t i = m->symbols.count;; ++i) {
    uint32_t count = m->symbols.count;
    snprintf(name, sizeof name, "u%u", (unsigned)i);
    // The widest range narrows nothing if the name turns out to be taken.
    tenon_dim d = tenon_symbols_leaf(&m->symbols, name, INT64_MIN, INT64_MAX);
    if (m->arena.failed) return d;
    if (m->symbols.count == count) continue;
    (void)tenon_symbols_leaf(&m->symbols, name, 0, max);
    return d;
  }
}

static tenon_dim fresh_number(tenon_module *m, uint32_t kind) {
  tenon_dim d = fresh_leaf(m, INT64_MAX);
  if (m->arena.failed) return d;
  m->symbols.data[d.symbol].min = INT64_MIN;
  m->symbols.data[d.symbol].kind = kind;
  d.value = kind;
  return d;
}

static tenon_dim infer_decided(tenon_infer *c, tenon_dim most) {
  run *r = (run *)c;
  tenon_dim none = {TENON_UNKNOWN, 0};
  int64_t max = most.value;
  const tenon_symbol *bound = tenon_symbols_look(&r->m->symbols, most.symbol);
  if (bound) max = bound->max;
  if (!bound && max == TENON_UNKNOWN) max = INT64_MAX;
  if (max < 0) {
    (void)violate(r, "bounds a size below zero", max);
    return none;
  }
  if (r->n_decided == MAX_DECIDED) {
    (void)violate(r, "leaves too many sizes to the data", MAX_DECIDED + 1);
    return none;
  }
  tenon_dim d = {0, 0};
  if (r->n_decided < r->n->n_decided) {
    d.symbol = r->n->decided[r->n_decided];  // as when it ran before
  } else {
    // Not 0: a symbol that can only be one number would fold to it.
    d = fresh_leaf(r->m, max > 0 ? max : 1);
  }
  if (!r->m->arena.failed) tenon_symbols_bound(&r->m->symbols, d, most);
  r->decided[r->n_decided++] = d.symbol;
  return d;
}

static tenon_status infer_results(tenon_infer *c, int result, int count) {
  run *r = (run *)c;
  const tenon_node *n = r->n;
  if (result < 0 || result >= n->n_out_groups)
    return violate(r, "counts a result that it does not have", result);
  int has = n->out_group ? n->out_group[result + 1] - n->out_group[result] : 1;
  if (has == count) return TENON_OK;
  if (r->failure == TENON_OK)
    r->failure = tenon_fail(
        &r->m->report, TENON_BAD_MODEL, "infer-mismatch", place_of(r),
        "%s: result %d has %d tensors by its shape rule, %d %s", r->title.text,
        result, count, has, r->said);
  return r->failure;
}

static bool is_size(const tenon_module *m, tenon_dim d) {
  if (d.symbol != 0) return d.symbol < m->symbols.count;
  return d.value >= 0;
}

static tenon_status infer_out(tenon_infer *c, int i, const tenon_type *t) {
  run *r = (run *)c;
  if (r->failure != TENON_OK) return r->failure;
  if (i >= r->n->n_out && i < r->n->n_out + r->n_later) return TENON_OK;
  if (i < 0 || i >= r->n->n_out)
    return violate(r, "sets a result that it does not have", i);
  if (!t || !tenon_dtype_look(t->dtype))
    return violate(r, "gives a result no element type", i);
  if (t->rank > TENON_MAX_RANK)
    return violate(r, "gives a result too many dimensions", t->rank);
  for (int k = 0; k < t->rank; ++k) {
    if (!is_size(r->m, t->dims[k]))
      return violate(r, "gives a dimension that is not a size",
                     t->dims[k].value);
  }
  r->out[i] = tenon_type_copy(&r->m->arena, t);
  r->out[i].flags = 0;
  if (r->m->arena.failed)
    r->failure = tenon_fail_memory(&r->m->report, "inferring types");
  return r->failure;
}

static tenon_status infer_fail(tenon_infer *c, const char *fmt, ...) {
  run *r = (run *)c;
  char text[TENON_MESSAGE_SIZE];
  va_list args;
  if (r->failure != TENON_OK) return r->failure;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  r->failure = tenon_fail(&r->m->report, TENON_BAD_MODEL, "infer-rule",
                          place_of(r), "%s: %s", r->title.text, text);
  return r->failure;
}

static tenon_dim infer_number(tenon_infer *c, uint32_t kind) {
  run *r = (run *)c;
  tenon_dim d = {TENON_UNKNOWN, 0};
  bool is_integer = kind == TENON_KIND_INT;
  if (!is_integer && kind != TENON_KIND_FLOAT && kind != TENON_KIND_BOOL) {
    (void)violate(r, "leaves a number of no kind to the data", kind);
    return d;
  }
  if (r->n_decided == MAX_DECIDED) {
    (void)violate(r, "leaves too many sizes to the data", MAX_DECIDED + 1);
    return d;
  }
  if (r->n_decided < r->n->n_decided) {
    d.symbol = r->n->decided[r->n_decided];  // as when it ran before
    d.value = r->m->symbols.data[d.symbol].kind;
  } else {
    d = fresh_number(r->m, is_integer ? 0 : kind);
  }
  r->decided[r->n_decided++] = d.symbol;
  return d;
}

// What can be said of a - b: 1 it holds, 0 it cannot, -1 it depends.
static int decide(const tenon_module *m, uint32_t relation, tenon_dim diff) {
  const tenon_symbol *s = tenon_symbols_look(&m->symbols, diff.symbol);
  if (!s) return tenon_relation_holds(relation, diff.value, 0);
  switch (relation) {
    case TENON_RELATION_EQ:
      return s->min > 0 || s->max < 0 ? 0 : -1;
    case TENON_RELATION_NE:
      return s->min > 0 || s->max < 0 ? 1 : -1;
    case TENON_RELATION_LT:
      return s->max < 0 ? 1 : s->min >= 0 ? 0 : -1;
    default:
      return s->max <= 0 ? 1 : s->min > 0 ? 0 : -1;
  }
}

static bool infer_require(tenon_infer *c, tenon_relation relation, tenon_dim a,
                          tenon_dim b) {
  run *r = (run *)c;
  tenon_dim diff = tenon_symbols_apply(&r->m->symbols, TENON_DIM_SUB, a, b);
  if (diff.symbol == 0 && diff.value == TENON_UNKNOWN) return false;
  int known = decide(r->m, relation, diff);
  if (known >= 0) return known;
  if (r->n_required == MAX_REQUIRED) {
    (void)violate(r, "leaves too many conditions to a run", MAX_REQUIRED + 1);
    return false;
  }
  r->required[r->n_required++] =
      (tenon_guard){relation, a, b, r->n->op->name, true};
  return true;
}

static const tenon_infer_api infer_api = {sizeof(tenon_infer_api),
                                          infer_in,
                                          infer_group,
                                          infer_constant,
                                          infer_declared,
                                          infer_attrs,
                                          infer_size,
                                          infer_user,
                                          infer_dim,
                                          infer_decided,
                                          infer_results,
                                          infer_out,
                                          infer_fail,
                                          infer_number,
                                          infer_require};

// ---------------------------------------------------------------------------
// What is made of its answer
// ---------------------------------------------------------------------------

static tenon_status mismatch(run *r, uint32_t i, const tenon_type *declared) {
  const char *who = r->n->op->owner ? r->n->op->owner->name : "the graph";
  tenon_buf a, b;
  tenon_buf_init(&a, r->m->arena.allocator);
  tenon_buf_init(&b, r->m->arena.allocator);
  tenon_type_print(declared, &r->m->symbols, &a);
  tenon_type_print(&r->out[i], &r->m->symbols, &b);
  tenon_status status = tenon_fail(
      &r->m->report, TENON_BAD_MODEL, "infer-mismatch", place_of(r),
      "'%s': result %u is %s %s, %s by the %s of '%s'; "
      "correct the one that is wrong",
      r->n->op->name, (unsigned)i, a.data ? a.data : "?", r->said,
      b.data ? b.data : "?", r->is_lowered ? "lowering" : "shape rule", who);
  tenon_buf_deinit(&a);
  tenon_buf_deinit(&b);
  return status;
}

// Whether a declared size may stand beside what the rule gives.
static bool agrees(const tenon_module *m, tenon_dim rule, tenon_dim declared,
                   bool is_reshaped) {
  const tenon_symbol *s = tenon_symbols_look(&m->symbols, rule.symbol);
  if (is_reshaped || !tenon_dim_is_fixed(declared)) return true;
  if (!s) return rule.value == declared.value;
  return declared.value >= s->min && declared.value <= s->max;
}

static tenon_status settle(run *r, uint32_t i, bool is_reshaped) {
  const tenon_type *declared = r->declared ? r->declared[i] : NULL;
  tenon_type *t = &r->out[i];
  if (!declared || declared->dtype == 0) return TENON_OK;
  // A rule that says nothing of quantisation leaves it to the declaration.
  if (!t->quant && t->dtype == declared->dtype) t->quant = declared->quant;
  t->flags = declared->flags;
  if (t->dtype != declared->dtype || t->rank != declared->rank ||
      !tenon_quant_equals(t->quant, declared->quant))
    return mismatch(r, i, declared);
  for (int k = 0; k < t->rank; ++k) {
    if (!agrees(r->m, t->dims[k], declared->dims[k], is_reshaped))
      return mismatch(r, i, declared);
  }
  return TENON_OK;
}

// The results get the types in `out`. What they have already is not copied
// again, so that asking the rules after every pass costs no memory.
static tenon_status set_types(run *r) {
  for (uint32_t i = 0; i < r->n->n_out; ++i) {
    tenon_value *v = r->n->out[i];
    if (v->type.dtype != 0 && tenon_type_equals(&v->type, &r->out[i])) continue;
    v->type = tenon_type_copy(&r->m->arena, &r->out[i]);
    r->is_kept = true;
  }
  if (!r->m->arena.failed) return TENON_OK;
  return tenon_fail_memory(&r->m->report, "inferring types");
}

static bool same_guard(const tenon_guard *a, const tenon_guard *b) {
  return a->relation == b->relation && tenon_dim_equals(a->a, b->a) &&
         tenon_dim_equals(a->b, b->b);
}

// Rules run again after every change; what they require is kept once.
static tenon_status take_required(run *r) {
  tenon_module *m = r->m;
  for (uint32_t i = 0; i < r->n_required; ++i) {
    bool is_new = true;
    for (size_t k = 0; is_new && k < m->guards.count; ++k)
      is_new = !same_guard(&m->guards.data[k], &r->required[i]);
    if (!is_new) continue;
    r->required[i].text = tenon_arena_string(&m->arena, r->required[i].text);
    r->is_kept = true;
    if (!r->required[i].text || !tenon_vec_push(&m->guards, r->required[i]))
      return tenon_fail_memory(&m->report, "inferring types");
  }
  return TENON_OK;
}

static tenon_status take(run *r, bool is_reshaped) {
  TENON_TRY(take_required(r));
  for (uint32_t i = 0; i < r->n->n_out; ++i)
    TENON_TRY(settle(r, i, is_reshaped));
  if (r->n_decided > r->n->n_decided) {
    r->n->decided =
        tenon_arena_copy(&r->m->arena, r->decided,
                         r->n_decided * sizeof *r->decided, _Alignof(uint32_t));
    r->is_kept = true;
  }
  r->n->n_decided = r->n_decided;
  return set_types(r);
}

// What is written keeps its type, so a rule need not say it.
static void take_written(run *r) {
  uint32_t operand = 0, result = 0;
  for (uint32_t k = 0; tenon_written_pair(r->n, k, &operand, &result); ++k) {
    const tenon_value *v = tenon_node_in(r->n, operand);
    if (r->out[result].dtype == 0)
      r->out[result] = v ? v->type : *tenon_written_nothing();
  }
}

static tenon_status call_rule(run *r) {
  tenon_status status = r->n->op->desc->infer(&r->base);
  if (r->failure != TENON_OK) return r->failure;
  if (r->m->arena.failed)
    return tenon_fail_memory(&r->m->report, "inferring types");
  if (status != TENON_OK)
    return violate(r, "failed without saying why", status);
  take_written(r);
  for (uint32_t i = 0; i < r->n->n_out; ++i) {
    if (r->out[i].dtype == 0)
      return violate(r, "succeeded without setting a result", i);
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Without a rule
// ---------------------------------------------------------------------------

static bool is_declared(const run *r, bool *is_open) {
  bool all = true;
  *is_open = false;
  for (uint32_t i = 0; i < r->n->n_out; ++i) {
    const tenon_type *t = r->declared ? r->declared[i] : NULL;
    if (!t || t->dtype == 0) {
      all = false;
    } else {
      *is_open |= !tenon_type_is_static(t);
    }
  }
  return all;
}

static tenon_status take_declared(run *r) {
  for (uint32_t i = 0; i < r->n->n_out; ++i)
    r->out[i] = *r->declared[i];
  return set_types(r);
}

static tenon_status untyped(run *r, const char *why) {
  const char *nearest =
      r->n->op->desc ? NULL
                     : tenon_registry_nearest_op(r->m->cx, r->n->op->name);
  if (nearest)
    return tenon_fail(&r->m->report, TENON_UNSUPPORTED, "infer-none",
                      place_of(r), "%s %s; did you mean '%s'?", r->title.text,
                      why, nearest);
  return tenon_fail(&r->m->report, TENON_UNSUPPORTED, "infer-none", place_of(r),
                    "%s %s, and its result types are not declared",
                    r->title.text, why);
}

// A size keeps the symbol it got when the lowering ran before.
static void keep_symbols(run *r) {
  const tenon_node *n = r->n;
  for (uint32_t j = 0; j < r->n_decided && j < n->n_decided; ++j) {
    for (uint32_t i = 0; i < n->n_out; ++i) {
      tenon_dim *dims = (tenon_dim *)(uintptr_t)r->out[i].dims;
      for (int k = 0; k < r->out[i].rank; ++k) {
        if (dims[k].symbol == r->decided[j]) dims[k].symbol = n->decided[j];
      }
    }
    r->decided[j] = n->decided[j];
  }
}

// The lowering that an operator's plugin gives it beside its descriptor.
static const tenon_lowering_desc *given_beside(const tenon_op *op) {
  for (uint32_t i = 0; i < op->n_lowerings; ++i) {
    const tenon_lowering *l = op->lowerings[i];
    if (l->owner == op->owner && !l->desc->pass) return l->desc;
  }
  return NULL;
}

static tenon_status lower_beside(run *r, tenon_lower_fn *lower,
                                 const void *user, bool is_reshaped,
                                 bool all_declared) {
  const tenon_op *op = r->n->op;
  char held[TENON_REFUSAL_SIZE];
  tenon_probe probe = {r->declared,
                       r->out,
                       r->decided,
                       0,
                       MAX_DECIDED,
                       false,
                       all_declared ? held : NULL};
  if (r->m->nesting >= MAX_PROBES)
    return untyped(r, "has a lowering that leads back to itself");
  r->is_kept = true;
  ++r->m->nesting;
  tenon_status status =
      tenon_rewrite_probe(r->n, lower, user, op->owner, &probe);
  --r->m->nesting;
  TENON_TRY(status);
  if (!probe.found && all_declared) return take_declared(r);
  if (!probe.found)
    return untyped(r, "has no shape rule and its lowering declined");
  // The lowering's own values are gone; their types become ours.
  for (uint32_t i = 0; i < r->n->n_out; ++i)
    r->out[i] = tenon_type_copy(&r->m->arena, &r->out[i]);
  if (r->m->arena.failed)
    return tenon_fail_memory(&r->m->report, "inferring types");
  r->n_decided = probe.n_decided;
  r->is_lowered = true;
  keep_symbols(r);
  return take(r, is_reshaped);
}

static tenon_status infer_without_rule(run *r, bool is_reshaped) {
  const tenon_op_desc *desc = r->n->op->desc;
  const tenon_lowering_desc *beside =
      desc && !desc->lower ? given_beside(r->n->op) : NULL;
  bool is_open = false;
  bool all = is_declared(r, &is_open), asks = !all;
  asks |= is_open || is_reshaped;
  if (desc && desc->lower && asks)
    return lower_beside(r, desc->lower, desc->user, is_reshaped, all);
  if (beside && asks)
    return lower_beside(r, beside->lower, beside->user, is_reshaped, all);
  if (all) return take_declared(r);
  return untyped(r, desc ? "has no shape rule" : "is not known");
}

static tenon_status infer_control(run *r, const tenon_type *const *types,
                                  bool is_reshaped) {
  for (uint32_t i = 0; i < r->n->n_out; ++i) {
    if (!types[i] && (!r->declared || !r->declared[i]))
      return untyped(r, "has a body without types");
    r->out[i] = types[i] ? *types[i] : *r->declared[i];
  }
  return take(r, is_reshaped);
}

static tenon_status infer(run *r, bool is_reshaped) {
  tenon_node *n = r->n;
  r->out = tenon_arena_array(&r->m->arena, tenon_type, n->n_out);
  const tenon_type **control =
      tenon_arena_array(&r->m->arena, const tenon_type *, n->n_out);
  if (!r->out || !control)
    return tenon_fail_memory(&r->m->report, "inferring types");
  if (tenon_control_types(n, control))
    return infer_control(r, control, is_reshaped);
  if (!n->op->desc || !n->op->desc->infer)
    return infer_without_rule(r, is_reshaped);
  TENON_TRY(call_rule(r));
  return take(r, is_reshaped);
}

static tenon_status infer_one(tenon_node *n, const tenon_type *const *declared,
                              bool is_reshaped, const char *said) {
  run r;
  tenon_module *m = n->graph->module;
  memset(&r, 0, sizeof r);
  r.base.api = &infer_api;
  r.m = m;
  r.n = n;
  r.declared = declared;
  r.said = said;
  if (!n->is_functional) r.n_later = (int)tenon_written_count(n);
  (void)tenon_op_title(n->op, &r.title);
  tenon_arena_mark mark = tenon_arena_save(&m->arena);
  uint32_t n_symbols = m->symbols.count;
  tenon_status status = infer(&r, is_reshaped);
  if (!r.is_kept && m->symbols.count == n_symbols)
    tenon_arena_restore(&m->arena, mark);
  return status;
}

tenon_status tenon_infer_node(tenon_node *n, const tenon_type *const *declared,
                              bool is_reshaped) {
  return infer_one(n, declared, is_reshaped, "as declared");
}

// ---------------------------------------------------------------------------
// A whole module
// ---------------------------------------------------------------------------

typedef struct walk {
  tenon_module *m;
  bool is_reshaped;
  uint8_t *seen;  // per function: 0, 1 under way, 2 done
  uint32_t calls;
  TENON_VEC(const tenon_type *) declared;  // of one node
} walk;

static tenon_status infer_graph(walk *w, tenon_graph *g);

static tenon_status infer_function(walk *w, tenon_graph *g) {
  if (w->seen[g->index] != 0) return TENON_OK;
  if (++w->calls > MAX_CALLS)
    return tenon_fail(&w->m->report, TENON_BAD_MODEL, "ir-limit",
                      tenon_locs_place(&w->m->locs, g->loc),
                      "more than %d functions call each other", MAX_CALLS);
  w->seen[g->index] = 1;
  TENON_TRY(infer_graph(w, g));
  w->seen[g->index] = 2;
  --w->calls;
  return TENON_OK;
}

// Parameters of a body get the shapes of what is passed, `skip` operands on.
static void pass_types(tenon_graph *g, const tenon_node *n, uint32_t skip) {
  for (uint32_t i = 0; i < g->n_params && i + skip < n->n_in; ++i) {
    const tenon_value *v = tenon_node_in(n, i + skip);
    tenon_type *t = &g->params[i]->type;
    if (v && v->type.dtype == t->dtype && v->type.rank == t->rank)
      t->dims = v->type.dims;
  }
}

static tenon_status infer_bodies(walk *w, tenon_node *n) {
  bool is_call = tenon_op_is(n->op, "core::call");
  uint32_t skip = tenon_op_is(n->op, "core::cond") ? 1 : 0;
  bool is_known = skip || tenon_op_is(n->op, "core::while") ||
                  tenon_op_is(n->op, "core::composite");
  for (uint32_t i = 0; i < n->n_regions; ++i) {
    if (w->is_reshaped && is_known) pass_types(n->regions[i], n, skip);
    TENON_TRY(infer_graph(w, n->regions[i]));
  }
  if (!is_call) return TENON_OK;
  tenon_dim f = tenon_node_size(n, "function", 0);
  if (f.symbol != 0 || f.value < 0 ||
      (uint64_t)f.value >= w->m->functions.count)
    return TENON_OK;  // what verification says
  tenon_graph *callee = w->m->functions.data[f.value];
  if (w->is_reshaped && w->seen[callee->index] == 0) pass_types(callee, n, 0);
  return infer_function(w, callee);
}

static tenon_status infer_present(walk *w, tenon_node *n) {
  w->declared.count = 0;
  if (!tenon_vec_reserve(&w->declared, n->n_out))
    return tenon_fail_memory(&w->m->report, "inferring types");
  for (uint32_t i = 0; i < n->n_out; ++i)
    w->declared.data[i] = n->out[i]->type.dtype ? &n->out[i]->type : NULL;
  return infer_one(n, n->n_out > 0 ? w->declared.data : NULL, w->is_reshaped,
                   "in the model");
}

static tenon_status infer_graph(walk *w, tenon_graph *g) {
  for (tenon_node *n = g->first; n; n = n->next) {
    TENON_TRY(infer_bodies(w, n));
    TENON_TRY(infer_present(w, n));
  }
  return TENON_OK;
}

static tenon_status infer_functions(walk *w) {
  tenon_module *m = w->m;
  // Entries first: a function that they call takes its shapes from there.
  for (size_t i = 0; i < m->entries.count; ++i)
    TENON_TRY(infer_function(w, m->entries.data[i].graph));
  for (size_t i = 0; i < m->functions.count; ++i)
    TENON_TRY(infer_function(w, m->functions.data[i]));
  return TENON_OK;
}

tenon_status tenon_infer_module(tenon_module *m, bool is_reshaped) {
  walk w;
  memset(&w, 0, sizeof w);
  w.m = m;
  w.is_reshaped = is_reshaped;
  tenon_vec_init(&w.declared, m->arena.allocator);
  w.seen = tenon_arena_array(&m->arena, uint8_t, m->functions.count);
  tenon_status status = w.seen
                            ? infer_functions(&w)
                            : tenon_fail_memory(&m->report, "inferring types");
  tenon_vec_deinit(&w.declared);
  return status;
}
