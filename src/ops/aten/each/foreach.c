// Operators on lists of tensors (foreach.def). How: one node of the operator on
// one tensor for each element of the list. It has the type that the file states
// for its result, which is the tensor's own where it is written.
#include <string.h>

#include "ops/aten/aten_op.h"

enum { MOST_TENSORS = 1024, MOST_OPERANDS = 4, MOST_ARGS = 8 };

// The arguments of element `at`; the one that is a number is named `number`.
static tenon_status arguments(tenon_rewriter *rw, const tenon_node *n, int at,
                              const char *number, tenon_arg *out) {
  static const tenon_arg end = TENON_END_ARGS;
  static const char *const numbers[] = {"scalar", "scalars",  "value", "weight",
                                        "self",   "exponent", "ord"};
  int count = 0;
  for (const tenon_arg *a = rw->api->args(rw, n); a && a->name; ++a) {
    if (count == MOST_ARGS) return tenon_rw_fail(rw, "too many arguments");
    tenon_arg *to = &out[count++];
    *to = *a;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
      if (strcmp(a->name, numbers[k]) == 0) to->name = number;
    if (a->kind != TENON_KIND_SCALARS) continue;
    if ((size_t)at >= a->as.scalars.count)
      return tenon_rw_fail(rw, "%zu numbers for %d tensors and more",
                           a->as.scalars.count, at + 1);
    to->kind = TENON_KIND_SCALAR;
    to->as.scalar = a->as.scalars.data[at];
  }
  out[count] = end;
  return TENON_OK;
}

// The operands of element `at`. Of overload Tensor the second is no list, but
// one for all.
static tenon_status operands(tenon_rewriter *rw, const tenon_node *n, int at,
                             int count, tenon_value **in, uint32_t *n_in) {
  bool has_one = strstr(rw->api->op(rw, n), ".Tensor") != NULL;
  int first = 0, size = 0;
  for (int g = 0; (size = rw->api->group(rw, n, g, &first)) > 0; ++g) {
    bool is_one = g > 0 && has_one;
    if (g == MOST_OPERANDS) return tenon_rw_fail(rw, "too many operands");
    if (size != count && !is_one)
      return tenon_rw_fail(rw, "lists of %d and of %d tensors", count, size);
    in[(*n_in)++] = rw->api->operand(rw, n, is_one ? first : first + at);
  }
  return TENON_OK;
}

TENON_ATEN_LOWER(foreach) {
  const char *of_list = rw->api->op(rw, n) + strlen("aten::_foreach_");
  const char *one = tenon_aten_user(rw),
             *number = one ? strchr(one, ' ') : NULL;
  tenon_value *results[MOST_TENSORS];
  char op[40] = "aten::";
  if (one)
    strncat(op, one, number ? (size_t)(number - one) : strlen(one));
  else  // the node may be of the form in place
    strncat(op, of_list, strcspn(of_list, "_"));
  int first = 0, count = rw->api->group(rw, n, 0, &first);
  if (count < 1 || count > MOST_TENSORS)
    return tenon_rw_fail(rw, "%d tensors, 1 to %d are possible", count,
                         MOST_TENSORS);
  for (int i = 0; i < count; ++i) {
    tenon_value *in[MOST_OPERANDS];
    const tenon_type *type = tenon_aten_result(rw, n, i);
    tenon_arg args[MOST_ARGS + 1];
    tenon_build b = {.struct_size = sizeof b, .op = op, .n_out = 1};
    TENON_TRY(operands(rw, n, i, count, in, &b.n_in));
    TENON_TRY(arguments(rw, n, i, number ? number + 1 : "", args));
    b.in = in;
    b.args = args;
    b.types = type && type->dtype ? &type : NULL;
    b.out = &results[i];
    (void)rw->api->build(rw, &b);
  }
  return rw->api->replace(rw, n, results, count);
}
