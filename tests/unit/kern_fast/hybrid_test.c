// Fast kernels of floats with quantised weights against the reference, bit for
// bit: any shapes, both ways to quantise, scales per channel or one.
#include "kern/product/conv.h"

#include "op_check.h"

typedef struct hybrid_case {
  op_case c;
  tenon_quant quant;
  float scale[80];
  int64_t stride[2], pad[4], dilation[2];
  tenon_conv_attrs conv;
  tenon_depthwise_conv_attrs depthwise;
  tenon_fully_connected_attrs fully_connected;
} hybrid_case;

static const tenon_kernel_desc *reference_of(const tenon_op_desc *op) {
  for (const tenon_kernel_desc *const *k = op->kernels; *k; ++k)
    if (strncmp((*k)->types, "f32, s8q", 8) == 0) return *k;
  return NULL;
}

static int any_channels(void) {
  static const int channels[] = {1, 2, 3, 8, 15, 16, 17, 33, 64, 70};
  return channels[case_between(0, 9)];
}

// Attributes, scales and the last operands of a call whose x is there.
static void add_weights(hybrid_case *h, tenon_tensor *w, int axis, int n,
                        uint32_t options) {
  const tenon_opt_float lo = {-0.5, (options & 1) != 0};
  const tenon_opt_float hi = {1.5, (options & 2) != 0};
  const bool asymmetric = options & 4;
  for (int i = 0; i < n; ++i)
    h->scale[i] = (float)case_between(1, 1000) * 0.0001f;
  h->quant = (tenon_quant){h->scale, NULL, options & 8 ? n : 1, axis, 0};
  w->quant = &h->quant;
  if (options & 16)
    op_case_in(&h->c, TENON_F32, CASE_USUAL, 1, n);
  else
    op_case_none(&h->c);
  h->conv = (tenon_conv_attrs){{h->stride, 2}, {h->pad, 4}, {h->dilation, 2}, 1,
                               asymmetric,     .lo = lo,    .hi = hi};
  h->depthwise = (tenon_depthwise_conv_attrs){{h->stride, 2},   {h->pad, 4},
                                              {h->dilation, 2}, asymmetric,
                                              .lo = lo,         .hi = hi};
  h->fully_connected = (tenon_fully_connected_attrs){asymmetric, lo, hi};
}

static int check_window(bool is_depthwise, int kind) {
  const tenon_op_desc *op =
      is_depthwise ? &tenon_op_core_depthwise_conv : &tenon_op_core_conv;
  const bool is_point = case_between(0, 3) == 0;
  const int kh = is_point ? 1 : case_between(1, 4);
  const int kw = is_point ? 1 : case_between(1, 4);
  const int batch = case_between(1, 3), ic = any_channels();
  const int oc = is_depthwise ? ic : any_channels();
  const int h = case_between(4, 14), w = case_between(4, 14);
  hybrid_case s = {0};
  op_case_begin(&s.c, reference_of(op),
                is_depthwise ? (void *)&s.depthwise : (void *)&s.conv);
  for (int i = 0; i < 2; ++i) {
    s.stride[i] = is_point ? 1 : case_between(1, 2);
    s.dilation[i] = 1;
    s.pad[i] = s.pad[i + 2] = is_point ? 0 : case_between(0, 1);
  }
  op_case_in(&s.c, TENON_F32, kind, 4, batch, h, w, ic);
  tenon_tensor *weights =
      is_depthwise ? op_case_in(&s.c, TENON_S8, CASE_USUAL, 4, 1, kh, kw, oc)
                   : op_case_in(&s.c, TENON_S8, CASE_USUAL, 4, oc, kh, kw, ic);
  add_weights(&s, weights, is_depthwise ? 3 : 0, oc, case_random());
  op_case_out(&s.c, TENON_F32, 4, batch,
              (h + 2 * (int)s.pad[0] - kh) / (int)s.stride[0] + 1,
              (w + 2 * (int)s.pad[1] - kw) / (int)s.stride[1] + 1, oc);
  const int checked =
      test_op_check(&s.c, is_depthwise ? "core::depthwise_conv" : "core::conv",
                    "f32, s8q", is_depthwise ? "depthwise" : "conv");
  op_case_end(&s.c);
  return checked;
}

static int check_product(int kind, int m, int k, int n) {
  hybrid_case s = {0};
  op_case_begin(&s.c, reference_of(&tenon_op_core_fully_connected),
                &s.fully_connected);
  op_case_in(&s.c, TENON_F32, kind, 2, m, k);
  add_weights(&s, op_case_in(&s.c, TENON_S8, CASE_USUAL, 2, n, k), 0, n,
              case_random());
  op_case_out(&s.c, TENON_F32, 2, m, n);
  const int checked =
      test_op_check(&s.c, "core::fully_connected", "f32, s8q", "product");
  op_case_end(&s.c);
  return checked;
}

static void equals_the_reference(void **state) {
  int checked = 0;
  (void)state;
  case_random_state = 1;
  for (int i = 0; i < 150; ++i) {
    const int kind = i % CASE_DATA_KINDS;
    checked += check_window(false, kind);
    checked += check_window(true, kind);
    checked += check_product(kind, case_between(1, 30), case_between(1, 300),
                             any_channels());
  }
  if (!checked) skip();
}

// 1100 products of 127 and 127 have a sum that no float may hold.
static void leaves_sums_that_are_not_exact(void **state) {
  (void)state;
  for (int k = 1000; k <= 1100; k += 100) {
    hybrid_case s = {0};
    op_case_begin(&s.c, reference_of(&tenon_op_core_fully_connected),
                  &s.fully_connected);
    op_case_in(&s.c, TENON_F32, CASE_USUAL, 2, 2, k);
    tenon_tensor *w = op_case_in(&s.c, TENON_S8, CASE_USUAL, 2, 5, k);
    memset(w->data, 127, (size_t)(5 * k));
    add_weights(&s, w, 0, 5, 0);
    op_case_out(&s.c, TENON_F32, 2, 2, 5);
    const int checked =
        test_op_check(&s.c, "core::fully_connected", "f32, s8q", "large");
    if (k == 1100) assert_int_equal(checked, 0);
    op_case_end(&s.c);
  }
}

// Sums of integers become floats at the end, rounded as the reference's.
static void rounds_sums_that_floats_do_not_hold(void **state) {
  int checked = 0;
  (void)state;
  for (uint32_t options = 0; options < 32; ++options) {
    hybrid_case s = {0};
    op_case_begin(&s.c, reference_of(&tenon_op_core_conv), &s.conv);
    for (int i = 0; i < 2; ++i)
      s.stride[i] = s.dilation[i] = 1;
    op_case_in(&s.c, TENON_F32, CASE_USUAL, 4, 2, 3, 5, 1203);
    tenon_tensor *w = op_case_in(&s.c, TENON_S8, CASE_USUAL, 4, 19, 1, 1, 1203);
    memset(w->data, 127, 19 * 1203);
    add_weights(&s, w, 0, 19, options);
    op_case_out(&s.c, TENON_F32, 4, 2, 3, 5, 19);
    checked += test_op_check(&s.c, "core::conv", "f32, s8q", "large");
    op_case_end(&s.c);
  }
  if (!checked) skip();
}

TEST_GROUP(hybrid, cmocka_unit_test(equals_the_reference),
           cmocka_unit_test(leaves_sums_that_are_not_exact),
           cmocka_unit_test(rounds_sums_that_floats_do_not_hold))
