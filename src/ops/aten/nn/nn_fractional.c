// fractional_max_pool2d and 3d, whose windows begin where samples say.
//
// How: the places of all elements of all windows are computed like any other
// tensor, in the type in which PyTorch rounds them; the elements are gathered
// there and the first largest one of each window is taken, or the last NaN.
#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

typedef struct pool {
  tenon_rewriter *rw;
  tenon_value *samples;  // [planes, n]
  tenon_dtype type;
  tenon_dim planes;
  int n;  // dimensions of a plane
  int64_t size[3], window[3], count[3];
} pool;

// Where windows begin along dimension d: [planes, count].
static tenon_value *begins(const pool *p, int d) {
  tenon_rewriter *rw = p->rw;
  // Samples of planes begin with x, those of volumes with the first dimension.
  const int at = p->n == 2 ? 1 - d : d;
  const int64_t rest = p->size[d] - p->window[d], more = p->count[d] - 1;
  const tenon_dim dims[] = {p->planes, tenon_aten_fixed(1)};
  tenon_value *parts[2] = {
      NULL, tenon_nn_filled(rw, TENON_S64, dims, 2, (double)rest)};
  if (more == 0) return parts[1];
  tenon_value *sample =
      tenon_nn_cut(rw, p->samples, 1, at, tenon_aten_fixed(1));
  parts[0] = tenon_aten_formula(
      rw,
      "i u rest #more: a = rest / more;"
      "cast((like(i, u) + u) * a, dtype=s64) - cast(u * a, dtype=s64)",
      tenon_aten_ramp(rw, TENON_S64, tenon_aten_fixed(more)), sample,
      tenon_aten_real(rw, p->type, (double)rest), (double)more);
  return tenon_rw_concat(rw, parts, 2, 1);
}

// Places in a plane: [planes, windows, elements of a window].
static tenon_value *fractional_places(const pool *p) {
  tenon_rewriter *rw = p->rw;
  tenon_value *all = NULL;
  tenon_dim flat[] = {p->planes, tenon_aten_fixed(1), tenon_aten_fixed(1)};
  for (int d = 0; d < p->n; ++d) {
    tenon_dim dims[7];
    const int rank = 1 + 2 * p->n;
    for (int k = 0; k < rank; ++k)
      dims[k] = tenon_aten_fixed(1);
    dims[0] = p->planes;
    dims[1 + d] = tenon_aten_fixed(p->count[d]);
    tenon_value *at = tenon_aten_reshape(rw, begins(p, d), dims, rank);
    dims[0] = dims[1 + d] = tenon_aten_fixed(1);
    dims[1 + p->n + d] = tenon_aten_fixed(p->window[d]);
    all = tenon_aten_formula(
        rw, "all at in #size: a = at + in; if(has(all), all * size + a, a)",
        all, at,
        tenon_aten_reshape(
            rw, tenon_aten_ramp(rw, TENON_S64, tenon_aten_fixed(p->window[d])),
            dims, rank),
        (double)p->size[d]);
    flat[1].value *= p->count[d];
    flat[2].value *= p->window[d];
  }
  return tenon_aten_reshape(rw, all, flat, 3);
}

// The place in its window of the first largest element, or of the last NaN.
static tenon_value *fractional_largest(tenon_rewriter *rw, tenon_value *x,
                                       int64_t count) {
  tenon_value *at = tenon_aten_reduce(rw, "core::argmax", x, 1u << 2, true);
  tenon_value *bad =
      tenon_aten_flip(rw, tenon_aten_formula(rw, "x: s32(isnan(x))", x), 2);
  return tenon_aten_formula(
      rw,
      "x at bad #last:"
      "isnan(gather(x, at, 2)) ? last - argmax(bad, 4, 1) : at",
      x, at, bad, (double)(count - 1));
}

static tenon_status read(const tenon_node *n, pool *p, tenon_value *x) {
  tenon_rewriter *rw = p->rw;
  const tenon_type *t = tenon_aten_known(rw, x);
  const int front = t->rank - p->n;
  if (front < 1 || front > 2)
    return tenon_rw_fail(rw, "%d dimensions", t->rank);
  TENON_TRY(tenon_nn_ints(rw, n, "kernel_size", p->n, 1, p->window));
  TENON_TRY(tenon_nn_ints(rw, n, "output_size", p->n, 1, p->count));
  for (int d = 0; d < p->n; ++d) {
    const tenon_dim size = t->dims[front + d];
    p->size[d] = size.value;
    if (size.symbol) return tenon_rw_fail(rw, "planes of open sizes");
    // In volumes PyTorch wants one element more.
    if (p->window[d] < 1 || p->count[d] < 1 ||
        p->count[d] + p->window[d] - (p->n == 2) > p->size[d])
      return tenon_rw_fail(rw, "%lld windows of %lld in a size of %lld",
                           (long long)p->count[d], (long long)p->window[d],
                           (long long)p->size[d]);
  }
  p->planes = tenon_aten_product(rw, t->dims, front);
  return TENON_OK;
}

TENON_ATEN_LOWER(fractional_max_pool) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *samples = tenon_aten_in(rw, n, 1);
  pool p = {.rw = rw, .type = tenon_nn_type(rw, x)};
  p.n = tenon_aten_user(rw)[0] - '0';
  TENON_TRY(tenon_nn_need_float(rw, x));
  TENON_TRY(read(n, &p, x));
  if (tenon_nn_type(rw, samples) != p.type)
    return tenon_rw_fail(rw, "samples of %s for elements of %s",
                         tenon_dtype_name(tenon_nn_type(rw, samples)),
                         tenon_dtype_name(p.type));
  const tenon_dim line[] = {p.planes, tenon_aten_fixed(p.n)};
  p.samples = tenon_aten_reshape(rw, samples, line, 2);
  int64_t size = 1, count = 1, windows = 1;
  for (int d = 0; d < p.n; ++d) {
    size *= p.size[d];
    count *= p.window[d];
    windows *= p.count[d];
  }
  const tenon_dim plane[] = {p.planes, tenon_aten_fixed(size)},
                  flat[] = {p.planes, tenon_aten_fixed(windows * count)},
                  each[] = {p.planes, tenon_aten_fixed(windows),
                            tenon_aten_fixed(count)};
  tenon_value *index = fractional_places(&p);
  x = tenon_nn_wide(rw, x);
  x = tenon_aten_gather(rw, tenon_aten_reshape(rw, x, plane, 2),
                        tenon_aten_reshape(rw, index, flat, 2), 1);
  x = tenon_aten_reshape(rw, x, each, 3);
  tenon_value *at = fractional_largest(rw, x, count);
  tenon_value *y[] = {tenon_aten_gather(rw, x, at, 2),
                      tenon_aten_gather(rw, index, at, 2)};
  return tenon_nn_give_all(rw, n, y, 2);
}
