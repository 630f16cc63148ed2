// How: a parameter is a piece of its type, and an argument the expression that
// takes the same piece out of a tenon_call; both walk the same list.
#include <stdio.h>
#include <string.h>

#include "base/put.h"
#include "core/attr.h"
#include "plug/glue/glue.h"

// ---------------------------------------------------------------------------
// Prototypes
// ---------------------------------------------------------------------------

static const char *c_type(tenon_dtype t) {
  switch (t) {
#define SCALAR(name, dtype, type) \
  case TENON_##dtype:             \
    return type;
#include "plug/glue/scalar_types.def"
#undef SCALAR
    default:
      return "void";
  }
}

tenon_dtype tenon_glue_plain(const tenon_bind_kernel *k,
                             const tenon_bind_param *p) {
  tenon_dtype t = k->n_keys ? k->keys[0].dtypes[p->slot] : 0;
  if (p->role == TENON_BIND_ATTR || p->argument->is_list) return 0;
  for (size_t i = 1; i < k->n_keys; ++i)
    if (k->keys[i].dtypes[p->slot] != t) return 0;
  return t;
}

// Of an attribute; with `count` a second parameter follows.
static const char *attr_type(uint32_t kind, bool *count) {
  *count = tenon_kind_is_list(kind);
  switch (kind) {
    case TENON_KIND_BOOL:
      return "bool ";
    case TENON_KIND_INT:
      return "int64_t ";
    case TENON_KIND_FLOAT:
      return "double ";
    case TENON_KIND_STR:
      return "const char *";
    case TENON_KIND_DTYPE:
      return "tenon_dtype ";
    case TENON_KIND_SCALAR:
      return "tenon_scalar ";
    case TENON_KIND_OPT_BOOL:
    case TENON_KIND_BOOLS:
      return "const bool *";
    case TENON_KIND_OPT_INT:
    case TENON_KIND_INTS:
      return "const int64_t *";
    case TENON_KIND_OPT_FLOAT:
    case TENON_KIND_FLOATS:
      return "const double *";
    case TENON_KIND_STRS:
      return "const char *const *";
    default:
      return "const tenon_scalar *";
  }
}

// One parameter: its type, and with `named` its name behind it.
static void put_param(tenon_buf *out, const char *type, bool named,
                      const char *name, const char *suffix) {
  size_t size = strlen(type);
  if (out->data[out->size - 1] != '(') tenon_buf_text(out, ", ");
  if (!named && type[size - 1] == ' ') --size;
  tenon_buf_add(out, type, size);
  if (named) tenon_buf_format(out, "%s%s", name, suffix);
}

static void put_tensor_param(tenon_buf *out, const tenon_bind_kernel *k,
                             const tenon_bind_param *p, bool named) {
  char type[64];
  tenon_dtype t = tenon_glue_plain(k, p);
  if (!t) {
    put_param(out, "const tenon_tensor *", named, p->name, "");
    if (p->argument->is_list)
      put_param(out, "size_t ", named, p->name, "_count");
    return;
  }
  snprintf(type, sizeof type, "%s%s *",
           p->role == TENON_BIND_IN ? "const " : "", c_type(t));
  put_param(out, type, named, p->name, "");
  if (k->has_dims) {
    put_param(out, "const int32_t *", named, p->name, "_dims");
    put_param(out, "int32_t ", named, p->name, "_rank");
  } else {
    put_param(out, "size_t ", named, p->name, "_count");
  }
}

void tenon_glue_prototype(const tenon_bind_op *op, const tenon_bind_kernel *k,
                          const char *name, tenon_buf *out) {
  tenon_buf_format(out, "%s %s(", k->may_fail ? "tenon_status" : "void",
                   name ? name : "(*)");
  if (out->failed) return;
  for (uint16_t i = 0; i < op->n_params; ++i) {
    const tenon_bind_param *p = &op->params[i];
    bool has_count = false;
    if (p->role != TENON_BIND_ATTR) {
      put_tensor_param(out, k, p, name != NULL);
    } else {
      put_param(out, attr_type(p->argument->kind, &has_count), name != NULL,
                p->name, "");
      if (has_count) put_param(out, "size_t ", name != NULL, p->name, "_count");
    }
    if (out->failed) return;
  }
  tenon_put(out, "$)", op->n_params == 0 ? "void" : "");
}

// ---------------------------------------------------------------------------
// Wrappers
// ---------------------------------------------------------------------------

static bool has_lists(const tenon_argument *args, uint16_t n) {
  for (uint16_t i = 0; i < n; ++i)
    if (args[i].base == TENON_BASE_TENSOR && args[i].is_list) return true;
  return false;
}

// The expression of a tensor, `c->in[2]`, behind a list counted by groups.
void tenon_glue_tensor(tenon_buf *out, const tenon_bind_op *op,
                       const tenon_bind_param *p) {
  unsigned i = p->index;
  const tenon_schema *s = op->schema;
  bool is_out = p->role == TENON_BIND_OUT;
  const char *side = is_out ? "out" : "in";
  if (is_out ? has_lists(s->returns, s->n_returns)
             : has_lists(s->args, s->n_args))
    tenon_buf_format(out, "c->%s[c->%s_group ? c->%s_group[%u] : %u]", side,
                     side, side, i, i);
  else
    tenon_buf_format(out, "c->%s[%u]", side, i);
}

// How many tensors the list has.
void tenon_glue_length(tenon_buf *out, const tenon_bind_param *p) {
  const char *side = p->role == TENON_BIND_OUT ? "out" : "in";
  unsigned i = p->index;
  tenon_put(out, "c->$_group ? (size_t)(c->$_group[$] - c->$_group[$]) : 1",
            side, side, i + 1, side, i);
}

static void put_tensor_args(tenon_buf *out, const tenon_bind_op *op,
                            const tenon_bind_kernel *k,
                            const tenon_bind_param *p) {
  tenon_dtype t = tenon_glue_plain(k, p);
  bool may_lack = p->argument->is_optional && p->role == TENON_BIND_IN;
  if (!t) {
    tenon_buf_char(out, '&');
    tenon_glue_tensor(out, op, p);
    if (p->argument->is_list) {
      tenon_buf_text(out, ", ");
      tenon_glue_length(out, p);
    }
    return;
  }
  tenon_put(out, "($$ *)", p->role == TENON_BIND_IN ? "const " : "", c_type(t));
  tenon_glue_tensor(out, op, p);
  tenon_buf_text(out, ".data, ");
  if (k->has_dims) {
    tenon_glue_tensor(out, op, p);
    tenon_buf_text(out, ".dims, (int32_t)");
    tenon_glue_tensor(out, op, p);
    tenon_buf_text(out, ".rank");
    return;
  }
  if (may_lack) {
    tenon_glue_tensor(out, op, p);
    tenon_buf_text(out, ".dtype ? ");
  }
  tenon_buf_text(out, "tenon_count(&");
  tenon_glue_tensor(out, op, p);
  tenon_buf_text(out, may_lack ? ") : 0" : ")");
}

// What an operator without a struct of attributes gives: a list of tenon_arg.
static void put_listed_attr(tenon_buf *out, unsigned i,
                            const tenon_argument *a) {
  static const char *const forms[] = {
      [TENON_KIND_BOOL] = "a[%u].as.i != 0",
      [TENON_KIND_INT] = "a[%u].as.i",
      [TENON_KIND_FLOAT] = "a[%u].as.f",
      [TENON_KIND_STR] = "a[%u].kind ? a[%u].as.s : NULL",
      [TENON_KIND_DTYPE] = "(tenon_dtype)(a[%u].kind ? a[%u].as.i : 0)",
      [TENON_KIND_SCALAR] = "a[%u].as.scalar",
      [TENON_KIND_OPT_INT] = "a[%u].kind ? &a[%u].as.i : NULL",
      [TENON_KIND_OPT_FLOAT] = "a[%u].kind ? &a[%u].as.f : NULL",
      [TENON_KIND_OPT_BOOL] = "a[%u].kind ? &b%u : NULL",
      [TENON_KIND_INTS] =
          "a[%u].kind ? a[%u].as.ints.data : NULL, a[%u].as.ints.count",
      [TENON_KIND_FLOATS] =
          "a[%u].kind ? a[%u].as.floats.data : NULL, a[%u].as.floats.count",
      [TENON_KIND_BOOLS] =
          "a[%u].kind ? a[%u].as.bools.data : NULL, a[%u].as.bools.count",
      [TENON_KIND_SCALARS] =
          "a[%u].kind ? a[%u].as.scalars.data : NULL, a[%u].as.scalars.count",
      [TENON_KIND_STRS] =
          "a[%u].kind ? a[%u].as.strs.data : NULL, a[%u].as.strs.count"};
  for (const char *f = forms[a->kind]; *f; ++f) {
    if (f[0] == '%') {
      tenon_buf_format(out, "%u", i);
      ++f;
    } else {
      tenon_buf_char(out, *f);
    }
  }
}

static void glue_call_put_member(tenon_buf *out, unsigned i,
                                 const tenon_argument *a) {
  bool has_count = false;
  (void)attr_type(a->kind, &has_count);
  if (has_count)
    tenon_buf_format(out, "a->m%u.data, a->m%u.count", i, i);
  else if (a->kind == TENON_KIND_OPT_BOOL || a->kind == TENON_KIND_OPT_INT ||
           a->kind == TENON_KIND_OPT_FLOAT)
    tenon_buf_format(out, "a->m%u.has ? &a->m%u.value : NULL", i, i);
  else
    tenon_buf_format(out, "a->m%u", i);
}

static const tenon_field *fields_of(const tenon_bind_op *op) {
  return op->existing ? op->existing->desc->fields : NULL;
}

// The number in the struct of the field that holds an attribute.
static unsigned field_of(const tenon_bind_op *op, const char *name) {
  unsigned i = 0;
  while (fields_of(op)[i].name && strcmp(fields_of(op)[i].name, name) != 0)
    ++i;
  return i;
}

bool tenon_glue_attrs(tenon_buf *out, const tenon_bindings *b,
                      const tenon_bind_op *op, unsigned id) {
  bool has_attrs = false;
  for (uint16_t i = 0; i < op->n_params; ++i)
    has_attrs |= op->params[i].role == TENON_BIND_ATTR;
  if (!has_attrs) return false;
  if (fields_of(op)) {
    tenon_put(out, "  const $_attrs$ *a = (const $_attrs$ *)c->attrs;\n",
              b->plugin, id, b->plugin, id);
    return true;
  }
  tenon_buf_text(out, "  const tenon_arg *a = (const tenon_arg *)c->attrs;\n");
  for (uint16_t i = 0; i < op->n_params; ++i)
    if (op->params[i].role == TENON_BIND_ATTR &&
        op->params[i].argument->kind == TENON_KIND_OPT_BOOL)
      tenon_buf_format(out, "  bool b%u = a[%u].as.i != 0;\n",
                       (unsigned)op->params[i].index,
                       (unsigned)op->params[i].index);
  return true;
}

void tenon_glue_attr(tenon_buf *out, const tenon_bind_op *op,
                     const tenon_bind_param *p) {
  if (fields_of(op))
    glue_call_put_member(out, field_of(op, p->argument->name), p->argument);
  else
    put_listed_attr(out, p->index, p->argument);
}

void tenon_glue_wrapper(tenon_buf *out, const tenon_bindings *b,
                        const tenon_bind_op *op, unsigned id,
                        const tenon_bind_kernel *k, const tenon_bind_key *key) {
  tenon_glue_order_call(out, b, op, key);
  if (key->is_ordered)
    tenon_buf_format(out,
                     "static tenon_status call_%s(const tenon_call *c) {\n",
                     key->symbol);
  else
    tenon_buf_format(out, "\nTENON_KERNEL(%s) {\n", key->symbol);
  (void)tenon_glue_attrs(out, b, op, id);
  tenon_buf_format(out, "  %s%s(", k->may_fail ? "return " : "", k->function);
  for (uint16_t i = 0; i < op->n_params; ++i) {
    const tenon_bind_param *p = &op->params[i];
    if (i) tenon_buf_text(out, ", ");
    if (p->role != TENON_BIND_ATTR)
      put_tensor_args(out, op, k, p);
    else
      tenon_glue_attr(out, op, p);
  }
  tenon_buf_text(out, k->may_fail ? ");\n}\n" : ");\n  return TENON_OK;\n}\n");
  if (!key->is_ordered) return;
  tenon_buf_format(out, "\nTENON_KERNEL(%s) {\n", key->symbol);
  tenon_glue_order_use(out, op, key, "call");
}

// The struct of an operator that is there, as its fields lay it out.
void tenon_glue_struct(tenon_buf *out, const tenon_bindings *b,
                       const tenon_bind_op *op, unsigned id) {
  const tenon_field *fields = fields_of(op), *last = NULL;
  if (!fields || !fields->name) return;
  tenon_buf_format(out, "\ntypedef struct %s_attrs%u {\n", b->plugin, id);
  for (;;) {
    const tenon_field *next = NULL;
    for (const tenon_field *f = fields; f->name; ++f)
      if ((!last || f->offset > last->offset) &&
          (!next || f->offset < next->offset))
        next = f;
    if (!next) break;
    char name[24];
    snprintf(name, sizeof name, "m%u", (unsigned)(next - fields));
    tenon_buf_text(out, "  ");
    tenon_kind_declare(next->kind, name, out);
    tenon_buf_text(out, ";\n");
    last = next;
  }
  tenon_buf_format(out, "} %s_attrs%u;\n", b->plugin, id);
}
