// ir/verify/verify_node.c - a node against the schema of its operator.
//
// Names, order and kinds of attributes must be what core/attr.h calls
// canonical: passes compare nodes by them, and kernels read a struct made from
// them without looking again.
#include <string.h>

#include "core/attr.h"
#include "ir/graph_link.h"
#include "ir/verify/verifier.h"

// Whether a value of `kind` may stand for an argument of kind `want`.
static bool kind_fits(const tenon_argument *a, const tenon_arg *arg) {
  uint32_t kind = arg->kind;
  if (kind == 0) return a->is_optional || a->base == TENON_BASE_NAME;
  if (kind == TENON_KIND_DIMS)
    return a->is_list ? a->is_symbolic
                      : arg->as.dims.count == 1 &&
                            (a->is_symbolic || a->base == TENON_BASE_SCALAR);
  if (a->kind == 0) return kind == TENON_KIND_INTS;  // an empty list of names
  if (tenon_attr_is_complex(a, arg)) return true;
  switch (a->kind) {
    case TENON_KIND_OPT_BOOL:
      return kind == TENON_KIND_BOOL;
    case TENON_KIND_OPT_INT:
      return kind == TENON_KIND_INT;
    case TENON_KIND_OPT_FLOAT:
      return kind == TENON_KIND_FLOAT;
    default:
      return kind == a->kind;
  }
}

static tenon_status check_attributes(const tenon_verifier *v,
                                     const tenon_node *n) {
  const tenon_schema *s = n->op->schema;
  if (!n->args || (s->n_attrs > 0 && !n->attrs))
    return tenon_verify_fail(v, 8, n->loc, "'%s' has no attributes",
                             n->op->name);
  for (int i = 0; i < s->n_attrs; ++i) {
    const tenon_argument *a = tenon_schema_attr(s, i);
    const tenon_arg *arg = &n->args[i];
    if (!arg->name || strcmp(arg->name, a->name) != 0)
      return tenon_verify_fail(
          v, 8, n->loc, "attribute %d of '%s' is '%s', not '%s'", i,
          n->op->name, arg->name ? arg->name : "", a->name);
    if (!kind_fits(a, arg))
      return tenon_verify_fail(
          v, 8, n->loc, "attribute '%s' of '%s' is %s, not %s", a->name,
          n->op->name, arg->kind ? tenon_kind_name(arg->kind) : "none",
          a->type_text);
  }
  if (n->args[s->n_attrs].name)
    return tenon_verify_fail(v, 8, n->loc,
                             "'%s' has an attribute '%s' too many", n->op->name,
                             n->args[s->n_attrs].name);
  return TENON_OK;
}

static bool bounds_hold(const uint16_t *bounds, uint32_t n, uint32_t count) {
  if (!bounds) return n == count;
  if (bounds[0] != 0 || bounds[n] != count) return false;
  for (uint32_t i = 0; i < n; ++i) {
    if (bounds[i] > bounds[i + 1]) return false;
  }
  return true;
}

static tenon_status node_check_operands(const tenon_verifier *v,
                                        const tenon_node *n) {
  const tenon_schema *s = n->op->schema;
  if (n->n_in_groups != s->n_tensors)
    return tenon_verify_fail(v, 9, n->loc, "'%s' takes %u operands, found %u",
                             n->op->name, (unsigned)s->n_tensors,
                             (unsigned)n->n_in_groups);
  for (int i = 0; i < s->n_tensors; ++i) {
    const tenon_argument *a = tenon_schema_tensor(s, i);
    int first = 0, count = tenon_node_group(n, i, &first);
    bool may_miss = a->is_list ? a->has_optional_elements : a->is_optional;
    if (!a->is_list && count != 1)
      return tenon_verify_fail(v, 9, n->loc,
                               "operand '%s' of '%s' is %d tensors", a->name,
                               n->op->name, count);
    for (int k = first; k < first + count && !may_miss; ++k) {
      if (!n->in[k].value)
        return tenon_verify_fail(v, 9, n->loc,
                                 "operand '%s' of '%s' is missing", a->name,
                                 n->op->name);
    }
  }
  return TENON_OK;
}

static tenon_status node_check_results(const tenon_verifier *v,
                                       const tenon_node *n) {
  const tenon_schema *s = n->op->schema;
  uint32_t declared = tenon_schema_declared(s);
  uint32_t want = declared + (n->is_functional ? s->n_written : 0u);
  if (n->n_out_groups != want)
    return tenon_verify_fail(v, 9, n->loc, "'%s' has %u results, found %u",
                             n->op->name, (unsigned)want,
                             (unsigned)n->n_out_groups);
  for (uint32_t i = 0; i < want; ++i) {
    const tenon_argument *a = tenon_schema_result(s, i);
    int count = n->out_group ? n->out_group[i + 1] - n->out_group[i] : 1;
    if (!a->is_list && count != 1)
      return tenon_verify_fail(v, 9, n->loc, "result %u of '%s' is %d tensors",
                               (unsigned)i, n->op->name, count);
  }
  return TENON_OK;
}

static tenon_status check_decided(const tenon_verifier *v,
                                  const tenon_node *n) {
  for (uint32_t i = 0; i < n->n_decided; ++i) {
    const tenon_symbol *s = tenon_symbols_look(&v->m->symbols, n->decided[i]);
    if (!s || s->op != 0)
      return tenon_verify_fail(v, 15, n->loc,
                               "size %u that '%s' decides is no symbol",
                               (unsigned)i, n->op->name);
  }
  return TENON_OK;
}

tenon_status tenon_verify_operator(const tenon_verifier *v,
                                   const tenon_node *n) {
  if (!n->op || !n->op->name || !n->op->name[0])
    return tenon_verify_fail(v, 8, n->loc, "a node has no operator");
  if (!bounds_hold(n->in_group, n->n_in_groups, n->n_in) ||
      !bounds_hold(n->out_group, n->n_out_groups, n->n_out))
    return tenon_verify_fail(v, 9, n->loc, "the groups of '%s' do not add up",
                             n->op->name);
  TENON_TRY(check_decided(v, n));
  if (!n->op->schema) return TENON_OK;
  TENON_TRY(check_attributes(v, n));
  TENON_TRY(node_check_operands(v, n));
  return node_check_results(v, n);
}
