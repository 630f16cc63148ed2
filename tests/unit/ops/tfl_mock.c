#include "tfl_mock.h"

#include <ctype.h>
#include <stdlib.h>

#include "harness/harness.h"

enum { MAX_VALUES = 64, MAX_SYMBOLS = 64, TEXT = 16384 };

// ---------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------

typedef struct text {
  char bytes[TEXT];
  size_t size;
} text;

static TENON_PRINTF(2, 3) void say(text *t, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(t->bytes + t->size, TEXT - t->size, fmt, args);
  va_end(args);
  assert_true(n >= 0 && (size_t)n < TEXT - t->size);
  t->size += (size_t)n;
}

// ---------------------------------------------------------------------------
// Sizes
// ---------------------------------------------------------------------------

static struct {
  int op;  // 0: an input's
  tenon_dim a, b;
} symbols[MAX_SYMBOLS];
static uint32_t n_symbols;

static int64_t compute(int op, int64_t a, int64_t b) {
  switch (op) {
    case TENON_DIM_ADD:
      return a + b;
    case TENON_DIM_SUB:
      return a - b;
    case TENON_DIM_MUL:
      return a * b;
    case TENON_DIM_MOD:
      return a % b;
    case TENON_DIM_MIN:
      return a < b ? a : b;
    case TENON_DIM_MAX:
      return a < b ? b : a;
    default:
      return a / b;
  }
}

static tenon_dim dim(tenon_dim_op op, tenon_dim a, tenon_dim b) {
  tenon_dim d = {0, 0};
  if (!a.symbol && !b.symbol) {
    d.value = compute((int)op, a.value, b.value);
    return d;
  }
  for (uint32_t i = 10; i < n_symbols; ++i) {
    if (symbols[i].op == (int)op && memcmp(&symbols[i].a, &a, sizeof a) == 0 &&
        memcmp(&symbols[i].b, &b, sizeof b) == 0) {
      d.symbol = i + 1;
      return d;
    }
  }
  assert_true(n_symbols < MAX_SYMBOLS);
  symbols[n_symbols].op = (int)op;
  symbols[n_symbols].a = a;
  symbols[n_symbols].b = b;
  d.symbol = ++n_symbols;
  return d;
}

static void say_dim(text *t, tenon_dim d) {
  if (!d.symbol) {
    say(t, "%lld", (long long)d.value);
  } else if (d.symbol <= 10) {
    say(t, "?%u", d.symbol - 1);
  } else {
    say(t, "(");
    say_dim(t, symbols[d.symbol - 1].a);
    say(t, "%c", "?+-*/%<>"[symbols[d.symbol - 1].op]);
    say_dim(t, symbols[d.symbol - 1].b);
    say(t, ")");
  }
}

// ---------------------------------------------------------------------------
// Types
// ---------------------------------------------------------------------------

static const struct {
  const char *name;
  tenon_dtype dtype;
  size_t size;
} dtypes[] = {
    {"f32", TENON_F32, 4}, {"f16", TENON_F16, 2},   {"s8", TENON_S8, 1},
    {"s16", TENON_S16, 2}, {"s32", TENON_S32, 4},   {"s64", TENON_S64, 8},
    {"u8", TENON_U8, 1},   {"bool", TENON_BOOL, 1}, {"s4", TENON_S4, 1},
    {"c64", TENON_C64, 8}, {"str", TENON_STR, 1}};

struct tenon_value {
  tenon_type type;
  tenon_dim dims[TENON_MAX_RANK];
  int32_t sizes[TENON_MAX_RANK];
  tenon_quant quant;
  float scale[8];
  int32_t zero[8];
  tenon_tensor constant;  // with data: a constant
  unsigned char data[512];
  bool is_absent;
  bool is_late;  // constant for the lowering only
  char name[16];
};

typedef struct tensors {
  tenon_value at[MAX_VALUES];
  int n;
  int first[MAX_VALUES + 1];  // of each tensor argument
  int n_args;
} tensors;

static bool take(const char **s, char c) {
  if (**s != c) return false;
  ++*s;
  return true;
}

static void set_type(tenon_value *v, const tenon_type *t) {
  v->type = *t;
  for (int i = 0; i < t->rank; ++i)
    v->dims[i] = t->dims[i];
  v->type.dims = v->dims;
  if (!t->quant) return;
  v->quant = *t->quant;
  for (int i = 0; i < v->quant.channels; ++i) {
    v->scale[i] = t->quant->scale[i];
    v->zero[i] = t->quant->zero ? t->quant->zero[i] : 0;
  }
  v->quant.scale = v->scale;
  v->quant.zero = v->zero;
  v->type.quant = &v->quant;
}

static void parse_quant(const char **s, tenon_value *v) {
  char *end;
  int n = 0;
  do {
    v->scale[n++] = strtof(*s, &end);
    *s = end;
  } while (take(s, ','));
  if (take(s, ':')) {
    for (int i = 0; i < n; ++i) {
      v->zero[i] = (int32_t)strtol(*s, &end, 10);
      *s = end;
      take(s, ',');
    }
  }
  if (take(s, '@')) v->quant.axis = *(*s)++ - '0';
  assert_true(take(s, '}'));
  v->quant.scale = v->scale;
  v->quant.zero = v->zero;
  v->quant.channels = n;
  v->type.quant = &v->quant;
}

static void parse_data(const char **s, tenon_value *v, size_t size) {
  unsigned char *out = v->data + 1;  // of no alignment, as in files
  for (size_t i = 0; i == 0 || take(s, ','); ++i) {
    char *end;
    double d = strtod(*s, &end);
    if (end == *s) break;
    *s = end;
    float f = (float)d;
    int64_t whole = d >= 9e18 ? INT64_MAX : (int64_t)d;
    memcpy(out + i * size,
           v->type.dtype == TENON_F32 ? (void *)&f : (void *)&whole, size);
  }
  v->constant.data = out;
  v->constant.dims = v->sizes;
  v->constant.rank = v->type.rank;
  v->constant.dtype = v->type.dtype;
  v->constant.quant = v->type.quant;
}

static void parse_value(const char **s, tenon_value *v) {
  size_t k = 0;
  if (take(s, '-')) {
    v->is_absent = true;
    return;
  }
  while (k < COUNT(dtypes) &&
         !(strncmp(*s, dtypes[k].name, strlen(dtypes[k].name)) == 0 &&
           (*s)[strlen(dtypes[k].name)] == '['))
    ++k;
  assert_true(k < COUNT(dtypes));
  *s += strlen(dtypes[k].name) + 1;
  v->type.dtype = dtypes[k].dtype;
  v->type.dims = v->dims;
  while (!take(s, ']')) {
    tenon_dim d = {0, 0};
    char *end;
    bool is_open = take(s, '?');
    long n = strtol(*s, &end, 10);
    *s = end;
    if (is_open) {
      d.symbol = (uint32_t)n + 1;
    } else {
      d.value = n;
    }
    v->sizes[v->type.rank] = (int32_t)d.value;
    v->dims[v->type.rank++] = d;
    take(s, ',');
  }
  if (take(s, '{')) parse_quant(s, v);
  v->is_late = take(s, '~');
  if (take(s, '=')) parse_data(s, v, dtypes[k].size);
}

static void parse_tensors(const char *s, tensors *t) {
  bool has_lists = strchr(s, '|') != NULL;
  memset(t, 0, sizeof *t);
  for (;;) {
    s += strspn(s, " ");
    if (*s == 0) break;
    if (take(&s, '|')) {
      t->first[++t->n_args] = t->n;
      continue;
    }
    assert_true(t->n < MAX_VALUES && t->n_args < MAX_VALUES);
    parse_value(&s, &t->at[t->n]);
    t->at[t->n].name[0] = (char)('a' + t->n % 26);
    ++t->n;
    take(&s, ';');
    if (!has_lists) t->first[++t->n_args] = t->n;
  }
}

static void say_type(text *t, const tenon_type *type) {
  for (size_t k = 0; k < COUNT(dtypes); ++k) {
    if (dtypes[k].dtype == type->dtype) say(t, "%s[", dtypes[k].name);
  }
  for (int i = 0; i < type->rank; ++i) {
    if (i) say(t, ",");
    say_dim(t, type->dims[i]);
  }
  say(t, "]");
  if (!type->quant) return;
  for (int i = 0; i < type->quant->channels; ++i)
    say(t, "%c%g", i ? ',' : '{', (double)type->quant->scale[i]);
  if (type->quant->channels == 1) say(t, ":%d", (int)type->quant->zero[0]);
  if (type->quant->channels > 1) say(t, "@%d", (int)type->quant->axis);
  say(t, "}");
}

// ---------------------------------------------------------------------------
// Attributes
// ---------------------------------------------------------------------------

typedef struct attributes {
  _Alignas(16) char bytes[256];
  int64_t lists[4][16];
  int n_lists;
} attributes;

static void set_ints(attributes *a, tenon_ints *out, const char *s) {
  int64_t *list = a->lists[a->n_lists++];
  size_t n = 0;
  while (isdigit((unsigned char)*s) || *s == '-') {
    char *end;
    list[n++] = strtoll(s, &end, 10);
    s = end + (*end == ',');
  }
  out->data = list;
  out->count = n;
}

static void set_attr(attributes *a, const tenon_field *f, const char *s) {
  void *member = a->bytes + f->offset;
  switch (f->kind) {
    case TENON_KIND_BOOL:
      *(bool *)member = *s == 'T' || *s == '1';
      break;
    case TENON_KIND_INT:
      *(int64_t *)member = strtoll(s, NULL, 10);
      break;
    case TENON_KIND_FLOAT:
      *(double *)member = strtod(s, NULL);
      break;
    case TENON_KIND_STR:
      *(const char **)member = "";
      break;
    default:
      set_ints(a, (tenon_ints *)member, s + (*s == '['));
      break;
  }
}

// The value of `name` in "x=1 name=2" or in a schema; null: not there.
static const char *value_of(const char *s, const char *name) {
  size_t n = strlen(name);
  for (const char *p = s; (p = strstr(p, name)) != NULL; p += n) {
    if (p[n] == '=' && (p == s || p[-1] == ' ')) return p + n + 1;
  }
  return NULL;
}

static void set_attrs(attributes *a, const tenon_op_desc *op, const char *s) {
  memset(a, 0, sizeof *a);
  assert_true(op->attrs_size <= sizeof a->bytes);
  for (const tenon_field *f = op->fields; f && f->name; ++f) {
    const char *absent = value_of(op->schema, f->name);
    const char *given = value_of(s, f->name);
    assert_non_null(absent);
    set_attr(a, f, given ? given : absent);
  }
}

const tenon_op_desc *tfl_find(const char *name) {
  size_t n = strlen(name);
  for (const tenon_op_desc *const *op = tenon_tfl_plugin.ops; *op; ++op) {
    const char *at = (*op)->schema + strlen("tfl::");
    if (strncmp(at, name, n) == 0 && at[n] == '(') return *op;
  }
  print_error("no operator %s\n", name);
  fail();
  return NULL;
}

// ---------------------------------------------------------------------------
// Shape rules
// ---------------------------------------------------------------------------

typedef struct infer_mock {
  tenon_infer base;
  const tenon_op_desc *op;
  attributes attrs;
  tensors in, declared, out;
  text message;
} infer_mock;

static const tenon_type *infer_in(const tenon_infer *c, int i) {
  const infer_mock *m = (const infer_mock *)c;
  return i < m->in.n && !m->in.at[i].is_absent ? &m->in.at[i].type : NULL;
}
static int infer_group(const tenon_infer *c, int arg, int *first) {
  const infer_mock *m = (const infer_mock *)c;
  *first = m->in.first[arg];
  return m->in.first[arg + 1] - *first;
}
static const tenon_tensor *infer_constant(const tenon_infer *c, int i) {
  const infer_mock *m = (const infer_mock *)c;
  const tenon_value *v = i < m->in.n ? &m->in.at[i] : NULL;
  return v && v->constant.data && !v->is_late ? &v->constant : NULL;
}
static const tenon_type *infer_declared(const tenon_infer *c, int i) {
  const infer_mock *m = (const infer_mock *)c;
  return i < m->declared.n ? &m->declared.at[i].type : NULL;
}
static const void *infer_attrs(const tenon_infer *c) {
  return ((const infer_mock *)c)->attrs.bytes;
}
static const void *infer_user(const tenon_infer *c) {
  return ((const infer_mock *)c)->op->user;
}
static tenon_dim infer_dim(tenon_infer *c, tenon_dim_op op, tenon_dim a,
                           tenon_dim b) {
  (void)c;
  return dim(op, a, b);
}
// One size at most is decided by data: rows call it ?9.
static tenon_dim infer_decided(tenon_infer *c, tenon_dim most) {
  (void)c, (void)most;
  return (tenon_dim){0, 10};
}
static tenon_status infer_results(tenon_infer *c, int result, int count) {
  (void)c, (void)result, (void)count;
  return TENON_OK;
}
static tenon_status infer_out(tenon_infer *c, int i, const tenon_type *t) {
  infer_mock *m = (infer_mock *)c;
  assert_in_range(i, 0, MAX_VALUES - 1);
  set_type(&m->out.at[i], t);
  if (m->out.n <= i) m->out.n = i + 1;
  return TENON_OK;
}
static TENON_PRINTF(2, 3) tenon_status
    infer_fail(tenon_infer *c, const char *fmt, ...) {
  infer_mock *m = (infer_mock *)c;
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(m->message.bytes, TEXT, fmt, args);
  va_end(args);
  m->message.size = n > 0 ? (size_t)n : 0;
  return TENON_BAD_MODEL;
}

// Of constants alone: rows have no operator that holds something.
static bool element_of(const tenon_tensor *t, int i, tenon_dim *out) {
  int64_t value = 0;
  size_t count = 1;
  for (int k = 0; t && k < t->rank; ++k)
    count *= (size_t)t->dims[k];
  if (!t || !t->data || i < 0 || (size_t)i >= count ||
      (t->dtype != TENON_S32 && t->dtype != TENON_S64))
    return false;
  int32_t narrow = 0;  // data of a row are text, at any address
  if (t->dtype == TENON_S64)
    memcpy(&value, (const char *)t->data + 8 * (size_t)i, sizeof value);
  else
    memcpy(&narrow, (const char *)t->data + 4 * (size_t)i, sizeof narrow);
  value = t->dtype == TENON_S64 ? value : narrow;
  *out = (tenon_dim){value, 0};
  return value != TENON_UNKNOWN;
}
static bool infer_element(const tenon_infer *c, int in, int i, tenon_dim *out) {
  return element_of(infer_constant(c, in), i, out);
}
static void infer_holds(tenon_infer *c, int result, const tenon_dim *elements,
                        int n) {
  (void)c, (void)result, (void)elements, (void)n;
}
// What is fixed is compared; what is open a run would check.
static bool infer_require(tenon_infer *c, tenon_relation relation, tenon_dim a,
                          tenon_dim b) {
  (void)c;
  if (a.symbol || b.symbol) return true;
  return relation == TENON_RELATION_EQ   ? a.value == b.value
         : relation == TENON_RELATION_NE ? a.value != b.value
         : relation == TENON_RELATION_LT ? a.value < b.value
                                         : a.value <= b.value;
}

static const tenon_infer_api infer_api = {
    .struct_size = sizeof(tenon_infer_api),
    .in = infer_in,
    .group = infer_group,
    .constant = infer_constant,
    .declared = infer_declared,
    .attrs = infer_attrs,
    .user = infer_user,
    .dim = infer_dim,
    .decided = infer_decided,
    .results = infer_results,
    .out = infer_out,
    .fail = infer_fail,
    .element = infer_element,
    .holds = infer_holds,
    .require = infer_require,
};

static bool infer(infer_mock *m, const char *name, const char *attrs,
                  const char *in, const char *declared) {
  memset(m, 0, sizeof *m);
  n_symbols = 10;
  m->base.api = &infer_api;
  m->op = tfl_find(name);
  set_attrs(&m->attrs, m->op, attrs);
  parse_tensors(in, &m->in);
  parse_tensors(declared, &m->declared);
  return m->op->infer(&m->base) == TENON_OK;
}

const char *tfl_infer(const char *name, const char *attrs, const char *in,
                      const char *declared) {
  static infer_mock m;
  static text out;
  out.size = 0;
  if (!infer(&m, name, attrs, in, declared)) {
    assert_true(m.message.size > 0);  // whoever fails says why
    say(&out, "! %s", m.message.bytes);
    return out.bytes;
  }
  out.bytes[0] = 0;
  for (int i = 0; i < m.out.n; ++i) {
    if (i) say(&out, "; ");
    say_type(&out, &m.out.at[i].type);
  }
  return out.bytes;
}

// ---------------------------------------------------------------------------
// Lowerings
// ---------------------------------------------------------------------------

typedef struct rewriter_mock {
  tenon_rewriter base;
  infer_mock infer;
  tensors made;
  text log;
  bool is_replaced, has_failed;
} rewriter_mock;

struct tenon_region {
  int index;
};

static tenon_value *rw_operand(tenon_rewriter *rw, const tenon_node *n, int i) {
  rewriter_mock *m = (rewriter_mock *)rw;
  (void)n;
  if (i >= m->infer.in.n || m->infer.in.at[i].is_absent) return NULL;
  return &m->infer.in.at[i];
}
static int rw_group(tenon_rewriter *rw, const tenon_node *n, int arg,
                    int *first) {
  (void)n;
  return infer_group(&((rewriter_mock *)rw)->infer.base, arg, first);
}
static const tenon_type *rw_type(tenon_rewriter *rw, const tenon_value *v) {
  (void)rw;
  assert_non_null(v);
  return &v->type;
}
static const tenon_type *rw_result(tenon_rewriter *rw, const tenon_node *n,
                                   int i) {
  rewriter_mock *m = (rewriter_mock *)rw;
  (void)n;
  return i < m->infer.out.n ? &m->infer.out.at[i].type : NULL;
}
static const tenon_tensor *rw_constant(tenon_rewriter *rw,
                                       const tenon_value *v) {
  (void)rw;
  assert_non_null(v);
  return v->constant.data ? &v->constant : NULL;
}
static const void *rw_attrs(tenon_rewriter *rw, const tenon_node *n) {
  (void)n;
  return ((rewriter_mock *)rw)->infer.attrs.bytes;
}
static const void *rw_user(tenon_rewriter *rw) {
  return ((rewriter_mock *)rw)->infer.op->user;
}
static tenon_dim rw_dim(tenon_rewriter *rw, tenon_dim_op op, tenon_dim a,
                        tenon_dim b) {
  (void)rw;
  return dim(op, a, b);
}

static tenon_value *made(rewriter_mock *m, const tenon_type *t) {
  assert_true(m->made.n < MAX_VALUES);
  tenon_value *v = &m->made.at[m->made.n];
  set_type(v, t);
  snprintf(v->name, sizeof v->name, "%d", m->made.n++);
  return v;
}

static tenon_value *rw_literal(tenon_rewriter *rw, const tenon_type *t,
                               const void *data) {
  rewriter_mock *m = (rewriter_mock *)rw;
  tenon_value *v = made(m, t);
  say(&m->log, "%s =", v->name);
  size_t n = 1;
  for (int i = 0; i < t->rank; ++i)
    n *= (size_t)t->dims[i].value;
  for (size_t i = 0; i < n; ++i)
    say(&m->log, " %lld",
        t->dtype == TENON_S64 ? (long long)((const int64_t *)data)[i]
                              : (long long)((const int32_t *)data)[i]);
  say(&m->log, "\n");
  return v;
}
static tenon_value *rw_scalar(tenon_rewriter *rw, tenon_dtype dtype,
                              double value) {
  rewriter_mock *m = (rewriter_mock *)rw;
  tenon_type t = {.dtype = dtype};
  tenon_value *v = made(m, &t);
  snprintf(v->name, sizeof v->name, "#%g", value);
  return v;
}

static void say_arg(text *t, const tenon_arg *a) {
  switch (a->kind) {
    case TENON_KIND_FLOAT:
      say(t, "%s=%g", a->name, a->as.f);
      break;
    case TENON_KIND_INTS:
      say(t, "%s=", a->name);
      for (size_t i = 0; i < a->as.ints.count; ++i)
        say(t, "%s%lld", i ? "," : "", (long long)a->as.ints.data[i]);
      break;
    case TENON_KIND_DIMS:
      say(t, "%s=", a->name);
      for (size_t i = 0; i < a->as.dims.count; ++i) {
        if (i) say(t, ",");
        say_dim(t, a->as.dims.data[i]);
      }
      break;
    default:
      say(t, "%s=%lld", a->name, (long long)a->as.i);
      break;
  }
}

// Without types: like the operand of the highest rank, enough for broadcasting
// with numbers.
static const tenon_type *guess(const tenon_build *b) {
  const tenon_type *t = &b->in[0]->type;
  for (uint32_t i = 1; i < b->n_in; ++i) {
    if (b->in[i] && b->in[i]->type.rank > t->rank) t = &b->in[i]->type;
  }
  return t;
}

static tenon_value *rw_build(tenon_rewriter *rw, const tenon_build *b) {
  rewriter_mock *m = (rewriter_mock *)rw;
  say(&m->log, "%s(", b->op);
  for (uint32_t i = 0; i < b->n_in; ++i)
    say(&m->log, "%s%s", i ? ", " : "", b->in[i] ? b->in[i]->name : "-");
  for (const tenon_arg *a = b->args; a && a->name; ++a) {
    say(&m->log, "%s", a == b->args ? "; " : " ");
    say_arg(&m->log, a);
  }
  for (uint32_t i = 0; i < b->n_regions; ++i)
    say(&m->log, " {%d}", b->regions[i]->index);
  say(&m->log, ")");
  for (uint32_t i = 0; i < b->n_out; ++i) {
    b->out[i] = made(m, b->types ? b->types[i] : guess(b));
    say(&m->log, "%s", i ? ", " : " -> ");
    if (b->types) say_type(&m->log, b->types[i]);
  }
  say(&m->log, "\n");
  return b->n_out ? b->out[0] : NULL;
}

static tenon_region regions[4];
static int n_regions;

static tenon_region *rw_begin(tenon_rewriter *rw,
                              const tenon_type *const *params, int n,
                              tenon_value **args) {
  rewriter_mock *m = (rewriter_mock *)rw;
  tenon_region *r = &regions[n_regions];
  r->index = n_regions++;
  say(&m->log, "{%d:\n", r->index);
  for (int i = 0; i < n; ++i)
    args[i] = made(m, params[i]);
  return r;
}
static tenon_status rw_end(tenon_rewriter *rw, tenon_region *r,
                           tenon_value *const *results, int n) {
  rewriter_mock *m = (rewriter_mock *)rw;
  (void)r;
  for (int i = 0; i < n; ++i)
    say(&m->log, "%s%s", i ? ", " : "yield ", results[i]->name);
  say(&m->log, "}\n");
  return TENON_OK;
}
static tenon_status rw_replace(tenon_rewriter *rw, const tenon_node *node,
                               tenon_value *const *values, int n) {
  rewriter_mock *m = (rewriter_mock *)rw;
  (void)node;
  assert_false(m->is_replaced);
  m->is_replaced = true;
  assert_int_equal(n, m->infer.out.n);
  for (int i = 0; i < n; ++i) {
    text got = {.size = 0}, want = {.size = 0};
    say(&m->log, "%s%s", i ? ", " : "= ", values[i]->name);
    // What was open may be known by now.
    tenon_value *old = &m->infer.out.at[i];
    assert_int_equal(old->type.rank, values[i]->type.rank);
    for (int k = 0; k < old->type.rank; ++k)
      if (old->dims[k].symbol) old->dims[k] = values[i]->type.dims[k];
    say_type(&got, &values[i]->type);
    say_type(&want, &old->type);
    assert_string_equal(got.bytes, want.bytes);
  }
  return TENON_OK;
}
static TENON_PRINTF(2, 3) tenon_status
    rw_fail(tenon_rewriter *rw, const char *fmt, ...) {
  rewriter_mock *m = (rewriter_mock *)rw;
  va_list args;
  va_start(args, fmt);
  vsnprintf(m->infer.message.bytes, TEXT, fmt, args);
  va_end(args);
  m->has_failed = true;
  return TENON_UNSUPPORTED;
}

// What is built prints no attributes of an operator that becomes itself.
static const tenon_arg *rw_args(tenon_rewriter *rw, const tenon_node *n) {
  static const tenon_arg none[] = {TENON_END_ARGS};
  (void)rw, (void)n;
  return none;
}

static bool rw_element(tenon_rewriter *rw, const tenon_value *v, int i,
                       tenon_dim *out) {
  return element_of(rw_constant(rw, v), i, out);
}
// One number at most is decided by data, as in rules.
static tenon_dim rw_number(tenon_rewriter *rw, tenon_value *v) {
  (void)rw, (void)v;
  return (tenon_dim){0, 10};
}

static const tenon_rewriter_api rw_api = {
    .struct_size = sizeof(tenon_rewriter_api),
    .operand = rw_operand,
    .group = rw_group,
    .type = rw_type,
    .result = rw_result,
    .constant = rw_constant,
    .attrs = rw_attrs,
    .user = rw_user,
    .dim = rw_dim,
    .literal = rw_literal,
    .scalar = rw_scalar,
    .build = rw_build,
    .begin = rw_begin,
    .end = rw_end,
    .replace = rw_replace,
    .fail = rw_fail,
    .args = rw_args,
    .element = rw_element,
    .number = rw_number,
};

const char *tfl_lower(const char *name, const char *attrs, const char *in,
                      const char *declared) {
  static rewriter_mock m;
  memset(&m, 0, sizeof m);
  m.base.api = &rw_api;
  n_regions = 0;
  if (!infer(&m.infer, name, attrs, in, declared)) {
    say(&m.log, "! %s", m.infer.message.bytes);
    return m.log.bytes;
  }
  tenon_status s = m.infer.op->lower(&m.base, NULL);
  assert_int_equal(s != TENON_OK, m.has_failed);
  assert_true(m.has_failed || m.is_replaced);
  if (m.has_failed) {
    m.log.size = 0;
    say(&m.log, "! %s", m.infer.message.bytes);
  }
  return m.log.bytes;
}

// ---------------------------------------------------------------------------
// Options
// ---------------------------------------------------------------------------

typedef struct options_mock {
  tenon_options base;
  const char *slots;
} options_mock;

static const char *slot_value(const tenon_options *o, int slot) {
  char name[8];
  snprintf(name, sizeof name, "%d", slot);
  return value_of(((const options_mock *)o)->slots, name);
}
static int64_t options_integer(const tenon_options *o, int slot,
                               int64_t absent) {
  const char *v = slot_value(o, slot);
  return v ? strtoll(v, NULL, 10) : absent;
}
static double options_real(const tenon_options *o, int slot, double absent) {
  const char *v = slot_value(o, slot);
  return v ? strtod(v, NULL) : absent;
}
static const char *options_text(const tenon_options *o, int slot) {
  return slot_value(o, slot) ? "some" : NULL;
}
static tenon_ints options_ints(const tenon_options *o, int slot) {
  static attributes lists;
  tenon_ints ints = {NULL, 0};
  const char *v = slot_value(o, slot);
  lists.n_lists = 0;
  if (v) set_ints(&lists, &ints, v);
  return ints;
}

static const tenon_options_api options_api = {
    .struct_size = sizeof(tenon_options_api),
    .integer = options_integer,
    .real = options_real,
    .text = options_text,
    .ints = options_ints,
};

static void say_attr(text *t, const tenon_field *f, const void *member) {
  char sign[2] = {t->size ? ' ' : 0, 0};
  if (f->kind == TENON_KIND_BOOL && *(const bool *)member)
    say(t, "%s%s", sign, f->name);
  if (f->kind == TENON_KIND_INT && *(const int64_t *)member)
    say(t, "%s%s=%lld", sign, f->name, (long long)*(const int64_t *)member);
  if (f->kind == TENON_KIND_FLOAT && *(const double *)member != 0)
    say(t, "%s%s=%g", sign, f->name, *(const double *)member);
  if (f->kind == TENON_KIND_STR && **(const char *const *)member)
    say(t, "%s%s='%s'", sign, f->name, *(const char *const *)member);
  if (f->kind == TENON_KIND_INTS) {
    const tenon_ints *list = (const tenon_ints *)member;
    for (size_t i = 0; i < list->count; ++i)
      say(t, "%s%s%lld", i ? "," : sign, i ? "" : f->name,
          (long long)list->data[i]);
  }
}

const char *tfl_read(const char *name, const char *slots) {
  static attributes a;
  static text out;
  const tenon_op_desc *op = tfl_find(name);
  options_mock o = {.base = {.api = &options_api}, .slots = slots};
  set_attrs(&a, op, "");
  assert_int_equal(op->read_tflite(&o.base, a.bytes), TENON_OK);
  out.size = 0;
  out.bytes[0] = 0;
  for (const tenon_field *f = op->fields; f->name; ++f)
    say_attr(&out, f, a.bytes + f->offset);
  return out.bytes;
}

void tfl_hold_all(const char *(*call)(const char *, const char *, const char *,
                                      const char *),
                  const tfl_row *rows, size_t n, const char *file, int line) {
  for (size_t i = 0; i < n; ++i)
    check_text(call(rows[i].op, rows[i].attrs, rows[i].in, rows[i].declared),
               rows[i].want, i, file, line);
}
