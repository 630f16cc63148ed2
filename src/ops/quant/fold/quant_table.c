// How: where every operator between one dequantised tensor and a quantisation
// is element-wise (anybody's: TENON_OP_ELEMENTWISE says so), they are built a
// second time for the 256 numbers that a byte can be. That depends on constants
// alone, so the pass `fold` computes it with the operators' own kernels, and
// core::table is all that is left for the run.
#include "ops/quant/fold/quant_table.h"

#include <string.h>

#include "ops/aten/aten_op.h"
#include "ops/quant/fold/quant_links.h"
#include "tenon/ext/op.h"

enum {
  BYTES = 256,
  MOST_NODES = 64,
  MOST_OPERANDS = 8,
  MOST_DEPTH = 32  // of operators behind each other
};

typedef struct tabled {
  tenon_rewriter *rw;
  const tenon_node *leaf;   // that dequantises; null: not met yet
  tenon_value *bytes;       // that it dequantises, plain
  tenon_quant_links links;  // behind it
  tenon_value *numbers;     // of the 256 bytes
  tenon_value *from[MOST_NODES], *made[MOST_NODES];
  int n;
} tabled;

// --- What it is made of ------------------------------------------------------

static bool quant_table_same_scale(const tenon_quant *a, const tenon_quant *b) {
  return a->scale[0] == b->scale[0] &&
         (a->zero ? a->zero[0] : 0) == (b->zero ? b->zero[0] : 0);
}

static bool same_links(const tenon_quant_links *a, const tenon_quant_links *b) {
  return a->n == b->n &&
         memcmp(a->node, b->node, (size_t)a->n * sizeof a->node[0]) == 0;
}

// The numbers that the 256 bytes stand for.
static tenon_value *all_numbers(tenon_rewriter *rw, const tenon_type *stored) {
  uint8_t bytes[BYTES];
  const tenon_dim size = tenon_aten_fixed(BYTES);
  tenon_type t = {.dims = &size, .dtype = stored->dtype, .rank = 1};
  for (int i = 0; i < BYTES; ++i)
    bytes[i] = (uint8_t)i;
  tenon_value *v = rw->api->literal(rw, &t, bytes);
  t.quant = stored->quant;
  v = tenon_quant_make(rw, "core::reinterpret", &v, 1, NULL, &t);
  t.quant = NULL;
  t.dtype = TENON_F32;
  return tenon_quant_make(rw, "core::dequantize", &v, 1, NULL, &t);
}

// v is dequantised; all such values have to be the same one. Quantisers make a
// node of each use.
static tenon_value *numbers_of(tabled *t, tenon_value *v) {
  tenon_rewriter *rw = t->rw;
  tenon_quant_links links;
  v = tenon_quant_climb(rw, v, TENON_QUANT_VIEWS | TENON_QUANT_MOVES, false,
                        &links);
  const tenon_node *leaf = rw->api->producer(rw, v);
  if (!tenon_quant_is_op(rw, leaf, "core::dequantize")) return NULL;
  tenon_value *stored = rw->api->operand(rw, leaf, 0);
  const tenon_type *type = rw->api->type(rw, stored);
  const tenon_node *as = rw->api->producer(rw, stored);
  tenon_value *bytes = tenon_quant_is_op(rw, as, "core::reinterpret")
                           ? rw->api->operand(rw, as, 0)
                           : NULL;
  if (!bytes || !type->quant || type->quant->channels != 1 ||
      type->quant->block ||
      (type->dtype != TENON_S8 && type->dtype != TENON_U8) ||
      rw->api->type(rw, bytes)->dtype != type->dtype ||
      rw->api->type(rw, bytes)->quant || rw->api->constant(rw, bytes))
    return NULL;
  if (!t->leaf) {
    t->leaf = leaf;
    t->bytes = bytes;
    t->links = links;
    t->numbers = all_numbers(rw, type);
    return t->numbers;
  }
  const tenon_type *first = rw->api->type(rw, rw->api->operand(rw, t->leaf, 0));
  return bytes == t->bytes &&
                 quant_table_same_scale(first->quant, type->quant) &&
                 same_links(&links, &t->links)
             ? t->numbers
             : NULL;
}

static tenon_value *quant_table_number(tenon_rewriter *rw,
                                       const tenon_tensor *c) {
  if (tenon_count(c) != 1 || !c->data || c->quant) return NULL;
  const tenon_type t = {.dtype = c->dtype};
  return rw->api->literal(rw, &t, c->data);
}

// --- The operators again -----------------------------------------------------

static tenon_value *quant_table_again(tabled *t, tenon_value *v, int depth);

static bool same_dims(const tenon_type *a, const tenon_type *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; ++i)
    if (!tenon_aten_same(a->dims[i], b->dims[i])) return false;
  return true;
}

// Where it begins, behind its links.
static const tenon_type *shape_of(const tabled *t) {
  tenon_value *v = t->links.n > 0 ? t->links.made[0]
                                  : t->rw->api->operand(t->rw, t->leaf, 0);
  return t->rw->api->type(t->rw, v);
}

static tenon_value *node_again(tabled *t, const tenon_node *n, tenon_value *v,
                               int depth) {
  tenon_rewriter *rw = t->rw;
  tenon_value *in[MOST_OPERANDS], *given;
  const tenon_type *type = rw->api->type(rw, v);
  bool is_wide = false;
  int n_in = 0, at = 0;
  if (!(rw->api->flags(rw, n) & TENON_OP_ELEMENTWISE) || type->quant)
    return NULL;
  for (; (given = rw->api->operand(rw, n, n_in)) != NULL; ++n_in) {
    if (n_in == MOST_OPERANDS || rw->api->group(rw, n, n_in, &at) != 1)
      return NULL;
    in[n_in] = quant_table_again(t, given, depth + 1);
    if (!in[n_in]) return NULL;
    is_wide |= rw->api->type(rw, in[n_in])->rank > 0;
  }
  if (is_wide && !same_dims(type, shape_of(t))) return NULL;
  const tenon_dim size = tenon_aten_fixed(BYTES);
  const tenon_type y = {
      .dims = &size, .dtype = type->dtype, .rank = is_wide ? 1 : 0};
  return tenon_quant_make(rw, rw->api->op(rw, n), in, (uint32_t)n_in,
                          rw->api->args(rw, n), &y);
}

// v for the 256 bytes, or a number that no byte changes; null: it is neither.
static tenon_value *quant_table_again(tabled *t, tenon_value *v, int depth) {
  tenon_rewriter *rw = t->rw;
  const tenon_tensor *c = rw->api->constant(rw, v);
  if (c) return quant_table_number(rw, c);
  for (int i = 0; i < t->n; ++i)
    if (t->from[i] == v) return t->made[i];
  tenon_value *y = numbers_of(t, v);
  const tenon_node *n = y ? NULL : rw->api->producer(rw, v);
  if (n && depth < MOST_DEPTH) y = node_again(t, n, v, depth);
  if (!y || t->n == MOST_NODES) return NULL;
  t->from[t->n] = v;
  t->made[t->n++] = y;
  return y;
}

static tenon_value *quantised(tenon_rewriter *rw, tenon_value *v,
                              tenon_dtype dtype, double scale, int64_t zero) {
  const int64_t least = dtype == TENON_S8 ? -128 : 0;
  const tenon_arg args[] = {tenon_arg_float("scale", scale),
                            tenon_arg_int("zero_point", zero),
                            tenon_arg_int("quant_min", least),
                            tenon_arg_int("quant_max", least + BYTES - 1),
                            tenon_arg_dtype("dtype", dtype),
                            TENON_END_ARGS};
  const tenon_type y = tenon_quant_stored_as(rw->api->type(rw, v), dtype, NULL);
  return tenon_quant_make(rw, "quantized_decomposed::quantize_per_tensor", &v,
                          1, args, &y);
}

tenon_value *tenon_quant_table(tenon_rewriter *rw, tenon_value *v,
                               tenon_dtype dtype, double scale, int64_t zero) {
  tabled t = {.rw = rw};
  tenon_quant_links behind;
  v = tenon_quant_climb(rw, v, TENON_QUANT_VIEWS | TENON_QUANT_MOVES, false,
                        &behind);
  tenon_value *y = quant_table_again(&t, v, 0);
  if (!y || !t.leaf || y == t.numbers || rw->api->type(rw, y)->rank == 0 ||
      rw->api->type(rw, y)->dtype != TENON_F32)
    return NULL;
  tenon_value *in[] = {tenon_quant_follow(rw, &t.links, t.bytes),
                       quantised(rw, y, dtype, scale, zero)};
  if (!in[0] || !in[1]) return NULL;
  const tenon_type type =
      tenon_quant_stored_as(rw->api->type(rw, in[0]), dtype, NULL);
  y = tenon_quant_make(rw, "core::table", in, 2, NULL, &type);
  return tenon_quant_follow(rw, &behind, y);
}
