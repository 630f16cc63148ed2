// tenon/ext/op.h - describing an operator, once, for every stage.
//
// A tenon_op_desc is a constant: it is written with designated initialisers,
// put in read-only memory, and never modified. Registering it with a context
// makes the operator readable (.tflite, .pt2, text), verifiable, foldable,
// lowerable, runnable and emittable. The same file compiles into the library,
// into a static program, or into a loadable plugin.
//
// Only `schema`, `doc` and one of `kernels` or `lower` are required. Without
// `infer` an op with kernels alone serves files that state every shape.
// TENON_OP_DECLARED needs the schema alone: the operator is read and printed,
// and computed where a plugin's list has a lowering or kernels for it.
#ifndef TENON_EXT_OP_H
#define TENON_EXT_OP_H

#include "tenon/base.h"
#include "tenon/ext/kernel.h"
#include "tenon/ext/lower.h"
#include "tenon/tensor.h"

// ---------------------------------------------------------------------------
// Attributes
// ---------------------------------------------------------------------------

// Binds one schema argument to one member of the op's attribute struct. Names,
// defaults and order come from the schema; this adds only where to store it.
// Every member of the struct is bound. Registration lays the kinds out in order
// of offset, by the alignments of this machine, and compares with `offset` and
// `attrs_size`; so emission can declare the same struct, and a saved program
// can be loaded by a machine with others. Frozen within an ABI major version.
typedef struct tenon_field {
  const char *name;    // argument of the schema
  const char *member;  // of the C struct
  uint32_t offset;
  uint32_t kind;  // tenon_kind; checked against the schema at registration
} tenon_field;

// A member of any other type (float, int, enum) does not compile.
#ifndef __cplusplus
#define TENON_KIND_OF(T, m) \
  _Generic(((T *)0)->m,                                                        \
      bool: TENON_KIND_BOOL, tenon_dtype: TENON_KIND_DTYPE,                    \
      int64_t: TENON_KIND_INT, double: TENON_KIND_FLOAT,                       \
      const char *: TENON_KIND_STR, tenon_ints: TENON_KIND_INTS,               \
      tenon_floats: TENON_KIND_FLOATS, tenon_bools: TENON_KIND_BOOLS,          \
      tenon_scalar: TENON_KIND_SCALAR, tenon_scalars: TENON_KIND_SCALARS,      \
      tenon_strs: TENON_KIND_STRS,                                             \
      tenon_opt_bool: TENON_KIND_OPT_BOOL, tenon_opt_int: TENON_KIND_OPT_INT,  \
      tenon_opt_float: TENON_KIND_OPT_FLOAT)
#else
template <class T>
struct tenon_kind_of;  // undefined: no conversions, unlike overloaded functions
#define TENON_KIND_OF_(T, k)       \
  template <>                      \
  struct tenon_kind_of<T> {        \
    enum : uint32_t { value = k }; \
  }
TENON_KIND_OF_(bool, TENON_KIND_BOOL);
TENON_KIND_OF_(tenon_dtype, TENON_KIND_DTYPE);
TENON_KIND_OF_(int64_t, TENON_KIND_INT);
TENON_KIND_OF_(double, TENON_KIND_FLOAT);
TENON_KIND_OF_(const char *, TENON_KIND_STR);
TENON_KIND_OF_(tenon_ints, TENON_KIND_INTS);
TENON_KIND_OF_(tenon_floats, TENON_KIND_FLOATS);
TENON_KIND_OF_(tenon_bools, TENON_KIND_BOOLS);
TENON_KIND_OF_(tenon_scalar, TENON_KIND_SCALAR);
TENON_KIND_OF_(tenon_scalars, TENON_KIND_SCALARS);
TENON_KIND_OF_(tenon_strs, TENON_KIND_STRS);
TENON_KIND_OF_(tenon_opt_bool, TENON_KIND_OPT_BOOL);
TENON_KIND_OF_(tenon_opt_int, TENON_KIND_OPT_INT);
TENON_KIND_OF_(tenon_opt_float, TENON_KIND_OPT_FLOAT);
#undef TENON_KIND_OF_
#define TENON_KIND_OF(T, m) tenon_kind_of<decltype(T::m)>::value
#endif
#define TENON_FIELD(T, m) TENON_FIELD_AS(T, m, #m)
#define TENON_FIELD_AS(T, m, argument) \
  { argument, #m, (uint32_t)offsetof(T, m), TENON_KIND_OF(T, m) }
#define TENON_END_FIELDS \
  { NULL, NULL, 0, 0 }
// The whole list of up to 12 members that have the names of their arguments:
// TENON_FIELDS(acme_gain, gain, bias).
#define TENON_FIELDS(T, ...)                                         \
  {                                                                  \
    TENON_FIELDS_OF(__VA_ARGS__, TENON_FIELDS_12, TENON_FIELDS_11,   \
                    TENON_FIELDS_10, TENON_FIELDS_9, TENON_FIELDS_8, \
                    TENON_FIELDS_7, TENON_FIELDS_6, TENON_FIELDS_5,  \
                    TENON_FIELDS_4, TENON_FIELDS_3, TENON_FIELDS_2,  \
                    TENON_FIELDS_1, 0)                               \
    (T, __VA_ARGS__), TENON_END_FIELDS                               \
  }
#define TENON_FIELDS_OF(a, b, c, d, e, f, g, h, i, j, k, l, which, ...) which
#define TENON_FIELDS_1(T, m) TENON_FIELD(T, m)
#define TENON_FIELDS_2(T, m, ...) \
  TENON_FIELD(T, m), TENON_FIELDS_1(T, __VA_ARGS__)
#define TENON_FIELDS_3(T, m, ...) \
  TENON_FIELD(T, m), TENON_FIELDS_2(T, __VA_ARGS__)
#define TENON_FIELDS_4(T, m, ...) \
  TENON_FIELD(T, m), TENON_FIELDS_3(T, __VA_ARGS__)
#define TENON_FIELDS_5(T, m, ...) \
  TENON_FIELD(T, m), TENON_FIELDS_4(T, __VA_ARGS__)
#define TENON_FIELDS_6(T, m, ...) \
  TENON_FIELD(T, m), TENON_FIELDS_5(T, __VA_ARGS__)
#define TENON_FIELDS_7(T, m, ...) \
  TENON_FIELD(T, m), TENON_FIELDS_6(T, __VA_ARGS__)
#define TENON_FIELDS_8(T, m, ...) \
  TENON_FIELD(T, m), TENON_FIELDS_7(T, __VA_ARGS__)
#define TENON_FIELDS_9(T, m, ...) \
  TENON_FIELD(T, m), TENON_FIELDS_8(T, __VA_ARGS__)
#define TENON_FIELDS_10(T, m, ...) \
  TENON_FIELD(T, m), TENON_FIELDS_9(T, __VA_ARGS__)
#define TENON_FIELDS_11(T, m, ...) \
  TENON_FIELD(T, m), TENON_FIELDS_10(T, __VA_ARGS__)
#define TENON_FIELDS_12(T, m, ...) \
  TENON_FIELD(T, m), TENON_FIELDS_11(T, __VA_ARGS__)

// ---------------------------------------------------------------------------
// What callbacks are given
// ---------------------------------------------------------------------------
// Every callback context starts with a pointer to its method table. A plugin
// therefore links against nothing and keeps no globals, and one plugin image
// can serve two contexts, or two versions of this library, in one process.

// A shape rule. It is pure, and ends with the first failure that it gets.
// Types, constants and attributes that it is given live as long as the call;
// what it gives to `out` is copied. A dimension with a symbol is open: it is
// passed on, or computed with `dim`, and compared by `require`.
typedef struct tenon_infer tenon_infer;
typedef struct tenon_infer_api {
  uint32_t struct_size;
  // Operands and results are counted flat, as in tenon_call.
  const tenon_type *(*in)(const tenon_infer *, int i);  // null: absent
  int (*group)(const tenon_infer *, int arg,
               int *first);  // tensors of argument arg
  const tenon_tensor *(*constant)(const tenon_infer *,
                                  int i);  // null: not constant
  const tenon_type *(*declared)(const tenon_infer *,
                                int i);  // by the file, or null
  const void *(*attrs)(const tenon_infer *);
  tenon_dim (*size)(const tenon_infer *, const char *attr,
                    int i);  // also a symbol
  const void *(*user)(const tenon_infer *);
  tenon_dim (*dim)(tenon_infer *, tenon_dim_op, tenon_dim a, tenon_dim b);
  // A size that data decide, at least 0 and at most `most`: the k-th call names
  // what the kernel writes to sizes[k]. `most` TENON_UNKNOWN: no bound is
  // known.
  tenon_dim (*decided)(tenon_infer *, tenon_dim most);
  tenon_status (*results)(tenon_infer *, int result,
                          int count);  // of a Tensor[]
  // A declared `Tensor?` that is not set is None.
  tenon_status (*out)(tenon_infer *, int i, const tenon_type *);
  tenon_status (*fail)(tenon_infer *, const char *fmt, ...) TENON_PRINTF(2, 3);
  // A number that data decide and that is no size: TENON_KIND_INT, _FLOAT or
  // _BOOL. Counted with those of `decided`; the kernel writes the number, 0 or
  // 1, or the bits of a double.
  tenon_dim (*number)(tenon_infer *, uint32_t kind);
  // What must hold for the kernels to stay within their operands. False: it
  // cannot. What is not known yet is checked in the run that knows it.
  bool (*require)(tenon_infer *, tenon_relation, tenon_dim a, tenon_dim b);
  // Element i of operand `in`, a list of s32 or s64, where it is known before
  // the run: in a constant, or as a rule said by `holds`.
  bool (*element)(const tenon_infer *, int in, int i, tenon_dim *out);
  // What the `n` elements of a result are, at most 64: numbers and what is
  // computed of sizes, TENON_UNKNOWN where it is not known. So sizes that a
  // model computes of sizes are sizes, not data.
  void (*holds)(tenon_infer *, int result, const tenon_dim *elements, int n);
} tenon_infer_api;
struct tenon_infer {
  const tenon_infer_api *api;
};

TENON_INLINE const tenon_type *tenon_infer_in(const tenon_infer *c, int i) {
  return c->api->in(c, i);
}
TENON_INLINE const void *tenon_infer_attrs(const tenon_infer *c) {
  return c->api->attrs(c);
}
TENON_INLINE tenon_status tenon_infer_out(tenon_infer *c, int i,
                                          const tenon_type *t) {
  return c->api->out(c, i, t);
}
// In parentheses: headers of tests have a macro of that name.
#define tenon_infer_fail(c, ...) (((c)->api->fail)((c), __VA_ARGS__))
// Refuses operands that differ in shape; one that is absent has none. Sizes
// that are open are compared in the run that knows them.
TENON_INLINE tenon_status tenon_infer_same_shape(tenon_infer *c, int i, int j) {
  const tenon_type *a = tenon_infer_in(c, i), *b = tenon_infer_in(c, j);
  bool is_same = a && b && a->rank == b->rank;
  for (int k = 0; is_same && k < a->rank; ++k)
    is_same = c->api->require(c, TENON_RELATION_EQ, a->dims[k], b->dims[k]);
  return is_same ? TENON_OK
                 : tenon_infer_fail(
                       c, "operands %d and %d must have the same shape", i, j);
}
// Of the step of an operator with states (tenon_rw_stateful): operands `in` and
// on are the `n` states as they were and must be of `types`, results `out` and
// on as they will be.
TENON_INLINE tenon_status tenon_infer_states(tenon_infer *c, int in, int out,
                                             const tenon_type *types, int n) {
  for (int i = 0; i < n; ++i) {
    const tenon_type *t = tenon_infer_in(c, in + i);
    bool is_alike = t && t->dtype == types[i].dtype && t->rank == types[i].rank;
    for (int k = 0; is_alike && k < t->rank; ++k)
      is_alike =
          c->api->require(c, TENON_RELATION_EQ, t->dims[k], types[i].dims[k]);
    if (!is_alike) return tenon_infer_fail(c, "state %d is of another type", i);
    TENON_TRY(tenon_infer_out(c, out + i, &types[i]));
  }
  return TENON_OK;
}
// The same where a tenon_stateful says what they are; behind the results.
TENON_INLINE tenon_status tenon_infer_step(tenon_infer *c,
                                           const tenon_stateful *s) {
  tenon_dim dims[TENON_RW_STATES][TENON_MAX_RANK];
  tenon_type types[TENON_RW_STATES];
  s->types(tenon_infer_attrs(c), tenon_infer_in(c, 0), types, dims);
  return tenon_infer_states(c, 1, s->n_out, types, s->n);
}
// For an operator `op` with its shape rule op_infer, whose states are called
// what follows `step` and have the types that op_states gives: the shape rule
// op_step_infer of the operator `step`, and op's lowering op_lower.
#define TENON_STATEFUL(op, its_n_out, its_step, ...)                           \
  static const char *const op##_state_names[] = {__VA_ARGS__};                 \
  static const tenon_stateful op##_stateful = {                                \
      sizeof op##_state_names / sizeof *op##_state_names, its_n_out,           \
      op##_state_names, its_step, op##_states};                                \
  static tenon_status op##_step_infer(tenon_infer *c) {                        \
    TENON_TRY(op##_infer(c));                                                  \
    return tenon_infer_step(c, &op##_stateful);                                \
  }                                                                            \
  static tenon_status op##_lower(tenon_rewriter *rw, const tenon_node *node) { \
    return tenon_rw_step(rw, node, &op##_stateful);                            \
  }

typedef struct tenon_options
    tenon_options;  // options of one op in a .tflite file

// A tensor of the file, as whoever wrote it sees it.
typedef struct tenon_file_tensor {
  uint32_t index;    // in its graph: two operands may be one tensor
  bool is_variable;  // holds its value from run to run
  int64_t bytes;     // of its elements; -1: its size is open
  int64_t planned;   // where the file plans it in the arena, in bytes, by its
                     // metadata OfflineMemoryAllocation; -1: it does not
  const void *data;  // of a constant; else null
} tenon_file_tensor;

typedef struct tenon_options_api {
  uint32_t struct_size;
  tenon_status (*fail)(tenon_options *, size_t byte_offset, const char *fmt,
                       ...) TENON_PRINTF(3, 4);
  // A member of a built-in op's FlatBuffers options table, or `absent`.
  int64_t (*integer)(const tenon_options *, int slot, int64_t absent);
  double (*real)(const tenon_options *, int slot, double absent);
  const char *(*text)(const tenon_options *, int slot);  // null: absent
  tenon_ints (*ints)(const tenon_options *, int slot);   // of any integer width
  tenon_floats (*floats)(const tenon_options *, int slot);
  // Reads the bytes as one FlexBuffers map into `attrs`, by the schema: what
  // happens to an operator without a reader function of its own.
  tenon_status (*map)(tenon_options *, void *attrs);
  // Operand or result `i` of the operator, in the order of the file; false: it
  // has none there.
  bool (*operand)(const tenon_options *, int i, tenon_file_tensor *out);
  bool (*result)(const tenon_options *, int i, tenon_file_tensor *out);
  // Operand `i` is memory to work in and no value: nothing has data for it, and
  // no operator writes it. The node is made without it, so the schema has it
  // as `Tensor?`; without this call it is an error of the file.
  tenon_status (*workspace)(tenon_options *, int i);
  // Memory for what a list among the attributes points to; kept while the file
  // is read. Null: there is none, and the reader returns TENON_NO_MEMORY.
  void *(*memory)(tenon_options *, size_t size);
  // Scale and zero point of intermediate tensor `i`, which the operator
  // computes and keeps to itself; without quantisation scale 0. False: there is
  // none.
  bool (*intermediate)(const tenon_options *, int i, float *scale,
                       int32_t *zero);
  // What subgraph `i` of the file makes of its two inputs: the name of the
  // built-in operator that it is ("STABLEHLO_ADD"), "" where it gives the
  // second one. Null: something else, or there is no such subgraph.
  const char *(*body)(const tenon_options *, int64_t i);
} tenon_options_api;
struct tenon_options {
  const tenon_options_api *api;
  const uint8_t *data;
  size_t size;
  uint32_t op_version;  // OperatorCode.version
};
#define tenon_options_fail(o, at, ...) \
  (((o)->api->fail)((o), (at), __VA_ARGS__))
TENON_INLINE tenon_status tenon_options_map(tenon_options *o, void *attrs) {
  return o->api->map(o, attrs);
}
// Options that are the first n members of a struct of 32-bit integers, as they
// lie in a little-endian memory; what is behind them is not looked at.
TENON_INLINE tenon_status tenon_options_words(tenon_options *o, size_t n,
                                              int64_t *out) {
  if (o->size < 4 * n)
    return tenon_options_fail(o, 0, "expected %zu bytes or more, found %zu",
                              4 * n, o->size);
  for (size_t i = 0; i < n; ++i) {
    const uint8_t *p = o->data + 4 * i;
    out[i] = (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 |
                       (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// The operator
// ---------------------------------------------------------------------------

// A result that is a window on out of operand 0, in elements.
typedef struct tenon_view {
  int64_t offset;
  int32_t strides[TENON_MAX_RANK];
} tenon_view;

typedef struct tenon_op_desc {
  uint32_t struct_size;  // sizeof(tenon_op_desc)
  uint32_t flags;        // TENON_OP_*

  // Identity. The schema is PyTorch's function-schema grammar, so that it can
  // be pasted from the torch.library definition and matches .pt2 by name.
  const char *schema;  // "acme::gain(Tensor x, *, float gain=1.0) -> Tensor"
  const char *doc;  // shown by `tenon ops acme::gain`; first line is a summary

  // Attributes. Without fields, attributes come as an array of tenon_arg.
  size_t attrs_size;
  const tenon_field *fields;  // ends with TENON_END_FIELDS
  const char *attrs_type;     // the struct's name in the kernels' source text;
                              // null: emission declares one from the fields

  // Analysis.
  tenon_status (*infer)(
      tenon_infer *c);  // null: from `lower`, or as the file has it
  tenon_status (*fold)(const tenon_call *call);  // all inputs constant
  // True when result 0 is a window on operand 0, whose strides are given or
  // dense: then nothing is copied where all readers take such strides.
  bool (*view)(const tenon_call *call, tenon_view *view);

  // Execution. kernels[0] is the reference: plain C, every type, no features.
  const tenon_kernel_desc *const *kernels;  // null-terminated

  // Compilation.
  tenon_lower_fn *lower;

  // Import. All null is the common case: arguments are matched by name,
  // operands by position; one Tensor[] takes what the others leave.
  uint32_t version_min, version_max;  // of OperatorCode.version; both 0: any
  const char *tflite_name;            // custom_code, if not the schema name
  // For custom options that are not always one FlexBuffers map, verified to its
  // end. `attrs` holds the defaults; tenon_options_map reads the map where the
  // bytes are one after all.
  tenon_status (*read_tflite)(tenon_options *o, void *attrs);
  // Cost of a call with these shapes, for plans, profiles and benchmarks: its
  // multiply-accumulates. Null: not counted.
  int64_t (*macs)(const tenon_call *call);
  const void *user;
} tenon_op_desc;

// Attributes as the struct `T`, whose fields are described; in C, also by the
// names of its members alone (TENON_FIELDS).
#define TENON_OP_ATTRS(T, its_fields) \
  .attrs_size = sizeof(T), .fields = its_fields
#define TENON_OP_MEMBERS(T, ...) \
  TENON_OP_ATTRS(T, ((const tenon_field[])TENON_FIELDS(T, __VA_ARGS__)))
// The members that every operator has, with TENON_OP_* flags.
#define TENON_OP(its_flags) \
  .struct_size = sizeof(tenon_op_desc), .flags = its_flags
// The members of an operator that has one kernel, with those of the kernel
// behind its function: TENON_OP_KERNEL(acme_gain_f32, .types = "f32 -> f32").
#define TENON_OP_KERNEL(function, ...)                                        \
  .kernels = (const tenon_kernel_desc *const[]) {                             \
    &(const tenon_kernel_desc){TENON_KERNEL_RUN(function), __VA_ARGS__}, NULL \
  }

enum {
  TENON_OP_PURE = 1u << 0,  // only its outputs matter: may be folded or shared
  TENON_OP_COMMUTES = 1u << 1,   // in[0] and in[1] may be exchanged
  TENON_OP_DECLARED = 1u << 2,   // schema only: what computes it, if anything,
                                 // stands in the list of a plugin
  TENON_OP_OVERRIDES = 1u << 3,  // replaces another owner's op of this name
  TENON_OP_DROPPABLE = 1u << 4,  // not pure (random numbers), but nobody misses
                                 // it where its outputs are not used
  TENON_OP_STRIDED = 1u << 5,    // looks at in[0] as memory: its attributes
                                 // `size`, `stride` and `storage_offset` say at
                                 // what. Where a file says that a tensor does
                                 // not lie in the order of its indices, the
                                 // reader has it brought into that of memory
  TENON_OP_ASKED = 1u << 6,      // `lower` has to ask for every operand and
                                 // attribute: one that it has not asked for
                                 // when it replaces the node, and that differs
                                 // from its default, is refused by name
  TENON_OP_ELEMENTWISE = 1u << 7,  // pure, of one result: each of its elements
                                   // is made of those at its place in the
                                   // operands, which broadcast as in NumPy, and
                                   // of attributes alone, wherever that is. Of
                                   // 8-bit numbers that are dequantised, it may
                                   // be computed into a table
  TENON_OP_COSTLY = 1u << 8        // element-wise, and to compute an element
                                   // takes longer than to read it, as exp does:
                                   // of constants it is folded on hosts up to
                                   // 4 MB, also where the result is much larger
                                   // than the operands
};

// Appending a member must change the size, or the two builds cannot tell.
TENON_NO_TAIL_PADDING(tenon_op_desc, user);

#endif  // TENON_EXT_OP_H
