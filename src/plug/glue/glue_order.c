// How: a kernel for tensors in another order is given them as they lie; a
// function of a user's knows them by index. A copy of the call stands between
// the two, whose tensors have the sizes by index, and strides.
#include <string.h>

#include "base/put.h"
#include "plug/glue/glue.h"

// The result of a call that the value after a written tensor argument is.
static uint16_t written_result(const tenon_schema *s, uint16_t tensor) {
  for (uint16_t r = 0; r < s->n_returns; ++r)
    if (tenon_schema_return_of(s, r) == (int)tensor) return r;
  for (uint16_t w = 0; w < s->n_written; ++w)
    if (s->written[w] == tensor) return (uint16_t)(s->n_returns + w);
  return 0;
}

static int find_slot(const tenon_bind_op *op, tenon_bind_role role,
                     uint16_t index) {
  for (uint16_t i = 0; i < op->n_params; ++i) {
    const tenon_bind_param *p = &op->params[i];
    if (p->role == role && p->index == index) return p->slot;
  }
  return -1;
}

int tenon_glue_in_slot(const tenon_bind_op *op, uint16_t i) {
  const tenon_schema *s = op->schema;
  return tenon_schema_tensor(s, i)->is_written
             ? find_slot(op, TENON_BIND_OUT, written_result(s, i))
             : find_slot(op, TENON_BIND_IN, i);
}

int tenon_glue_out_slot(const tenon_bind_op *op, uint16_t i) {
  return find_slot(op, TENON_BIND_OUT, i);
}

static const char *order_at(const tenon_bind_key *key, int slot) {
  return slot < 0 ? NULL : key->orders[slot];
}

void tenon_glue_order(tenon_buf *out, const tenon_bind_op *op,
                      const tenon_bind_key *key) {
  if (!key->is_ordered) return;
  tenon_buf_text(out, "    .order = \"");
  for (uint16_t i = 0; i < op->schema->n_tensors; ++i) {
    const char *order = order_at(key, tenon_glue_in_slot(op, i));
    tenon_buf_format(out, "%s%s", i ? ", " : "", order ? order : "-");
  }
  tenon_buf_text(out, op->schema->n_tensors ? " -> " : "() -> ");
  for (uint16_t i = 0; i < op->n_results; ++i) {
    const char *order = order_at(key, tenon_glue_out_slot(op, i));
    tenon_buf_format(out, "%s%s", i ? ", " : "", order ? order : "-");
  }
  tenon_buf_text(out, "\",\n");
}

void tenon_glue_order_helper(tenon_buf *out, const tenon_bindings *b) {
  tenon_put(out,
            "\n"
            "// A tensor that lies in another order, by index.\n"
            "static void $_by_index(tenon_tensor *t, const char *order, "
            "int32_t *dims,\n"
            "                        int32_t *strides) {\n"
            "  int64_t run = 1;\n"
            "  for (int i = t->rank; i-- > 0; run *= t->dims[i]) {\n"
            "    dims[order[i] - '0'] = t->dims[i];\n"
            "    strides[order[i] - '0'] = (int32_t)run;\n"
            "  }\n"
            "  t->dims = dims;\n"
            "  t->strides = strides;\n"
            "}\n",
            b->plugin);
}

// `i` counts the tensors of the call, operands first.
static void glue_order_put_one(tenon_buf *out, const tenon_bindings *b,
                               const char *order, unsigned i, unsigned *n) {
  if (!order) return;
  // One that is absent has no dimensions.
  tenon_buf_format(out,
                   "  if (t[%u].rank == %u)\n    %s_by_index(&t[%u], \"%s\", "
                   "room[%u], room[%u]);\n",
                   i, (unsigned)strlen(order), b->plugin, i, order, *n, *n + 1);
  *n += 2;
}

static unsigned count_tensors(const tenon_bind_op *op) {
  return (unsigned)(op->schema->n_tensors + op->n_results);
}

static unsigned count_rooms(const tenon_bind_op *op,
                            const tenon_bind_key *key) {
  unsigned n = 0;
  for (uint16_t i = 0; i < op->schema->n_tensors; ++i)
    n += order_at(key, tenon_glue_in_slot(op, i)) ? 2 : 0;
  for (uint16_t i = 0; i < op->n_results; ++i)
    n += order_at(key, tenon_glue_out_slot(op, i)) ? 2 : 0;
  return n;
}

void tenon_glue_order_call(tenon_buf *out, const tenon_bindings *b,
                           const tenon_bind_op *op, const tenon_bind_key *key) {
  unsigned n_in = op->schema->n_tensors, all = count_tensors(op), n = 0;
  if (!key->is_ordered) return;
  tenon_put(out,
            "\n"
            "static tenon_call by_$(const tenon_call *c, tenon_tensor t[$],\n"
            "    int32_t room[$][TENON_MAX_RANK]) {\n"
            "  tenon_call by = *c;\n",
            key->symbol, all, count_rooms(op, key));
  for (unsigned i = 0; i < all; ++i)
    tenon_buf_format(out, "  t[%u] = c->%s[%u];\n", i, i < n_in ? "in" : "out",
                     i < n_in ? i : i - n_in);
  for (uint16_t i = 0; i < n_in; ++i)
    glue_order_put_one(out, b, order_at(key, tenon_glue_in_slot(op, i)), i, &n);
  for (uint16_t i = 0; i < op->n_results; ++i)
    glue_order_put_one(out, b, order_at(key, tenon_glue_out_slot(op, i)),
                       n_in + i, &n);
  tenon_put(out,
            "  by.in = t;\n"
            "  by.out = t + $;\n"
            "  return by;\n"
            "}\n",
            n_in);
}

void tenon_glue_order_use(tenon_buf *out, const tenon_bind_op *op,
                          const tenon_bind_key *key, const char *function) {
  tenon_put(out,
            "  tenon_tensor t[$];\n"
            "  int32_t room[$][TENON_MAX_RANK];\n"
            "  tenon_call by = by_$(c, t, room);\n"
            "  return $_$(&by);\n"
            "}\n",
            count_tensors(op), count_rooms(op, key), key->symbol, function,
            key->symbol);
}
