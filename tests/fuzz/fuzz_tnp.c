// Any bytes as a program file, their head made right so that the tables are
// reached: refused with a reason, or a program that runs within its memory.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "core/dtype.h"
#include "exec/session_state.h"
#include "tnp/tnp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *self, const tenon_diag *diag) {
  *(int *)self += diag->severity == TENON_ERROR;
}

// A loop may run for ever, and data may ask for more memory than there is here.
static bool is_small(const tenon_program *p) {
  for (uint32_t i = 0; i < p->n_steps; ++i)
    if (p->steps[i].kind == TENON_STEP_WHILE || p->steps[i].macs > 1u << 20)
      return false;
  for (uint32_t i = 0; i < p->n_tensors; ++i)
    if (p->tensors[i].size > 1u << 20) return false;
  return p->arena_size < 1u << 20 && p->state_size < 1u << 20;
}

// What the caller has, with what kernels may read behind it and not a byte
// more.
static void *make_port(size_t size) {
  void *block = NULL;
  if (posix_memalign(&block, 4096, size + TENON_ARENA_TAIL)) abort();
  memset(block, 0, size + TENON_ARENA_TAIL);
  return block;
}

// A size that is open gets `more` above the planned one. Null data: too large.
static tenon_tensor make_input(const tenon_io *io,
                               const tenon_program_tensor *t, int32_t more) {
  int32_t *dims = calloc(t->rank + 1u, sizeof *dims);
  uint64_t count = 1;
  size_t size = 0;
  for (int d = 0; d < t->rank; ++d) {
    dims[d] = t->dims[d];
    if (t->sizes && t->sizes[d].symbol && dims[d] < 1 << 20 &&
        dims[d] + more >= 0)
      dims[d] += more;
    count = count > 1u << 20 ? count : count * (uint64_t)dims[d];
  }
  tenon_tensor in = {.dims = dims, .dtype = t->dtype, .rank = t->rank};
  if (count > 1u << 20 || !tenon_dtype_size(t->dtype, count, &size)) return in;
  in.data = io->flags & TENON_IO_CALLER ? make_port(size) : calloc(1, size + 1);
  return in;
}

static void run(const tenon_program *p, int32_t more) {
  void *memory[3] = {NULL, NULL, NULL};
  tenon_memory list[3];
  tenon_session *s = NULL;
  tenon_tensor in[16], out[16];
  void *given[16] = {NULL};  // to outputs
  size_t n = tenon_program_memory(p, 1, list, 3);
  const tenon_program_entry *e = &p->entries[0];
  bool fits = e->n_in <= 16 && e->n_out <= 16;
  for (size_t i = 0; i < n; ++i) {
    // Exactly as many bytes, so that a sanitizer sees the one behind.
    memory[i] = aligned_alloc(64, (list[i].size + 63) / 64 * 64);
    if (!memory[i]) abort();
    // Nothing of it is a string.
    memset(memory[i], p->empties_strings ? 0xA5 : 0, list[i].size);
  }
  tenon_heap_probe probe = {.below = tenon_heap(), .limit = 1u << 26};
  tenon_allocator grow = tenon_heap_probed(&probe);
  tenon_session_options o = {
      .struct_size = sizeof o, .memory = memory, .grow = &grow};
  memset(in, 0, sizeof in);
  memset(out, 0, sizeof out);
  for (size_t i = 0; fits && i < e->n_in; ++i) {
    const tenon_program_tensor *t = &p->tensors[e->in[i]];
    in[i] = make_input(&e->inputs[i], t, more);
  }
  for (size_t i = 0; fits && i < e->n_out; ++i) {
    const tenon_program_tensor *t = &p->tensors[e->out[i]];
    if (!(e->outputs[i].flags & TENON_IO_CALLER)) continue;
    out[i].dims = t->dims;
    out[i].dtype = t->dtype;
    out[i].rank = t->rank;
    out[i].data = given[i] = make_port((size_t)t->size);
  }
  if (fits && tenon_session_init(p, &o, &s) == TENON_OK) {
    // A kernel may refuse what it reads; nothing else is asked of it.
    tenon_status status = tenon_session_run(s, 0, in, e->n_in, out, e->n_out);
    if (status == TENON_BUG) abort();
    tenon_session_deinit(s);
  }
  for (size_t i = 0; i < 16; ++i) {
    free(in[i].data);
    free((void *)(uintptr_t)in[i].dims);
    free(given[i]);
  }
  for (size_t i = 0; i < 3; ++i)
    free(memory[i]);
}

static void set(uint8_t *at, uint64_t v) {
  for (int i = 0; i < 8; ++i)
    at[i] = (uint8_t)(v >> 8 * i);
}

// What the hash of the head is of: everything up to version 6, then the body.
static size_t hashed_size(const uint8_t *file, size_t size) {
  tenon_bytes bytes = {file, size};
  uint32_t version = 0;
  uint64_t body = 0;
  (void)tenon_bytes_u32(bytes, 4, &version);
  (void)tenon_bytes_u64(bytes, 16, &body);
  const size_t all = size - TENON_TNP_HEAD;
  return version < 7 || body > all ? all : (size_t)body;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int errors = 0;
  static tenon_context *cx = NULL;
  tenon_context_options o = {.struct_size = sizeof o, .diag = {&errors, count}};
  tenon_program *p = NULL;
  if (!cx && tenon_context_create(&o, &cx) != TENON_OK) abort();
  if (size < TENON_TNP_HEAD) return 0;
  uint8_t *file = aligned_alloc(64, (size + 63) / 64 * 64);
  memcpy(file, data, size);
  set(file + 8, size);
  set(file + 24, tenon_hash(file + TENON_TNP_HEAD, hashed_size(file, size),
                            TENON_HASH_SEED));
  errors = 0;
  tenon_status status =
      tenon_tnp_load(cx, (tenon_bytes){file, size}, "x.tnp",
                     TENON_LOAD_BORROW | TENON_TNP_ANY_CONTENT, &p);
  if ((status == TENON_OK) != (errors == 0)) abort();
  if ((status == TENON_OK) != (p != NULL)) abort();
  if (p && is_small(p)) run(p, 0);
  // Sizes that the plan was not made for.
  for (int32_t more = -1; p && p->n_numbers && more < 6; more += 3)
    if (is_small(p)) run(p, more);
  tenon_program_destroy(p);
  free(file);
  return 0;
}
