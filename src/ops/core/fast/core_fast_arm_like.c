// core_fast_arm_like.c - kernels on Cortex-M that take what the reference
// kernels take, and read what these pack.
#include "kern/op/softmax.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/fast/core_fast_like.h"

#include "ops/core/fast/core_fast_arm.h"

#define TYPES_S8 "s8q, s8q|s8qc, s32|s32q|s32qc? -> s8q"

LIKE_REFERENCE(conv_transpose3d_s8)
// Unlike the reference only without a zero point of the weights.
static bool conv_transpose3d_symmetric(const tenon_call *c) {
  return conv_transpose3d_s8_match(c) &&
         tenon_core_match_weights(&c->in[1], 0, false);
}
CORE_KERNEL(conv_transpose3d_s8_mve) = {
    CORE_ARM(conv_transpose3d_s8, mve, conv_transpose3d_s8_items),
    .op = "core::conv_transpose3d",
    .types = TYPES_S8,
    .match = conv_transpose3d_symmetric,
    .pack_size = conv_transpose3d_s8_size,
    .pack = conv_transpose3d_s8_pack};
LIKE_REFERENCE(matmul_s8)
CORE_KERNEL(matmul_s8_mve) = {CORE_ARM(matmul_s8, mve, matmul_s8_items),
                              .op = "core::matmul", .types = "s8q, s8q -> s8q",
                              LIKE_REFERENCE_MEMBERS(matmul_s8)};

// It packs nothing.
extern CORE_KERNEL(resize_bilinear_s8_ref);
LIKE_FUNCTION(resize_bilinear_s8, int64_t, items)
#define RESIZE(feature)                                                \
  CORE_KERNEL(resize_bilinear_s8_##feature) = {                        \
      CORE_ARM(resize_bilinear_s8, feature, resize_bilinear_s8_items), \
      .op = "core::resize_bilinear", .types = "s8q -> s8q"}
RESIZE(dsp);
RESIZE(mve);

// Elements of a row are neighbours, and so few that their sum fits.
enum { MOST_OF_A_ROW = 4095 };
LIKE_REFERENCE(softmax_s8)
static bool softmax_s8_is_near(const tenon_call *c) {
  const tenon_softmax_attrs *a = c->attrs;
  if (!tenon_core_is_known(&c->in[0])) return false;
  const tenon_rows r = tenon_rows_of(&c->in[0], a->axis);
  return r.step == 1 && r.count <= MOST_OF_A_ROW && softmax_s8_match(c);
}
#define SOFTMAX(feature)                               \
  CORE_KERNEL(softmax_s8_##feature) = {                \
      CORE_ARM(softmax_s8, feature, softmax_s8_items), \
      .op = "core::softmax",                           \
      .types = "s8q -> s8q",                           \
      .match = softmax_s8_is_near,                     \
      .in_place = TENON_IN_PLACE(0, 0),                \
      .pack_version = 1,                               \
      .pack_size = softmax_s8_size,                    \
      .pack = softmax_s8_pack}
SOFTMAX(dsp);
SOFTMAX(mve);

LIKE_REFERENCE(lstm_integer)
LIKE_SCRATCH(lstm_integer)
#define LSTM(feature)                                               \
  CORE_KERNEL(lstm_integer_##feature) = {                           \
      CORE_ARM(lstm_integer, feature, lstm_integer_items),          \
      .op = "core::lstm_integer",                                   \
      .types =                                                      \
          "s8q, s8q?, s8q, s8q, s8q, s8q?, s8q, s8q, s8q, s16q?, "  \
          "s16q?, s16q?, s32|s32q?, s32|s32q, s32|s32q, s32|s32q, " \
          "s8q?, s32|s32q?, s8q, s16q, s16q?, s16q?, s16q?, s16q? " \
          "-> s8q, s8q, s16q",                                      \
      .scratch = lstm_integer_scratch, LIKE_REFERENCE_MEMBERS(lstm_integer)}
LSTM(dsp);
LSTM(mve);

#define LSTM_TFLM(t, feature, x, b)                                           \
  CORE_KERNEL(lstm_tflm_##t##_##feature) = {                                  \
      CORE_ARM(lstm_tflm_##t, feature, lstm_tflm_##t##_items),                \
      .op = "core::lstm_tflm",                                                \
      .types = x ", s8q, s8q, s8q, s8q, s8q, s8q, s8q, s8q, " b ", " b ", " b \
                 ", " b ", " x ", s16q -> " x ", " x ", s16q",                \
      .match = lstm_tflm_##t##_known,                                         \
      .pack_size = lstm_tflm_##t##_size,                                      \
      .pack = lstm_tflm_##t##_pack,                                           \
      .scratch = lstm_tflm_##t##_scratch}
#define LSTM_TFLM_OF(t, x, b)                                   \
  LIKE_REFERENCE(lstm_tflm_##t)                                 \
  static bool lstm_tflm_##t##_known(const tenon_call *c) {      \
    return is_not_empty(&c->in[1]) && lstm_tflm_##t##_match(c); \
  }                                                             \
  LIKE_SCRATCH(lstm_tflm_##t)                                   \
  LSTM_TFLM(t, dsp, x, b);                                      \
  LSTM_TFLM(t, mve, x, b)
// Its size is known, too.
static bool is_not_empty(const tenon_tensor *w) {
  return w->dims[0] > 0 && w->dims[1] > 0;
}
LSTM_TFLM_OF(s8, "s8q", "s32|s32q");
LSTM_TFLM_OF(s16, "s16q", "s64|s64q");
