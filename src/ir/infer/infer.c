// ir/infer/infer.c - calling a shape rule, and believing it only after a look.
//
// A rule writes into an array beside the node (infer_rule.c has what it may
// call). When it has returned, what it left is checked against its contract,
// then against what is declared, and only then do the results get their types;
// so a rule that fails changes nothing. A rule is a plugin's code: it may set
// nothing, too much or nonsense, and each of these is an error with the
// plugin's name.
#include "ir/build.h"
#include "ir/infer/inferring.h"

#include <string.h>

#include "base/buf.h"
#include "core/attr.h"
#include "ir/rewrite/rewrite.h"
#include "ir/written.h"

// Flags of declared types, which no value keeps.
#define OF_DECLARED (TENON_TYPE_UNRANKED | TENON_TYPE_UNSURE)
// Lowerings that run to find types may need others; this many deep.
#define MAX_PROBES 16

typedef tenon_inferring run;

static void print_result(const run *r, uint32_t i, const tenon_type *t,
                         tenon_buf *out) {
  if (tenon_result_may_be_none(r->n, i) &&
      tenon_type_equals(t, tenon_written_nothing()))
    tenon_buf_text(out, "none");
  else
    tenon_type_print(t, &r->m->symbols, out);
}

static tenon_status inference_mismatch(run *r, uint32_t i,
                                       const tenon_type *declared) {
  const char *who = r->n->op->owner ? r->n->op->owner->name : "the graph";
  tenon_buf a, b;
  tenon_buf_init(&a, r->m->arena.allocator);
  tenon_buf_init(&b, r->m->arena.allocator);
  print_result(r, i, declared, &a);
  print_result(r, i, &r->out[i], &b);
  tenon_status status = tenon_fail(
      &r->m->report, TENON_BAD_MODEL, "infer-mismatch", tenon_node_place(r->n),
      "'%s': result %u is %s %s, %s by the %s of '%s'; "
      "correct the one that is wrong",
      r->n->op->name, (unsigned)i, a.data ? a.data : "?", r->said,
      b.data ? b.data : "?", r->is_lowered ? "lowering" : "shape rule", who);
  tenon_buf_deinit(&a);
  tenon_buf_deinit(&b);
  return status;
}

// Whether a declared size may stand beside what the rule gives.
static bool inference_agrees(const tenon_module *m, tenon_dim rule,
                             tenon_dim declared, bool is_reshaped) {
  const tenon_symbol *s = tenon_symbols_look(&m->symbols, rule.symbol);
  if (is_reshaped || !tenon_dim_is_fixed(declared)) return true;
  if (!s) return rule.value == declared.value;
  return declared.value >= s->min && declared.value <= s->max;
}

// A size that data decide, where the file has a number: the run that knows it
// compares the two.
static tenon_status inference_require(run *r, tenon_dim rule,
                                      tenon_dim declared) {
  bool is_decided = false;
  for (uint32_t i = 0; i < r->n_decided; ++i)
    is_decided |= r->decided[i] == rule.symbol;
  if (!is_decided || !tenon_dim_is_fixed(declared)) return TENON_OK;
  if (r->n_required == TENON_MAX_REQUIRED)
    return tenon_inferring_violate(r, "leaves too many conditions to a run",
                                   TENON_MAX_REQUIRED + 1);
  r->required[r->n_required++] = (tenon_guard){
      TENON_RELATION_EQ, rule, declared, r->n->op->name, true, r->n->loc};
  return TENON_OK;
}

// Declared sizes that nobody vouches for.
static void inference_warn(const run *r, uint32_t i,
                           const tenon_type *declared) {
  tenon_buf a, b;
  tenon_buf_init(&a, r->m->arena.allocator);
  tenon_buf_init(&b, r->m->arena.allocator);
  print_result(r, i, declared, &a);
  print_result(r, i, &r->out[i], &b);
  tenon_warn(&r->m->report, "infer-mismatch", tenon_node_place(r->n),
             "'%s': result %u is %s in the model, %s by the shape rule, which "
             "is taken",
             r->n->op->name, (unsigned)i, a.data ? a.data : "?",
             b.data ? b.data : "?");
  tenon_buf_deinit(&a);
  tenon_buf_deinit(&b);
}

static bool inference_has_sizes(const run *r, uint32_t i,
                                const tenon_type *declared, bool is_reshaped) {
  const tenon_type *t = &r->out[i];
  if (t->rank != declared->rank) return false;
  for (int k = 0; k < t->rank; ++k)
    if (!inference_agrees(r->m, t->dims[k], declared->dims[k], is_reshaped))
      return false;
  return true;
}

// Whether the declared sizes differ where they are 1 alone, or none are there;
// those of another run say nothing of what data decide.
static bool is_stand_in(const run *r, const tenon_type *rule,
                        const tenon_type *declared) {
  if (declared->rank == 0 || r->n_decided > 0) return true;
  if (declared->rank != rule->rank) return false;
  for (int k = 0; k < rule->rank; ++k) {
    const tenon_dim d = declared->dims[k];
    if (tenon_dim_is_fixed(d) && d.value != 1 &&
        !tenon_dim_equals(d, rule->dims[k]))
      return false;
  }
  return true;
}

static tenon_status inference_settle(run *r, uint32_t i, bool is_reshaped) {
  const tenon_type *declared = r->declared ? r->declared[i] : NULL;
  tenon_type *t = &r->out[i];
  if (!declared || declared->dtype == 0) return TENON_OK;
  // A rule that says nothing of quantisation leaves it to the declaration.
  if (!t->quant && t->dtype == declared->dtype) t->quant = declared->quant;
  t->flags = declared->flags & (uint16_t)~OF_DECLARED;
  bool is_ranked = !(declared->flags & TENON_TYPE_UNRANKED);
  if (t->dtype != declared->dtype ||
      !tenon_quant_equals(t->quant, declared->quant))
    return inference_mismatch(r, i, declared);
  if (!is_ranked) return TENON_OK;
  if (!inference_has_sizes(r, i, declared, is_reshaped)) {
    if (!(declared->flags & TENON_TYPE_UNSURE) || !is_stand_in(r, t, declared))
      return inference_mismatch(r, i, declared);
    inference_warn(r, i, declared);
    return TENON_OK;
  }
  // Who is not sure of numbers does not want others to be an error.
  const bool is_sure = !is_reshaped && !(declared->flags & TENON_TYPE_UNSURE);
  for (int k = 0; is_sure && k < t->rank; ++k)
    TENON_TRY(inference_require(r, t->dims[k], declared->dims[k]));
  return TENON_OK;
}

static bool inference_same_elements(const tenon_value *a,
                                    const tenon_value *b) {
  if (a->n_elements != b->n_elements) return false;
  for (uint32_t i = 0; i < a->n_elements; ++i)
    if (!tenon_dim_equals(a->elements[i], b->elements[i])) return false;
  return true;
}

// A tensor of numbers that are all known; null: they are not.
static const tenon_tensor *known_tensor(run *r, const tenon_value *v) {
  tenon_arena *arena = &r->m->arena;
  const tenon_type *t = &v->type;
  bool is_wide = t->dtype == TENON_S64;
  uint64_t count = 0;
  if ((t->dtype != TENON_S32 && !is_wide) || t->quant ||
      !tenon_type_is_static(t) || !tenon_type_count(t, &count) ||
      count != v->n_elements || count == 0)
    return NULL;
  for (uint32_t i = 0; i < count; ++i) {
    const tenon_dim *d = &v->elements[i];
    if (!tenon_dim_is_fixed(*d) || tenon_dim_is_none(*d) ||
        (!is_wide && d->value != (int32_t)d->value))
      return NULL;
  }
  tenon_tensor *known = tenon_arena_array(arena, tenon_tensor, 1);
  int64_t *data = tenon_arena_array(arena, int64_t, count);
  int32_t *dims = tenon_arena_array(arena, int32_t, t->rank + 1);
  if (!known || !data || !dims) return NULL;  // latched
  for (uint32_t i = 0; i < count; ++i) {
    if (is_wide)
      data[i] = v->elements[i].value;
    else
      ((int32_t *)data)[i] = (int32_t)v->elements[i].value;
  }
  for (int i = 0; i < t->rank; ++i)
    dims[i] = (int32_t)t->dims[i].value;
  *known = (tenon_tensor){.data = data, .dims = dims};
  known->dtype = t->dtype;
  known->rank = t->rank;
  return known;
}

// What is known of a value stays known when another operator makes it, whose
// rule says nothing; of new sizes it is asked anew.
static void set_elements(run *r, bool is_reshaped) {
  static const tenon_value nothing;
  for (uint32_t i = 0; i < r->n->n_out; ++i) {
    tenon_value *v = r->n->out[i];
    const tenon_value *held = r->held ? &r->held[i] : &nothing;
    if (inference_same_elements(v, held) || (!held->elements && !is_reshaped))
      continue;
    v->elements = held->elements;
    v->n_elements = held->n_elements;
    v->known = held->elements ? known_tensor(r, v) : NULL;
    r->is_kept = true;
  }
}

// The results get the types in `out`. What they have already is not copied
// again, so that asking the rules after every pass costs no memory.
static tenon_status inference_set_types(run *r) {
  for (uint32_t i = 0; i < r->n->n_out; ++i) {
    tenon_value *v = r->n->out[i];
    if (v->type.dtype != 0 && v->type.flags == r->out[i].flags &&
        tenon_type_equals(&v->type, &r->out[i]))
      continue;
    v->type = tenon_type_copy(&r->m->arena, &r->out[i]);
    r->is_kept = true;
  }
  if (!r->m->arena.failed) return TENON_OK;
  return tenon_fail_memory(&r->m->report, "inferring types");
}

// Rules run again after every change; what they require is kept once.
static tenon_status take_required(run *r) {
  tenon_module *m = r->m;
  for (uint32_t i = 0; i < r->n_required; ++i) {
    const tenon_guard *g = &r->required[i];
    size_t count = m->guards.count;
    if (!tenon_build_guard_once(m, g, g->loc))
      return tenon_fail_memory(&m->report, "inferring types");
    r->is_kept |= m->guards.count > count;
  }
  return TENON_OK;
}

static tenon_status inference_take(run *r, bool is_reshaped) {
  for (uint32_t i = 0; i < r->n->n_out; ++i)
    TENON_TRY(inference_settle(r, i, is_reshaped));
  TENON_TRY(take_required(r));
  if (r->n_decided > r->n->n_decided) {
    r->n->decided =
        tenon_arena_copy(&r->m->arena, r->decided,
                         r->n_decided * sizeof *r->decided, _Alignof(uint32_t));
    r->is_kept = true;
  }
  r->n->n_decided = r->n_decided;
  TENON_TRY(inference_set_types(r));
  set_elements(r, is_reshaped);
  return r->m->arena.failed
             ? tenon_fail_memory(&r->m->report, "inferring types")
             : TENON_OK;
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

// A `Tensor?` that the rule does not set is None.
static void take_none(run *r) {
  for (uint32_t i = 0; i < r->n->n_out; ++i)
    if (r->out[i].dtype == 0 && tenon_result_may_be_none(r->n, i))
      r->out[i] = *tenon_written_nothing();
}

static tenon_status call_rule(run *r) {
  tenon_status status = r->n->op->desc->infer(&r->base);
  if (r->failure != TENON_OK) return r->failure;
  if (r->m->arena.failed)
    return tenon_fail_memory(&r->m->report, "inferring types");
  if (status != TENON_OK)
    return tenon_inferring_violate(r, "failed without saying why", status);
  take_written(r);
  take_none(r);
  for (uint32_t i = 0; i < r->n->n_out; ++i) {
    if (r->out[i].dtype == 0)
      return tenon_inferring_violate(r, "succeeded without setting a result",
                                     i);
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
  for (uint32_t i = 0; i < r->n->n_out; ++i) {
    r->out[i] = *r->declared[i];
    r->out[i].flags &= (uint16_t)~OF_DECLARED;
  }
  return inference_set_types(r);
}

static tenon_status untyped(run *r, const char *why) {
  const char *nearest =
      r->n->op->desc ? NULL
                     : tenon_registry_nearest_op(r->m->cx, r->n->op->name);
  if (nearest)
    return tenon_fail(&r->m->report, TENON_UNSUPPORTED, "infer-none",
                      tenon_node_place(r->n), "%s %s; did you mean '%s'?",
                      r->title.text, why, nearest);
  return tenon_fail(
      &r->m->report, TENON_UNSUPPORTED, "infer-none", tenon_node_place(r->n),
      "%s %s, and its result types are not declared", r->title.text, why);
}

static bool is_fresh(const void *first, uint32_t leaf) {
  return leaf >= *(const uint32_t *)first;
}

// What bounds a size in the lowering bounds it here, said without the sizes
// that the lowering made, which are gone.
static void keep_bound(run *r, uint32_t known, uint32_t made, uint32_t first) {
  tenon_symbols *all = &r->m->symbols;
  if (made < first) return;
  tenon_dim most =
      tenon_symbols_most(all, (tenon_dim){0, made}, is_fresh, &first);
  if (!r->m->arena.failed)
    tenon_symbols_bound(all, (tenon_dim){0, known}, most);
}

// A size keeps the symbol it got when the lowering ran before. `first`: the
// first symbol that the lowering made.
static void keep_symbols(run *r, uint32_t first) {
  const tenon_node *n = r->n;
  for (uint32_t j = 0; j < r->n_decided && j < n->n_decided; ++j) {
    keep_bound(r, n->decided[j], r->decided[j], first);
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
                       TENON_MAX_DECIDED,
                       false,
                       all_declared ? held : NULL};
  if (!r->m->cx->rules)
    return untyped(r, "has no shape rule, and this context only runs programs");
  if (r->m->nesting >= MAX_PROBES)
    return untyped(r, "has a lowering that leads back to itself");
  r->is_kept = true;
  uint32_t first = r->m->symbols.count;
  ++r->m->nesting;
  tenon_status status =
      r->m->cx->rules->probe(r->n, lower, user, op->owner, &probe);
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
  keep_symbols(r, first);
  return inference_take(r, is_reshaped);
}

static tenon_status infer_without_rule(run *r, bool is_reshaped) {
  const tenon_op_desc *desc = r->n->op->desc;
  const tenon_lowering_desc *beside =
      desc && !desc->lower ? given_beside(r->n->op) : NULL;
  bool is_open = false;
  bool all = is_declared(r, &is_open);
  // A node without results keeps the numbers that it decides.
  bool asks = r->n->n_out > 0 && (!all || is_open || is_reshaped);
  if (desc && desc->lower && asks)
    return lower_beside(r, desc->lower, desc->user, is_reshaped, all);
  if (beside && asks)
    return lower_beside(r, beside->lower, beside->user, is_reshaped, all);
  if (all) return take_declared(r);
  return untyped(r, desc ? "has no shape rule" : "is not known");
}

// A loop decides the sizes of what it carries that are not the operands'.
static tenon_status take_found(run *r) {
  for (uint32_t i = 0; i < r->n->n_in; ++i)
    for (int d = 0; d < TENON_MAX_RANK; ++d) {
      const uint32_t leaf = tenon_loop_found(r->n, i, d);
      uint32_t k = 0;
      while (k < r->n_decided && r->decided[k] != leaf)
        ++k;
      if (leaf == 0 || k < r->n_decided) continue;
      if (k == TENON_MAX_DECIDED)
        return tenon_inferring_violate(r, "leaves too many sizes to the data",
                                       TENON_MAX_DECIDED + 1);
      r->decided[r->n_decided++] = leaf;
    }
  return TENON_OK;
}

static tenon_status infer_control(run *r, const tenon_type *const *types,
                                  bool is_reshaped) {
  for (uint32_t i = 0; i < r->n->n_out; ++i) {
    if (!types[i] && (!r->declared || !r->declared[i]))
      return untyped(r, "has a body without types");
    r->out[i] = types[i] ? *types[i] : *r->declared[i];
  }
  TENON_TRY(take_found(r));
  return inference_take(r, is_reshaped);
}

static tenon_status inference_infer(run *r, bool is_reshaped) {
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
  return inference_take(r, is_reshaped);
}

tenon_status tenon_inferring_node(tenon_node *n,
                                  const tenon_type *const *declared,
                                  bool is_reshaped, const char *said) {
  run r;
  tenon_module *m = n->graph->module;
  memset(&r, 0, sizeof r);
  r.base.api = &tenon_inferring_api;
  r.m = m;
  r.n = n;
  r.declared = declared;
  r.said = said;
  if (!n->is_functional) r.n_later = (int)tenon_written_count(n);
  (void)tenon_op_title(n->op, &r.title);
  tenon_arena_mark mark = tenon_arena_save(&m->arena);
  uint32_t n_symbols = m->symbols.count;
  tenon_status status = inference_infer(&r, is_reshaped);
  if (!r.is_kept && m->symbols.count == n_symbols)
    tenon_arena_restore(&m->arena, mark);
  return status;
}

tenon_status tenon_infer_node(tenon_node *n, const tenon_type *const *declared,
                              bool is_reshaped) {
  return tenon_inferring_node(n, declared, is_reshaped, "as declared");
}
