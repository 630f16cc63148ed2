// How: one look at the schema per question; nothing is kept, so nothing can go
// stale when nodes are replaced.
#include "ir/written.h"

#include <string.h>

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

bool tenon_written_pair(const tenon_node *n, uint32_t k, uint32_t *operand,
                        uint32_t *result) {
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
