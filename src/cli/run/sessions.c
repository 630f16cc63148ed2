// How: memory as the program lists it, then runs. What a run reads and writes
// where the caller has it lies in blocks of the session's, aligned and with
// room behind.
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "cli/cli.h"

// Memory for sizes beyond those that a program was planned for.
static void *resize(void *self, void *ptr, size_t old_size, size_t new_size,
                    size_t align) {
  const size_t most = *(const size_t *)self;
  void *fresh = NULL;
  if (most && new_size > most) return NULL;
  if (new_size) fresh = tenon_heap_take(new_size, align < 64 ? 64 : align);
  if (new_size && !fresh) return NULL;
  if (fresh && old_size)
    memcpy(fresh, ptr, old_size < new_size ? old_size : new_size);
  tenon_heap_give(old_size ? ptr : NULL);
  return fresh;
}

static int take_blocks(cli *c, const tenon_memory *list, size_t n,
                       cli_session *out) {
  for (size_t i = 0; i < n; ++i) {
    if (c->grow_most && list[i].size > c->grow_most)
      return cli_fail(c, CLI_NO_MEMORY, "memory",
                      "%zu bytes for '%s' are more than %zu, the most here",
                      list[i].size, list[i].name, c->grow_most);
    out->memory[i] =
        tenon_heap_take((list[i].size ? list[i].size : 64) + c->guard,
                        list[i].align < 64 ? 64 : list[i].align);
    if (!out->memory[i])
      return cli_fail(c, CLI_NO_MEMORY, "memory",
                      "out of memory: %zu bytes for '%s'", list[i].size,
                      list[i].name);
  }
  return 0;
}

static int session_io_take_memory(cli *c, const tenon_program *p, int threads,
                                  cli_session *out) {
  size_t n = tenon_program_memory(p, threads, NULL, 0);
  tenon_memory *list = (tenon_memory *)calloc(n, sizeof *list);
  out->memory = (void **)calloc(n, sizeof *out->memory);
  int code = CLI_NO_MEMORY;
  if (list && out->memory) {
    out->n_memory = n;
    (void)tenon_program_memory(p, threads, list, n);
    code = take_blocks(c, list, n, out);
  }
  free(list);
  return code;
}

int cli_session_open(cli *c, const tenon_program *p, int threads,
                     tenon_observe_fn *observe, void *self, cli_session *out) {
  tenon_session_options o = {0};
  memset(out, 0, sizeof *out);
  int code = session_io_take_memory(c, p, threads, out);
  if (code) return code;
  if (threads > 1) {
    tenon_status status = tenon_pool_create(NULL, threads, &out->pool);
    if (status)
      return cli_fail(c, cli_exit(status), "cli-threads",
                      "cannot make %d threads; at most 256 are allowed",
                      threads);
    o.parallel = tenon_pool_parallel(out->pool);
  }
  o.struct_size = sizeof o;
  o.flags = (c->divides_all ? TENON_SESSION_DIVIDE_ALL : 0) |
            (c->observes_groups ? TENON_SESSION_OBSERVE_GROUPS : 0);
  o.memory = out->memory;
  tenon_allocator grow = {&c->grow_most, resize};
  o.grow = &grow;
  o.observe = observe;
  o.observe_self = self;
  o.timeline = c->timeline;
  return cli_exit(tenon_session_init(p, &o, &out->session));
}

static void session_io_drop(cli_session *s) {
  for (size_t i = 0; i < s->n_held; ++i)
    tenon_heap_give(s->held[i]);
  free(s->held);
  s->held = NULL;
  s->n_held = 0;
}

void cli_session_close(cli_session *s) {
  session_io_drop(s);
  if (s->session) tenon_session_deinit(s->session);
  tenon_pool_destroy(s->pool);
  for (size_t i = 0; i < s->n_memory; ++i)
    tenon_heap_give(s->memory[i]);
  free(s->memory);
  memset(s, 0, sizeof *s);
}

// --- runs -------------------------------------------------------------------

// What kernels may read behind a tensor.
#define TAIL 64

// A block that goes with the session, or with its next run.
static void *session_io_hold(cli_session *s, size_t size) {
  void **last = (void **)cli_add(&s->held, &s->n_held);
  if (last) *last = tenon_heap_take(size + TAIL, 64);
  return last && *last ? memset(*last, 0, size + TAIL) : NULL;
}

// At least: packed elements need less.
static size_t session_io_bytes_of(const tenon_tensor *t) {
  size_t unit = tenon_element_bytes(t->dtype);
  return tenon_count(t) * (unit ? unit : 1);
}

static bool place_input(cli_session *s, tenon_tensor *t) {
  void *block = session_io_hold(s, session_io_bytes_of(t));
  if (block && t->data) memcpy(block, t->data, session_io_bytes_of(t));
  t->data = block;
  return block != NULL;
}

static bool place_output(cli_session *s, const tenon_io *io, tenon_tensor *t) {
  int32_t *dims = (int32_t *)session_io_hold(s, TENON_MAX_RANK * sizeof *dims);
  if (!dims) return false;
  for (int i = 0; i < io->rank; ++i)
    dims[i] = (int32_t)io->dims[i];
  memset(t, 0, sizeof *t);
  t->dims = dims;
  t->dtype = io->dtype;
  t->rank = io->rank;
  t->data = session_io_hold(s, session_io_bytes_of(t));
  return t->data != NULL;
}

static int session_io_no_memory(cli *c) {
  return cli_fail(c, CLI_NO_MEMORY, "memory", "out of memory");
}

// Gives what is the caller's a place.
static int cli_session_place_io(cli *c, cli_session *s, const tenon_io *io,
                                size_t n, bool is_output, tenon_tensor *list) {
  for (size_t i = 0; i < n; ++i) {
    if (!(io[i].flags & TENON_IO_CALLER)) continue;
    if (is_output ? !place_output(s, &io[i], &list[i])
                  : !place_input(s, &list[i]))
      return session_io_no_memory(c);
  }
  return 0;
}

int cli_session_place(cli_session *s, const cli_call *call) {
  session_io_drop(s);
  int code = cli_session_place_io(call->c, s, call->in_io, call->n_in, false,
                                  call->views);
  return code ? code
              : cli_session_place_io(call->c, s, call->out_io, call->n_out,
                                     true, call->out);
}

int cli_session_run(cli_session *s, const cli_call *call) {
  cli_call placed = *call;
  placed.views = (tenon_tensor *)calloc(call->n_in + 1, sizeof *placed.views);
  if (!placed.views) return session_io_no_memory(call->c);
  if (call->n_in)
    memcpy(placed.views, call->views, call->n_in * sizeof *placed.views);
  int code = cli_session_place(s, &placed);
  if (code == 0)
    code = cli_exit(tenon_session_run(s->session, call->entry, placed.views,
                                      call->n_in, call->out, call->n_out));
  free(placed.views);
  return code;
}
