// Convolutions and products against plain sums: floats to the bit, in the order
// that kern/README.md fixes; integers by their definition.
#include "kern/num/fixed.h"
#include "kern_fixture.h"

typedef struct shape {
  int n, h, w, ic, kh, kw, oc, groups;
  int stride[2], pad[4], dilation[2];
} shape;

// Windows at every corner, strides that leave a rest, holes, groups, 1 x 1.
static const shape shapes[] = {
    {1, 4, 5, 3, 3, 3, 4, 1, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {2, 5, 4, 2, 2, 3, 3, 1, {2, 1}, {0, 1, 1, 1}, {1, 1}},
    {1, 7, 7, 4, 3, 2, 6, 2, {1, 2}, {2, 0, 1, 1}, {2, 1}},
    {1, 6, 5, 2, 3, 3, 2, 1, {1, 1}, {0, 2, 0, 2}, {1, 2}},
    {3, 2, 2, 8, 1, 1, 5, 1, {1, 1}, {0, 0, 0, 0}, {1, 1}},
    {1, 1, 1, 1, 5, 5, 1, 1, {1, 1}, {2, 2, 2, 2}, {1, 1}},
    {1, 3, 3, 6, 2, 2, 6, 6, {3, 3}, {1, 1, 0, 0}, {1, 1}},
};

enum { MOST = 4096 };
static float xf[MOST], wf[MOST], bf[64], yf[MOST];
static int8_t xs[MOST], ws[MOST], ys[MOST];
static int32_t bs[64];

static int out_size(int size, int before, int after, int taps, int dilation,
                    int stride) {
  return (size + before + after - (taps - 1) * dilation - 1) / stride + 1;
}
static int out_h(const shape *s) {
  return out_size(s->h, s->pad[0], s->pad[2], s->kh, s->dilation[0],
                  s->stride[0]);
}
static int out_w(const shape *s) {
  return out_size(s->w, s->pad[1], s->pad[3], s->kw, s->dilation[1],
                  s->stride[1]);
}

static const char *attrs_text(const shape *s, bool has_groups,
                              const char *more) {
  static char text[256];
  int n =
      snprintf(text, sizeof text, "stride=%d,%d pad=%d,%d,%d,%d dilation=%d,%d",
               s->stride[0], s->stride[1], s->pad[0], s->pad[1], s->pad[2],
               s->pad[3], s->dilation[0], s->dilation[1]);
  if (has_groups)
    n += snprintf(text + n, sizeof text - (size_t)n, " groups=%d", s->groups);
  snprintf(text + n, sizeof text - (size_t)n, "%s", more);
  return text;
}

// Index into x of a tap, or -1 outside the image.
static int tap(const shape *s, int n, int oy, int ox, int ky, int kx, int c) {
  int y = oy * s->stride[0] - s->pad[0] + ky * s->dilation[0];
  int x = ox * s->stride[1] - s->pad[1] + kx * s->dilation[1];
  if (y < 0 || y >= s->h || x < 0 || x >= s->w) return -1;
  return ((n * s->h + y) * s->w + x) * s->ic + c;
}

// One output: calls `add` for every tap inside the image, in order.
typedef struct sum {
  float real;
  int64_t whole;
  int x_zero;
} sum;
static void add_f32(sum *s, int x, int w) {
  s->real = fmaf(xf[x], wf[w], s->real);
}
static void add_s8(sum *s, int x, int w) {
  s->whole += (xs[x] - s->x_zero) * ws[w];
}
static void walk(const shape *s, bool depthwise, int at, sum *out,
                 void (*add)(sum *, int, int)) {
  int oc = at % s->oc, ox = at / s->oc % out_w(s);
  int oy = at / s->oc / out_w(s) % out_h(s);
  int n = at / s->oc / out_w(s) / out_h(s);
  int depth = depthwise ? 1 : s->ic / s->groups;
  int first =
      depthwise ? oc / (s->oc / s->ic) : oc / (s->oc / s->groups) * depth;
  for (int ky = 0; ky < s->kh; ++ky)
    for (int kx = 0; kx < s->kw; ++kx)
      for (int c = 0; c < depth; ++c) {
        int x = tap(s, n, oy, ox, ky, kx, first + c);
        int w = depthwise ? (ky * s->kw + kx) * s->oc + oc
                          : ((oc * s->kh + ky) * s->kw + kx) * depth + c;
        if (x >= 0) add(out, x, w);
      }
}

static void fill(void) {
  for (int i = 0; i < MOST; ++i) {
    xf[i] = random_float();
    wf[i] = random_float();
    xs[i] = (int8_t)random_between(-128, 127);
    ws[i] = (int8_t)random_between(-127, 127);
  }
  for (int i = 0; i < 64; ++i) {
    bf[i] = random_float();
    bs[i] = random_between(-5000, 5000);
  }
}

static tenon_tensor weights_of(const shape *s, bool depthwise,
                               tenon_dtype dtype, const void *data,
                               const tenon_quant *q, int32_t *dims) {
  dims[0] = depthwise ? 1 : s->oc;
  dims[1] = s->kh;
  dims[2] = s->kw;
  dims[3] = depthwise ? s->oc : s->ic / s->groups;
  return tensor_of(dtype, data, q, dims, 4);
}

static void check_f32(size_t row, const shape *s, bool depthwise, bool has_bias,
                      bool limits) {
  int32_t dims[4];
  int count = s->n * out_h(s) * out_w(s) * s->oc;
  tenon_tensor in[] = {
      TENSOR(TENON_F32, xf, s->n, s->h, s->w, s->ic),
      weights_of(s, depthwise, TENON_F32, wf, NULL, dims),
      TENSOR(TENON_F32, bf, s->oc),
  };
  tenon_tensor out = TENSOR(TENON_F32, yf, s->n, out_h(s), out_w(s), s->oc);
  if (!has_bias) memset(&in[2], 0, sizeof in[2]);
  int status = run_kernel(
      depthwise ? "tenon_k_depthwise_conv_f32_ref" : "tenon_k_conv_f32_ref",
      attrs_text(s, !depthwise, limits ? " lo=-0.5 hi=1.5" : ""), in, 3, &out);
  CHECK(status == TENON_OK, "row %zu", row);
  for (int i = 0; i < count; ++i) {
    sum want = {0, 0, 0};
    walk(s, depthwise, i, &want, add_f32);
    float y = has_bias ? want.real + bf[i % s->oc] : want.real;
    if (limits) y = y < -0.5f ? -0.5f : y > 1.5f ? 1.5f : y;
    CHECK(yf[i] == y, "row %zu, output %d: %a, expected %a", row, i, yf[i], y);
  }
}

static void floats_are_one_chain(void **state) {
  (void)state;
  fill();
  EACH_ROW(i, shapes) {
    bool can_be_depthwise = shapes[i].oc % shapes[i].ic == 0;
    check_f32(i, &shapes[i], false, true, false);
    check_f32(i, &shapes[i], false, false, true);
    if (can_be_depthwise) check_f32(i, &shapes[i], true, true, true);
    if (can_be_depthwise) check_f32(i, &shapes[i], true, false, false);
  }
}

static void check_s8(size_t row, const shape *s, bool depthwise) {
  int32_t dims[4];
  float scales[64];
  const float x_scale = 0.04f, y_scale = 0.37f;
  const int32_t x_zero = -19, y_zero = 11;
  for (int i = 0; i < s->oc; ++i)
    scales[i] = 0.01f + 0.003f * (float)i;
  tenon_quant xq = {&x_scale, &x_zero, 1, 0, 0};
  tenon_quant yq = {&y_scale, &y_zero, 1, 0, 0};
  tenon_quant wq = {scales, NULL, s->oc, s->oc > 1 && depthwise ? 3 : 0, 0};
  tenon_tensor in[] = {
      QUANT_TENSOR(TENON_S8, xs, &xq, s->n, s->h, s->w, s->ic),
      weights_of(s, depthwise, TENON_S8, ws, &wq, dims),
      TENSOR(TENON_S32, bs, s->oc),
  };
  tenon_tensor out =
      QUANT_TENSOR(TENON_S8, ys, &yq, s->n, out_h(s), out_w(s), s->oc);
  int status = run_kernel(
      depthwise ? "tenon_k_depthwise_conv_s8_ref" : "tenon_k_conv_s8_ref",
      attrs_text(s, !depthwise, " lo=-30 hi=40.2"), in, 3, &out);
  CHECK(status == TENON_OK, "row %zu", row);
  for (int i = 0; i < s->n * out_h(s) * out_w(s) * s->oc; ++i) {
    sum want = {0, bs[i % s->oc], x_zero};
    walk(s, depthwise, i, &want, add_s8);
    double real =
        (double)want.whole * ((double)x_scale * scales[i % s->oc] / y_scale);
    double y = fmin(fmax(real + y_zero, -70), 120);
    // The two roundings are tested elsewhere: here a step of difference is one
    // tap or one channel that went wrong.
    CHECK(fabs(ys[i] - y) <= 0.51, "row %zu, output %d: %d, expected %g", row,
          i, ys[i], y);
  }
}

static void integers_are_exact(void **state) {
  (void)state;
  fill();
  EACH_ROW(i, shapes) {
    check_s8(i, &shapes[i], false);
    if (shapes[i].oc % shapes[i].ic == 0) check_s8(i, &shapes[i], true);
  }
}

static void sums_wrap(void **state) {
  // 127 * 255 * 70000 is more than an int32 holds.
  enum { K = 70000 };
  static int8_t x[K], w[K];
  const float one = 1;
  const int32_t zero = -128;
  tenon_quant q = {&one, &zero, 1, 0, 0}, wq = {&one, NULL, 1, 0, 0};
  tenon_tensor in[] = {QUANT_TENSOR(TENON_S8, x, &q, 1, K),
                       QUANT_TENSOR(TENON_S8, w, &wq, 1, K),
                       {0}};
  tenon_tensor out = QUANT_TENSOR(TENON_S8, ys, &q, 1, 1);
  (void)state;
  memset(x, 127, sizeof x);
  memset(w, 127, sizeof w);
  assert_int_equal(
      run_kernel("tenon_k_fully_connected_s8_ref", "", in, 3, &out), TENON_OK);
  assert_int_equal(ys[0], -128);
}

static void products_are_one_chain(void **state) {
  static const struct {
    int n, k, m;
  } rows[] = {{1, 1, 1}, {1, 37, 5}, {4, 16, 3}, {3, 0, 2}, {0, 4, 2}};
  (void)state;
  fill();
  EACH_ROW(i, rows) {
    int n = rows[i].n, k = rows[i].k, m = rows[i].m;
    tenon_tensor in[] = {TENSOR(TENON_F32, xf, n, k),
                         TENSOR(TENON_F32, wf, m, k), TENSOR(TENON_F32, bf, m)};
    tenon_tensor out = TENSOR(TENON_F32, yf, n, m);
    assert_int_equal(
        run_kernel("tenon_k_fully_connected_f32_ref", "hi=3", in, 3, &out),
        TENON_OK);
    for (int j = 0; j < n * m; ++j) {
      float y = 0;
      for (int l = 0; l < k; ++l)
        y = fmaf(xf[j / m * k + l], wf[j % m * k + l], y);
      y += bf[j % m];
      CHECK(yf[j] == (y > 3 ? 3 : y), "row %zu, output %d", i, j);
    }
  }
}

static void weights_are_matched(void **state) {
  static const float scales[] = {1, 2, 3, 4};
  static const int32_t zeros[] = {0, 0, 1, 0}, zero = 5;
  const float one = 1;
  const struct {
    tenon_quant w;
    int want;
  } rows[] = {
      {{scales, NULL, 4, 0, 0}, TENON_OK}, {{scales, zeros, 4, 0, 0}, -1},
      {{scales, NULL, 4, 3, 0}, -1},       {{scales, NULL, 3, 0, 0}, -1},
      {{scales, NULL, 2, 0, 1}, -1},       {{&one, &zero, 1, 0, 0}, TENON_OK},
  };
  tenon_quant q = {&one, NULL, 1, 0, 0};
  (void)state;
  EACH_ROW(i, rows) {
    tenon_tensor in[] = {QUANT_TENSOR(TENON_S8, xs, &q, 1, 2, 2, 2),
                         QUANT_TENSOR(TENON_S8, ws, &rows[i].w, 4, 1, 1, 2),
                         {0}};
    tenon_tensor out = QUANT_TENSOR(TENON_S8, ys, &q, 1, 2, 2, 4);
    CHECK(run_kernel("tenon_k_conv_s8_ref",
                     "stride=1,1 pad=0,0,0,0 dilation=1,1 groups=1", in, 3,
                     &out) == rows[i].want,
          "row %zu", i);
  }
}

static void hybrids_survive_anything(void **state) {
  static const struct {
    float x[3], want;  // times weights 1, 2, 3 of scale 1, bias 1
  } rows[] = {{{0, 0, 0}, 1},          {{127, 0, 0}, 128},
              {{0, 127, 127}, 636},    {{-0.0f, 0, 0}, 1},
              {{1e-45f, 0, 0}, NAN},   {{NAN, 1, 2}, NAN},
              {{INFINITY, 1, 2}, NAN}, {{3e38f, -3e38f, 0}, NAN}};
  static const int8_t w[] = {1, 2, 3};
  const float one = 1;
  tenon_quant q = {&one, NULL, 1, 0, 0};
  (void)state;
  EACH_ROW(i, rows)
  for (int asymmetric = 0; asymmetric < 2; ++asymmetric) {
    float y = 77;
    tenon_tensor in[] = {TENSOR(TENON_F32, rows[i].x, 1, 3),
                         QUANT_TENSOR(TENON_S8, w, &q, 1, 3),
                         TENSOR(TENON_F32, &one, 1)};
    tenon_tensor out = TENSOR(TENON_F32, &y, 1, 1);
    assert_int_equal(run_kernel("tenon_k_fully_connected_f32s8_ref",
                                asymmetric ? "asymmetric=1" : "", in, 3, &out),
                     TENON_OK);
    CHECK(isnan(rows[i].want) || near(y, rows[i].want, 0.01), "row %zu: %g", i,
          y);
  }
}

TEST_GROUP(conv, cmocka_unit_test(floats_are_one_chain),
           cmocka_unit_test(integers_are_exact), cmocka_unit_test(sums_wrap),
           cmocka_unit_test(products_are_one_chain),
           cmocka_unit_test(weights_are_matched),
           cmocka_unit_test(hybrids_survive_anything))
