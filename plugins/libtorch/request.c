// How: the schema says which argument stands where and what it is; operands are
// lent where they lie. What has a form in Tenon alone (names of layouts)
// becomes torch's number here.
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "shims.h"

static const tenon_arg *find(const tenon_call *c, const char *name) {
  for (const tenon_arg *a = (const tenon_arg *)c->attrs; a && a->name; ++a)
    if (strcmp(a->name, name) == 0) return a;
  return NULL;
}

static bool is_none(const tenon_arg *a) {
  if (!a || a->kind == 0) return true;
  switch (a->kind) {
    case TENON_KIND_STR:
      return !a->as.s;
    case TENON_KIND_INTS:
      return !a->as.ints.data;
    case TENON_KIND_FLOATS:
      return !a->as.floats.data;
    case TENON_KIND_BOOLS:
      return !a->as.bools.data;
    case TENON_KIND_SCALAR:
      return a->as.scalar.kind == 0;
    case TENON_KIND_SCALARS:
      return !a->as.scalars.data;
    case TENON_KIND_DTYPE:
      return a->as.i == 0;
    default:
      return false;
  }
}

bool request_is_none(const tenon_call *c, const char *name) {
  return is_none(find(c, name));
}

bool request_is_complex(const tenon_call *c, const char *name) {
  const tenon_arg *a = find(c, name);
  return a && a->kind == TENON_KIND_STR && a->as.s;
}

static size_t count_of(const tenon_arg *v) {
  return v->kind == TENON_KIND_INTS      ? v->as.ints.count
         : v->kind == TENON_KIND_FLOATS  ? v->as.floats.count
         : v->kind == TENON_KIND_BOOLS   ? v->as.bools.count
         : v->kind == TENON_KIND_SCALARS ? v->as.scalars.count
                                         : 0;
}

bool request_init(request *r, const tenon_call *c) {
  size_t n = 1 + c->n_in;
  memset(r, 0, sizeof *r);
  r->call = c;
  for (const tenon_arg *a = (const tenon_arg *)c->attrs; a && a->name; ++a)
    n += count_of(a);
  r->elements = (value *)calloc(n, sizeof *r->elements);
  r->tensors = (value_tensor *)calloc(c->n_in + 1u, sizeof *r->tensors);
  r->dims =
      (int64_t *)calloc((c->n_in + 1u) * 2 * TENON_MAX_RANK, sizeof *r->dims);
  return r->elements && r->tensors && r->dims;
}

void request_deinit(request *r) {
  free(r->elements);
  free(r->tensors);
  free(r->dims);
}

// A Python number in the place of a tensor.
static bool put_wrapped(const tenon_tensor *t, value *out) {
  out->is_wrapped = true;
  out->kind = t->dtype == TENON_S64    ? VALUE_INT
              : t->dtype == TENON_BOOL ? VALUE_BOOL
              : t->dtype == TENON_F64  ? VALUE_FLOAT
                                       : VALUE_COMPLEX;
  if (!t->data || (out->kind == VALUE_COMPLEX && t->dtype != TENON_C128))
    return false;
  if (out->kind == VALUE_INT) memcpy(&out->as.i, t->data, sizeof out->as.i);
  if (out->kind == VALUE_BOOL) out->as.i = *(const bool *)t->data;
  if (out->kind == VALUE_FLOAT) memcpy(&out->as.f, t->data, sizeof out->as.f);
  if (out->kind == VALUE_COMPLEX) memcpy(out->as.c, t->data, sizeof out->as.c);
  return true;
}

static bool put_tensor(request *r, const tenon_tensor *t, value *out) {
  if (t->flags & TENON_TENSOR_NUMBER) return put_wrapped(t, out);
  int64_t *sizes = r->dims + r->n_tensors * 2 * TENON_MAX_RANK;
  int64_t *strides = sizes + TENON_MAX_RANK, dense = 1;
  value_tensor *to = &r->tensors[r->n_tensors++];
  size_t size = 0;
  out->kind = t->dtype ? VALUE_TENSOR : VALUE_NONE;
  out->as.tensor = to;
  for (int i = t->rank; i-- > 0;) {
    sizes[i] = t->dims[i];
    strides[i] = t->strides ? t->strides[i] : dense;
    dense *= sizes[i] ? sizes[i] : 1;
  }
  to->data = t->data;
  to->sizes = sizes;
  to->strides = strides;
  to->rank = t->rank;
  return !t->dtype || shims_dtype(t->dtype, &to->dtype, &size);
}

static bool put_operand(request *r, const argument *a, value *out) {
  const tenon_call *c = r->call;
  int g = r->group++;
  int first = c->in_group ? c->in_group[g] : g;
  int behind = c->in_group ? c->in_group[g + 1] : g + 1;
  if (!a->is_list)
    return first < c->n_in && put_tensor(r, &c->in[first], out) &&
           (out->kind != VALUE_NONE || a->is_optional);
  out->kind = VALUE_TENSOR;
  out->is_list = true;
  out->may_lack = a->has_optional_elements;
  out->count = (size_t)(behind - first);
  out->as.list = r->elements + r->n_elements;
  for (int i = first; i < behind; ++i)
    if (!put_tensor(r, &c->in[i], &r->elements[r->n_elements++])) return false;
  return true;
}

static bool put_text(const argument *a, const char *text, value *out) {
  const shims *s = shims_get();
  const struct {
    const char *name;
    argument_kind kind;
    int32_t (*number)(void);
  } rows[] = {{"strided", ARGUMENT_LAYOUT, s->aoti_torch_layout_strided},
              {"contiguous_format", ARGUMENT_MEMORY_FORMAT,
               s->aoti_torch_memory_format_contiguous_format},
              {"preserve_format", ARGUMENT_MEMORY_FORMAT,
               s->aoti_torch_memory_format_preserve_format},
              {"channels_last", ARGUMENT_MEMORY_FORMAT,
               s->aoti_torch_memory_format_channels_last},
              {"channels_last_3d", ARGUMENT_MEMORY_FORMAT,
               s->aoti_torch_memory_format_channels_last_3d}};
  out->kind = a->kind == ARGUMENT_DEVICE ? VALUE_DEVICE : VALUE_STR;
  out->as.s = text;
  if (a->kind == ARGUMENT_DEVICE) return strcmp(text, "cpu") == 0;
  if (a->kind == ARGUMENT_STR) return true;
  out->kind = VALUE_INT;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].kind != a->kind || strcmp(rows[i].name, text) != 0) continue;
    out->as.i = rows[i].number();
    return true;
  }
  return false;
}

static void put_number(uint32_t kind, int64_t i, double f, value *out) {
  out->kind = kind == TENON_KIND_FLOAT  ? VALUE_FLOAT
              : kind == TENON_KIND_BOOL ? VALUE_BOOL
                                        : VALUE_INT;
  if (kind == TENON_KIND_FLOAT)
    out->as.f = f;
  else
    out->as.i = i;
}

// "0.5-2j"
static bool put_complex(const char *text, value *out) {
  char *end = NULL;
  out->kind = VALUE_COMPLEX;
  out->as.c[0] = strtod(text, &end);
  if (end == text || (*end != '+' && *end != '-')) return false;
  const char *second = end;
  out->as.c[1] = strtod(second, &end);
  return end != second && strcmp(end, "j") == 0;
}

static void put_scalar(tenon_scalar s, value *out) {
  put_number(s.kind, s.kind == TENON_KIND_FLOAT ? 0 : s.as.i,
             s.kind == TENON_KIND_FLOAT ? s.as.f : 0, out);
}

static bool put_single(const argument *a, const tenon_arg *v, value *out) {
  int32_t dtype = 0;
  size_t size = 0;
  bool is_float = v->kind == TENON_KIND_FLOAT;
  bool is_integer = v->kind == TENON_KIND_INT || v->kind == TENON_KIND_BOOL;
  switch (a->kind) {
    case ARGUMENT_INT:
      put_number(TENON_KIND_INT, v->as.i, 0, out);
      return is_integer;
    case ARGUMENT_BOOL:
      put_number(TENON_KIND_BOOL, v->as.i, 0, out);
      return is_integer;
    case ARGUMENT_FLOAT:
      put_number(TENON_KIND_FLOAT, 0, is_float ? v->as.f : (double)v->as.i,
                 out);
      return is_float || v->kind == TENON_KIND_INT;
    case ARGUMENT_NUMBER:
      if (v->kind == TENON_KIND_STR) return put_complex(v->as.s, out);
      if (v->kind == TENON_KIND_SCALAR)
        put_scalar(v->as.scalar, out);
      else
        put_number(v->kind, is_float ? 0 : v->as.i, is_float ? v->as.f : 0,
                   out);
      return is_float || is_integer || v->kind == TENON_KIND_SCALAR;
    case ARGUMENT_DTYPE:
      if (!shims_dtype((tenon_dtype)v->as.i, &dtype, &size)) return false;
      put_number(TENON_KIND_INT, dtype, 0, out);
      return true;
    default:
      return v->kind == TENON_KIND_STR && put_text(a, v->as.s, out);
  }
}

static bool put_list(request *r, const argument *a, const tenon_arg *v,
                     value *out) {
  static const struct {
    uint32_t kind;
    argument_kind of;
    value_kind as;
  } kinds[] = {{TENON_KIND_INTS, ARGUMENT_INT, VALUE_INT},
               {TENON_KIND_FLOATS, ARGUMENT_FLOAT, VALUE_FLOAT},
               {TENON_KIND_BOOLS, ARGUMENT_BOOL, VALUE_BOOL},
               {TENON_KIND_SCALARS, ARGUMENT_NUMBER, VALUE_NUMBER}};
  size_t k = 0;
  while (k < 4 && (kinds[k].kind != v->kind || kinds[k].of != a->kind))
    ++k;
  if (k == 4) return false;
  value *list = r->elements + r->n_elements;
  out->kind = (int32_t)kinds[k].as;
  out->is_list = true;
  out->count = count_of(v);
  out->as.list = list;
  for (size_t i = 0; i < out->count; ++i) {
    if (k == 0) put_number(TENON_KIND_INT, v->as.ints.data[i], 0, &list[i]);
    if (k == 1) put_number(TENON_KIND_FLOAT, 0, v->as.floats.data[i], &list[i]);
    if (k == 2) put_number(TENON_KIND_BOOL, v->as.bools.data[i], 0, &list[i]);
    if (k == 3) put_scalar(v->as.scalars.data[i], &list[i]);
  }
  r->n_elements += out->count;
  return true;
}

static bool put_argument(request *r) {
  const argument *a = &r->schema[r->count];
  value *out = &r->arguments[r->count];
  r->names[r->count++] = a->name;
  if (a->kind == ARGUMENT_TENSOR) return put_operand(r, a, out);
  const tenon_arg *v = find(r->call, a->name);
  if (is_none(v)) return a->is_optional;
  return a->is_list ? put_list(r, a, v, out) : put_single(a, v, out);
}

bool request_fill(request *r) {
  const char *at = schema_arguments(r->call->schema);
  while (schema_next(&at, &r->schema[r->count])) {
    if (!put_argument(r)) return false;
    if (r->count == REQUEST_MOST_ARGUMENTS) break;
  }
  return true;
}
