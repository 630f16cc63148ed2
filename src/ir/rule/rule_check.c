// ir/rule/rule_check.c - statements of rules that are only looked at.
//
// Operands have no types yet, so nothing is built: a result is a value that
// stands for it. With operators known, numbers of operands and results are
// compared with the schema, and so are attributes, those whose value is not
// known by something of their kind. Statements of a pattern are kept.
#include "core/attr.h"
#include "ir/rule/ruling.h"

// Stand-ins of a pattern know their slot.
static uint32_t slot_of(const tenon_value *v) {
  return v && v->flags > 0 ? v->flags - 1u : TENON_RULE_ABSENT;
}

static tenon_value *stand_in(tenon_parser *p) {
  tenon_value *v = tenon_value_alloc(p->m, TENON_VALUE_RESULT, "", 0);
  if (!v) (void)tenon_parser_memory(p);
  return v;
}

static bool is_pattern(const tenon_parser *p) {
  return p->ruling->part == TENON_RULE_FROM;
}

static bool add_slot(tenon_parser *p, tenon_value *v,
                     const tenon_rule_slot *slot) {
  v->flags = (uint16_t)(p->ruling->slots.count + 1);
  if (p->ruling->slots.count >= UINT16_MAX - 1)
    return tenon_parser_fail(p, &p->token, "too many values in a pattern");
  return tenon_vec_push(&p->ruling->slots, *slot) || tenon_parser_memory(p);
}

// ---------------------------------------------------------------------------
// Against the schema
// ---------------------------------------------------------------------------

// Something of the kind that an argument without default has.
static bool example(tenon_parser *p, const tenon_argument *a, tenon_arg *out) {
  size_t n = a->length > 0 ? (size_t)a->length : 1;
  int64_t *zeros = tenon_arena_array(&p->arena, int64_t, n);
  if (!zeros) return tenon_parser_memory(p);
  memset(zeros, 0, n * sizeof *zeros);
  out->kind = TENON_KIND_INT;
  out->as.i = 0;
  if (a->is_optional) {
    out->kind = 0;
  } else if (a->kind == TENON_KIND_STRS) {
    static const char *const texts[] = {""};
    out->kind = TENON_KIND_STRS;
    out->as.strs = (tenon_strs){texts, 1};
  } else if (a->base == TENON_BASE_STR || a->base == TENON_BASE_NAME) {
    out->kind = TENON_KIND_STR;
    out->as.s = "";
  } else if (a->base == TENON_BASE_DTYPE) {
    out->kind = TENON_KIND_DTYPE;
    out->as.i = TENON_F32;
  } else if (a->is_list && a->base == TENON_BASE_BOOL) {
    out->kind = TENON_KIND_BOOLS;
    out->as.bools.data = (const bool *)zeros;
    out->as.bools.count = n;
  } else if (a->is_list) {
    out->kind = TENON_KIND_INTS;
    out->as.ints.data = zeros;
    out->as.ints.count = n;
  } else if (a->base == TENON_BASE_BOOL) {
    out->kind = TENON_KIND_BOOL;
  }
  return true;
}

// The attributes with values, ended by a null name.
static bool known_args(tenon_parser *p, const tenon_schema *s,
                       const tenon_arg *args, tenon_arg **out) {
  size_t n = 0, kept = 0;
  while (args && args[n].name)
    ++n;
  tenon_arg *list = tenon_arena_array(&p->arena, tenon_arg, n + 1);
  if (!list) return tenon_parser_memory(p);
  for (size_t i = 0; i < n; ++i) {
    const tenon_argument *a = tenon_schema_find(s, args[i].name);
    list[kept] = args[i];
    if (args[i].kind == TENON_RULE_ANY) {
      if (a && a->has_default) continue;
      list[kept].kind = 0;
      if (a && !example(p, a, &list[kept])) return false;
    }
    ++kept;
  }
  memset(&list[kept], 0, sizeof *list);
  *out = list;
  return true;
}

// Where the attribute stands that its operator does not take like that; the
// operator, where one is missing.
static const tenon_token *find_wrong(tenon_parser *p,
                                     const tenon_statement_at *at,
                                     const tenon_node_spec *spec) {
  char error[256];
  tenon_arg converted;
  for (size_t i = 0; spec->args && spec->args[i].name; ++i) {
    const tenon_arg *arg = &spec->args[i];
    const tenon_argument *a = tenon_schema_find(spec->op->schema, arg->name);
    if (!a || a->kind == 0 ||
        (arg->kind != TENON_RULE_ANY &&
         !tenon_attr_convert(&p->arena, a, arg, &converted, error,
                             sizeof error)))
      return &at->args[i];
  }
  return &at->op;
}

static bool check_args(tenon_parser *p, const tenon_statement_at *at,
                       const tenon_node_spec *spec) {
  const tenon_arg *complete = NULL;
  tenon_arg *args = NULL;
  char error[256] = "";
  if (!known_args(p, spec->op->schema, spec->args, &args)) return false;
  if (tenon_attr_complete(&p->arena, spec->op->schema, args, &complete, error,
                          sizeof error))
    return true;
  if (p->arena.failed) return tenon_parser_memory(p);
  return tenon_parser_fail(p, find_wrong(p, at, spec), "'%s': %s",
                           spec->op->name, error);
}

static bool rule_check_op(tenon_parser *p, const tenon_token *at,
                          const tenon_node_spec *spec) {
  if (spec->op->desc) return true;
  const char *nearest = tenon_registry_nearest_op(p->m->cx, spec->op->name);
  return tenon_parser_fail(p, at, "unknown operator '%s'%s%s%s", spec->op->name,
                           TENON_DID_YOU_MEAN(nearest));
}

// ---------------------------------------------------------------------------
// Patterns
// ---------------------------------------------------------------------------

// Of a rule whose operator is not known, any name may be an operand.
bool tenon_rule_is_open(const tenon_parser *p) {
  const tenon_ruling *r = p->ruling;
  return is_pattern(p) || (!r->rw && !r->knows_names);
}

bool tenon_rule_input(tenon_parser *p, const tenon_token *at, const char *name,
                      const char *key, tenon_value **out) {
  tenon_rule_slot slot = {.name = name, .node = -1};
  key = tenon_arena_string(&p->arena, key);
  *out = stand_in(p);
  if (!*out) return false;
  if (!key) return tenon_parser_memory(p);
  if (is_pattern(p) && !add_slot(p, *out, &slot)) return false;
  return tenon_parser_define(p, at, key, *out);
}

bool tenon_rule_constant(tenon_parser *p, tenon_value *v) {
  tenon_rule_slot slot = {.name = "", .node = -1, .constant = v->constant};
  return !is_pattern(p) || add_slot(p, v, &slot);
}

// Of the value of an attribute in a pattern: `$d` or a literal.
static const char *capture_of(const tenon_arg *arg) {
  return arg->kind == TENON_RULE_ANY ? arg->as.s : NULL;
}

// What each attribute of the operator must be, in the order of the schema.
static bool pattern_args(tenon_parser *p, const tenon_statement_at *at,
                         const tenon_node_spec *spec, tenon_rule_node *n) {
  const tenon_schema *s = spec->op->schema;
  char error[256];
  tenon_rule_arg *list =
      tenon_arena_array(&p->arena, tenon_rule_arg, s->n_attrs);
  if (!list) return tenon_parser_memory(p);
  for (uint16_t i = 0; i < s->n_attrs; ++i) {
    const tenon_argument *a = tenon_schema_attr(s, i);
    const tenon_arg *given = tenon_args_find(spec->args, a->name);
    list[i].capture = given ? capture_of(given) : NULL;
    list[i].value = a->value;
    list[i].value.name = a->name;
    if (list[i].capture || (!given && a->has_default)) continue;
    if (!given)
      return tenon_parser_fail(p, &at->op,
                               "'%s': attribute '%s' has no default: say its "
                               "value, or %s=$_ for any",
                               spec->op->name, a->name, a->name);
    if (!tenon_attr_convert(&p->arena, a, given, &list[i].value, error,
                            sizeof error))
      return p->arena.failed
                 ? tenon_parser_memory(p)
                 : tenon_parser_fail(p, &at->args[given - spec->args],
                                     "'%s': %s", spec->op->name, error);
    list[i].value.name = a->name;
  }
  n->args = list;
  n->n_args = s->n_attrs;
  return true;
}

// Operands up to the last that the schema has, and where lists begin.
static bool pattern_operands(tenon_parser *p, const tenon_node_spec *spec,
                             tenon_rule_node *n) {
  tenon_groups groups = {NULL, 0, spec->n_in, false};
  if (p->ruling->knows_names &&
      tenon_groups_in(p->m, spec, &groups) != TENON_OK)
    return tenon_parser_built(p, false);
  uint32_t *in = tenon_arena_array(&p->arena, uint32_t, groups.count);
  if (!in) return tenon_parser_memory(p);
  for (uint32_t i = 0; i < groups.count; ++i)
    in[i] = i < spec->n_in ? slot_of(spec->in[i]) : TENON_RULE_ABSENT;
  n->in = in;
  n->n_in = groups.count;
  n->bounds = groups.bounds;
  n->n_groups = groups.n_groups;
  return true;
}

static bool keep_node(tenon_parser *p, const tenon_statement_at *at,
                      const tenon_node_spec *spec, tenon_value **out) {
  tenon_ruling *r = p->ruling;
  tenon_rule_node n = {.op = spec->op->name, .n_out = spec->n_out};
  if (r->nodes.count >= TENON_RULE_NODES)
    return tenon_parser_fail(p, &at->whole,
                             "more than %d statements in a pattern",
                             TENON_RULE_NODES);
  if (spec->n_regions > 0)
    return tenon_parser_fail(p, &at->op, "a region in a pattern");
  if (!pattern_operands(p, spec, &n)) return false;
  if (r->knows_names && !pattern_args(p, at, spec, &n)) return false;
  n.commutes = spec->op->desc && n.n_in >= 2 &&
               (spec->op->desc->flags & TENON_OP_COMMUTES) != 0;
  for (uint32_t i = 0; i < spec->n_out; ++i) {
    tenon_rule_slot slot = {.name = spec->names ? spec->names[i] : "",
                            .node = (int)r->nodes.count,
                            .result = i};
    if (!add_slot(p, out[i], &slot)) return false;
  }
  return tenon_vec_push(&r->nodes, n) || tenon_parser_memory(p);
}

// ---------------------------------------------------------------------------
// What the parser asks
// ---------------------------------------------------------------------------

bool tenon_rule_statement(tenon_parser *p, const tenon_statement_at *at,
                          const tenon_node_spec *spec, tenon_value **out) {
  const tenon_ruling *r = p->ruling;
  tenon_groups groups;
  for (uint32_t i = 0; i < spec->n_out; ++i) {
    out[i] = stand_in(p);
    if (!out[i]) return false;
  }
  if (r->knows_names) {
    if (!rule_check_op(p, &at->op, spec)) return false;
    if (!r->has_list && tenon_groups_in(p->m, spec, &groups) != TENON_OK)
      return tenon_parser_built(p, false);
    if (tenon_groups_out(p->m, spec, &groups) != TENON_OK)
      return tenon_parser_built(p, false);
  }
  if (is_pattern(p) && !keep_node(p, at, spec, out)) return false;
  return !r->knows_names || check_args(p, at, spec);
}

// The values of a pattern are the results of its last statement, in order.
static bool check_root(tenon_parser *p, const tenon_token *at,
                       tenon_value *const *values, uint32_t n) {
  const tenon_ruling *r = p->ruling;
  if (r->nodes.count == 0)
    return tenon_parser_fail(p, at, "a pattern without statements");
  int last = (int)r->nodes.count - 1;
  bool is_root = n == r->nodes.data[last].n_out;
  for (uint32_t i = 0; is_root && i < n; ++i) {
    uint32_t slot = slot_of(values[i]);
    is_root = slot != TENON_RULE_ABSENT && r->slots.data[slot].node == last &&
              r->slots.data[slot].result == i;
  }
  if (is_root) return true;
  return tenon_parser_fail(p, at,
                           "a pattern returns the results of its last "
                           "statement, all of them in their order");
}

bool tenon_rule_return(tenon_parser *p, const tenon_token *at,
                       tenon_value *const *values, uint32_t n) {
  tenon_ruling *r = p->ruling;
  if (is_pattern(p) && !check_root(p, at, values, n)) return false;
  r->returned_at = *at;
  r->n_returned = n;
  r->returned = tenon_arena_copy(&p->arena, values, n * sizeof *values,
                                 _Alignof(tenon_value *));
  return r->returned || tenon_parser_memory(p);
}

// ---------------------------------------------------------------------------
// Keeping a pattern
// ---------------------------------------------------------------------------

static const tenon_tensor *rule_check_copy_tensor(tenon_arena *arena,
                                                  const tenon_tensor *t) {
  size_t size = 0;
  tenon_tensor *copy =
      tenon_arena_copy(arena, t, sizeof *t, _Alignof(tenon_tensor));
  if (!copy || t->dtype == TENON_STR ||
      !tenon_dtype_size(t->dtype, tenon_count(t), &size))
    return NULL;
  copy->data = tenon_arena_copy(arena, t->data, size, 64);
  copy->dims =
      tenon_arena_copy(arena, t->dims, (size_t)t->rank * sizeof *t->dims, 8);
  copy->quant = t->quant ? tenon_quant_copy(arena, t->quant) : NULL;
  return copy->data && copy->dims ? copy : NULL;
}

static bool rule_check_copy_node(tenon_arena *arena,
                                 const tenon_rule_node *from,
                                 tenon_rule_node *to) {
  *to = *from;
  to->op = tenon_arena_string(arena, from->op);
  to->in = tenon_arena_copy(arena, from->in, from->n_in * sizeof *from->in,
                            _Alignof(uint32_t));
  if (from->bounds)
    to->bounds = tenon_arena_copy(arena, from->bounds,
                                  (from->n_groups + 1) * sizeof *from->bounds,
                                  _Alignof(uint16_t));
  tenon_rule_arg *args =
      tenon_arena_array(arena, tenon_rule_arg, from->n_args + 1);
  if (!args) return false;
  for (uint32_t i = 0; i < from->n_args; ++i) {
    tenon_arg pair[2] = {from->args[i].value, {NULL, 0, {0}}};
    const tenon_arg *copy = tenon_args_copy(arena, pair);
    if (!copy) return false;
    args[i].value = copy[0];
    args[i].capture = tenon_arena_string(arena, from->args[i].capture);
  }
  to->args = args;
  return true;
}

tenon_status tenon_rule_keep_pattern(tenon_parser *p, tenon_context *cx,
                                     tenon_rule *rule) {
  const tenon_ruling *r = p->ruling;
  tenon_arena *arena = &cx->arena;
  tenon_rule_node *nodes =
      tenon_arena_array(arena, tenon_rule_node, r->nodes.count);
  tenon_rule_slot *slots =
      tenon_arena_array(arena, tenon_rule_slot, r->slots.count);
  bool done = nodes && slots;
  for (size_t i = 0; done && i < r->nodes.count; ++i)
    done = rule_check_copy_node(arena, &r->nodes.data[i], &nodes[i]);
  for (size_t i = 0; done && i < r->slots.count; ++i) {
    slots[i] = r->slots.data[i];
    slots[i].name = tenon_arena_string(arena, slots[i].name);
    if (!slots[i].constant) continue;
    slots[i].constant = rule_check_copy_tensor(arena, slots[i].constant);
    done = slots[i].constant != NULL;
  }
  if (!done || arena->failed)
    return tenon_fail_memory(&cx->report, "adding a lowering");
  rule->nodes = nodes;
  rule->slots = slots;
  rule->n_nodes = (uint32_t)r->nodes.count;
  rule->n_slots = (uint32_t)r->slots.count;
  rule->n_results = r->n_returned;
  return TENON_OK;
}
