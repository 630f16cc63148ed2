// How: one look at the schema per question; nothing is kept, so nothing can go
// stale when nodes are replaced.
#include "ir/written.h"

#include <string.h>

#include "ir/graph_link.h"

// The flat index of the declared result that carries the mark of tensor
// argument `t`, or false.
static bool find_marked(const tenon_node *n, int t, uint32_t *result) {
  const tenon_schema *s = n->op->schema;
  for (int r = 0; r < s->n_returns; ++r)
    if (tenon_schema_return_of(s, r) == t) {
      *result = n->out_group ? n->out_group[r] : (uint32_t)r;
      return true;
    }
  return false;
}

bool tenon_written_in_place(const tenon_node *n) {
  if (!n->op || !n->op->schema || n->is_functional) return false;
  for (int t = 0; t < n->op->schema->n_tensors; ++t)
    if (tenon_schema_tensor(n->op->schema, t)->is_written) return true;
  return false;
}

const tenon_node *tenon_written_find(const tenon_graph *g) {
  for (const tenon_node *n = g->first; n; n = n->next) {
    if (tenon_written_in_place(n)) return n;
    for (uint32_t r = 0; r < n->n_regions; ++r) {
      const tenon_node *inner = tenon_written_find(n->regions[r]);
      if (inner) return inner;
    }
  }
  return NULL;
}

bool tenon_written_pair(const tenon_node *n, uint32_t k, uint32_t *operand,
                        uint32_t *result) {
  if (n->is_in_state) {
    *operand = n->state_in;
    *result = n->state_out;
    return k == 0;
  }
  if (!n->is_functional || !n->op || !n->op->schema) return false;
  const tenon_schema *s = n->op->schema;
  uint32_t group = s->n_returns;
  for (int t = 0; t < s->n_tensors; ++t) {
    if (!tenon_schema_tensor(s, t)->is_written) continue;
    uint32_t at = 0;
    if (!find_marked(n, t, &at)) {
      at = n->out_group ? n->out_group[group] : group;
      ++group;
    }
    int first = 0;
    uint32_t count = (uint32_t)tenon_node_group(n, t, &first);
    if (k >= count) {
      k -= count;
      continue;
    }
    *operand = (uint32_t)first + k;
    *result = at + k;
    return *result < n->n_out;
  }
  return false;
}

const tenon_type *tenon_written_nothing(void) {
  static const tenon_dim none[1] = {{0, 0}};
  static const tenon_type type = {none, NULL, TENON_U8, 1, 0};
  return &type;
}

bool tenon_written_is_absent(const tenon_node *n, uint32_t result) {
  uint32_t operand = 0, at = 0;
  for (uint32_t k = 0; tenon_written_pair(n, k, &operand, &at); ++k)
    if (at == result) return !n->in[operand].value;
  return false;
}

bool tenon_result_may_be_none(const tenon_node *n, uint32_t result) {
  const tenon_schema *s = n->op ? n->op->schema : NULL;
  uint32_t group = result;
  if (!s) return false;
  if (n->out_group) {
    group = 0;
    while (group < n->n_out_groups && n->out_group[group + 1] <= result)
      ++group;
  }
  if (group >= tenon_schema_declared(s)) return false;
  const tenon_argument *a = tenon_schema_result(s, group);
  return a->is_optional && !a->is_list;
}

bool tenon_result_is_none(const tenon_node *n, uint32_t result) {
  return tenon_result_may_be_none(n, result) &&
         tenon_type_equals(&n->out[result]->type, tenon_written_nothing());
}

uint32_t tenon_written_count(const tenon_node *n) {
  const tenon_schema *s = n->op->schema;
  uint32_t count = 0;
  for (int i = 0; s && i < s->n_written; ++i) {
    int first = 0;
    count += (uint32_t)tenon_node_group(n, s->written[i], &first);
  }
  return count;
}

bool tenon_written_is_said(const tenon_node *n) {
  const tenon_schema *s = n->op->schema;
  if (!n->is_functional || !s) return false;
  bool has_list = false;
  for (int i = 0; i < s->n_written; ++i)
    has_list |= tenon_schema_tensor(s, s->written[i])->is_list;
  return has_list || s->n_written == 0;
}

const tenon_node *tenon_written_state(const tenon_value *v) {
  while (v && v->kind == TENON_VALUE_RESULT) {
    const tenon_node *n = v->node;
    if (tenon_op_is(n->op, "core::state_read")) return n;
    uint32_t operand = 0, result = 0;
    const tenon_value *next = NULL;
    for (uint32_t k = 0; tenon_written_pair(n, k, &operand, &result); ++k)
      if (n->out[result] == v) next = n->in[operand].value;
    v = next;
  }
  return NULL;
}

const char *tenon_state_name(const tenon_node *n) {
  for (const tenon_arg *a = n->args; a && a->name; ++a)
    if (strcmp(a->name, "state") == 0) return a->as.s;
  return "";
}
