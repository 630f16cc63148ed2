// ir/rewrite/rewrite_asked.c - holding a lowering to the arguments of its node.
//
// What a lowering never asked for has no part in what it builds. That is right
// of an argument that has its default, and silently wrong of any other, so an
// operator may have it refused where its own lowering is at work; others, which
// somebody chose for a program, answer for themselves. Asking is noted by
// place, in two words; whoever takes the list of attributes as a whole has
// asked for all of them.

#include "base/buf.h"
#include "core/attr.h"
#include "ir/rewrite/rewriting.h"

enum { NOTED = 64 };

static void asked_note(uint64_t *asked, int64_t at) {
  if (at >= 0 && at < NOTED) *asked |= UINT64_C(1) << at;
}

static bool is_noted(uint64_t asked, int64_t at) {
  return at >= NOTED || (asked >> at & 1) != 0;
}

const tenon_arg *tenon_rewriting_ask(tenon_rewriting *rw, const tenon_node *n,
                                     const char *name) {
  const tenon_arg *a = tenon_node_arg(n, name);
  const tenon_op_desc *desc = n->op->desc;
  if (!a) return NULL;
  if (n == rw->node) asked_note(&rw->asked_args, a - n->args);
  // What callbacks see where there is no struct, in the same order.
  return desc && desc->fields ? a : (const tenon_arg *)n->attrs + (a - n->args);
}

void tenon_rewriting_ask_all(tenon_rewriting *rw, const tenon_node *n) {
  if (n == rw->node) rw->asked_args = UINT64_MAX;
}

void tenon_rewriting_ask_operand(tenon_rewriting *rw, const tenon_node *n,
                                 int i) {
  if (n == rw->node) asked_note(&rw->asked_operands, i);
}

static tenon_status refuse_attribute(tenon_rewriting *rw, const tenon_arg *a) {
  tenon_buf value;
  tenon_buf_init(&value, rw->m->arena.allocator);
  tenon_arg_print(a, &rw->m->symbols, &value);
  tenon_status status = rw->base.api->fail(
      &rw->base, "'%s' is %s, and other values than the default are not served",
      a->name, value.data ? value.data : "?");
  tenon_buf_deinit(&value);
  return status;
}

// Of a list, one is enough: the others are taken in a loop.
static bool is_operand_asked(const tenon_rewriting *rw, int group) {
  int first = 0, present = 0;
  int count = tenon_node_group(rw->node, group, &first);
  for (int i = first; i < first + count; ++i) {
    if (!tenon_node_in(rw->node, (uint32_t)i)) continue;
    if (is_noted(rw->asked_operands, i)) return true;
    ++present;
  }
  return present == 0;
}

tenon_status tenon_rewriting_check_asked(tenon_rewriting *rw) {
  const tenon_node *n = rw->node;
  if (!rw->is_held || !n->op->schema) return TENON_OK;
  for (const tenon_arg *a = n->args; a && a->name; ++a) {
    if (!is_noted(rw->asked_args, a - n->args) &&
        !tenon_arg_is_default(a, n->op->schema))
      return refuse_attribute(rw, a);
  }
  for (int g = 0; g < n->n_in_groups; ++g) {
    const tenon_argument *a = tenon_schema_tensor(n->op->schema, g);
    if (a && !is_operand_asked(rw, g))
      return rw->base.api->fail(&rw->base, "'%s' is given, which is not served",
                                a->name);
  }
  return TENON_OK;
}
