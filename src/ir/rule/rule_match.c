// ir/rule/rule_match.c - finding a pattern that ends in a node.
//
// From the last statement backwards: a statement fits a node of its operator,
// attributes and number of operands; each operand that is a result in the
// pattern must come from a node that fits in turn. Operands of what commutes
// may stand in either order: every choice is tried, so a pattern has few of
// those.
//
// What is between must be pure and used by nobody else; it would be computed
// twice.
#include "ir/rule/ruling.h"

typedef struct matcher {
  const tenon_rule *rule;
  tenon_rewriting *rw;
  tenon_value **values;  // of slots; null: not met yet
  bool *is_met;          // a slot may stand for an absent operand
  const tenon_node *nodes[TENON_RULE_NODES];
  const tenon_arg **captured;  // of `names`
  const char **names;
  uint32_t n_names;
  uint32_t swaps;  // bit k: the k-th that commutes
} matcher;

static bool match_node(matcher *m, int i, const tenon_node *n);

static bool capture(matcher *m, const char *name, const tenon_arg *arg) {
  tenon_arg a[2] = {*arg, {NULL, 0, {0}}}, b[2] = {*arg, {NULL, 0, {0}}};
  if (strcmp(name, "_") == 0) return true;
  for (uint32_t i = 0; i < m->n_names; ++i) {
    if (strcmp(m->names[i], name) != 0) continue;
    b[0] = *m->captured[i];
    b[0].name = a[0].name;
    return tenon_args_equal(a, b);
  }
  m->names[m->n_names] = name;
  m->captured[m->n_names++] = arg;
  return true;
}

static bool match_args(matcher *m, const tenon_rule_node *r,
                       const tenon_node *n) {
  for (uint32_t i = 0; i < r->n_args; ++i) {
    const tenon_arg *arg = tenon_node_arg(n, r->args[i].value.name);
    if (!arg) return false;
    if (r->args[i].capture) {
      if (!capture(m, r->args[i].capture, arg)) return false;
      continue;
    }
    tenon_arg a[2] = {*arg, {NULL, 0, {0}}};
    tenon_arg b[2] = {r->args[i].value, {NULL, 0, {0}}};
    if (!tenon_args_equal(a, b)) return false;
  }
  return true;
}

static bool same_constant(const tenon_value *v, const tenon_tensor *t) {
  size_t size = 0;
  const tenon_tensor *c = v ? v->constant : NULL;
  if (!c || !c->data || c->dtype != t->dtype || c->rank != t->rank ||
      !tenon_quant_equals(c->quant, t->quant))
    return false;
  for (int i = 0; i < t->rank; ++i)
    if (c->dims[i] != t->dims[i]) return false;
  return tenon_dtype_size(t->dtype, tenon_count(t), &size) &&
         memcmp(c->data, t->data, size) == 0;
}

static bool match_value(matcher *m, uint32_t slot, tenon_value *v) {
  if (slot == TENON_RULE_ABSENT) return v == NULL;
  const tenon_rule_slot *s = &m->rule->slots[slot];
  if (m->is_met[slot]) return m->values[slot] == v;
  if (s->constant && !same_constant(v, s->constant)) return false;
  if (s->node < 0) {
    m->is_met[slot] = true;
    m->values[slot] = v;
    return true;
  }
  if (!v || v->kind != TENON_VALUE_RESULT || v->index != s->result ||
      v->node->graph != m->rw->node->graph)
    return false;
  return match_node(m, s->node, v->node) && m->is_met[slot];
}

static bool is_swapped(const matcher *m, int i) {
  uint32_t k = 0;
  for (int j = 0; j < i; ++j)
    k += m->rule->nodes[j].commutes;
  return m->rule->nodes[i].commutes && (m->swaps >> k & 1u);
}

static bool same_bounds(const tenon_rule_node *r, const tenon_node *n) {
  if (!r->bounds || !n->in_group) return !r->bounds && !n->in_group;
  if (r->n_groups != n->n_in_groups) return false;
  return memcmp(r->bounds, n->in_group,
                (r->n_groups + 1) * sizeof *r->bounds) == 0;
}

static bool match_node(matcher *m, int i, const tenon_node *n) {
  const tenon_rule_node *r = &m->rule->nodes[i];
  if (m->nodes[i]) return m->nodes[i] == n;
  if (!tenon_op_is(n->op, r->op) || n->n_in != r->n_in ||
      n->n_out != r->n_out || !same_bounds(r, n))
    return false;
  m->nodes[i] = n;
  if (!match_args(m, r, n)) return false;
  // Results are met before operands: a pattern has no circles.
  for (uint32_t s = 0; s < m->rule->n_slots; ++s) {
    if (m->rule->slots[s].node != i) continue;
    m->is_met[s] = true;
    m->values[s] = n->out[m->rule->slots[s].result];
  }
  bool swap = is_swapped(m, i);
  for (uint32_t k = 0; k < n->n_in; ++k) {
    uint32_t at = swap && k < 2 ? 1 - k : k;
    if (!match_value(m, r->in[k], tenon_node_in(n, at))) return false;
  }
  return true;
}

// All of the pattern was met, and what is between has no other user.
static bool rule_match_is_whole(const matcher *m) {
  const tenon_rule *rule = m->rule;
  for (uint32_t i = 0; i < rule->n_nodes; ++i)
    if (!m->nodes[i]) return false;
  // An input that is a value from within would have to stay.
  for (uint32_t s = 0; s < rule->n_slots; ++s) {
    const tenon_value *v = m->values[s];
    if (rule->slots[s].node >= 0 || !v || v->kind != TENON_VALUE_RESULT)
      continue;
    for (uint32_t i = 0; i < rule->n_nodes; ++i)
      if (v->node == m->nodes[i]) return false;
  }
  for (uint32_t i = 0; i + 1 < rule->n_nodes; ++i) {
    const tenon_node *n = m->nodes[i];
    if (!tenon_op_is_pure(n->op)) return false;
    for (uint32_t k = 0; k < n->n_out; ++k) {
      for (const tenon_use *u = n->out[k]->uses; u; u = u->next) {
        bool is_ours = false;
        for (uint32_t j = 0; j < rule->n_nodes; ++j)
          is_ours |= u->node == m->nodes[j];
        if (!is_ours) return false;
      }
    }
  }
  return true;
}

static bool attempt(matcher *m, const tenon_node *root) {
  memset(m->nodes, 0, sizeof m->nodes);
  memset(m->is_met, 0, m->rule->n_slots * sizeof *m->is_met);
  memset(m->values, 0, m->rule->n_slots * sizeof(tenon_value *));
  m->n_names = 0;
  return match_node(m, (int)m->rule->n_nodes - 1, root) &&
         rule_match_is_whole(m);
}

static uint32_t count_commuting(const tenon_rule *rule) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < rule->n_nodes; ++i)
    n += rule->nodes[i].commutes;
  return n < TENON_RULE_SWAPS ? n : TENON_RULE_SWAPS;
}

static bool give_names(tenon_ruling *r, const matcher *m) {
  for (uint32_t i = 0; i < r->rule->n_slots; ++i) {
    tenon_rule_name n = {.name = r->rule->slots[i].name,
                         .is_operand = true,
                         .is_inner = r->rule->slots[i].node >= 0,
                         .list = &m->values[i],
                         .n = 1};
    if (n.name[0] && !tenon_vec_push(&r->names, n)) return false;
  }
  for (uint32_t i = 0; i < m->n_names; ++i) {
    tenon_rule_name n = {.name = m->names[i], .arg = m->captured[i]};
    if (!tenon_vec_push(&r->names, n)) return false;
  }
  return true;
}

// What was met is a part of what the new nodes stand for: their place says so.
static void note_places(const matcher *m) {
  for (uint32_t i = m->rule->n_nodes - 1; i > 0; --i)
    (void)m->rw->base.api->producer(&m->rw->base, m->nodes[i - 1]->out[0]);
}

bool tenon_rule_matches(tenon_ruling *r, tenon_arena *arena) {
  matcher m;
  uint32_t n_args = 0;
  memset(&m, 0, sizeof m);
  m.rule = r->rule;
  m.rw = r->rw;
  for (uint32_t i = 0; i < r->rule->n_nodes; ++i)
    n_args += r->rule->nodes[i].n_args;
  m.values = tenon_arena_array(arena, tenon_value *, r->rule->n_slots);
  m.is_met = tenon_arena_array(arena, bool, r->rule->n_slots);
  m.captured = tenon_arena_array(arena, const tenon_arg *, n_args);
  m.names = tenon_arena_array(arena, const char *, n_args);
  if (!m.values || !m.is_met || !m.captured || !m.names) return false;
  uint32_t most = 1u << count_commuting(r->rule);
  for (m.swaps = 0; m.swaps < most; ++m.swaps) {
    if (!attempt(&m, r->rw->node)) continue;
    if (!give_names(r, &m)) arena->failed = true;
    note_places(&m);
    return true;
  }
  return false;
}
