// core/schema/schema_parse.c - recursive descent over PyTorch's schema grammar.
//
//   schema   := name '(' [item {',' item}] ')' '->' returns
//   item     := '*' | argument
//   argument := type name ['=' default]
//   returns  := '(' [result {',' result}] ')' | result
//   result   := type [name]
//   type     := base {'?' | '[' [number] ']' | '(' alias ')'}
//   base     := dotted name | container '(' type {',' type} ')'
//             | '(' type {',' type} ')'
//   alias    := set ['!'] ['->' set];  set := '*' | name {'|' name}
//
// Suffixes bind to what stands left of them: `T?[]` is a list whose elements
// may be absent, `T[]?` a list that may be. Types of TorchScript that no
// attribute can hold (type variables, dictionaries, tuples, classes) are
// carried as text. Varargs are refused, since no operand has a name then.
//
// Only types nest, and not deeper than DEPTH_MOST; everything else is a loop.
#include <string.h>

#include "core/cursor.h"

// A default of T[n] is written once and kept n times, so n has a bound too.
enum { DEPTH_MOST = 16, ITEMS_MOST = 4096, LENGTH_MOST = 1024 };

// ---------------------------------------------------------------------------
// Types
// ---------------------------------------------------------------------------

static const struct base_row {
  const char *name;
  uint8_t base;
  bool is_symbolic;
} bases[] = {
    {"Tensor", TENON_BASE_TENSOR, false},
    {"int", TENON_BASE_INT, false},
    {"SymInt", TENON_BASE_INT, true},
    {"DeviceIndex", TENON_BASE_INT, false},
    {"float", TENON_BASE_FLOAT, false},
    {"SymFloat", TENON_BASE_FLOAT, true},
    {"bool", TENON_BASE_BOOL, false},
    {"SymBool", TENON_BASE_BOOL, true},
    {"str", TENON_BASE_STR, false},
    {"Scalar", TENON_BASE_SCALAR, false},
    {"number", TENON_BASE_SCALAR, false},
    {"ScalarType", TENON_BASE_DTYPE, false},
};

static const char *const containers[] = {"Dict", "Future", "RRef",  "Await",
                                         "List", "Tuple",  "Union", "Optional"};

static bool parse_type(tenon_cursor *c, tenon_argument *out, int depth);

// `(T, T, ...)`, the types of a container, or a tuple.
static bool parse_types(tenon_cursor *c, int depth) {
  tenon_argument inner;
  if (!tenon_cursor_expect(c, "(")) return false;
  do {
    if (!parse_type(c, &inner, depth + 1)) return false;
  } while (tenon_cursor_accept(c, ","));
  return tenon_cursor_accept(c, ")") || tenon_cursor_expected(c, "',' or ')'");
}

static bool parse_base(tenon_cursor *c, tenon_argument *out, int depth) {
  tenon_text name;
  out->base = TENON_BASE_NAME;
  if (tenon_cursor_peek(c) == '(') return parse_types(c, depth);
  if (!tenon_cursor_name(c, "a type", &name)) return false;
  if (c->text[c->at] == '.') {  // __torch__.torch.classes.rnn.CellParamsBase
    while (c->text[c->at] == '.') {
      ++c->at;
      if (!tenon_cursor_name(c, "a name behind '.'", &name)) return false;
    }
    return true;
  }
  for (size_t i = 0; i < sizeof bases / sizeof bases[0]; ++i) {
    if (!tenon_text_is(name, bases[i].name)) continue;
    out->base = bases[i].base;
    out->is_symbolic = bases[i].is_symbolic;
    return true;
  }
  for (size_t i = 0; i < sizeof containers / sizeof containers[0]; ++i) {
    if (tenon_text_is(name, containers[i]) && c->text[c->at] == '(')
      return parse_types(c, depth);
  }
  return true;
}

// A set of names without blanks, "a|b", into the arena.
static bool parse_set(tenon_cursor *c, const char **out) {
  tenon_cursor_skip(c);
  const char *start = c->text + c->at;
  tenon_text name;
  size_t size = 0;
  if (tenon_cursor_accept(c, "*")) {
    *out = "*";
    return true;
  }
  do {
    if (!tenon_cursor_name(c, "the name of an alias set", &name)) return false;
  } while (tenon_cursor_accept(c, "|"));
  char *copy = tenon_arena_text(c->arena, start,
                                (size_t)(name.data + name.size - start));
  if (!copy) return tenon_cursor_memory(c);
  for (const char *p = copy; *p; ++p) {
    if (*p != ' ' && *p != '\t' && *p != '\n' && *p != '\r') copy[size++] = *p;
  }
  copy[size] = 0;
  *out = copy;
  return true;
}

static bool parse_alias(tenon_cursor *c, tenon_argument *out) {
  const char *after = NULL;
  if (out->alias) return tenon_cursor_fail(c, c->at, "a second alias set");
  ++c->at;  // the opening parenthesis
  if (tenon_cursor_peek(c) == '!') {
    out->alias = "";  // a set that nothing else is in
  } else if (!parse_set(c, &out->alias)) {
    return false;
  }
  out->is_written = tenon_cursor_accept(c, "!");
  if (tenon_cursor_accept(c, "->") && !parse_set(c, &after)) return false;
  return tenon_cursor_accept(c, ")") ||
         tenon_cursor_expected(c, "')' behind the alias set");
}

static bool parse_length(tenon_cursor *c, int32_t *out) {
  size_t start = c->at;
  int64_t length = 0;
  tenon_text digits = tenon_cursor_word(c);
  *out = 0;
  if (digits.size == 0) return true;
  if (!tenon_text_int(digits, &length) || length < 1 || length > LENGTH_MOST)
    return tenon_cursor_fail(
        c, start, "expected a length from 1 to %d, found '%.*s'", LENGTH_MOST,
        digits.size > 40 ? 40 : (int)digits.size, digits.data);
  *out = (int32_t)length;
  return true;
}

static bool schema_parse_list(tenon_cursor *c, tenon_argument *out,
                              bool *is_nested) {
  ++c->at;  // the opening bracket
  if (out->is_list) *is_nested = true;
  if (out->is_optional) out->has_optional_elements = true;
  out->is_optional = false;
  out->is_list = true;
  return parse_length(c, &out->length) && tenon_cursor_expect(c, "]");
}

static uint32_t schema_kind_of(const tenon_argument *a) {
  if (a->is_list) {
    if (a->has_optional_elements) return 0;
    switch (a->base) {
      case TENON_BASE_INT:
        return TENON_KIND_INTS;
      case TENON_BASE_FLOAT:
        return TENON_KIND_FLOATS;
      case TENON_BASE_BOOL:
        return TENON_KIND_BOOLS;
      case TENON_BASE_SCALAR:
        return TENON_KIND_SCALARS;
      case TENON_BASE_STR:
        return TENON_KIND_STRS;
      default:
        return 0;
    }
  }
  switch (a->base) {
    case TENON_BASE_INT:
      return a->is_optional ? TENON_KIND_OPT_INT : TENON_KIND_INT;
    case TENON_BASE_FLOAT:
      return a->is_optional ? TENON_KIND_OPT_FLOAT : TENON_KIND_FLOAT;
    case TENON_BASE_BOOL:
      return a->is_optional ? TENON_KIND_OPT_BOOL : TENON_KIND_BOOL;
    case TENON_BASE_STR:
    case TENON_BASE_NAME:
      return TENON_KIND_STR;
    case TENON_BASE_SCALAR:
      return TENON_KIND_SCALAR;
    case TENON_BASE_DTYPE:
      return TENON_KIND_DTYPE;
    default:
      return 0;
  }
}

// The text of a type as it is printed: no blanks but behind ',' and around
// '->'.
static bool copy_text(tenon_cursor *c, size_t start, tenon_argument *out) {
  size_t longest = 3 * (c->at - start) + 1, size = 0;
  char *copy = tenon_arena_alloc(c->arena, longest, 1);
  if (!copy) return tenon_cursor_memory(c);
  for (const char *p = c->text + start; p < c->text + c->at; ++p) {
    if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') continue;
    if (*p == '-') copy[size++] = ' ';
    copy[size++] = *p;
    if (*p == ',' || *p == '>') copy[size++] = ' ';
  }
  copy[size] = 0;
  out->type_text = copy;
  return true;
}

static bool parse_type(tenon_cursor *c, tenon_argument *out, int depth) {
  bool is_nested = false, is_fine = true;
  memset(out, 0, sizeof *out);
  out->name = "";
  tenon_cursor_skip(c);
  size_t start = c->at;
  if (depth > DEPTH_MOST)
    return tenon_cursor_fail(c, start, "types nested more than %d deep",
                             DEPTH_MOST);
  if (!parse_base(c, out, depth)) return false;
  while (is_fine) {
    char next = c->text[c->at];
    if (next == '?') {
      out->is_optional = true;
      ++c->at;
    } else if (next == '[') {
      is_fine = schema_parse_list(c, out, &is_nested);
    } else if (next == '(') {
      is_fine = parse_alias(c, out);
    } else {
      break;
    }
  }
  if (!is_fine) return false;
  if (is_nested) out->base = TENON_BASE_NAME;
  out->kind = schema_kind_of(out);
  return depth > 0 || copy_text(c, start, out);
}

bool tenon_cursor_type(tenon_cursor *c, tenon_argument *out) {
  return parse_type(c, out, 0);
}

// ---------------------------------------------------------------------------
// Arguments and results
// ---------------------------------------------------------------------------

static bool refuse_varargs(tenon_cursor *c) {
  if (strncmp(c->text + c->at, "...", 3) != 0) return true;
  return tenon_cursor_fail(c, c->at,
                           "expected an argument, found '...': "
                           "varargs have no names to be told by");
}

static bool copy_name(tenon_cursor *c, tenon_text name, const char **out) {
  *out = tenon_arena_text(c->arena, name.data, name.size);
  return *out || tenon_cursor_memory(c);
}

static bool schema_is_taken(const tenon_argument *args, size_t n,
                            tenon_text name) {
  for (size_t i = 0; i < n; ++i) {
    if (tenon_text_is(name, args[i].name)) return true;
  }
  return false;
}

static bool parse_argument(tenon_cursor *c, const tenon_argument *before,
                           size_t n, tenon_argument *out) {
  tenon_text name;
  (void)tenon_cursor_peek(c);
  if (!refuse_varargs(c) || !tenon_cursor_type(c, out) ||
      !tenon_cursor_name(c, "a name for the argument", &name))
    return false;
  if (schema_is_taken(before, n, name))
    return tenon_cursor_fail(c, (size_t)(name.data - c->text),
                             "a second argument '%.*s'",
                             name.size > 40 ? 40 : (int)name.size, name.data);
  if (!copy_name(c, name, &out->name)) return false;
  return !tenon_cursor_accept(c, "=") || tenon_cursor_default(c, out);
}

static bool schema_make_room(tenon_cursor *c, size_t *room,
                             tenon_argument **list) {
  *room = tenon_cursor_items(c);
  if (*room > ITEMS_MOST)
    return tenon_cursor_fail(c, c->at, "more than %d of these", ITEMS_MOST);
  *list = tenon_arena_array(c->arena, tenon_argument, *room);
  return *list || tenon_cursor_memory(c);
}

static bool parse_arguments(tenon_cursor *c, tenon_schema *s) {
  tenon_argument *list = NULL;
  size_t room = 0, n = 0;
  bool is_keyword_only = false;
  if (!tenon_cursor_expect(c, "(") || !schema_make_room(c, &room, &list))
    return false;
  s->args = list;
  if (tenon_cursor_accept(c, ")")) return true;
  do {
    if (tenon_cursor_peek(c) == '*') {
      if (is_keyword_only) return tenon_cursor_expected(c, "an argument");
      ++c->at;
      is_keyword_only = true;
      if (!tenon_cursor_expect(c, ",")) return false;
    }
    if (!parse_argument(c, list, n, &list[n])) return false;
    list[n++].is_keyword_only = is_keyword_only;
  } while (tenon_cursor_accept(c, ","));
  s->n_args = (uint16_t)n;
  return tenon_cursor_accept(c, ")") || tenon_cursor_expected(c, "',' or ')'");
}

static bool parse_result(tenon_cursor *c, tenon_argument *out) {
  tenon_text name;
  (void)tenon_cursor_peek(c);
  if (!refuse_varargs(c) || !tenon_cursor_type(c, out)) return false;
  char next = tenon_cursor_peek(c);
  if (next == ',' || next == ')' || next == 0) return true;
  return tenon_cursor_name(c, "a name for the result", &name) &&
         copy_name(c, name, &out->name);
}

static bool parse_results(tenon_cursor *c, tenon_schema *s) {
  tenon_argument *list = NULL;
  size_t room = 0, n = 0;
  bool is_list = false;
  if (!tenon_cursor_expect(c, "->")) return false;
  is_list = tenon_cursor_accept(c, "(");
  if (!schema_make_room(c, &room, &list)) return false;
  s->returns = list;
  if (is_list && tenon_cursor_accept(c, ")")) return true;
  do {
    if (!parse_result(c, &list[n])) return false;
    ++n;
  } while (is_list && tenon_cursor_accept(c, ","));
  s->n_returns = (uint16_t)n;
  if (!is_list) return true;
  return tenon_cursor_accept(c, ")") || tenon_cursor_expected(c, "',' or ')'");
}

// ---------------------------------------------------------------------------
// The whole
// ---------------------------------------------------------------------------

// Whether two sets of names, "a|b", have one in common.
static bool share_mark(const char *a, const char *b) {
  tenon_text rest = tenon_text_of(a), x;
  while (tenon_text_next(&rest, '|', &x)) {
    tenon_text other = tenon_text_of(b), y;
    while (tenon_text_next(&other, '|', &y)) {
      if (x.size > 0 && x.size == y.size && memcmp(x.data, y.data, x.size) == 0)
        return true;
    }
  }
  return false;
}

static bool is_carried(const tenon_argument *result,
                       const tenon_argument *arg) {
  return result->base == TENON_BASE_TENSOR && result->is_written &&
         arg->is_written && share_mark(result->alias, arg->alias);
}

int tenon_schema_return_of(const tenon_schema *s, int result) {
  int tensor = 0;
  if (result < 0 || result >= s->n_returns) return -1;
  for (int i = 0; i < s->n_args; ++i) {
    if (s->args[i].base != TENON_BASE_TENSOR) continue;
    if (is_carried(&s->returns[result], &s->args[i])) return tensor;
    ++tensor;
  }
  return -1;
}

static bool count_arguments(tenon_cursor *c, tenon_schema *s) {
  uint16_t *written = tenon_arena_array(c->arena, uint16_t, s->n_args);
  if (!written) return tenon_cursor_memory(c);
  s->written = written;
  for (int i = 0; i < s->n_args; ++i) {
    const tenon_argument *arg = &s->args[i];
    bool is_result = false;
    if (arg->base != TENON_BASE_TENSOR) {
      ++s->n_attrs;
      continue;
    }
    for (int j = 0; j < s->n_returns; ++j)
      is_result |= is_carried(&s->returns[j], arg);
    if (arg->is_written && !is_result) written[s->n_written++] = s->n_tensors;
    ++s->n_tensors;
  }
  return true;
}

static bool schema_parse_name(tenon_cursor *c, tenon_schema *s) {
  tenon_text part;
  (void)tenon_cursor_peek(c);
  size_t start = c->at;
  if (!tenon_cursor_name(c, "an operator 'set::name'", &part)) return false;
  if (strncmp(c->text + c->at, "::", 2) != 0)
    return tenon_cursor_expected(c, "'::' behind the set");
  c->at += 2;
  if (!tenon_cursor_name(c, "a name behind '::'", &part)) return false;
  if (c->text[c->at] == '.') {
    ++c->at;
    if (!tenon_cursor_name(c, "an overload behind '.'", &part)) return false;
  }
  char *text = tenon_arena_text(c->arena, c->text + start, c->at - start);
  if (!text) return tenon_cursor_memory(c);
  return tenon_name_parse(c->arena, text, &s->name, &s->set, &s->base,
                          &s->overload) ||
         tenon_cursor_memory(c);
}

bool tenon_schema_parse(tenon_arena *arena, const char *text,
                        tenon_schema **out, char *error, size_t size,
                        size_t *at) {
  tenon_cursor c = {arena, text, 0, error, size, at};
  tenon_schema *s = tenon_arena_new(arena, tenon_schema);
  if (!s) return tenon_cursor_memory(&c);
  if (!schema_parse_name(&c, s) || !parse_arguments(&c, s) ||
      !parse_results(&c, s) || !count_arguments(&c, s))
    return false;
  if (tenon_cursor_peek(&c) != 0)
    return tenon_cursor_expected(&c, "the end of the schema");
  *out = s;
  return true;
}
