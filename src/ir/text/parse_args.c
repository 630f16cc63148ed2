// ir/text/parse_args.c - attributes: [gain=0.5, dims=[1, ?n], mode="add"].
//
// Values are read by their looks alone; core/attr.c converts them to what the
// schema asks, and for an operator without a schema the looks are all there is.
// A list is read as Scalars first and then brought to the narrowest kind.
#include "core/dtype.h"
#include "ir/text/parser.h"

// An element of a list, or a single number or word.
typedef struct item {
  uint32_t kind;  // BOOL, INT, FLOAT, DIMS, DTYPE, STR; 0: none
  tenon_scalar scalar;
  tenon_dim dim;
  const char *text;
} item;

static item int_item(uint32_t kind, int64_t value) {
  item it = {kind, {kind, {0}}, {value, 0}, NULL};
  it.scalar.as.i = value;
  return it;
}

static bool parse_number(tenon_parser *p, item *out) {
  const tenon_token at = p->token;
  tenon_text text;
  int64_t whole = 0;
  double real = 0;
  if (!tenon_parser_number(p, &text)) return false;
  if (tenon_text_int(text, &whole)) {
    *out = int_item(TENON_KIND_INT, whole);
    return true;
  }
  if (!tenon_text_double(text, &real))
    return tenon_parser_fail(p, &at, "'%.*s' is no value",
                             text.size > 40 ? 40 : (int)text.size, text.data);
  *out = int_item(TENON_KIND_FLOAT, 0);
  out->scalar.as.f = real;
  return true;
}

// Whether a size with a symbol comes: it starts with one, or a word or bracket
// of an expression. Expressions that start with a number are printed otherwise.
static bool parse_args_is_size(const tenon_parser *p) {
  return tenon_parser_is(p, '?') || tenon_parser_is(p, '(') ||
         tenon_parser_is_size_call(p);
}

static bool parse_args_parse_item(tenon_parser *p, item *out) {
  tenon_dtype dtype = 0;
  if (parse_args_is_size(p)) {
    *out = int_item(TENON_KIND_DIMS, 0);
    return tenon_parser_size(p, &out->dim);
  }
  if (tenon_parser_is(p, TENON_TOKEN_STRING)) {
    *out = int_item(TENON_KIND_STR, 0);
    return tenon_parser_text(p, &out->text);
  }
  bool is_true = tenon_parser_is_word(p, "true");
  if (is_true || tenon_parser_is_word(p, "false")) {
    *out = int_item(TENON_KIND_BOOL, is_true);
  } else if (tenon_parser_is_word(p, "none")) {
    *out = int_item(0, 0);
  } else {
    if (tenon_parser_is(p, TENON_TOKEN_WORD))
      dtype = tenon_dtype_find(p->token.text);
    if (dtype == 0) return parse_number(p, out);
    *out = int_item(TENON_KIND_DTYPE, dtype);
  }
  tenon_parser_next(p);
  return true;
}

typedef TENON_VEC(item) item_list;

static bool parse_args_all_of(const item_list *list, uint32_t kind) {
  for (size_t i = 0; i < list->count; ++i) {
    if (list->data[i].kind != kind) return false;
  }
  return true;
}

static bool any_of(const item_list *list, uint32_t kind) {
  for (size_t i = 0; i < list->count; ++i) {
    if (list->data[i].kind == kind) return true;
  }
  return false;
}

#define STORE(name, T, kind, member, of_item) \
  TENON_PARSER_LIST(name, item_list, T, kind, member, list->data[i].of_item)
STORE(store_dims, tenon_dim, TENON_KIND_DIMS, dims, dim)
STORE(store_ints, int64_t, TENON_KIND_INTS, ints, scalar.as.i)
STORE(store_floats, double, TENON_KIND_FLOATS, floats, scalar.as.f)
STORE(store_bools, bool, TENON_KIND_BOOLS, bools, scalar.as.i != 0)
STORE(store_scalars, tenon_scalar, TENON_KIND_SCALARS, scalars, scalar)
STORE(store_texts, const char *, TENON_KIND_STRS, strs, text)

static bool store_list(tenon_parser *p, const tenon_token *at,
                       const item_list *list, tenon_arg *out) {
  bool has_sizes = any_of(list, TENON_KIND_DIMS);
  bool has_texts = any_of(list, TENON_KIND_STR);
  for (size_t i = 0; i < list->count; ++i) {
    uint32_t kind = list->data[i].kind;
    if (kind == TENON_KIND_DTYPE || (has_texts && kind != TENON_KIND_STR) ||
        (has_sizes && kind != TENON_KIND_DIMS && kind != TENON_KIND_INT))
      return tenon_parser_fail(p, at, "a list of what does not go together");
  }
  if (has_texts) return store_texts(p, list, out);
  if (has_sizes) return store_dims(p, list, out);
  if (parse_args_all_of(list, TENON_KIND_INT)) return store_ints(p, list, out);
  if (parse_args_all_of(list, TENON_KIND_FLOAT))
    return store_floats(p, list, out);
  if (parse_args_all_of(list, TENON_KIND_BOOL))
    return store_bools(p, list, out);
  return store_scalars(p, list, out);
}

// Behind the opening bracket.
static bool parse_args_parse_list(tenon_parser *p, tenon_arg *out) {
  const tenon_token at = p->token;
  item_list list;
  item it;
  bool done = true;
  tenon_vec_init(&list, p->m->arena.allocator);
  while (done && !tenon_parser_is(p, ']')) {
    if (list.count > 0) done = tenon_parser_expect(p, ',');
    done = done && parse_args_parse_item(p, &it);
    if (done && !tenon_vec_push(&list, it)) done = tenon_parser_memory(p);
  }
  done = done && tenon_parser_expect(p, ']') && store_list(p, &at, &list, out);
  tenon_vec_deinit(&list);
  return done;
}

static bool store_item(tenon_parser *p, const item *it, tenon_arg *out) {
  out->kind = it->kind;
  if (it->kind == TENON_KIND_FLOAT) {
    out->as.f = it->scalar.as.f;
  } else if (it->kind == TENON_KIND_STR) {
    out->as.s = it->text;
  } else if (it->kind != TENON_KIND_DIMS) {
    out->as.i = it->scalar.as.i;
  } else {
    tenon_dim *dim = tenon_arena_copy(&p->arena, &it->dim, sizeof it->dim,
                                      _Alignof(tenon_dim));
    if (!dim) return tenon_parser_memory(p);
    out->as.dims.data = dim;
    out->as.dims.count = 1;
  }
  return true;
}

static bool parse_value(tenon_parser *p, tenon_arg *out) {
  item it;
  if (p->host) return p->host->attribute(p, out);
  if (tenon_parser_accept(p, '[')) return parse_args_parse_list(p, out);
  return parse_args_parse_item(p, &it) && store_item(p, &it, out);
}

static bool parse_arg(tenon_parser *p, tenon_arg *out) {
  memset(out, 0, sizeof *out);
  if (tenon_parser_is(p, TENON_TOKEN_STRING)) {
    if (!tenon_parser_text(p, &out->name)) return false;
  } else if (tenon_parser_is(p, TENON_TOKEN_WORD)) {
    out->name =
        tenon_arena_text(&p->arena, p->token.text.data, p->token.text.size);
    if (!out->name) return tenon_parser_memory(p);
    tenon_parser_next(p);
  } else {
    return tenon_parser_expected(p, "the name of an attribute");
  }
  return tenon_parser_expect(p, '=') && parse_value(p, out);
}

bool tenon_parser_args(tenon_parser *p, const tenon_arg **out,
                       const tenon_token **places) {
  TENON_VEC(tenon_arg) list;
  TENON_VEC(tenon_token) at;
  tenon_arg arg;
  bool done = true;
  tenon_vec_init(&list, p->m->arena.allocator);
  tenon_vec_init(&at, p->m->arena.allocator);
  while (done && !tenon_parser_is(p, ']')) {
    if (list.count > 0) done = tenon_parser_expect(p, ',');
    const tenon_token name = p->token;
    done = done && parse_arg(p, &arg);
    if (done && (!tenon_vec_push(&list, arg) || !tenon_vec_push(&at, name)))
      done = tenon_parser_memory(p);
  }
  memset(&arg, 0, sizeof arg);
  done = done && tenon_parser_expect(p, ']');
  if (done && !tenon_vec_push(&list, arg)) done = tenon_parser_memory(p);
  if (done) {
    *out = tenon_arena_copy(&p->arena, list.data, list.count * sizeof arg,
                            _Alignof(tenon_arg));
    *places = tenon_arena_copy(&p->arena, at.data, at.count * sizeof *at.data,
                               _Alignof(tenon_token));
    if (!*out || !*places) done = tenon_parser_memory(p);
  }
  tenon_vec_deinit(&at);
  tenon_vec_deinit(&list);
  return done;
}
