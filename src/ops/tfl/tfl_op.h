// ops/tfl/tfl_op.h - what the families of this set share: reading operands in
// shape rules, computing sizes, and building core operators.
//
// Shape rules decide what a file may say, and answer TENON_OK or what the
// failing call of the table returned. All sizes of a type that has passed here
// are within 32 bits, and so is the number of its elements; so sums of a few of
// them are computed without further checks in 64 bits.
//
// A lowering may rely on everything that its shape rule has checked, except
// where something is known in a run only: an operand that would have to be
// constant, a part of an open size. There the rule takes the declared types,
// and the lowering says what is missing.
#ifndef TENON_OPS_TFL_TFL_OP_H
#define TENON_OPS_TFL_TFL_OP_H

#include "ops/tfl/tfl_options.h"
#include "tenon/ext/pass.h"
#include "tenon/ext/plugin.h"

// Enumerations of the schema of the format.
enum { TFL_SAME = 0, TFL_VALID = 1 };
enum {
  TFL_ACT_NONE = 0,
  TFL_ACT_RELU = 1,
  TFL_ACT_RELU_N1_TO_1 = 2,
  TFL_ACT_RELU6 = 3,
  TFL_ACT_TANH = 4,
  TFL_ACT_SIGN_BIT = 5
};

// Most tensors that one operator of variable arity may have.
#define TFL_MAX_TENSORS 512

// ---------------------------------------------------------------------------
// Types (tfl_type.c)
// ---------------------------------------------------------------------------

typedef struct tenon_tfl_shape {
  tenon_dim dims[TENON_MAX_RANK];
  int rank;
} tenon_tfl_shape;

// "f32"; for messages.
const char *tenon_tfl_dtype_name(tenon_dtype t);
TENON_INLINE tenon_dim tenon_tfl_fixed(int64_t value) {
  tenon_dim d = {value, 0};
  return d;
}
TENON_INLINE bool tenon_tfl_is(tenon_dim d, int64_t value) {
  return d.symbol == 0 && d.value == value;
}
TENON_INLINE bool tenon_tfl_same(tenon_dim a, tenon_dim b) {
  return a.symbol == b.symbol && a.value == b.value;
}
// Both are known and differ. Where one is open, the run decides.
TENON_INLINE bool tenon_tfl_differ(tenon_dim a, tenon_dim b) {
  return a.symbol == 0 && b.symbol == 0 && a.value != b.value;
}
tenon_tfl_shape tenon_tfl_shape_of(const tenon_type *t);

// What the file declares of result i, or null.
TENON_INLINE const tenon_type *tenon_tfl_declared(const tenon_infer *c, int i) {
  const tenon_type *t = c->api->declared(c, i);
  return t && t->dtype ? t : NULL;
}
// Operand i, which must be there, with `rank` dimensions; -1: any.
tenon_status tenon_tfl_operand(tenon_infer *c, int i, const char *name,
                               int rank, const tenon_type **out);
// Scales that one can compute with: normal numbers above 0.
tenon_status tenon_tfl_check_scales(tenon_infer *c, const tenon_quant *q,
                                    const char *name);
// An operand that takes part in arithmetic: 8 and 16 bits need one scale, which
// must be a number that one can compute with.
tenon_status tenon_tfl_check_scale(tenon_infer *c, const tenon_type *t,
                                   const char *name);
// Weights: zero points of signed ones are 0, scales are one or one per channel
// of `axis`. Plain floats pass.
tenon_status tenon_tfl_check_weights(tenon_infer *c, const tenon_type *t,
                                     int axis);
tenon_status tenon_tfl_check_activation(tenon_infer *c, int64_t function);
// Types result i: these sizes, element type and quantisation as declared, or
// like `like` where nothing is. The declared element type must be `dtype`; 0:
// any.
tenon_status tenon_tfl_result(tenon_infer *c, int i,
                              const tenon_tfl_shape *shape, tenon_dtype dtype,
                              const tenon_type *like);
// Result 0 of an arithmetic operator, of the element type of `like`.
tenon_status tenon_tfl_number(tenon_infer *c, const tenon_tfl_shape *shape,
                              const tenon_type *like);
// All results as declared, for operators whose sizes are known in a run only.
// Their lowerings refuse; what one can do is print the file, or fix its sizes.
tenon_status tenon_tfl_as_declared(tenon_infer *c);
// Same element type, or a failure with both names.
tenon_status tenon_tfl_check_alike(tenon_infer *c, const tenon_type *a,
                                   const char *name_a, const tenon_type *b,
                                   const char *name_b);
// The shape that two operands broadcast to.
tenon_status tenon_tfl_broadcast(tenon_infer *c, const tenon_type *a,
                                 const tenon_type *b, tenon_tfl_shape *y);
// Operands "a" and "b" of one type, whatever their scales, and their shape.
tenon_status tenon_tfl_two(tenon_infer *c, const tenon_type **a,
                           tenon_tfl_shape *y);
// Whether two types have the same scale and zero point, or none has any.
bool tenon_tfl_same_scale(const tenon_type *a, const tenon_type *b);

// Product of the fixed sizes; *symbol becomes the product of the others, or 1.
int64_t tenon_tfl_product(tenon_infer *c, const tenon_dim *dims, int rank,
                          tenon_dim *symbol);
// fixed * open / by, where `open` is 1 or not known; as short as it can be
// said.
tenon_dim tenon_tfl_quotient(tenon_infer *c, int64_t fixed, tenon_dim open,
                             int64_t by);
// Counts from the end when negative; fails outside `rank`.
tenon_status tenon_tfl_axis(tenon_infer *c, int64_t axis, int rank, int *out);

// Reads a constant of s32 or s64 with at most `most` elements, whatever its
// alignment. Returns how many there are; -1: another type, or too many.
int tenon_tfl_ints(const tenon_tensor *t, int64_t *out, int most);
// Element i of a constant of s16, s32 or s64; false: another type, or no data.
bool tenon_tfl_int(const tenon_tensor *t, size_t i, int64_t *out);
// An operand that is one integer and constant; TENON_OK and `known` false: it
// is found out in a run.
tenon_status tenon_tfl_one_int(tenon_infer *c, int i, const char *name,
                               int64_t *out, bool *known);
// Operand i holds indices (s16, s32 or s64); where they are constant, those of
// column k of the last axis lie within dims[k]. `columns` 1: within dims[0].
tenon_status tenon_tfl_check_indices(tenon_infer *c, int i, const char *name,
                                     const tenon_dim *dims, int columns);

// ---------------------------------------------------------------------------
// Integers that are known before the run, and sizes (tfl_numbers.c)
// ---------------------------------------------------------------------------

#define TFL_MAX_NUMBERS 64

TENON_INLINE bool tenon_tfl_is_known(tenon_dim d) {
  return d.symbol != 0 || d.value != TENON_UNKNOWN;
}
// The elements of operand i, TENON_UNKNOWN where one is not known; returns how
// many there are. -1: it is no list of so few integers.
int tenon_tfl_list(const tenon_infer *c, int i, tenon_dim *out);
// Says that of a result; n -1: nothing.
void tenon_tfl_hold(tenon_infer *c, int result, const tenon_dim *list, int n);
// Operand i as sizes; data decide those that are not known.
tenon_status tenon_tfl_sizes(tenon_infer *c, int i, const char *name,
                             tenon_tfl_shape *y);
// The same in a lowering, in the same order; returns how many there are.
int tenon_tfl_sizes_in(tenon_rewriter *rw, tenon_value *list, tenon_dim *out);
// Element k of a list of integers.
tenon_dim tenon_tfl_number_in(tenon_rewriter *rw, tenon_value *list, int k);
// Element k of the elements of a tensor of fixed sizes, s64[].
tenon_value *tenon_tfl_element(tenon_rewriter *rw, tenon_value *list, int k);
// A size as a number without dimensions.
tenon_value *tenon_tfl_size(tenon_rewriter *rw, tenon_dim d, tenon_dtype t);

// ---------------------------------------------------------------------------
// Orders, axes and sizes that a run computes (tfl_computed.c)
// ---------------------------------------------------------------------------

// n results like x, but for the sizes along `axis` (-1: all), which data
// decide; of equal ones those of the first.
tenon_status tenon_tfl_reverse_computed(tenon_rewriter *rw,
                                        const tenon_node *node);
tenon_status tenon_tfl_decided_reduction(tenon_infer *c, const tenon_type *x,
                                         const tenon_type *axes, bool keep);
tenon_status tenon_tfl_reduce_computed(tenon_rewriter *rw,
                                       const tenon_node *node,
                                       const char *core);
// Operand 0 with what operand 1, axes that a run computes, takes together along
// one axis more, behind `kept`: its sizes, 1 for such an axis. `to`: the sizes
// of the node's result, with those ones (`keep`) or without.
tenon_status tenon_tfl_reduced_last(tenon_rewriter *rw, const tenon_node *node,
                                    bool keep, tenon_value **out,
                                    tenon_tfl_shape *to, tenon_tfl_shape *kept);
// The window of sizes `to` on x that begins where a run says (s64[] for each
// axis), under the scale of y.
tenon_value *tenon_tfl_window_at(tenon_rewriter *rw, tenon_value *x,
                                 tenon_value **begin, const tenon_tfl_shape *to,
                                 const tenon_type *y);
tenon_status tenon_tfl_decided_parts(tenon_infer *c, const tenon_type *x,
                                     int axis, int n, bool are_equal);
tenon_status tenon_tfl_transpose_computed(tenon_rewriter *rw,
                                          const tenon_node *node);
tenon_status tenon_tfl_expand_dims_computed(tenon_rewriter *rw,
                                            const tenon_node *node);
tenon_status tenon_tfl_split_computed(tenon_rewriter *rw,
                                      const tenon_node *node, int axis,
                                      int64_t n);
tenon_status tenon_tfl_split_v_computed(tenon_rewriter *rw,
                                        const tenon_node *node, int axis);

// ---------------------------------------------------------------------------
// Windows (tfl_window.c)
// ---------------------------------------------------------------------------

// One direction of a convolution or pool.
typedef struct tenon_tfl_window {
  tenon_dim in;
  int64_t size, stride, dilation, padding;
} tenon_tfl_window;

// Its attributes: what any size needs.
tenon_status tenon_tfl_window_check(tenon_infer *c, const char *direction,
                                    const tenon_tfl_window *w);
// Checks it and says how many positions there are.
tenon_status tenon_tfl_window_out(tenon_infer *c, const char *direction,
                                  const tenon_tfl_window *w, tenon_dim *out);
// What is padded before and after. False: it depends on an open size.
bool tenon_tfl_window_pad(const tenon_tfl_window *w, int64_t *before,
                          int64_t *after);

// ---------------------------------------------------------------------------
// Building (tfl_build.c)
// ---------------------------------------------------------------------------

// Attributes of a node to be made; a zero one is empty and ended.
typedef struct tenon_tfl_args {
  tenon_arg list[12];
  int n;
} tenon_tfl_args;

TENON_INLINE void tenon_tfl_arg(tenon_tfl_args *a, tenon_arg arg) {
  a->list[a->n++] = arg;
}
TENON_INLINE tenon_value *tenon_tfl_in(tenon_rewriter *rw,
                                       const tenon_node *node, int i) {
  return rw->api->operand(rw, node, i);
}
// Constant operand as integers; -1 also when it is not constant.
int tenon_tfl_in_ints(tenon_rewriter *rw, const tenon_node *node, int i,
                      int64_t *out, int most);
// Fails when the result has open sizes although operand x has none: its rule
// ran when a constant of now was not one.
tenon_status tenon_tfl_check_known(tenon_rewriter *rw, const tenon_node *node,
                                   int x);
// A node with one result of this type; null: as the operator infers.
tenon_value *tenon_tfl_make(tenon_rewriter *rw, const char *op,
                            tenon_value *const *in, uint32_t n_in,
                            const tenon_tfl_args *args, const tenon_type *type);
// core::where.
tenon_value *tenon_tfl_choose(tenon_rewriter *rw, tenon_value *condition,
                              tenon_value *a, tenon_value *b);
// No size is a symbol.
bool tenon_tfl_is_fixed(const tenon_type *t);
bool tenon_tfl_holds(tenon_ints list, int64_t v);
// core::concat.
tenon_value *tenon_tfl_join(tenon_rewriter *rw, tenon_value *const *in,
                            uint32_t n, int64_t axis, const tenon_type *type);
// A node of the type of result 0, which takes the node's place.
tenon_status tenon_tfl_become(tenon_rewriter *rw, const tenon_node *node,
                              const char *op, tenon_value *const *in,
                              uint32_t n_in, const tenon_tfl_args *args);
// x with other sizes, itself if it has them; scales are kept, `type` says
// which ones when it is not null.
tenon_value *tenon_tfl_reshape(tenon_rewriter *rw, tenon_value *x,
                               const tenon_tfl_shape *shape,
                               const tenon_type *type);
// A window on x, of the fixed sizes `size`, with the scale of `like`.
tenon_value *tenon_tfl_slice(tenon_rewriter *rw, tenon_value *x,
                             const tenon_dim *begin, const tenon_dim *size,
                             const int64_t *step, const tenon_type *like);
// x with its axes in another order.
tenon_value *tenon_tfl_permute(tenon_rewriter *rw, tenon_value *x,
                               const int64_t *dims, size_t n);
// x repeated along axes of size 1, and along new ones in front.
tenon_value *tenon_tfl_expand(tenon_rewriter *rw, tenon_value *x,
                              const tenon_tfl_shape *shape);
// Plain numbers in another type; x itself if it has it.
tenon_value *tenon_tfl_cast(tenon_rewriter *rw, tenon_value *x,
                            tenon_dtype dtype);
// c64 of real parts and imaginary ones (null: 0), which both are f32.
tenon_value *tenon_tfl_complex(tenon_rewriter *rw, tenon_value *re,
                               tenon_value *im);
tenon_value *tenon_tfl_complex_product(tenon_rewriter *rw, tenon_value *a,
                                       tenon_value *b);
// The numbers that x stores, under this scale; null: as plain numbers.
tenon_value *tenon_tfl_stored(tenon_rewriter *rw, tenon_value *x,
                              const tenon_quant *quant);
// FULLY_CONNECTED: its types, which convolutions have as well (tfl_conv.c);
// whether it is of uint8 with a result of 16 bits, as tfl_dense_words.c lowers
// it; and blocks of weights in the order of a kernel.
tenon_status tenon_tfl_check_dense_types(tenon_infer *c, const tenon_type *x,
                                         const tenon_type *w, int axis,
                                         int64_t activation);
bool tenon_tfl_is_of_words(const tenon_type *x, const tenon_type *y);
enum { TENON_TFL_BLOCK_ROWS = 4, TENON_TFL_BLOCK_COLUMNS = 16 };
tenon_status tenon_tfl_words_lower(tenon_rewriter *rw, const tenon_node *node,
                                   int64_t activation);
// x less its zero point, s32; s32 by a factor, rounded twice; and s32 as the
// element type and zero point of y, within its limits.
tenon_value *tenon_tfl_above_zero(tenon_rewriter *rw, tenon_value *x);
tenon_value *tenon_tfl_rescale(tenon_rewriter *rw, tenon_value *x,
                               double factor);
tenon_value *tenon_tfl_to_stored(tenon_rewriter *rw, tenon_value *x,
                                 const tenon_type *y);
// A run fails where an element of a condition does not hold.
tenon_status tenon_tfl_require(tenon_rewriter *rw, tenon_value *condition,
                               const char *otherwise);
// core::index and core::index_put, where negative indices are errors.
tenon_value *tenon_tfl_index(tenon_rewriter *rw, tenon_value *x,
                             tenon_value *const *indices, int n, int64_t axis,
                             const tenon_type *type);
typedef enum tenon_tfl_put {  // modes of core::index_put
  TFL_PUT_SET,
  TFL_PUT_ADD,
  TFL_PUT_MUL,
  TFL_PUT_MAX,
  TFL_PUT_MIN
} tenon_tfl_put;
tenon_value *tenon_tfl_index_put(tenon_rewriter *rw, tenon_value *x,
                                 tenon_value *values,
                                 tenon_value *const *indices, int n,
                                 tenon_tfl_put mode);
// The numbers from 0 to n - 1, s32[n].
tenon_value *tenon_tfl_count(tenon_rewriter *rw, tenon_dim n);
// The columns of indices [..., n], each without the last axis; returns n.
int tenon_tfl_columns(tenon_rewriter *rw, tenon_value *at,
                      tenon_value **columns);
// lo and hi of a fused activation. Fails on those that are no clamp.
tenon_status tenon_tfl_clamp(tenon_rewriter *rw, int64_t function,
                             tenon_tfl_args *args);
// ---------------------------------------------------------------------------
// As TFLite Micro rounds (tfl_rounding.c)
// ---------------------------------------------------------------------------

extern const tenon_pass_desc tenon_tfl_tflm;
extern const tenon_lowering_desc *const tenon_tfl_roundings[];

// ---------------------------------------------------------------------------
// Unsigned bytes with a scale (tfl_unsigned.c)
// ---------------------------------------------------------------------------

// Whether this node, of the operator of that name without "tfl::", is on such
// bytes and becomes the same operator on signed ones.
bool tenon_tfl_is_unsigned(tenon_rewriter *rw, const tenon_node *node,
                           const char *name);
tenon_status tenon_tfl_as_signed(tenon_rewriter *rw, const tenon_node *node,
                                 const char *op);
// The type that stands for one of such bytes, another as it is; `q` and `zero`
// hold parts of it.
tenon_type tenon_tfl_signed_type(const tenon_type *t, tenon_quant *q,
                                 int32_t *zero);
// Such bytes as signed ones, any other x itself; and back, to type y.
tenon_value *tenon_tfl_signed(tenon_rewriter *rw, tenon_value *x);
tenon_value *tenon_tfl_unsigned(tenon_rewriter *rw, tenon_value *x,
                                const tenon_type *y);
// The same of an operator that LiteRT computes on what is stored, whatever the
// scales say.
bool tenon_tfl_is_stored(tenon_rewriter *rw, const tenon_node *node,
                         const char *name);
tenon_status tenon_tfl_as_stored(tenon_rewriter *rw, const tenon_node *node,
                                 const char *op);
// As tenon_tfl_become, of a node that computes in signed bytes where the result
// is of unsigned ones.
tenon_status tenon_tfl_become_signed(tenon_rewriter *rw, const tenon_node *node,
                                     const char *op, tenon_value *const *in,
                                     uint32_t n_in, const tenon_tfl_args *args);

TENON_INLINE bool tenon_tfl_is_float(const tenon_type *t) {
  return t->dtype == TENON_F32 && !t->quant;
}

// ---------------------------------------------------------------------------
// The rules and lowerings that rows of tfl.def name
// ---------------------------------------------------------------------------

#define TFL_RULE(name) tenon_status tenon_tfl_##name##_infer(tenon_infer *c);
#define TFL_LOWERING(name)                                  \
  tenon_status tenon_tfl_##name##_lower(tenon_rewriter *rw, \
                                        const tenon_node *node);
#define TFL_BOTH(name) TFL_RULE(name) TFL_LOWERING(name)
TFL_BOTH(conv)
TFL_BOTH(depthwise)
TFL_BOTH(pool)
TFL_LOWERING(l2_pool)
TFL_BOTH(dense)
TFL_RULE(binary)
TFL_RULE(stored_one)
TFL_RULE(stored_two)
TFL_LOWERING(two)
TFL_BOTH(sum)
TFL_BOTH(fused)
TFL_RULE(div)
TFL_LOWERING(squared_difference)
TFL_BOTH(add_n)
TFL_RULE(pair)
TFL_BOTH(compare)
TFL_LOWERING(plain_one)
TFL_LOWERING(plain_two)
TFL_LOWERING(plain_reduce)
TFL_LOWERING(floor_div)
TFL_LOWERING(pow)
TFL_BOTH(select)
TFL_BOTH(select_v2)
TFL_RULE(unary)
TFL_LOWERING(one)
TFL_LOWERING(sqrt)
TFL_LOWERING(sign)
TFL_LOWERING(relu_n1)
TFL_LOWERING(relu_01)
TFL_LOWERING(leaky)
TFL_LOWERING(gelu)
TFL_BOTH(prelu)
TFL_BOTH(softmax)
TFL_RULE(l2_norm)
TFL_BOTH(reshape)
TFL_RULE(squeeze)
TFL_BOTH(expand_dims)
TFL_LOWERING(to_shape)
TFL_BOTH(transpose)
TFL_BOTH(shape)
TFL_BOTH(rank)
TFL_BOTH(densify)
TFL_BOTH(slice)
TFL_BOTH(strided_slice)
TFL_BOTH(split)
TFL_BOTH(split_v)
TFL_BOTH(unpack)
TFL_BOTH(reverse)
TFL_BOTH(concat)
TFL_BOTH(pack)
TFL_BOTH(pad)
TFL_BOTH(padv2)
TFL_BOTH(mirror_pad)
TFL_BOTH(tile)
TFL_BOTH(broadcast)
TFL_BOTH(nms)
TFL_BOTH(soft_nms)
TFL_BOTH(fill)
TFL_BOTH(broadcast_args)
TFL_BOTH(bitcast)
TFL_BOTH(fake_quant)
TFL_BOTH(bucketize)
TFL_BOTH(sparse)
TFL_BOTH(dilate)
TFL_BOTH(stablehlo_pad)
TFL_LOWERING(cbrt)
TFL_BOTH(stablehlo_compare)
TFL_BOTH(stablehlo_clamp)
TFL_BOTH(stablehlo_convert)
TFL_RULE(stablehlo_reshape)
TFL_BOTH(stablehlo_transpose)
TFL_BOTH(stablehlo_concat)
TFL_BOTH(stablehlo_slice)
TFL_BOTH(broadcast_in)
TFL_BOTH(iota)
TFL_BOTH(dot)
TFL_BOTH(stablehlo_gather)
TFL_BOTH(stablehlo_scatter)
TFL_BOTH(stablehlo_dynamic_slice)
TFL_BOTH(stablehlo_dynamic_update)
TFL_BOTH(stablehlo_window)
TFL_BOTH(window)
TFL_BOTH(stablehlo_reduce)
TFL_BOTH(random_bits)
TFL_RULE(random)
TFL_LOWERING(random_uniform)
TFL_LOWERING(random_normal)
TFL_BOTH(multinomial)
TFL_BOTH(range)
TFL_LOWERING(zeros_like)
TFL_BOTH(space_to_batch)
TFL_BOTH(batch_to_space)
TFL_BOTH(depth_to_space)
TFL_BOTH(space_to_depth)
TFL_BOTH(reduce)
TFL_LOWERING(mean)
TFL_LOWERING(extreme)
TFL_BOTH(transpose_conv)
TFL_BOTH(conv3d)
TFL_BOTH(conv3d_transpose)
TFL_BOTH(resize_nearest)
TFL_BOTH(resize_bilinear)
TFL_BOTH(lrn)
TFL_BOTH(lstm)
TFL_BOTH(cell)
TFL_BOTH(basic_cell)
TFL_BOTH(svdf)
TFL_BOTH(rnn)
TFL_BOTH(sequence_rnn)
TFL_BOTH(both_rnn)
TFL_BOTH(both_lstm)
TFL_RULE(where)
TFL_BOTH(unique)
TFL_BOTH(rfft2d)
TFL_RULE(complex)
TFL_BOTH(gather)
TFL_BOTH(gather_nd)
TFL_BOTH(embedding)
TFL_BOTH(sparse_embedding)
TFL_BOTH(one_hot)
TFL_BOTH(reverse_sequence)
TFL_BOTH(scatter_nd)
TFL_RULE(segment_sum)
TFL_BOTH(segments)
TFL_BOTH(dynamic_update)
TFL_BOTH(arg)
TFL_BOTH(cumsum)
TFL_BOTH(topk)
TFL_BOTH(batch_matmul)
TFL_BOTH(matrix_diag)
TFL_BOTH(matrix_set_diag)
TFL_BOTH(log_softmax)
TFL_BOTH(quantize)
TFL_BOTH(dequantize)
TFL_BOTH(cast)
TFL_RULE(held_shape)
TFL_RULE(held_rank)
TFL_RULE(held_cast)
TFL_RULE(held_reshape)
TFL_RULE(held_squeeze)
TFL_RULE(held_expand_dims)
TFL_RULE(held_concat)
TFL_RULE(held_pack)
TFL_RULE(held_unpack)
TFL_RULE(held_gather)
TFL_RULE(held_add)
TFL_RULE(held_sub)
TFL_RULE(held_mul)
TFL_RULE(held_div)
TFL_RULE(held_floor_div)
TFL_RULE(held_floor_mod)
TFL_RULE(held_minimum)
TFL_RULE(held_maximum)
TFL_RULE(held_sum)
TFL_RULE(held_prod)
TFL_RULE(held_amax)
TFL_RULE(held_amin)
TFL_RULE(declared)
TFL_RULE(handle)
TFL_RULE(nothing)
TFL_RULE(hashtable_find)
TFL_RULE(hashtable_size)
TFL_BOTH(hashtable_lookup)
TFL_BOTH(lsh)
TFL_BOTH(shuffled)
TFL_BOTH(skip_gram)
TFL_LOWERING(variable)
TFL_BOTH(if)
TFL_BOTH(case)
TFL_BOTH(while)
TFL_BOTH(composite)
#undef TFL_BOTH
#undef TFL_LOWERING
#undef TFL_RULE

#endif  // TENON_OPS_TFL_TFL_OP_H
