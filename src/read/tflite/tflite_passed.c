// How: behind inference, since it may know a size that the file leaves open.
// Which members of which operators are functions is in tflite_calls.def, by the
// number of a slot; an operator's attribute has the slot's name.
#include "core/attr.h"
#include "ir/infer/infer.h"
#include "read/read.h"
#include "read/tflite/tflite_import.h"
#include "read/tflite/tflite_spread.h"

// One function that a node names.
typedef struct passing {
  const tenon_module *m;
  const tenon_node *n;
  const tenon_graph *f;
  const char *attribute;
} passing;

static bool passed_is_alike(const tenon_value *a, const tenon_type *b) {
  return a && tenon_type_may_equal(&a->type, b) &&
         tenon_quant_equals(a->type.quant, b->quant);
}

static tenon_status passed_refuse(const passing *p, const char *what,
                                  uint32_t i, const tenon_value *outside,
                                  const tenon_type *type) {
  tenon_buf a, b;
  tenon_buf_init(&a, p->m->arena.allocator);
  tenon_buf_init(&b, p->m->arena.allocator);
  if (outside) tenon_type_print(&outside->type, &p->m->symbols, &a);
  tenon_type_print(type, &p->m->symbols, &b);
  tenon_status status = tenon_fail(
      &p->m->report, TENON_BAD_MODEL, "tflite-call", tenon_node_place(p->n),
      "%s %u of function %u (%s) is %s, expected %s as the operator has it",
      what, (unsigned)i, (unsigned)p->f->index, p->attribute,
      b.data ? b.data : "", outside && a.data ? a.data : "a tensor");
  tenon_buf_deinit(&a);
  tenon_buf_deinit(&b);
  return status;
}

static tenon_status refuse_count(const passing *p, const char *what,
                                 uint32_t found, uint32_t expected) {
  return tenon_fail(
      &p->m->report, TENON_BAD_MODEL, "tflite-call", tenon_node_place(p->n),
      "function %u (%s) has %u %s, expected %u", (unsigned)p->f->index,
      p->attribute, (unsigned)found, what, (unsigned)expected);
}

// A loop goes on by one boolean.
static tenon_status passed_check_flag(const passing *p) {
  const tenon_graph *f = p->f;
  uint64_t count = 1;
  if (f->end->n_in != 1) return refuse_count(p, "results", f->end->n_in, 1);
  const tenon_type *t = &tenon_node_in(f->end, 0)->type;
  bool is_one =
      !tenon_type_is_static(t) || (tenon_type_count(t, &count) && count == 1);
  if (t->dtype == TENON_BOOL && is_one) return TENON_OK;
  return tenon_fail(&p->m->report, TENON_BAD_MODEL, "tflite-call",
                    tenon_node_place(p->n),
                    "the result of function %u (%s) is not one boolean",
                    (unsigned)f->index, p->attribute);
}

static tenon_status check_passed_types(const passing *p,
                                       const tenon_call_row *row) {
  const tenon_node *n = p->n;
  const tenon_graph *f = p->f;
  uint32_t given = n->n_in > row->first ? n->n_in - row->first : 0;
  if (f->n_params != given)
    return refuse_count(p, "parameters", f->n_params, given);
  for (uint32_t i = 0; i < given; ++i) {
    const tenon_value *v = tenon_node_in(n, i + row->first);
    if (!passed_is_alike(v, &f->params[i]->type))
      return passed_refuse(p, "parameter", i, v, &f->params[i]->type);
  }
  if (row->results == RESULTS_ONE) return passed_check_flag(p);
  if (f->end->n_in != n->n_out)
    return refuse_count(p, "results", f->end->n_in, n->n_out);
  for (uint32_t i = 0; i < n->n_out; ++i) {
    const tenon_type *t = &tenon_node_in(f->end, i)->type;
    if (!passed_is_alike(n->out[i], t))
      return passed_refuse(p, "result", i, n->out[i], t);
  }
  return TENON_OK;
}

// Sizes that hang on the branch that is taken.
static tenon_status compare_branches(const passing *p,
                                     const tenon_graph *other) {
  for (uint32_t i = 0; i < p->f->end->n_in && i < other->end->n_in; ++i) {
    const tenon_type *a = &tenon_node_in(other->end, i)->type;
    const tenon_type *b = &tenon_node_in(p->f->end, i)->type;
    if (a->dtype != b->dtype || tenon_type_may_equal(a, b)) continue;
    return tenon_fail(
        &p->m->report, TENON_UNSUPPORTED, "tflite-call", tenon_node_place(p->n),
        "result %u has other sizes in function %u than in "
        "function %u; such branches are not supported",
        (unsigned)i, (unsigned)other->index, (unsigned)p->f->index);
  }
  return TENON_OK;
}

// Sizes that change in a loop.
static tenon_status compare_rounds(const passing *p) {
  const tenon_graph *f = p->f;
  for (uint32_t i = 0; i < f->n_params && i < f->end->n_in; ++i) {
    const tenon_type *t = &tenon_node_in(f->end, i)->type;
    if (t->dtype != f->params[i]->type.dtype ||
        tenon_type_may_equal(&f->params[i]->type, t))
      continue;
    return tenon_fail(&p->m->report, TENON_UNSUPPORTED, "tflite-call",
                      tenon_node_place(p->n),
                      "value %u has other sizes behind function %u than before "
                      "it, and nothing says that they change in the loop",
                      (unsigned)i, (unsigned)f->index);
  }
  return TENON_OK;
}

// The slot's name, which is the attribute's.
static const char *passed_name_of(const tenon_fb_type *type, int slot,
                                  char *name, size_t size) {
  tenon_text rest = tenon_text_of(type->names), piece = {NULL, 0};
  for (int i = 0; i <= slot; ++i)
    if (!tenon_text_next(&rest, ' ', &piece)) return NULL;
  if (piece.size >= size) return NULL;
  memcpy(name, piece.data, piece.size);
  name[piece.size] = 0;
  return name;
}

static tenon_status check_passed_row(const tenon_module *m, const tenon_node *n,
                                     const tenon_call_row *row,
                                     const tenon_fb_type *type) {
  char name[64];
  passing p = {m, n, NULL, passed_name_of(type, row->slot, name, sizeof name)};
  if (!p.attribute) return TENON_OK;
  // A function that is not named is the first.
  tenon_dim f = tenon_node_arg(n, p.attribute)
                    ? tenon_node_size(n, p.attribute, 0)
                    : tenon_dim_fixed(0);
  if (f.symbol != 0 || f.value < 0 || (uint64_t)f.value >= m->functions.count)
    return tenon_fail(&m->report, TENON_BAD_MODEL, "tflite-call",
                      tenon_node_place(n), "'%s' is %lld of %zu functions",
                      p.attribute, (long long)f.value, m->functions.count);
  p.f = m->functions.data[f.value];
  // First, since a result has the sizes of what it comes with.
  if (row->results == RESULTS_SAME &&
      tenon_op_is(n->op, TENON_TFLITE_SET "::WHILE"))
    TENON_TRY(compare_rounds(&p));
  return check_passed_types(&p, row);
}

// The options table of an operator that refers to functions; null: of another.
static const tenon_fb_type *passed_find_type(const char *op) {
  size_t set = strlen(TENON_TFLITE_SET);
  if (strncmp(op, TENON_TFLITE_SET "::", set + 2) != 0) return NULL;
  return tenon_tflite_find(op + set + 2).options;
}

// First, since neither is what the file says.
static tenon_status passed_compare(const tenon_module *m, const tenon_node *n) {
  const tenon_graph *a = tenon_tflite_function(m, n, "then_subgraph_index");
  const passing p = {m, n, tenon_tflite_function(m, n, "else_subgraph_index"),
                     NULL};
  return a && p.f ? compare_branches(&p, a) : TENON_OK;
}

static tenon_status passed_check_node(void *self, tenon_node *n) {
  const tenon_module *m = (const tenon_module *)self;
  // Who nobody describes stays as it is; nothing is made of its functions.
  const tenon_fb_type *type =
      n->op->desc ? passed_find_type(n->op->name) : NULL;
  if (tenon_tflite_is_flow(n) &&
      !tenon_op_is(n->op, TENON_TFLITE_SET "::WHILE"))
    TENON_TRY(passed_compare(m, n));
  for (size_t i = 0; type && i < TENON_CALL_ROWS; ++i)
    if (tenon_call_rows[i].results != RESULTS_ANY &&
        strcmp(tenon_call_rows[i].options, type->name) == 0)
      TENON_TRY(check_passed_row(m, n, &tenon_call_rows[i], type));
  return TENON_OK;
}

tenon_status tenon_tflite_check(tenon_module *m, bool is_reshaped) {
  if (m->format && strcmp(m->format, "tflite") == 0)
    TENON_TRY(tenon_tflite_spread(m, is_reshaped));
  for (size_t i = 0; i < m->functions.count; ++i)
    TENON_TRY(tenon_graph_visit(m->functions.data[i], passed_check_node, m));
  return TENON_OK;
}
