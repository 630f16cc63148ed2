// Products with matrices of 4 bits that PyTorch packs for its CPU kernels.
//
// How: the packed bytes lie as the processor likes them that packed them, and
// no file says which it was. So a product is computed where its matrix is
// packed in the program itself, which takes the packing away, and where all
// orders agree; else the user says the order, by an option of the pass
// `int4pack`, which packs the matrix anew in front of the product.
//
// A weight is fma(q - 8, scale, zero) in f32, as PyTorch's kernels compute it,
// and sums are one chain of fused multiply-adds. Integers that are constant
// stay what they are, and a kernel makes floats of them; of others a matrix of
// floats is made.
#include <string.h>

#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"
#include "tenon/ext/pass.h"

static const char product[] = "aten::_weight_int4pack_mm_for_cpu";
static const char packing[] = "aten::_convert_weight_to_int4pack_for_cpu";

// Rows are packed in blocks; a byte of a whole one has two rows that are half a
// block apart, or that are neighbours, as in what is left of a block.
typedef struct order {
  const char *name;  // of the processor's instructions, as PyTorch calls them
  int64_t block;
  bool is_apart;
} order;
#define ORDERS(X) X(avx512, 64, true) X(avx2, 32, true) X(default, 32, false)

enum { AGREED = 16 };  // as many rows lie the same in all orders

// [blocks, k, width] bytes to [blocks * 2 width, k] integers.
static tenon_value *unpack_blocks(tenon_rewriter *rw, tenon_value *x,
                                  int64_t blocks, int64_t k, int64_t width,
                                  bool is_apart) {
  static const int64_t turn[] = {0, 2, 1};
  tenon_value *half[] = {tenon_aten_formula(rw, "x: x & 15", x),
                         tenon_aten_formula(rw, "x: shift_right(x, 4)", x)};
  for (int i = 0; i < 2 && !is_apart; ++i)
    half[i] = tenon_aten_unsqueeze(rw, half[i], 3);
  const tenon_dim dims[] = {tenon_aten_fixed(blocks), tenon_aten_fixed(k),
                            tenon_aten_fixed(2 * width)};
  const tenon_dim rows[] = {tenon_aten_fixed(blocks * 2 * width), dims[1]};
  x = tenon_rw_concat(rw, half, 2, is_apart ? 2 : 3);
  x = tenon_aten_permute(rw, tenon_aten_reshape(rw, x, dims, 3), turn, 3);
  return tenon_aten_reshape(rw, x, rows, 2);
}

static tenon_value *int4_unpack(tenon_rewriter *rw, tenon_value *packed,
                                int64_t n, int64_t k, const order *o) {
  tenon_value *flat = tenon_aten_flat(rw, packed), *parts[2];
  const int64_t whole = n / o->block, rest = n % o->block;
  const int64_t sizes[] = {whole * k * o->block / 2, k * rest / 2};
  int count = 0;
  for (int i = 0; i < 2; ++i) {
    const int64_t blocks = i ? 1 : whole, rows = i ? rest : o->block;
    const tenon_dim dims[] = {tenon_aten_fixed(blocks), tenon_aten_fixed(k),
                              tenon_aten_fixed(rows / 2)};
    if (sizes[i] == 0) continue;
    tenon_value *x =
        tenon_aten_cut(rw, flat, 0, tenon_aten_fixed(i ? sizes[0] : 0),
                       tenon_aten_fixed(sizes[i]), 1);
    parts[count++] = unpack_blocks(rw, tenon_aten_reshape(rw, x, dims, 3),
                                   blocks, k, rows / 2, o->is_apart && !i);
  }
  return tenon_rw_concat(rw, parts, count, 0);
}

// The sizes of a packed matrix: n rows of k integers.
static bool take_sizes(tenon_rewriter *rw, tenon_value *packed, int64_t *n,
                       int64_t *k) {
  const tenon_type *t = tenon_aten_known(rw, packed);
  if (t->rank != 2 || t->dtype != TENON_U8 || t->dims[0].symbol ||
      t->dims[1].symbol)
    return false;
  *n = t->dims[0].value;
  *k = 2 * t->dims[1].value;
  return *n > 0 && *n % AGREED == 0 && *k > 0;
}

// What is packed in the program; null: it is packed elsewhere.
static tenon_value *packed_here(tenon_rewriter *rw, tenon_value *packed) {
  const tenon_node *p = packed ? rw->api->producer(rw, packed) : NULL;
  return p && strcmp(rw->api->op(rw, p), packing) == 0
             ? rw->api->operand(rw, p, 0)
             : NULL;
}

// Whether v is made of one constant, by operators that are folded.
static bool int4_is_constant(tenon_rewriter *rw, tenon_value *v) {
  for (const tenon_node *p = rw->api->producer(rw, v); p;
       p = rw->api->producer(rw, v))
    v = rw->api->operand(rw, p, 0);
  return v && rw->api->constant(rw, v);
}

// Scales and zeros [groups, n, 2] as [n, groups, 2] of f32.
static tenon_value *by_rows(tenon_rewriter *rw, tenon_value *scales) {
  static const int64_t turn[] = {1, 0, 2};
  return tenon_aten_permute(rw, tenon_aten_cast(rw, scales, TENON_F32), turn,
                            3);
}

// Integers of [n, k] as floats: fma(q, scale, zero), which is a product of
// rows (1, q) and columns (zero, scale).
static tenon_value *int4_floats_of(tenon_rewriter *rw, tenon_value *q,
                                   tenon_value *scales, int64_t n, int64_t k,
                                   int64_t groups) {
  const tenon_dim dims[] = {tenon_aten_fixed(n), tenon_aten_fixed(groups),
                            tenon_aten_fixed(k / groups), tenon_aten_fixed(1)};
  const tenon_dim pair[] = {dims[0], dims[1], tenon_aten_fixed(2), dims[3]};
  const tenon_dim matrix[] = {dims[0], tenon_aten_fixed(k)};
  tenon_value *rows[] = {
      tenon_nn_filled(rw, TENON_F32, dims, 4, 1),
      tenon_aten_reshape(rw, tenon_aten_cast(rw, q, TENON_F32), dims, 4)};
  tenon_value *columns = tenon_aten_flip(rw, by_rows(rw, scales), 2);
  q = tenon_rw_op2(rw, "core::matmul", tenon_rw_concat(rw, rows, 2, 3),
                   tenon_aten_reshape(rw, columns, pair, 4));
  return tenon_aten_reshape(rw, q, matrix, 2);
}

// x times the transpose of what integers [n, k] of s8 stand for.
static tenon_value *int4_multiplied(tenon_rewriter *rw, tenon_value *x,
                                    tenon_value *q, tenon_value *scales,
                                    int64_t n, int64_t k, int64_t groups) {
  x = tenon_aten_cast(rw, x, TENON_F32);
  if (!int4_is_constant(rw, q) || !int4_is_constant(rw, scales))
    return tenon_nn_linear(rw, x, int4_floats_of(rw, q, scales, n, k, groups),
                           NULL);
  const tenon_dim zero = tenon_aten_fixed(0), one = tenon_aten_fixed(1);
  tenon_value *pairs = by_rows(rw, scales);
  tenon_value *in[] = {x, q, tenon_aten_select(rw, pairs, 2, zero),
                       tenon_aten_select(rw, pairs, 2, one)};
  return tenon_rw_op(rw, "core::weight_only_linear", in, 4,
                     TENON_ARGS(tenon_arg_bool("adds", true)));
}

static tenon_status check_scales(tenon_rewriter *rw, tenon_value *scales,
                                 tenon_dtype dtype, int64_t n, int64_t k,
                                 int64_t group) {
  const tenon_type *t = tenon_aten_known(rw, scales);
  const bool is_group =
      group == 32 || group == 64 || group == 128 || group == 256;
  if (!is_group || k % group)
    return tenon_rw_fail(rw, "groups of %lld in rows of %lld", (long long)group,
                         (long long)k);
  if (t->dtype != dtype || t->rank != 3 ||
      !tenon_aten_is(t->dims[0], k / group) || !tenon_aten_is(t->dims[1], n) ||
      !tenon_aten_is(t->dims[2], 2))
    return tenon_rw_fail(rw, "scales and zeros that are no %s[%lld,%lld,2]",
                         tenon_dtype_name(dtype), (long long)(k / group),
                         (long long)n);
  return TENON_OK;
}

TENON_ATEN_LOWER(int4pack_mm) {
  static const order any = {"", AGREED, false};
  tenon_value *x = tenon_aten_in(rw, n, 0), *packed = tenon_aten_in(rw, n, 1);
  tenon_value *scales = tenon_aten_in(rw, n, 2), *q = packed_here(rw, packed);
  const tenon_dtype t = tenon_nn_type(rw, x);
  const int64_t group = tenon_aten_int(rw, n, "qGroupSize");
  int64_t rows, k;
  if ((t != TENON_F32 && t != TENON_F16 && t != TENON_BF16) ||
      tenon_nn_rank(rw, x) != 2)
    return tenon_rw_fail(rw,
                         "an operand that is no matrix of f32, f16 or bf16");
  if (!take_sizes(rw, packed, &rows, &k))
    return tenon_rw_fail(rw, "a matrix that is no u8[16 n,k]");
  TENON_TRY(check_scales(rw, scales, t, rows, k, group));
  if (!q && rows != AGREED)
    return tenon_rw_fail(
        rw,
        "%lld rows that are packed as no file says: give the order of the "
        "processor that packed them, --pass-option int4pack.order=avx512, avx2 "
        "or default",
        (long long)rows);
  q = q ? tenon_aten_formula(rw, "q: q & 15", q)
        : int4_unpack(rw, packed, rows, k, &any);
  q = tenon_aten_formula(rw, "q: s8(q) - 8", q);
  return tenon_nn_give(rw, n,
                       int4_multiplied(rw, x, q, scales, rows, k, k / group));
}

// Stays until the products that read it are lowered. What else reads it asks
// for an order that PyTorch leaves open.
TENON_ATEN_LOWER(int4pack) {
  (void)rw;
  (void)n;
  return TENON_OK;
}

// --- The pass ----------------------------------------------------------------

// The matrix is packed here from now on.
static tenon_status repack(tenon_rewriter *rw, const tenon_node *n,
                           const order *o) {
  if (strcmp(rw->api->op(rw, n), product) != 0) return TENON_OK;
  tenon_value *packed = rw->api->operand(rw, n, 1);
  int64_t rows, k;
  if (packed_here(rw, packed) || !take_sizes(rw, packed, &rows, &k))
    return TENON_OK;
  const tenon_type *type = tenon_rw_type(rw, packed),
                   *result = rw->api->result(rw, n, 0);
  tenon_aten_args args = {0};
  tenon_aten_add(&args, tenon_arg_int("innerKTiles", 2));
  tenon_value *q =
      tenon_aten_cast(rw, int4_unpack(rw, packed, rows, k, o), TENON_S32);
  tenon_value *in[] = {rw->api->operand(rw, n, 0),
                       tenon_aten_make(rw, packing, &q, 1, args.list, type),
                       rw->api->operand(rw, n, 2)};
  return tenon_rw_replace(
      rw, n,
      tenon_rw_op_as(rw, product, in, 3, NULL, rw->api->args(rw, n), result));
}

#define REPACK(its_name, its_block, apart)                        \
  static tenon_status repack_##its_name(tenon_rewriter *rw,       \
                                        const tenon_node *n) {    \
    static const order its_order = {#its_name, its_block, apart}; \
    return repack(rw, n, &its_order);                             \
  }
ORDERS(REPACK)

static tenon_status int4_run(tenon_pass_context *c) {
  const char *name = c->api->option(c, "order");
  if (!name || !*name) return TENON_OK;
#define TRY(its_name, its_block, apart) \
  if (strcmp(name, #its_name) == 0) return c->api->each(c, repack_##its_name);
  ORDERS(TRY)
  return c->api->fail(c, "order '%s' is not avx512, avx2 or default", name);
}

const tenon_pass_desc tenon_aten_int4pack = {
    .struct_size = sizeof(tenon_pass_desc),
    .flags = TENON_PASS_OPTIONAL | TENON_PASS_ASKED,
    .name = "int4pack",
    .doc = "reads packed matrices of 4 bits in the order that is given",
    .after = "functional",
    .options = "order=",
    .run = int4_run,
};
