// mpi.c - the collectives of programs that PyTorch exported with tensor
// parallelism, on MPI: operators of the set `_c10d_functional`, described as
// any other plugin's.
//
// A collective that MPI has without blocking begins in its step, in its result
// alone (MPI_IN_PLACE), so that operands may be overwritten meanwhile; it is
// noted by the result's address until `wait_tensor` of that address ends it.
// What is read earlier, or copied, is found out there, and is an error.
//
// The group is all processes that mpirun has started. MPI begins with the first
// collective. A process that fails ends with MPI_Abort, on which mpirun ends
// the others; one that is done says goodbye at its exit. There is one MPI in a
// process, so this file has what a plugin otherwise has not: globals, of the
// one thread that runs a session.
#define _DEFAULT_SOURCE  // on_exit
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/ext/plugin.h"

#define MOST_PENDING 64

typedef struct pending {
  const void *at;  // the result; null: free
  MPI_Request request;
  size_t count;
  tenon_dtype dtype;
  int divide;  // by so many, of an average; 1: not
} pending;

static pending list[MOST_PENDING];
static int n_pending;

// --- types and operations ---------------------------------------------------

// Of what is computed with; MPI has no half floats.
static MPI_Datatype number_of(tenon_dtype t) {
  switch (t) {
    case TENON_S8:
      return MPI_INT8_T;
    case TENON_U8:
      return MPI_UINT8_T;
    case TENON_S16:
      return MPI_INT16_T;
    case TENON_S32:
      return MPI_INT32_T;
    case TENON_S64:
      return MPI_INT64_T;
    case TENON_F32:
      return MPI_FLOAT;
    case TENON_F64:
      return MPI_DOUBLE;
    default:
      return MPI_DATATYPE_NULL;
  }
}

static MPI_Op operation_of(const char *name) {
  if (strcmp(name, "sum") == 0 || strcmp(name, "avg") == 0) return MPI_SUM;
  if (strcmp(name, "max") == 0) return MPI_MAX;
  if (strcmp(name, "min") == 0) return MPI_MIN;
  if (strcmp(name, "product") == 0) return MPI_PROD;
  return MPI_OP_NULL;
}

static void divide(void *data, tenon_dtype t, size_t n, int by) {
  if (by == 1) return;
  for (size_t i = 0; i < n; ++i) {
    if (t == TENON_F32)
      ((float *)data)[i] /= (float)by;
    else
      ((double *)data)[i] /= by;
  }
}

// --- the process ------------------------------------------------------------

// Runs while the program ends. Others may wait for this process in a
// collective: after a failure they are ended, not met.
static void leave(int status, void *self) {
  int is_over = 0, size = 1;
  (void)self;
  MPI_Finalized(&is_over);
  if (is_over) return;
  if (status == 0 && n_pending) {
    fprintf(stderr, "mpi: %d collectives were never waited for\n", n_pending);
    status = 1;
  }
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (status && size > 1)
    MPI_Abort(MPI_COMM_WORLD, status);
  else
    MPI_Finalize();
}

#ifndef __GLIBC__
static void leave_well(void) {
  leave(0, NULL);
}
#endif

// `group` is what the program says of the number of processes; 0: nothing.
static tenon_status join(const tenon_call *c, int64_t group, int *rank,
                         int *size) {
  int is_there = 0, level = 0;
  MPI_Initialized(&is_there);
  if (!is_there) {
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
#ifdef __GLIBC__
    on_exit(leave, NULL);
#else
    atexit(leave_well);
#endif
  }
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  if (*size == 1)
    return tenon_call_fail(
        c,
        "one process is no group: run it under mpirun, with as many "
        "processes as it was exported for",
        0, 0);
  if (group && group != *size)
    return tenon_call_fail(c, "exported for {0} processes, {1} are running",
                           group, *size);
  return TENON_OK;
}

static tenon_status count_of(const tenon_call *c, size_t n, int *out) {
  if (n > INT_MAX)
    return tenon_call_fail(c, "{0} elements are more than MPI counts",
                           (int64_t)n, 0);
  *out = (int)n;
  return TENON_OK;
}

static tenon_status begin(const tenon_call *c, pending **out) {
  const void *at = c->out[0].data;
  pending *free_one = NULL;
  for (int i = 0; i < MOST_PENDING; ++i) {
    if (list[i].at == at)
      return tenon_call_fail(
          c, "a collective before it at this address was never waited for", 0,
          0);
    if (!list[i].at && !free_one) free_one = &list[i];
  }
  if (!free_one)
    return tenon_call_fail(c, "more than {0} collectives at a time",
                           MOST_PENDING, 0);
  free_one->count = tenon_count(&c->out[0]);
  free_one->dtype = c->out[0].dtype;
  free_one->divide = 1;
  *out = free_one;
  return TENON_OK;
}

// Only what has begun is pending.
static tenon_status has_begun(const tenon_call *c, pending *p) {
  p->at = c->out[0].data;
  ++n_pending;
  return TENON_OK;
}

// --- collectives ------------------------------------------------------------

// The group comes first in all.
typedef struct reduce_attrs {
  const char *group_name, *reduce_op;
} reduce_attrs;
typedef struct scatter_attrs {
  const char *group_name, *reduce_op;
  int64_t group_size;
} scatter_attrs;
typedef struct gather_attrs {
  const char *group_name;
  int64_t group_size;
} gather_attrs;
typedef struct exchange_attrs {
  const char *group_name;
  tenon_ints output_split_sizes, input_split_sizes;
} exchange_attrs;
typedef struct broadcast_attrs {
  const char *group_name;
  int64_t src;
} broadcast_attrs;

static bool is_all(const tenon_call *c) {
  if (strcmp(*(const char *const *)c->attrs, "0") == 0) return true;
  (void)tenon_call_fail(c, "group_name: only the group of all processes, '0'",
                        0, 0);
  return false;
}

// What moves is any type of whole bytes.
static bool can_move(const tenon_call *c) {
  return is_all(c) && tenon_element_bytes(c->in[0].dtype);
}

static bool can_reduce(const tenon_call *c, const char *op) {
  tenon_dtype t = c->in[0].dtype;
  if (!is_all(c)) return false;
  if (operation_of(op) == MPI_OP_NULL) {
    (void)tenon_call_fail(c, "reduce_op: sum, avg, max, min or product", 0, 0);
    return false;
  }
  if (strcmp(op, "avg") == 0 && t != TENON_F32 && t != TENON_F64) {
    (void)tenon_call_fail(c, "an average is of f32 or f64", 0, 0);
    return false;
  }
  return number_of(t) != MPI_DATATYPE_NULL;
}

static tenon_status all_reduce(const tenon_call *c) {
  const reduce_attrs *a = (const reduce_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  int rank = 0, size = 0, n = 0;
  pending *p = NULL;
  TENON_TRY(join(c, 0, &rank, &size));
  TENON_TRY(count_of(c, tenon_count(y), &n));
  TENON_TRY(begin(c, &p));
  if (y->data != x->data)
    memcpy(y->data, x->data, p->count * tenon_element_bytes(x->dtype));
  if (strcmp(a->reduce_op, "avg") == 0) p->divide = size;
  MPI_Iallreduce(MPI_IN_PLACE, y->data, n, number_of(y->dtype),
                 operation_of(a->reduce_op), MPI_COMM_WORLD, &p->request);
  return has_begun(c, p);
}
static bool all_reduce_match(const tenon_call *c) {
  return can_reduce(c, ((const reduce_attrs *)c->attrs)->reduce_op);
}
// Ends in its step: its operand is larger than its result.
static tenon_status reduce_scatter(const tenon_call *c) {
  const scatter_attrs *a = (const scatter_attrs *)c->attrs;
  const tenon_tensor *y = &c->out[0];
  int rank = 0, size = 0, n = 0;
  pending *p = NULL;
  TENON_TRY(join(c, a->group_size, &rank, &size));
  TENON_TRY(count_of(c, tenon_count(y), &n));
  TENON_TRY(begin(c, &p));
  MPI_Reduce_scatter_block(c->in[0].data, y->data, n, number_of(y->dtype),
                           operation_of(a->reduce_op), MPI_COMM_WORLD);
  if (strcmp(a->reduce_op, "avg") == 0) p->divide = size;
  p->request = MPI_REQUEST_NULL;
  return has_begun(c, p);
}
static bool reduce_scatter_match(const tenon_call *c) {
  return can_reduce(c, ((const scatter_attrs *)c->attrs)->reduce_op);
}
static tenon_status all_gather(const tenon_call *c) {
  const gather_attrs *a = (const gather_attrs *)c->attrs;
  int rank = 0, size = 0, n = 0;
  pending *p = NULL;
  TENON_TRY(join(c, a->group_size, &rank, &size));
  size_t bytes = tenon_count(&c->in[0]) * tenon_element_bytes(c->in[0].dtype);
  TENON_TRY(count_of(c, bytes, &n));
  TENON_TRY(begin(c, &p));
  memcpy((char *)c->out[0].data + (size_t)rank * bytes, c->in[0].data, bytes);
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_BYTE, c->out[0].data, n, MPI_BYTE,
                 MPI_COMM_WORLD, &p->request);
  return has_begun(c, p);
}
static tenon_status broadcast(const tenon_call *c) {
  const broadcast_attrs *a = (const broadcast_attrs *)c->attrs;
  int rank = 0, size = 0, n = 0;
  pending *p = NULL;
  TENON_TRY(join(c, 0, &rank, &size));
  if (a->src < 0 || a->src >= size)
    return tenon_call_fail(c, "from process {0} of {1}", a->src, size);
  size_t bytes = tenon_count(&c->in[0]) * tenon_element_bytes(c->in[0].dtype);
  TENON_TRY(count_of(c, bytes, &n));
  TENON_TRY(begin(c, &p));
  if (c->out[0].data != c->in[0].data)
    memcpy(c->out[0].data, c->in[0].data, bytes);
  MPI_Ibcast(c->out[0].data, n, MPI_BYTE, (int)a->src, MPI_COMM_WORLD,
             &p->request);
  return has_begun(c, p);
}
// Bytes to or from each process, and where; false: the sizes do not fit.
static bool split(const tenon_ints *sizes, const tenon_tensor *t, int size,
                  int *count, int *at) {
  int64_t rows = t->rank ? t->dims[0] : 1, all = 0, row = 0;
  if (rows > 0)
    row = (int64_t)(tenon_count(t) * tenon_element_bytes(t->dtype)) / rows;
  for (int i = 0; i < size; ++i) {
    int64_t n = (int)sizes->count == size ? sizes->data[i] : -1;
    if (n < 0 || (all + n) * row > INT_MAX) return false;
    count[i] = (int)(n * row);
    at[i] = (int)(all * row);
    all += n;
  }
  return all == rows;
}

#define MOST_PROCESSES 1024
static tenon_status all_to_all(const tenon_call *c) {
  const exchange_attrs *a = (const exchange_attrs *)c->attrs;
  int rank = 0, size = 0;
  int give[MOST_PROCESSES], give_at[MOST_PROCESSES];
  int take[MOST_PROCESSES], take_at[MOST_PROCESSES];
  pending *p = NULL;
  TENON_TRY(join(c, 0, &rank, &size));
  if (size > MOST_PROCESSES ||
      !split(&a->input_split_sizes, &c->in[0], size, give, give_at) ||
      !split(&a->output_split_sizes, &c->out[0], size, take, take_at))
    return tenon_call_fail(c,
                           "{0} and {1} sizes do not split the rows among the "
                           "processes that are running",
                           (int64_t)a->input_split_sizes.count,
                           (int64_t)a->output_split_sizes.count);
  TENON_TRY(begin(c, &p));
  MPI_Alltoallv(c->in[0].data, give, give_at, MPI_BYTE, c->out[0].data, take,
                take_at, MPI_BYTE, MPI_COMM_WORLD);
  p->request = MPI_REQUEST_NULL;
  return has_begun(c, p);
}
// What nobody is sending any more may be waited for again.
static tenon_status wait_tensor(const tenon_call *c) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  pending *p = NULL;
  for (int i = 0; i < MOST_PENDING && !p; ++i)
    if (list[i].at == x->data) p = &list[i];
  if (!p && n_pending)
    return tenon_call_fail(
        c, "waits for what is no result of a collective, while {0} go on",
        n_pending, 0);
  if (p) {
    MPI_Wait(&p->request, MPI_STATUS_IGNORE);
    divide(x->data, p->dtype, p->count, p->divide);
    p->at = NULL;
    --n_pending;
  }
  if (y->data != x->data)
    memcpy(y->data, x->data, tenon_count(x) * tenon_element_bytes(x->dtype));
  return TENON_OK;
}

// --- shapes -----------------------------------------------------------------

static tenon_status like_operand(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

// As the operand, with so many rows.
static tenon_status with_rows(tenon_infer *c, tenon_dim rows) {
  tenon_type t = *tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  memcpy(dims, t.dims, t.rank * sizeof *dims);
  dims[0] = rows;
  t.dims = dims;
  return tenon_infer_out(c, 0, &t);
}

static tenon_status gathered(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->rank == 0) return tenon_infer_fail(c, "a number cannot be gathered");
  return with_rows(c, c->api->dim(c, TENON_DIM_MUL, x->dims[0],
                                  c->api->size(c, "group_size", 0)));
}

static tenon_status scattered(tenon_infer *c) {
  const scatter_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim n = c->api->size(c, "group_size", 0), none = {0};
  if (x->rank == 0 || a->group_size < 1)
    return tenon_infer_fail(c, "only rows can be scattered, among one or more");
  tenon_dim rest = c->api->dim(c, TENON_DIM_MOD, x->dims[0], n);
  if (!c->api->require(c, TENON_RELATION_EQ, rest, none))
    return tenon_infer_fail(c, "the rows cannot be divided by %d",
                            (int)a->group_size);
  return with_rows(c, c->api->dim(c, TENON_DIM_DIV, x->dims[0], n));
}

static tenon_status exchanged(tenon_infer *c) {
  const exchange_attrs *a = tenon_infer_attrs(c);
  tenon_dim rows = {0};
  if (tenon_infer_in(c, 0)->rank == 0)
    return tenon_infer_fail(c, "a number has no rows");
  for (size_t i = 0; i < a->output_split_sizes.count; ++i)
    rows = c->api->dim(c, TENON_DIM_ADD, rows,
                       c->api->size(c, "output_split_sizes", (int)i));
  return with_rows(c, rows);
}

// --- descriptors ------------------------------------------------------------

static const int tied_to_this_process;

// Not pure: processes meet in one order, and none leaves one out.
#define COLLECTIVE(name, its_match, places, its_infer, its_schema, its_doc, \
                   ...)                                                     \
  static const tenon_kernel_desc name##_kernel = {                          \
      .struct_size = sizeof(tenon_kernel_desc),                             \
      .in_place = places,                                                   \
      .symbol = "mpi_" #name,                                               \
      .types = "T -> T",                                                    \
      .match = its_match,                                                   \
      .run = name,                                                          \
      .user = &tied_to_this_process,                                        \
  };                                                                        \
  static const tenon_op_desc name##_op = {                                  \
      .struct_size = sizeof(tenon_op_desc),                                 \
      .schema = "_c10d_functional::" its_schema,                            \
      .doc = its_doc,                                                       \
      .infer = its_infer,                                                   \
      .kernels = (const tenon_kernel_desc *const[]){&name##_kernel, NULL},  \
      __VA_ARGS__}
COLLECTIVE(all_reduce, all_reduce_match, TENON_IN_PLACE(0, 0), like_operand,
           "all_reduce(Tensor input, str reduce_op, str group_name) -> Tensor",
           "The sum (or avg, max, min, product) of what all processes have.",
           TENON_OP_MEMBERS(reduce_attrs, group_name, reduce_op));
COLLECTIVE(reduce_scatter, reduce_scatter_match, 0, scattered,
           "reduce_scatter_tensor(Tensor input, str reduce_op, int group_size, "
           "str group_name) -> Tensor",
           "This process's rows of the sum of what all have.",
           TENON_OP_MEMBERS(scatter_attrs, group_name, reduce_op, group_size));
COLLECTIVE(all_gather, can_move, 0, gathered,
           "all_gather_into_tensor(Tensor input, int group_size, str "
           "group_name) -> Tensor",
           "The rows of all processes, in their order.",
           TENON_OP_MEMBERS(gather_attrs, group_name, group_size));
COLLECTIVE(broadcast, can_move, TENON_IN_PLACE(0, 0), like_operand,
           "broadcast(Tensor input, int src, str group_name) -> Tensor",
           "What process src has.",
           TENON_OP_MEMBERS(broadcast_attrs, group_name, src));
COLLECTIVE(all_to_all, can_move, 0, exchanged,
           "all_to_all_single(Tensor input, SymInt[] output_split_sizes, "
           "SymInt[] input_split_sizes, str group_name) -> Tensor",
           "Rows for every process, exchanged for those of every process.",
           TENON_OP_MEMBERS(exchange_attrs, group_name, output_split_sizes,
                            input_split_sizes));
COLLECTIVE(wait_tensor, NULL, TENON_IN_PLACE(0, 0), like_operand,
           "wait_tensor(Tensor tensor) -> Tensor",
           "The result of a collective, once it is there.", );

TENON_PLUGIN_OPS(mpi, "1.0.0", &all_reduce_op, &reduce_scatter_op,
                 &all_gather_op, &broadcast_op, &all_to_all_op,
                 &wait_tensor_op);
