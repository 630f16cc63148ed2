// How: the text is read beside the operands, first for the names that stand
// alone, wherever they do, then for what all sizes must be.
#include "ops/core/core_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"
#include "ops/core/core_rule.h"

// Sizes as texts, two characters in front of each, and brackets.
enum { SHAPE_TEXT = TENON_MAX_RANK * (20 + 2) + 3 };

typedef struct shape_reader {
  tenon_infer *c;
  tenon_shapes *s;
  const char *p;
  tenon_status failure;
} shape_reader;

static bool shape_take(shape_reader *r, const char *word) {
  const size_t n = strlen(word);
  r->p += strspn(r->p, " ");
  if (strncmp(r->p, word, n) != 0) return false;
  r->p += n;
  return true;
}

// A word, cut off where it does not fit; false: there is none.
static bool shape_word(shape_reader *r, char *out, size_t size) {
  r->p += strspn(r->p, " ");
  const size_t n = strspn(r->p, "abcdefghijklmnopqrstuvwxyz_0123456789");
  (void)snprintf(out, size, "%.*s", (int)n, r->p);
  r->p += n;
  return n > 0;
}

static tenon_dim *shape_find(tenon_shapes *s, const char *name) {
  for (int i = 0; i < s->n_names; ++i)
    if (strcmp(s->names[i].name, name) == 0) return &s->names[i].size;
  return NULL;
}

void tenon_shapes_set(tenon_shapes *s, const char *name, tenon_dim size) {
  if (s->n_names == CORE_SHAPE_NAMES) return;
  (void)snprintf(s->names[s->n_names].name, sizeof s->names[0].name, "%s",
                 name);
  s->names[s->n_names++].size = size;
}

tenon_dim tenon_shapes_get(const tenon_shapes *s, const char *name) {
  const tenon_dim *size = shape_find((tenon_shapes *)(uintptr_t)s, name);
  return size ? *size : tenon_core_dim(TENON_UNKNOWN);
}

// ---------------------------------------------------------------------------
// Sizes
// ---------------------------------------------------------------------------

static tenon_dim shape_sum(shape_reader *r, const tenon_dim *own);

static tenon_dim shape_least(shape_reader *r) {
  const tenon_dim a = shape_sum(r, NULL);
  (void)shape_take(r, ",");
  const tenon_dim b = shape_sum(r, NULL);
  (void)shape_take(r, ")");
  const bool is_same = a.symbol == b.symbol && a.value == b.value;
  if (!is_same && (a.symbol || b.symbol) && r->failure == TENON_OK)
    r->failure =
        tenon_infer_fail(r->c, "sides of x are open, and not the same");
  return is_same || a.value < b.value ? a : b;
}

// `own`: what "_" stands for.
static tenon_dim shape_factor(shape_reader *r, const tenon_dim *own) {
  char word[12];
  r->p += strspn(r->p, " ");
  if (shape_take(r, "min(")) return shape_least(r);
  if (*r->p >= '0' && *r->p <= '9') {
    char *end;
    const int64_t n = strtoll(r->p, &end, 10);
    r->p = end;
    return tenon_core_dim(n);
  }
  (void)shape_word(r, word, sizeof word);
  if (own && strcmp(word, "_") == 0) return *own;
  const tenon_dim *size = shape_find(r->s, word);
  return size ? *size : tenon_core_dim(TENON_UNKNOWN);
}

static tenon_dim shape_product(shape_reader *r, const tenon_dim *own) {
  tenon_dim y = shape_factor(r, own);
  for (;;) {
    const bool is_mul = shape_take(r, "*");
    if (!is_mul && !shape_take(r, "/")) return y;
    y = r->c->api->dim(r->c, is_mul ? TENON_DIM_MUL : TENON_DIM_DIV, y,
                       shape_factor(r, NULL));
  }
}

static tenon_dim shape_sum(shape_reader *r, const tenon_dim *own) {
  tenon_dim y = shape_product(r, own);
  for (;;) {
    const bool is_add = shape_take(r, "+");
    if (!is_add && !shape_take(r, "-")) return y;
    y = r->c->api->dim(r->c, is_add ? TENON_DIM_ADD : TENON_DIM_SUB, y,
                       shape_product(r, NULL));
  }
}

// How many sizes stand in the brackets that begin here, without "...".
static int shape_count(const char *p, bool *has_front) {
  int n = 0, depth = 0;
  *has_front = strncmp(p, "[...", 4) == 0;
  for (; *p && *p != ']'; ++p) {
    depth += (*p == '(') - (*p == ')');
    n += *p == ',' && depth == 0;
  }
  return n + !(*has_front || p[-1] == '[');
}

// ---------------------------------------------------------------------------
// Operands and results
// ---------------------------------------------------------------------------

// The shape that an operand must have.
static void shape_print(const tenon_dim *dims, int rank, char *out) {
  size_t at = (size_t)snprintf(out, SHAPE_TEXT, "[");
  for (int i = 0; i < rank; ++i)
    at +=
        (size_t)(dims[i].symbol
                     ? snprintf(out + at, SHAPE_TEXT - at, "%s?", i ? ", " : "")
                     : snprintf(out + at, SHAPE_TEXT - at, "%s%lld",
                                i ? ", " : "", (long long)dims[i].value));
  (void)snprintf(out + at, SHAPE_TEXT - at, "]");
}

// Gives names that stand alone in brackets, and "...", their sizes.
static void shape_bind(shape_reader *r, const tenon_type *t) {
  char word[12];
  bool has_front;
  const int n = shape_count(r->p, &has_front), front = t->rank - n;
  if (has_front ? front < 0 : front != 0) return;
  if (has_front && !r->s->has_front) {
    r->s->has_front = true;
    r->s->n_front = front;
    for (int d = 0; d < front; ++d)
      r->s->front[d] = t->dims[d];
  }
  (void)shape_take(r, has_front ? "[..." : "[");
  for (int d = front; d < t->rank; ++d) {
    (void)shape_take(r, ",");
    const bool is_word = shape_word(r, word, sizeof word);
    if (is_word && (*r->p == ',' || *r->p == ']') && strcmp(word, "_") != 0 &&
        (*word < '0' || *word > '9') && !shape_find(r->s, word))
      tenon_shapes_set(r->s, word, t->dims[d]);
    for (int depth = 0; *r->p != ']' && (*r->p != ',' || depth > 0); ++r->p)
      depth += (*r->p == '(') - (*r->p == ')');
  }
}

// "[...,n,k]" of operand i, whose type is t.
static tenon_status shape_check(shape_reader *r, int i, const char *name,
                                const tenon_type *t) {
  tenon_dim want[TENON_MAX_RANK];
  char text[SHAPE_TEXT];
  bool has_front, fits = true;
  const int n = shape_count(r->p, &has_front), front = t->rank - n;
  if (has_front ? front < 0 : front != 0)
    return tenon_infer_fail(r->c,
                            "operand %d, '%s', has rank %d, expected %d%s", i,
                            name, t->rank, n, has_front ? " or more" : "");
  if (has_front && front != r->s->n_front)
    return tenon_infer_fail(r->c, "operand %d, '%s', has rank %d, expected %d",
                            i, name, t->rank, r->s->n_front + n);
  (void)shape_take(r, has_front ? "[..." : "[");
  for (int d = 0; d < t->rank; ++d) {
    if (d >= front) (void)shape_take(r, ",");
    want[d] = d < front ? r->s->front[d] : shape_sum(r, &t->dims[d]);
    fits &= tenon_core_equal(r->c, t->dims[d], want[d]);
  }
  (void)shape_take(r, "]");
  TENON_TRY(r->failure);
  const bool is_known = shape_take(r, "!");
  for (int d = 0; is_known && d < t->rank; ++d)
    if (t->dims[d].symbol)
      return tenon_infer_fail(r->c, "dimension %d of '%s' must be known", d,
                              name);
  if (fits) return TENON_OK;
  shape_print(want, t->rank, text);
  return tenon_infer_fail(r->c, "operand %d, '%s', must be %s", i, name, text);
}

// Which operand of the text that name is.
static const tenon_type *shape_named(const shape_reader *r, const char *text,
                                     const char *name) {
  const size_t n = strlen(name);
  int depth = 0, i = 0;
  bool begins = true;
  for (const char *p = text; *p && strncmp(p, "->", 2) != 0; ++p) {
    if (begins && *p != ' ' && !strncmp(p, name, n) && strchr("?[, ", p[n]))
      return tenon_infer_in(r->c, i);
    begins = depth == 0 && (*p == ',' || (begins && *p == ' '));
    depth += (*p == '[') - (*p == ']');
    i += *p == ',' && depth == 0;
  }
  return NULL;
}

static tenon_status shape_check_type(shape_reader *r, const char *text,
                                     const char *name, const char *type,
                                     tenon_dtype found) {
  const tenon_type *other = shape_named(r, text, type);
  const tenon_dtype want =
      other ? other->dtype : tenon_dtype_find(tenon_text_of(type));
  if (found == want) return TENON_OK;
  return other ? tenon_infer_fail(r->c, "'%s' is %s but '%s' is %s", type,
                                  tenon_dtype_name(want), name,
                                  tenon_dtype_name(found))
               : tenon_infer_fail(r->c, "'%s' is %s, expected %s", name,
                                  tenon_dtype_name(found), type);
}

// `binds`: only names get their sizes.
static tenon_status shape_operand(shape_reader *r, int i, const char *text,
                                  bool binds) {
  char name[24], type[24];
  const tenon_type *t = tenon_infer_in(r->c, i);
  (void)shape_word(r, name, sizeof name);
  const bool may_be_absent = shape_take(r, "?");
  const bool has_type = shape_word(r, type, sizeof type);
  const char *shape = *r->p == '[' ? r->p : NULL;
  if (t && shape && binds) shape_bind(r, t);
  if (!t && !may_be_absent && !binds)
    return tenon_infer_fail(r->c, "operand %d, '%s', is absent", i, name);
  if (t && has_type && !binds)
    TENON_TRY(shape_check_type(r, text, name, type, t->dtype));
  if (t && shape && !binds) TENON_TRY(shape_check(r, i, name, t));
  if (shape) r->p = shape + strcspn(shape, "]") + 1;
  (void)shape_take(r, "!");
  return TENON_OK;
}

static tenon_status shape_result(shape_reader *r, int i, const char *text) {
  char word[24];
  (void)shape_word(r, word, sizeof word);
  const tenon_type *like = shape_named(r, text, word);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type y = {.dims = dims, .dtype = tenon_dtype_find(tenon_text_of(word))};
  bool has_front = false;
  if (like) y.dtype = like->dtype;
  if (*r->p != '[') return tenon_infer_out(r->c, i, like);
  int n = shape_count(r->p, &has_front);
  const int front = has_front ? r->s->n_front : 0;
  (void)shape_take(r, has_front ? "[..." : "[");
  if (front + n > TENON_MAX_RANK)
    return tenon_infer_fail(r->c, "a result of rank %d, at most %d is possible",
                            front + n, TENON_MAX_RANK);
  memcpy(dims, r->s->front, (size_t)front * sizeof *dims);
  for (y.rank = (uint8_t)front; n > 0; --n) {
    (void)shape_take(r, ",");
    dims[y.rank++] = shape_sum(r, NULL);
  }
  (void)shape_take(r, "]");
  TENON_TRY(r->failure);
  return r->s->give(r->c, i, &y, like);
}

tenon_status tenon_shapes_infer(tenon_infer *c, tenon_shapes *s,
                                const char *text) {
  shape_reader r = {c, s, text, TENON_OK};
  int i;
  for (int pass = 0; pass < 2; ++pass) {
    bool is_more = true;
    r.p = text;
    for (i = 0; is_more; ++i) {
      TENON_TRY(shape_operand(&r, i, text, pass == 0));
      is_more = shape_take(&r, ",");
    }
  }
  i = 0;
  for (bool is_more = shape_take(&r, "->"); is_more; ++i) {
    TENON_TRY(shape_result(&r, i, text));
    is_more = shape_take(&r, ",");
  }
  return TENON_OK;
}

static tenon_status give_result(tenon_infer *c, int i, const tenon_type *type,
                                const tenon_type *like) {
  if (i == 0 && like)
    return tenon_core_result(c, type->dims, type->rank, like, false);
  return tenon_infer_out(c, i, type);
}

tenon_status tenon_core_shapes_with(tenon_infer *c, tenon_shapes *s,
                                    const char *text) {
  s->give = give_result;
  return tenon_shapes_infer(c, s, text);
}

tenon_status tenon_core_shapes(tenon_infer *c, const char *text) {
  tenon_shapes s = {.n_names = 0};
  return tenon_core_shapes_with(c, &s, text);
}
