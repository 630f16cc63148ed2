// Fourier transforms of windows of signals, and back.
#include <math.h>
#include <string.h>

#include "ops/aten/complex/complex_fourier.h"
#include "ops/aten/nn/aten_nn.h"

typedef struct stft {
  int64_t size, hop;
  tenon_value *window;  // [size], or null: ones
  double scale;
  bool half;
} stft;

// A shorter window stands in the middle.
static tenon_status stft_read(tenon_rewriter *rw, const tenon_node *n,
                              tenon_value *window, stft *s) {
  s->size = tenon_aten_int(rw, n, "n_fft");
  s->hop = tenon_aten_has(rw, n, "hop_length")
               ? tenon_aten_int(rw, n, "hop_length")
               : s->size / 4;
  int64_t length = tenon_aten_has(rw, n, "win_length")
                       ? tenon_aten_int(rw, n, "win_length")
                       : s->size;
  if (s->size < 1 || s->hop < 1 || length < 1 || length > s->size)
    return tenon_rw_fail(rw, "windows of %lld of %lld, %lld apart",
                         (long long)length, (long long)s->size,
                         (long long)s->hop);
  if (window && tenon_aten_known(rw, window)->dtype != TENON_F32)
    return tenon_rw_fail(rw, "the window is no tensor of f32");
  if (!window && length < s->size) {
    const tenon_dim dims[] = {tenon_aten_fixed(length)};
    window = tenon_nn_filled(rw, TENON_F32, dims, 1, 1);
  }
  if (window && length < s->size) {
    const int64_t before[] = {(s->size - length) / 2};
    const int64_t after[] = {s->size - length - before[0]};
    window = tenon_rw_op(rw, "core::pad", &window, 1,
                         TENON_ARGS(tenon_arg_ints("before", before, 1),
                                    tenon_arg_ints("after", after, 1)));
  }
  s->window = window;
  s->scale =
      tenon_aten_bool(rw, n, "normalized") ? 1 / sqrt((double)s->size) : 1;
  return TENON_OK;
}

// [b, n] with what is around it.
static tenon_value *stft_centred(tenon_rewriter *rw, const tenon_node *n,
                                 const stft *s, tenon_value *x) {
  const int64_t by[] = {s->size / 2, s->size / 2};
  tenon_type t = *tenon_aten_known(rw, x);
  tenon_dim dims[TENON_MAX_RANK];
  (void)tenon_aten_dims_of(rw, x, dims);
  dims[1] = tenon_aten_plus(rw, dims[1], tenon_aten_fixed(2 * by[0]));
  t.dims = dims;
  return tenon_aten_make(
      rw, "aten::pad", &x, 1,
      TENON_ARGS(tenon_arg_ints("pad", by, 2),
                 tenon_arg_str("mode", tenon_aten_str(rw, n, "pad_mode"))),
      &t);
}

TENON_ATEN_LOWER(stft) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_aten_known(rw, x);
  const bool is_one = t->rank == 1;
  tenon_dim dims[3], steps[3];
  stft s = {0};
  TENON_TRY(stft_read(rw, n, tenon_aten_in(rw, n, 1), &s));
  if (t->dtype != TENON_F32)
    return tenon_rw_fail(rw, "transforms of '%s' are not supported",
                         tenon_dtype_name(t->dtype));
  if (t->rank < 1 || t->rank > 2)
    return tenon_rw_fail(rw, "a signal of %d dimensions", t->rank);
  if (tenon_aten_has(rw, n, "align_to_window") &&
      tenon_aten_bool(rw, n, "align_to_window"))
    return tenon_rw_fail(rw, "align_to_window is not supported");
  s.half =
      !tenon_aten_has(rw, n, "onesided") || tenon_aten_bool(rw, n, "onesided");
  if (is_one) x = tenon_aten_unsqueeze(rw, x, 0);
  if (strstr(rw->api->op(rw, n), ".center") && tenon_aten_bool(rw, n, "center"))
    x = stft_centred(rw, n, &s, x);
  (void)tenon_aten_dims_of(rw, x, dims);
  tenon_aten_steps(rw, x, steps);
  steps[2] = tenon_aten_fixed(1);
  steps[1] = tenon_aten_fixed(s.hop);
  dims[1] =
      rw->api->dim(rw, TENON_DIM_DIV,
                   tenon_aten_plus(rw, dims[1], tenon_aten_fixed(-s.size)),
                   tenon_aten_fixed(s.hop));
  dims[1] = tenon_aten_plus(rw, dims[1], tenon_aten_fixed(1));
  dims[2] = tenon_aten_fixed(s.size);
  x = tenon_aten_window(rw, x, dims, steps, 3, tenon_aten_fixed(0));
  if (s.window) x = tenon_rw_op2(rw, "core::mul", x, s.window);
  tenon_parts z =
      tenon_fourier_rows(rw, tenon_parts_of(x, NULL), false, s.half, s.scale);
  z.re = tenon_nn_swap(rw, z.re, 1, 2);
  z.im = tenon_nn_swap(rw, z.im, 1, 2);
  if (is_one) {
    z.re = tenon_aten_squeeze(rw, z.re, 0);
    z.im = tenon_aten_squeeze(rw, z.im, 0);
  }
  (void)tenon_aten_has(rw, n, "return_complex");
  (void)tenon_aten_bool(rw, n, "return_complex");
  if (tenon_aten_result(rw, n, 0)->dtype == TENON_C64)
    return tenon_parts_give(rw, n, z);
  const int rank = tenon_aten_known(rw, z.re)->rank;
  tenon_value *both[] = {tenon_aten_unsqueeze(rw, z.re, rank),
                         tenon_aten_unsqueeze(rw, z.im, rank)};
  return tenon_rw_replace(rw, n, tenon_rw_concat(rw, both, 2, rank));
}

// --- Back --------------------------------------------------------------------

// Windows [b, frames, size] added up where they overlap: [b, length].
static tenon_value *overlapped(tenon_rewriter *rw, const stft *s,
                               tenon_value *x, int64_t length) {
  tenon_dim dims[TENON_MAX_RANK];
  const int64_t out[] = {1, length}, window[] = {1, s->size}, one[] = {1, 1};
  const int64_t none[] = {0, 0}, step[] = {1, s->hop};
  x = tenon_nn_swap(rw, x, 1, 2);
  (void)tenon_aten_dims_of(rw, x, dims);
  const tenon_dim to[] = {dims[0], tenon_aten_fixed(1), tenon_aten_fixed(1),
                          tenon_aten_fixed(length)};
  const tenon_type t = {.dims = to, .dtype = TENON_F32, .rank = 4};
  x = tenon_aten_make(rw, "aten::col2im", &x, 1,
                      TENON_ARGS(tenon_arg_ints("output_size", out, 2),
                                 tenon_arg_ints("kernel_size", window, 2),
                                 tenon_arg_ints("dilation", one, 2),
                                 tenon_arg_ints("padding", none, 2),
                                 tenon_arg_ints("stride", step, 2)),
                      &t);
  const tenon_dim flat[] = {dims[0], tenon_aten_fixed(length)};
  return tenon_aten_reshape(rw, x, flat, 2);
}

// Divided by the squares of the windows, added up in the same way.
static tenon_value *istft_signal(tenon_rewriter *rw, const stft *s,
                                 tenon_value *x, int64_t frames,
                                 int64_t length) {
  const tenon_dim dims[] = {tenon_aten_fixed(1), tenon_aten_fixed(frames),
                            tenon_aten_fixed(s->size)};
  tenon_value *w = s->window
                       ? tenon_rw_op2(rw, "core::mul", s->window, s->window)
                       : tenon_rw_scalar(rw, TENON_F32, 1);
  if (s->window) x = tenon_rw_op2(rw, "core::mul", x, s->window);
  w = overlapped(rw, s, tenon_aten_expand(rw, w, dims, 3), length);
  return tenon_rw_op2(rw, "core::div", overlapped(rw, s, x, length), w);
}

TENON_ATEN_LOWER(istft) {
  tenon_parts z = tenon_parts_in(rw, n, 0);
  stft s = {0};
  TENON_TRY(stft_read(rw, n, tenon_aten_in(rw, n, 1), &s));
  const tenon_type *t = tenon_aten_known(rw, z.re);
  const bool is_one = t->rank == 2, centred = tenon_aten_bool(rw, n, "center");
  if (t->rank < 2 || t->rank > 3)
    return tenon_rw_fail(rw, "transforms of %d dimensions", t->rank);
  if (tenon_aten_bool(rw, n, "return_complex"))
    return tenon_rw_fail(rw, "a complex signal is not supported");
  const tenon_dim many = t->dims[t->rank - 1], rows = t->dims[t->rank - 2];
  const int64_t half = s.size / 2 + 1;
  s.half = tenon_aten_has(rw, n, "onesided")
               ? tenon_aten_bool(rw, n, "onesided")
               : tenon_aten_is(rows, half);
  if (many.symbol || !tenon_aten_is(rows, s.half ? half : s.size))
    return tenon_rw_fail(rw,
                         "how many transforms there are, and their size, "
                         "have to be known");
  if (is_one) {
    z.re = tenon_aten_unsqueeze(rw, z.re, 0);
    if (z.im) z.im = tenon_aten_unsqueeze(rw, z.im, 0);
  }
  z.re = tenon_nn_swap(rw, z.re, 1, 2);
  if (z.im) z.im = tenon_nn_swap(rw, z.im, 1, 2);
  const double scale = 1 / ((double)s.size * s.scale);
  tenon_value *x =
      s.half ? tenon_fourier_real_rows(rw, z, tenon_aten_fixed(s.size), scale)
             : tenon_fourier_rows(rw, z, true, false, scale).re;
  const int64_t whole = s.size + s.hop * (many.value - 1);
  const int64_t begin = centred ? s.size / 2 : 0;
  const int64_t left = whole - begin;
  const int64_t wanted = tenon_aten_has(rw, n, "length")
                             ? tenon_aten_int(rw, n, "length")
                             : left - begin;
  if (wanted < 1 || left < 1)
    return tenon_rw_fail(rw, "a signal of %lld", (long long)wanted);
  x = istft_signal(rw, &s, x, many.value, whole);
  x = tenon_nn_cut(rw, x, 1, begin,
                   tenon_aten_fixed(wanted < left ? wanted : left));
  if (wanted > left) {
    const int64_t before[] = {0, 0}, after[] = {0, wanted - left};
    x = tenon_rw_op(rw, "core::pad", &x, 1,
                    TENON_ARGS(tenon_arg_ints("before", before, 2),
                               tenon_arg_ints("after", after, 2)));
  }
  return tenon_rw_replace(rw, n, is_one ? tenon_aten_squeeze(rw, x, 0) : x);
}
