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

#include "core/dtype.h"
#include "ops/aten/aten_op.h"
#include "ops/core/core_shapes.h"
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
// Ones, but for d along `axis`.
TENON_INLINE tenon_tfl_shape tenon_tfl_along(int rank, int axis, tenon_dim d) {
  tenon_tfl_shape s = {.rank = rank};
  for (int i = 0; i < rank; ++i)
    s.dims[i] = i == axis ? d : tenon_tfl_fixed(1);
  return s;
}

// What the file declares of result i, or null.
TENON_INLINE const tenon_type *tenon_tfl_declared(const tenon_infer *c, int i) {
  const tenon_type *t = c->api->declared(c, i);
  return t && t->dtype ? t : NULL;
}
// That each `Tensor` of a row's operands is there and is not too large, before
// its rule is asked (tfl.c).
tenon_status tenon_tfl_check_operands(tenon_infer *c, const char *operands);
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
// Operands and results by a text (ops/core/core_shapes.h), the latter as above.
// `s`: what is known before, or null.
tenon_status tenon_tfl_shapes(tenon_infer *c, tenon_shapes *s,
                              const char *text);
// Result 0 of an arithmetic operator, of the element type of `like`.
tenon_status tenon_tfl_number(tenon_infer *c, const tenon_tfl_shape *shape,
                              const tenon_type *like);
// Result 0 with the sizes of `like`, of any operator.
tenon_status tenon_tfl_like(tenon_infer *c, const tenon_type *like);
// That indices are s32 or s64.
tenon_status tenon_tfl_check_whole(tenon_infer *c, const tenon_type *t,
                                   const char *name);
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
// Result 0 of this rank like x, of which data decide each size.
tenon_status tenon_tfl_decided(tenon_infer *c, int rank, const tenon_type *x);
// An operand that is one integer, as a size: known, held, or decided by data,
// which is `most` at most.
tenon_status tenon_tfl_one_size(tenon_infer *c, int i, const char *name,
                                tenon_dim most, tenon_dim *out);
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
TENON_INLINE const tenon_type *tenon_tfl_type(tenon_rewriter *rw,
                                              const tenon_node *node, int i) {
  return tenon_rw_type(rw, tenon_tfl_in(rw, node, i));
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
                            const tenon_arg *args, const tenon_type *type);
// No size is a symbol.
bool tenon_tfl_is_fixed(const tenon_type *t);
bool tenon_tfl_holds(tenon_ints list, int64_t v);
// core::concat.
tenon_value *tenon_tfl_join(tenon_rewriter *rw, tenon_value *const *in,
                            uint32_t n, int64_t axis, const tenon_type *type);
// A node of the type of result 0, which takes the node's place.
tenon_status tenon_tfl_become(tenon_rewriter *rw, const tenon_node *node,
                              const char *op, tenon_value *const *in,
                              uint32_t n_in, const tenon_arg *args);
// x with other sizes, itself if it has them; scales are kept, `type` says
// which ones when it is not null.
tenon_value *tenon_tfl_reshape(tenon_rewriter *rw, tenon_value *x,
                               const tenon_tfl_shape *shape,
                               const tenon_type *type);
// A window on x, of the sizes `size`, with the scale of `like`; null: from the
// beginning on, each element, the scale of x.
tenon_value *tenon_tfl_slice(tenon_rewriter *rw, tenon_value *x,
                             const tenon_dim *begin, const tenon_dim *size,
                             const int64_t *step, const tenon_type *like);
// The same along one axis: n elements from `from` on, each by `by` further.
tenon_value *tenon_tfl_part(tenon_rewriter *rw, tenon_value *x, int axis,
                            tenon_dim from, tenon_dim n, int64_t by);
// Numbers as a list (null: of none), and a tensor as one row of its elements.
tenon_value *tenon_tfl_listed(tenon_rewriter *rw, tenon_value *const *in,
                              int n);
tenon_value *tenon_tfl_row(tenon_rewriter *rw, tenon_value *x);
// The window of sizes `to` on x that begins where a list says (s64), with the
// scale of y; and x, of `rank`, with such a window replaced by `update`.
tenon_value *tenon_tfl_window_at(tenon_rewriter *rw, tenon_value *x,
                                 tenon_value *begin, const tenon_tfl_shape *to,
                                 const tenon_type *y);
tenon_value *tenon_tfl_update_at(tenon_rewriter *rw, tenon_value *x,
                                 tenon_value *update, tenon_value *begin,
                                 int rank);
// x with zeros around; null: none before, or behind.
tenon_value *tenon_tfl_padded(tenon_rewriter *rw, tenon_value *x,
                              const int64_t *before, const int64_t *after,
                              const tenon_type *type);
// x with its axes in another order.
tenon_value *tenon_tfl_permute(tenon_rewriter *rw, tenon_value *x,
                               const int64_t *dims, size_t n);
// x repeated along axes of size 1, and along new ones in front.
tenon_value *tenon_tfl_expand(tenon_rewriter *rw, tenon_value *x,
                              const tenon_tfl_shape *shape);
// Plain numbers in another type; x itself if it has it.
tenon_value *tenon_tfl_cast(tenon_rewriter *rw, tenon_value *x,
                            tenon_dtype dtype);
// Refuses operands of this type, and those with a scale.
tenon_status tenon_tfl_refuse(tenon_rewriter *rw, const tenon_type *t);
tenon_status tenon_tfl_refuse_scale(tenon_rewriter *rw, const tenon_type *t);
// A core operator of the first n operands takes the node's place.
tenon_status tenon_tfl_become_of(tenon_rewriter *rw, const tenon_node *node,
                                 const char *op, int n, const tenon_arg *args);
// x and a number of its element type.
tenon_value *tenon_tfl_by(tenon_rewriter *rw, const char *op, tenon_value *x,
                          double number);
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
// The same where `op` does not hold of each element of a list and the next.
tenon_status tenon_tfl_require_order(tenon_rewriter *rw, tenon_value *list,
                                     const char *op, const char *otherwise);
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
// The numbers from 0 to n - 1: s32[n]; and of any type along one of `rank`
// axes.
tenon_value *tenon_tfl_count(tenon_rewriter *rw, tenon_dim n);
tenon_value *tenon_tfl_line(tenon_rewriter *rw, tenon_dim n, int rank, int axis,
                            tenon_dtype t);
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
                                     uint32_t n_in, const tenon_arg *args);

TENON_INLINE bool tenon_tfl_is_float(const tenon_type *t) {
  return t->dtype == TENON_F32 && !t->quant;
}

// ---------------------------------------------------------------------------
// The rules and lowerings that rows of tfl.def name
// ---------------------------------------------------------------------------

typedef tenon_status tenon_tfl_rule(tenon_infer *c);
#define TFL_OP(name, first, last, core, table, rule, lowering, ...) \
  tenon_tfl_rule tenon_tfl_##rule##_infer;                          \
  tenon_lower_fn tenon_tfl_##lowering##_lower;
#define TFL_CALL TFL_OP
#define TFL_ALONE TFL_OP
#include "ops/tfl/tfl.def"
#undef TFL_OP
#undef TFL_CALL
#undef TFL_ALONE
// Rules behind which those of tfl_held.c say more.
tenon_tfl_rule tenon_tfl_sum_infer, tenon_tfl_fused_infer, tenon_tfl_div_infer,
    tenon_tfl_reshape_infer, tenon_tfl_squeeze_infer,
    tenon_tfl_expand_dims_infer, tenon_tfl_shape_infer, tenon_tfl_rank_infer,
    tenon_tfl_unpack_infer, tenon_tfl_concat_infer, tenon_tfl_pack_infer,
    tenon_tfl_gather_infer, tenon_tfl_cast_infer;

#endif  // TENON_OPS_TFL_TFL_OP_H
