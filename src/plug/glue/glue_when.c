// How: one pass over the text, which writes calls of small functions of C
// (tenon_glue_when_helpers). Numbers are int64_t with INT64_MIN for one that is
// not known, truths 0, 1 and 2 likewise: a dimension that is not there makes a
// condition unknown and not true, and `and` and `or` need not know both sides,
// as in the conditions of lowerings.
#include <stdio.h>
#include <string.h>

#include "base/chars.h"
#include "plug/glue/glue.h"

// Bytes of a condition: what it becomes is longer, and compilers have limits.
enum { MOST = 1000 };

typedef enum kind { FAILED, NUMBER, TRUTH } kind;

typedef struct translating {
  const tenon_bind_op *op;
  const char *text;
  size_t at;
  int depth;
  size_t error_at;
  char error[192];
} translating;

static kind when_parse_or(translating *t, tenon_buf *out);

// ---------------------------------------------------------------------------
// Words
// ---------------------------------------------------------------------------

static void when_skip(translating *t) {
  while (t->text[t->at] && strchr(" \t\r\n", t->text[t->at]))
    ++t->at;
}

static kind when_fail(translating *t, size_t at, const char *what) {
  if (t->error[0]) return FAILED;
  snprintf(t->error, sizeof t->error, "%s", what);
  t->error_at = at;
  return FAILED;
}

// Takes the sign or the whole word, if it stands here.
static bool when_accept(translating *t, const char *what) {
  size_t size = strlen(what);
  when_skip(t);
  if (strncmp(t->text + t->at, what, size) != 0) return false;
  if (tenon_char_is_in_name(what[0]) &&
      tenon_char_is_in_name(t->text[t->at + size]))
    return false;
  t->at += size;
  return true;
}

static tenon_text when_take_word(translating *t) {
  tenon_text word = {t->text + t->at, 0};
  while (tenon_char_is_in_name(t->text[t->at + word.size]))
    ++word.size;
  t->at += word.size;
  return word;
}

static const tenon_bind_param *find_param(const translating *t,
                                          tenon_text name) {
  for (uint16_t i = 0; i < t->op->n_params; ++i)
    if (tenon_text_is(name, t->op->params[i].name)) return &t->op->params[i];
  return NULL;
}

static kind when_unknown_name(translating *t, size_t at, tenon_text name) {
  char copy[64], text[160];
  tenon_nearest near;
  snprintf(copy, sizeof copy, "%.*s", name.size > 60 ? 60 : (int)name.size,
           name.data);
  tenon_nearest_init(&near, copy);
  for (uint16_t i = 0; i < t->op->n_params; ++i)
    tenon_nearest_feed(&near, t->op->params[i].name);
  snprintf(text, sizeof text, "the operator has no '%s'%s%s%s", copy,
           TENON_DID_YOU_MEAN(near.best));
  return when_fail(t, at, text);
}

// ---------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------

static bool put_index(translating *t, tenon_buf *out) {
  bool is_negative = when_accept(t, "-");
  when_skip(t);
  size_t at = t->at;
  int64_t index = 0;
  tenon_text word = when_take_word(t);
  if (!tenon_text_int(word, &index) || index > 1000) {
    (void)when_fail(t, at, "expected a number of an element");
    return false;
  }
  tenon_buf_format(out, ", %s%lld)", is_negative ? "-" : "", (long long)index);
  if (when_accept(t, "]")) return true;
  (void)when_fail(t, t->at, "expected ']'");
  return false;
}

static kind when_put_tensor(translating *t, const tenon_bind_param *p,
                            tenon_buf *out) {
  if (p->argument->is_list)
    return when_fail(t, t->at, "a list of tensors has no sizes of its own");
  if (when_accept(t, ".rank")) {
    tenon_buf_text(out, "w_rank(&");
    tenon_glue_tensor(out, t->op, p);
    tenon_buf_char(out, ')');
    return NUMBER;
  }
  if (!when_accept(t, ".dims") || !when_accept(t, "["))
    return when_fail(t, t->at, "expected '.rank' or '.dims[0]' of a tensor");
  tenon_buf_text(out, "w_dim(&");
  tenon_glue_tensor(out, t->op, p);
  return put_index(t, out) ? NUMBER : FAILED;
}

static kind when_put_attr(translating *t, size_t at, const tenon_bind_param *p,
                          tenon_buf *out) {
  switch (p->argument->kind) {
    case TENON_KIND_INT:
      tenon_glue_attr(out, t->op, p);
      return NUMBER;
    case TENON_KIND_BOOL:
      tenon_buf_char(out, '(');
      tenon_glue_attr(out, t->op, p);
      tenon_buf_text(out, " ? 1 : 0)");
      return TRUTH;
    case TENON_KIND_INTS:
      if (!when_accept(t, "["))
        return when_fail(t, t->at,
                         "expected an element of the list, such as [0]");
      tenon_buf_text(out, "w_at(");
      tenon_glue_attr(out, t->op, p);
      return put_index(t, out) ? NUMBER : FAILED;
    default:
      return when_fail(
          t, at, "of attributes there are 'int', 'bool' and 'int[]' here");
  }
}

static kind when_parse_name(translating *t, tenon_buf *out) {
  size_t at = t->at - 1;
  tenon_text name = when_take_word(t);
  const tenon_bind_param *p = find_param(t, name);
  if (!p) return when_unknown_name(t, at, name);
  return p->role == TENON_BIND_ATTR ? when_put_attr(t, at, p, out)
                                    : when_put_tensor(t, p, out);
}

static kind when_parse_value(translating *t, tenon_buf *out) {
  int64_t number = 0;
  if (when_accept(t, "(")) {
    if (++t->depth > 32) return when_fail(t, t->at, "too many parentheses");
    kind inner = when_parse_or(t, out);
    --t->depth;
    if (inner == FAILED || when_accept(t, ")")) return inner;
    return when_fail(t, t->at, "expected ')'");
  }
  if (when_accept(t, "$")) return when_parse_name(t, out);
  if (when_accept(t, "true") || when_accept(t, "false")) {
    tenon_buf_char(out, t->text[t->at - 2] == 'u' ? '1' : '0');
    return TRUTH;
  }
  when_skip(t);
  size_t at = t->at;
  bool is_negative = when_accept(t, "-");
  tenon_text word = when_take_word(t);
  if (!tenon_text_int(word, &number))
    return when_fail(
        t, at, "expected a number, '$x.dims[0]', '$x.rank' or an attribute");
  tenon_buf_format(out, "INT64_C(%s%lld)", is_negative ? "-" : "",
                   (long long)number);
  return NUMBER;
}

// ---------------------------------------------------------------------------
// Operators, by how tightly they bind
// ---------------------------------------------------------------------------

typedef kind parse_fn(translating *t, tenon_buf *out);

// The sign among `signs` that stands here, by how the helper knows it; 0: none.
static char find_sign(translating *t, const char *const *signs) {
  for (; *signs; signs += 2)
    if (when_accept(t, signs[0])) return signs[1][0];
  return 0;
}

// left (sign right)*, as "w_num('+', left, right)".
static kind when_parse_chain(translating *t, tenon_buf *out, parse_fn *inner,
                             const char *const *signs, const char *helper,
                             kind takes, kind gives) {
  size_t start = out->size, at = t->at;
  kind left = inner(t, out);
  for (;;) {
    char sign = left == FAILED ? 0 : find_sign(t, signs);
    if (!sign) return left;
    tenon_buf right;
    tenon_buf_init(&right, out->allocator);
    kind other = inner(t, &right);
    char *before = out->failed ? NULL : out->data + start;
    tenon_buf whole;
    tenon_buf_init(&whole, out->allocator);
    tenon_buf_format(&whole, "%s('%c', %s, %s)", helper, sign,
                     before ? before : "", right.data ? right.data : "");
    out->size = start;
    tenon_buf_text(out, whole.data ? whole.data : "");
    out->failed |= whole.failed || right.failed;
    tenon_buf_deinit(&right);
    tenon_buf_deinit(&whole);
    if (other == FAILED) return FAILED;
    if (left != takes || other != takes)
      return when_fail(t, at,
                       takes == NUMBER ? "expected numbers on both sides"
                                       : "expected conditions on both sides");
    left = gives;
  }
}

static kind when_parse_product(translating *t, tenon_buf *out) {
  static const char *const signs[] = {"*", "*", "/", "/", "%", "%", NULL};
  return when_parse_chain(t, out, when_parse_value, signs, "w_num", NUMBER,
                          NUMBER);
}

static kind when_parse_sum(translating *t, tenon_buf *out) {
  static const char *const signs[] = {"+", "+", "-", "-", NULL};
  return when_parse_chain(t, out, when_parse_product, signs, "w_num", NUMBER,
                          NUMBER);
}

static kind parse_relation(translating *t, tenon_buf *out) {
  static const char *const signs[] = {
      "==", "=", "!=", "!", "<=", "l", ">=", "g", "<", "<", ">", ">", NULL};
  return when_parse_chain(t, out, when_parse_sum, signs, "w_is", NUMBER, TRUTH);
}

static kind when_parse_not(translating *t, tenon_buf *out) {
  if (!when_accept(t, "not")) return parse_relation(t, out);
  if (++t->depth > 32) return when_fail(t, t->at, "too many 'not'");
  size_t at = t->at;
  tenon_buf_text(out, "w_not(");
  kind inner = when_parse_not(t, out);
  tenon_buf_char(out, ')');
  --t->depth;
  if (inner == NUMBER)
    return when_fail(t, at, "expected a condition behind 'not'");
  return inner;
}

static kind when_parse_and(translating *t, tenon_buf *out) {
  static const char *const signs[] = {"and", "&", NULL};
  return when_parse_chain(t, out, when_parse_not, signs, "w_both", TRUTH,
                          TRUTH);
}

static kind when_parse_or(translating *t, tenon_buf *out) {
  static const char *const signs[] = {"or", "|", NULL};
  return when_parse_chain(t, out, when_parse_and, signs, "w_both", TRUTH,
                          TRUTH);
}

// ---------------------------------------------------------------------------
// The whole
// ---------------------------------------------------------------------------

tenon_status tenon_bindings_when(const tenon_bindings *b,
                                 const tenon_bind_op *op, const tenon_yaml *at,
                                 const char **out) {
  translating t = {.op = op};
  tenon_buf text;
  TENON_TRY(tenon_yaml_text(at, &t.text));
  if (at->text.size > MOST)
    return tenon_yaml_fail(at, "binding-when",
                           "a condition of %zu bytes, of at most %d",
                           at->text.size, MOST);
  tenon_buf_init(&text, b->cx->allocator);
  kind whole = when_parse_or(&t, &text);
  when_skip(&t);
  if (whole == NUMBER)
    (void)when_fail(&t, 0, "expected a condition, found a number");
  if (t.text[t.at])
    (void)when_fail(&t, t.at, "expected 'and', 'or' or the end");
  *out = text.failed || t.error[0]
             ? NULL
             : tenon_arena_text(b->arena, text.data, text.size);
  tenon_buf_deinit(&text);
  if (*out) return TENON_OK;
  if (!t.error[0])
    return tenon_fail_memory(&b->cx->report, "reading a condition");
  tenon_yaml place = *at;
  place.column += (uint32_t)t.error_at + !at->is_plain;
  return tenon_yaml_fail(at->body_line ? at : &place, "binding-when", "%s",
                         t.error);
}

void tenon_glue_when_helpers(tenon_buf *out) {
  tenon_buf_text(
      out,
      "\n// Conditions of bindings: INT64_MIN and 2 are not known.\n"
      "static inline int64_t w_rank(const tenon_tensor *t) {\n"
      "  return t->dtype ? t->rank : INT64_MIN;\n}\n"
      "static inline int64_t w_dim(const tenon_tensor *t, int64_t i) {\n"
      "  if (i < 0) i += t->rank;\n"
      "  // One that is open is -1.\n"
      "  return t->dtype && i >= 0 && i < t->rank && t->dims[i] >= 0\n"
      "             ? t->dims[i]\n             : INT64_MIN;\n"
      "}\n"
      "static inline int64_t w_at(const int64_t *v, size_t n, int64_t i) {\n"
      "  if (i < 0) i += (int64_t)n;\n"
      "  return i >= 0 && (uint64_t)i < n ? v[i] : INT64_MIN;\n}\n"
      "static inline int64_t w_num(char how, int64_t a, int64_t b) {\n"
      "  const int64_t most = INT64_C(1) << 31;\n"
      "  if (a > most || a < -most || b > most || b < -most) return "
      "INT64_MIN;\n"
      "  if (how == '+') return a + b;\n"
      "  if (how == '-') return a - b;\n"
      "  if (how == '*') return a * b;\n"
      "  if (b == 0) return INT64_MIN;\n"
      "  int64_t down = a / b - (a % b != 0 && (a < 0) != (b < 0));\n"
      "  return how == '/' ? down : a - down * b;\n}\n"
      "static inline int w_is(char how, int64_t a, int64_t b) {\n"
      "  if (a == INT64_MIN || b == INT64_MIN) return 2;\n"
      "  switch (how) {\n"
      "    case '=': return a == b;\n"
      "    case '!': return a != b;\n"
      "    case '<': return a < b;\n"
      "    case '>': return a > b;\n"
      "    case 'l': return a <= b;\n"
      "    default: return a >= b;\n"
      "  }\n}\n"
      "static inline int w_not(int a) { return a == 2 ? 2 : !a; }\n"
      "static inline int w_both(char how, int a, int b) {\n"
      "  int decides = how == '|';\n"
      "  if (a == decides || b == decides) return decides;\n"
      "  return a == 2 || b == 2 ? 2 : !decides;\n}\n");
}
