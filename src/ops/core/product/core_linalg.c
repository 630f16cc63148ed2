// core_linalg.c - factors of small dense matrices, and what is solved by them.
#include "kern/product/factor.h"
#include "kern/product/symmetric.h"

#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"

// Where a matrix is not square it must be known which side is the longer one.
CORE_SHAPES(lu_infer,
            "x[...,m,n] -> x[...,m,n], s32[...,min(m,n)], s64[...,m], s32[...]")
CORE_SHAPES(cholesky_infer, "x[...,n,n] -> x[...,n,n], s32[...]")
CORE_SHAPES(solve_triangular_infer, "a[...,n,n], b a[...,n,_] -> b")
CORE_SHAPES(reflections_infer, "x[...,m,n] -> x[...,m,n], x[...,min(m,n)]")
CORE_SHAPES(ldl_infer, "x[...,n,n] -> x[...,n,n], s32[...,n], s32[...]")
CORE_SHAPES(ldl_solve_infer, "ld[...,n,n], pivots[...,n], b ld[...,n,_] -> b")
CORE_SHAPES(eigh_infer, "x[...,n,n] -> x[...,n], x[...,n,n]")

static bool is_complete(tenon_infer *c) {
  return ((const tenon_orthogonal_factor_attrs *)tenon_infer_attrs(c))
      ->complete;
}
CORE_SHAPES(qr_infer, is_complete(c) ? "x[...,m,n] -> x[...,m,m], x[...,m,n]"
                                     : "x[...,m,n] -> x[...,m,min(m,n)], "
                                       "x[...,min(m,n),n]")
CORE_SHAPES(svd_infer,
            is_complete(c)
                ? "x[...,m,n] -> x[...,m,m], x[...,min(m,n)], x[...,n,n]"
                : "x[...,m,n] -> x[...,m,min(m,n)], x[...,min(m,n)], "
                  "x[...,min(m,n),n]")

// No more factors than columns, no more of those than rows.
static tenon_status reflected_infer(tenon_infer *c) {
  const tenon_reflected_attrs *a = tenon_infer_attrs(c);
  tenon_shapes s = {.n_names = 0};
  TENON_TRY(tenon_core_shapes_with(
      c, &s,
      a->complete ? "x[...,m,n], tau x[...,k] -> x[...,m,m]"
                  : "x[...,m,n], tau x[...,k] -> x"));
  const tenon_dim n = tenon_shapes_get(&s, "n");
  return tenon_core_at_most(c, n, tenon_shapes_get(&s, "m")) &&
                 tenon_core_at_most(c, tenon_shapes_get(&s, "k"), n)
             ? TENON_OK
             : tenon_infer_fail(c, "x and its factors do not fit");
}

static tenon_status permutation_infer(tenon_infer *c) {
  const tenon_permutation_attrs *a = tenon_infer_attrs(c);
  tenon_shapes s = {.n_names = 0};
  tenon_shapes_set(&s, "rows", tenon_core_dim(a->rows));
  if (a->rows < 0) return tenon_infer_fail(c, "there are no pivots");
  return tenon_core_shapes_with(c, &s, "pivots[...,_] -> s64[...,rows]");
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
