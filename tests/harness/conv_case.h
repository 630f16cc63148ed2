// tests/harness/conv_case.h - a call of a convolution made by hand, for tests
// and benchmarks of kernels.
//
// A shape with random data becomes a tenon_call; kernels are packed and run on
// it as a program would: constants behind `packed`, scratch with rubbish in it,
// items in ranges. The input ends at an unreadable page, so that a kernel that
// reads past what a caller owns is caught; everything a kernel may write has
// guards.
#ifndef TENON_TESTS_CONV_CASE_H
#define TENON_TESTS_CONV_CASE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kern/conv.h"
#include "ops/core/core_rule.h"

enum { CASE_CONV, CASE_DEPTHWISE, CASE_FULLY_CONNECTED };
enum { CASE_GUARD = 64 };

typedef struct conv_shape {
  int op;
  bool is_float;
  int n, h, w, ic, oc, kh, kw;
  int down, right, pad[4], dil_y, dil_x;
  int groups;  // of a convolution; 0 is 1
} conv_shape;

// Data of a case: which numbers there are.
enum {
  CASE_USUAL,    // as in a network
  CASE_WIDE,     // exponents far apart; any factor
  CASE_EXTREME,  // ends of the range, infinities, subnormals
  CASE_DATA_KINDS
};

typedef struct conv_case {
  conv_shape shape;
  tenon_call call;
  tenon_tensor in[3], out[1];
  int32_t x_dims[4], w_dims[4], b_dims[1], y_dims[4];
  tenon_quant x_quant, w_quant, y_quant;
  float x_scale, y_scale, *w_scale;
  int32_t x_zero, y_zero;
  int64_t stride[2], pad[4], dilation[2];
  union {
    tenon_conv_attrs conv;
    tenon_depthwise_conv_attrs depthwise;
    tenon_fully_connected_attrs fully_connected;
  } attrs;
  unsigned char *x_page, *y_room;
  size_t x_size, y_size;
} conv_case;

static uint64_t case_random_state = 1;

static inline uint32_t case_random(void) {  // splitmix64
  uint64_t z = case_random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)((z ^ (z >> 31)) >> 32);
}

static inline int case_between(int lo, int hi) {
  return lo + (int)(case_random() % (uint32_t)(hi - lo + 1));
}

static inline float case_float(int kind) {
  uint32_t bits = case_random();
  float x = 0.0f;
  if (kind == CASE_USUAL) return (float)(int32_t)bits * 0x1p-31f;
  if (kind == CASE_WIDE)
    return ldexpf((float)(int32_t)bits, case_between(-60, 10));
  switch (case_between(0, 9)) {
    case 0:
      return bits & 1 ? -0.0f : 0.0f;
    case 1:
      return bits % 64 == 0 ? INFINITY : bits % 64 == 1 ? -INFINITY : 1.0f;
    case 2:
      bits &= 0x807fffffu;  // subnormal
      break;
    case 3:
      bits = (bits & 0x80ffffffu) | 0x1f000000u;  // products are
      break;
    case 4:
      bits = (bits & 0x807fffffu) | 0x5f000000u;  // products overflow
      break;
    default:
      return (float)case_between(-9, 9) * 0.5f;  // sums tie
  }
  memcpy(&x, &bits, 4);
  return x;
}

static inline int8_t case_s8(int kind) {
  if (kind == CASE_EXTREME)
    return (int8_t)(case_random() & 1 ? -128 : case_random() & 1 ? 127 : 0);
  return (int8_t)case_random();
}

static inline void case_tensor(tenon_tensor *t, tenon_dtype dtype,
                               const int32_t *dims, int rank, void *data,
                               const tenon_quant *quant) {
  memset(t, 0, sizeof *t);
  t->dtype = dtype;
  t->dims = dims;
  t->rank = (uint8_t)rank;
  t->data = data;
  t->quant = quant;
}

static inline size_t case_element(const conv_case *c) {
  return c->shape.is_float ? sizeof(float) : 1;
}

static inline void *case_fill(const conv_case *c, void *to, size_t count,
                              int kind) {
  for (size_t i = 0; i < count; ++i) {
    if (c->shape.is_float)
      ((float *)to)[i] = case_float(kind);
    else
      ((int8_t *)to)[i] = case_s8(kind);
  }
  return to;
}

static inline void case_dims(conv_case *c) {
  const conv_shape *s = &c->shape;
  const int y =
      (s->h + s->pad[0] + s->pad[2] - (s->kh - 1) * s->dil_y - 1) / s->down + 1;
  const int x =
      (s->w + s->pad[1] + s->pad[3] - (s->kw - 1) * s->dil_x - 1) / s->right +
      1;
  const int32_t x_dims[] = {s->n, s->h, s->w, s->ic};
  const int groups = s->groups ? s->groups : 1;
  const int32_t conv[] = {s->oc, s->kh, s->kw, s->ic / groups};
  const int32_t depthwise[] = {1, s->kh, s->kw, s->oc};
  const int32_t y_dims[] = {s->n, y, x, s->oc};
  memcpy(c->x_dims, x_dims, sizeof x_dims);
  memcpy(c->w_dims, s->op == CASE_DEPTHWISE ? depthwise : conv, sizeof conv);
  memcpy(c->y_dims, y_dims, sizeof y_dims);
  if (s->op == CASE_FULLY_CONNECTED) {  // [n, ic] x [oc, ic]
    c->x_dims[1] = c->w_dims[1] = s->ic;
    c->y_dims[1] = s->oc;
  }
  c->b_dims[0] = s->oc;
}

// The factor from sums to results: near what keeps results in range, or any.
static inline void case_quantise(conv_case *c, int kind, bool per_channel) {
  const conv_shape *s = &c->shape;
  const int taps = s->op == CASE_FULLY_CONNECTED ? s->ic
                   : s->op == CASE_DEPTHWISE     ? s->kh * s->kw
                                                 : s->kh * s->kw * s->ic;
  const int channels = per_channel ? s->oc : 1;
  c->x_zero = case_between(-128, 127);
  c->y_zero = case_between(-128, 127);
  c->x_scale = 0.02f;
  c->y_scale = 0.02f * sqrtf((float)taps) * 100;
  c->w_scale = malloc((size_t)channels * sizeof(float));
  for (int i = 0; i < channels; ++i) {
    c->w_scale[i] = 0.5f + (float)case_between(0, 1000) * 0.001f;
    if (kind == CASE_WIDE)
      c->w_scale[i] = ldexpf(c->w_scale[i], case_between(-12, 12));
    if (kind == CASE_EXTREME && case_between(0, 3) == 0)
      c->w_scale[i] = ldexpf(c->w_scale[i], case_between(-40, 0));
  }
  c->x_quant = (tenon_quant){&c->x_scale, &c->x_zero, 1, 0, 0};
  c->y_quant = (tenon_quant){&c->y_scale, &c->y_zero, 1, 0, 0};
  c->w_quant = (tenon_quant){c->w_scale, NULL, channels,
                             per_channel && s->op == CASE_DEPTHWISE ? 3 : 0, 0};
}

static inline tenon_opt_float case_limit(const conv_case *c, bool has,
                                         double real) {
  const tenon_opt_float limit = {
      c->shape.is_float ? real : real * (double)c->y_scale * 40, has};
  return limit;
}

// As converters leave channels that training has emptied: without weights, a
// tiny scale, and a bias as large as that scale makes it.
static inline void case_empty_channels(conv_case *c) {
  const size_t oc = (size_t)c->shape.oc, count = tenon_count(&c->in[1]);
  int8_t *weights = c->in[1].data;
  int32_t *bias = c->in[2].data;
  const bool is_last = c->shape.op == CASE_DEPTHWISE;
  for (size_t j = 0; j < oc; ++j) {
    if (case_random() & 1) continue;
    for (size_t i = 0; i < count; ++i)
      if ((is_last ? i % oc : i / (count / oc)) == j) weights[i] = 0;
    c->w_scale[j] = ldexpf(1.5f, case_between(-32, -10));
    bias[j] = ((1 << 30) + case_between(-128, 128)) * case_between(-1, 1);
  }
}

// Random data in x and the constants; `options` decide on bias, limits, scales
// per channel and channels without weights.
static inline void case_init(conv_case *c, const conv_shape *s, int kind,
                             uint32_t options) {
  memset(c, 0, sizeof *c);
  c->shape = *s;
  case_dims(c);
  const int rank = s->op == CASE_FULLY_CONNECTED ? 2 : 4;
  const tenon_dtype dtype = s->is_float ? TENON_F32 : TENON_S8;
  if (!s->is_float) case_quantise(c, kind, options & 1);
  case_tensor(&c->in[0], dtype, c->x_dims, rank, NULL,
              s->is_float ? NULL : &c->x_quant);
  case_tensor(&c->in[1], dtype, c->w_dims, rank, NULL,
              s->is_float ? NULL : &c->w_quant);
  case_tensor(&c->out[0], dtype, c->y_dims, rank, NULL,
              s->is_float ? NULL : &c->y_quant);

  const size_t x_count = tenon_count(&c->in[0]);
  const size_t x_size = x_count * case_element(c);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t pages = (x_size + page - 1) / page * page;
  void *x_page = NULL;
  if (posix_memalign(&x_page, page, pages + page)) abort();
  c->x_page = x_page;
  c->x_size = pages + page;
  mprotect(c->x_page + pages, page, PROT_NONE);
  c->in[0].data = case_fill(c, c->x_page + pages - x_size, x_count, kind);
  const size_t w_count = tenon_count(&c->in[1]);
  c->in[1].data =
      case_fill(c, malloc(w_count * case_element(c)), w_count, kind);
  c->y_size = tenon_count(&c->out[0]) * case_element(c);
  c->y_room = malloc(c->y_size + 2 * CASE_GUARD);
  c->out[0].data = c->y_room + CASE_GUARD;

  if (options & 2) {
    const size_t oc = (size_t)s->oc;
    void *bias = malloc(oc * 4);
    for (size_t i = 0; i < oc; ++i) {
      if (s->is_float)
        ((float *)bias)[i] = case_float(kind);
      else
        ((int32_t *)bias)[i] = kind == CASE_EXTREME ? (int32_t)case_random()
                                                    : case_between(-5000, 5000);
    }
    case_tensor(&c->in[2], s->is_float ? TENON_F32 : TENON_S32, c->b_dims, 1,
                bias, NULL);
  }
  if (!s->is_float && (options & 19) == 19) case_empty_channels(c);
  const int64_t stride[] = {s->down, s->right};
  const int64_t dilation[] = {s->dil_y, s->dil_x};
  memcpy(c->stride, stride, sizeof stride);
  memcpy(c->dilation, dilation, sizeof dilation);
  for (int i = 0; i < 4; ++i)
    c->pad[i] = s->pad[i];
  const tenon_opt_float lo = case_limit(c, options & 4, -0.5);
  const tenon_opt_float hi = case_limit(c, options & 8, 1.5);
  if (s->op == CASE_CONV) {
    tenon_conv_attrs *a = &c->attrs.conv;
    a->stride = (tenon_ints){c->stride, 2};
    a->pad = (tenon_ints){c->pad, 4};
    a->dilation = (tenon_ints){c->dilation, 2};
    a->groups = s->groups ? s->groups : 1;
    a->lo = lo, a->hi = hi;
  } else if (s->op == CASE_DEPTHWISE) {
    tenon_depthwise_conv_attrs *a = &c->attrs.depthwise;
    a->stride = (tenon_ints){c->stride, 2};
    a->pad = (tenon_ints){c->pad, 4};
    a->dilation = (tenon_ints){c->dilation, 2};
    a->lo = lo, a->hi = hi;
  } else {
    c->attrs.fully_connected.lo = lo;
    c->attrs.fully_connected.hi = hi;
  }
  c->call = (tenon_call){
      .in = c->in, .out = c->out, .attrs = &c->attrs, .n_in = 3, .n_out = 1};
}

static inline void case_deinit(conv_case *c) {
  mprotect(c->x_page, c->x_size, PROT_READ | PROT_WRITE);
  free(c->x_page);
  free(c->in[1].data);
  free(c->in[2].data);
  free(c->w_scale);
  free(c->y_room);
}

static inline const tenon_op_desc *case_op(const conv_case *c) {
  static const tenon_op_desc *const ops[] = {&tenon_op_core_conv,
                                             &tenon_op_core_depthwise_conv,
                                             &tenon_op_core_fully_connected};
  return ops[c->shape.op];
}

// The reference kernel for these types.
static inline const tenon_kernel_desc *case_reference(const conv_case *c) {
  const char *first = c->shape.is_float ? "f32, f32," : "s8q, ";
  for (const tenon_kernel_desc *const *k = case_op(c)->kernels; *k; ++k)
    if (strncmp((*k)->types, first, strlen(first)) == 0) return *k;
  return NULL;
}

// A kernel ready to run on a case.
typedef struct case_run {
  const tenon_kernel_desc *kernel;
  tenon_call call;
  tenon_tensor in[3];
  void *packed;
  unsigned char *scratch;
  size_t packed_size, scratch_size;
  int64_t items;
} case_run;

static inline void *case_aligned(size_t size) {
  void *p = NULL;
  if (posix_memalign(&p, 64, (size + 127) / 64 * 64)) abort();
  return p;
}

// `rubbish` is in whatever the kernel should not depend on.
static inline bool case_run_init(case_run *r, const conv_case *c,
                                 const tenon_kernel_desc *k, int rubbish) {
  memset(r, 0, sizeof *r);
  r->kernel = k;
  r->call = c->call;
  memcpy(r->in, c->in, sizeof r->in);
  if (k->pack) {
    r->packed_size = k->pack_size(&r->call);
    r->packed = case_aligned(r->packed_size + 64);
    memset(r->packed, rubbish, r->packed_size + 64);
    if (k->pack(&r->call, r->packed) != TENON_OK) return false;
    r->call.packed = r->packed;
  }
  r->call.in = r->in;
  for (int i = 0; i < 3; ++i)
    if (k->packs >> i & 1) r->in[i].data = NULL;
  r->items = k->items(&r->call);
  r->scratch_size = k->scratch ? k->scratch(&r->call, r->items) : 0;
  r->scratch = case_aligned(r->scratch_size + 64);
  memset(r->scratch, rubbish, r->scratch_size + 64);
  r->call.scratch = r->scratch;
  return true;
}

static inline void case_run_deinit(case_run *r) {
  free(r->packed);
  free(r->scratch);
}

#endif  // TENON_TESTS_CONV_CASE_H
