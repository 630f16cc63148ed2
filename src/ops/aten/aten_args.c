// How: the rewriter is asked for each by name, so that it knows which ones a
// lowering has looked at: these operators are TENON_OP_ASKED.
#include <string.h>

#include "ops/aten/aten_op.h"
#include "ops/aten/aten_set.h"

const tenon_arg *tenon_aten_arg(tenon_rewriter *rw, const tenon_node *n,
                                const char *name) {
  static const tenon_arg none = {NULL, 0, {0}};
  const tenon_arg *a = rw->api->arg(rw, n, name);
  return a ? a : &none;
}

const char *tenon_aten_user(tenon_rewriter *rw) {
  return ((const tenon_meaning_row *)rw->api->user(rw))->user;
}

void tenon_aten_without_effect(tenon_rewriter *rw, const tenon_node *n,
                               const char *names) {
  char name[32];
  while (*names) {
    size_t size = strcspn(names, " ");
    if (size < sizeof name) {
      memcpy(name, names, size);
      name[size] = 0;
      (void)rw->api->arg(rw, n, name);
    }
    names += size + (names[size] == ' ');
  }
}

bool tenon_aten_has(tenon_rewriter *rw, const tenon_node *n, const char *name) {
  const tenon_arg *a = tenon_aten_arg(rw, n, name);
  switch (a->kind) {
    case 0:
      return false;
    case TENON_KIND_INTS:
      return a->as.ints.data != NULL;
    case TENON_KIND_FLOATS:
      return a->as.floats.data != NULL;
    case TENON_KIND_STR:
      return a->as.s != NULL;
    case TENON_KIND_DTYPE:
      return a->as.i != 0;
    case TENON_KIND_SCALAR:
      return a->as.scalar.kind != 0;
    default:
      return true;
  }
}

bool tenon_aten_bool(tenon_rewriter *rw, const tenon_node *n,
                     const char *name) {
  return tenon_aten_int(rw, n, name) != 0;
}

int64_t tenon_aten_int(tenon_rewriter *rw, const tenon_node *n,
                       const char *name) {
  const tenon_arg *a = tenon_aten_arg(rw, n, name);
  if (a->kind == TENON_KIND_SCALAR) return a->as.scalar.as.i;
  if (a->kind == TENON_KIND_INTS && a->as.ints.count == 1)
    return a->as.ints.data[0];  // a symbol
  return a->kind == TENON_KIND_INT || a->kind == TENON_KIND_BOOL ? a->as.i : 0;
}

// A float or a truth value that a run finds out reads as one that is known.
static bool aten_args_is_open(tenon_rewriter *rw, const tenon_node *n,
                              const char *name) {
  const tenon_dim d = rw->api->size(rw, n, name, 0);
  return d.symbol != 0 && d.value != 0;
}

static void refuse_open(tenon_rewriter *rw, const tenon_node *n,
                        const char *name) {
  if (aten_args_is_open(rw, n, name))
    (void)tenon_rw_fail(rw, "'%s' is a number that a run finds out", name);
}

double tenon_aten_float(tenon_rewriter *rw, const tenon_node *n,
                        const char *name) {
  const tenon_arg *a = tenon_aten_arg(rw, n, name);
  refuse_open(rw, n, name);
  if (a->kind == TENON_KIND_FLOAT) return a->as.f;
  if (a->kind == TENON_KIND_SCALAR) return tenon_aten_real_of(a->as.scalar);
  return a->kind == TENON_KIND_INT ? (double)a->as.i : 0;
}

const char *tenon_aten_str(tenon_rewriter *rw, const tenon_node *n,
                           const char *name) {
  const tenon_arg *a = tenon_aten_arg(rw, n, name);
  return a->kind == TENON_KIND_STR ? a->as.s : NULL;
}

tenon_dtype tenon_aten_dtype(tenon_rewriter *rw, const tenon_node *n,
                             const char *name) {
  const tenon_arg *a = tenon_aten_arg(rw, n, name);
  return a->kind == TENON_KIND_DTYPE ? (tenon_dtype)a->as.i : 0;
}

tenon_scalar tenon_aten_scalar(tenon_rewriter *rw, const tenon_node *n,
                               const char *name) {
  refuse_open(rw, n, name);
  return tenon_aten_kind_of(rw, n, name);
}

tenon_scalar tenon_aten_kind_of(tenon_rewriter *rw, const tenon_node *n,
                                const char *name) {
  const tenon_arg *a = tenon_aten_arg(rw, n, name);
  tenon_scalar s = {0, {0}};
  if (a->kind == TENON_KIND_SCALAR) return a->as.scalar;
  if (a->kind == TENON_KIND_INT || a->kind == TENON_KIND_BOOL) {
    s.kind = a->kind;
    s.as.i = a->as.i;
  } else if (a->kind == TENON_KIND_FLOAT) {
    s.kind = a->kind;
    s.as.f = a->as.f;
  } else if (a->kind == TENON_KIND_INTS && a->as.ints.count == 1) {
    s.kind = TENON_KIND_INT;  // a symbol
    s.as.i = a->as.ints.data[0];
  }
  return s;
}

tenon_ints tenon_aten_ints(tenon_rewriter *rw, const tenon_node *n,
                           const char *name) {
  const tenon_arg *a = tenon_aten_arg(rw, n, name);
  tenon_ints none = {NULL, 0};
  return a->kind == TENON_KIND_INTS ? a->as.ints : none;
}

tenon_floats tenon_aten_floats(tenon_rewriter *rw, const tenon_node *n,
                               const char *name) {
  const tenon_arg *a = tenon_aten_arg(rw, n, name);
  tenon_floats none = {NULL, 0};
  return a->kind == TENON_KIND_FLOATS ? a->as.floats : none;
}

tenon_dim tenon_aten_dim(tenon_rewriter *rw, const tenon_node *n,
                         const char *name, int i) {
  return rw->api->size(rw, n, name, i);
}

int tenon_aten_dims(tenon_rewriter *rw, const tenon_node *n, const char *name,
                    tenon_dim *out) {
  const tenon_arg *a = tenon_aten_arg(rw, n, name);
  size_t count = a->kind == TENON_KIND_INTS   ? a->as.ints.count
                 : a->kind == TENON_KIND_DIMS ? a->as.dims.count
                                              : 0;
  if (count > TENON_MAX_RANK) return -1;
  for (size_t i = 0; i < count; ++i)
    out[i] = tenon_aten_dim(rw, n, name, (int)i);
  return (int)count;
}

tenon_status tenon_aten_axis(tenon_rewriter *rw, int64_t axis, int rank,
                             int *out) {
  int64_t n = rank > 0 ? rank : 1;
  if (axis < -n || axis >= n)
    return tenon_rw_fail(rw, "dimension %lld of a tensor with %d dimensions",
                         (long long)axis, rank);
  *out = (int)(axis < 0 ? axis + n : axis);
  return TENON_OK;
}

tenon_status tenon_aten_axes(tenon_rewriter *rw, tenon_ints axes, int rank,
                             bool all_if_empty, uint32_t *out) {
  *out = 0;
  if (axes.count == 0 && all_if_empty) *out = (1u << rank) - 1;
  for (size_t i = 0; i < axes.count; ++i) {
    int at = 0;
    TENON_TRY(tenon_aten_axis(rw, axes.data[i], rank, &at));
    if (*out >> at & 1)
      return tenon_rw_fail(rw, "dimension %d stands twice", at);
    *out |= 1u << at;
  }
  if (rank == 0) *out = 0;
  return TENON_OK;
}
