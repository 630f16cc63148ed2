// How: a symbol is defined where a size of an input is it, or where a node
// finds it out; an expression may use those that are. Operators on sizes are
// not imported: the file says of each of their results which expression it is.
#include <math.h>

#include "read/pt2/pt2_import.h"
#include "read/pt2/symbol/pt2_expr.h"

// u0, zuf0: what data decide. s0, zf0: a size of an input, and a float.
static bool is_unbacked(const char *name) {
  return name[0] == 'u' || (name[0] == 'z' && name[1] == 'u');
}

static bool symbols_is_float(const char *name) {
  return name[0] == 'z';
}

// ---------------------------------------------------------------------------
// Symbols
// ---------------------------------------------------------------------------

#define MOST_OF_PYTHON INT64_MAX  // sys.maxsize

static tenon_status symbols_read_bound(const tenon_json *range, const char *key,
                                       int64_t none, int64_t *out) {
  double real = 0;
  tenon_json at = tenon_json_get(range, key);
  *out = none;
  if (!tenon_json_is(&at)) return TENON_OK;
  if (json_is_integer(at.value)) {
    TENON_TRY(tenon_json_int(&at, out));
    // What torch has for a size without a bound, in some places.
    if (none > 0 && *out == MOST_OF_PYTHON - 1) *out = none;
    return TENON_OK;
  }
  TENON_TRY(tenon_json_real(&at, &real));
  bool is_open = real != real || real == (none < 0 ? -HUGE_VAL : HUGE_VAL);
  // Of twice a size that nothing bounds, which no size is.
  is_open |= none > 0 && real >= 0x1p63;
  if (is_open) return TENON_OK;
  return tenon_json_fail(&at, TENON_BAD_MODEL, "pt2-symbol",
                         "a bound that is no integer");
}

static tenon_status read_range(const tenon_json *range, int64_t least,
                               int64_t *min, int64_t *max) {
  *min = least;
  *max = INT64_MAX;
  if (!tenon_json_is(range)) return TENON_OK;
  TENON_TRY(tenon_json_object(range));
  TENON_TRY(symbols_read_bound(range, "min_val", least, min));
  TENON_TRY(symbols_read_bound(range, "max_val", INT64_MAX, max));
  // What torch._check_is_size leaves of a number that nothing bounds.
  if (*max == INT64_MAX - 1) *max = INT64_MAX;
  if (*min <= *max) return TENON_OK;
  return tenon_json_fail(
      range, TENON_BAD_MODEL, "pt2-symbol",
      "expected a range with a number in it, found %lld to %lld",
      (long long)*min, (long long)*max);
}

// False with `failed` set when a range is broken or memory ran out.
typedef struct finder {
  tenon_pt2 *im;
  bool failed;
  tenon_status status;
  // Of the names that were asked for: one that data decide, one that a branch
  // decided for itself, one that nothing has.
  bool has_unbacked, has_gone, has_none;
} finder;

static bool symbols_know(tenon_pt2 *im, const char *name, tenon_dim d) {
  uint64_t *at = tenon_map_put_text(&im->known, name, im->sizes.count, NULL);
  if (!at || !tenon_vec_push(&im->sizes, d)) return false;
  *at = im->sizes.count - 1;
  return im->mode != TENON_PT2_DECIDES || d.symbol == 0 ||
         (tenon_vec_push(&im->decided, d.symbol) &&
          tenon_vec_push(&im->local, name));
}

void tenon_pt2_forget(tenon_pt2 *im, size_t from) {
  for (size_t i = from; i < im->local.count; ++i)
    *tenon_map_find_text(&im->known, im->local.data[i]) = TENON_PT2_GONE;
  im->local.count = from;
}

static bool symbols_define(finder *f, const char *name, bool is_size,
                           tenon_dim *out) {
  tenon_pt2 *im = f->im;
  int64_t min = 0, max = 0;
  tenon_json range = tenon_json_get(&im->ranges, name);
  f->status = read_range(&range, is_size ? 0 : INT64_MIN, &min, &max);
  f->failed = f->status != TENON_OK;
  if (f->failed) return false;
  const char *own = tenon_arena_string(&im->m->arena, name);
  const char *leaf = tenon_read_unique(&im->m->arena, &im->leaves, name);
  if (own && leaf) {
    *out = symbols_is_float(name)
               ? tenon_symbols_number(&im->m->symbols, leaf, TENON_KIND_FLOAT)
               : tenon_symbols_leaf(&im->m->symbols, leaf, min, max);
    // A range of one number makes it that number; it is known all the same.
    if (!im->m->arena.failed && symbols_know(im, own, *out)) return true;
  }
  f->status = tenon_pt2_memory(im);
  f->failed = true;
  return false;
}

static bool symbols_find_symbol(void *self, const char *name, bool is_size,
                                tenon_dim *out) {
  finder *f = (finder *)self;
  tenon_pt2 *im = f->im;
  const uint64_t *id = tenon_map_find_text(&im->known, name);
  f->has_unbacked |= is_unbacked(name);
  if (id && *id != TENON_PT2_GONE) {
    *out = im->sizes.data[*id];
    return true;
  }
  bool may = im->mode == TENON_PT2_DEFINES
                 ? !is_unbacked(name)
                 : im->mode == TENON_PT2_DECIDES && is_unbacked(name);
  im->was_unbacked = is_unbacked(name);
  f->has_gone |= !may && id != NULL;
  f->has_none |= !may && !id;
  return may && symbols_define(f, name, is_size, out);
}

static tenon_status symbols_parse(tenon_pt2 *im, const tenon_json *at,
                                  tenon_dim *out) {
  const char *text = NULL;
  char error[160] = "";
  finder f = {.im = im};
  TENON_TRY(tenon_json_text(at, &text));
  im->was_unbacked = false;
  tenon_pt2_expr with = {&im->m->symbols, symbols_find_symbol, &f,
                         error,           sizeof error,        false};
  tenon_pt2_expr_result result = tenon_pt2_expr_parse(&with, text, out);
  if (f.failed) return f.status;
  if (result == TENON_PT2_EXPR_OK) return TENON_OK;
  if (result == TENON_PT2_EXPR_MEMORY) return tenon_pt2_memory(im);
  bool is_bad = result == TENON_PT2_EXPR_BAD && !im->was_unbacked;
  return tenon_json_fail(at, is_bad ? TENON_BAD_MODEL : TENON_UNSUPPORTED,
                         "pt2-symbol", "an expression of sizes: %s", error);
}

tenon_status tenon_pt2_size(tenon_pt2 *im, const tenon_json *at,
                            tenon_dim *out) {
  const char *tag = NULL;
  tenon_json value;
  TENON_TRY(tenon_json_tag(at, &tag, &value));
  if (strcmp(tag, "as_int") == 0) {
    *out = tenon_dim_fixed(0);
    return tenon_json_int(&value, &out->value);
  }
  if (strcmp(tag, "as_expr") == 0) {
    tenon_json text = tenon_json_get(&value, "expr_str");
    TENON_TRY(tenon_json_object(&value));
    return symbols_parse(im, &text, out);
  }
  return tenon_json_fail(at, TENON_BAD_MODEL, "json-value",
                         "expected as_int or as_expr");
}

// Ranges are looked up when their symbol is met; here they are only checked.
tenon_status tenon_pt2_ranges(tenon_pt2 *im) {
  const char *key = NULL;
  json_t *child = NULL;
  if (!tenon_json_is(&im->ranges)) return TENON_OK;
  TENON_TRY(tenon_json_object(&im->ranges));
  json_object_foreach((json_t *)(uintptr_t)im->ranges.value, key, child) {
    int64_t min = 0, max = 0;
    tenon_json range = tenon_json_get(&im->ranges, key);
    TENON_TRY(tenon_json_object(&range));
    TENON_TRY(read_range(&range, INT64_MIN, &min, &max));
  }
  return TENON_OK;
}

// One bound of an expression, where the ranges of its symbols do not say it.
static tenon_status symbols_bound(tenon_pt2 *im, tenon_dim size,
                                  tenon_dim limit, bool is_least,
                                  const char *text) {
  tenon_dim kept = tenon_symbols_apply(
      &im->m->symbols, is_least ? TENON_DIM_MAX : TENON_DIM_MIN, size, limit);
  if (tenon_dim_equals(kept, size)) return TENON_OK;
  tenon_guard guard = {TENON_RELATION_LE,
                       is_least ? limit : size,
                       is_least ? size : limit,
                       text,
                       false,
                       0};
  return tenon_build_guard(im->m, &guard,
                           tenon_pt2_listed(im, "range_constraints"))
             ? TENON_OK
             : tenon_pt2_built(im);
}

tenon_status tenon_pt2_stands_for(tenon_pt2 *im, uint32_t symbol,
                                  tenon_dim size) {
  const tenon_symbol leaf = im->m->symbols.data[symbol];
  for (size_t i = 0; i < im->sizes.count; ++i)
    if (im->sizes.data[i].symbol == symbol) im->sizes.data[i] = size;
  if (leaf.min != INT64_MIN)
    TENON_TRY(
        symbols_bound(im, size, tenon_dim_fixed(leaf.min), true, leaf.name));
  return leaf.max == INT64_MAX
             ? TENON_OK
             : symbols_bound(im, size, tenon_dim_fixed(leaf.max), false,
                             leaf.name);
}

// A range of one symbol counts where the symbol is met, and one of a symbol
// that nothing has says nothing. `is_end`: those that data decide are there.
static tenon_status range_guard(tenon_pt2 *im, const char *key, bool is_end) {
  int64_t min = 0, max = 0;
  tenon_dim size;
  char error[160] = "";
  finder f = {.im = im};
  bool is_name = key[strcspn(key, "+-*/(,) ")] == 0;
  tenon_json range = tenon_json_get(&im->ranges, key);
  TENON_TRY(read_range(&range, INT64_MIN, &min, &max));
  tenon_pt2_expr with = {&im->m->symbols, symbols_find_symbol, &f,
                         error,           sizeof error,        false};
  tenon_pt2_expr_result result = tenon_pt2_expr_parse(&with, key, &size);
  if (f.failed) return f.status;
  if (result == TENON_PT2_EXPR_MEMORY) return tenon_pt2_memory(im);
  if (f.has_none || (is_name && f.has_gone)) return TENON_OK;
  if (f.has_unbacked != is_end) return TENON_OK;
  if (result != TENON_PT2_EXPR_OK && is_name && symbols_is_float(key) &&
      min == INT64_MIN && max == INT64_MAX)
    return TENON_OK;
  if (f.has_gone)
    return tenon_json_fail(&range, TENON_UNSUPPORTED, "pt2-symbol",
                           "a range of what a branch decides for itself");
  if (result != TENON_PT2_EXPR_OK)
    return tenon_json_fail(&range, TENON_UNSUPPORTED, "pt2-symbol",
                           "a range of an expression of sizes: %s", error);
  if (min != INT64_MIN)
    TENON_TRY(symbols_bound(im, size, tenon_dim_fixed(min), true, key));
  return max == INT64_MAX
             ? TENON_OK
             : symbols_bound(im, size, tenon_dim_fixed(max), false, key);
}

tenon_status tenon_pt2_range_guards(tenon_pt2 *im, bool is_end) {
  const char *key = NULL;
  json_t *child = NULL;
  if (!tenon_json_is(&im->ranges)) return TENON_OK;
  json_object_foreach((json_t *)(uintptr_t)im->ranges.value, key, child) {
    TENON_TRY(range_guard(im, key, is_end));
  }
  return im->m->arena.failed ? tenon_pt2_memory(im) : TENON_OK;
}

// ---------------------------------------------------------------------------
// Numbers of the graph
// ---------------------------------------------------------------------------

static tenon_arg make_size(tenon_pt2 *im, tenon_dim dim) {
  tenon_arg a = {"", TENON_KIND_INT, {0}};
  if (tenon_dim_is_fixed(dim)) {
    a.as.i = dim.value;
    return a;
  }
  tenon_dim *own =
      tenon_arena_copy(&im->m->arena, &dim, sizeof dim, _Alignof(tenon_dim));
  return own ? tenon_arg_dims("", own, 1) : a;
}

tenon_status tenon_pt2_fraction(tenon_pt2 *im, const char *text, tenon_dim *up,
                                tenon_dim *down) {
  char error[160] = "";
  finder f = {.im = im};
  tenon_pt2_expr with = {&im->m->symbols, symbols_find_symbol, &f,
                         error,           sizeof error,        false};
  tenon_pt2_expr_result result = tenon_pt2_expr_fraction(&with, text, up, down);
  if (result == TENON_PT2_EXPR_MEMORY) return tenon_pt2_memory(im);
  if (result != TENON_PT2_EXPR_OK) *up = tenon_dim_fixed(TENON_UNKNOWN);
  return f.failed ? f.status : TENON_OK;
}

// A float or a truth value: a literal, a symbol that a node finds out, or an
// expression, which is computed where it is needed.
static tenon_status read_other(tenon_pt2 *im, const tenon_json *at,
                               bool is_bool, tenon_pt2_name *out) {
  const char *tag = NULL;
  bool truth = false;
  tenon_json value;
  TENON_TRY(tenon_json_tag(at, &tag, &value));
  if (strcmp(tag, "as_float") == 0) {
    out->number.kind = TENON_KIND_FLOAT;
    return tenon_json_real(&value, &out->number.as.f);
  }
  if (strcmp(tag, "as_bool") == 0) {
    TENON_TRY(tenon_json_bool(&value, &truth));
    out->number = tenon_arg_bool("", truth);
    return TENON_OK;
  }
  const char *expression = NULL;
  TENON_TRY(tenon_json_text(tenon_json_at(&value, "expr_str"), &expression));
  static const char symbol[] = "Symbol('";
  size_t size = sizeof symbol - 1;
  bool is_symbol = strncmp(expression, symbol, size) == 0;
  const char *end = is_symbol ? strchr(expression + size, '\'') : NULL;
  out->kind = TENON_PT2_OPEN;
  out->what = expression;
  out->is_truth = is_bool;
  if (!end || !symbols_is_float(expression + size) || strchr(end, '('))
    return TENON_OK;
  finder f = {.im = im};
  tenon_dim dim = {0, 0};
  char *name = tenon_arena_text(&im->scratch, expression + size,
                                (size_t)(end - expression) - size);
  if (!name) return tenon_pt2_memory(im);
  bool found = symbols_find_symbol(&f, name, false, &dim);
  if (f.failed) return f.status;
  if (!found) return TENON_OK;
  out->kind = TENON_PT2_NUMBER;
  out->number = make_size(im, dim);
  return im->m->arena.failed ? tenon_pt2_memory(im) : TENON_OK;
}

tenon_status tenon_pt2_number(tenon_pt2_scope *s, const tenon_json *at,
                              const char *tag, const char *name,
                              tenon_pt2_name *out) {
  tenon_pt2 *im = s->im;
  memset(out, 0, sizeof *out);
  out->kind = TENON_PT2_NUMBER;
  bool is_int = strcmp(tag, "as_sym_int") == 0;
  bool is_bool = strcmp(tag, "as_sym_bool") == 0;
  const tenon_json *table = is_int    ? &s->ints
                            : is_bool ? &s->bools
                                      : &s->floats;
  tenon_json value = tenon_json_get(table, name);
  if (!tenon_json_is(&value)) {
    char label[TENON_LABEL];
    tenon_label_make(label, tenon_text_of(name));
    return tenon_json_fail(at, TENON_BAD_MODEL, "pt2-symbol",
                           "the graph does not say what '%s' is", label);
  }
  if (!is_int) return read_other(im, &value, is_bool, out);
  tenon_dim dim = {0, 0};
  TENON_TRY(tenon_pt2_size(im, &value, &dim));
  out->number = make_size(im, dim);
  return im->m->arena.failed ? tenon_pt2_memory(im) : TENON_OK;
}
