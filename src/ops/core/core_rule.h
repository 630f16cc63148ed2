// ops/core/core_rule.h - what shape rules and descriptors of this plugin share.
//
// Shape rules see sizes that may be symbols, so they compute with `dim` and
// compare only what is fixed: what is not known yet is checked in the run that
// knows it. The functions report what they refuse; their callers return the
// status as it is.
#ifndef TENON_OPS_CORE_CORE_RULE_H
#define TENON_OPS_CORE_CORE_RULE_H

#include "kern/sources.h"
#include "tenon/ext/op.h"

// --- Descriptors -------------------------------------------------------------

#if defined(__GNUC__)
#define TENON_WEAK __attribute__((weak))
#else
#error "operators' lists of kernels have to be weak symbols"
#endif

// A text is null where nobody asks for it: core.c asks for all, and a build
// with few kernels does without.
#define TENON_KERNEL_ROW(name, form) \
  extern TENON_WEAK const tenon_source tenon_source_##name##_c;
#include "kern/ref/ref.def"  // made
#undef TENON_KERNEL_ROW
#define TENON_KERNEL_ROW(name, types, in_place) \
  extern TENON_WEAK const tenon_source tenon_source_##name##_c;
TENON_KERNELS_ALL(TENON_KERNEL_ROW)
#undef TENON_KERNEL_ROW

// The first members of a kernel's descriptor; `name` is that of its file.
#define CORE_RUN(name)                                                    \
  .struct_size = sizeof(tenon_kernel_desc), .flags = TENON_KERNEL_NOFAIL, \
  .symbol = "tenon_k_" #name, .run = tenon_k_##name,                      \
  .source = &tenon_source_##name##_c
#define CORE_RANGE(name, how_many)                                            \
  .struct_size = sizeof(tenon_kernel_desc), .flags = TENON_KERNEL_NOFAIL,     \
  .symbol = "tenon_k_" #name, .run_range = tenon_k_##name, .items = how_many, \
  .source = &tenon_source_##name##_c

// The kernels that rows/ of kern/ has of an operator: descriptors, and pointers
// for CORE_KERNELS. An item is an element of the result.
#define CORE_ROW(name, its_types, places) \
  CORE_KERNEL_RANGE(name, tenon_core_items, its_types, .in_place = places);
#define CORE_ROW_MAY_FAIL(name, its_types, places)             \
  CORE_KERNEL_FAILING_RANGE(name, tenon_core_items, its_types, \
                            .in_place = places);
#define CORE_ROW_POINTER(name, its_types, places) CORE_K(name),
#define CORE_EACH(op) TENON_KERNELS_##op(CORE_ROW_POINTER)

// Of kernels that may fail, and of whole calls.
#define CORE_FAILING_RUN(name)                                          \
  .struct_size = sizeof(tenon_kernel_desc), .symbol = "tenon_k_" #name, \
  .run = tenon_k_##name, .source = &tenon_source_##name##_c
#define CORE_FAILING_RANGE(name, how_many)                              \
  .struct_size = sizeof(tenon_kernel_desc), .symbol = "tenon_k_" #name, \
  .run_range = tenon_k_##name, .items = how_many,                       \
  .source = &tenon_source_##name##_c

// An operator's kernels are a list of its own, which a build with few of them
// defines anew (`tenon select`): so it is weak, and its kernels are named after
// their functions. What nobody lists, the linker leaves out.
#define CORE_KERNEL(name) const tenon_kernel_desc tenon_k_##name##_desc
#define CORE_K(name) &tenon_k_##name##_desc
#define CORE_LIST(op, ...)                                                     \
  TENON_WEAK const tenon_kernel_desc *const tenon_op_core_##op##_kernels[] = { \
      __VA_ARGS__, NULL}
#define CORE_KERNELS(op) .kernels = tenon_op_core_##op##_kernels
// One that needs no more than members of its descriptor, of which the first is
// `types`.
#define CORE_KERNEL_RUN(name, ...) \
  CORE_KERNEL(name) = {CORE_RUN(name), .types = __VA_ARGS__}
#define CORE_KERNEL_FAILING_RUN(name, ...) \
  CORE_KERNEL(name) = {CORE_FAILING_RUN(name), .types = __VA_ARGS__}
#define CORE_KERNEL_RANGE(name, how_many, ...) \
  CORE_KERNEL(name) = {CORE_RANGE(name, how_many), .types = __VA_ARGS__}
#define CORE_KERNEL_FAILING_RANGE(name, how_many, ...) \
  CORE_KERNEL(name) = {CORE_FAILING_RANGE(name, how_many), .types = __VA_ARGS__}

// The operator: tenon_op_core_<name>, which the build lists in core_ops.h.
#define CORE_OP(name) const tenon_op_desc tenon_op_core_##name
#define CORE_OP_HEADER \
  .struct_size = sizeof(tenon_op_desc), .flags = TENON_OP_PURE
#define CORE_EACH_HEADER                \
  .struct_size = sizeof(tenon_op_desc), \
  .flags = TENON_OP_PURE | TENON_OP_ELEMENTWISE
#define CORE_ATTRS(T, its_fields) \
  .attrs_size = sizeof(T), .fields = its_fields, .attrs_type = #T
#define CORE_MEMBERS(T, ...) \
  CORE_ATTRS(T, ((const tenon_field[])TENON_FIELDS(T, __VA_ARGS__)))

// A pure operator and its list of kernels, in parentheses; `its_schema` is what
// stands behind the name, and the members behind it begin with `doc`.
#define CORE_OPERATOR(op, rule, its_kernels, its_schema, ...)         \
  CORE_OPERATOR_OF(op, CORE_OP_HEADER, rule, its_kernels, its_schema, \
                   __VA_ARGS__)
// One on each element.
#define CORE_ELEMENTWISE(op, rule, its_kernels, its_schema, ...)        \
  CORE_OPERATOR_OF(op, CORE_EACH_HEADER, rule, its_kernels, its_schema, \
                   __VA_ARGS__)
#define CORE_OPERATOR_OF(op, header, rule, its_kernels, its_schema, ...) \
  CORE_LIST(op, CORE_OPEN its_kernels);                                  \
  CORE_OP(op) = {header, CORE_KERNELS(op), .infer = rule,                \
                 .schema = "core::" #op its_schema, .doc = __VA_ARGS__}
#define CORE_OPEN(...) __VA_ARGS__
// One whose kernels are all rows, which `row` describes.
#define CORE_OPERATOR_OF_ROWS(op, row, rule, its_schema, ...) \
  TENON_KERNELS_##op(row)                                     \
      CORE_OPERATOR(op, rule, (CORE_EACH(op) NULL), its_schema, __VA_ARGS__)

#define TENON_CORE_ROW(name) extern const tenon_op_desc tenon_op_core_##name;
#include "ops/core_ops.h"  // made
#undef TENON_CORE_ROW

// --- Kernels -----------------------------------------------------------------

// A function `pack_size` of what has one type whatever the call; of this file
// alone, or one that others see.
#define CORE_OWN_PACKS(name, type) static CORE_PACKS(name, type)
#define CORE_PACKS(name, type)       \
  size_t name(const tenon_call *c) { \
    (void)c;                         \
    return sizeof(type);             \
  }

// How many elements result 0 has: the items of element-wise kernels.
int64_t tenon_core_items(const tenon_call *c);
// core::gelu, not its approximation.
bool tenon_core_gelu_is_exact(const tenon_call *c);
// Elements of operand 0 take whole bytes.
bool tenon_core_whole_bytes(const tenon_call *c);
// One of the element types of kern/loop/plain.h; of operand 0, without a scale.
bool tenon_core_is_plain(tenon_dtype t);
bool tenon_core_plain(const tenon_call *c);
// ... and a float type.
bool tenon_core_real(const tenon_call *c);
// All sizes are known, and none is 0.
TENON_INLINE bool tenon_core_is_known(const tenon_tensor *t) {
  for (int i = 0; i < t->rank; ++i)
    if (t->dims[i] < 1) return false;
  return true;
}
// How many rows along dimension `axis` result 0 has, hence all but that one.
int64_t tenon_core_rows(const tenon_tensor *t, int axis);
// Items of kernels: rows along the last dimension of result 0; lines of its
// images; its images; rows of a product with weights [n, k].
int64_t tenon_core_last_rows(const tenon_call *c);
int64_t tenon_core_lines(const tenon_call *c);
int64_t tenon_core_images(const tenon_call *c);
int64_t tenon_core_products(const tenon_call *c);
int64_t tenon_core_product_macs(const tenon_call *c);
// `extent` and `reads` of what makes an element of those along dimensions
// (tenon_reduce_attrs): they lie one behind the other, if the dimensions are
// the last.
int64_t tenon_core_reduced_extent(const tenon_call *c, int64_t *items);
int64_t tenon_core_reduced_reads(const tenon_call *c);
#define CORE_REDUCED \
  .extent = tenon_core_reduced_extent, .reads = tenon_core_reduced_reads

// --- Shape rules -------------------------------------------------------------

bool tenon_core_is_plain_f32(const tenon_type *t);
TENON_INLINE tenon_dim tenon_core_dim(int64_t value) {
  tenon_dim d = {value, 0};
  return d;
}

// What kernels rely on. False only where it is known not to hold; where a size
// is open, a run in which it does not hold is refused. A rule never compares
// `value` itself: that of an open size says nothing.
bool tenon_core_equal(tenon_infer *c, tenon_dim a, tenon_dim b);
bool tenon_core_at_most(tenon_infer *c, tenon_dim a, tenon_dim b);
// At least one element.
bool tenon_core_some(tenon_infer *c, tenon_dim a);

// Operands 2 to 4 of sums: bias, scale and shift have an entry for each
// channel.
tenon_status tenon_core_check_tail(tenon_infer *c, tenon_dim channels);

// Result 0 with these dimensions. Where the file or the builder declared a
// quantised result, type and scale are the declared ones. Else they are
// `like`'s; a quantised `like` is then refused unless `keeps_scale`.
tenon_status tenon_core_result(tenon_infer *c, const tenon_dim *dims, int rank,
                               const tenon_type *like, bool keeps_scale);
// Result 0 with dimensions of operand 0, and its scale if none is declared.
tenon_status tenon_core_same(tenon_infer *c);
// Result i, of plain numbers.
tenon_status tenon_core_out(tenon_infer *c, int i, tenon_dtype dtype,
                            const tenon_dim *dims, int rank);
// The sizes that an attribute lists, into dims[TENON_MAX_RANK].
tenon_status tenon_core_sizes(tenon_infer *c, const char *name, tenon_ints list,
                              tenon_dim *dims);
// The shape of two operands under numpy's rule, into dims[TENON_MAX_RANK].
tenon_status tenon_core_broadcast(tenon_infer *c, const tenon_type *a,
                                  const tenon_type *b, tenon_dim *dims,
                                  int *rank);
// How often a window fits: (size + padding - reach) / stride + 1, where `reach`
// is what `taps` span that are `dilation` apart.
tenon_status tenon_core_slide(tenon_infer *c, tenon_dim size, int64_t taps,
                              int64_t dilation, int64_t stride, int64_t padding,
                              tenon_dim *out);
// Refuses a list that has not `count` entries or one below `least`.
tenon_status tenon_core_check_ints(tenon_infer *c, const char *name,
                                   tenon_ints list, size_t count,
                                   int64_t least);
// Brings an axis into [0, rank).
tenon_status tenon_core_check_axis(tenon_infer *c, int64_t axis, int rank,
                                   int *at);

#endif  // TENON_OPS_CORE_CORE_RULE_H
