// How: a request (request.h) goes to the caller that there is; results are
// copied to where they belong.
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boxed.h"
#include "request.h"
#include "shims.h"
#include "stable.h"

#define MOST_RESULTS 32

// A fault's text outlives the call.
static _Thread_local char fault[512];

static tenon_status fail(const tenon_call *c, const char *what,
                         const char *words) {
  snprintf(fault, sizeof fault, "%s%s%s", what, *words ? ": " : "", words);
  for (char *p = fault; *p; ++p)
    if (*p == '\n' || *p == '{' || *p == '}') *p = ' ';
  return tenon_call_fail(c, fault, 0, 0);
}

static const value_caller *caller_get(void) {
  const value_caller *boxed = boxed_get();
  return boxed ? boxed : &stable_caller;
}

// --- whether it can ---------------------------------------------------------

static bool is_real(tenon_dtype t) {
  return t == TENON_F16 || t == TENON_BF16 || t == TENON_F32 ||
         t == TENON_F64 || t == TENON_C64 || t == TENON_C128;
}

static bool can_argument(const tenon_call *c, const argument *a) {
  bool is_float = c->n_out > 0 && is_real(c->out[0].dtype);
  char text[256];
  if (a->kind == ARGUMENT_TENSOR) return true;
  // What takes its place is None.
  if (a->is_optional && request_is_none(c, a->name)) return true;
  if (boxed_get() ? a->kind != ARGUMENT_OTHER
                  : stable_can_pass(c->schema, a, is_float,
                                    request_is_complex(c, a->name)))
    return true;
  snprintf(text, sizeof text, "its argument '%s' is a %s", a->name, a->type);
  if (a->kind == ARGUMENT_OTHER)
    (void)fail(c, text, "nothing of that type goes to torch");
  else
    (void)fail(c, text, boxed_remedy());
  return false;
}

static bool is_number(const argument *a) {
  return !a->is_list && !a->is_optional &&
         (a->kind == ARGUMENT_INT || a->kind == ARGUMENT_FLOAT ||
          a->kind == ARGUMENT_BOOL);
}

static bool refuse_results(const tenon_call *c, const char *what,
                           const char *words) {
  (void)fail(c, what, words);
  return false;
}

// Tensors, or one number that a run finds out. A number beside tensors is one
// that the program has as a literal: another is refused before this is asked
// (TENON_KERNEL_MEASURES_ALL). torch's C interface takes the types of results
// from the wrong end, so that they have to be of one.
static bool can_results(const tenon_call *c) {
  argument a, first = {.kind = ARGUMENT_OTHER};
  int count = 0, numbers = 0;
  bool are_alike = true;
  const char *at = schema_results(c->schema);
  while (schema_next(&at, &a)) {
    char text[128];
    if (count++ == 0) first = a;
    are_alike &= a.kind == first.kind && a.is_list == first.is_list;
    numbers += is_number(&a);
    snprintf(text, sizeof text, "its result %d is a %s", count - 1, a.type);
    if (!is_number(&a) && (a.kind != ARGUMENT_TENSOR || a.is_optional))
      return refuse_results(c, text, "nothing of that type comes from torch");
  }
  if (!at || count > MOST_RESULTS)
    return refuse_results(c, "its schema cannot be read", "");
  if (numbers > 1 && numbers == count)
    return refuse_results(c, "its results are several numbers", "");
  return are_alike || boxed_get() ||
         refuse_results(c, "its results are of several kinds", boxed_remedy());
}

// What data decide cannot be written to an operand, whose size is known.
static bool can_sizes(const tenon_call *c) {
  argument a;
  bool is_open = false, is_written = false;
  const char *at = schema_arguments(c->schema);
  while (schema_next(&at, &a))
    is_written |= a.is_written;
  for (int i = 0; i < c->n_in; ++i)
    for (int k = 0; k < c->in[i].rank; ++k)
      is_open |= c->in[i].dims[k] < 0;
  for (int i = 0; i < c->n_out && !is_open && is_written; ++i)
    for (int k = 0; k < c->out[i].rank; ++k) {
      if (c->out[i].dims[k] >= 0) continue;
      (void)fail(c, "it writes a result whose size data decide", "");
      return false;
    }
  return true;
}

static bool can_types(const tenon_call *c) {
  int32_t dtype = 0;
  size_t size = 0;
  for (int i = 0; i < c->n_in + c->n_out; ++i) {
    const tenon_tensor *t = i < c->n_in ? &c->in[i] : &c->out[i - c->n_in];
    if (!t->quant && (!t->dtype || shims_dtype(t->dtype, &dtype, &size)))
      continue;
    (void)fail(c, "an operand or result is of a type that goes not to torch",
               "");
    return false;
  }
  return true;
}

bool call_match(const tenon_call *c) {
  argument a;
  int count = 0;
  if (!c->schema || !shims_get()) return false;
  const char *at = schema_arguments(c->schema);
  while (schema_next(&at, &a) && ++count <= REQUEST_MOST_ARGUMENTS)
    if (!can_argument(c, &a)) return false;
  if (!at || count > REQUEST_MOST_ARGUMENTS) {
    (void)fail(c, "its schema cannot be read", "");
    return false;
  }
  return can_results(c) && can_types(c) && can_sizes(c);
}

// --- the call ---------------------------------------------------------------

typedef struct outcome {
  const value_caller *caller;
  void *held;
  value results[MOST_RESULTS];
} outcome;

static tenon_status make_call(request *r, outcome *out) {
  char name[128], overload[128], error[400] = "", text[128];
  argument a;
  if (!request_fill(r)) {
    snprintf(text, sizeof text, "its argument '%s', a %s, cannot be passed",
             r->schema[r->count - 1].name, r->schema[r->count - 1].type);
    return fail(r->call, text, "");
  }
  value_call v = {.name = name,
                  .overload = overload,
                  .schema = r->call->schema,
                  .arguments = r->arguments,
                  .names = r->names,
                  .n_arguments = r->count,
                  .results = out->results,
                  .error = error,
                  .error_size = sizeof error};
  const char *at = schema_results(r->call->schema);
  while (schema_next(&at, &a))
    ++v.n_results;
  if (!schema_name(r->call->schema, name, overload))
    return fail(r->call, "its schema cannot be read", "");
  out->caller = caller_get();
  if (!out->caller->call(&v)) return fail(r->call, "libtorch", error);
  out->held = v.held;
  return TENON_OK;
}

static tenon_status call_torch(const tenon_call *c, outcome *out) {
  request *r = (request *)malloc(sizeof *r);
  if (!shims_get() || !c->schema) return fail(c, "libtorch was not found", "");
  if (!r) return TENON_NO_MEMORY;
  memset(out, 0, sizeof *out);
  tenon_status status =
      request_init(r, c) ? make_call(r, out) : TENON_NO_MEMORY;
  request_deinit(r);
  free(r);
  return status;
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

static tenon_status check(const tenon_call *c, const value *v,
                          const tenon_tensor *to) {
  int32_t wanted = 0;
  size_t width = 0;
  if (v->kind != VALUE_TENSOR || v->is_list)
    return tenon_call_fail(c, "torch gave no tensor as a result", 0, 0);
  if (!shims_dtype(to->dtype, &wanted, &width) || v->as.tensor->dtype != wanted)
    return tenon_call_fail(
        c, "torch's type {0} of a result is not the program's, {1}",
        v->as.tensor->dtype, wanted);
  if (v->as.tensor->rank != to->rank)
    return tenon_call_fail(c, "torch gave {0} dimensions, the program has {1}",
                           v->as.tensor->rank, to->rank);
  return TENON_OK;
}

// A result that torch leaves undefined is one of no elements in the program.
static bool is_nothing(const value *v, const tenon_tensor *to) {
  return v->kind == VALUE_NONE && !v->is_list && to->dtype == TENON_U8 &&
         to->rank == 1 && to->dims[0] == 0;
}

static bool is_dense(const value_tensor *t) {
  int64_t run = 1;
  for (int64_t i = t->rank; i-- > 0;) {
    if (t->sizes[i] != 1 && t->strides[i] != run) return false;
    run *= t->sizes[i];
  }
  return true;
}

static tenon_status take(const tenon_call *c, const value *v,
                         const tenon_tensor *to) {
  int32_t dtype = 0;
  size_t width = 0;
  if (is_nothing(v, to)) return TENON_OK;
  TENON_TRY(check(c, v, to));
  for (int i = 0; i < to->rank; ++i)
    if (v->as.tensor->sizes[i] != to->dims[i])
      return tenon_call_fail(c, "torch gave a size of {0}, the program has {1}",
                             v->as.tensor->sizes[i], to->dims[i]);
  (void)shims_dtype(to->dtype, &dtype, &width);
  if (tenon_count(to) == 0) return TENON_OK;
  // A written operand is where it was.
  if (v->as.tensor->data != to->data)
    gather((const char *)v->as.tensor->data, v->as.tensor->strides, to, width);
  else if (!is_dense(v->as.tensor))
    return tenon_call_fail(c, "torch left what it wrote in another order", 0,
                           0);
  return TENON_OK;
}

// What to do with a result and what it is for.
typedef tenon_status each_result(const tenon_call *c, const value *v,
                                 const tenon_tensor *to, void *self);

static tenon_status visit(const tenon_call *c, const outcome *o,
                          each_result *each, void *self) {
  const char *at = schema_results(c->schema);
  argument a;
  int group = 0;  // numbers have none
  for (int i = 0; schema_next(&at, &a); ++i) {
    const value *v = &o->results[i];
    if (a.kind != ARGUMENT_TENSOR) continue;  // measured, or a literal
    int first = c->out_group ? c->out_group[group] : group;
    int n = (c->out_group ? c->out_group[group + 1] : group + 1) - first;
    ++group;
    if (a.is_list && (!v->is_list || v->count != (size_t)n))
      return tenon_call_fail(c, "torch gave {0} results, the program has {1}",
                             v->is_list ? (int64_t)v->count : 1, n);
    for (int k = 0; a.is_list && k < n; ++k)
      TENON_TRY(each(c, &v->as.list[k], &c->out[first + k], self));
    if (!a.is_list) TENON_TRY(each(c, v, &c->out[first], self));
  }
  return TENON_OK;
}

static tenon_status take_each(const tenon_call *c, const value *v,
                              const tenon_tensor *to, void *self) {
  (void)self;
  return take(c, v, to);
}

static void release(outcome *o) {
  if (o->held) o->caller->release(o->held);
  o->held = NULL;
}

// What was measured, for the run that follows on this thread. Of another call
// that never ran it is given back when the next one is measured.
static _Thread_local struct {
  const int64_t *sizes;
  const char *schema;
  outcome outcome;
} measured;

static tenon_status put_dims(const tenon_call *c, const value *v,
                             const tenon_tensor *to, void *self) {
  int64_t **at = (int64_t **)self;
  if (is_nothing(v, to)) {
    *(*at)++ = 0;
    return TENON_OK;
  }
  TENON_TRY(check(c, v, to));
  for (int i = 0; i < to->rank; ++i)
    *(*at)++ = v->as.tensor->sizes[i];
  return TENON_OK;
}

static tenon_status put_one(const tenon_call *c, const value *v) {
  c->sizes[0] = v->as.i;
  if (v->kind == VALUE_FLOAT) memcpy(c->sizes, &v->as.f, sizeof *c->sizes);
  if (!v->is_list && v->kind != VALUE_NONE && v->kind != VALUE_TENSOR)
    return TENON_OK;
  return tenon_call_fail(c, "torch gave no number as a result", 0, 0);
}

tenon_status call_measure(const tenon_call *c) {
  int64_t *at = c->sizes;
  outcome o;
  TENON_TRY(call_torch(c, &o));
  tenon_status status =
      c->n_out > 0 ? visit(c, &o, put_dims, &at) : put_one(c, &o.results[0]);
  release(&measured.outcome);
  measured.outcome = o;
  measured.sizes = c->sizes;
  measured.schema = c->schema;
  if (status != TENON_OK) release(&measured.outcome);
  return status;
}

// Whether the call has been made.
static bool recall(const tenon_call *c, outcome *out) {
  bool is_same = measured.outcome.held && c->sizes &&
                 measured.sizes == c->sizes && measured.schema == c->schema;
  if (!is_same) return false;
  *out = measured.outcome;
  measured.outcome.held = NULL;
  return true;
}

tenon_status call_run(const tenon_call *c) {
  outcome o;
  if (!recall(c, &o)) TENON_TRY(call_torch(c, &o));
  tenon_status status = visit(c, &o, take_each, NULL);
  release(&o);
  return status;
}
