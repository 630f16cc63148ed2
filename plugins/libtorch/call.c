// How: arguments of the stack are 64 bits each, owned by the callee once it is
// called; until then they are given back here. Operands are lent where they
// lie, without a copy.
#include "call.h"

#include <stdio.h>
#include <string.h>

#include "numbers.h"
#include "schema.h"

#define MOST_ARGUMENTS 64
#define MOST_NUMBERS 4

typedef struct stack {
  const tenon_call *call;
  const shims *torch;
  uint64_t values[MOST_ARGUMENTS];
  argument arguments[MOST_ARGUMENTS];
  int count;
  int tensor_argument;           // of the schema, counted as in in_group
  double numbers[MOST_NUMBERS];  // that are lent as tensors
  int n_numbers;
} stack;

// What torch has said last; a fault's text outlives the call.
static _Thread_local char error[512];

static tenon_status fail(const tenon_call *c, const shims *s,
                         const char *what) {
  const char *words = s->torch_exception_get_what_without_backtrace
                          ? s->torch_exception_get_what_without_backtrace()
                          : "";
  snprintf(error, sizeof error, "%s%s%s", what, words && *words ? ": " : "",
           words ? words : "");
  for (char *p = error; *p; ++p)
    if (*p == '\n' || *p == '{' || *p == '}') *p = ' ';
  return tenon_call_fail(c, error, 0, 0);
}

bool call_dtype(tenon_dtype dtype, int32_t *out) {
  const shims *s = shims_get();
  if (!s) return false;
  switch (dtype) {
    case TENON_F64:
      *out = s->aoti_torch_dtype_float64();
      return true;
    case TENON_F32:
      *out = s->aoti_torch_dtype_float32();
      return true;
    case TENON_F16:
      *out = s->aoti_torch_dtype_float16();
      return true;
    case TENON_BF16:
      *out = s->aoti_torch_dtype_bfloat16();
      return true;
    case TENON_S64:
      *out = s->aoti_torch_dtype_int64();
      return true;
    case TENON_S32:
      *out = s->aoti_torch_dtype_int32();
      return true;
    case TENON_S16:
      *out = s->aoti_torch_dtype_int16();
      return true;
    case TENON_S8:
      *out = s->aoti_torch_dtype_int8();
      return true;
    case TENON_U8:
      *out = s->aoti_torch_dtype_uint8();
      return true;
    case TENON_BOOL:
      *out = s->aoti_torch_dtype_bool();
      return true;
    case TENON_C64:
      *out = s->aoti_torch_dtype_complex64();
      return true;
    case TENON_C128:
      *out = s->aoti_torch_dtype_complex128();
      return true;
    default:
      return false;
  }
}

static size_t element_size(tenon_dtype dtype) {
  switch (dtype) {
    case TENON_C128:
      return 16;
    case TENON_F64:
    case TENON_S64:
    case TENON_C64:
      return 8;
    case TENON_F32:
    case TENON_S32:
      return 4;
    case TENON_F16:
    case TENON_BF16:
    case TENON_S16:
      return 2;
    default:
      return 1;
  }
}

static uint64_t of_pointer(const void *p) {
  return (uint64_t)(uintptr_t)p;
}
static void *to_pointer(uint64_t v) {
  return (void *)(uintptr_t)v;
}
static uint64_t of_float(double f) {
  uint64_t bits = 0;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

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

bool call_is_none(const tenon_call *c, const char *name) {
  return is_none(find(c, name));
}

// --- values -----------------------------------------------------------------

static bool put_tensor(stack *s, const tenon_tensor *t, uint64_t *out) {
  int64_t sizes[TENON_MAX_RANK], strides[TENON_MAX_RANK], dense = 1;
  int32_t dtype = 0;
  void *handle = NULL;
  if (!call_dtype(t->dtype, &dtype)) return false;
  for (int i = t->rank; i-- > 0;) {
    sizes[i] = t->dims[i];
    strides[i] = t->strides ? t->strides[i] : dense;
    dense *= sizes[i] ? sizes[i] : 1;
  }
  if (s->torch->aoti_torch_create_tensor_from_blob(
          t->data, t->rank, sizes, strides, 0, dtype, 0, -1, &handle))
    return false;
  *out = of_pointer(handle);
  return true;
}

// An optional value is a pointer to one that the callee frees.
static bool wrap(stack *s, uint64_t *value) {
  uint64_t *heap = NULL;
  if (!s->torch->torch_new_stable_ivalue ||
      s->torch->torch_new_stable_ivalue(&heap))
    return false;
  *heap = *value;
  *value = of_pointer(heap);
  return true;
}

static bool put_text(stack *s, const argument *a, const char *text,
                     uint64_t *out) {
  const shims *t = s->torch;
  void *handle = NULL;
  if (a->kind == ARGUMENT_STR) {
    if (t->torch_new_string_handle(text, strlen(text), &handle)) return false;
    *out = of_pointer(handle);
    return true;
  }
  int32_t (*get)(void) = NULL;
  if (a->kind == ARGUMENT_LAYOUT && strcmp(text, "strided") == 0)
    get = t->aoti_torch_layout_strided;
  if (a->kind == ARGUMENT_MEMORY_FORMAT) {
    if (strcmp(text, "contiguous_format") == 0)
      get = t->aoti_torch_memory_format_contiguous_format;
    if (strcmp(text, "preserve_format") == 0)
      get = t->aoti_torch_memory_format_preserve_format;
    if (strcmp(text, "channels_last") == 0)
      get = t->aoti_torch_memory_format_channels_last;
    if (strcmp(text, "channels_last_3d") == 0)
      get = t->aoti_torch_memory_format_channels_last_3d;
  }
  // The processor, without an index.
  if (a->kind == ARGUMENT_DEVICE && strcmp(text, "cpu") == 0) {
    *out = UINT32_MAX;
    return true;
  }
  if (!get) return false;
  *out = (uint64_t)(uint32_t)get();
  return true;
}

static bool put_single(stack *s, const argument *a, const tenon_arg *v,
                       uint64_t *out) {
  int32_t dtype = 0;
  switch (a->kind) {
    case ARGUMENT_INT:
    case ARGUMENT_BOOL:
      *out = (uint64_t)v->as.i;
      return v->kind == TENON_KIND_INT || v->kind == TENON_KIND_BOOL;
    case ARGUMENT_FLOAT:
      *out = of_float(v->kind == TENON_KIND_INT ? (double)v->as.i : v->as.f);
      return v->kind == TENON_KIND_FLOAT || v->kind == TENON_KIND_INT;
    case ARGUMENT_DTYPE:
      if (!call_dtype((tenon_dtype)v->as.i, &dtype)) return false;
      *out = (uint64_t)(uint32_t)dtype;
      return true;
    default:
      return v->kind == TENON_KIND_STR && put_text(s, a, v->as.s, out);
  }
}

// Element i of a list; a single value stands for a list of one.
static bool put_element(const argument *a, const tenon_arg *v, size_t i,
                        uint64_t *out) {
  if (a->kind == ARGUMENT_INT && v->kind == TENON_KIND_INTS)
    *out = (uint64_t)v->as.ints.data[i];
  else if (a->kind == ARGUMENT_FLOAT && v->kind == TENON_KIND_FLOATS)
    *out = of_float(v->as.floats.data[i]);
  else if (a->kind == ARGUMENT_BOOL && v->kind == TENON_KIND_BOOLS)
    *out = v->as.bools.data[i] ? 1 : 0;
  else
    return false;
  return true;
}

static size_t count_of(const tenon_arg *v) {
  return v->kind == TENON_KIND_INTS     ? v->as.ints.count
         : v->kind == TENON_KIND_FLOATS ? v->as.floats.count
         : v->kind == TENON_KIND_BOOLS  ? v->as.bools.count
                                        : 0;
}

static bool put_attribute(stack *s, const argument *a, const tenon_arg *v,
                          uint64_t *out) {
  void *list = NULL;
  if (!a->is_list) return put_single(s, a, v, out);
  if (s->torch->torch_new_list_reserve_size(count_of(v), &list)) return false;
  *out = of_pointer(list);
  for (size_t i = 0; i < count_of(v); ++i) {
    uint64_t element = 0;
    if (!put_element(a, v, i, &element) ||
        s->torch->torch_list_push_back(list, element))
      return false;
  }
  return true;
}

static bool put_operand(stack *s, const argument *a, uint64_t *out) {
  const tenon_call *c = s->call;
  int g = s->tensor_argument++;
  int first = c->in_group ? c->in_group[g] : g;
  int behind = c->in_group ? c->in_group[g + 1] : g + 1;
  void *list = NULL;
  if (first >= c->n_in && !a->is_list) return false;
  if (!a->is_list) {
    const tenon_tensor *t = &c->in[first];
    if (!t->dtype) return a->is_optional;  // None: 0
    return put_tensor(s, t, out) && (!a->is_optional || wrap(s, out));
  }
  if (s->torch->torch_new_list_reserve_size((size_t)(behind - first), &list))
    return false;
  *out = of_pointer(list);
  for (int i = first; i < behind; ++i) {
    uint64_t element = 0;
    bool is_there = c->in[i].dtype != 0;
    if (is_there && !put_tensor(s, &c->in[i], &element)) return false;
    if (is_there && a->has_optional_elements && !wrap(s, &element))
      return false;
    if (s->torch->torch_list_push_back(list, element)) return false;
  }
  return true;
}

static bool is_real(tenon_dtype t) {
  return t == TENON_F16 || t == TENON_BF16 || t == TENON_F32 ||
         t == TENON_F64 || t == TENON_C64 || t == TENON_C128;
}

// A tensor without dimensions, of a type that leaves that of others as it is; a
// float among integers makes torch's standard float of them.
static bool put_number(stack *s, tenon_scalar v, uint64_t *out) {
  if (s->n_numbers == MOST_NUMBERS) return false;
  void *data = &s->numbers[s->n_numbers++];
  tenon_tensor t = {.data = data, .dtype = TENON_S64};
  bool is_float = s->call->n_in > 0 && is_real(s->call->in[0].dtype);
  float narrow = (float)v.as.f;
  if (v.kind != TENON_KIND_FLOAT) {
    memcpy(data, &v.as.i, sizeof v.as.i);
  } else if (is_float) {
    t.dtype = TENON_F64;
    memcpy(data, &v.as.f, sizeof v.as.f);
  } else {
    t.dtype = TENON_F32;
    memcpy(data, &narrow, sizeof narrow);
  }
  return put_tensor(s, &t, out);
}

static bool put_scalar(stack *s, const argument *a, const tenon_arg *v,
                       uint64_t *out) {
  tenon_scalar number = {v->kind, {v->as.i}};
  if (v->kind == TENON_KIND_FLOAT) number.as.f = v->as.f;
  if (v->kind == TENON_KIND_SCALAR) number = v->as.scalar;
  if (strcmp(a->name, "alpha") != 0)
    return put_number(s, number, out) && (!a->is_optional || wrap(s, out));
  *out = of_float(number.kind == TENON_KIND_FLOAT ? number.as.f
                                                  : (double)number.as.i);
  return true;
}

bool call_takes_numbers(const tenon_call *c) {
  char name[128], overload[128];
  if (!schema_name(c->schema, name, overload) ||
      !numbers_replace(name, overload))
    return false;
  // The functions with alpha take it as a float, which torch refuses to
  // multiply integers by.
  return !numbers_has_alpha(name) || (c->n_out > 0 && is_real(c->out[0].dtype));
}

static bool put_argument(stack *s, const argument *a) {
  uint64_t *out = &s->values[s->count];
  s->arguments[s->count++] = *a;
  if (a->kind == ARGUMENT_TENSOR) return put_operand(s, a, out);
  const tenon_arg *v = find(s->call, a->name);
  if (is_none(v)) return a->is_optional;
  if (a->kind == ARGUMENT_NUMBER) return put_scalar(s, a, v, out);
  return put_attribute(s, a, v, out) && (!a->is_optional || wrap(s, out));
}

// --- results ----------------------------------------------------------------

// One element after the other, in the order of the dimensions.
static void gather(const char *from, const int64_t *strides,
                   const tenon_tensor *to, size_t width) {
  int64_t index[TENON_MAX_RANK] = {0}, at = 0;
  char *out = (char *)to->data;
  for (size_t n = tenon_count(to); n > 0; --n) {
    memcpy(out, from + at * (int64_t)width, width);
    out += width;
    for (int i = to->rank; i-- > 0;) {
      at += strides[i];
      if (++index[i] < to->dims[i]) break;
      at -= strides[i] * to->dims[i];
      index[i] = 0;
    }
  }
}

static tenon_status take(const stack *s, void *tensor, const tenon_tensor *to) {
  const shims *t = s->torch;
  int64_t rank = 0, *sizes = NULL, *strides = NULL;
  int32_t dtype = 0, wanted = 0;
  void *data = NULL;
  bool is_defined = false;
  if (t->aoti_torch_is_defined(tensor, &is_defined) || !is_defined)
    return tenon_call_fail(s->call, "torch gave no tensor as a result", 0, 0);
  if (t->aoti_torch_get_dim(tensor, &rank) ||
      t->aoti_torch_get_sizes(tensor, &sizes) ||
      t->aoti_torch_get_strides(tensor, &strides) ||
      t->aoti_torch_get_dtype(tensor, &dtype) ||
      t->aoti_torch_get_data_ptr(tensor, &data))
    return fail(s->call, t, "a result cannot be read");
  if (!call_dtype(to->dtype, &wanted) || dtype != wanted)
    return tenon_call_fail(
        s->call, "torch's type {0} of a result is not the program's, {1}",
        dtype, wanted);
  if (rank != to->rank)
    return tenon_call_fail(s->call,
                           "torch gave {0} dimensions, the program has {1}",
                           rank, to->rank);
  for (int i = 0; i < to->rank; ++i)
    if (sizes[i] != to->dims[i])
      return tenon_call_fail(s->call,
                             "torch gave a size of {0}, the program has {1}",
                             sizes[i], to->dims[i]);
  // A written operand is where it was.
  if (data != to->data && tenon_count(to) > 0)
    gather((const char *)data, strides, to, element_size(to->dtype));
  return TENON_OK;
}

static tenon_status take_list(const stack *s, void *list, int first,
                              int behind) {
  size_t n = 0;
  tenon_status status = TENON_OK;
  if (s->torch->torch_list_size(list, &n) || n != (size_t)(behind - first))
    status =
        tenon_call_fail(s->call, "torch gave {0} results, the program has {1}",
                        (int64_t)n, behind - first);
  for (int i = first; status == TENON_OK && i < behind; ++i) {
    uint64_t item = 0;
    if (s->torch->torch_list_get_item(list, (size_t)(i - first), &item))
      return fail(s->call, s->torch, "a result cannot be read");
    status = take(s, to_pointer(item), &s->call->out[i]);
    (void)s->torch->aoti_torch_delete_tensor_object(to_pointer(item));
  }
  return status;
}

static tenon_status take_results(stack *s) {
  const tenon_call *c = s->call;
  const char *at = schema_results(c->schema);
  tenon_status status = TENON_OK;
  argument a;
  for (int i = 0; schema_next(&at, &a); ++i) {
    int first = c->out_group ? c->out_group[i] : i;
    int behind = c->out_group ? c->out_group[i + 1] : i + 1;
    void *value = to_pointer(s->values[i]);
    if (a.is_list) {
      if (status == TENON_OK) status = take_list(s, value, first, behind);
      (void)s->torch->torch_delete_list(value);
    } else {
      if (status == TENON_OK) status = take(s, value, &c->out[first]);
      (void)s->torch->aoti_torch_delete_tensor_object(value);
    }
  }
  return status;
}

// --- the call ---------------------------------------------------------------

// self, other and alpha are on the stack, and the result takes their place.
static bool add_or_sub(stack *s, const char *name) {
  void *self = to_pointer(s->values[0]), *other = to_pointer(s->values[1]);
  void *result = NULL;
  double alpha = 0;
  memcpy(&alpha, &s->values[2], sizeof alpha);
  int32_t failed =
      strcmp(name, "aten::add") == 0
          ? s->torch->aoti_torch_cpu_add_Tensor(self, other, alpha, &result)
          : s->torch->aoti_torch_aten_subtract_Tensor(self, other, alpha,
                                                      &result);
  (void)s->torch->aoti_torch_delete_tensor_object(self);
  (void)s->torch->aoti_torch_delete_tensor_object(other);
  s->values[0] = of_pointer(result);
  return failed == 0;
}

static bool dispatch(stack *s, char name[128], char overload[128]) {
  bool has_number = false;
  for (int i = 0; i < s->count; ++i)
    has_number |= s->arguments[i].kind == ARGUMENT_NUMBER;
  s->torch->aoti_torch_grad_mode_set_enabled(false);
  bool is_other = has_number && numbers_replace(name, overload);
  if (is_other && numbers_has_alpha(name)) return add_or_sub(s, name);
  return s->torch->torch_call_dispatcher(name, overload, s->values,
                                         s->torch->aoti_torch_abi_version()) ==
         0;
}

tenon_status call_run(const tenon_call *c) {
  char name[128], overload[128];
  argument a;
  stack s;
  memset(&s, 0, sizeof s);
  s.call = c;
  s.torch = shims_get();
  if (!s.torch || !c->schema || !schema_name(c->schema, name, overload))
    return tenon_call_fail(c, "libtorch was not found", 0, 0);
  if (c->sizes)
    return tenon_call_fail(
        c, "sizes that data decide cannot be asked of libtorch", 0, 0);
  const char *at = schema_arguments(c->schema);
  while (schema_next(&at, &a)) {
    if (s.count == MOST_ARGUMENTS || !put_argument(&s, &a))
      // What is on the stack already is lost: a defect, or no memory.
      return fail(c, s.torch, "an argument cannot be passed to libtorch");
  }
  if (!dispatch(&s, name, overload)) return fail(c, s.torch, "libtorch");
  return take_results(&s);
}
