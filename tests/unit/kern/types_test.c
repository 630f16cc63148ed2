// One body serves every plain element type; here each type runs through it, on
// numbers that all types have, and on the largest one of each; for those that
// tests/cli/element_types_test.py does not have.
#include <math.h>

#include "kern/loop/element.h"
#include "kern/loop/plain.h"
#include "kern_fixture.h"

// The largest number of the type; infinity of floats.
#define TOP 1e30
enum { MOST = 8, OPERANDS = 4 };

// What an operand or a result is of.
typedef enum role { NONE, TYPED, INDEX } role;

typedef struct part {
  role of;
  int32_t rank, dims[2];
  double data[MOST];
} part;

typedef struct row {
  const char *kernel, *attrs;
  part in[OPERANDS], out[OPERANDS];
  bool is_real;  // for floats alone; the results within their precision
} row;

#define X1(n, ...)   \
  {                  \
    TYPED, 1, {n}, { \
      __VA_ARGS__    \
    }                \
  }
#define X2(n, m, ...)   \
  {                     \
    TYPED, 2, {n, m}, { \
      __VA_ARGS__       \
    }                   \
  }
#define I1(n, ...)   \
  {                  \
    INDEX, 1, {n}, { \
      __VA_ARGS__    \
    }                \
  }
#define I2(n, m, ...)   \
  {                     \
    INDEX, 2, {n, m}, { \
      __VA_ARGS__       \
    }                   \
  }

// Rows of zeros and ones alone hold of bool, too.
static const row rows[] = {
    {"unique_within",
     "",
     {X2(4, 1, 1, 0, 1, 1)},
     {X2(2, 1, 0, 1), I1(4, 1, 0, 1, 1), I1(2, 1, 3)},
     false},
    {"prod", "dims=1", {X2(2, 3, 1, 1, 0, 1, 1, 1)}, {X1(2, 0, 1)}, false},
    {"prod", "dims=0", {X2(3, 2, 1, 2, 3, 4, 5, 6)}, {X1(2, 15, 48)}, false},
    {"searchsorted",
     "",
     {X1(4, 0, 0, 1, 1), X1(2, 1, 0)},
     {I1(2, 2, 0)},
     false},
    {"searchsorted",
     "right=1",
     {X1(4, 0, 3, 3, TOP), X1(3, 3, TOP, 1)},
     {I1(3, 3, 4, 1)},
     false},
    {"index_put",
     "mode=0 wrap=1",
     {X1(3, 0, 1, 0), X1(2, 1, 0), I1(2, 0, 1)},
     {X1(3, 1, 0, 0)},
     false},
    {"logcumsumexp",
     "axis=0",
     {X1(3, 0, 0, 1)},
     {X1(3, 0, 0.6931472, 1.5514447)},
     true},
};

// x and what is put there twice over, by the modes of kern/loop/select.h.
static const struct {
  int mode;
  bool with_old;
  double x[3], put[3], want[3];
} placed[] = {
    {1, true, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}},
    {1, true, {1, 2, 3}, {4, 5, 6}, {11, 2, 8}},
    {1, false, {1, 2, 3}, {4, 5, 6}, {10, 2, 5}},
    {2, true, {1, 1, 1}, {1, 0, 1}, {1, 1, 0}},
    {2, true, {1, 2, 3}, {4, 5, 6}, {24, 2, 15}},
    {3, true, {0, 1, 0}, {0, 1, 0}, {0, 1, 1}},
    {3, true, {1, 2, 3}, {TOP, 5, 1}, {TOP, 2, 5}},
    {4, true, {1, 1, 0}, {1, 0, 1}, {1, 1, 0}},
    {4, true, {TOP, 2, 3}, {7, 5, TOP}, {7, 2, 3}},
    {5, true, {0, 1, 0}, {0, 0, 0}, {0, 1, 0}},
    {5, true, {3, 2, 1}, {4, 9, 5}, {4, 2, 5}},
    {5, false, {1, 2, 3}, {4, 8, 6}, {5, 2, 8}},
};

typedef struct type {
  const char *name;
  tenon_dtype dtype;
  uint64_t top;  // 0: a float
} type;

static const type types[] = {
    {"f32", TENON_F32, 0},          {"f64", TENON_F64, 0},
    {"f16", TENON_F16, 0},          {"bf16", TENON_BF16, 0},
    {"s8", TENON_S8, INT8_MAX},     {"s16", TENON_S16, INT16_MAX},
    {"s32", TENON_S32, INT32_MAX},  {"s64", TENON_S64, INT64_MAX},
    {"u8", TENON_U8, UINT8_MAX},    {"u16", TENON_U16, UINT16_MAX},
    {"u32", TENON_U32, UINT32_MAX}, {"u64", TENON_U64, UINT64_MAX},
    {"bool", TENON_BOOL, 1}};

static void put(const type *t, void *data, size_t i, double v) {
  const ptrdiff_t at = (ptrdiff_t)i;
  const uint64_t whole = v == TOP ? t->top : (uint64_t)v;
  const double real = v == TOP ? (double)INFINITY : v;
#define PUT(t_)              \
  tenon_store_##t_(data, at, \
                   t->top ? (tenon_carry_##t_)whole : (tenon_carry_##t_)real)
  TENON_PLAIN_SWITCH(t->dtype, PUT)
}

static double get(const type *t, const void *data, size_t i) {
  double v = 0;
#define GET(t_) v = (double)tenon_load_##t_(data, (ptrdiff_t)i)
  TENON_PLAIN_SWITCH(t->dtype, GET)
  return v;
}

static const type *type_of(const part *p, const type *typed) {
  static const type index = {"s64", TENON_S64, INT64_MAX};
  return p->of == INDEX ? &index : typed;
}

static size_t count(const part *p) {
  size_t n = 1;
  for (int d = 0; d < p->rank; ++d)
    n *= (size_t)p->dims[d];
  return n;
}

static bool is_bits(const part *p) {
  for (size_t i = 0; p->of == TYPED && i < count(p); ++i)
    if (p->data[i] != 0 && p->data[i] != 1) return false;
  return true;
}

static bool holds_of(const row *r, const type *t) {
  bool bits = true;
  for (int i = 0; i < OPERANDS; ++i)
    bits = bits && is_bits(&r->in[i]) && is_bits(&r->out[i]);
  if (t->dtype == TENON_BOOL) return bits && !r->is_real;
  return !r->is_real || t->top == 0;
}

static int tensors(const part *parts, const type *typed, uint64_t (*data)[MOST],
                   bool is_filled, tenon_tensor *out) {
  int n = 0;
  for (; n < OPERANDS && parts[n].of; ++n) {
    const part *p = &parts[n];
    const type *t = type_of(p, typed);
    memset(data[n], 0x55, sizeof data[n]);
    for (size_t i = 0; is_filled && i < count(p); ++i)
      put(t, data[n], i, p->data[i]);
    out[n] = (tenon_tensor){.data = data[n],
                            .dims = p->dims,
                            .dtype = t->dtype,
                            .rank = (uint8_t)p->rank};
  }
  return n;
}

static void compare(const row *r, const part *p, const type *t,
                    const void *got) {
  uint64_t want[MOST];
  const size_t size = (size_t)tenon_element_bits(t->dtype) / 8;
  for (size_t i = 0; i < count(p); ++i) {
    put(t, want, i, p->data[i]);
    bool is_same = r->is_real
                       ? near(get(t, got, i), p->data[i], 1e-2)
                       : memcmp((const char *)got + i * size,
                                (const char *)want + i * size, size) == 0;
    CHECK(is_same, "%s [%s] of %s: element %zu is %g", r->kernel, r->attrs,
          t->name, i, get(t, got, i));
  }
}

static void check(const row *r, const type *t) {
  uint64_t operands[OPERANDS][MOST], results[OPERANDS][MOST];
  int32_t scratch[4 * MOST];
  int64_t sizes[1] = {-1};
  tenon_tensor in[OPERANDS], out[OPERANDS];
  tenon_fault fault = {0};
  char symbol[64];
  const tenon_op_desc *op = NULL;
  snprintf(symbol, sizeof symbol, "tenon_k_%s_ref", r->kernel);
  const tenon_kernel_desc *k = find_kernel(symbol, &op);
  tenon_call c = {.in = in,
                  .out = out,
                  .attrs = attrs_of(op, r->attrs),
                  .scratch = scratch,
                  .sizes = sizes,
                  .fault = &fault};
  c.n_in = (uint16_t)tensors(r->in, t, operands, true, in);
  c.n_out = (uint16_t)tensors(r->out, t, results, false, out);
  if (k->measure) assert_int_equal(k->measure(&c), TENON_OK);
  CHECK(!k->measure || sizes[0] == r->out[0].dims[0], "%s of %s: %lld",
        r->kernel, t->name, (long long)sizes[0]);
  CHECK((k->run ? k->run(&c) : k->run_range(&c, 0, k->items(&c))) == TENON_OK,
        "%s of %s: %s", r->kernel, t->name, fault.text ? fault.text : "");
  for (int i = 0; i < (int)c.n_out; ++i)
    compare(r, &r->out[i], type_of(&r->out[i], t), out[i].data);
}

static void every_type_computes(void **state) {
  (void)state;
  EACH_ROW(i, rows)
  EACH_ROW(k, types)
  if (holds_of(&rows[i], &types[k])) check(&rows[i], &types[k]);
}

// At places 0, 2 and 0 again, by both operators that put.
static void every_type_is_put(void **state) {
  (void)state;
  EACH_ROW(i, placed) {
    char attrs[64];
    snprintf(attrs, sizeof attrs, "mode=%d include_self=%d", placed[i].mode,
             placed[i].with_old);
    row put = {"index_put",
               attrs,
               {X1(3, 0), X1(3, 0), I1(3, 0, 2, 0)},
               {X1(3, 0)},
               false};
    memcpy(put.in[0].data, placed[i].x, sizeof placed[i].x);
    memcpy(put.in[1].data, placed[i].put, sizeof placed[i].put);
    memcpy(put.out[0].data, placed[i].want, sizeof placed[i].want);
    EACH_ROW(k, types)
    if (holds_of(&put, &types[k])) check(&put, &types[k]);
    row scattered = put;
    scattered.kernel = "scatter";
    scattered.in[1] = put.in[2];
    scattered.in[2] = put.in[1];
    EACH_ROW(k, types)
    if (holds_of(&put, &types[k])) check(&scattered, &types[k]);
  }
}

TEST_GROUP(types, cmocka_unit_test(every_type_computes),
           cmocka_unit_test(every_type_is_put))
