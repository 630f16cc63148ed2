// Volumes and transposed convolutions of floats as convolutions of images,
// whose kernels are fast.
//
// The layers that a volume's window covers lie side by side as channels of one
// image, or, where there are groups, are images whose results are added; where
// each channel is on its own, core::depthwise_conv3d takes them. A
// transposed convolution of stride s is one of stride 1 that gives s outputs of
// each dimension at once: output q * s + r, counted with its padding, has taps
// r, r + s, ... on inputs q, q - 1, ...; where the taps are no multiple of s,
// zeros fill up the last.
#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/nn_conv.h"

// The largest stride of a transposed convolution that is several.
enum { TENON_NN_CONV_PHASES = 4 };

// A dimension of a transposed convolution as one of stride 1.
typedef struct axis {
  int64_t stride, dilation, taps, before, behind, skip, size;
} axis;

// So many zeros before and behind dimension `at`.
static tenon_value *nn_conv_pad(tenon_rewriter *rw, tenon_value *x, int at,
                                int64_t before, int64_t behind) {
  int64_t front[TENON_MAX_RANK] = {0}, back[TENON_MAX_RANK] = {0};
  const size_t rank = (size_t)tenon_nn_rank(rw, x);
  if (before == 0 && behind == 0) return x;
  front[at] = before;
  back[at] = behind;
  return tenon_rw_op(rw, "core::pad", &x, 1,
                     TENON_ARGS(tenon_arg_ints("before", front, rank),
                                tenon_arg_ints("after", back, rank),
                                tenon_arg_float("value", 0)));
}

// [n, d, h, w, c] with the taps of dimension d as channels, which it then has
// no more.
static tenon_value *nn_conv_layers(tenon_rewriter *rw, const tenon_nn_conv *c,
                                   int64_t taps, tenon_value *x) {
  tenon_value *part[TENON_NN_CONV_LAYERS];
  x = nn_conv_pad(rw, x, 1, c->before[0], c->behind[0]);
  const int64_t reach = (taps - 1) * c->dilation[0] + 1;
  const int64_t size =
      (tenon_nn_dim(rw, x, 1).value - reach) / c->stride[0] + 1;
  for (int64_t k = 0; k < taps; ++k)
    part[k] = tenon_aten_cut(rw, x, 1, tenon_aten_fixed(k * c->dilation[0]),
                             tenon_aten_fixed(size), c->stride[0]);
  return taps == 1 ? part[0] : tenon_rw_concat(rw, part, (int)taps, 4);
}

// core::conv or core::depthwise_conv of x, [n, d, h, w, c], in each layer.
static tenon_value *nn_conv_each_layer(tenon_rewriter *rw,
                                       const tenon_nn_conv *c, tenon_value *x,
                                       tenon_value *w) {
  static const int64_t beside[] = {0, 2, 3, 1, 4}, depthwise[] = {3, 1, 2, 0};
  const tenon_dim taps = tenon_nn_dim(rw, w, 1);
  const int64_t stride[] = {c->stride[1], c->stride[2]};
  const int64_t dilation[] = {c->dilation[1], c->dilation[2]};
  const int64_t pad[] = {c->before[1], c->before[2], c->behind[1],
                         c->behind[2]};
  tenon_dim dims[5], flat[4];
  x = nn_conv_layers(rw, c, taps.value, x);
  for (int i = 0; i < 5; ++i)
    dims[i] = tenon_nn_dim(rw, x, i);
  flat[0] = tenon_aten_product(rw, dims, 2);
  for (int i = 1; i < 4; ++i)
    flat[i] = dims[i + 1];
  x = tenon_aten_reshape(rw, x, flat, 4);
  const bool is_depthwise = c->groups > 1 && tenon_aten_is(dims[4], c->groups);
  if (is_depthwise)
    x = tenon_nn_conv_repeat(rw, c, x, tenon_nn_dim(rw, w, 0).value);
  w = tenon_aten_permute(rw, w, beside, 5);
  for (int i = 0; i < 4; ++i)
    flat[i] = tenon_nn_dim(rw, w, i);
  flat[3] = tenon_aten_fixed(taps.value * tenon_nn_dim(rw, w, 4).value);
  w = tenon_aten_reshape(rw, w, flat, 4);
  if (is_depthwise) w = tenon_aten_permute(rw, w, depthwise, 4);
  tenon_value *in[] = {x, w, c->bias};
  tenon_aten_args args = {0};
  tenon_aten_add(&args, tenon_arg_ints("stride", stride, 2));
  tenon_aten_add(&args, tenon_arg_ints("pad", pad, 4));
  tenon_aten_add(&args, tenon_arg_ints("dilation", dilation, 2));
  if (!is_depthwise) tenon_aten_add(&args, tenon_arg_int("groups", c->groups));
  tenon_value *y =
      tenon_rw_op(rw, is_depthwise ? "core::depthwise_conv" : "core::conv", in,
                  c->bias ? 3 : 2, args.list);
  for (int i = 1; i < 4; ++i)
    dims[i + 1] = tenon_nn_dim(rw, y, i);
  return tenon_aten_reshape(rw, y, dims, 5);
}

// A window along the first dimension alone: images whose lines are layers.
static tenon_value *nn_conv_along(tenon_rewriter *rw, const tenon_nn_conv *c,
                                  tenon_value *x, tenon_value *w) {
  tenon_nn_conv own = *c;
  tenon_dim dims[5], flat[5], of_w[5];
  for (int i = 0; i < 5; ++i) {
    dims[i] = flat[i] = tenon_nn_dim(rw, x, i);
    of_w[i] = tenon_nn_dim(rw, w, i);
  }
  flat[1] = of_w[1];
  of_w[1] = of_w[2];
  of_w[2] = flat[1];
  flat[1] = tenon_aten_fixed(1);
  flat[2] = dims[1];
  flat[3] = tenon_aten_product(rw, dims + 2, 2);
  own.stride[1] = c->stride[0];
  own.dilation[1] = c->dilation[0];
  own.before[1] = c->before[0];
  own.behind[1] = c->behind[0];
  own.stride[0] = own.dilation[0] = 1;
  own.before[0] = own.behind[0] = 0;
  tenon_value *y =
      nn_conv_each_layer(rw, &own, tenon_aten_reshape(rw, x, flat, 5),
                         tenon_aten_reshape(rw, w, of_w, 5));
  dims[1] = tenon_nn_dim(rw, y, 2);
  dims[4] = tenon_nn_dim(rw, y, 4);
  return tenon_aten_reshape(rw, y, dims, 5);
}

// Every channel on its own.
static tenon_value *nn_conv_deep(tenon_rewriter *rw, const tenon_nn_conv *c,
                                 tenon_value *x, tenon_value *w) {
  static const int64_t last[] = {4, 1, 2, 3, 0};
  int64_t pad[6];
  for (int i = 0; i < 3; ++i) {
    pad[i] = c->before[i];
    pad[3 + i] = c->behind[i];
  }
  tenon_value *in[] = {
      tenon_nn_conv_repeat(rw, c, x, tenon_nn_dim(rw, w, 0).value),
      tenon_aten_permute(rw, w, last, 5), c->bias};
  return tenon_rw_op(rw, "core::depthwise_conv3d", in, c->bias ? 3 : 2,
                     TENON_ARGS(tenon_arg_ints("stride", c->stride, 3),
                                tenon_arg_ints("pad", pad, 6),
                                tenon_arg_ints("dilation", c->dilation, 3)));
}

// Groups, whose channels layers would come between: a convolution for each
// layer of the window, and their sum.
static tenon_value *nn_conv_sum(tenon_rewriter *rw, const tenon_nn_conv *c,
                                int64_t taps, tenon_value *x, tenon_value *w) {
  tenon_nn_conv own = *c;
  tenon_value *sum = NULL;
  bool is_flat = true;
  if (tenon_aten_is(tenon_nn_dim(rw, x, 4), c->groups))
    return nn_conv_deep(rw, c, x, w);
  for (int i = 1; i < 3; ++i)
    is_flat = is_flat && tenon_aten_is(tenon_nn_dim(rw, w, 1 + i), 1) &&
              c->stride[i] == 1 && c->before[i] == 0 && c->behind[i] == 0;
  if (is_flat) return nn_conv_along(rw, c, x, w);
  x = nn_conv_pad(rw, x, 1, c->before[0], c->behind[0]);
  const int64_t reach = (taps - 1) * c->dilation[0] + 1;
  const tenon_dim size = tenon_aten_fixed(
      (tenon_nn_dim(rw, x, 1).value - reach) / c->stride[0] + 1);
  own.stride[0] = own.dilation[0] = 1;
  own.before[0] = own.behind[0] = 0;
  for (int64_t k = 0; k < taps; ++k) {
    const tenon_dim at = tenon_aten_fixed(k * c->dilation[0]);
    tenon_value *part[] = {
        sum, nn_conv_each_layer(
                 rw, &own, tenon_aten_cut(rw, x, 1, at, size, c->stride[0]),
                 tenon_aten_cut(rw, w, 1, tenon_aten_fixed(k),
                                tenon_aten_fixed(1), 1))};
    sum = sum ? tenon_rw_op(rw, "core::add", part, 2, NULL) : part[1];
    own.bias = NULL;
  }
  return sum;
}

// --- Transposed --------------------------------------------------------------

static bool nn_conv_axis(const tenon_nn_conv *c, int i, int64_t from,
                         int64_t taps, axis *a) {
  const int64_t s = c->stride[i];
  if (s > 1 && c->dilation[i] > 1) return false;
  if (c->before[i] < 0) return false;
  a->stride = s;
  a->dilation = c->dilation[i];
  a->taps = (taps + s - 1) / s;
  const int64_t reach = (a->taps - 1) * a->dilation;
  const int64_t first = c->before[i] / s;
  a->skip = c->before[i] % s;
  a->size = (from - 1) * s + (taps - 1) * c->dilation[i] + 1 + c->more[i] -
            c->before[i] - c->behind[i];
  const int64_t turns = (a->skip + a->size + s - 1) / s;
  a->before = reach - first;
  a->behind = turns - from - a->before + reach;
  return a->size > 0 && a->before >= 0 && a->behind >= 0;
}

// [ic, oc / groups, kd, kh, kw] as weights of a convolution with as many times
// the outputs as there are strides: [groups, sd, sh, sw, oc / groups] of them.
static tenon_value *nn_conv_turn(tenon_rewriter *rw, const tenon_nn_conv *c,
                                 const axis *a, tenon_value *w) {
  const int64_t inputs = tenon_nn_dim(rw, w, 0).value / c->groups;
  const int64_t outputs = tenon_nn_dim(rw, w, 1).value;
  int64_t times = 1;
  for (int i = 0; i < 3; ++i) {
    const int64_t taps = tenon_nn_dim(rw, w, 2 + i).value;
    w = nn_conv_pad(rw, w, 2 + i, 0, a[i].taps * a[i].stride - taps);
    times *= a[i].stride;
  }
  // A dimension after the other, so that none has more than TENON_MAX_RANK:
  // [m, ..., taps * s, ...] to [m * s, ..., taps, ...].
  tenon_dim dims[6] = {tenon_aten_fixed(c->groups), tenon_aten_fixed(inputs),
                       tenon_aten_fixed(outputs)};
  for (int i = 0; i < 3; ++i)
    dims[3 + i] = tenon_nn_dim(rw, w, 2 + i);
  static const int64_t out_last[] = {0, 3, 4, 5, 1, 2};
  w = tenon_aten_reshape(rw, w, dims, 6);
  // [g, d, h, w, i, o], and the strides before o, the innermost last.
  w = tenon_aten_permute(rw, w, out_last, 6);
  int64_t split = outputs;
  for (int i = 2; i >= 0; --i) {
    const int at = 1 + i;
    tenon_dim cut[7], joined[6];
    int64_t order[7];
    for (int d = 0; d < 6; ++d)
      joined[d] = tenon_nn_dim(rw, w, d);
    for (int d = 0; d < 7; ++d)
      cut[d] = d <= at ? joined[d] : joined[d - 1];
    cut[at] = tenon_aten_fixed(a[i].taps);
    cut[at + 1] = tenon_aten_fixed(a[i].stride);
    int to = 0;
    for (int d = 0; d < 7; ++d)
      if (d != at + 1 && d != 6) order[to++] = d;
    order[5] = at + 1;
    order[6] = 6;
    split *= a[i].stride;
    joined[at] = cut[at];
    joined[5] = tenon_aten_fixed(split);
    w = tenon_aten_reshape(rw, w, cut, 7);
    w = tenon_aten_permute(rw, w, order, 7);
    w = tenon_aten_reshape(rw, w, joined, 6);
    w = tenon_aten_flip(rw, w, at);
  }
  static const int64_t out_first[] = {0, 5, 1, 2, 3, 4};
  w = tenon_aten_permute(rw, w, out_first, 6);
  const tenon_dim all[5] = {
      tenon_aten_fixed(c->groups * times * outputs),
      tenon_aten_fixed(a[0].taps), tenon_aten_fixed(a[1].taps),
      tenon_aten_fixed(a[2].taps), tenon_aten_fixed(inputs)};
  return tenon_aten_reshape(rw, w, all, 5);
}

// A bias for each of those outputs.
static tenon_value *nn_conv_bias(tenon_rewriter *rw, const tenon_nn_conv *c,
                                 int64_t times) {
  const int64_t outputs = tenon_nn_dim(rw, c->bias, 0).value / c->groups;
  const tenon_dim beside[] = {tenon_aten_fixed(c->groups), tenon_aten_fixed(1),
                              tenon_aten_fixed(outputs)};
  const tenon_dim each[] = {beside[0], tenon_aten_fixed(times), beside[2]};
  const tenon_dim all = tenon_aten_fixed(c->groups * times * outputs);
  tenon_value *y = tenon_aten_reshape(rw, c->bias, beside, 3);
  return tenon_aten_reshape(rw, tenon_aten_expand(rw, y, each, 3), &all, 1);
}

// [n, d, h, w, groups * strides * oc / groups] as [n, d * sd, h * sh, w * sw,
// oc], a stride after the other; of one group, the last is where it belongs.
static tenon_value *nn_conv_spread_out(tenon_rewriter *rw,
                                       const tenon_nn_conv *c, const axis *a,
                                       tenon_value *y) {
  static const int64_t order[] = {0, 3, 1, 2, 4};
  tenon_dim dims[5];
  for (int i = 0; i < 5; ++i)
    dims[i] = tenon_nn_dim(rw, y, i);
  for (int i = 0; i < 3; ++i) {
    const int64_t s = a[i].stride, rest = dims[4].value / c->groups / s;
    const tenon_dim cut[] = {tenon_aten_product(rw, dims, 2 + i),
                             tenon_aten_product(rw, dims + 2 + i, 2 - i),
                             tenon_aten_fixed(c->groups), tenon_aten_fixed(s),
                             tenon_aten_fixed(rest)};
    if (s == 1) continue;
    y = tenon_aten_permute(rw, tenon_aten_reshape(rw, y, cut, 5), order, 5);
    dims[1 + i] = tenon_aten_fixed(dims[1 + i].value * s);
    dims[4] = tenon_aten_fixed(c->groups * rest);
    y = tenon_aten_reshape(rw, y, dims, 5);
  }
  for (int i = 0; i < 3; ++i)
    y = tenon_aten_cut(rw, y, 1 + i, tenon_aten_fixed(a[i].skip),
                       tenon_aten_fixed(a[i].size), 1);
  return y;
}

// --- A convolution for each phase --------------------------------------------

// Outputs q * s + r of a dimension have taps t, t + s, ... alone: as many
// convolutions as there are r, each without the zeros that fill up taps, and
// without outputs that are cut off.
typedef struct phases {
  axis at[TENON_NN_CONV_PHASES];  // `skip`: the first tap
  int64_t n, turns;
} phases;

static bool nn_conv_phases_of(const tenon_nn_conv *c, int i, int64_t from,
                              int64_t taps, const axis *a, phases *p) {
  const int64_t s = c->stride[i];
  p->n = s;
  p->turns = (a->size + s - 1) / s;
  p->at[0] = *a;
  if (s == 1) return true;
  if (s > TENON_NN_CONV_PHASES || taps < s) return false;
  for (int64_t r = 0; r < s; ++r) {
    axis *one = &p->at[r];
    one->stride = s;
    one->dilation = 1;
    one->skip = (r + c->before[i]) % s;
    one->taps = (taps - one->skip + s - 1) / s;
    one->before = one->taps - 1 - (r + c->before[i]) / s;
    one->behind = p->turns - from - one->before + one->taps - 1;
    if (one->before < 0 || one->behind < 0) return false;
  }
  return true;
}

// Whether that is less work than one convolution with all outputs, by the
// registers of outputs.
static bool nn_conv_phases_pay(const axis *a, const phases *p,
                               const int64_t *taps, int64_t outputs) {
  enum { LANES = 16 };
  int64_t apart = 1, at_once = 1, times = 1;
  for (int i = 0; i < 3; ++i) {
    apart *= taps[i] * p[i].turns;
    at_once *=
        a[i].taps * ((a[i].skip + a[i].size + a[i].stride - 1) / a[i].stride);
    times *= a[i].stride;
  }
  apart *= (outputs + LANES - 1) / LANES;
  at_once *= (times * outputs + LANES - 1) / LANES;
  return times > 1 && 8 * apart < 7 * at_once;
}

// Taps of [ic, oc, kd, kh, kw] that a phase has, as weights of a convolution.
static tenon_value *nn_conv_phase_weights(tenon_rewriter *rw,
                                          const axis *const *a,
                                          tenon_value *w) {
  static const int64_t out_first[] = {1, 2, 3, 4, 0};
  for (int i = 0; i < 3; ++i) {
    if (a[i]->stride > 1)
      w = tenon_aten_cut(rw, w, 2 + i, tenon_aten_fixed(a[i]->skip),
                         tenon_aten_fixed(a[i]->taps), a[i]->stride);
    w = tenon_aten_flip(rw, w, 2 + i);
  }
  return tenon_aten_permute(rw, w, out_first, 5);
}

// [rh * rw, n, d, h, w, oc] to [n, d, h * rh, w * rw, oc], cut to its sizes.
static tenon_value *nn_conv_phases_join(tenon_rewriter *rw, const axis *a,
                                        const phases *p, tenon_value *y) {
  static const int64_t order[] = {2, 3, 4, 0, 5, 1, 6};
  tenon_dim dims[7], joined[5];
  dims[0] = tenon_aten_fixed(p[1].n);
  dims[1] = tenon_aten_fixed(p[2].n);
  for (int i = 0; i < 5; ++i)
    dims[2 + i] = joined[i] = tenon_nn_dim(rw, y, 1 + i);
  y = tenon_aten_permute(rw, tenon_aten_reshape(rw, y, dims, 7), order, 7);
  for (int i = 1; i < 3; ++i)
    joined[1 + i] = tenon_aten_fixed(p[i].turns * p[i].n);
  y = tenon_aten_reshape(rw, y, joined, 5);
  for (int i = 1; i < 3; ++i)
    y = tenon_aten_cut(rw, y, 1 + i, tenon_aten_fixed(0),
                       tenon_aten_fixed(a[i].size), 1);
  return y;
}

// Null: one convolution is as good. Of the first dimension there is one phase.
static tenon_value *nn_conv_phases(tenon_rewriter *rw, const tenon_nn_conv *c,
                                   const axis *a, tenon_value *x,
                                   tenon_value *w) {
  tenon_value *part[TENON_NN_CONV_PHASES * TENON_NN_CONV_PHASES];
  tenon_dim dims[6];
  int64_t taps[3];
  phases p[3];
  int n = 0;
  for (int i = 0; i < 3; ++i) {
    taps[i] = tenon_nn_dim(rw, w, 2 + i).value;
    if (!nn_conv_phases_of(c, i, tenon_nn_dim(rw, x, 1 + i).value, taps[i],
                           &a[i], &p[i]))
      return NULL;
  }
  if (c->groups > 1 || p[0].n > 1 ||
      !nn_conv_phases_pay(a, p, taps, tenon_nn_dim(rw, w, 1).value))
    return NULL;
  for (int64_t h = 0; h < p[1].n; ++h) {
    for (int64_t v = 0; v < p[2].n; ++v) {
      const axis *at[] = {&p[0].at[0], &p[1].at[h], &p[2].at[v]};
      tenon_nn_conv own = *c;
      for (int i = 0; i < 3; ++i) {
        own.stride[i] = 1;
        own.dilation[i] = at[i]->dilation;
        own.before[i] = at[i]->before;
        own.behind[i] = at[i]->behind;
      }
      tenon_value *y =
          nn_conv_each_layer(rw, &own, x, nn_conv_phase_weights(rw, at, w));
      dims[0] = tenon_aten_fixed(1);
      for (int i = 0; i < 5; ++i)
        dims[1 + i] = tenon_nn_dim(rw, y, i);
      part[n++] = tenon_aten_reshape(rw, y, dims, 6);
    }
  }
  return nn_conv_phases_join(rw, a, p, tenon_rw_concat(rw, part, n, 0));
}

static tenon_value *nn_conv_transposed(tenon_rewriter *rw,
                                       const tenon_nn_conv *c, tenon_value *x,
                                       tenon_value *w) {
  axis a[3];
  tenon_nn_conv own = *c;
  for (int i = 0; i < 3; ++i) {
    if (!nn_conv_axis(c, i, tenon_nn_dim(rw, x, 1 + i).value,
                      tenon_nn_dim(rw, w, 2 + i).value, &a[i]))
      return NULL;
    own.stride[i] = 1;
    own.dilation[i] = a[i].dilation;
    own.before[i] = a[i].before;
    own.behind[i] = a[i].behind;
  }
  if (a[0].taps > TENON_NN_CONV_LAYERS || (a[0].taps > 1 && c->groups > 1))
    return NULL;
  tenon_value *apart = nn_conv_phases(rw, c, a, x, w);
  if (apart) return apart;
  if (c->bias)
    own.bias = nn_conv_bias(rw, c, a[0].stride * a[1].stride * a[2].stride);
  tenon_value *y = nn_conv_each_layer(rw, &own, x, nn_conv_turn(rw, c, a, w));
  return nn_conv_spread_out(rw, c, a, y);
}

// Weights that are computed may come from integers, of which pass `lower` makes
// other convolutions.
tenon_value *tenon_nn_conv_images(tenon_rewriter *rw, const tenon_nn_conv *c,
                                  tenon_value *x, tenon_value *w) {
  if (tenon_nn_type(rw, x) != TENON_F32 || !c->is_known) return NULL;
  for (int i = 1; i < 5; ++i)
    if (tenon_nn_dim(rw, x, i).symbol || tenon_nn_dim(rw, x, i).value < 1)
      return NULL;
  for (int i = 0; i < 5; ++i)
    if (tenon_nn_dim(rw, w, i).value < 1) return NULL;
  if (c->is_transposed) return nn_conv_transposed(rw, c, x, w);
  const int64_t taps = tenon_nn_dim(rw, w, 1).value;
  const int64_t reach = (taps - 1) * c->dilation[0] + 1;
  if (taps > TENON_NN_CONV_LAYERS ||
      tenon_nn_dim(rw, x, 1).value + c->before[0] + c->behind[0] < reach)
    return NULL;
  if (taps > 1 && c->groups > 1) return nn_conv_sum(rw, c, taps, x, w);
  return nn_conv_each_layer(rw, c, x, w);
}
