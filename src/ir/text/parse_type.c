// ir/text/parse_type.c - types, sizes and places.
//
// A size is an expression with the usual precedence; parentheses are the only
// recursion and are counted. A symbol may be used before its `dim` item says
// its range: it is made with any range, and narrowed later.
#include "core/dtype.h"
#include "ir/build.h"
#include "ir/text/parser.h"

// ---------------------------------------------------------------------------
// Sizes
// ---------------------------------------------------------------------------

// The symbol of a name, made when it is first met.
static bool parse_type_find_symbol(tenon_parser *p, const char *name,
                                   uint64_t **slot) {
  *slot = tenon_map_find_text(&p->symbols, name);
  if (*slot) return true;
  const char *copy = tenon_arena_string(&p->arena, name);
  // One range that allows a single number would not give a symbol.
  tenon_dim d = tenon_symbols_leaf(&p->m->symbols, name, INT64_MIN, INT64_MAX);
  if (!copy || d.symbol == 0) return tenon_parser_memory(p);
  *slot = tenon_map_put_text(&p->symbols, copy, (uint64_t)d.symbol * 2, NULL);
  return *slot || tenon_parser_memory(p);
}

static bool take_symbol_name(tenon_parser *p, uint64_t **slot) {
  tenon_text t = p->token.text;
  if (p->token.kind != TENON_TOKEN_WORD || memchr(t.data, ':', t.size))
    return tenon_parser_expected(p, "the name of a symbol");
  const char *name = tenon_arena_text(&p->arena, t.data, t.size);
  if (!name) return tenon_parser_memory(p);
  tenon_parser_next(p);
  return parse_type_find_symbol(p, name, slot);
}

bool tenon_parser_symbol(tenon_parser *p, tenon_dim *out) {
  uint64_t *slot = NULL;
  if (p->host)
    return tenon_parser_fail(p, &p->token,
                             "a symbol in a rule; sizes are those of operands, "
                             "'$x.dims[0]'");
  if (!tenon_parser_expect(p, '?')) return false;
  if (!p->token.is_glued || !take_symbol_name(p, &slot))
    return tenon_parser_expected(p, "the name of a symbol");
  out->symbol = (uint32_t)(*slot / 2);
  out->value = p->m->symbols.data[out->symbol].kind;
  return true;
}

// The size that the file holds for now.
static bool take_stored(tenon_parser *p, uint32_t symbol) {
  tenon_dim d = {0, symbol};
  int64_t size = 0;
  if (p->token.is_first || !tenon_parser_accept_word(p, "stored")) return true;
  if (!tenon_parser_int(p, &size)) return false;
  tenon_symbols_store(&p->m->symbols, d, size);
  return true;
}

// `dim f = float`: before any use, since uses have the kind.
static bool take_kind(tenon_parser *p, const tenon_token *at, uint64_t *slot,
                      bool is_new) {
  uint32_t id = (uint32_t)(*slot / 2);
  bool is_float = tenon_parser_is_word(p, "float");
  if (!is_new)
    return tenon_parser_fail(p, at, "a number that is no size is used above");
  tenon_parser_next(p);
  *slot |= 1;
  p->m->symbols.data[id].kind = is_float ? TENON_KIND_FLOAT : TENON_KIND_BOOL;
  return true;
}

// `dim n = 1..64 stored 7`, behind `dim`.
bool tenon_parser_range(tenon_parser *p) {
  uint64_t *slot = NULL;
  int64_t min = INT64_MIN, max = INT64_MAX;
  size_t n_symbols = p->symbols.count;
  if (!take_symbol_name(p, &slot) || !tenon_parser_expect(p, '=')) return false;
  const tenon_token at = p->token;
  if (tenon_parser_is_word(p, "float") || tenon_parser_is_word(p, "bool"))
    return take_kind(p, &at, slot, p->symbols.count > n_symbols);
  if (!tenon_parser_is(p, TENON_TOKEN_RANGE) && !tenon_parser_int(p, &min))
    return false;
  if (!tenon_parser_expect(p, TENON_TOKEN_RANGE)) return false;
  bool has_max = !p->token.is_first && (tenon_parser_is(p, '-') ||
                                        tenon_parser_is(p, TENON_TOKEN_NUMBER));
  if (has_max && !tenon_parser_int(p, &max)) return false;
  if (min > max) return tenon_parser_fail(p, &at, "a range without numbers");
  if (*slot & 1) return tenon_parser_fail(p, &at, "a symbol has two ranges");
  *slot |= 1;
  (void)tenon_symbols_narrow(&p->m->symbols, (uint32_t)(*slot / 2), min, max);
  return take_stored(p, (uint32_t)(*slot / 2));
}

// `guard le(?n, 64) "at most 64 rows"`, behind `guard`.
bool tenon_parser_guard(tenon_parser *p) {
  tenon_guard g = {0, {0, 0}, {0, 0}, NULL, false, 0};
  const tenon_token at = p->token;
  for (uint32_t r = TENON_RELATION_EQ; r <= TENON_RELATION_LE; ++r)
    if (!g.relation && tenon_parser_accept_word(p, tenon_relation_name(r)))
      g.relation = r;
  if (!g.relation) return tenon_parser_expected(p, "'eq', 'ne', 'lt' or 'le'");
  if (!tenon_parser_expect(p, '(') || !tenon_parser_size(p, &g.a) ||
      !tenon_parser_expect(p, ',') || !tenon_parser_size(p, &g.b) ||
      !tenon_parser_expect(p, ')'))
    return false;
  if (!tenon_dim_is_integer(g.a) || !tenon_dim_is_integer(g.b))
    return tenon_parser_fail(p, &at, "a condition on what is no size");
  if (tenon_parser_is(p, TENON_TOKEN_STRING) && !p->token.is_first &&
      !tenon_parser_text(p, &g.text))
    return false;
  return tenon_parser_built(
      p, tenon_build_guard(p->m, &g, tenon_parser_implied(p, &at)));
}

static bool parse_type_parse_sum(tenon_parser *p, tenon_dim *out, int depth);

static bool parse_type_apply(tenon_parser *p, const tenon_token *at,
                             tenon_dim_op op, tenon_dim *a, tenon_dim b) {
  if ((op == TENON_DIM_DIV || op == TENON_DIM_MOD) && tenon_dim_is_fixed(b) &&
      b.value == 0)
    return tenon_parser_fail(p, at, "a size divided by zero");
  *a = tenon_symbols_apply(&p->m->symbols, op, *a, b);
  if (p->m->arena.failed) return tenon_parser_memory(p);
  if (a->symbol != 0 || a->value != TENON_UNKNOWN) return true;
  return tenon_parser_fail(p, at, "a size that does not fit 64 bits");
}

// min(a,b), max(a,b)
static bool parse_extreme(tenon_parser *p, tenon_dim *out, int depth) {
  const tenon_token at = p->token;
  tenon_dim b = {0, 0};
  bool is_min = tenon_parser_is_word(p, "min");
  tenon_parser_next(p);
  return tenon_parser_expect(p, '(') &&
         parse_type_parse_sum(p, out, depth + 1) &&
         tenon_parser_expect(p, ',') &&
         parse_type_parse_sum(p, &b, depth + 1) &&
         tenon_parser_expect(p, ')') &&
         parse_type_apply(p, &at, is_min ? TENON_DIM_MIN : TENON_DIM_MAX, out,
                          b);
}

// The operation on floats that the word names; 0: none.
static tenon_dim_op real_op(const tenon_parser *p) {
  for (int op = TENON_DIM_FLOAT; op <= TENON_DIM_ROUND; ++op)
    if (tenon_parser_is_word(p, tenon_dim_op_name((tenon_dim_op)op)))
      return (tenon_dim_op)op;
  return (tenon_dim_op)0;
}

bool tenon_parser_is_size_call(const tenon_parser *p) {
  return tenon_parser_is_word(p, "min") || tenon_parser_is_word(p, "max") ||
         real_op(p) != 0;
}

static bool parse_real_call(tenon_parser *p, tenon_dim_op op, tenon_dim *out,
                            int depth);

// A float: a number, a symbol that is one, or what is made of floats.
static bool parse_real(tenon_parser *p, tenon_dim *out, int depth) {
  const tenon_token at = p->token;
  double value = 0;
  tenon_dim_op op = real_op(p);
  if (tenon_dim_op_makes_float(op)) return parse_real_call(p, op, out, depth);
  if (tenon_parser_is(p, '?')) {
    if (!tenon_parser_symbol(p, out)) return false;
    return out->value == TENON_KIND_FLOAT ||
           tenon_parser_fail(p, &at, "a size where a float stands");
  }
  if (!tenon_parser_double(p, &value)) return false;
  *out = tenon_dim_real(value);
  return true;
}

// fmul(float(?n),0.3), floor(...)
static bool parse_real_call(tenon_parser *p, tenon_dim_op op, tenon_dim *out,
                            int depth) {
  const tenon_token at = p->token;
  tenon_dim b = {0, 0};
  if (depth > TENON_MAX_NESTING)
    return tenon_parser_fail(p, &at, "a size in more than %d parentheses",
                             TENON_MAX_NESTING);
  tenon_parser_next(p);
  if (!tenon_parser_expect(p, '(')) return false;
  if (op == TENON_DIM_FLOAT ? !parse_type_parse_sum(p, out, depth + 1)
                            : !parse_real(p, out, depth + 1))
    return false;
  bool has_two = op >= TENON_DIM_FADD && op <= TENON_DIM_FDIV;
  if (has_two &&
      (!tenon_parser_expect(p, ',') || !parse_real(p, &b, depth + 1)))
    return false;
  return tenon_parser_expect(p, ')') && parse_type_apply(p, &at, op, out, b);
}

static bool parse_type_parse_atom(tenon_parser *p, tenon_dim *out, int depth) {
  if (depth > TENON_MAX_NESTING)
    return tenon_parser_fail(p, &p->token, "a size in more than %d parentheses",
                             TENON_MAX_NESTING);
  if (tenon_parser_is(p, '?')) return tenon_parser_symbol(p, out);
  if (p->host && tenon_parser_is(p, '$')) return p->host->size(p, out);
  if (tenon_parser_is_word(p, "min") || tenon_parser_is_word(p, "max"))
    return parse_extreme(p, out, depth);
  if (real_op(p) == TENON_DIM_FLOOR || real_op(p) == TENON_DIM_ROUND)
    return parse_real_call(p, real_op(p), out, depth);
  if (tenon_parser_accept(p, '('))
    return parse_type_parse_sum(p, out, depth + 1) &&
           tenon_parser_expect(p, ')');
  if (!tenon_parser_is(p, '-') && !tenon_parser_is(p, TENON_TOKEN_NUMBER))
    return tenon_parser_expected(p, "a size");
  out->symbol = 0;
  return tenon_parser_int(p, &out->value);
}

static bool parse_type_parse_product(tenon_parser *p, tenon_dim *out,
                                     int depth) {
  if (!parse_type_parse_atom(p, out, depth)) return false;
  for (;;) {
    const tenon_token at = p->token;
    tenon_dim b = {0, 0};
    tenon_dim_op op = at.kind == '*'   ? TENON_DIM_MUL
                      : at.kind == '/' ? TENON_DIM_DIV
                                       : TENON_DIM_MOD;
    if (at.kind != '*' && at.kind != '/' && at.kind != '%') return true;
    tenon_parser_next(p);
    if (!parse_type_parse_atom(p, &b, depth) ||
        !parse_type_apply(p, &at, op, out, b))
      return false;
  }
}

static bool parse_type_parse_sum(tenon_parser *p, tenon_dim *out, int depth) {
  if (!parse_type_parse_product(p, out, depth)) return false;
  for (;;) {
    const tenon_token at = p->token;
    tenon_dim b = {0, 0};
    if (at.kind != '+' && at.kind != '-') return true;
    tenon_parser_next(p);
    if (!parse_type_parse_product(p, &b, depth)) return false;
    if (!parse_type_apply(
            p, &at, at.kind == '+' ? TENON_DIM_ADD : TENON_DIM_SUB, out, b))
      return false;
  }
}

bool tenon_parser_size(tenon_parser *p, tenon_dim *out) {
  return parse_type_parse_sum(p, out, 0);
}

// ---------------------------------------------------------------------------
// Quantisation
// ---------------------------------------------------------------------------

typedef struct channels {
  TENON_VEC(float) scale;
  TENON_VEC(int32_t) zero;
} channels;

static bool take_scale(tenon_parser *p, channels *c) {
  double value = 0;
  if (!tenon_parser_double(p, &value)) return false;
  return tenon_vec_push(&c->scale, (float)value) || tenon_parser_memory(p);
}

static bool take_int32(tenon_parser *p, int32_t *out) {
  const tenon_token at = p->token;
  int64_t value = 0;
  if (!tenon_parser_int(p, &value)) return false;
  if (value < INT32_MIN || value > INT32_MAX)
    return tenon_parser_fail(p, &at, "a number does not fit 32 bits");
  *out = (int32_t)value;
  return true;
}

static bool take_zero(tenon_parser *p, channels *c) {
  int32_t value = 0;
  if (!take_int32(p, &value)) return false;
  return tenon_vec_push(&c->zero, value) || tenon_parser_memory(p);
}

static bool take_list(tenon_parser *p, channels *c,
                      bool (*take)(tenon_parser *p, channels *c)) {
  if (!tenon_parser_expect(p, '[')) return false;
  do {
    if (!take(p, c)) return false;
  } while (tenon_parser_accept(p, ','));
  return tenon_parser_expect(p, ']');
}

static bool take_channels(tenon_parser *p, channels *c, tenon_quant *q) {
  const tenon_token at = p->token;
  bool is_list = tenon_parser_is(p, '[');
  bool done = is_list ? take_list(p, c, take_scale) : take_scale(p, c);
  if (!done || !tenon_parser_expect(p, ':')) return false;
  done = is_list ? take_list(p, c, take_zero) : take_zero(p, c);
  if (!done) return false;
  if (c->scale.count != c->zero.count || c->scale.count > INT32_MAX)
    return tenon_parser_fail(p, &at, "%zu scales with %zu zero points",
                             c->scale.count, c->zero.count);
  if (is_list && (!tenon_parser_expect(p, '@') || !take_int32(p, &q->axis)))
    return false;
  if (is_list && tenon_parser_accept(p, '/') && !take_int32(p, &q->block))
    return false;
  q->scale = c->scale.data;
  q->zero = c->zero.data;
  q->channels = (int32_t)c->scale.count;
  return tenon_parser_expect(p, '}');
}

// Behind the opening brace.
static bool parse_quant(tenon_parser *p, const tenon_quant **out) {
  tenon_quant q = {NULL, NULL, 0, 0, 0};
  channels c;
  tenon_vec_init(&c.scale, p->m->arena.allocator);
  tenon_vec_init(&c.zero, p->m->arena.allocator);
  bool done = take_channels(p, &c, &q);
  if (done) {
    *out = tenon_quant_copy(&p->arena, &q);
    if (!*out) done = tenon_parser_memory(p);
  }
  tenon_vec_deinit(&c.scale);
  tenon_vec_deinit(&c.zero);
  return done;
}

// ---------------------------------------------------------------------------
// Types
// ---------------------------------------------------------------------------

static bool parse_dims(tenon_parser *p, tenon_type *out) {
  tenon_dim dims[TENON_MAX_RANK];
  if (tenon_parser_accept(p, ']')) return true;
  do {
    if (out->rank == TENON_MAX_RANK)
      return tenon_parser_fail(p, &p->token, "more than %d dimensions",
                               TENON_MAX_RANK);
    if (!tenon_parser_size(p, &dims[out->rank])) return false;
    ++out->rank;
  } while (tenon_parser_accept(p, ','));
  out->dims = tenon_arena_copy(&p->arena, dims, out->rank * sizeof *dims,
                               _Alignof(tenon_dim));
  if (!out->dims) return tenon_parser_memory(p);
  return tenon_parser_expect(p, ']');
}

bool tenon_parser_type(tenon_parser *p, tenon_type *out) {
  memset(out, 0, sizeof *out);
  if (p->host && tenon_parser_is(p, '$')) {
    if (!p->host->dtype(p, &out->dtype)) return false;
  } else {
    if (tenon_parser_is(p, TENON_TOKEN_WORD))
      out->dtype = tenon_dtype_find(p->token.text);
    if (out->dtype == 0) return tenon_parser_expected(p, "a type");
    tenon_parser_next(p);
  }
  if (tenon_parser_is(p, '[') && p->token.is_glued) {
    tenon_parser_next(p);
    if (!parse_dims(p, out)) return false;
  }
  if (tenon_parser_is(p, '!') && p->token.is_glued) {
    tenon_parser_next(p);
    out->flags |= TENON_TYPE_NUMBER;
  }
  if (!tenon_parser_is(p, '{') || !p->token.is_glued) return true;
  tenon_parser_next(p);
  return parse_quant(p, &out->quant);
}

// ---------------------------------------------------------------------------
// Places
// ---------------------------------------------------------------------------

static bool take_offset(tenon_parser *p, uint64_t *out) {
  const tenon_token at = p->token;
  int64_t value = 0;
  if (!tenon_parser_int(p, &value)) return false;
  if (value < 0) return tenon_parser_fail(p, &at, "a place before the file");
  *out = (uint64_t)value;
  return true;
}

static bool parse_simple_place(tenon_parser *p, tenon_loc *out) {
  tenon_place place = {p->m->name, NULL, NULL, 0, 0};
  if (!tenon_parser_text(p, &place.where)) return false;
  if (tenon_parser_is(p, TENON_TOKEN_STRING) && !p->token.is_first &&
      !tenon_parser_text(p, &place.origin))
    return false;
  if (tenon_parser_is_word(p, "in") && !p->token.is_first) {
    tenon_parser_next(p);
    if (!tenon_parser_text(p, &place.file)) return false;
  }
  if (tenon_parser_is_word(p, "bytes") && !p->token.is_first) {
    tenon_parser_next(p);
    if (!take_offset(p, &place.offset) || !tenon_parser_expect(p, ':') ||
        !take_offset(p, &place.size))
      return false;
    if (place.size == 0) place.offset = 0;
  }
  *out = tenon_locs_add(&p->m->locs, &place);
  return *out != 0 || tenon_parser_memory(p);
}

static bool parse_fused_place(tenon_parser *p, tenon_loc *out) {
  TENON_VEC(tenon_loc) parts;
  tenon_loc part = 0;
  bool done = true;
  tenon_vec_init(&parts, p->m->arena.allocator);
  do {
    done = parse_simple_place(p, &part);
    if (done && !tenon_vec_push(&parts, part)) done = tenon_parser_memory(p);
  } while (done && tenon_parser_accept(p, ','));
  done = done && tenon_parser_expect(p, ')');
  if (done) {
    *out = tenon_locs_fuse(&p->m->locs, parts.data, parts.count);
    if (*out == 0) done = tenon_parser_memory(p);
  }
  tenon_vec_deinit(&parts);
  return done;
}

bool tenon_parser_place(tenon_parser *p, const tenon_token *at,
                        tenon_loc *out) {
  if (p->host) return p->host->place(p, at, out);
  if (!tenon_parser_accept(p, '@')) {
    *out = tenon_parser_implied(p, at);
    return *out != 0 || tenon_parser_memory(p);
  }
  if (!tenon_parser_accept_word(p, "fused")) return parse_simple_place(p, out);
  return tenon_parser_expect(p, '(') && parse_fused_place(p, out);
}
