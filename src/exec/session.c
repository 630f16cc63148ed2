// How: init walks the operands once and writes an address into each tensor; the
// blocks' sizes are sums of what tenon_program_memory said, so the two share
// one function that lays them out.
#include "base/size.h"
#include "exec/session_state.h"

#include <stddef.h>
#include <string.h>

#include "core/dtype.h"
#include "exec/cost.h"
#include "exec/direct.h"
#include "exec/run_sizes.h"
#include "exec/timing.h"

#define BLOCK_ALIGN 64u

// Offsets within the session block; the return value is its size.
static size_t session_lay_out(const tenon_program *p, size_t *tensors,
                              size_t *calls, size_t *direct, size_t *ports) {
  size_t at = tenon_size_up(sizeof(tenon_session), BLOCK_ALIGN);
  *tensors = at;
  at += tenon_size_up(p->n_operands * sizeof(tenon_tensor), BLOCK_ALIGN);
  *calls = at;
  at += tenon_size_up(p->n_steps * sizeof(tenon_call), BLOCK_ALIGN);
  *direct = at;
  at += tenon_size_up(p->n_order * sizeof(tenon_direct), BLOCK_ALIGN);
  *ports = at;
  return at + tenon_size_up(p->n_ports * sizeof(unsigned char *), BLOCK_ALIGN);
}

static size_t session_size(const tenon_program *p) {
  size_t tensors = 0, calls = 0, direct = 0, ports = 0;
  size_t at = session_lay_out(p, &tensors, &calls, &direct, &ports);
  return tenon_size_up(tenon_sizes_lay_out(p, at, NULL, NULL), BLOCK_ALIGN);
}

static size_t thread_size(const tenon_program *p) {
  return p->scratch_most
             ? tenon_size_up((size_t)p->scratch_most + TENON_ARENA_TAIL,
                             BLOCK_ALIGN)
             : 0;
}

static size_t arena_size(const tenon_program *p) {
  return tenon_size_up((size_t)p->arena_size + TENON_ARENA_TAIL, BLOCK_ALIGN);
}

size_t tenon_program_memory(const tenon_program *p, int threads,
                            tenon_memory *list, size_t capacity) {
  size_t further = threads > 1 ? (size_t)(threads - 1) : 0;
  const tenon_memory all[] = {
      {"session", session_size(p), BLOCK_ALIGN, TENON_MEMORY_SESSION, 0},
      {"arena", arena_size(p) + further * thread_size(p), BLOCK_ALIGN,
       TENON_MEMORY_SCRATCH, 1},
      {"state",
       tenon_size_up((size_t)p->state_size + TENON_ARENA_TAIL, BLOCK_ALIGN),
       BLOCK_ALIGN, TENON_MEMORY_STATE, 2}};
  const size_t n = sizeof all / sizeof *all;
  for (size_t i = 0; i < n && i < capacity; ++i)
    list[i] = all[i];
  return n;
}

static void fill_view(const tenon_session *s, const tenon_program_tensor *t,
                      tenon_tensor *out) {
  memset(out, 0, sizeof *out);
  out->data = tenon_session_data(s, t);
  out->dims = t->sizes ? s->sizes.dims + t->open_dims : t->dims;
  out->strides = t->strides;
  out->quant = t->quant;
  out->dtype = t->dtype;
  out->rank = t->rank;
  if (t->is_number) out->flags = TENON_TENSOR_NUMBER;
}

static void fill_call(tenon_session *s, const tenon_step *step, tenon_call *c) {
  const tenon_program *p = s->program;
  memset(c, 0, sizeof *c);
  c->in = s->tensors + step->in;
  c->out = s->tensors + step->out;
  c->in_group = step->in_group;
  c->out_group = step->out_group;
  c->n_in = step->n_in;
  c->n_out = step->n_out;
  if (step->attrs != TENON_NO_INDEX) {
    c->attrs = p->attrs[step->attrs].bound;
    if (s->sizes.attrs && s->sizes.attrs[step->attrs])
      c->attrs = s->sizes.attrs[step->attrs];
  }
  if (step->packed != TENON_NO_INDEX)
    c->packed = p->constants[step->packed].data;
  c->scratch = tenon_session_scratch(s, step);
  if (step->kernel != TENON_NO_INDEX)
    c->user = p->kernels[step->kernel].desc->user;
  c->schema = step->schema;
}

static bool session_is_aligned(const void *p) {
  return (uintptr_t)p % BLOCK_ALIGN == 0;
}

tenon_status tenon_session_init(const tenon_program *p,
                                const tenon_session_options *options,
                                tenon_session **out) {
  void *const *memory = options->memory;
  *out = NULL;
  for (int i = 0; i < 3; ++i)
    if (!memory[i] || !session_is_aligned(memory[i]))
      return tenon_fail(&p->report, TENON_BAD_ARGUMENT, "session-memory", NULL,
                        "block %d of a session's memory is %s; "
                        "tenon_program_memory lists sizes and alignments",
                        i, memory[i] ? "not aligned to 64 bytes" : "null");
  const tenon_report *report =
      options->diag ? &(tenon_report){*options->diag} : &p->report;
  TENON_TRY(tenon_program_check_weights(p, report));
  TENON_TRY(tenon_program_check_kernels(p, report));
  size_t tensors = 0, calls = 0, direct = 0, ports = 0;
  size_t end = session_lay_out(p, &tensors, &calls, &direct, &ports);
  unsigned char *base = (unsigned char *)memory[0];
  tenon_session *s = (tenon_session *)(void *)base;
  memset(s, 0, sizeof *s);
  s->program = p;
  s->report = p->report;
  if (options->diag) s->report.sink = *options->diag;
  s->parallel = options->parallel && options->parallel->threads > 1
                    ? options->parallel
                    : NULL;
  s->divides_all = options->flags & TENON_SESSION_DIVIDE_ALL;
  s->observes_groups = options->flags & TENON_SESSION_OBSERVE_GROUPS;
  s->observe = options->observe;
  s->observe_self = options->observe_self;
  if (options->struct_size >=
      offsetof(tenon_session_options, hydrate_self) + sizeof(void *)) {
    s->hydrate = options->hydrate;
    s->hydrate_self = options->hydrate_self;
  }
  if (options->struct_size >=
      offsetof(tenon_session_options, prefetch) + sizeof options->prefetch) {
    if (options->prefetch && !options->hydrate)
      return tenon_fail(&s->report, TENON_BAD_ARGUMENT, "session-prefetch",
                        NULL,
                        "a session has a function that begins to copy cold "
                        "constants, and none that waits for it: give 'hydrate' "
                        "beside 'prefetch'");
    s->prefetch = options->prefetch;
  }
  if (options->struct_size >=
      offsetof(tenon_session_options, timeline) + sizeof options->timeline) {
    if (options->counters && options->n_counters < p->n_steps)
      return tenon_fail(&s->report, TENON_BAD_ARGUMENT, "session-counters",
                        NULL,
                        "%zu counters for %u steps: there is one for each "
                        "(tenon_program_stats.steps)",
                        options->n_counters, (unsigned)p->n_steps);
    s->counters = options->counters;
    s->timeline = options->timeline;
  }
  s->arena = (unsigned char *)memory[1];
  s->state = (unsigned char *)memory[2];
  s->thread_scratch = s->arena + arena_size(p);
  s->thread_size = thread_size(p);
  int threads = s->parallel ? s->parallel->threads : 1;
  s->room = arena_size(p) + (size_t)(threads - 1) * thread_size(p);
  if (options->grow) {
    s->allocator = *options->grow;
    s->grow = &s->allocator;
  }
  TENON_TRY(tenon_strings_check(s));
  (void)tenon_sizes_lay_out(p, end, base, s);
  tenon_sizes_init(s);
  s->tensors = (tenon_tensor *)(void *)(base + tensors);
  s->calls = (tenon_call *)(void *)(base + calls);
  s->direct = (tenon_direct *)(void *)(base + direct);
  s->ports = (unsigned char **)(void *)(base + ports);
  memset(s->ports, 0, p->n_ports * sizeof *s->ports);
  for (uint32_t i = 0; i < p->n_operands; ++i) {
    if (p->operands[i] == TENON_NO_INDEX)
      memset(&s->tensors[i], 0, sizeof s->tensors[i]);
    else
      fill_view(s, &p->tensors[p->operands[i]], &s->tensors[i]);
  }
  for (uint32_t i = 0; i < p->n_steps; ++i)
    fill_call(s, &p->steps[i], &s->calls[i]);
  tenon_direct_init(s);
  TENON_TRY(tenon_session_reset(s));
  *out = s;
  return TENON_OK;
}

void tenon_session_deinit(tenon_session *s) {
  // The blocks are the caller's; what `grow` gave is not.
  if (!s) return;
  tenon_grow_free(s);
  tenon_strings_free(s);
}

tenon_status tenon_session_reset(tenon_session *s) {
  const tenon_program *p = s->program;
  for (uint32_t i = 0; i < p->n_states; ++i) {
    const tenon_program_state *state = &p->states[i];
    const tenon_program_tensor *t = &p->tensors[state->tensor];
    void *data = tenon_session_data(s, t);
    if (t->size == 0) continue;
    if (state->initial == TENON_NO_INDEX && t->dtype == TENON_STR)
      tenon_strings_clear(data, t->size);
    else if (state->initial == TENON_NO_INDEX)
      memset(data, 0, (size_t)t->size);
    else
      memcpy(data, p->constants[state->initial].data, (size_t)t->size);
  }
  return TENON_OK;
}

tenon_status tenon_session_state(tenon_session *s, const char *name,
                                 tenon_tensor *out) {
  const tenon_program *p = s->program;
  for (uint32_t i = 0; i < p->n_states; ++i)
    if (strcmp(p->states[i].name, name) == 0) {
      fill_view(s, &p->tensors[p->states[i].tensor], out);
      return TENON_OK;
    }
  tenon_nearest near;
  tenon_nearest_init(&near, name);
  for (uint32_t i = 0; i < p->n_states; ++i)
    tenon_nearest_feed(&near, p->states[i].name);
  return tenon_fail(&s->report, TENON_BAD_ARGUMENT, "session-state", NULL,
                    "no state '%s'; %s%s%s", name,
                    near.best ? "did you mean '" : "this program has ",
                    near.best ? near.best : (p->n_states ? "others" : "none"),
                    near.best ? "'?" : "");
}

// --- a run ------------------------------------------------------------------

static tenon_status wrong_tensor(const tenon_session *s, const tenon_io *io,
                                 bool is_input, const char *what,
                                 const char *want, const char *got) {
  if (is_input)
    return tenon_fail(&s->report, TENON_BAD_INPUT, "run-input", NULL,
                      "input '%s': expected %s %s, found %s", io->name, what,
                      want, got);
  return tenon_fail(&s->report, TENON_BAD_INPUT, "run-output", NULL,
                    "output '%s': expected %s %s, found %s", io->name, what,
                    want, got);
}

#define SHAPE_SIZE 128
static void print_shape(char text[SHAPE_SIZE], const int32_t *dims, int rank) {
  size_t at = 0;
  text[at++] = '[';
  for (int i = 0; i < rank && at < SHAPE_SIZE - 24; ++i) {
    if (i) text[at++] = ',';
    int64_t v = dims[i];
    char digits[24];
    int n = 0;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do {
      digits[n++] = (char)('0' + u % 10);
      u /= 10;
    } while (u);
    if (v < 0) text[at++] = '-';
    while (n > 0)
      text[at++] = digits[--n];
  }
  text[at++] = ']';
  text[at] = 0;
}

static tenon_status check_tensor(const tenon_session *s, const tenon_io *io,
                                 bool is_input, const tenon_tensor *t) {
  char got[SHAPE_SIZE];
  if (t->dtype != io->dtype)
    return wrong_tensor(s, io, is_input, "element type",
                        tenon_dtype_name(io->dtype),
                        tenon_dtype_name(t->dtype));
  bool same = t->rank == io->rank;
  for (int i = 0; same && i < io->rank; ++i)
    same = io->dims[i] < 0 ? t->dims[i] >= 0 : t->dims[i] == io->dims[i];
  if (same && t->strides && tenon_dtype_look(t->dtype)->bits % 8 != 0)
    return wrong_tensor(s, io, is_input, "layout", "dense", "strides");
  if (same) return TENON_OK;
  print_shape(got, t->dims, t->rank);
  return wrong_tensor(s, io, is_input, "shape", io->shape, got);
}

// Between the caller's tensor, which may have strides, and dense memory.
static void copy_strided(unsigned char *dense, const tenon_tensor *t,
                         size_t unit, bool to_dense) {
  int64_t index[TENON_MAX_RANK] = {0};
  size_t count = tenon_count(t);
  unsigned char *base = (unsigned char *)t->data;
  for (size_t k = 0; k < count; ++k) {
    int64_t at = 0;
    for (int i = 0; i < t->rank; ++i)
      at += index[i] * t->strides[i];
    unsigned char *other = base + at * (int64_t)unit;
    memcpy(to_dense ? dense : other, to_dense ? other : dense, unit);
    dense += unit;
    for (int i = t->rank; i-- > 0;) {
      if (++index[i] < t->dims[i]) break;
      index[i] = 0;
    }
  }
}

static void copy_tensor(void *dense, const tenon_tensor *t, uint64_t size,
                        bool to_dense) {
  if (size == 0) return;
  if (t->strides) {
    copy_strided((unsigned char *)dense, t, tenon_element_bytes(t->dtype),
                 to_dense);
  } else if (to_dense) {
    memcpy(dense, t->data, (size_t)size);
  } else {
    memcpy(t->data, dense, (size_t)size);
  }
}

static tenon_status check_run(const tenon_session *s, int entry,
                              const tenon_tensor *in, size_t n_in,
                              const tenon_tensor *out, size_t n_out) {
  const tenon_program *p = s->program;
  if (entry < 0 || (uint32_t)entry >= p->n_entries)
    return tenon_fail(&s->report, TENON_BAD_ARGUMENT, "run-entry", NULL,
                      "no entry point %d: the program has %u", entry,
                      p->n_entries);
  const tenon_program_entry *e = &p->entries[entry];
  if (n_in != e->n_in || n_out != e->n_out)
    return tenon_fail(&s->report, TENON_BAD_INPUT, "run-count", NULL,
                      "entry '%s': expected %u inputs and %u outputs, found "
                      "%zu and %zu",
                      e->name, e->n_in, e->n_out, n_in, n_out);
  for (size_t i = 0; i < n_in; ++i) {
    TENON_TRY(check_tensor(s, &e->inputs[i], true, &in[i]));
    if (!in[i].data && tenon_count(&in[i]) > 0 &&
        p->tensors[e->in[i]].slot.place != TENON_IN_NOTHING)
      return wrong_tensor(s, &e->inputs[i], true, "data,", "not null", "null");
  }
  // Now: a run that cannot be delivered should not have moved the states.
  for (size_t i = 0; i < n_out; ++i)
    if (out[i].data) TENON_TRY(check_tensor(s, &e->outputs[i], false, &out[i]));
  return TENON_OK;
}

// --- what stays where the caller has it -------------------------------------

static bool meets(const tenon_session *s, uint32_t a, uint32_t b) {
  uintptr_t x = (uintptr_t)s->ports[a], y = (uintptr_t)s->ports[b];
  return x < y + s->program->ports[b].size && y < x + s->program->ports[a].size;
}

static tenon_status check_port(const tenon_session *s, uint32_t index) {
  const tenon_program *p = s->program;
  const tenon_program_port *port = &p->ports[index];
  const tenon_io *io = tenon_program_port_io(p, port);
  const char *kind = port->is_output ? "output" : "input";
  if (!s->ports[index])
    return tenon_fail(&s->report, TENON_BAD_INPUT, "run-port", NULL,
                      "%s '%s' stays where the caller has it: expected data, "
                      "found null",
                      kind, io->name);
  if ((uintptr_t)s->ports[index] % port->align != 0)
    return tenon_fail(&s->report, TENON_BAD_INPUT, "run-port", NULL,
                      "%s '%s' stays where the caller has it: expected an "
                      "address at a multiple of %u bytes",
                      kind, io->name, (unsigned)port->align);
  for (uint32_t k = 0; k < p->n_ports; ++k)
    if (port->is_output && k != index && p->ports[k].entry == port->entry &&
        meets(s, index, k))
      return tenon_fail(&s->report, TENON_BAD_INPUT, "run-port", NULL,
                        "output '%s' lies over '%s', which stays where the "
                        "caller has it too",
                        io->name, tenon_program_port_io(p, &p->ports[k])->name);
  return TENON_OK;
}

static tenon_status bind_ports(tenon_session *s, const tenon_tensor *in,
                               const tenon_tensor *out) {
  const tenon_program *p = s->program;
  bool is_new = false;
  for (uint32_t i = 0; i < p->n_ports; ++i) {
    const tenon_program_port *port = &p->ports[i];
    if (port->entry != (uint32_t)s->entry) continue;
    const tenon_tensor *t =
        port->is_output ? &out[port->index] : &in[port->index];
    if (t->data && t->strides)
      return wrong_tensor(s, tenon_program_port_io(p, port), !port->is_output,
                          "layout", "dense", "strides");
    is_new |= s->ports[i] != (unsigned char *)t->data;
    s->ports[i] = (unsigned char *)t->data;
  }
  for (uint32_t i = 0; i < p->n_ports; ++i)
    if (p->ports[i].entry == (uint32_t)s->entry) TENON_TRY(check_port(s, i));
  if (is_new) tenon_session_address(s);
  return TENON_OK;
}

static tenon_status give_output(tenon_session *s, const tenon_program_tensor *t,
                                const tenon_io *io, tenon_tensor *out) {
  TENON_TRY(tenon_sizes_tensor(s, t));
  if (!out->data) {
    fill_view(s, t, out);
    return TENON_OK;
  }
  if (t->sizes) {
    // What data have decided may be less than there is memory for.
    const int32_t *dims = s->sizes.dims + t->open_dims;
    size_t room = tenon_count(out);
    out->dims = dims;
    if (tenon_count(out) > room)
      return tenon_fail(&s->report, TENON_BAD_INPUT, "run-output", NULL,
                        "output '%s' has %zu elements, found memory for %zu",
                        io->name, tenon_count(out), room);
  }
  copy_tensor(tenon_session_data(s, t), out, tenon_session_size(s, t), false);
  return TENON_OK;
}

tenon_status tenon_session_run(tenon_session *s, int entry,
                               const tenon_tensor *in, size_t n_in,
                               tenon_tensor *out, size_t n_out) {
  const tenon_program *p = s->program;
  TENON_TRY(check_run(s, entry, in, n_in, out, n_out));
  const tenon_program_entry *e = &p->entries[entry];
  s->entry = entry;
  uint64_t begin = tenon_timing_run(s);
  tenon_strings_begin(s);
  if (p->n_numbers > 0)
    TENON_TRY(tenon_sizes_begin(s, (uint32_t)entry, in, out));
  TENON_TRY(bind_ports(s, in, out));
  if (p->empties_strings) TENON_TRY(tenon_strings_empty(s));
  for (size_t i = 0; i < n_in; ++i) {
    const tenon_program_tensor *t = &p->tensors[e->in[i]];
    // Of the second nobody reads anything.
    if (e->inputs[i].flags & TENON_IO_CALLER ||
        t->slot.place == TENON_IN_NOTHING)
      continue;
    copy_tensor(tenon_session_data(s, t), &in[i], tenon_session_size(s, t),
                true);
  }
  tenon_cost_begin(s);
  tenon_status status = tenon_session_run_block(s, e->block);
  tenon_cost_end(s);
  // Also of what a run that failed has left.
  const tenon_status kept = tenon_strings_keep(s);
  TENON_TRY(status);
  TENON_TRY(kept);
  for (size_t i = 0; i < n_out; ++i)
    if (!(e->outputs[i].flags & TENON_IO_CALLER))
      TENON_TRY(
          give_output(s, &p->tensors[e->out[i]], &e->outputs[i], &out[i]));
  for (size_t i = 0; i < e->n_writes; ++i) {
    const tenon_program_tensor *t = &p->tensors[e->writes[i].tensor];
    TENON_TRY(tenon_sizes_tensor(s, t));
    copy_tensor(tenon_session_data(s, t), &in[e->writes[i].input],
                tenon_session_size(s, t), false);
  }
  tenon_timing_ran(s, begin);
  return TENON_OK;
}
