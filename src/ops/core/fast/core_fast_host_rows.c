// core_fast_host_rows.c - descriptors of the kernels in kern/isa/x86/ and
// kern/isa/aarch64/ that are not mere products: functions of elements, rows,
// windows, permutations, and layers over time.
#include "ops/core/fast/core_fast_host.h"

#include "kern/loop/columns.h"
#include "kern/loop/element.h"
#include "kern/loop/order.h"
#include "kern/loop/reduce.h"
#include "kern/op/pooling.h"
#include "kern/op/softmax.h"
#include "kern/opt/image/resize_s8.h"
#include "kern/opt/tiles/blocks.h"
#include "kern/opt/transpose.h"
#include "kern/product/recurrent.h"
#include "ops/core/element/core_arith.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/element/core_lookup.h"
#include "ops/core/fast/core_fast_like.h"
#include "ops/core/fast/core_fast_pack.h"
#include "ops/core/fast/core_fast_sum.h"

// An item is an element.
static int64_t element_extent(const tenon_call *c, int64_t *items) {
  (void)c;
  *items = 1;
  return 1;
}
#define FAST_ELEMENTS(name) \
  CORE_FAST(name, tenon_core_items), .extent = element_extent

// A function of each element, or of two of them: the rows of each.def.
#define FAST_EACH(name, its_op, its_types, places, its_match, isa) \
  CORE_KERNEL(name) = {FAST_ELEMENTS(name), .op = its_op,          \
                       .types = its_types,  .match = its_match,    \
                       .in_place = places,  CORE_FAST_ON(isa)};
#define FAST_EACH_TYPES(op, form, calls, isa)                                 \
  FAST_EACH(op##_f32_##isa, "core::" #op, TYPES_##form("f32"), PLACES_##form, \
            MATCH_##calls, isa)                                               \
  FAST_EACH(op##_f16_##isa, "core::" #op, TYPES_##form("f16"), PLACES_##form, \
            MATCH_##calls, isa)                                               \
  FAST_EACH(op##_bf16_##isa, "core::" #op, TYPES_##form("bf16"),              \
            PLACES_##form, MATCH_##calls, isa)
#define TYPES_EACH(type) type " -> " type
#define TYPES_PAIR(type) type ", " type " -> " type
#define PLACES_EACH TENON_IN_PLACE(0, 0)
#define TYPES_GROUP TYPES_EACH
#define PLACES_GROUP PLACES_EACH
#define PLACES_PAIR TENON_IN_PLACE(0, 0) | TENON_IN_PLACE(0, 1)
#define MATCH_any NULL
#define MATCH_exact tenon_core_gelu_is_exact
#define TENON_EACH_ROW(op, form, header, calls) \
  FAST_EACH_TYPES(op, form, calls, sse2)        \
  FAST_EACH_TYPES(op, form, calls, avx2)        \
  FAST_EACH_TYPES(op, form, calls, avx512)      \
  FAST_EACH_TYPES(op, form, calls, neon)
#include "kern/isa/each.def"
#include "ops/core/core_rule.h"
#undef TENON_EACH_ROW

#define FAST_CAST(name, its_types, isa)                         \
  CORE_KERNEL(name) = {FAST_ELEMENTS(name), .op = "core::cast", \
                       .types = its_types, CORE_FAST_ON(isa)}
#define FAST_CAST_ISA(isa)                           \
  FAST_CAST(cast_f32bf16_##isa, "f32 -> bf16", isa); \
  FAST_CAST(cast_f32f16_##isa, "f32 -> f16", isa);   \
  FAST_CAST(cast_bf16f32_##isa, "bf16 -> f32", isa); \
  FAST_CAST(cast_f16f32_##isa, "f16 -> f32", isa)
FAST_WIDTHS(FAST_CAST_ISA);

// Bytes with one scale.
static bool bytes_have_one(const tenon_tensor *t) {
  return t->quant->block == 0 && t->quant->channels == 1;
}
static bool quantize_match(const tenon_call *c) {
  return bytes_have_one(&c->out[0]);
}
static bool dequantize_match(const tenon_call *c) {
  return bytes_have_one(&c->in[0]);
}
#define FAST_QUANT(type, isa)                                                \
  CORE_KERNEL(quantize_f32##type##_##isa) = {                                \
      FAST_ELEMENTS(quantize_f32##type##_##isa), .op = "core::quantize",     \
      .types = "f32 -> " #type "q", .match = quantize_match,                 \
      CORE_FAST_ON(isa)};                                                    \
  CORE_KERNEL(dequantize_##type##f32_##isa) = {                              \
      FAST_ELEMENTS(dequantize_##type##f32_##isa), .op = "core::dequantize", \
      .types = #type "q -> f32", .match = dequantize_match, CORE_FAST_ON(isa)}
#define FAST_QUANT_ISA(isa) \
  FAST_QUANT(s8, isa);      \
  FAST_QUANT(u8, isa)
FAST_QUANT_ISA(avx2);
FAST_QUANT_ISA(avx512);
FAST_QUANT_ISA(neon);

// An entry of scale and shift for each channel, which is last.
static bool round_affine_match(const tenon_call *c) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const int32_t rank = y->rank;
  if (!tenon_core_is_known(y) || rank < 1 || x->rank != rank) return false;
  for (int32_t d = 0; d < rank; ++d)
    if (x->dims[d] != y->dims[d]) return false;
  for (int i = 1; i < 3; ++i) {
    const tenon_tensor *v = &c->in[i];
    if (v->rank < 1 || v->dims[v->rank - 1] != y->dims[rank - 1] ||
        tenon_count(v) != (size_t)y->dims[rank - 1])
      return false;
  }
  return y->dims[rank - 1] > 0;
}
#define FAST_ROUND_AFFINE(type, places, isa)      \
  CORE_KERNEL(round_affine_##type##_##isa) = {    \
      FAST_ELEMENTS(round_affine_##type##_##isa), \
      .op = "core::round_affine",                 \
      .types = "f32, f32, f32 -> " #type,         \
      .match = round_affine_match,                \
      .in_place = places,                         \
      CORE_FAST_ON(isa)}
#define FAST_ROUND_AFFINE_ISA(isa)                   \
  FAST_ROUND_AFFINE(f32, TENON_IN_PLACE(0, 0), isa); \
  FAST_ROUND_AFFINE(f16, 0, isa);                    \
  FAST_ROUND_AFFINE(bf16, 0, isa)
FAST_WIDTHS(FAST_ROUND_AFFINE_ISA);

#define FAST_CLAMP(type, isa)                                        \
  CORE_KERNEL(clamp_##type##_##isa) = {                              \
      FAST_ELEMENTS(clamp_##type##_##isa), .op = "core::clamp",      \
      .types = #type " -> " #type, .in_place = TENON_IN_PLACE(0, 0), \
      CORE_FAST_ON(isa)}
#define FAST_CLAMP_ISA(isa) \
  FAST_CLAMP(f16, isa);     \
  FAST_CLAMP(bf16, isa)
// The references of f32 and bf16 have registers of SSE2.
FAST_CLAMP(f16, sse2);
FAST_WIDE(FAST_CLAMP_ISA);

static bool where_b4_match(const tenon_call *c) {
  return tenon_element_bits(c->out[0].dtype) == 32;
}
#define FAST_WHERE(isa)              \
  CORE_KERNEL(where_b4_##isa) = {    \
      FAST_ELEMENTS(where_b4_##isa), \
      .op = "core::where",           \
      .types = "bool, T, T -> T",    \
      .match = where_b4_match,       \
      CORE_FAST_ON(isa),             \
      .in_place = TENON_IN_PLACE(0, 1) | TENON_IN_PLACE(0, 2)}
FAST_WIDE(FAST_WHERE);

#define FAST_ARITH(name, its_op, type, its_pack, its_size, its_packing, isa) \
  CORE_KERNEL(name) = {                                                      \
      FAST_ELEMENTS(name),                                                   \
      .op = its_op,                                                          \
      .types = type ", " type " -> " type,                                   \
      .in_place = TENON_IN_PLACE(0, 0) | TENON_IN_PLACE(0, 1),               \
      CORE_FAST_ON(isa),                                                     \
      .pack_name = its_pack,                                                 \
      .pack_version = 1,                                                     \
      .pack_size = its_size,                                                 \
      .pack = its_packing}
#define FAST_STORED(name, its_op, type, how, isa)                              \
  FAST_ARITH(name, its_op, type, "tenon_" #how "_s8", tenon_core_##how##_size, \
             tenon_core_##how##_pack, isa)
#define FAST_ARITH_ISA(isa)                                           \
  FAST_ARITH(add_s8_##isa, "core::add", "s8q", "tenon_sum_s8",        \
             tenon_core_sum_s8_size, tenon_core_add_s8_pack, isa);    \
  FAST_ARITH(sub_s8_##isa, "core::sub", "s8q", "tenon_difference_s8", \
             tenon_core_sum_s8_size, tenon_core_sub_s8_pack, isa);    \
  FAST_STORED(mul_s8_##isa, "core::mul", "s8q", mul, isa);            \
  FAST_STORED(add_s16q_##isa, "core::add", "s16q", add, isa);         \
  FAST_STORED(sub_s16q_##isa, "core::sub", "s16q", add, isa);         \
  FAST_STORED(mul_s16q_##isa, "core::mul", "s16q", mul, isa)
// SSE2 lacks the products that these need.
FAST_WIDE(FAST_ARITH_ISA);

FAST_ARITH(add_s8_dot_avx512vnni, "core::add", "s8q", "tenon_sum_s8_dot",
           tenon_core_sum_s8_dot_size, tenon_core_add_s8_dot_pack, avx512vnni);

// By tables of 16-bit numbers.
#define FAST_LOOKUP(name, how, its_match, isa)                            \
  CORE_KERNEL(name##_s16q_##isa) = {FAST_ELEMENTS(name##_s16q_##isa),     \
                                    .op = "core::" #name,                 \
                                    .types = "s16q -> s16q",              \
                                    .match = its_match,                   \
                                    .in_place = TENON_IN_PLACE(0, 0),     \
                                    CORE_FAST_ON(isa),                    \
                                    .pack_version = 1,                    \
                                    .pack_size = tenon_core_##how##_size, \
                                    .pack = tenon_core_##how##_##name}
#define FAST_LOOKUP_ISA(isa)                               \
  FAST_LOOKUP(exp, lookup, NULL, isa);                     \
  FAST_LOOKUP(gelu, lookup, NULL, isa);                    \
  FAST_LOOKUP(log, lookup, NULL, isa);                     \
  FAST_LOOKUP(logistic, sigmoid, tenon_core_is_unit, isa); \
  FAST_LOOKUP(tanh, sigmoid, tenon_core_is_unit, isa)
FAST_WIDTHS(FAST_LOOKUP_ISA);

// Of bytes, by the reference kernel's table.
#define FAST_TABLE_ON(name, isa)                                               \
  CORE_KERNEL(name##_s8_##isa) = {CORE_FAST(name##_s8_##isa, name##_s8_items), \
                                  .extent = element_extent,                    \
                                  .op = "core::" #name,                        \
                                  .types = "s8q -> s8q",                       \
                                  .in_place = TENON_IN_PLACE(0, 0),            \
                                  CORE_FAST_ON(isa),                           \
                                  .pack_version = 1,                           \
                                  LIKE_REFERENCE_MEMBERS(name##_s8)}
#define FAST_TABLE(name)     \
  LIKE_REFERENCE(name##_s8)  \
  FAST_TABLE_ON(name, avx2); \
  FAST_TABLE_ON(name, avx512)
FAST_TABLE(elu);
FAST_TABLE(exp);
FAST_TABLE(gelu);
FAST_TABLE(hard_swish);
FAST_TABLE(leaky_relu);
FAST_TABLE(log);
FAST_TABLE(logistic);
FAST_TABLE(tanh);

#define FAST_PAIR(name, its_op, type, isa)                                    \
  CORE_KERNEL(name) = {                                                       \
      FAST_ELEMENTS(name), .op = its_op, .types = type ", " type " -> " type, \
      .in_place = TENON_IN_PLACE(0, 0) | TENON_IN_PLACE(0, 1),                \
      CORE_FAST_ON(isa)}
#define FAST_PAIR_TYPE(type, isa)                                 \
  FAST_PAIR(add_##type##_##isa, "core::add", #type, isa);         \
  FAST_PAIR(sub_##type##_##isa, "core::sub", #type, isa);         \
  FAST_PAIR(mul_##type##_##isa, "core::mul", #type, isa);         \
  FAST_PAIR(div_##type##_##isa, "core::div", #type, isa);         \
  FAST_PAIR(minimum_##type##_##isa, "core::minimum", #type, isa); \
  FAST_PAIR(maximum_##type##_##isa, "core::maximum", #type, isa)
#define FAST_PAIR_ISA(isa)   \
  FAST_PAIR_TYPE(f16, isa);  \
  FAST_PAIR_TYPE(bf16, isa); \
  FAST_PAIR_TYPE(f32, isa);  \
  FAST_PAIR(prelu_f32_##isa, "core::prelu", "f32", isa)
// The references of f32 and bf16 have registers of SSE2.
FAST_PAIR_TYPE(f16, sse2);
FAST_WIDE(FAST_PAIR_ISA);

// --- Rows --------------------------------------------------------------------

static int64_t axis_rows(const tenon_tensor *x, int64_t axis) {
  return tenon_core_rows(x, (int)(axis < 0 ? axis + x->rank : axis));
}
static int64_t softmax_items(const tenon_call *c) {
  return axis_rows(&c->in[0], ((const tenon_softmax_attrs *)c->attrs)->axis);
}
static int64_t log_softmax_items(const tenon_call *c) {
  return axis_rows(&c->in[0],
                   ((const tenon_log_softmax_attrs *)c->attrs)->axis);
}

#define FAST_SOFTMAX(name, its_op, how, isa)                       \
  CORE_KERNEL(name) = {CORE_FAST(name, how##_items), .op = its_op, \
                       .types = "f32 -> f32",                      \
                       .in_place = TENON_IN_PLACE(0, 0), CORE_FAST_ON(isa)}
#define FAST_SOFTMAX_ISA(isa)                                     \
  FAST_SOFTMAX(softmax_f32_##isa, "core::softmax", softmax, isa); \
  FAST_SOFTMAX(log_softmax_f32_##isa, "core::log_softmax", log_softmax, isa)
FAST_WIDTHS(FAST_SOFTMAX_ISA);

// Elements side by side, of which sums have 31 bits; distances times a factor
// that is a shift to the left by at most 14 (kern/opt/rows/softmax_s16q_opt.h).
static bool softmax_s16_match(const tenon_call *c) {
  const tenon_softmax_attrs *a = (const tenon_softmax_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0];
  int32_t mult, shift;
  if (!tenon_core_is_unit(c) || x->rank < 1 ||
      (a->axis != -1 && a->axis != x->rank - 1) || x->dims[x->rank - 1] < 1 ||
      x->dims[x->rank - 1] > 1 << 16)
    return false;
  tenon_core_softmax_s16_factor(c, &mult, &shift);
  return mult > 0 && shift > -31 && shift <= 14;
}
#define FAST_SOFTMAX_S16(isa)                       \
  CORE_KERNEL(softmax_s16q_##isa) = {               \
      CORE_FAST(softmax_s16q_##isa, softmax_items), \
      .op = "core::softmax",                        \
      .types = "s16q -> s16q",                      \
      .match = softmax_s16_match,                   \
      .in_place = TENON_IN_PLACE(0, 0),             \
      CORE_FAST_ON(isa),                            \
      .pack_version = 1,                            \
      .pack_size = tenon_core_softmax_s16_size,     \
      .pack = tenon_core_softmax_s16}
FAST_WIDE(FAST_SOFTMAX_S16);

// Where rows are not those of kern/loop/sum.h, they do what the reference does.
// Sums side by side share a register, so threads take whole ones.
#define FAST_SUM(name, its_op, type, isa)                 \
  CORE_KERNEL(name) = {CORE_FAST(name, tenon_core_items), \
                       .op = its_op,                      \
                       .types = type " -> " type,         \
                       CORE_FAST_ON(isa),                 \
                       .grain = 16,                       \
                       CORE_REDUCED}
// Extremes beside each other, or of rows one behind the other: there is at
// least one element of each, and its place has 32 bits.
static bool extreme_match(const tenon_call *c) {
  const tenon_reduce_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[0];
  int32_t d = x->rank;
  if (!tenon_core_is_known(x) || d == 0 || tenon_count(x) <= 0 ||
      tenon_count(x) > INT32_MAX)
    return false;
  if (!tenon_reduce_has(a->dims, d - 1, d)) return true;
  while (d > 0 && tenon_reduce_has(a->dims, d - 1, x->rank))
    --d;
  while (d > 0 && !tenon_reduce_has(a->dims, d - 1, x->rank))
    --d;
  return d == 0;
}
#define FAST_EXTREME(name, type, isa)                \
  CORE_KERNEL(name##_f32_##isa) = {                  \
      CORE_FAST(name##_f32_##isa, tenon_core_items), \
      .op = "core::" #name,                          \
      .types = "f32 -> " type,                       \
      .match = extreme_match,                        \
      CORE_FAST_ON(isa),                             \
      .grain = 16,                                   \
      CORE_REDUCED}
// The same of bytes, over any dimensions.
static bool extreme_s8_match(const tenon_call *c) {
  const tenon_tensor *x = &c->in[0];
  return x->dtype == TENON_S8 && tenon_core_is_known(x) && x->rank > 0 &&
         tenon_count(x) > 0;
}
#define FAST_EXTREME_S8(name, isa)                  \
  CORE_KERNEL(name##_s8_##isa) = {                  \
      CORE_FAST(name##_s8_##isa, tenon_core_items), \
      .op = "core::" #name,                         \
      .types = "T -> T",                            \
      .match = extreme_s8_match,                    \
      CORE_FAST_ON(isa),                            \
      .grain = 16,                                  \
      CORE_REDUCED}
#define FAST_SUM_ISA(isa)                             \
  FAST_EXTREME_S8(amax, isa);                         \
  FAST_EXTREME_S8(amin, isa);                         \
  FAST_EXTREME(amax, "f32", isa);                     \
  FAST_EXTREME(amin, "f32", isa);                     \
  FAST_EXTREME(argmax, "s64", isa);                   \
  FAST_EXTREME(argmin, "s64", isa);                   \
  FAST_SUM(sum_f32_##isa, "core::sum", "f32", isa);   \
  FAST_SUM(mean_f32_##isa, "core::mean", "f32", isa); \
  FAST_SUM(mean_f16_##isa, "core::mean", "f16", isa); \
  FAST_SUM(mean_bf16_##isa, "core::mean", "bf16", isa)
FAST_WIDTHS(FAST_SUM_ISA);

// Keys and places of a line, twice. Places have 32 bits.
static int64_t fast_sort_items(const tenon_call *c) {
  return tenon_lines_count(&c->in[0],
                           ((const tenon_sort_attrs *)c->attrs)->axis);
}
static size_t fast_sort_scratch(const tenon_call *c, int64_t items) {
  const tenon_sort_attrs *a = (const tenon_sort_attrs *)c->attrs;
  (void)items;
  return (size_t)tenon_lines_of(&c->in[0], a->axis).n * 2 * sizeof(uint64_t);
}
#define FAST_SORT(isa)                                                       \
  CORE_KERNEL(sort_f32_##isa) = {CORE_FAST(sort_f32_##isa, fast_sort_items), \
                                 .op = "core::sort",                         \
                                 .types = "f32 -> f32, s64",                 \
                                 .align = sizeof(uint64_t),                  \
                                 .scratch = fast_sort_scratch,               \
                                 CORE_FAST_ON(isa)}
FAST_WIDTHS(FAST_SORT);

// Sums of rows, or of elements behind each other: columns are items.
static int64_t index_put_items(const tenon_call *c) {
  return tenon_index_put_items(c);
}
static bool index_put_match(const tenon_call *c) {
  const tenon_index_put_attrs *a = c->attrs;
  return a->mode == TENON_SCATTER_ADD && a->include_self;
}
#define FAST_INDEX_PUT(isa)                                           \
  CORE_KERNEL(index_put_f32_##isa) = {                                \
      .struct_size = sizeof(tenon_kernel_desc),                       \
      .symbol = "tenon_k_index_put_f32_" #isa,                        \
      .run_range = (tenon_run_range_fn *)tenon_k_index_put_f32_##isa, \
      .items = index_put_items,                                       \
      .source = &tenon_source_index_put_f32_##isa##_c,                \
      .op = "core::index_put",                                        \
      .types = "f32, f32, s32|s64... -> f32",                         \
      .match = index_put_match,                                       \
      .in_place = TENON_IN_PLACE(0, 0),                               \
      CORE_FAST_ON(isa)}
FAST_WIDTHS(FAST_INDEX_PUT);

// --- Windows and permutations ------------------------------------------------

#define FAST_POOL_F32(name, its_op, isa)                                \
  CORE_KERNEL(name) = {CORE_FAST(name, tenon_core_lines), .op = its_op, \
                       .types = "f32 -> f32", CORE_FAST_ON(isa)}
#define FAST_POOL_F32_ISA(isa)                              \
  FAST_POOL_F32(avg_pool_f32_##isa, "core::avg_pool", isa); \
  FAST_POOL_F32(max_pool_f32_##isa, "core::max_pool", isa)
// With SSE2 the reference kernels are as fast.
FAST_WIDE(FAST_POOL_F32_ISA);

// Means whose sums floats hold (kern/opt/image/pool_stored_opt.h).
static bool avg_pool_match(const tenon_call *c) {
  const tenon_ints window = ((const tenon_pool_attrs *)c->attrs)->window;
  return tenon_core_pool_match(c) && window.data[0] <= 256 &&
         window.data[1] <= 256;
}
static bool avg_pool_s16_match(const tenon_call *c) {
  const tenon_ints window = ((const tenon_pool_attrs *)c->attrs)->window;
  return avg_pool_match(c) && window.data[0] * window.data[1] <= 511;
}
#define FAST_POOL(name, its_op, type, its_match, isa)     \
  CORE_KERNEL(name) = {CORE_FAST(name, tenon_core_lines), \
                       .op = its_op,                      \
                       .types = type " -> " type,         \
                       .match = its_match,                \
                       CORE_FAST_ON(isa),                 \
                       .pack_version = 1,                 \
                       .pack_size = tenon_core_pool_size, \
                       .pack = tenon_core_pool_pack}
#define FAST_POOL_ISA(isa)                                                     \
  FAST_POOL(avg_pool_s8_##isa, "core::avg_pool", "s8q", avg_pool_match, isa);  \
  FAST_POOL(avg_pool_s16q_##isa, "core::avg_pool", "s16q", avg_pool_s16_match, \
            isa);                                                              \
  FAST_POOL(max_pool_s8_##isa, "core::max_pool", "s8q", tenon_core_pool_match, \
            isa);                                                              \
  FAST_POOL(max_pool_s16q_##isa, "core::max_pool", "s16q",                     \
            tenon_core_pool_match, isa)
FAST_WIDE(FAST_POOL_ISA);

// Sums that fit; of 16 bits over neighbours.
static bool mean_stored_match(const tenon_call *c) {
  const tenon_reduce_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[0];
  int64_t n = 1;
  bool is_over = false;
  for (int32_t d = x->rank - 1; d >= 0; --d) {
    if (x->dims[d] < 1) return false;
    const bool is_summed = tenon_reduce_has(a->dims, d, x->rank);
    if (is_summed && is_over && x->dtype != TENON_S8) return false;
    if (is_summed) n *= x->dims[d];
    is_over = is_over || (n > 1 && !is_summed && x->dims[d] > 1);
  }
  return n < 1 << (x->dtype == TENON_S8 ? 22 : 14);
}
#define FAST_MEAN(name, its_op, type, isa)                  \
  CORE_KERNEL(name) = {CORE_FAST(name, tenon_core_items),   \
                       .op = its_op,                        \
                       .types = type " -> " type,           \
                       .match = mean_stored_match,          \
                       CORE_FAST_ON(isa),                   \
                       .pack_version = 1,                   \
                       .pack_size = tenon_core_factor_size, \
                       .pack = tenon_core_factor_pack}
#define FAST_MEAN_ISA(isa)                            \
  FAST_MEAN(sum_s8_##isa, "core::sum", "s8q", isa);   \
  FAST_MEAN(mean_s8_##isa, "core::mean", "s8q", isa); \
  FAST_MEAN(mean_s16q_##isa, "core::mean", "s16q", isa)
FAST_WIDE(FAST_MEAN_ISA);

static int64_t resize_rows_of(const tenon_call *c) {
  return (int64_t)c->out[0].dims[0] * c->out[0].dims[1];
}
static int64_t resize_extent(const tenon_call *c, int64_t *items) {
  *items = 1;
  return (int64_t)c->out[0].dims[2] * c->out[0].dims[3];
}
static size_t resize_scratch(const tenon_call *c, int64_t items) {
  const int32_t *d = c->in[0].dims;
  (void)items;
  return ((size_t)d[2] * (size_t)d[3] + TENON_LANES) * sizeof(int32_t) +
         (size_t)c->out[0].dims[2] * sizeof(tenon_resize_s8_column);
}
static bool resize_match(const tenon_call *c) {
  const int32_t *d = c->in[0].dims;
  return tenon_core_is_known(&c->in[0]) && tenon_core_is_known(&c->out[0]) &&
         tenon_count(&c->in[0]) > 0 && (int64_t)d[2] * d[3] < 1 << 28;
}
#define FAST_RESIZE(isa)                                   \
  CORE_KERNEL(resize_bilinear_s8_##isa) = {                \
      CORE_FAST(resize_bilinear_s8_##isa, resize_rows_of), \
      .op = "core::resize_bilinear",                       \
      .types = "s8q -> s8q",                               \
      .match = resize_match,                               \
      .scratch = resize_scratch,                           \
      .extent = resize_extent,                             \
      CORE_FAST_ON(isa)}
FAST_WIDE(FAST_RESIZE);

static bool permute_is_of(const tenon_call *c, int32_t bits) {
  return tenon_element_bits(c->in[0].dtype) == bits &&
         tenon_core_is_known(&c->in[0]);
}
static bool permute_b1_match(const tenon_call *c) {
  return permute_is_of(c, 8);
}
static bool permute_b2_match(const tenon_call *c) {
  return permute_is_of(c, 16);
}
static bool permute_b4_match(const tenon_call *c) {
  return permute_is_of(c, 32);
}
static int64_t permute_items(const tenon_call *c) {
  tenon_transpose t;
  tenon_transpose_of(c, &t);
  return tenon_transpose_items(&t);
}
// The same for all, but what is emitted has one width of registers.
#define FAST_PERMUTE_OF(how, isa)                                       \
  CORE_KERNEL(how##_##isa) = {CORE_FAST(how##_##isa, permute_items),    \
                              .op = "core::permute", .types = "T -> T", \
                              .match = how##_match, CORE_FAST_ON(isa)}
#define FAST_PERMUTE(isa)           \
  FAST_PERMUTE_OF(permute_b1, isa); \
  FAST_PERMUTE_OF(permute_b2, isa); \
  FAST_PERMUTE_OF(permute_b4, isa)
FAST_WIDTHS(FAST_PERMUTE);

// --- Layers over time --------------------------------------------------------

static int64_t recurrent_items(const tenon_call *c) {
  return tenon_recurrent_items(c);
}
static int64_t recurrent_turns(const tenon_call *c) {
  return tenon_recurrent_is_cut(c) ? c->in[0].dims[0] : 1;
}

// The weights of the state, with or without a bias.
static bool recurrent_match(const tenon_call *c) {
  return c->in[1].data && tenon_core_is_constant(&c->in[1]) &&
         tenon_core_is_constant(&c->in[2]);
}
static bool lstm_match(const tenon_call *c) {
  return recurrent_match(c) && tenon_core_is_constant(&c->in[5]);
}

// Sums of the gates of as many rows as are computed at once.
static size_t recurrent_scratch(const tenon_call *c, int64_t items) {
  int64_t rows = items < TENON_TILE_PIXELS ? items : TENON_TILE_PIXELS;
  if (tenon_recurrent_is_cut(c)) rows = c->in[0].dims[1];
  return (size_t)rows * (size_t)c->in[1].dims[0] * sizeof(float);
}
// ... and outputs that are still to be projected.
static size_t lstm_scratch(const tenon_call *c, int64_t items) {
  return recurrent_scratch(c, items) / 4 * 5;
}

#define FAST_RECURRENT(name, its_op, its_types, operands, its_match, how, isa) \
  CORE_KERNEL(name) = {CORE_FAST(name, recurrent_items),                       \
                       .op = its_op,                                           \
                       .types = its_types,                                     \
                       .match = its_match,                                     \
                       CORE_FAST_ON(isa),                                      \
                       .packs = operands,                                      \
                       .pack_version = 1,                                      \
                       .pack_name = "tenon_recurrent_f32",                     \
                       .pack_size = tenon_core_recurrent_f32_pack_size,        \
                       .pack = tenon_core_recurrent_f32_pack,                  \
                       .pack_check = tenon_core_recurrent_f32_pack_check,      \
                       .scratch = how##_scratch,                               \
                       .turns = recurrent_turns}
#define FAST_RECURRENT_ISA(isa)                                        \
  FAST_RECURRENT(lstm_f32_##isa, "core::lstm",                         \
                 "f32, f32, f32?, f32, f32, f32? -> f32, f32, f32",    \
                 1u << 1 | 1u << 2 | 1u << 5, lstm_match, lstm, isa);  \
  FAST_RECURRENT(gru_f32_##isa, "core::gru",                           \
                 "f32, f32, f32?, f32 -> f32, f32", 1u << 1 | 1u << 2, \
                 recurrent_match, recurrent, isa);                     \
  FAST_RECURRENT(rnn_f32_##isa, "core::rnn",                           \
                 "f32, f32, f32?, f32 -> f32, f32", 1u << 1 | 1u << 2, \
                 recurrent_match, recurrent, isa)
FAST_WIDTHS(FAST_RECURRENT_ISA);
