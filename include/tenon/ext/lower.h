// tenon/ext/lower.h - rewriting an operator into others.
//
// A lowering sees types, constants and attributes of one node and builds its
// replacement. Builders never need checking: given a failed value they return a
// failed value, and `replace` reports the first cause with the lowering's
// owner. So a lowering reads as algebra. A null value is an absent operand,
// never a failure. New nodes get the place of the node they replace. What is
// passed in is copied; what is returned lives as long as the call. A lowering
// is pure.
#ifndef TENON_EXT_LOWER_H
#define TENON_EXT_LOWER_H

#include "tenon/diag.h"
#include "tenon/tensor.h"

// ---------------------------------------------------------------------------
// Types with symbols
// ---------------------------------------------------------------------------

// A size: fixed, or an expression over sizes of the inputs and sizes that data
// decide. Made by the `dim` methods; equal expressions have equal symbols. In
// an attribute it may also be a float or a boolean that a step finds out.
typedef struct tenon_dim {
  int64_t value;    // with a symbol: 0, or the tenon_kind of what is no integer
  uint32_t symbol;  // 0: fixed
} tenon_dim;

typedef struct tenon_type {
  const tenon_dim *dims;
  const tenon_quant *quant;  // null: plain numbers. Part of the type
  tenon_dtype dtype;
  uint8_t rank;
  uint16_t flags;  // TENON_TYPE_*
} tenon_type;
enum {
  TENON_TYPE_NUMBER = 1u << 0,  // of rank 0: a Python number where
                                // a tensor is taken. It ranks below tensors
                                // when PyTorch promotes types: s64, f64 or
                                // bool here say which kind of number it is
  TENON_TYPE_UNRANKED =
      1u << 1,                 // of a declared type: how many dimensions there
                               // are, the file does not say; `rank` is 0
  TENON_TYPE_UNSURE = 1u << 2  // of a declared type: sizes of 1, and rank 0,
                               // may stand for what a shape rule gives, and
                               // any for sizes that data decide
};

typedef enum tenon_dim_op {
  TENON_DIM_ADD = 1,
  TENON_DIM_SUB,
  TENON_DIM_MUL,
  TENON_DIM_DIV,  // floor
  TENON_DIM_MOD,
  TENON_DIM_MIN,
  TENON_DIM_MAX,
  // Of floats, for sizes such as int(0.3 * n). A float is a double; one that is
  // fixed stands as its bits in `value`. Each is rounded as IEEE 754 says, and
  // what is infinite or no number is refused in the run.
  TENON_DIM_FLOAT,  // an integer as a float; the second operand is 0
  TENON_DIM_FADD,
  TENON_DIM_FMUL,
  TENON_DIM_FDIV,
  TENON_DIM_FLOOR,  // a float as an integer; the second operand is 0
  TENON_DIM_ROUND   // to the nearest, in the middle to the even one; the same
} tenon_dim_op;

// A condition on two sizes.
typedef enum tenon_relation {
  TENON_RELATION_EQ = 1,
  TENON_RELATION_NE,
  TENON_RELATION_LT,
  TENON_RELATION_LE
} tenon_relation;

// ---------------------------------------------------------------------------
// The rewriter
// ---------------------------------------------------------------------------

typedef struct tenon_node tenon_node;      // opaque
typedef struct tenon_value tenon_value;    // opaque
typedef struct tenon_region tenon_region;  // opaque: a body of cond or while

// One node to be made. Attributes are checked against the op's schema; an
// unknown or a missing one is an error that names the lowering.
typedef struct tenon_build {
  uint32_t struct_size;
  uint32_t n_in, n_out, n_regions;
  const char *op;
  const tenon_arg *args;     // ended by TENON_END_ARGS; null: all defaults
  tenon_value *const *in;    // flattened; null entries are absent operands
  const uint16_t *in_group;  // as in tenon_call; null: single tensors
  tenon_value **out;         // filled with n_out results
  tenon_region *const *regions;
  const tenon_type *const *types;  // of the results; null: as the op infers
  // As in tenon_call, where more than one result is a list; null: single
  // tensors, and to the only list what the others leave.
  const uint16_t *out_group;
} tenon_build;

typedef struct tenon_rewriter tenon_rewriter;
typedef struct tenon_rewriter_api {
  uint32_t struct_size;
  // Asking. Null: there is no such operand, or, of a value, it is absent or
  // failed. A dimension with a symbol is open.
  tenon_value *(*operand)(tenon_rewriter *, const tenon_node *, int i);
  int (*group)(tenon_rewriter *, const tenon_node *, int arg, int *first);
  const tenon_type *(*type)(tenon_rewriter *, const tenon_value *);
  const tenon_type *(*result)(tenon_rewriter *, const tenon_node *, int i);
  const tenon_tensor *(*constant)(tenon_rewriter *,
                                  const tenon_value *);  // or null
  const void *(*attrs)(tenon_rewriter *, const tenon_node *);
  tenon_dim (*size)(tenon_rewriter *, const tenon_node *, const char *attr,
                    int i);
  const struct tenon_place *(*place)(tenon_rewriter *, const tenon_node *);
  const void *(*user)(tenon_rewriter *);  // of the lowering's descriptor
  // Building.
  tenon_dim (*dim)(tenon_rewriter *, tenon_dim_op, tenon_dim a, tenon_dim b);
  tenon_value *(*literal)(tenon_rewriter *, const tenon_type *,
                          const void *data);
  tenon_value *(*scalar)(tenon_rewriter *, tenon_dtype, double);
  tenon_value *(*build)(tenon_rewriter *,
                        const tenon_build *);  // returns out[0]
  // A region is built between begin and end; `copy` puts the body of a region
  // of the node being replaced here, with these arguments.
  tenon_region *(*begin)(tenon_rewriter *, const tenon_type *const *params,
                         int n, tenon_value **args);
  tenon_status (*end)(tenon_rewriter *, tenon_region *,
                      tenon_value *const *results, int n);
  tenon_status (*copy)(tenon_rewriter *, const tenon_node *, int region,
                       tenon_value *const *args, int n_args,
                       tenon_value **results, int n_results);
  // Ending. `replace` compares number, types and shapes with what it replaces.
  tenon_status (*replace)(tenon_rewriter *, const tenon_node *,
                          tenon_value *const *, int n);
  tenon_status (*fail)(tenon_rewriter *, const char *fmt, ...)
      TENON_PRINTF(2, 3);
  // Looking around, for rewrites of several nodes. `producer` is the node of
  // the same body that makes a value: null for what comes from elsewhere. A
  // value that `uses` counts more than once would be computed twice if its
  // producer went into what is built. `args` are all attributes, in the form
  // that a tenon_build takes.
  const tenon_node *(*producer)(tenon_rewriter *, const tenon_value *);
  int (*uses)(tenon_rewriter *, const tenon_value *);
  const char *(*op)(tenon_rewriter *, const tenon_node *);  // "core::conv"
  const tenon_arg *(*args)(tenon_rewriter *, const tenon_node *);
  // How many parameters a region of the node being replaced has, and results;
  // -1: there is no such region.
  int (*region)(tenon_rewriter *, const tenon_node *, int region,
                int *n_results);
  // One attribute, in which a size that is a symbol is TENON_UNKNOWN; null: the
  // schema has none of this name. So a TENON_OP_ASKED operator is asked.
  const tenon_arg *(*arg)(tenon_rewriter *, const tenon_node *,
                          const char *name);
  // The most that a size can be, for those outside of the innermost region that
  // has begun: what data decide in that region, or in the node being replaced,
  // counts as its bound. A number, or a size that is known outside, too;
  // TENON_UNKNOWN: nothing bounds it.
  tenon_dim (*most)(tenon_rewriter *, tenon_dim);
  // The operator's TENON_OP_*; 0 of null and of what nobody describes.
  uint32_t (*flags)(tenon_rewriter *, const tenon_node *);
  // Has the program keep a state of this name, which begins as zeros; where it
  // has one already, that has to be of this type. What is built reads it by
  // core::state_read and writes it by core::state_write, in this order.
  tenon_status (*state)(tenon_rewriter *, const char *name, const tenon_type *);
  // Element i of a list of integers, as tenon_infer_api.element.
  bool (*element)(tenon_rewriter *, const tenon_value *, int i, tenon_dim *out);
  // The integer that a tensor of one element holds, for sizes: what is known of
  // it, else what a core::item that is built here finds out in the run.
  tenon_dim (*number)(tenon_rewriter *, tenon_value *);
  // Entries begin .. begin + count of a constant's first dimension, as a
  // constant, which is a copy only where it has to be; null: the value is no
  // constant without a scale that has so many.
  tenon_value *(*rows)(tenon_rewriter *, tenon_value *, int64_t begin,
                       int64_t count);
  // The largest magnitude of each entry of the first dimension, or NaN where
  // the entry has one: read as it lies, where `constant` may have to bring it
  // into order. Null: the value is no constant of f32 without a scale, or
  // memory ran out, by which the rewrite has failed.
  const float *(*largest)(tenon_rewriter *, const tenon_value *);
  // Bytes of all constants that the program reads, as their types have them. A
  // rewrite that is for large programs alone asks this instead of the target,
  // so that all targets compute the same.
  uint64_t (*constant_bytes)(tenon_rewriter *);
  // Bytes that are free while the node runs: values that live then, as types
  // have them, beside the most that live at any node of its graph, in the order
  // of the graph. Scratch of so many bytes makes no arena larger that has every
  // value at a place of its own. Constants do not count, nor what belongs to
  // graphs around; 0: none, or a size is open.
  uint64_t (*room)(tenon_rewriter *);
} tenon_rewriter_api;
struct tenon_rewriter {
  const tenon_rewriter_api *api;
};

#define TENON_END_ARGS \
  {                    \
    NULL, 0, {         \
      0                \
    }                  \
  }
#ifndef __cplusplus
// The list of them: TENON_ARGS(tenon_arg_int("axis", 1)).
#define TENON_ARGS(...) ((const tenon_arg[]){__VA_ARGS__, TENON_END_ARGS})
#endif

TENON_INLINE tenon_arg tenon_arg_int(const char *name, int64_t v) {
  tenon_arg a = {name, TENON_KIND_INT, {0}};
  a.as.i = v;
  return a;
}
TENON_INLINE tenon_arg tenon_arg_bool(const char *name, bool v) {
  tenon_arg a = {name, TENON_KIND_BOOL, {0}};
  a.as.i = v;
  return a;
}
TENON_INLINE tenon_arg tenon_arg_float(const char *name, double v) {
  tenon_arg a = {name, TENON_KIND_FLOAT, {0}};
  a.as.f = v;
  return a;
}
TENON_INLINE tenon_arg tenon_arg_str(const char *name, const char *v) {
  tenon_arg a = {name, TENON_KIND_STR, {0}};
  a.as.s = v;
  return a;
}
TENON_INLINE tenon_arg tenon_arg_ints(const char *name, const int64_t *v,
                                      size_t n) {
  tenon_arg a = {name, TENON_KIND_INTS, {0}};
  a.as.ints.data = v;
  a.as.ints.count = n;
  return a;
}
TENON_INLINE tenon_arg tenon_arg_dims(const char *name, const tenon_dim *v,
                                      size_t n) {
  tenon_arg a = {name, TENON_KIND_DIMS, {0}};
  a.as.dims.data = v;
  a.as.dims.count = n;
  return a;
}

TENON_INLINE tenon_value *tenon_rw_operand(tenon_rewriter *rw,
                                           const tenon_node *n, int i) {
  return rw->api->operand(rw, n, i);
}
TENON_INLINE const tenon_type *tenon_rw_type(tenon_rewriter *rw,
                                             const tenon_value *v) {
  return rw->api->type(rw, v);
}
TENON_INLINE const void *tenon_rw_attrs(tenon_rewriter *rw,
                                        const tenon_node *n) {
  return rw->api->attrs(rw, n);
}
TENON_INLINE tenon_value *tenon_rw_scalar(tenon_rewriter *rw, tenon_dtype t,
                                          double v) {
  return rw->api->scalar(rw, t, v);
}
// An op with any number of results and single tensors as operands; `types`
// null: as the op infers.
TENON_INLINE void tenon_rw_build(tenon_rewriter *rw, const char *op,
                                 tenon_value *const *in, uint32_t n_in,
                                 const tenon_arg *args, tenon_value **out,
                                 uint32_t n_out,
                                 const tenon_type *const *types) {
  const tenon_build b = {(uint32_t)sizeof b,
                         n_in,
                         n_out,
                         0,
                         op,
                         args,
                         in,
                         NULL,
                         out,
                         NULL,
                         types,
                         NULL};
  (void)rw->api->build(rw, &b);
}
// An op with one result, of this type; null: as the op infers. `in_group` as in
// tenon_build; null: its operands are single tensors.
TENON_INLINE tenon_value *tenon_rw_op_as(tenon_rewriter *rw, const char *op,
                                         tenon_value *const *in, uint32_t n_in,
                                         const uint16_t *in_group,
                                         const tenon_arg *args,
                                         const tenon_type *type) {
  tenon_value *out = NULL;
  const tenon_build b = {
      (uint32_t)sizeof b,  n_in, 1, 0, op, args, in, in_group, &out, NULL,
      type ? &type : NULL, NULL};
  return rw->api->build(rw, &b);
}
// The same, as the op infers.
TENON_INLINE tenon_value *tenon_rw_op_of_lists(
    tenon_rewriter *rw, const char *op, tenon_value *const *in, uint32_t n_in,
    const uint16_t *in_group, const tenon_arg *args) {
  return tenon_rw_op_as(rw, op, in, n_in, in_group, args, NULL);
}
// An op with one result and single tensors as operands. The common case; what
// none of these covers fills a tenon_build itself.
TENON_INLINE tenon_value *tenon_rw_op(tenon_rewriter *rw, const char *op,
                                      tenon_value *const *in, uint32_t n_in,
                                      const tenon_arg *args) {
  return tenon_rw_op_of_lists(rw, op, in, n_in, NULL, args);
}
TENON_INLINE tenon_value *tenon_rw_op1(tenon_rewriter *rw, const char *op,
                                       tenon_value *x) {
  return tenon_rw_op(rw, op, &x, 1, NULL);
}
TENON_INLINE tenon_value *tenon_rw_op2(tenon_rewriter *rw, const char *op,
                                       tenon_value *x, tenon_value *y) {
  tenon_value *in[2] = {x, y};
  return tenon_rw_op(rw, op, in, 2, NULL);
}
// a where the condition holds, else b.
TENON_INLINE tenon_value *tenon_rw_where(tenon_rewriter *rw,
                                         tenon_value *condition, tenon_value *a,
                                         tenon_value *b) {
  tenon_value *in[3] = {condition, a, b};
  return tenon_rw_op(rw, "core::where", in, 3, NULL);
}
// n tensors, 1 to 65535, one behind the other along `axis`: core::concat, or
// the only one.
TENON_INLINE tenon_value *tenon_rw_concat(tenon_rewriter *rw,
                                          tenon_value *const *in, int n,
                                          int64_t axis) {
  const uint16_t group[2] = {0, (uint16_t)n};
  const tenon_arg args[] = {tenon_arg_int("axis", axis), TENON_END_ARGS};
  return n == 1 ? in[0]
                : tenon_rw_op_of_lists(rw, "core::concat", in, (uint32_t)n,
                                       group, args);
}
TENON_INLINE tenon_status tenon_rw_replace(tenon_rewriter *rw,
                                           const tenon_node *n,
                                           tenon_value *y) {
  return rw->api->replace(rw, n, &y, 1);
}
// In parentheses: headers of tests have a macro of that name.
#define tenon_rw_fail(rw, ...) (((rw)->api->fail)((rw), __VA_ARGS__))

// An operator that keeps something from run to run, and whose file has no
// tensors for it: each state becomes one of the program, named after itself and
// the node's place. `step` is an op with the node's operands and then the
// states as they were, which gives the node's results and then the states as
// they will be.
typedef struct tenon_rw_states {
  int n;                     // 1 to TENON_RW_STATES
  const char *const *names;  // at most 40 bytes each: "samples"
  const tenon_type *types;   // of sizes that are known
} tenon_rw_states;
enum { TENON_RW_STATES = 4, TENON_RW_STATEFUL = 8 };
// The node has n_in operands and n_out results, single tensors, with the states
// at most TENON_RW_STATEFUL each.
TENON_INLINE tenon_status tenon_rw_stateful(tenon_rewriter *rw,
                                            const tenon_node *node, int n_in,
                                            int n_out, const char *step,
                                            const tenon_arg *args,
                                            const tenon_rw_states *s) {
  tenon_value *in[TENON_RW_STATEFUL], *out[TENON_RW_STATEFUL];
  char names[TENON_RW_STATES][160];
  const char *where = rw->api->place(rw, node)->where;
  if (s->n > TENON_RW_STATES || n_in + s->n > TENON_RW_STATEFUL ||
      n_out + s->n > TENON_RW_STATEFUL)
    return tenon_rw_fail(rw, "more states, operands or results than expected");
  for (int i = 0; i < n_in; ++i)
    in[i] = tenon_rw_operand(rw, node, i);
  for (int i = 0; i < s->n; ++i) {
    const char *const parts[] = {s->names[i], " of ",
                                 where ? where : "a model"};
    const size_t most[] = {40, 4, 100};
    size_t at = 0;
    for (int k = 0; k < 3; ++k)
      for (size_t b = 0; b < most[k] && parts[k][b]; ++b)
        names[i][at++] = parts[k][b];
    names[i][at] = 0;
    const tenon_arg name[] = {tenon_arg_str("state", names[i]), TENON_END_ARGS};
    TENON_TRY(rw->api->state(rw, names[i], &s->types[i]));
    in[n_in + i] = tenon_rw_op_as(rw, "core::state_read", NULL, 0, NULL, name,
                                  &s->types[i]);
  }
  tenon_rw_build(rw, step, in, (uint32_t)(n_in + s->n), args, out,
                 (uint32_t)(n_out + s->n), NULL);
  for (int i = 0; i < s->n; ++i) {
    const tenon_arg name[] = {tenon_arg_str("state", names[i]), TENON_END_ARGS};
    tenon_rw_build(rw, "core::state_write", &out[n_out + i], 1, name, NULL, 0,
                   NULL);
  }
  return rw->api->replace(rw, node, out, n_out);
}

// The same where the operator has one operand and `step` its attributes: what
// it keeps, said once for its lowering and for the shape rule of `step`
// (tenon_infer_step).
typedef struct tenon_stateful {
  int n;                     // states: 1 to TENON_RW_STATES
  int n_out;                 // results without them
  const char *const *names;  // of the states
  const char *step;          // "signal::delay_step"
  // Types of the states, whose sizes may stand in dims, out of the attributes
  // and the type of the operand.
  void (*types)(const void *attrs, const tenon_type *x, tenon_type *types,
                tenon_dim (*dims)[TENON_MAX_RANK]);
} tenon_stateful;
TENON_INLINE tenon_status tenon_rw_step(tenon_rewriter *rw,
                                        const tenon_node *node,
                                        const tenon_stateful *s) {
  tenon_dim dims[TENON_RW_STATES][TENON_MAX_RANK];
  tenon_type types[TENON_RW_STATES];
  const tenon_rw_states states = {s->n, s->names, types};
  s->types(tenon_rw_attrs(rw, node),
           tenon_rw_type(rw, tenon_rw_operand(rw, node, 0)), types, dims);
  return tenon_rw_stateful(rw, node, 1, s->n_out, s->step,
                           rw->api->args(rw, node), &states);
}

// ---------------------------------------------------------------------------
// Registering one
// ---------------------------------------------------------------------------

// Returning TENON_OK without having replaced the node declines: the next
// lowering in order of priority is tried. After a `fail` nothing else is tried
// for this node, and the model is refused, when all that is not supported can
// be told at once; any other failure ends the compilation there.
typedef tenon_status tenon_lower_fn(tenon_rewriter *rw, const tenon_node *node);

enum {
  TENON_LOWERING_OVERRIDES =
      1u << 0,  // instead of the owner's, which is not tried
  TENON_LOWERING_INEXACT = 1u << 1,  // changes numbers: off unless asked for
  TENON_LOWERING_ELEMENTWISE =
      1u << 2  // of operators that the name covers, those that are described as
               // element-wise (TENON_OP_ELEMENTWISE), anybody's
};

// Where the texts of a lowering begin in the plugin's file, so that messages
// can say line and column; 0: nowhere. Frozen.
typedef struct tenon_lowering_lines {
  uint32_t when_line, when_column;
  uint32_t from_line, from_column;
  uint32_t text_line, text_column;
} tenon_lowering_lines;

typedef struct tenon_lowering_desc {
  uint32_t struct_size;
  uint32_t flags;    // TENON_LOWERING_*
  int32_t priority;  // larger is tried first; the one in a tenon_op_desc has 0
  uint32_t reserved;
  const char *name;  // for listings and messages: "acme gain to mul"
  const char *op;    // "aten::add.Tensor"; "aten::add": the overload without a
                     // name; "aten::add.*": every overload; "*", of a function
                     // that is TENON_LOWERING_ELEMENTWISE: every operator. The
                     // exact one goes first
  const char *pass;  // null: "lower"; "canonicalise", "fuse", or one's own
  const char *to;  // the ops it may build, "core::mul core::relu": each must be
                   // known when the context freezes; listed by `tenon ops`
  tenon_lower_fn *lower;
  const void *user;
  // Instead of `lower`, a replacement as text IR (docs/lowering.md): statements
  // with operands named as the schema names them, one a line, and `return` with
  // a value for each result. `$gain` is an attribute where attributes, sizes
  // and elements of constants stand, never an operand:
  //   %k = const $x.dtype {$gain}
  //   %y = core::mul(%x, %k)
  //   return %y
  // Checked when the context freezes.
  const char *text;
  const char *when;  // condition, "$gain != 1.0 and $x.rank == 4"; null: always
  const char *from;  // the nodes that are replaced, as text IR; the last of
                     // them is of operator `op`. Null: one of `op`
  const tenon_lowering_lines *lines;  // null: the texts stand in no file
} tenon_lowering_desc;

TENON_NO_TAIL_PADDING(tenon_lowering_desc, lines);

#endif  // TENON_EXT_LOWER_H
