// Shape rules of the core operators, called without a graph.
//
// Types are text: "f32[1,?,3]", "s8[4]{0.5:3}"; "-" is an absent operand, "?" a
// size that is not known. What a rule refuses is "! " and its words.
#include "kern_fixture.h"

typedef struct mock {
  tenon_infer base;
  const void *attrs;
  const tenon_op_desc *op;
  tenon_type in[4], declared;
  int n_in;
  bool is_declared;
  tenon_dim dims[5][8];
  tenon_quant quants[5];
  float scales[5];
  int32_t zeros[5];
  char out[256];
} mock;

static const struct {
  const char *name;
  tenon_dtype dtype;
} names[] = {{"f32", TENON_F32}, {"s8", TENON_S8},   {"s32", TENON_S32},
             {"u8", TENON_U8},   {"s64", TENON_S64}, {"bool", TENON_BOOL}};

static const char *parse_type(mock *m, int slot, const char *s,
                              tenon_type *out) {
  memset(out, 0, sizeof *out);
  EACH_ROW(i, names)
  if (strncmp(s, names[i].name, strlen(names[i].name)) == 0)
    out->dtype = names[i].dtype;
  s += strcspn(s, "[;-");
  out->dims = m->dims[slot];
  if (*s == '-') return s + 1;
  for (++s; *s != ']';) {
    tenon_dim *d = &m->dims[slot][out->rank++];
    d->symbol = *s == '?';
    d->value = d->symbol ? 0 : strtoll(s, (char **)&s, 10);
    s += *s == '?';
    s += *s == ',';
  }
  ++s;
  if (*s != '{') return s;
  m->scales[slot] = strtof(s + 1, (char **)&s);
  m->zeros[slot] = (int32_t)strtol(s + 1, (char **)&s, 10);
  m->quants[slot] = (tenon_quant){&m->scales[slot], &m->zeros[slot], 1, 0, 0};
  out->quant = &m->quants[slot];
  return s + 1;
}

static const tenon_type *mock_in(const tenon_infer *c, int i) {
  const mock *m = (const mock *)c;
  return i < m->n_in && m->in[i].dtype ? &m->in[i] : NULL;
}
static int mock_group(const tenon_infer *c, int arg, int *first) {
  *first = 0;
  return arg == 0 ? ((const mock *)c)->n_in : 0;
}
static const tenon_type *mock_declared(const tenon_infer *c, int i) {
  const mock *m = (const mock *)c;
  return i == 0 && m->is_declared ? &m->declared : NULL;
}
static const void *mock_attrs(const tenon_infer *c) {
  return ((const mock *)c)->attrs;
}
static tenon_dim mock_size(const tenon_infer *c, const char *attr, int i) {
  const mock *m = (const mock *)c;
  const tenon_field *f = m->op->fields;
  while (strcmp(f->name, attr) != 0)
    ++f;
  const tenon_ints *list =
      (const tenon_ints *)((const char *)m->attrs + f->offset);
  tenon_dim d = {list->data[i], 0};
  if (d.value == -77) d = (tenon_dim){0, 1};
  return d;
}
static tenon_dim mock_dim(tenon_infer *c, tenon_dim_op op, tenon_dim a,
                          tenon_dim b) {
  (void)c;
  if (a.symbol || b.symbol) return (tenon_dim){0, 1};
  switch (op) {
    case TENON_DIM_ADD:
      return (tenon_dim){a.value + b.value, 0};
    case TENON_DIM_MUL:
      return (tenon_dim){a.value * b.value, 0};
    case TENON_DIM_DIV:
      return (tenon_dim){a.value / b.value, 0};
    default:
      fail_msg("an operation on sizes that no rule used");
      return a;
  }
}
static tenon_status mock_out(tenon_infer *c, int i, const tenon_type *t) {
  mock *m = (mock *)c;
  size_t n = 0;
  assert_int_equal(i, 0);
  EACH_ROW(k, names)
  if (names[k].dtype == t->dtype)
    n += (size_t)snprintf(m->out, sizeof m->out, "%s[", names[k].name);
  for (int d = 0; d < t->rank; ++d) {
    if (t->dims[d].symbol)
      n += (size_t)snprintf(m->out + n, sizeof m->out - n, "?,");
    else
      n += (size_t)snprintf(m->out + n, sizeof m->out - n, "%d,",
                            (int)t->dims[d].value);
  }
  n -= t->rank > 0;
  n += (size_t)snprintf(m->out + n, sizeof m->out - n, "]");
  if (t->quant)
    snprintf(m->out + n, sizeof m->out - n, "{%g:%d}",
             (double)t->quant->scale[0], t->quant->zero[0]);
  return TENON_OK;
}
static TENON_PRINTF(2, 3) tenon_status
    mock_fail(tenon_infer *c, const char *fmt, ...) {
  mock *m = (mock *)c;
  va_list args;
  va_start(args, fmt);
  memcpy(m->out, "! ", 2);
  vsnprintf(m->out + 2, sizeof m->out - 2, fmt, args);
  va_end(args);
  return TENON_BAD_MODEL;
}

// What is not known may hold.
static bool mock_require(tenon_infer *c, tenon_relation relation, tenon_dim a,
                         tenon_dim b) {
  (void)c;
  if (a.symbol || b.symbol) return true;
  switch (relation) {
    case TENON_RELATION_EQ:
      return a.value == b.value;
    case TENON_RELATION_NE:
      return a.value != b.value;
    case TENON_RELATION_LT:
      return a.value < b.value;
    default:
      return a.value <= b.value;
  }
}

static const tenon_infer_api mock_api = {
    .struct_size = sizeof(tenon_infer_api),
    .in = mock_in,
    .group = mock_group,
    .declared = mock_declared,
    .attrs = mock_attrs,
    .size = mock_size,
    .dim = mock_dim,
    .out = mock_out,
    .fail = mock_fail,
    .require = mock_require,
};

static const char *infer(const char *name, const char *attrs, const char *in,
                         const char *declared) {
  static mock m;
  memset(&m, 0, sizeof m);
  m.base.api = &mock_api;
  for (const tenon_op_desc *const *op = tenon_core_plugin.ops; *op; ++op) {
    const char *at = (*op)->schema + strlen("core::");
    if (strncmp(at, name, strlen(name)) == 0 && at[strlen(name)] == '(')
      m.op = *op;
  }
  assert_non_null(m.op);
  m.attrs = attrs_of(m.op, attrs);
  while (*in) {
    in = parse_type(&m, m.n_in, in, &m.in[m.n_in]);
    ++m.n_in;
    in += strspn(in, "; ");
  }
  m.is_declared = *declared;
  if (*declared) (void)parse_type(&m, 4, declared, &m.declared);
  tenon_status status = m.op->infer(&m.base);
  assert_int_equal(status == TENON_OK, m.out[0] != '!');
  return m.out;
}

#define WINDOW "stride=1,1 pad=0,0,0,0 dilation=1,1"
#define POOL "window=2,2 stride=2,2 pad=0,0,0,0"

static void rules_say(void **state) {
  static const struct {
    const char *op, *attrs, *in, *declared, *want;
  } rows[] = {
      {"conv", WINDOW " groups=1", "f32[2,5,6,3]; f32[4,3,2,3]; f32[4]", "",
       "f32[2,3,5,4]"},
      {"conv", "stride=2,3 pad=1,0,1,2 dilation=2,1 groups=2",
       "f32[1,9,9,4]; f32[6,3,3,2]; -", "", "f32[1,4,3,6]"},
      {"conv", WINDOW " groups=1", "f32[?,?,6,3]; f32[4,3,2,3]; -", "",
       "f32[?,?,5,4]"},
      {"conv", WINDOW " groups=1", "s8[1,1,1,3]{0.5:1}; s8[4,1,1,3]{1:0}; -",
       "s8[1,1,1,4]{2:3}", "s8[1,1,1,4]{2:3}"},
      {"conv", WINDOW " groups=1", "s8[1,1,1,3]{0.5:1}; s8[4,1,1,3]{1:0}; -",
       "", "! scale and zero point of a quantised result must be declared"},
      {"conv", WINDOW " groups=1", "f32[1,2,6,3]; f32[4,3,2,3]; -", "",
       "! a window of 3 does not fit 2 elements"},
      {"conv", WINDOW " groups=1", "f32[1,5,6,3]; f32[4,3,2,2]; -", "",
       "! x has 3 channels, w is for 2"},
      {"conv", WINDOW " groups=3", "f32[1,5,6,3]; f32[4,3,2,1]; -", "",
       "! 4 output channels in 3 groups"},
      {"conv", WINDOW, "f32[1,5,6,3]; f32[4,3,2,3]; -", "",
       "! 4 output channels in 0 groups"},
      {"conv", WINDOW " groups=1", "f32[1,5,6,3]; f32[4,3,2,3]; f32[3]", "",
       "! bias must have one entry for each of 4 channels"},
      {"conv", WINDOW " groups=1", "f32[5,6,3]; f32[4,3,2,3]; -", "",
       "! x has rank 3, expected 4"},
      {"conv", "stride=0,1 pad=0,0,0,0 dilation=1,1 groups=1",
       "f32[1,5,6,3]; f32[4,3,2,3]; -", "",
       "! 'stride' has 0, expected at least 1"},
      {"conv", "stride=1 pad=0,0,0,0 dilation=1,1 groups=1",
       "f32[1,5,6,3]; f32[4,3,2,3]; -", "",
       "! 'stride' has 1 entries, expected 2"},
      {"depthwise_conv", WINDOW, "f32[1,5,5,2]; f32[1,3,3,6]; -", "",
       "f32[1,3,3,6]"},
      {"depthwise_conv", WINDOW, "f32[1,5,5,4]; f32[1,3,3,6]; -", "",
       "! 6 output channels for 4 input channels"},
      {"depthwise_conv", WINDOW, "f32[1,5,5,2]; f32[2,3,3,6]; -", "",
       "! w begins with 2, expected 1"},
      {"fully_connected", "", "f32[2,?,8]; f32[5,8]; f32[5]", "", "f32[2,?,5]"},
      {"fully_connected", "", "f32[2,7]; f32[5,8]; -", "",
       "! x has rows of 7, w of 8"},
      {"avg_pool", POOL, "f32[1,5,4,3]", "", "f32[1,2,2,3]"},
      {"avg_pool", POOL, "s8[1,5,4,3]{0.5:3}", "", "s8[1,2,2,3]{0.5:3}"},
      {"max_pool", "window=6,2 stride=2,2 pad=0,0,0,0", "f32[1,5,4,3]", "",
       "! a window of 6 does not fit 5 elements"},
      {"add", "", "f32[2,1,4]; f32[3,1]", "", "f32[2,3,4]"},
      {"add", "", "f32[?,4]; f32[3,1]", "", "f32[3,4]"},
      {"add", "", "f32[?,4]; f32[1,1]", "", "f32[?,4]"},
      {"add", "", "f32[2,4]; f32[3,4]", "",
       "! cannot broadcast 2 with 3 in dimension 0"},
      {"add", "", "f32[2,4]; s32[2,4]", "",
       "! operands have different element types"},
      {"maximum", "", "s8[2]{0.5:3}; s8[2]{0.5:3}", "", "s8[2]{0.5:3}"},
      {"tanh", "", "s8[2]{0.5:3}", "s8[2]{0.25:0}", "s8[2]{0.25:0}"},
      {"relu", "", "s8[2]{0.5:3}", "", "s8[2]{0.5:3}"},
      {"softmax", "axis=-1 beta=1", "f32[2,3]", "", "f32[2,3]"},
      {"softmax", "axis=2 beta=1", "f32[2,3]", "",
       "! axis 2 of a tensor of rank 2"},
      {"quantize", "", "f32[2,3]", "u8[2,3]{0.5:3}", "u8[2,3]{0.5:3}"},
      {"quantize", "", "f32[2,3]", "",
       "! the quantised type of the result must be declared"},
      {"dequantize", "", "s8[2,3]{0.5:3}", "", "f32[2,3]"},
      {"dequantize", "", "s8[2,3]", "", "! x is not quantised"},
      {"cast", "dtype=6", "f32[2,?]", "", "s64[2,?]"},
      {"reshape", "shape=3,2", "f32[6]", "", "f32[3,2]"},
      {"reshape", "shape=-77,2", "f32[?]", "", "f32[?,2]"},
      {"reshape", "shape=", "f32[1,1]", "", "f32[]"},
      {"reshape", "shape=3,3", "f32[6]", "", "! 6 elements become 9"},
      {"reshape", "shape=3,-2", "f32[6]", "",
       "! dimension 1 of the shape is -2"},
      {"permute", "dims=2,0,1", "s8[2,3,4]{0.5:3}", "", "s8[4,2,3]{0.5:3}"},
      {"permute", "dims=2,0,-1", "f32[2,3,4]", "", "! 'dims' has 2 twice"},
      {"slice", "begin=1,2 size=1,2 step=1,-2", "f32[2,3]", "", "f32[1,2]"},
      {"slice", "begin=1,2 size=1,2 step=1,1", "f32[2,3]", "",
       "! elements 2 to 3 of 3 in dimension 1"},
      {"dynamic_slice", "axes=0 size=1", "f32[2,3];s64[1]", "", "f32[1,3]"},
      {"dynamic_slice", "axes=-1,0 size=3,2", "f32[2,3];s32[2]", "",
       "f32[2,3]"},
      {"dynamic_slice", "axes=0 size=3", "f32[2,3];s64[1]", "",
       "! a window of 3 in dimension 0"},
      {"dynamic_slice", "axes=0 size=1", "f32[2,3];s64[2]", "",
       "! 'begin' has not one element for each of 1 axes"},
      {"dynamic_slice", "axes=0 size=1", "f32[2,3];f32[1]", "",
       "! 'begin' is neither s32 nor s64"},
      {"dynamic_slice", "axes=0,-2 size=1,1", "f32[2,3];s32[2]", "",
       "! 'axes' has 0 twice"},
      {"dynamic_slice", "axes=0 size=1,1", "f32[2,3];s32[1]", "",
       "! 2 sizes for 1 axes"},
      {"dynamic_update", "axes=0", "s8[2,3]{0.5:3};s8[1,3];s32[]", "",
       "s8[2,3]{0.5:3}"},
      {"dynamic_update", "axes=0", "f32[2,3];f32[2,2];s32[1]", "",
       "! an update of 2 in dimension 1 of 3"},
      {"dynamic_update", "axes=0", "f32[2,3];f32[3,3];s32[1]", "",
       "! an update of 3 in dimension 0 of 2"},
      {"dynamic_update", "axes=0", "f32[2,3];s32[1,3];s32[1]", "",
       "! the update is not of x's type and rank"},
      {"slice", "begin=0,9 size=2,0 step=1,1", "f32[2,3]", "", "f32[2,0]"},
      {"slice", "begin=0,0 size=2,2 step=1,0", "f32[2,3]", "",
       "! step 0 in dimension 1"},
      {"slice", "begin=-77,0 size=-77,2 step=1,1", "f32[2,3]", "", "f32[?,2]"},
      {"pad", "before=1,0 after=0,2", "f32[2,?]", "", "f32[3,?]"},
      {"pad", "before=-1,0 after=0,2", "f32[2,3]", "",
       "! 'before' has -1, expected at least 0"},
      {"concat", "axis=-1", "f32[2,3]; f32[2,?]; f32[2,1]", "", "f32[2,?]"},
      {"concat", "axis=0", "f32[2,3]; f32[5,3]", "", "f32[7,3]"},
      {"concat", "axis=0", "f32[2,3]; f32[5,4]", "",
       "! dimension 1 of operand 1 is 4, of the first 3"},
      {"concat", "axis=0", "s8[2]{0.5:3}; s8[2]{0.5:4}", "",
       "! operand 1 has another element type, scale or rank than the first"},
      {"copy", "", "s8[2]{0.5:3}", "", "s8[2]{0.5:3}"},
      {"mean", "dims=1,-1", "f32[2,3,4]", "", "f32[2]"},
      {"mean", "dims=1,-1 keepdim=1", "f32[2,?,4]", "", "f32[2,1,1]"},
      {"sum", "dims=0,-3", "f32[2,3,4]", "", "! 'dims' has 0 twice"},
      {"resize_bilinear", "size=2,1 align_corners=1 half_pixel_centers=0",
       "s8[1,4,1,1]{1:0}", "", "s8[1,2,1,1]{1:0}"},
      {"resize_bilinear", "size=2,1 align_corners=1 half_pixel_centers=1",
       "s8[1,4,1,1]{1:0}", "",
       "! both align_corners and half_pixel_centers are set"},
      {"sum", "dims=3", "f32[2,3,4]", "", "! axis 3 of a tensor of rank 3"},
      // Rules that are texts (ops/core/core_shapes.h).
      {"det", "", "f32[4,?,3,3]", "", "f32[4,?]"},
      {"det", "", "f32[3]", "",
       "! operand 0, 'x', has rank 1, expected 2 or more"},
      {"det", "", "f32[4,3,2]", "", "! operand 0, 'x', must be [4, 3, 3]"},
      {"solve_triangular", "", "f32[2,3,3]; f32[2,3,1]", "", "f32[2,3,1]"},
      {"solve_triangular", "", "f32[2,3,3]; f32[4,3,1]", "",
       "! operand 1, 'b', must be [2, 3, 1]"},
      {"solve_triangular", "", "f32[2,3,3]; f32[3,1]", "",
       "! operand 1, 'b', has rank 2, expected 3"},
      {"solve_triangular", "", "f32[3,3]; s32[3,1]", "",
       "! 'a' is f32 but 'b' is s32"},
      {"lu", "", "f32[?,3]", "", "! sides of x are open, and not the same"},
      {"gru", "", "f32[5,2,9]; f32[9,3]; f32[8]; f32[2,3]", "",
       "! operand 2, 'bias', must be [9]"},
      {"gru", "", "f32[5,2,9]; f32[9,3]; -; f32[2,4]", "",
       "! operand 3, 'h', must be [2, 3]"},
      {"gru", "", "f32[5,?,9]; -; -; f32[2,3]", "",
       "! operand 1, 'w', is absent"},
      {"embedding_bag", "mode=0", "f32[9,4]; s64[6]; s64[2]", "", "f32[2,4]"},
      {"masked_scatter", "", "f32[2]; f32[2]; f32[1]", "",
       "! 'mask' is f32, expected bool"},
  };
  (void)state;
  EACH_ROW(i, rows)
  CHECK_TEXT(infer(rows[i].op, rows[i].attrs, rows[i].in, rows[i].declared),
             rows[i].want, i);
}

TEST_GROUP(infer, cmocka_unit_test(rules_say))
