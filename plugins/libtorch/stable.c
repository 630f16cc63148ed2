// How: arguments of the stack are 64 bits each, owned by the callee once it is
// called; until then they are given back here. Operands are lent where they
// lie, without a copy.
#include "stable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "shims.h"

#define MOST_ARGUMENTS 64
#define MOST_NUMBERS 4

typedef struct stack {
  value_call *call;
  const shims *torch;
  uint64_t values[MOST_ARGUMENTS];
  argument arguments[MOST_ARGUMENTS];
  size_t count;
  double numbers[MOST_NUMBERS][2];  // that are lent as tensors
  int n_numbers;
} stack;

// What results point to.
typedef struct held {
  void **tensors;  // handles
  value_tensor *views;
  value *elements;  // of lists
  size_t n_tensors, n_elements;
} held;

static bool fail(value_call *c, const char *what) {
  const shims *s = shims_get();
  const char *words = s->torch_exception_get_what_without_backtrace
                          ? s->torch_exception_get_what_without_backtrace()
                          : "";
  snprintf(c->error, c->error_size, "%s%s%s", what, words && *words ? ": " : "",
           words ? words : "");
  return false;
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
static double to_float(uint64_t bits) {
  double f = 0;
  memcpy(&f, &bits, sizeof f);
  return f;
}

// --- values -----------------------------------------------------------------

static bool put_tensor(const stack *s, const value_tensor *t, uint64_t *out) {
  void *handle = NULL;
  if (s->torch->aoti_torch_create_tensor_from_blob(
          t->data, t->rank, t->sizes, t->strides, 0, t->dtype,
          s->torch->aoti_torch_device_type_cpu(), -1, &handle))
    return false;
  *out = of_pointer(handle);
  return true;
}

// An optional value is a pointer to one that the callee frees.
static bool wrap(const stack *s, uint64_t *v) {
  uint64_t *heap = NULL;
  if (!s->torch->torch_new_stable_ivalue ||
      s->torch->torch_new_stable_ivalue(&heap))
    return false;
  *heap = *v;
  *v = of_pointer(heap);
  return true;
}

static bool put_single(const stack *s, const value *v, uint64_t *out) {
  void *handle = NULL;
  switch (v->kind) {
    case VALUE_TENSOR:
      return put_tensor(s, v->as.tensor, out);
    case VALUE_INT:
    case VALUE_BOOL:
      *out = (uint64_t)v->as.i;
      return true;
    case VALUE_FLOAT:
      *out = of_float(v->as.f);
      return true;
    case VALUE_STR:
      if (s->torch->torch_new_string_handle(v->as.s, strlen(v->as.s), &handle))
        return false;
      *out = of_pointer(handle);
      return true;
    case VALUE_DEVICE:  // of type 0, the processor, without an index
      *out = UINT32_MAX;
      return true;
    default:
      return false;
  }
}

static bool put_list(const stack *s, const value *v, uint64_t *out) {
  void *list = NULL;
  if (s->torch->torch_new_list_reserve_size(v->count, &list)) return false;
  *out = of_pointer(list);
  for (size_t i = 0; i < v->count; ++i) {
    uint64_t element = 0;
    const value *e = &v->as.list[i];
    bool is_there = e->kind != VALUE_NONE;
    if (is_there && !put_single(s, e, &element)) return false;
    if (is_there && v->may_lack && !wrap(s, &element)) return false;
    if (s->torch->torch_list_push_back(list, element)) return false;
  }
  return true;
}

static bool is_real(int32_t dtype) {
  const shims *s = shims_get();
  return dtype == s->aoti_torch_dtype_float16() ||
         dtype == s->aoti_torch_dtype_bfloat16() ||
         dtype == s->aoti_torch_dtype_float32() ||
         dtype == s->aoti_torch_dtype_float64() ||
         dtype == s->aoti_torch_dtype_complex64() ||
         dtype == s->aoti_torch_dtype_complex128();
}

// Whether a tensor with dimensions is among the arguments, and the type of the
// last one that has none, of floats or of others; -1 without one.
static bool look(const stack *s, bool of_floats, int32_t *dtype) {
  *dtype = -1;
  bool has_dims = false;
  for (size_t i = 0; i < s->call->n_arguments; ++i) {
    const value *v = &s->call->arguments[i];
    if (v->kind != VALUE_TENSOR || v->is_list) continue;
    if (is_real(v->as.tensor->dtype) != of_floats) continue;
    has_dims |= v->as.tensor->rank > 0;
    if (v->as.tensor->rank == 0) *dtype = v->as.tensor->dtype;
  }
  return has_dims;
}

// Beside floats with dimensions any precision does; else it is theirs, or
// torch's standard one.
static int32_t complex_type(const stack *s) {
  const shims *t = s->torch;
  int32_t own = -1;
  bool is_wide = look(s, true, &own) || own == t->aoti_torch_dtype_float64() ||
                 own == t->aoti_torch_dtype_complex128();
  return is_wide ? t->aoti_torch_dtype_complex128()
                 : t->aoti_torch_dtype_complex64();
}

// The type of a tensor without dimensions that leaves that of others as it is,
// as a number would: any of its category beside tensors with dimensions, and
// their own beside those without. False: there is none that would do.
static bool number_type(const stack *s, bool is_float, int32_t *out) {
  const shims *t = s->torch;
  int32_t own = -1;
  if (!is_float) {
    *out = t->aoti_torch_dtype_int64();
    int32_t real = -1;
    bool is_any = look(s, true, &real) || real >= 0 || look(s, false, &own) ||
                  own < 0 || own == t->aoti_torch_dtype_bool();
    if (!is_any) *out = own;
    return true;
  }
  *out = t->aoti_torch_dtype_float64();
  if (look(s, true, &own) || own == *out ||
      own == t->aoti_torch_dtype_complex128())
    return true;
  // A float among integers makes torch's standard float of them.
  *out = t->aoti_torch_dtype_float32();
  return own < 0 || own == *out || own == t->aoti_torch_dtype_complex64();
}

// Numbers of 64 bits, in this precision.
static void store(const double *from, int count, bool is_wide, void *to) {
  for (int i = 0; i < count; ++i) {
    float narrow = (float)from[i];
    if (is_wide)
      memcpy((double *)to + i, &from[i], sizeof from[i]);
    else
      memcpy((float *)to + i, &narrow, sizeof narrow);
  }
}

// False: it does not fit.
static bool store_integer(const shims *t, int64_t v, int32_t dtype, void *to) {
  const struct {
    int32_t dtype;
    size_t size;
    bool is_signed;
  } rows[] = {{t->aoti_torch_dtype_int8(), 1, true},
              {t->aoti_torch_dtype_int16(), 2, true},
              {t->aoti_torch_dtype_int32(), 4, true},
              {t->aoti_torch_dtype_uint8(), 1, false},
              {t->aoti_torch_dtype_uint16(), 2, false},
              {t->aoti_torch_dtype_uint32(), 4, false}};
  memcpy(to, &v, sizeof v);  // the low bytes come first
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].dtype != dtype) continue;
    int64_t range = (int64_t)1 << (8 * rows[i].size - rows[i].is_signed);
    return v < range && v >= (rows[i].is_signed ? -range : 0);
  }
  return dtype != t->aoti_torch_dtype_uint64() || v >= 0;
}

static bool put_number(stack *s, const value *v, uint64_t *out) {
  const shims *torch = s->torch;
  value_tensor t = {.data = NULL};
  bool is_float = v->kind == VALUE_FLOAT, is_complex = v->kind == VALUE_COMPLEX;
  if (s->n_numbers == MOST_NUMBERS) return false;
  if (is_complex)
    t.dtype = complex_type(s);
  else if (v->kind == VALUE_BOOL)
    t.dtype = torch->aoti_torch_dtype_bool();
  else if (!number_type(s, is_float, &t.dtype))
    return false;
  t.data = s->numbers[s->n_numbers++];
  bool is_wide = t.dtype == torch->aoti_torch_dtype_float64() ||
                 t.dtype == torch->aoti_torch_dtype_complex128();
  if (is_float || is_complex)
    store(is_float ? &v->as.f : v->as.c, is_float ? 1 : 2, is_wide, t.data);
  else if (!store_integer(torch, v->as.i, t.dtype, t.data))
    return false;
  return put_tensor(s, &t, out);
}

static bool put_scalar(stack *s, const argument *a, const value *v,
                       uint64_t *out) {
  if (strcmp(a->name, "alpha") != 0) return put_number(s, v, out);
  if (v->kind == VALUE_COMPLEX) return false;
  *out = of_float(v->kind == VALUE_FLOAT ? v->as.f : (double)v->as.i);
  return true;
}

static bool put_argument(stack *s, const argument *a) {
  const value *v = &s->call->arguments[s->count];
  uint64_t *out = &s->values[s->count];
  s->arguments[s->count++] = *a;
  if (v->kind == VALUE_NONE) return a->is_optional;  // 0
  bool done = a->is_list                   ? put_list(s, v, out)
              : v->is_wrapped              ? put_number(s, v, out)
              : a->kind == ARGUMENT_NUMBER ? put_scalar(s, a, v, out)
                                           : put_single(s, v, out);
  return done && (!a->is_optional || wrap(s, out));
}

bool stable_can_pass(const char *schema, const argument *a, bool is_float,
                     bool is_complex) {
  char name[128], overload[128];
  // The functions with alpha take it as a float.
  if (is_complex && strcmp(a->name, "alpha") == 0) return false;
  if (a->kind != ARGUMENT_NUMBER) return a->kind != ARGUMENT_OTHER;
  if (a->is_list || !schema_name(schema, name, overload) ||
      !numbers_replace(name, overload))
    return false;
  // A float, which torch refuses to multiply integers by.
  return !numbers_has_alpha(name) || is_float;
}

// --- results ----------------------------------------------------------------

// A tensor may only say that it is conjugate or negative: its elements are
// wanted. The handle is given up for another.
static bool resolve(const shims *s, uint64_t *handle) {
  static const char *const names[] = {"aten::resolve_conj",
                                      "aten::resolve_neg"};
  for (int i = 0; i < 2; ++i)
    if (s->torch_call_dispatcher(names[i], "", handle,
                                 s->aoti_torch_abi_version()))
      return false;
  return true;
}

// `handle` is released with `h` from here on, or at once.
static bool keep_tensor(value_call *c, held *h, uint64_t handle, value *out) {
  const shims *s = shims_get();
  bool is_defined = false;
  int32_t layout = 0, device = 0;
  int64_t *sizes = NULL, *strides = NULL;
  void *tensor = to_pointer(handle);
  h->tensors[h->n_tensors] = tensor;
  value_tensor *view = &h->views[h->n_tensors++];
  out->kind = VALUE_NONE;
  if (!tensor || s->aoti_torch_is_defined(tensor, &is_defined) || !is_defined)
    return true;
  if (s->aoti_torch_get_layout(tensor, &layout) ||
      s->aoti_torch_get_device_type(tensor, &device) ||
      layout != s->aoti_torch_layout_strided() ||
      device != s->aoti_torch_device_type_cpu())
    return fail(c, "a result is no plain tensor of the processor");
  bool done = resolve(s, &handle);
  tensor = to_pointer(handle);
  h->tensors[h->n_tensors - 1] = done ? tensor : NULL;  // it was consumed
  if (!done || s->aoti_torch_get_dim(tensor, &view->rank) ||
      s->aoti_torch_get_sizes(tensor, &sizes) ||
      s->aoti_torch_get_strides(tensor, &strides) ||
      s->aoti_torch_get_dtype(tensor, &view->dtype) ||
      s->aoti_torch_get_data_ptr(tensor, &view->data))
    return fail(c, "a result cannot be read");
  view->sizes = sizes;
  view->strides = strides;
  out->kind = VALUE_TENSOR;
  out->as.tensor = view;
  return true;
}

static bool keep_list(value_call *c, held *h, void *list, size_t n,
                      value *out) {
  const shims *s = shims_get();
  out->kind = VALUE_TENSOR;
  out->is_list = true;
  out->count = n;
  out->as.list = h->elements + h->n_elements;
  for (size_t i = 0; i < n; ++i) {
    uint64_t item = 0;
    if (s->torch_list_get_item(list, i, &item) ||
        !keep_tensor(c, h, item, &h->elements[h->n_elements++]))
      return fail(c, "a result cannot be read");
  }
  return true;
}

static void release(void *kept) {
  held *h = (held *)kept;
  for (size_t i = 0; h && h->tensors && i < h->n_tensors; ++i)
    if (h->tensors[i])
      (void)shims_get()->aoti_torch_delete_tensor_object(h->tensors[i]);
  if (!h) return;
  free(h->tensors);
  free(h->views);
  free(h->elements);
  free(h);
}

static held *make_held(const stack *s, const argument *results) {
  size_t n = 1;
  held *h = (held *)calloc(1, sizeof *h);
  for (size_t i = 0; i < s->call->n_results; ++i) {
    size_t in_list = 0;
    if (results[i].is_list &&
        s->torch->torch_list_size(to_pointer(s->values[i]), &in_list))
      in_list = 0;
    n += 1 + in_list;
  }
  if (!h) return NULL;
  h->tensors = (void **)calloc(n, sizeof *h->tensors);
  h->views = (value_tensor *)calloc(n, sizeof *h->views);
  h->elements = (value *)calloc(n, sizeof *h->elements);
  if (h->tensors && h->views && h->elements) return h;
  release(h);
  return NULL;
}

static bool keep_result(const stack *s, held *h, const argument *a, size_t i) {
  value_call *c = s->call;
  value *out = &c->results[i];
  memset(out, 0, sizeof *out);
  if (a->kind == ARGUMENT_TENSOR && a->is_list) {
    size_t n = 0;
    if (s->torch->torch_list_size(to_pointer(s->values[i]), &n))
      return fail(c, "a result cannot be read");
    return keep_list(c, h, to_pointer(s->values[i]), n, out);
  }
  switch (a->kind) {
    case ARGUMENT_TENSOR:
      return keep_tensor(c, h, s->values[i], out);
    case ARGUMENT_FLOAT:
      out->kind = VALUE_FLOAT;
      out->as.f = to_float(s->values[i]);
      return true;
    case ARGUMENT_BOOL:
      out->kind = VALUE_BOOL;
      out->as.i = (s->values[i] & 1) != 0;
      return true;
    default:
      out->kind = VALUE_INT;
      out->as.i = (int64_t)s->values[i];
      return true;
  }
}

static bool keep_results(stack *s) {
  argument results[MOST_ARGUMENTS];
  const char *at = schema_results(s->call->schema);
  bool done = true;
  for (size_t i = 0; i < s->call->n_results; ++i)
    if (!schema_next(&at, &results[i])) return false;
  held *h = make_held(s, results);
  if (!h) return fail(s->call, "out of memory");
  for (size_t i = 0; i < s->call->n_results; ++i) {
    bool is_tensor = results[i].kind == ARGUMENT_TENSOR && !results[i].is_list;
    if (done)
      done = keep_result(s, h, &results[i], i);
    else if (is_tensor)
      (void)s->torch->aoti_torch_delete_tensor_object(to_pointer(s->values[i]));
    if (results[i].is_list)
      (void)s->torch->torch_delete_list(to_pointer(s->values[i]));
  }
  if (done)
    s->call->held = h;
  else
    release(h);
  return done;
}

// --- the call ---------------------------------------------------------------

// self, other and alpha are on the stack, and the result takes their place.
static bool add_or_sub(stack *s, const char *name) {
  void *self = to_pointer(s->values[0]), *other = to_pointer(s->values[1]);
  void *result = NULL;
  int32_t failed = strcmp(name, "aten::add") == 0
                       ? s->torch->aoti_torch_cpu_add_Tensor(
                             self, other, to_float(s->values[2]), &result)
                       : s->torch->aoti_torch_aten_subtract_Tensor(
                             self, other, to_float(s->values[2]), &result);
  (void)s->torch->aoti_torch_delete_tensor_object(self);
  (void)s->torch->aoti_torch_delete_tensor_object(other);
  s->values[0] = of_pointer(result);
  return failed == 0;
}

static bool dispatch(stack *s, char name[128], char overload[128]) {
  bool has_number = false;
  for (size_t i = 0; i < s->count; ++i)
    has_number |= s->arguments[i].kind == ARGUMENT_NUMBER;
  s->torch->aoti_torch_grad_mode_set_enabled(false);
  bool is_other = has_number && numbers_replace(name, overload);
  if (is_other && numbers_has_alpha(name)) return add_or_sub(s, name);
  return s->torch->torch_call_dispatcher(name, overload, s->values,
                                         s->torch->aoti_torch_abi_version()) ==
         0;
}

static bool call(value_call *c) {
  char name[128], overload[128];
  argument a;
  stack s;
  memset(&s, 0, sizeof s);
  s.call = c;
  s.torch = shims_get();
  c->held = NULL;
  const char *at = schema_arguments(c->schema);
  while (schema_next(&at, &a)) {
    if (s.count == MOST_ARGUMENTS || s.count == c->n_arguments ||
        !put_argument(&s, &a))
      // What is on the stack already is lost: a defect, or no memory.
      return fail(c, "an argument cannot be passed to libtorch");
  }
  if (!schema_name(c->schema, name, overload) ||
      c->n_results > MOST_ARGUMENTS || !dispatch(&s, name, overload))
    return fail(c, "libtorch");
  return keep_results(&s);
}

const value_caller stable_caller = {call, release, 0};
