// How: everything that a run finds out is said in the program's numbers beside
// what the plan was made for, so that a program without open sizes has neither
// the numbers nor the work.
#include <stddef.h>
#include <string.h>

#include "bind/call.h"
#include "core/attr.h"
#include "plan/resolve/resolver.h"

// --- tensors ----------------------------------------------------------------

// States have no open sizes; for them there is no entry.
tenon_status tenon_resolve_dims(tenon_resolver *r, tenon_planned *e,
                                const tenon_type *type,
                                tenon_program_tensor *t) {
  tenon_dim fixed[TENON_MAX_RANK];
  tenon_type plain = *type;
  size_t size = 0;
  int32_t *dims = tenon_arena_array(r->arena, int32_t, type->rank);
  tenon_dim *sizes = NULL;
  if (!dims) return tenon_plan_no_memory(r->w->report);
  if (e && !tenon_type_is_static(type)) {
    sizes = tenon_arena_array(r->arena, tenon_dim, type->rank);
    if (!sizes) return tenon_plan_no_memory(r->w->report);
  }
  for (int i = 0; i < type->rank; ++i) {
    int64_t value = type->dims[i].value;
    if (sizes) {
      TENON_TRY(tenon_plan_dim(r->w, e->sizing, type->dims[i], &sizes[i]));
      value = tenon_sizing_value(tenon_plan_values(r->w, e), type->dims[i]);
    }
    if (value < 0) value = 0;
    if (value > INT32_MAX) value = INT32_MAX;
    fixed[i] = tenon_dim_fixed(value);
    dims[i] = (int32_t)value;
  }
  plain.dims = fixed;
  t->dims = type->rank ? dims : NULL;
  t->sizes = sizes;
  t->open_dims = r->p->n_open_dims;
  if (sizes) r->p->n_open_dims += type->rank;
  if (!tenon_type_size(&plain, &size)) size = 0;
  t->size = size;
  return TENON_OK;
}

// --- attributes -------------------------------------------------------------

static const tenon_field *resolve_open_find_field(const tenon_field *fields,
                                                  const char *name) {
  for (; fields && fields->name; ++fields)
    if (strcmp(fields->name, name) == 0) return fields;
  return NULL;
}

static tenon_status add_patches(tenon_resolver *r, tenon_planned *e,
                                const tenon_arg *open, size_t position,
                                tenon_program_attrs *a) {
  const tenon_field *f = resolve_open_find_field(a->fields, open->name);
  tenon_program_patch p = {0};
  if (f) {
    p.offset = f->offset;
    p.kind = f->kind;
  } else {
    // Without fields kernels get the array itself.
    p.offset =
        (uint32_t)(position * sizeof(tenon_arg) + offsetof(tenon_arg, as));
    p.kind = a->args[position].kind;
  }
  p.is_list = p.kind == TENON_KIND_INTS || p.kind == TENON_KIND_SCALARS;
  for (size_t i = 0; i < open->as.dims.count; ++i) {
    if (open->as.dims.data[i].symbol == 0) continue;
    p.element = (uint32_t)i;
    TENON_TRY(tenon_plan_dim(r->w, e->sizing, open->as.dims.data[i], &p.value));
    if (!tenon_vec_push(&r->patches, p))
      return tenon_plan_no_memory(r->w->report);
    ++a->n_patches;
  }
  return TENON_OK;
}

// Some numbers, in the place of those that are not known.
static const int64_t *some_values(const tenon_resolver *r,
                                  const tenon_planned *e, int64_t **room) {
  uint32_t n = e->sizing->m->symbols.count;
  const int64_t *values = tenon_plan_values(r->w, e);
  *room = tenon_arena_array(r->w->arena, int64_t, n + 1);
  // Those made while planning are of no attribute.
  uint32_t known = e->sizing->n_symbols;
  for (uint32_t i = 0; *room && i < n; ++i)
    (*room)[i] = i < known && values[i] != TENON_UNKNOWN ? values[i] : 0;
  return *room;
}

tenon_status tenon_resolve_attrs(tenon_resolver *r, tenon_planned *e,
                                 const tenon_node *n, tenon_program_attrs *a,
                                 bool *is_open) {
  *is_open = false;
  for (const tenon_arg *arg = n->args; arg && arg->name; ++arg)
    *is_open |= arg->kind == TENON_KIND_DIMS;
  if (!*is_open) return TENON_OK;
  int64_t *room = NULL;
  const int64_t *values = some_values(r, e, &room);
  if (!values) return tenon_plan_no_memory(r->w->report);
  a->fields = n->op->desc->fields;
  a->args = tenon_bind_args_at(r->arena, n, values);
  if (!a->args && !r->arena->failed)
    return tenon_fail(r->w->report, TENON_UNSUPPORTED, "plan-open-attribute",
                      tenon_node_place(n),
                      "'%s': an attribute that a run finds out cannot be a "
                      "number of its kind",
                      n->op->name);
  if (!a->args) return tenon_plan_no_memory(r->w->report);
  a->patch = (uint32_t)r->patches.count;
  size_t position = 0;
  for (const tenon_arg *arg = n->args; arg->name; ++arg, ++position)
    if (arg->kind == TENON_KIND_DIMS)
      TENON_TRY(add_patches(r, e, arg, position, a));
  return TENON_OK;
}

// --- steps ------------------------------------------------------------------

tenon_call *tenon_resolve_call(tenon_resolver *r, const tenon_planned *e,
                               const tenon_node *n) {
  int64_t *room = NULL;
  const int64_t *values = some_values(r, e, &room);
  tenon_call *call = values ? tenon_bind_call_at(r->w->arena, n, values) : NULL;
  // Shapes alone will do: what is asked of it is for reports.
  return call ? call : tenon_bind_call(r->w->arena, n);
}

tenon_status tenon_resolve_pack(tenon_resolver *r, const tenon_planned *e,
                                const tenon_kernel *k, const tenon_node *n,
                                const void *packed, size_t size) {
  if (!tenon_node_is_open(n)) return TENON_OK;
  tenon_packs packs =
      tenon_bind_packs(r->w->arena, k->desc, n, e->sizing->trial,
                       e->sizing->can_try, packed, size);
  if (packs == TENON_PACKS_NO_MEMORY) return tenon_plan_no_memory(r->w->report);
  if (packs == TENON_PACKS_ALIKE) return TENON_OK;
  return tenon_fail(r->w->report, TENON_UNSUPPORTED, "plan-open-pack",
                    tenon_node_place(n),
                    "'%s': kernel '%s' of plugin '%s' packs what depends on "
                    "sizes that are open; fix them with --dim or --shape",
                    n->op->name, k->desc->symbol, k->owner->name);
}

// What the shape rule says, whatever else bounds the size.
static int64_t natural_bound(const tenon_planned *e, const tenon_symbol *s) {
  if (s->most.symbol == 0) return s->most.value > 0 ? s->most.value : 0;
  int64_t most = s->most.symbol < e->sizing->n_symbols
                     ? e->sizing->most[s->most.symbol]
                     : TENON_UNKNOWN;
  return most == TENON_UNKNOWN && s->max != INT64_MAX ? INT64_MAX
         : most == TENON_UNKNOWN                      ? 0
                                                      : most;
}

tenon_status tenon_resolve_decided(tenon_resolver *r, tenon_planned *e,
                                   const tenon_node *n, uint32_t index,
                                   tenon_step *step) {
  const tenon_kernel *k = e->kernels[n->id];
  step->decided = (uint32_t)r->decided.count;
  step->n_decided = n->n_decided;
  step->is_measured = k && k->desc->measure && n->n_decided > 0;
  for (uint32_t i = 0; i < n->n_decided; ++i) {
    tenon_dim d = {0, n->decided[i]};
    const tenon_symbol *s = &e->sizing->m->symbols.data[d.symbol];
    // A loop is found room for behind each round.
    bool has_bound = s->max != INT64_MAX || s->most.symbol != 0 ||
                     step->kind == TENON_STEP_WHILE;
    TENON_TRY(tenon_plan_dim(r->w, e->sizing, d, &d));
    tenon_program_number *number = &r->w->numbers.data[d.symbol];
    if (number->step != TENON_NO_INDEX)
      return tenon_fail(r->w->report, TENON_UNSUPPORTED, "plan-open-size",
                        tenon_node_place(n),
                        "'%s': the size '%s' is decided by two operators",
                        n->op->name, number->name);
    if (!has_bound && !step->is_measured &&
        tenon_node_is_sized_by(n, n->decided[i]))
      return tenon_fail(
          r->w->report, TENON_UNSUPPORTED, "plan-unbounded",
          tenon_node_place(n),
          "'%s': nothing bounds the size '%s' of its result, and kernel '%s' "
          "cannot measure it first; bound it with --dim '%s=<=N'",
          n->op->name, number->name, k ? k->desc->symbol : "", number->name);
    int64_t natural = natural_bound(e, s);
    if (!step->is_measured && step->kind != TENON_STEP_WHILE &&
        tenon_node_is_sized_by(n, n->decided[i]) && natural > s->max)
      return tenon_fail(
          r->w->report, TENON_UNSUPPORTED, "plan-unbounded",
          tenon_node_place(n),
          "'%s': '%s' is bounded by %lld, but may become %lld, and kernel "
          "'%s' cannot measure it first; bound the sizes it comes from",
          n->op->name, number->name, (long long)s->max, (long long)natural,
          k ? k->desc->symbol : "");
    number->step = index;
    if (!tenon_vec_push(&r->decided, d.symbol))
      return tenon_plan_no_memory(r->w->report);
  }
  uint32_t operands = (uint32_t)n->n_in + n->n_out;
  if (step->is_open && operands > r->p->most_operands)
    r->p->most_operands = operands;
  return TENON_OK;
}

// --- bindings, guards -------------------------------------------------------

static tenon_status add_bindings(tenon_resolver *r, uint32_t entry) {
  tenon_planned *e = &r->w->entries[entry];
  const tenon_graph *g = e->entry->point->graph;
  for (uint32_t i = 0; i < g->n_params; ++i)
    for (int d = 0; d < g->params[i]->type.rank; ++d) {
      tenon_program_binding b = {entry, i, (uint32_t)d, {0, 0}};
      if (g->params[i]->type.dims[d].symbol == 0) continue;
      TENON_TRY(
          tenon_plan_dim(r->w, e->sizing, g->params[i]->type.dims[d], &b.size));
      if (!tenon_vec_push(&r->bindings, b))
        return tenon_plan_no_memory(r->w->report);
    }
  return TENON_OK;
}

// Null when memory ran out.
static const char *said_by(tenon_resolver *r, const tenon_module *m,
                           const tenon_guard *g) {
  const tenon_place *place = tenon_locs_place(&m->locs, g->loc);
  const bool has_place = place && place->where && *place->where;
  tenon_buf text;
  tenon_buf_init(&text, r->w->report_allocator);
  tenon_buf_text(&text, has_place && place->file ? place->file : "the model");
  if (has_place) tenon_buf_format(&text, ": %s", place->where);
  const char *out =
      text.failed ? NULL : tenon_arena_string(r->arena, text.data);
  tenon_buf_deinit(&text);
  return out;
}

static tenon_status add_guards(tenon_resolver *r, tenon_planned *e) {
  const tenon_module *m = e->sizing->m;
  for (size_t i = 0; i < m->guards.count; ++i) {
    const tenon_guard *g = &m->guards.data[i];
    tenon_program_guard out = {g->relation, g->a, g->b, NULL, NULL};
    tenon_buf text;
    TENON_TRY(tenon_plan_dim(r->w, e->sizing, g->a, &out.a));
    TENON_TRY(tenon_plan_dim(r->w, e->sizing, g->b, &out.b));
    tenon_buf_init(&text, r->w->report_allocator);
    tenon_buf_format(&text, "%s%s%s(", g->text, *g->text ? ": " : "",
                     tenon_relation_name(g->relation));
    tenon_symbols_print(&m->symbols, g->a, &text);
    tenon_buf_text(&text, ", ");
    tenon_symbols_print(&m->symbols, g->b, &text);
    tenon_buf_char(&text, ')');
    out.text = text.failed ? NULL : tenon_arena_string(r->arena, text.data);
    tenon_buf_deinit(&text);
    out.said_by = said_by(r, m, g);
    if (!out.text || !out.said_by || !tenon_vec_push(&r->guards, out))
      return tenon_plan_no_memory(r->w->report);
  }
  return TENON_OK;
}

// --- sources ----------------------------------------------------------------

// Marks the leaves that this entry's inputs or steps give a value, and what
// follows from them.
typedef struct sources {
  tenon_resolver *r;
  bool *is_known;
  tenon_planned *e;
} sources;

static tenon_status note_decided(void *self, tenon_node *n) {
  sources *s = (sources *)self;
  for (uint32_t i = 0; i < n->n_decided; ++i)
    s->is_known[tenon_sizing_number(s->e->sizing, n->decided[i])] = true;
  return TENON_OK;
}

static tenon_status resolve_open_check_type(const sources *s,
                                            const tenon_value *v) {
  const tenon_planner *w = s->r->w;
  for (int d = 0; v && d < v->type.rank; ++d) {
    uint32_t symbol = v->type.dims[d].symbol;
    uint32_t number = tenon_sizing_number(s->e->sizing, symbol);
    if (number == 0 || s->is_known[number]) continue;
    return tenon_fail(
        w->report, TENON_UNSUPPORTED, "plan-open-size",
        v->node ? tenon_node_place(v->node) : NULL,
        "dimension %d of '%s' is '%s', and neither an input nor an operator "
        "says what that is; fix it with --dim",
        d, v->name ? v->name : "", w->numbers.data[number].name);
  }
  return TENON_OK;
}

// What branches leave, and what goes round in a loop, has one size, or is
// carried over.
static tenon_status resolve_open_check_regions(const sources *s,
                                               const tenon_node *n) {
  for (uint32_t r = 0; r < n->n_regions; ++r) {
    const tenon_graph *g = n->regions[r];
    bool is_condition = r == 0 && tenon_op_is(n->op, "core::while");
    for (uint32_t i = 0; !is_condition && i < g->end->n_in; ++i) {
      const tenon_value *v = g->end->in[i].value;
      if (i >= n->n_out || tenon_loop_grows(n, i) ||
          tenon_type_same_shape(&v->type, &n->out[i]->type))
        continue;
      return tenon_fail(s->r->w->report, TENON_UNSUPPORTED, "plan-open-size",
                        tenon_node_place(n),
                        "'%s': result %u has other sizes within region %u; "
                        "fix them with --dim",
                        n->op->name, i, r);
    }
    for (uint32_t i = 0; tenon_op_is(n->op, "core::while") && i < g->n_params;
         ++i)
      if (!tenon_type_same_shape(&g->params[i]->type, &n->out[i]->type))
        return tenon_fail(s->r->w->report, TENON_UNSUPPORTED, "plan-open-size",
                          tenon_node_place(n),
                          "'%s': what is carried as %u changes its size in the "
                          "loop",
                          n->op->name, i);
  }
  return TENON_OK;
}

static tenon_status resolve_open_check_node(void *self, tenon_node *n) {
  sources *s = (sources *)self;
  TENON_TRY(resolve_open_check_regions(s, n));
  for (uint32_t i = 0; i < n->n_out; ++i)
    TENON_TRY(resolve_open_check_type(s, n->out[i]));
  for (const tenon_arg *a = n->args; a && a->name; ++a) {
    if (a->kind != TENON_KIND_DIMS) continue;
    for (size_t i = 0; i < a->as.dims.count; ++i) {
      uint32_t symbol = a->as.dims.data[i].symbol;
      uint32_t number = tenon_sizing_number(s->e->sizing, symbol);
      if (number == 0 || s->is_known[number]) continue;
      return tenon_fail(s->r->w->report, TENON_UNSUPPORTED, "plan-open-size",
                        tenon_node_place(n),
                        "'%s': attribute '%s' is '%s', and neither an input "
                        "nor an operator says what that is; fix it with --dim",
                        n->op->name, a->name,
                        s->r->w->numbers.data[number].name);
    }
  }
  return TENON_OK;
}

static tenon_status check_sources(tenon_resolver *r, uint32_t entry) {
  tenon_planned *e = &r->w->entries[entry];
  tenon_graph *g = e->entry->point->graph;
  size_t n = r->w->numbers.count;
  sources s = {r, tenon_arena_array(r->w->arena, bool, n + 1), e};
  if (!s.is_known) return tenon_plan_no_memory(r->w->report);
  TENON_TRY(tenon_graph_visit(g, note_decided, &s));
  // Solving one input's size may be what makes another's solvable.
  for (size_t round = 0; round <= r->bindings.count && round < 8; ++round) {
    for (size_t i = 0; i < r->bindings.count; ++i)
      if (r->bindings.data[i].entry == entry)
        tenon_numbers_solvable(r->w->numbers.data, s.is_known,
                               r->bindings.data[i].size);
    tenon_numbers_follow(r->w->numbers.data, n, s.is_known);
  }
  for (uint32_t i = 0; i < g->n_params; ++i)
    TENON_TRY(resolve_open_check_type(&s, g->params[i]));
  return tenon_graph_visit(g, resolve_open_check_node, &s);
}

tenon_status tenon_resolve_numbers(tenon_resolver *r) {
  for (uint32_t i = 0; i < r->w->n_entries; ++i) {
    bool is_new = true;
    for (uint32_t k = 0; k < i; ++k)
      is_new &= r->w->entries[k].sizing != r->w->entries[i].sizing;
    r->w->report = &r->w->entries[i].entry->module->report;
    if (is_new) TENON_TRY(add_guards(r, &r->w->entries[i]));
    TENON_TRY(add_bindings(r, i));
  }
  for (uint32_t i = 0; r->w->numbers.count > 0 && i < r->w->n_entries; ++i)
    TENON_TRY(check_sources(r, i));
  r->p->numbers = (const tenon_program_number *)tenon_arena_copy(
      r->arena, r->w->numbers.data,
      r->w->numbers.count * sizeof *r->w->numbers.data,
      _Alignof(tenon_program_number));
  r->p->n_numbers = (uint32_t)r->w->numbers.count;
  r->p->is_bounded = r->w->is_bounded;
  return r->p->numbers || r->p->n_numbers == 0
             ? TENON_OK
             : tenon_plan_no_memory(r->w->report);
}
