// core_linalg.c - factors of small dense matrices, and what is solved by them.
#include "kern/product/factor.h"
#include "kern/product/symmetric.h"

#include "ops/core/core_rule.h"

// x [..., m, n]; the smaller of m and n, which must be known to differ or be
// one.
static tenon_status read_sides(tenon_infer *c, tenon_dim *m, tenon_dim *n,
                               tenon_dim *least) {
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->rank < 2) return tenon_infer_fail(c, "x has no matrices");
  *m = x->dims[x->rank - 2];
  *n = x->dims[x->rank - 1];
  bool is_same = m->symbol == n->symbol && m->value == n->value;
  if (!is_same && (m->symbol || n->symbol))
    return tenon_infer_fail(c, "sides of x are open, and not the same");
  *least = is_same || m->value < n->value ? *m : *n;
  return TENON_OK;
}

static tenon_status check_square(tenon_infer *c, const tenon_type *x) {
  if (x->rank < 2 ||
      !tenon_core_equal(c, x->dims[x->rank - 1], x->dims[x->rank - 2]))
    return tenon_infer_fail(c, "there are no square matrices");
  return TENON_OK;
}

// Result i of this type: the dimensions in front of the matrices, and these.
static tenon_status result(tenon_infer *c, int i, tenon_dtype dtype, int n,
                           tenon_dim first, tenon_dim second) {
  const tenon_type *x = tenon_infer_in(c, 0);
  const tenon_dim last[2] = {first, second};
  tenon_dim dims[TENON_MAX_RANK];
  for (int d = 0; d < x->rank - 2; ++d)
    dims[d] = x->dims[d];
  for (int d = 0; d < n; ++d)
    dims[x->rank - 2 + d] = last[d];
  return tenon_core_out(c, i, dtype, dims, x->rank - 2 + n);
}

static tenon_status lu_infer(tenon_infer *c) {
  const tenon_dtype t = tenon_infer_in(c, 0)->dtype;
  tenon_dim m, n, k;
  TENON_TRY(read_sides(c, &m, &n, &k));
  TENON_TRY(result(c, 0, t, 2, m, n));
  TENON_TRY(result(c, 1, TENON_S32, 1, k, k));
  TENON_TRY(result(c, 2, TENON_S64, 1, m, m));
  return result(c, 3, TENON_S32, 0, m, m);
}

static tenon_status cholesky_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim m, n, k;
  TENON_TRY(check_square(c, x));
  TENON_TRY(read_sides(c, &m, &n, &k));
  TENON_TRY(result(c, 0, x->dtype, 2, m, n));
  return result(c, 1, TENON_S32, 0, m, m);
}

static tenon_status solve_triangular_infer(tenon_infer *c) {
  const tenon_type *a = tenon_infer_in(c, 0), *b = tenon_infer_in(c, 1);
  TENON_TRY(check_square(c, a));
  bool fits = a->rank == b->rank && a->dtype == b->dtype;
  for (int d = 0; fits && d < a->rank - 1; ++d)
    fits = tenon_core_equal(c, a->dims[d], b->dims[d]);
  if (!fits) return tenon_infer_fail(c, "a and b do not fit");
  return tenon_core_out(c, 0, b->dtype, b->dims, b->rank);
}

static bool is_complete(tenon_infer *c) {
  return ((const tenon_orthogonal_factor_attrs *)tenon_infer_attrs(c))
      ->complete;
}

static tenon_status qr_infer(tenon_infer *c) {
  const tenon_dtype t = tenon_infer_in(c, 0)->dtype;
  tenon_dim m, n, k;
  TENON_TRY(read_sides(c, &m, &n, &k));
  if (is_complete(c)) k = m;
  TENON_TRY(result(c, 0, t, 2, m, k));
  return result(c, 1, t, 2, k, n);
}

static tenon_status reflections_infer(tenon_infer *c) {
  const tenon_dtype t = tenon_infer_in(c, 0)->dtype;
  tenon_dim m, n, k;
  TENON_TRY(read_sides(c, &m, &n, &k));
  TENON_TRY(result(c, 0, t, 2, m, n));
  return result(c, 1, t, 1, k, k);
}

// No more factors than columns, no more of those than rows.
static tenon_status reflected_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *tau = tenon_infer_in(c, 1);
  tenon_dim m, n, k;
  TENON_TRY(read_sides(c, &m, &n, &k));
  bool fits = tau->rank == x->rank - 1 && tau->dtype == x->dtype &&
              tenon_core_at_most(c, n, m) &&
              tenon_core_at_most(c, tau->dims[tau->rank - 1], n);
  for (int d = 0; fits && d < tau->rank - 1; ++d)
    fits = tenon_core_equal(c, tau->dims[d], x->dims[d]);
  if (!fits) return tenon_infer_fail(c, "x and its factors do not fit");
  return result(
      c, 0, x->dtype, 2, m,
      ((const tenon_reflected_attrs *)tenon_infer_attrs(c))->complete ? m : n);
}

static tenon_status ldl_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim m, n, k;
  TENON_TRY(check_square(c, x));
  TENON_TRY(read_sides(c, &m, &n, &k));
  TENON_TRY(result(c, 0, x->dtype, 2, m, n));
  TENON_TRY(result(c, 1, TENON_S32, 1, m, m));
  return result(c, 2, TENON_S32, 0, m, m);
}

static tenon_status ldl_solve_infer(tenon_infer *c) {
  const tenon_type *a = tenon_infer_in(c, 0), *b = tenon_infer_in(c, 2);
  const tenon_type *pivots = tenon_infer_in(c, 1);
  TENON_TRY(check_square(c, a));
  bool fits =
      a->rank == b->rank && a->dtype == b->dtype && pivots->rank == a->rank - 1;
  for (int d = 0; fits && d < a->rank - 1; ++d)
    fits = tenon_core_equal(c, a->dims[d], b->dims[d]) &&
           tenon_core_equal(c, a->dims[d], pivots->dims[d]);
  if (!fits) return tenon_infer_fail(c, "factors, pivots and b do not fit");
  return tenon_core_out(c, 0, b->dtype, b->dims, b->rank);
}

static tenon_status eigh_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim m, n, k;
  TENON_TRY(check_square(c, x));
  TENON_TRY(read_sides(c, &m, &n, &k));
  TENON_TRY(result(c, 0, x->dtype, 1, m, m));
  return result(c, 1, x->dtype, 2, m, n);
}

static tenon_status svd_infer(tenon_infer *c) {
  const tenon_dtype t = tenon_infer_in(c, 0)->dtype;
  tenon_dim m, n, k;
  TENON_TRY(read_sides(c, &m, &n, &k));
  TENON_TRY(result(c, 0, t, 2, m, is_complete(c) ? m : k));
  TENON_TRY(result(c, 1, t, 1, k, k));
  return result(c, 2, t, 2, is_complete(c) ? n : k, n);
}

static tenon_status permutation_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  const tenon_permutation_attrs *a = tenon_infer_attrs(c);
  tenon_dim dims[TENON_MAX_RANK];
  if (x->rank < 1 || a->rows < 0)
    return tenon_infer_fail(c, "there are no pivots");
  for (int d = 0; d < x->rank; ++d)
    dims[d] = d == x->rank - 1 ? tenon_core_dim(a->rows) : x->dims[d];
  return tenon_core_out(c, 0, TENON_S64, dims, x->rank);
}

// --- Kernels -----------------------------------------------------------------

static int64_t matrices(const tenon_call *c) {
  int64_t n = 1;
  for (int d = 0; d < c->in[0].rank - 2; ++d)
    n *= c->in[0].dims[d];
  return n;
}
static int64_t lines(const tenon_call *c) {
  int64_t n = 1;
  for (int d = 0; d < c->in[0].rank - 1; ++d)
    n *= c->in[0].dims[d];
  return n;
}

// Doubles for matrices of the longer side, which is enough for all of them.
static size_t linalg_scratch_of(const tenon_call *c, int64_t items) {
  const tenon_tensor *x = &c->in[c->n_in - 1];
  size_t m = (size_t)tenon_factor_rows(x), n = (size_t)tenon_factor_columns(x);
  size_t longer = m > n ? m : n, shorter = m > n ? n : m;
  (void)items;
  if (c->n_in > 1) return (m * m + m * n) * sizeof(double);
  return (longer * longer + m * m + shorter * shorter + m + n) * sizeof(double);
}

#define FACTOR_ROW(name, its_types, places)            \
  CORE_KERNEL_FAILING_RANGE(name, matrices, its_types, \
                            .scratch = linalg_scratch_of, .in_place = places);
// A square and a column are enough.
static size_t square_of(const tenon_call *c, int64_t items) {
  const size_t m = (size_t)tenon_factor_rows(&c->in[0]);
  (void)items;
  return (m * m + m) * sizeof(double);
}

#define REFLECTED_ROW(name, its_types, places)                               \
  CORE_KERNEL_FAILING_RANGE(name, matrices, its_types, .scratch = square_of, \
                            .in_place = places);
#define LINE_ROW(name, its_types, places) \
  CORE_KERNEL_FAILING_RANGE(name, lines, its_types, .in_place = places);

CORE_OPERATOR_OF_ROWS(
    lu, FACTOR_ROW, lu_infer,
    "(Tensor x, *, bool check=False) -> (Tensor lu, Tensor pivots, Tensor "
    "permutation, Tensor info)",
    "A lower triangle, whose diagonal is ones, and an upper one.\n"
    "pivots: with which row each was exchanged, from 1; permutation: "
    "which row of x stands where. info is 0, or which pivot is zero, "
    "from 1; with `check`, that is a fault.",
    CORE_MEMBERS(tenon_lu_attrs, check));
CORE_OPERATOR_OF_ROWS(
    cholesky, FACTOR_ROW, cholesky_infer,
    "(Tensor x, *, bool upper=False, bool check=False) -> (Tensor y, Tensor "
    "info)",
    "The triangle whose product with its transpose is x.\n"
    "info is 0, or the order of the first minor that is not positive; "
    "with `check`, that is a fault.",
    CORE_MEMBERS(tenon_cholesky_attrs, upper, check));
CORE_OPERATOR_OF_ROWS(
    solve_triangular, FACTOR_ROW, solve_triangular_infer,
    "(Tensor a, Tensor b, *, bool upper=False, bool unit=False) -> Tensor",
    "y with a y = b, for triangles a [..., n, n] and b [..., n, k].\n"
    "unit: the diagonal counts as ones.",
    CORE_MEMBERS(tenon_solve_triangular_attrs, upper, unit));
CORE_OPERATOR_OF_ROWS(
    qr, FACTOR_ROW, qr_infer,
    "(Tensor x, *, bool complete=False) -> (Tensor q, Tensor r)",
    "A matrix with orthogonal columns, and an upper triangle.",
    CORE_MEMBERS(tenon_orthogonal_factor_attrs, complete));
CORE_OPERATOR_OF_ROWS(
    ldl, FACTOR_ROW, ldl_infer,
    "(Tensor x, *, bool check=False) -> (Tensor ld, Tensor pivots, Tensor "
    "info)",
    "Symmetric matrices, of which the lower triangle is read, as L D L', "
    "pivots as LAPACK's sytrf has them.\n"
    "info is 0, or which block of D is zero, from 1; with `check`, that "
    "is a fault.",
    CORE_MEMBERS(tenon_ldl_attrs, check));
CORE_OPERATOR_OF_ROWS(
    reflected, REFLECTED_ROW, reflected_infer,
    "(Tensor x, Tensor tau, *, bool complete=False) -> Tensor",
    "The product of the reflections that stand below the diagonal, "
    "with these factors: its first columns, or with `complete` all.",
    CORE_MEMBERS(tenon_reflected_attrs, complete));
CORE_OPERATOR_OF_ROWS(
    eigh, FACTOR_ROW, eigh_infer,
    "(Tensor x, *, bool upper=False) -> (Tensor values, Tensor vectors)",
    "Eigenvalues of symmetric matrices in ascending order, and their "
    "vectors as columns.",
    CORE_MEMBERS(tenon_eigh_attrs, upper));
CORE_OPERATOR_OF_ROWS(
    svd, FACTOR_ROW, svd_infer,
    "(Tensor x, *, bool complete=False) -> (Tensor u, Tensor s, Tensor vh)",
    "Singular values in descending order, and their vectors.",
    CORE_MEMBERS(tenon_orthogonal_factor_attrs, complete));

CORE_OPERATOR_OF_ROWS(
    reflections, FACTOR_ROW, reflections_infer,
    "(Tensor x) -> (Tensor y, Tensor tau)",
    "Householder's reflections that make x an upper triangle.\n"
    "Each is a column of y below the diagonal, behind a 1 that is not "
    "kept, and a factor. Signs are LAPACK's (geqrf).");
CORE_OPERATOR_OF_ROWS(
    ldl_solve, FACTOR_ROW, ldl_solve_infer,
    "(Tensor ld, Tensor pivots, Tensor b) -> Tensor",
    "y with x y = b, for factors of x as core::ldl gives them and "
    "b [..., n, k].");

CORE_OPERATOR_OF_ROWS(
    permutation, LINE_ROW, permutation_infer,
    "(Tensor pivots, *, int rows) -> Tensor",
    "Where rows stand after exchanges.\n"
    "Row i goes in the place of row pivots[i] - 1, one after the other.",
    CORE_MEMBERS(tenon_permutation_attrs, rows));
