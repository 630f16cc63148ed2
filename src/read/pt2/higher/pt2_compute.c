// How: floats and truth values that sizes make are text in the file, calls in
// calls as sympy's srepr has them. Where one is needed, a node is made of each
// call; what is a size inside becomes a number, and a fraction of two sizes a
// division. The outcome is a tensor without dimensions.
#include "base/text.h"
#include "read/pt2/pt2_import.h"
#include "read/pt2/symbol/pt2_expr.h"

#define MOST_ARGUMENTS 64
#define DEEPEST 64

typedef struct computing {
  tenon_pt2_scope *s;
  uint16_t flags;
  tenon_loc loc;
  int depth;
  tenon_status status;  // of what failed, and not only has no form
} computing;

typedef enum shape {
  UNARY,
  BINARY,
  FOLD,  // from left to right
  LESS,  // a relation
  MORE   // with its sides exchanged
} shape;

static const struct call_row {
  const char *name, *op;
  shape shape;
  tenon_relation relation;
} calls[] = {
    {"Add", "core::add", FOLD, 0},
    {"Mul", "core::mul", FOLD, 0},
    {"Max", "core::maximum", FOLD, 0},
    {"Min", "core::minimum", FOLD, 0},
    {"FloatTrueDiv", "core::div", BINARY, 0},
    {"IntTrueDiv", "core::div", BINARY, 0},
    {"FloatPow", "core::pow", BINARY, 0},
    {"Pow", "core::pow", BINARY, 0},
    {"PowByNatural", "core::pow", BINARY, 0},
    {"ToFloat", "", UNARY, 0},
    {"Abs", "core::abs", UNARY, 0},
    {"TruncToFloat", "core::trunc", UNARY, 0},
    {"OpaqueUnaryFn_sqrt", "core::sqrt", UNARY, 0},
    {"OpaqueUnaryFn_exp", "core::exp", UNARY, 0},
    {"OpaqueUnaryFn_log", "core::log", UNARY, 0},
    {"OpaqueUnaryFn_log2", "core::log2", UNARY, 0},
    {"OpaqueUnaryFn_sin", "core::sin", UNARY, 0},
    {"OpaqueUnaryFn_cos", "core::cos", UNARY, 0},
    {"OpaqueUnaryFn_tan", "core::tan", UNARY, 0},
    {"OpaqueUnaryFn_tanh", "core::tanh", UNARY, 0},
    {"OpaqueUnaryFn_atan", "core::atan", UNARY, 0},
    {"StrictLessThan", "core::lt", LESS, TENON_RELATION_LT},
    {"LessThan", "core::le", LESS, TENON_RELATION_LE},
    {"StrictGreaterThan", "core::lt", MORE, TENON_RELATION_LT},
    {"GreaterThan", "core::le", MORE, TENON_RELATION_LE},
    {"Equality", "core::eq", LESS, TENON_RELATION_EQ},
    {"Unequality", "core::ne", LESS, TENON_RELATION_NE},
};
// Of truth values.
static const struct call_row truths[] = {
    {"And", "core::bitwise_and", FOLD, 0},
    {"Or", "core::bitwise_or", FOLD, 0},
    {"Xor", "core::bitwise_xor", FOLD, 0},
    {"Not", "core::bitwise_not", UNARY, 0},
};

// ---------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------

typedef struct arguments {
  tenon_text data[MOST_ARGUMENTS];
  int n;
} arguments;

// "name(a, b)" to its parts; false: it is no call.
static bool pt2_compute_split(tenon_text text, tenon_text *name,
                              arguments *out) {
  size_t open = 0, from;
  int depth = 0;
  while (open < text.size && text.data[open] != '(')
    ++open;
  if (open == 0 || open + 1 >= text.size || text.data[text.size - 1] != ')')
    return false;
  *name = (tenon_text){text.data, open};
  out->n = 0;
  from = open + 1;
  for (size_t i = from; i < text.size; ++i) {
    bool is_end = i + 1 == text.size;
    depth += (text.data[i] == '(') - (text.data[i] == ')' && !is_end);
    if (!is_end && (text.data[i] != ',' || depth > 0)) continue;
    if (out->n == MOST_ARGUMENTS || depth != 0) return false;
    tenon_text piece = {text.data + from, i - from};
    out->data[out->n++] = tenon_text_trim(piece);
    from = i + 1;
  }
  return true;
}

static const struct call_row *pt2_compute_find(const struct call_row *rows,
                                               size_t n, tenon_text name) {
  for (size_t i = 0; i < n; ++i)
    if (tenon_text_is(name, rows[i].name)) return &rows[i];
  return NULL;
}
#define FIND(rows, name) \
  pt2_compute_find(rows, sizeof rows / sizeof *rows, name)

// ---------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------

// False with `status` set, or the text is no fraction of sizes.
static bool is_fraction(computing *c, tenon_text text, tenon_dim *up,
                        tenon_dim *down) {
  tenon_pt2 *im = c->s->im;
  const char *own = tenon_arena_text(&im->scratch, text.data, text.size);
  c->status = own ? tenon_pt2_fraction(im, own, up, down) : TENON_NO_MEMORY;
  return c->status == TENON_OK && up->value != TENON_UNKNOWN;
}

static tenon_value *built(computing *c, tenon_value *v) {
  if (!v) c->status = tenon_pt2_built(c->s->im);
  return v;
}

static tenon_value *pt2_compute_constant(computing *c, double value) {
  const tenon_type type = {NULL, NULL, TENON_F64, 0, c->flags};
  return built(
      c, tenon_build_constant(c->s->im->m, "", &type, &value, false, c->loc));
}

static tenon_value *pt2_compute_number(computing *c, tenon_dim dim,
                                       tenon_dtype dtype) {
  const tenon_type type = {NULL, NULL, dtype, 0, c->flags};
  tenon_value *out = NULL;
  c->status = tenon_pt2_number_node(c->s, dim, &type, c->loc, &out);
  return out;
}

static tenon_value *pt2_compute_make(computing *c, const char *op,
                                     tenon_dtype dtype, tenon_value *a,
                                     tenon_value *b) {
  const tenon_type type = {NULL, NULL, dtype, 0, c->flags};
  tenon_value *in[] = {a, b};
  return built(
      c, tenon_build_value(
             c->s->graph, NULL, op, &type,
             (tenon_node_spec){.in = in, .n_in = b ? 2 : 1, .loc = c->loc}));
}

static tenon_value *compute_real(computing *c, tenon_text text);
static tenon_value *compute_truth(computing *c, tenon_text text);

static tenon_value *compute_call(computing *c, const struct call_row *row,
                                 const arguments *list, bool is_truth) {
  const tenon_dtype dtype = is_truth ? TENON_BOOL : TENON_F64;
  tenon_value *out = NULL;
  int least = row->shape == UNARY ? 1 : 2;
  if (list->n < least || (row->shape != FOLD && list->n != least)) return NULL;
  for (int i = 0; i < list->n; ++i) {
    tenon_value *next = is_truth ? compute_truth(c, list->data[i])
                                 : compute_real(c, list->data[i]);
    out =
        !next || i == 0 ? next : pt2_compute_make(c, row->op, dtype, out, next);
    if (!out) return NULL;
  }
  bool is_same = row->shape != UNARY || !row->op[0];
  return is_same ? out : pt2_compute_make(c, row->op, dtype, out, NULL);
}

// "Float('0.5', precision=53)".
static tenon_value *compute_literal(computing *c, tenon_text text) {
  double value = 0;
  if (text.size < 3 || text.data[0] != '\'') return NULL;
  text.data += 1;
  text.size -= 2;
  return tenon_text_double(text, &value) ? pt2_compute_constant(c, value)
                                         : NULL;
}

static tenon_value *compute_real(computing *c, tenon_text text) {
  tenon_dim up, down;
  tenon_text name;
  arguments list;
  if (is_fraction(c, text, &up, &down)) {
    tenon_value *a = pt2_compute_number(c, up, TENON_F64);
    if (!a || (down.symbol == 0 && down.value == 1)) return a;
    tenon_value *b = pt2_compute_number(c, down, TENON_F64);
    return b ? pt2_compute_make(c, "core::div", TENON_F64, a, b) : NULL;
  }
  if (c->status != TENON_OK || c->depth == DEEPEST ||
      !pt2_compute_split(text, &name, &list))
    return NULL;
  if (tenon_text_is(name, "Float")) return compute_literal(c, list.data[0]);
  const struct call_row *row = FIND(calls, name);
  if (!row || row->relation) return NULL;
  ++c->depth;
  tenon_value *out = compute_call(c, row, &list, false);
  --c->depth;
  return out;
}

static bool pt2_compute_is_size(computing *c, tenon_text text, tenon_dim *out) {
  tenon_dim down;
  return is_fraction(c, text, out, &down) && down.symbol == 0 &&
         down.value == 1;
}

static tenon_value *pt2_compute_compare(computing *c,
                                        const struct call_row *row,
                                        const arguments *list) {
  tenon_dim dims[2];
  tenon_value *in[2];
  if (list->n != 2) return NULL;
  bool are_sizes = pt2_compute_is_size(c, list->data[0], &dims[0]) &&
                   pt2_compute_is_size(c, list->data[1], &dims[1]);
  for (int i = 0; i < 2; ++i) {
    if (c->status != TENON_OK) return NULL;
    tenon_value **to = &in[row->shape == MORE ? 1 - i : i];
    *to = are_sizes ? pt2_compute_number(c, dims[i], TENON_S64)
                    : compute_real(c, list->data[i]);
    if (!*to) return NULL;
  }
  return pt2_compute_make(c, row->op, TENON_BOOL, in[0], in[1]);
}

static tenon_value *compute_truth(computing *c, tenon_text text) {
  tenon_text name;
  arguments list;
  if (c->depth == DEEPEST || !pt2_compute_split(text, &name, &list))
    return NULL;
  const struct call_row *relation = FIND(calls, name);
  if (relation && relation->relation)
    return pt2_compute_compare(c, relation, &list);
  const struct call_row *row = FIND(truths, name);
  if (!row) return NULL;
  ++c->depth;
  tenon_value *out = compute_call(c, row, &list, true);
  --c->depth;
  return out;
}

tenon_status tenon_pt2_compute(tenon_pt2_scope *s, const tenon_pt2_name *name,
                               uint16_t flags, tenon_loc loc,
                               tenon_value **out) {
  computing c = {.s = s, .flags = flags, .loc = loc};
  tenon_text text = tenon_text_trim(tenon_text_of(name->what));
  *out = name->is_truth ? compute_truth(&c, text) : compute_real(&c, text);
  return c.status;
}

// ---------------------------------------------------------------------------
// Conditions
// ---------------------------------------------------------------------------

// "Integer(18446744073709551612)", of twice a size that nothing bounds: the
// largest of 64 bits, which no size is either, in its place.
static bool pt2_compute_is_beyond(tenon_text text, tenon_dim *out) {
  static const char prefix[] = "Integer(";
  const size_t skip = sizeof prefix - 1;
  int64_t whole = 0;
  if (text.size < skip + 2 || memcmp(text.data, prefix, skip) != 0 ||
      text.data[text.size - 1] != ')')
    return false;
  const tenon_text digits = {text.data + skip, text.size - skip - 1};
  for (size_t i = 0; i < digits.size; ++i)
    if (digits.data[i] < '0' || digits.data[i] > '9') return false;
  if (tenon_text_int(digits, &whole)) return false;
  *out = tenon_dim_fixed(INT64_MAX);
  return true;
}

static bool is_side(computing *c, tenon_text text, tenon_dim *out) {
  text = tenon_text_trim(text);
  return pt2_compute_is_beyond(text, out) || pt2_compute_is_size(c, text, out);
}

tenon_status tenon_pt2_relation(tenon_pt2_scope *s, const tenon_pt2_name *name,
                                tenon_guard *out) {
  computing c = {.s = s};
  tenon_text call;
  arguments list;
  tenon_dim dims[2];
  out->relation = 0;
  if (!pt2_compute_split(tenon_text_trim(tenon_text_of(name->what)), &call,
                         &list) ||
      list.n != 2)
    return TENON_OK;
  const struct call_row *row = FIND(calls, call);
  if (!row || !row->relation || !is_side(&c, list.data[0], &dims[0]) ||
      !is_side(&c, list.data[1], &dims[1]))
    return c.status;
  out->relation = row->relation;
  out->a = dims[row->shape == MORE];
  out->b = dims[row->shape != MORE];
  return TENON_OK;
}
