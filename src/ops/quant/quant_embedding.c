// quant_embedding.c - rows of a table that is dequantised from constant
// integers: the integers stay, and rows that are read become floats.
//
// Each operation is the one that the table was made by, on fewer rows, so no
// bit changes. Tables whose integers fit into 4 bits have two in a byte.
#include "ops/aten/index/index_op.h"
#include "ops/quant/fold/quant_links.h"
#include "ops/quant/quant_constant.h"
#include "ops/quant/quant_weight.h"

enum { LEAST_BYTES = 2048 };  // that halves save, for what unpacks them

typedef struct table {
  tenon_rewriter *rw;
  tenon_value *ids;
  tenon_quant_scaled s;
} table;

static tenon_value *embedding_number(tenon_rewriter *rw, const char *op,
                                     tenon_value *a, tenon_dtype t, double v) {
  return tenon_rw_op2(rw, op, a, tenon_aten_real(rw, t, v));
}

// The rows of v [n, ...] that are asked for.
static tenon_value *embedding_rows_of(const table *t, tenon_value *v) {
  static const uint16_t groups[] = {0, 1, 2};
  tenon_value *in[] = {v, t->ids};
  return tenon_rw_op_of_lists(
      t->rw, "core::index", in, 2, groups,
      TENON_ARGS(tenon_arg_int("axis", 0), tenon_arg_bool("wrap", false)));
}

// v [..., n] in another shape behind what is in front of the last dimension.
static tenon_value *embedding_split(const table *t, tenon_value *v, int64_t a,
                                    int64_t b) {
  const tenon_type *x = tenon_aten_known(t->rw, v);
  tenon_dim dims[TENON_MAX_RANK];
  int rank = x->rank - 1;
  for (int i = 0; i < rank; ++i)
    dims[i] = x->dims[i];
  dims[rank++] = tenon_aten_fixed(a);
  if (b) dims[rank++] = tenon_aten_fixed(b);
  return tenon_aten_reshape(t->rw, v, dims, rank);
}

// --- Half bytes --------------------------------------------------------------

static bool embedding_is_narrow(const table *t) {
  const tenon_tensor *q = t->rw->api->constant(t->rw, t->s.q);
  return t->s.k % 2 == 0 && t->s.n * t->s.k / 2 >= LEAST_BYTES &&
         q->dtype == TENON_S8 && tenon_quant_is_within(q, -8, 7);
}

// Every second column of the integers from `first` on, modulo 16.
static tenon_value *embedding_column(const table *t, int64_t first) {
  tenon_rewriter *rw = t->rw;
  const tenon_dim dims[] = {tenon_aten_fixed(t->s.n),
                            tenon_aten_fixed(t->s.k / 2), tenon_aten_fixed(2)};
  const int64_t begin[] = {0, 0, first}, step[] = {1, 1, 1};
  const int64_t size[] = {t->s.n, t->s.k / 2, 1};
  tenon_value *v = tenon_aten_reshape(rw, t->s.q, dims, 3);
  v = tenon_rw_op(rw, "core::slice", &v, 1,
                  TENON_ARGS(tenon_arg_ints("begin", begin, 3),
                             tenon_arg_ints("size", size, 3),
                             tenon_arg_ints("step", step, 3)));
  v = tenon_aten_reshape(rw, v, dims, 2);
  return embedding_number(rw, "core::bitwise_and",
                          tenon_aten_cast(rw, v, TENON_S16), TENON_S16, 15);
}

// The rows by way of a table of bytes with two integers each.
static tenon_value *unpacked(const table *t) {
  tenon_rewriter *rw = t->rw;
  tenon_value *high =
      embedding_number(rw, "core::mul", embedding_column(t, 1), TENON_S16, 16);
  tenon_value *packed = tenon_aten_cast(
      rw, tenon_rw_op2(rw, "core::add", embedding_column(t, 0), high),
      TENON_U8);
  tenon_value *v =
      embedding_split(t, embedding_rows_of(t, packed), t->s.k / 2, 1);
  tenon_value *both[] = {
      embedding_number(rw, "core::bitwise_and", v, TENON_U8, 15),
      embedding_number(rw, "core::shift_right", v, TENON_U8, 4)};
  const int rank = tenon_aten_known(rw, v)->rank;
  v = tenon_rw_concat(rw, both, 2, rank - 1);
  tenon_dim dims[TENON_MAX_RANK];
  for (int i = 0; i < rank - 2; ++i)
    dims[i] = tenon_aten_known(rw, v)->dims[i];
  dims[rank - 2] = tenon_aten_fixed(t->s.k);
  v = tenon_aten_reshape(rw, v, dims, rank - 1);
  // Its sign is bit 3.
  v = embedding_number(rw, "core::bitwise_xor",
                       tenon_aten_cast(rw, v, TENON_S8), TENON_S8, 8);
  return embedding_number(rw, "core::sub", v, TENON_S8, 8);
}

// --- The lowering ------------------------------------------------------------

// A scale for all.
static tenon_value *of_tensor(const table *t, tenon_value *w) {
  tenon_rewriter *rw = t->rw;
  const tenon_node *p = rw->api->producer(rw, w);
  if (!tenon_quant_is_op(rw, p, "core::dequantize")) return NULL;
  tenon_value *q = rw->api->operand(rw, p, 0);
  const tenon_quant *quant = tenon_aten_known(rw, q)->quant;
  p = rw->api->producer(rw, q);
  if (!quant || quant->channels != 1 || quant->block ||
      !tenon_quant_is_op(rw, p, "core::reinterpret") ||
      !rw->api->constant(rw, rw->api->operand(rw, p, 0)))
    return NULL;
  return tenon_rw_op1(rw, "core::dequantize", embedding_rows_of(t, q));
}

// Scales of rows or of blocks.
static tenon_value *of_blocks(table *t, tenon_value *w) {
  tenon_rewriter *rw = t->rw;
  if (!tenon_quant_find_channels(rw, w, &t->s) &&
      !tenon_quant_find_blocks(rw, w, &t->s))
    return NULL;
  const int64_t blocks = t->s.blocks ? t->s.blocks : 1;
  tenon_value *v =
      embedding_is_narrow(t) ? unpacked(t) : embedding_rows_of(t, t->s.q);
  v = embedding_split(t, tenon_aten_cast(rw, v, TENON_F32), blocks,
                      t->s.k / blocks);
  if (t->s.zero)
    v = tenon_rw_op2(
        rw, "core::sub", v,
        embedding_split(t, embedding_rows_of(t, t->s.zero), blocks, 1));
  if (t->s.scale)
    v = tenon_rw_op2(
        rw, "core::mul", v,
        embedding_split(t, embedding_rows_of(t, t->s.scale), blocks, 1));
  return v;
}

static tenon_status embedding(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *w = tenon_aten_in(rw, n, 0);
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  const tenon_type *type = tenon_rw_type(rw, w);
  table t = {.rw = rw, .ids = tenon_aten_in(rw, n, 1)};
  if (!y || !type || type->dtype != TENON_F32 || type->rank != 2 ||
      y->rank + 1 > TENON_MAX_RANK || type->dims[0].symbol ||
      type->dims[1].symbol || type->dims[0].value < 1 ||
      type->dims[1].value < 1)
    return TENON_OK;
  t.s.dtype = TENON_F32;
  t.s.n = type->dims[0].value;
  t.s.k = type->dims[1].value;
  tenon_value *v = of_tensor(&t, w);
  if (!v) v = of_blocks(&t, w);
  if (!v) return TENON_OK;
  tenon_aten_without_effect(rw, n, "padding_idx scale_grad_by_freq sparse");
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, v, y->dims, y->rank));
}

const tenon_lowering_desc tenon_quant_embedding = {
    .struct_size = sizeof(tenon_lowering_desc),
    .priority = 10,
    .name = "quant weights alone in embedding",
    .op = "aten::embedding",
    .to =
        "core::index core::reshape core::cast core::sub core::mul "
        "core::dequantize core::slice core::add core::concat "
        "core::bitwise_and core::bitwise_xor core::shift_right "
        "core::expand",
    .lower = embedding};
