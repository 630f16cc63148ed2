// How: leaves get names of their own, since numbers of two models may have the
// same. Equal expressions are one symbol, so equal sizes are seen to be equal.
#include <stdio.h>
#include <string.h>

#include "bind/call.h"
#include "ir/build.h"
#include "tnp/symbols.h"

static tenon_status tnp_symbol_fail(const tenon_context *cx, const char *what) {
  return tenon_fail(&cx->report, TENON_BAD_MODEL, "tnp-file", NULL, "%s", what);
}

tenon_dim tenon_tnp_dim(const tenon_tnp_symbols *s, tenon_dim number) {
  return number.symbol ? s->dims[number.symbol] : number;
}

static tenon_dim make_leaf(tenon_symbols *all, const tenon_program_number *n,
                           uint32_t i) {
  char name[32];
  snprintf(name, sizeof name, "n%u", (unsigned)i);
  return n->kind ? tenon_symbols_number(all, name, n->kind)
                 : tenon_symbols_leaf(all, name, n->min, n->max);
}

static bool tnp_symbol_make_leaves(tenon_tnp_symbols *s) {
  for (uint32_t i = 1; i < s->p->n_numbers; ++i) {
    const tenon_program_number *n = &s->p->numbers[i];
    if (n->op == 0) s->dims[i] = make_leaf(&s->m->symbols, n, i);
    if (n->op == 0 && tenon_dim_is_none(s->dims[i])) return false;
  }
  return !s->m->arena.failed;
}

static bool make_expressions(tenon_tnp_symbols *s) {
  for (uint32_t i = 1; i < s->p->n_numbers; ++i) {
    const tenon_program_number *n = &s->p->numbers[i];
    if (n->op == 0) continue;
    s->dims[i] =
        tenon_symbols_apply(&s->m->symbols, (tenon_dim_op)n->op,
                            tenon_tnp_dim(s, n->a), tenon_tnp_dim(s, n->b));
    if (tenon_dim_is_none(s->dims[i]) || s->m->arena.failed) return false;
  }
  return true;
}

static bool make_guards(tenon_tnp_symbols *s) {
  for (uint32_t i = 0; i < s->p->n_guards; ++i) {
    const tenon_program_guard *g = &s->p->guards[i];
    tenon_guard guard = {.relation = g->relation,
                         .a = tenon_tnp_dim(s, g->a),
                         .b = tenon_tnp_dim(s, g->b),
                         .text = ""};
    if (!tenon_build_guard(s->m, &guard, (tenon_loc){0})) return false;
  }
  s->n_guards = s->m->guards.count;
  // What a condition says to be a number is that for rules, and in what they
  // are compared with.
  return make_expressions(s);
}

// Largest sizes where the plan is for these, else the typical ones.
static void tnp_symbol_know(tenon_tnp_symbols *s) {
  const struct tenon_program *p = s->p;
  tenon_numbers_clear(p, s->known);
  for (uint32_t i = 1; i < p->n_numbers && !p->is_bounded; ++i)
    if (p->numbers[i].op == 0 && p->numbers[i].typical != TENON_UNKNOWN)
      s->known[i].min = s->known[i].max = p->numbers[i].typical;
  (void)tenon_numbers_evaluate(p, s->known);
  for (uint32_t i = 1; i < p->n_numbers; ++i) {
    bool is_number = p->numbers[i].kind == 0 && s->known[i].max != INT64_MAX;
    if (s->dims[i].symbol)
      s->values[s->dims[i].symbol] = is_number ? s->known[i].max : 0;
  }
}

tenon_status tenon_tnp_symbols_init(tenon_context *cx, tenon_arena *arena,
                                    tenon_tnp_symbols *s) {
  uint32_t n = s->p->n_numbers;
  if (n == 0) return TENON_OK;
  TENON_TRY(tenon_module_create(cx, s->p->name, &s->m));
  s->dims = tenon_arena_array(arena, tenon_dim, n);
  s->known = tenon_arena_array(arena, tenon_known, n);
  if (!s->dims || !s->known)
    return tenon_fail_memory(&cx->report, "checking a program");
  bool is_right = tnp_symbol_make_leaves(s) && make_expressions(s);
  if (s->m->arena.failed)
    return tenon_fail_memory(&cx->report, "checking a program");
  if (!is_right) return tnp_symbol_fail(cx, "a size that no number is");
  if (!make_guards(s))
    return tnp_symbol_fail(cx, "a condition that never holds");
  s->n_symbols = s->m->symbols.count;
  s->values = tenon_arena_array(arena, int64_t, s->n_symbols);
  for (int t = 0; t < TENON_TRIALS; ++t)
    s->trial[t] = tenon_arena_array(arena, int64_t, s->n_symbols + 1u);
  if (arena->failed)
    return tenon_fail_memory(&cx->report, "checking a program");
  tnp_symbol_know(s);
  for (int t = 0; t < TENON_TRIALS; ++t)
    s->can_try[t] = tenon_trial_fill(arena, s->m, t, s->trial[t]);
  return arena->failed ? tenon_fail_memory(&cx->report, "checking a program")
                       : TENON_OK;
}

void tenon_tnp_symbols_deinit(tenon_tnp_symbols *s) {
  if (s->m) tenon_module_release(s->m);
  s->m = NULL;
}

// ---------------------------------------------------------------------------
// Of a step
// ---------------------------------------------------------------------------

// Makes the value one of sizes; the numbers that are fixed stay in it.
static bool open_arg(tenon_arena *arena, tenon_arg *a) {
  size_t n = a->kind == TENON_KIND_INTS      ? a->as.ints.count
             : a->kind == TENON_KIND_SCALARS ? a->as.scalars.count
                                             : 1;
  tenon_dim *dims = tenon_arena_array(arena, tenon_dim, n);
  if (!dims) return false;
  for (size_t i = 0; i < n; ++i) {
    if (a->kind == TENON_KIND_INTS)
      dims[i] = tenon_dim_fixed(a->as.ints.data[i]);
    else if (a->kind == TENON_KIND_SCALARS)
      dims[i] = tenon_dim_fixed(a->as.scalars.data[i].as.i);
    if (a->kind == TENON_KIND_SCALARS &&
        a->as.scalars.data[i].kind != TENON_KIND_INT)
      return false;
  }
  a->kind = TENON_KIND_DIMS;
  a->as.dims.data = dims;
  a->as.dims.count = n;
  return true;
}

const tenon_arg *tenon_tnp_args(const tenon_tnp_symbols *s, tenon_arena *arena,
                                const tenon_step *step) {
  const tenon_program_attrs *a = &s->p->attrs[step->attrs];
  if (a->n_patches == 0) return a->args;
  size_t n = 0;
  while (a->args[n].name)
    ++n;
  tenon_arg *args = (tenon_arg *)tenon_arena_copy(
      arena, a->args, (n + 1) * sizeof *args, _Alignof(tenon_arg));
  for (uint32_t i = 0; args && i < a->n_patches; ++i) {
    const tenon_tnp_patch *patch = &s->patches[a->patch + i];
    tenon_arg *arg = args;
    while (strcmp(arg->name, patch->name) != 0)  // it is there (tnp_open.c)
      ++arg;
    if (arg->kind != TENON_KIND_DIMS && !open_arg(arena, arg)) return NULL;
    ((tenon_dim *)(uintptr_t)arg->as.dims.data)[patch->element] =
        tenon_tnp_dim(s, patch->value);
  }
  return args;
}

const uint32_t *tenon_tnp_decided(const tenon_tnp_symbols *s,
                                  tenon_arena *arena, const tenon_step *step) {
  uint32_t *list = tenon_arena_array(arena, uint32_t, step->n_decided + 1u);
  for (uint32_t i = 0; list && i < step->n_decided; ++i) {
    tenon_dim d = s->dims[s->p->decided[step->decided + i]];
    if (d.symbol == 0) return NULL;
    list[i] = d.symbol;
    // What the rule says is looked at, not what another said.
    tenon_symbols_bound(&s->m->symbols, d, tenon_dim_fixed(0));
  }
  return list;
}

// What kernels write is as large as the rule lets it become, whatever the
// program says that it is.
static bool tnp_symbol_has_room(const tenon_tnp_symbols *s, uint32_t number) {
  const tenon_program_number *n = &s->p->numbers[number];
  tenon_dim most = s->m->symbols.data[s->dims[number].symbol].most;
  const tenon_symbol *bound = tenon_symbols_look(&s->m->symbols, most.symbol);
  tenon_dim said = tenon_tnp_dim(s, n->most);
  if (!bound && most.value <= 0) return false;
  if (n->max < (bound ? bound->max : most.value)) return false;
  return (said.symbol == 0 && (said.value == 0 || said.value >= n->max)) ||
         tenon_dim_equals(said, most);
}

// A buffer of an open tensor is as large as that, whatever the sizes.
static const char *tnp_symbol_check_buffers(const tenon_tnp_symbols *s,
                                            const tenon_program_tensor *t,
                                            const tenon_type *type) {
  if (!t || !t->sizes || t->span == 0 || s->p->is_bounded) return NULL;
  tenon_dim bytes = tenon_type_bytes(s->m, type);
  tenon_dim room = tenon_tnp_dim(s, s->p->spans[t->span - 1].bytes);
  tenon_dim both =
      tenon_symbols_apply(&s->m->symbols, TENON_DIM_MAX, room, bytes);
  return tenon_dim_equals(both, room) ? NULL : "a buffer of another size";
}

// Operands and results that lie over each other have one size.
static const char *check_over(const tenon_tnp_symbols *s,
                              const tenon_step *step, const tenon_node *n) {
  for (uint32_t o = 0; o < n->n_out; ++o)
    for (uint32_t i = 0; i < step->n_in; ++i) {
      const tenon_program_tensor *y = tenon_tnp_operand(s->p, step->out + o);
      const tenon_program_tensor *x = tenon_tnp_operand(s->p, step->in + i);
      if (!x || !y || !tenon_node_in(n, i) || !(x->sizes || y->sizes) ||
          x->span == 0 || y->span == 0)
        continue;
      const tenon_span_record *a = &s->p->spans[x->span - 1];
      const tenon_span_record *b = &s->p->spans[y->span - 1];
      bool is_one = x->span == y->span;
      if (s->p->is_bounded && a->offset < b->offset + b->size &&
          b->offset < a->offset + a->size)
        is_one = true;
      if (is_one && (x->slot.offset != y->slot.offset ||
                     !tenon_dim_equals(
                         tenon_type_bytes(s->m, &n->out[o]->type),
                         tenon_type_bytes(s->m, &tenon_node_in(n, i)->type))))
        return "a result over an operand of another size";
    }
  return NULL;
}

const char *tenon_tnp_symbols_check(const tenon_tnp_symbols *s,
                                    const tenon_step *step,
                                    const tenon_node *n) {
  const char *error = NULL;
  if (s->m->guards.count != s->n_guards)
    return "it requires what is no condition of the program";
  if (n->n_decided != step->n_decided)
    return "it decides another number of sizes";
  for (uint32_t i = 0; i < step->n_decided; ++i) {
    uint32_t number = s->p->decided[step->decided + i];
    if (n->decided[i] != s->dims[number].symbol)
      return "it decides other sizes";
    if (!step->is_measured && tenon_node_is_sized_by(n, n->decided[i]) &&
        !tnp_symbol_has_room(s, number))
      return "its results may become larger than their places";
  }
  for (uint32_t i = 0; i < step->n_in && !error; ++i)
    if (tenon_node_in(n, i))
      error = tnp_symbol_check_buffers(s, tenon_tnp_operand(s->p, step->in + i),
                                       &tenon_node_in(n, i)->type);
  for (uint32_t i = 0; i < n->n_out && !error; ++i)
    error = tnp_symbol_check_buffers(s, tenon_tnp_operand(s->p, step->out + i),
                                     &n->out[i]->type);
  return error ? error : check_over(s, step, n);
}
