// Sums of products in Einstein's notation, and operators that are one.
//
// Operands are multiplied from left to right. A letter that neither the result
// nor a later operand has is summed over: by the product of matrices where both
// operands have it, before it where one has.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

// An operand: a letter for each dimension.
typedef struct term {
  tenon_value *x;
  char letters[TENON_MAX_RANK + 1];
} term;

static int einsum_place(const char *letters, char c) {
  const char *p = c ? strchr(letters, c) : NULL;
  return p ? (int)(p - letters) : -1;
}

static void einsum_append(char *letters, char c) {
  size_t n = strlen(letters);
  if (n < TENON_MAX_RANK) letters[n] = c;
}

// The dimensions that `keep` has, in its order; all others have been dealt
// with.
static tenon_value *einsum_arrange(tenon_rewriter *rw, const term *t,
                                   const char *order) {
  int64_t dims[TENON_MAX_RANK];
  int n = 0;
  for (; *order; ++order)
    if (einsum_place(t->letters, *order) >= 0)
      dims[n++] = einsum_place(t->letters, *order);
  return tenon_aten_permute(rw, t->x, dims, n);
}

// Drops a dimension of size 1.
static void einsum_drop(tenon_rewriter *rw, term *t, int at) {
  tenon_dim dims[TENON_MAX_RANK];
  int rank = 0;
  for (int d = 0; d < (int)strlen(t->letters); ++d)
    if (d != at) dims[rank++] = tenon_nn_dim(rw, t->x, d);
  t->x = tenon_aten_reshape(rw, t->x, dims, rank);
  memmove(t->letters + at, t->letters + at + 1, strlen(t->letters + at));
}

// Sums over dimensions that nobody else has.
static void sum_alone(tenon_rewriter *rw, term *t, const char *wanted,
                      const char *other) {
  uint32_t axes = 0;
  char left[TENON_MAX_RANK + 1] = {0};
  for (int d = 0; t->letters[d]; ++d) {
    char c = t->letters[d];
    if (einsum_place(wanted, c) < 0 && einsum_place(other, c) < 0)
      axes |= 1u << d;
    else
      einsum_append(left, c);
  }
  if (axes) t->x = tenon_aten_reduce(rw, "core::sum", t->x, axes, false);
  memcpy(t->letters, left, sizeof left);
}

// Where one has size 1 and the other does not, the one repeats it.
static void drop_repeated(tenon_rewriter *rw, term *a, const term *b) {
  for (int d = (int)strlen(a->letters) - 1; d >= 0; --d) {
    int e = einsum_place(b->letters, a->letters[d]);
    if (e >= 0 && tenon_aten_is(tenon_nn_dim(rw, a->x, d), 1) &&
        !tenon_aten_is(tenon_nn_dim(rw, b->x, e), 1))
      einsum_drop(rw, a, d);
  }
}

typedef struct split {
  char batch[TENON_MAX_RANK + 1], left[TENON_MAX_RANK + 1];
  char summed[TENON_MAX_RANK + 1], right[TENON_MAX_RANK + 1];
} split;

static tenon_dim einsum_size_of(tenon_rewriter *rw, const term *t,
                                const char *of) {
  tenon_dim dims[TENON_MAX_RANK];
  int n = 0;
  for (; *of; ++of)
    dims[n++] = tenon_nn_dim(rw, t->x, einsum_place(t->letters, *of));
  return tenon_aten_product(rw, dims, n);
}

static tenon_value *as_matrices(tenon_rewriter *rw, const term *t,
                                const char *batch, const char *rows,
                                const char *columns) {
  char order[3 * TENON_MAX_RANK + 1] = {0};
  strcat(order, batch);
  strcat(order, rows);
  strcat(order, columns);
  const tenon_dim dims[] = {einsum_size_of(rw, t, batch),
                            einsum_size_of(rw, t, rows),
                            einsum_size_of(rw, t, columns)};
  return tenon_aten_reshape(rw, einsum_arrange(rw, t, order), dims, 3);
}

static tenon_status einsum_multiply(tenon_rewriter *rw, term a, term b,
                                    const char *wanted, term *out) {
  split s = {{0}, {0}, {0}, {0}};
  tenon_dim dims[TENON_MAX_RANK];
  int rank = 0;
  drop_repeated(rw, &a, &b);
  drop_repeated(rw, &b, &a);
  sum_alone(rw, &a, wanted, b.letters);
  sum_alone(rw, &b, wanted, a.letters);
  for (const char *c = a.letters; *c; ++c) {
    bool both = einsum_place(b.letters, *c) >= 0;
    einsum_append(!both                           ? s.left
                  : einsum_place(wanted, *c) >= 0 ? s.batch
                                                  : s.summed,
                  *c);
  }
  for (const char *c = b.letters; *c; ++c)
    if (einsum_place(a.letters, *c) < 0) einsum_append(s.right, *c);
  if (strlen(s.batch) + strlen(s.left) + strlen(s.right) > TENON_MAX_RANK)
    return tenon_rw_fail(rw, "a product would have more than %d dimensions",
                         TENON_MAX_RANK);
  memset(out, 0, sizeof *out);
  for (const char *c = s.batch; *c; ++c)
    dims[rank++] = tenon_nn_dim(rw, a.x, einsum_place(a.letters, *c));
  for (const char *c = s.left; *c; ++c)
    dims[rank++] = tenon_nn_dim(rw, a.x, einsum_place(a.letters, *c));
  for (const char *c = s.right; *c; ++c)
    dims[rank++] = tenon_nn_dim(rw, b.x, einsum_place(b.letters, *c));
  strcat(out->letters, s.batch);
  strcat(out->letters, s.left);
  strcat(out->letters, s.right);
  tenon_value *p = as_matrices(rw, &a, s.batch, s.left, s.summed);
  tenon_value *q = as_matrices(rw, &b, s.batch, s.summed, s.right);
  out->x = tenon_aten_reshape(rw, tenon_nn_product(rw, p, q), dims, rank);
  return TENON_OK;
}

tenon_status tenon_nn_contract(tenon_rewriter *rw, const char *const *terms,
                               tenon_value *const *xs, int n, const char *out,
                               tenon_value **result) {
  term have = {xs[0], {0}};
  strncpy(have.letters, terms[0], TENON_MAX_RANK);
  for (int i = 1; i < n; ++i) {
    char wanted[(TENON_NN_MAX_TERMS + 1) * TENON_MAX_RANK + 1] = {0};
    term next = {xs[i], {0}};
    strncpy(next.letters, terms[i], TENON_MAX_RANK);
    strncat(wanted, out, TENON_MAX_RANK);
    for (int k = i + 1; k < n; ++k)
      strncat(wanted, terms[k], TENON_MAX_RANK);
    TENON_TRY(einsum_multiply(rw, have, next, wanted, &have));
  }
  sum_alone(rw, &have, out, "");
  *result = einsum_arrange(rw, &have, out);
  return TENON_OK;
}

// --- einsum ------------------------------------------------------------------

typedef struct equation {
  char terms[TENON_NN_MAX_TERMS][TENON_MAX_RANK + 1];
  char out[TENON_MAX_RANK + 1];
} equation;

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// One term of an equation, up to `end`; "..." stands for as many dimensions as
// are left of `rank`, which get digits, counted from the last.
static tenon_status read_term(tenon_rewriter *rw, const char *from,
                              const char *end, int rank, char *letters) {
  char text[2 * TENON_MAX_RANK + 1] = {0};
  int n = 0, dots = -1, at = 0;
  for (; from < end; ++from) {
    if (*from == ' ') continue;
    if (*from == '.' && dots < 0 && end - from >= 3 && from[1] == '.' &&
        from[2] == '.') {
      dots = n;
      from += 2;
    } else if (is_letter(*from) && n < TENON_MAX_RANK) {
      text[n++] = *from;
    } else {
      return tenon_rw_fail(rw, "'%c' in an equation", *from);
    }
  }
  int more = rank - n;
  if (more < 0 || (more > 0 && dots < 0) || rank > TENON_MAX_RANK)
    return tenon_rw_fail(rw, "%d letters for %d dimensions", n, rank);
  for (int i = 0; i <= n; ++i) {
    for (int k = more; i == dots && k > 0; --k)
      letters[at++] = (char)('0' + k - 1);
    if (i < n) letters[at++] = text[i];
  }
  return TENON_OK;
}

// Where a letter stands twice, the diagonal, which comes last.
static tenon_value *diagonals(tenon_rewriter *rw, tenon_value *x,
                              char *letters) {
  for (int i = 0; letters[i]; ++i) {
    const char c = letters[i], *other = strchr(letters + i + 1, c);
    if (!other) continue;
    const int j = (int)(other - letters);
    x = tenon_rw_op(
        rw, "aten::diagonal", &x, 1,
        TENON_ARGS(tenon_arg_int("dim1", i), tenon_arg_int("dim2", j)));
    memmove(letters + j, letters + j + 1, strlen(letters + j));
    memmove(letters + i, letters + i + 1, strlen(letters + i));
    einsum_append(letters, c);
    i = -1;  // from the beginning, since letters have moved
  }
  return x;
}

static int einsum_count(const equation *e, int n, char c) {
  int found = 0;
  for (int i = 0; i < n; ++i)
    found += einsum_place(e->terms[i], c) >= 0;
  return found;
}

static int occurrences(const equation *e, int n, char c) {
  int found = 0;
  for (int i = 0; i < n; ++i)
    for (const char *p = e->terms[i]; *p; ++p)
      found += *p == c;
  return found;
}

// Without "->": dimensions of "...", then letters that stand once, by the
// alphabet.
static void imply(equation *e, int n) {
  for (char c = '9'; c >= '0'; --c)
    if (einsum_count(e, n, c)) einsum_append(e->out, c);
  for (char c = 'A'; c <= 'Z'; ++c)
    if (occurrences(e, n, c) == 1) einsum_append(e->out, c);
  for (char c = 'a'; c <= 'z'; ++c)
    if (occurrences(e, n, c) == 1) einsum_append(e->out, c);
}

static tenon_status read_equation(tenon_rewriter *rw, const char *text,
                                  tenon_value *const *xs, int n, equation *e) {
  const char *arrow = strstr(text, "->");
  const char *end = arrow ? arrow : text + strlen(text), *from = text;
  memset(e, 0, sizeof *e);
  for (int i = 0; i < n; ++i) {
    const char *to = from;
    while (to < end && *to != ',')
      ++to;
    if ((to == end) != (i == n - 1))
      return tenon_rw_fail(rw, "an equation for another number of operands");
    TENON_TRY(read_term(rw, from, to, tenon_nn_rank(rw, xs[i]), e->terms[i]));
    from = to + 1;
  }
  if (!arrow) {
    imply(e, n);
    return TENON_OK;
  }
  int dots = 0, letters = 0;
  for (char c = '0'; c <= '9'; ++c)
    dots += einsum_count(e, n, c) > 0;
  for (const char *p = arrow + 2; *p; ++p)
    letters += is_letter(*p);
  if (!strchr(arrow + 2, '.') && dots)
    return tenon_rw_fail(rw, "'...' is not in the result");
  if (letters + dots > TENON_MAX_RANK)
    return tenon_rw_fail(rw, "more than %d dimensions", TENON_MAX_RANK);
  return read_term(rw, arrow + 2, arrow + 2 + strlen(arrow + 2), letters + dots,
                   e->out);
}

TENON_ATEN_LOWER(einsum) {
  // The order of the products.
  tenon_aten_without_effect(rw, n, "path");
  const char *text = tenon_aten_str(rw, n, "equation");
  tenon_value *xs[TENON_NN_MAX_TERMS], *y = NULL;
  const char *terms[TENON_NN_MAX_TERMS];
  int first = 0, many = rw->api->group(rw, n, 0, &first);
  equation e;
  if (many < 1 || many > TENON_NN_MAX_TERMS || !text)
    return tenon_rw_fail(rw, "%d operands", many);
  for (int i = 0; i < many; ++i) {
    xs[i] = tenon_nn_wide(rw, tenon_nn_rounded(rw, n, first + i));
    terms[i] = e.terms[i];
  }
  TENON_TRY(read_equation(rw, text, xs, many, &e));
  for (const char *c = e.out; *c; ++c)
    if (!einsum_count(&e, many, *c) || strchr(c + 1, *c))
      return tenon_rw_fail(rw, "'%c' is in the result alone, or twice", *c);
  for (int i = 0; i < many; ++i)
    xs[i] = diagonals(rw, xs[i], e.terms[i]);
  TENON_TRY(tenon_nn_contract(rw, terms, xs, many, e.out, &y));
  return tenon_nn_give(rw, n, y);
}

// --- Others ------------------------------------------------------------------

TENON_ATEN_LOWER(tensordot) {
  tenon_value *xs[] = {tenon_nn_in(rw, n, 0), tenon_nn_in(rw, n, 1)};
  tenon_ints mine = tenon_aten_ints(rw, n, "dims_self");
  tenon_ints others = tenon_aten_ints(rw, n, "dims_other");
  char a[TENON_MAX_RANK + 1] = {0}, b[TENON_MAX_RANK + 1] = {0};
  char out[2 * TENON_MAX_RANK + 1] = {0};
  size_t left = 0;
  const char *terms[] = {a, b};
  tenon_value *y = NULL;
  if (mine.count != others.count)
    return tenon_rw_fail(rw, "%zu dimensions with %zu", mine.count,
                         others.count);
  int p = tenon_nn_rank(rw, xs[0]), q = tenon_nn_rank(rw, xs[1]);
  for (int d = 0; d < p; ++d)
    a[d] = (char)('a' + d);
  for (int d = 0; d < q; ++d)
    b[d] = (char)('A' + d);
  for (size_t i = 0; i < mine.count; ++i) {
    int d = 0, e = 0;
    TENON_TRY(tenon_aten_axis(rw, mine.data[i], p, &d));
    TENON_TRY(tenon_aten_axis(rw, others.data[i], q, &e));
    b[e] = a[d];
  }
  for (int d = 0; d < p; ++d)
    if (!strchr(b, a[d])) out[left++] = a[d];
  for (int d = 0; d < q; ++d)
    if (!strchr(a, b[d])) out[left++] = b[d];
  if (left > TENON_MAX_RANK)
    return tenon_rw_fail(rw, "more than %d dimensions", TENON_MAX_RANK);
  TENON_TRY(tenon_nn_contract(rw, terms, xs, 2, out, &y));
  return tenon_nn_give(rw, n, y);
}

// Over the last dimensions of both.
TENON_ATEN_LOWER(inner) {
  tenon_value *xs[] = {tenon_nn_in(rw, n, 0), tenon_nn_in(rw, n, 1)};
  char a[TENON_MAX_RANK + 1] = {0}, b[TENON_MAX_RANK + 1] = {0};
  char out[2 * TENON_MAX_RANK + 1] = {0};
  const char *terms[] = {a, b};
  tenon_value *y = NULL;
  int p = tenon_nn_rank(rw, xs[0]), q = tenon_nn_rank(rw, xs[1]);
  if (p == 0 || q == 0)
    return tenon_nn_give(rw, n, tenon_nn_multiply(rw, xs[0], xs[1]));
  if (p + q - 2 > TENON_MAX_RANK)
    return tenon_rw_fail(rw, "more than %d dimensions", TENON_MAX_RANK);
  for (int d = 0; d < p - 1; ++d)
    a[d] = out[d] = (char)('a' + d);
  for (int d = 0; d < q - 1; ++d)
    b[d] = out[p - 1 + d] = (char)('A' + d);
  a[p - 1] = b[q - 1] = 'z';
  TENON_TRY(tenon_nn_contract(rw, terms, xs, 2, out, &y));
  return tenon_nn_give(rw, n, y);
}

// x [..., i], y [..., j], w [o, i, j].
TENON_ATEN_LOWER(bilinear) {
  tenon_value *xs[3], *y = NULL;
  tenon_value *bias = tenon_aten_in(rw, n, 3);
  static const char *const terms[] = {"ni", "oij", "nj"};
  static const int from[] = {0, 2, 1};
  for (int i = 0; i < 3; ++i) {
    xs[i] = tenon_nn_in(rw, n, from[i]);
    int rank = tenon_nn_rank(rw, xs[i]);
    if (i == 1 || rank == 0) continue;
    const tenon_type *t = tenon_rw_type(rw, xs[i]);
    if (!t) continue;
    const tenon_dim rows[] = {tenon_aten_product(rw, t->dims, rank - 1),
                              t->dims[rank - 1]};
    xs[i] = tenon_aten_reshape(rw, xs[i], rows, 2);
  }
  TENON_TRY(tenon_nn_contract(rw, terms, xs, 3, "no", &y));
  if (bias) y = tenon_nn_add(rw, y, tenon_nn_wide(rw, bias));
  return tenon_nn_give(rw, n, y);
}

// Each operand gets dimensions of size 1; then the product is summed over some.
TENON_ATEN_LOWER(trilinear) {
  // How, not what.
  tenon_aten_without_effect(rw, n, "unroll_dim");
  static const char *const names[] = {"expand1", "expand2", "expand3"};
  tenon_ints sums = tenon_aten_ints(rw, n, "sumdim");
  tenon_value *y = NULL;
  for (int i = 0; i < 3; ++i) {
    tenon_ints more = tenon_aten_ints(rw, n, names[i]);
    tenon_value *x = tenon_nn_in(rw, n, i);
    int rank = tenon_nn_rank(rw, x) + (int)more.count, from = 0;
    tenon_dim dims[TENON_MAX_RANK];
    uint32_t added = 0;
    if (rank > TENON_MAX_RANK)
      return tenon_rw_fail(rw, "more than %d dimensions", TENON_MAX_RANK);
    TENON_TRY(tenon_aten_axes(rw, more, rank, false, &added));
    for (int d = 0; d < rank; ++d)
      dims[d] =
          added >> d & 1 ? tenon_aten_fixed(1) : tenon_nn_dim(rw, x, from++);
    x = tenon_aten_reshape(rw, x, dims, rank);
    y = y ? tenon_nn_mul(rw, y, x) : x;
  }
  uint32_t axes = 0;
  TENON_TRY(tenon_aten_axes(rw, sums, tenon_nn_rank(rw, y), false, &axes));
  if (axes) y = tenon_aten_reduce(rw, "core::sum", y, axes, false);
  return tenon_nn_give(rw, n, y);
}

// Dimensions side by side, then joined in pairs.
TENON_ATEN_LOWER(kron) {
  tenon_value *in[] = {tenon_aten_in(rw, n, 0), tenon_aten_in(rw, n, 1)};
  int p = tenon_nn_rank(rw, in[0]), q = tenon_nn_rank(rw, in[1]);
  int rank = p > q ? p : q;
  if (2 * rank > TENON_MAX_RANK)
    return tenon_rw_fail(rw, "more than %d dimensions", TENON_MAX_RANK / 2);
  for (int k = 0; k < 2; ++k) {
    tenon_dim dims[TENON_MAX_RANK];
    int own = k ? q : p;
    for (int d = 0; d < rank; ++d) {
      int e = d - (rank - own);
      dims[2 * d + k] =
          e < 0 ? tenon_aten_fixed(1) : tenon_nn_dim(rw, in[k], e);
      dims[2 * d + 1 - k] = tenon_aten_fixed(1);
    }
    in[k] = tenon_aten_reshape(rw, in[k], dims, 2 * rank);
  }
  return tenon_nn_give(rw, n, tenon_nn_multiply(rw, in[0], in[1]));
}
