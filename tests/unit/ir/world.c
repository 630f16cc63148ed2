// tests/unit/ir/world.c - the operators of the tests.
#include "world.h"

#include "ir/infer/infer.h"
#include "ir/rule/rule.h"
#include "ir/verify/verify.h"
#include "reg/context.h"
#include "tenon/ext/plugin.h"

#define OP .struct_size = sizeof(tenon_op_desc), .flags = TENON_OP_DECLARED

// ---------------------------------------------------------------------------
// core
// ---------------------------------------------------------------------------

static tenon_status same_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

// Numpy broadcasting, for fixed sizes and equal symbols.
static tenon_status mul_infer(tenon_infer *c) {
  const tenon_type *a = tenon_infer_in(c, 0), *b = tenon_infer_in(c, 1);
  const tenon_type *declared = c->api->declared(c, 0);
  const tenon_type *y = a->rank >= b->rank ? a : b;
  tenon_type out = *y;
  if (a->dtype != b->dtype) return tenon_infer_fail(c, "a and b differ");
  if (declared) out.quant = declared->quant;
  return tenon_infer_out(c, 0, &out);
}

typedef struct limits {
  tenon_opt_float lo, hi;
} limits;
static const tenon_field limits_fields[] = {
    TENON_FIELD(limits, lo), TENON_FIELD(limits, hi), TENON_END_FIELDS};

static const tenon_op_desc op_mul = {
    OP,
    .schema =
        "core::mul(Tensor a, Tensor b, *, float? lo=None, float? hi=None)"
        " -> Tensor",
    .attrs_size = sizeof(limits),
    .fields = limits_fields,
    .infer = mul_infer,
};
static const tenon_op_desc op_relu = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED | TENON_OP_PURE,
    .schema = "core::relu(Tensor x) -> Tensor",
    .infer = same_infer};

typedef struct shape_attrs {
  tenon_ints shape;
} shape_attrs;
static const tenon_field shape_fields[] = {TENON_FIELD(shape_attrs, shape),
                                           TENON_END_FIELDS};
static tenon_status reshape_infer(tenon_infer *c) {
  const shape_attrs *a = (const shape_attrs *)tenon_infer_attrs(c);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type out = *tenon_infer_in(c, 0);
  if (a->shape.count > TENON_MAX_RANK) return tenon_infer_fail(c, "too long");
  for (size_t i = 0; i < a->shape.count; ++i)
    dims[i] = c->api->size(c, "shape", (int)i);
  out.dims = dims;
  out.rank = (uint8_t)a->shape.count;
  return tenon_infer_out(c, 0, &out);
}
static const tenon_op_desc op_reshape = {
    OP,
    .schema = "core::reshape(Tensor x, SymInt[] shape) -> Tensor",
    .attrs_size = sizeof(shape_attrs),
    .fields = shape_fields,
    .infer = reshape_infer,
};

typedef struct axis_attrs {
  int64_t axis;
} axis_attrs;
static const tenon_field axis_fields[] = {TENON_FIELD(axis_attrs, axis),
                                          TENON_END_FIELDS};
static tenon_status concat_infer(tenon_infer *c) {
  int first = 0, n = c->api->group(c, 0, &first);
  tenon_dim dims[TENON_MAX_RANK];
  if (n == 0) return tenon_infer_fail(c, "xs is empty");
  tenon_type out = *tenon_infer_in(c, first);
  int64_t axis = ((const axis_attrs *)tenon_infer_attrs(c))->axis;
  if (axis < 0 || axis >= out.rank) return tenon_infer_fail(c, "bad axis");
  memcpy(dims, out.dims, out.rank * sizeof *dims);
  for (int i = 1; i < n; ++i)
    dims[axis] = c->api->dim(c, TENON_DIM_ADD, dims[axis],
                             tenon_infer_in(c, first + i)->dims[axis]);
  out.dims = dims;
  return tenon_infer_out(c, 0, &out);
}
static const tenon_op_desc op_concat = {
    OP,
    .schema = "core::concat(Tensor[] xs, int axis) -> Tensor",
    .attrs_size = sizeof(axis_attrs),
    .fields = axis_fields,
    .infer = concat_infer,
};
static const tenon_op_desc op_conv = {
    OP, .schema = "core::conv(Tensor x, Tensor w, Tensor? bias=None) -> Tensor",
    .infer = same_infer};
static const tenon_op_desc op_cond = {
    OP, .schema = "core::cond(Tensor pred, Tensor[] args) -> Tensor[]"};
static const tenon_op_desc op_while = {
    OP, .schema = "core::while(Tensor[] args) -> Tensor[]"};

typedef struct call_attrs {
  int64_t function;
} call_attrs;
static const tenon_field call_fields[] = {TENON_FIELD(call_attrs, function),
                                          TENON_END_FIELDS};
static const tenon_op_desc op_call = {
    OP,
    .schema = "core::call(Tensor[] args, *, int function) -> Tensor[]",
    .attrs_size = sizeof(call_attrs),
    .fields = call_fields,
};

typedef struct state_attrs {
  const char *state;
} state_attrs;
static const tenon_field state_fields[] = {TENON_FIELD(state_attrs, state),
                                           TENON_END_FIELDS};
static const tenon_op_desc op_state_read = {
    OP,
    .schema = "core::state_read(*, str state) -> Tensor",
    .attrs_size = sizeof(state_attrs),
    .fields = state_fields,
};
static const tenon_op_desc op_state_write = {
    OP,
    .schema = "core::state_write(Tensor x, *, str state) -> ()",
    .attrs_size = sizeof(state_attrs),
    .fields = state_fields,
};

static const tenon_plugin core_plugin = {
    TENON_PLUGIN_HEADER, .name = "core", .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){
        &op_mul, &op_relu, &op_reshape, &op_concat, &op_conv, &op_cond,
        &op_while, &op_call, &op_state_read, &op_state_write, NULL}};

// ---------------------------------------------------------------------------
// acme: what goes right
// ---------------------------------------------------------------------------

typedef struct gain_attrs {
  double gain;
  bool relu;
} gain_attrs;
static const tenon_field gain_fields[] = {TENON_FIELD(gain_attrs, gain),
                                          TENON_FIELD(gain_attrs, relu),
                                          TENON_END_FIELDS};
static tenon_status gain_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_F32)
    return tenon_infer_fail(c, "x must be f32, not 100%% '%d'", x->dtype);
  return tenon_infer_out(c, 0, x);
}
static tenon_status gain_lower(tenon_rewriter *rw, const tenon_node *node) {
  const gain_attrs *a = (const gain_attrs *)tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_rw_operand(rw, node, 0);
  tenon_value *g = tenon_rw_scalar(rw, TENON_F32, a->gain);
  tenon_value *y = tenon_rw_op2(rw, "core::mul", x, g);
  if (a->relu) y = tenon_rw_op1(rw, "core::relu", y);
  return tenon_rw_replace(rw, node, y);
}
static const tenon_op_desc op_gain = {
    OP,
    .schema =
        "acme::gain(Tensor x, *, float gain=1., bool relu=False)"
        " -> Tensor",
    .attrs_size = sizeof(gain_attrs),
    .fields = gain_fields,
    .infer = gain_infer,
    .lower = gain_lower,
};
// The same without a rule: types come from the lowering.
static const tenon_op_desc op_soft_gain = {
    OP,
    .schema =
        "acme::soft_gain(Tensor x, *, float gain=1., bool relu=False)"
        " -> Tensor",
    .attrs_size = sizeof(gain_attrs),
    .fields = gain_fields,
    .lower = gain_lower,
};

// Declares the row alone or what is written too.
static tenon_status push_infer(tenon_infer *c) {
  tenon_type row = *tenon_infer_in(c, 0);
  row.dims += 1;
  row.rank = (uint8_t)(row.rank - 1);
  TENON_TRY(tenon_infer_out(c, 0, &row));
  return tenon_infer_out(c, 1, tenon_infer_in(c, 0));
}
static const tenon_op_desc op_push = {
    OP, .schema = "acme::push(Tensor(a!) buf, Tensor x) -> Tensor",
    .infer = push_infer};
static const tenon_op_desc op_bump = {
    OP, .schema = "acme::bump(Tensor(a!) x) -> Tensor(a!)",
    .infer = same_infer};

static tenon_status above_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim n = {1, 0};
  for (int i = 0; i < x->rank; ++i)
    n = c->api->dim(c, TENON_DIM_MUL, n, x->dims[i]);
  n = c->api->decided(c, n);
  tenon_type y = *x;
  y.dims = &n;
  y.rank = 1;
  return tenon_infer_out(c, 0, &y);
}
static const tenon_op_desc op_above = {
    OP, .schema = "acme::above(Tensor x) -> Tensor", .infer = above_infer};
static tenon_status soft_above_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  tenon_value *x = tenon_rw_operand(rw, node, 0);
  tenon_value *y = tenon_rw_op1(rw, "acme::above", x);
  return tenon_rw_replace(rw, node, tenon_rw_op1(rw, "core::relu", y));
}
static const tenon_op_desc op_soft_above = {
    OP, .schema = "acme::soft_above(Tensor x) -> Tensor",
    .lower = soft_above_lower};

// Two results of a list, and one behind it.
static tenon_status split_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  TENON_TRY(c->api->results(c, 0, 2));
  for (int i = 0; i < 3; ++i)
    TENON_TRY(tenon_infer_out(c, i, x));
  return TENON_OK;
}
static const tenon_op_desc op_split = {
    OP, .schema = "acme::split(Tensor x, Tensor? y=None) -> (Tensor[], Tensor)",
    .infer = split_infer};
static const tenon_op_desc op_maybe = {
    OP, .schema = "acme::maybe(Tensor?[] xs, Tensor? y) -> Tensor"};

typedef struct many_attrs {
  bool flag;
  int64_t i;
  double f;
  const char *s;
  tenon_ints ints;
  tenon_floats floats;
  tenon_bools bools;
  tenon_dtype dtype;
  tenon_scalar scalar;
  tenon_scalars scalars;
  tenon_strs strs;
  tenon_opt_int most;
} many_attrs;
static const tenon_field many_fields[] = {TENON_FIELD(many_attrs, flag),
                                          TENON_FIELD(many_attrs, i),
                                          TENON_FIELD(many_attrs, f),
                                          TENON_FIELD(many_attrs, s),
                                          TENON_FIELD(many_attrs, ints),
                                          TENON_FIELD(many_attrs, floats),
                                          TENON_FIELD(many_attrs, bools),
                                          TENON_FIELD(many_attrs, dtype),
                                          TENON_FIELD(many_attrs, scalar),
                                          TENON_FIELD(many_attrs, scalars),
                                          TENON_FIELD(many_attrs, most),
                                          TENON_FIELD(many_attrs, strs),
                                          TENON_END_FIELDS};
static const tenon_op_desc op_many = {
    OP,
    .schema =
        "acme::many(Tensor x, *, bool flag=False, int i=0, float f=0., "
        "str s=\"\", int[] ints=[], float[] floats=[], bool[] bools=[], "
        "ScalarType dtype=float32, Scalar scalar=1, Scalar[] scalars=[], "
        "int? most=None, str[] strs=[]) -> Tensor",
    .attrs_size = sizeof(many_attrs),
    .fields = many_fields,
    .infer = same_infer,
};

// ---------------------------------------------------------------------------
// acme: what goes wrong
// ---------------------------------------------------------------------------

static tenon_status unset_infer(tenon_infer *c) {
  (void)c;
  return TENON_OK;
}
static tenon_status beyond_infer(tenon_infer *c) {
  return tenon_infer_out(c, 7, tenon_infer_in(c, 0));
}
static tenon_status high_infer(tenon_infer *c) {
  tenon_type t = *tenon_infer_in(c, 0);
  t.rank = 9;
  return tenon_infer_out(c, 0, &t);
}
static tenon_status negative_infer(tenon_infer *c) {
  tenon_type t = *tenon_infer_in(c, 0);
  tenon_dim d = {-3, 0};
  t.dims = &d;
  t.rank = 1;
  return tenon_infer_out(c, 0, &t);
}
static tenon_status mute_infer(tenon_infer *c) {
  (void)c;
  return TENON_BAD_INPUT;
}
static tenon_status forgetful_infer(tenon_infer *c) {
  (void)tenon_infer_fail(c, "x is not to my taste");
  return TENON_OK;
}
static tenon_status zero_infer(tenon_infer *c) {
  tenon_dim zero = {0, 0}, one = {1, 0};
  (void)c->api->dim(c, TENON_DIM_DIV, one, zero);
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static tenon_status below_infer(tenon_infer *c) {
  tenon_dim less = {-1, 0};
  (void)c->api->decided(c, less);
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static tenon_status typeless_infer(tenon_infer *c) {
  tenon_type t = *tenon_infer_in(c, 0);
  t.dtype = 99;
  return tenon_infer_out(c, 0, &t);
}
static tenon_status three_infer(tenon_infer *c) {
  return c->api->results(c, 0, 3);
}

#define BAD(name)                                          \
  static const tenon_op_desc op_##name = {                 \
      OP, .schema = "acme::" #name "(Tensor x) -> Tensor", \
      .infer = name##_infer}
BAD(unset);
BAD(beyond);
BAD(high);
BAD(negative);
BAD(mute);
BAD(forgetful);
BAD(zero);
BAD(below);
BAD(typeless);
static const tenon_op_desc op_three = {
    OP, .schema = "acme::three(Tensor x) -> Tensor[]", .infer = three_infer};
static const tenon_op_desc op_ruleless = {
    OP, .schema = "acme::ruleless(Tensor x) -> Tensor"};

static tenon_status circle_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_rw_operand(rw, node, 0);
  return tenon_rw_replace(rw, node, tenon_rw_op1(rw, "acme::circle", x));
}
static const tenon_op_desc op_circle = {
    OP, .schema = "acme::circle(Tensor x) -> Tensor", .lower = circle_lower};
static tenon_status decline_lower(tenon_rewriter *rw, const tenon_node *node) {
  (void)tenon_rw_op1(rw, "core::relu", tenon_rw_operand(rw, node, 0));
  return TENON_OK;
}
static const tenon_op_desc op_decline = {
    OP, .schema = "acme::decline(Tensor x) -> Tensor", .lower = decline_lower};

tenon_lower_fn *world_asks;
static tenon_status asked_lower(tenon_rewriter *rw, const tenon_node *node) {
  return world_asks ? world_asks(rw, node)
                    : tenon_rw_replace(rw, node, tenon_rw_operand(rw, node, 0));
}
static const tenon_op_desc op_asked = {
    .struct_size = sizeof(tenon_op_desc),
    .schema =
        "acme::asked(Tensor x, Tensor? bias=None, *, float gain=1., int[] "
        "dims=[], SymInt size=3) -> Tensor",
    .doc = "x.",
    .flags = TENON_OP_ASKED,
    .infer = same_infer,
    .lower = asked_lower};

// One rule for several operators, which differ in what their descriptors hold.
static tenon_status wide_infer(tenon_infer *c) {
  const int64_t *size = (const int64_t *)c->api->user(c);
  tenon_type y = *tenon_infer_in(c, 0);
  const tenon_dim dim = {size ? *size : 0, 0};
  y.dims = &dim;
  y.rank = size ? 1 : 0;
  return tenon_infer_out(c, 0, &y);
}
static const int64_t two = 2, three = 3;
#define WIDE(ident, name, its_user)                                            \
  static const tenon_op_desc ident = {                                         \
      OP, .schema = "acme::" name "(Tensor x) -> Tensor", .infer = wide_infer, \
      .user = its_user}
WIDE(op_wide2, "wide2", &two);
WIDE(op_wide3, "wide3", &three);
WIDE(op_point, "point", NULL);

static const tenon_plugin acme_plugin = {
    TENON_PLUGIN_HEADER, .name = "acme", .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){
        &op_gain,       &op_soft_gain, &op_push,     &op_bump,  &op_above,
        &op_soft_above, &op_split,     &op_maybe,    &op_many,  &op_unset,
        &op_beyond,     &op_high,      &op_negative, &op_mute,  &op_forgetful,
        &op_zero,       &op_below,     &op_typeless, &op_three, &op_ruleless,
        &op_circle,     &op_decline,   &op_asked,    &op_wide2, &op_wide3,
        &op_point,      NULL}};

// ---------------------------------------------------------------------------
// The world
// ---------------------------------------------------------------------------

bool world_try(world *w, const tenon_allocator *allocator) {
  static const tenon_plugin_origin builtin = {NULL, NULL, true};
  memset(w, 0, sizeof *w);
  tenon_context_options o = {.struct_size = sizeof o,
                             .diag = test_log_sink(&w->log)};
  if (allocator) o.allocator = *allocator;
  tenon_buf_init(&w->text, tenon_heap());
  if (tenon_context_init(&o, &w->cx) != TENON_OK) return false;
  w->cx->rules = &tenon_rule_texts;
  return tenon_context_add_plugin(w->cx, &core_plugin, &builtin) == TENON_OK &&
         tenon_context_add_plugin(w->cx, &acme_plugin, NULL) == TENON_OK &&
         tenon_context_freeze(w->cx) == TENON_OK;
}

void world_init(world *w) {
  bool ok = world_try(w, NULL);
  CHECK(ok, "%s", w->log.text);
}

void world_deinit(world *w) {
  if (w->cx) tenon_context_release(w->cx);
  tenon_buf_deinit(&w->text);
}

tenon_module *world_parse(world *w, const char *text) {
  tenon_module *m = NULL;
  tenon_status status =
      tenon_parse_module(w->cx, text, strlen(text), "t.tenon", &m);
  CHECK((status == TENON_OK) == (m != NULL), "%s", text);
  CHECK(m || w->log.errors > 0, "a failure without an error: %s", text);
  return m;
}

tenon_module *world_read(world *w, const char *text) {
  tenon_module *m = world_parse(w, text);
  CHECK(m, "%s\n%s", text, w->log.text);
  CHECK(tenon_infer_module(m, false) == TENON_OK, "%s\n%s", text, w->log.text);
  CHECK(tenon_verify_module(m, NULL) == TENON_OK, "%s\n%s", text, w->log.text);
  return m;
}

static tenon_status take_text(void *self, const char *file, const char *text,
                              size_t size) {
  (void)file;
  tenon_buf_add(&((world *)self)->text, text, size);
  return TENON_OK;
}

const char *world_print(world *w, const tenon_module *m, uint32_t flags) {
  tenon_buf_clear(&w->text);
  tenon_buf_text(&w->text, "");
  if (tenon_print_module(m, flags, take_text, w) != TENON_OK) return NULL;
  return w->text.data;
}

typedef struct search {
  const char *op;
  tenon_node *found;
} search;
static tenon_status look(void *self, tenon_node *n) {
  search *s = self;
  if (!s->found && tenon_op_is(n->op, s->op)) s->found = n;
  return TENON_OK;
}

tenon_node *world_find(tenon_module *m, const char *op) {
  search s = {op, NULL};
  CHECK(tenon_module_visit(m, look, &s) == TENON_OK, "%s", op);
  CHECK(s.found, "no %s", op);
  return s.found;
}
