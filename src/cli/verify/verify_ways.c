// How: four ways run in sessions of this process: the chosen kernels, the
// reference kernels, several threads, and without what changes numbers. The
// fifth emits C for portable use with a driver, builds it with the system's
// compiler, and feeds it the bytes of all cases of a group at once.
#include <stdlib.h>
#include <string.h>

#include "cli/verify/verifying.h"

bool verify_way_is(const char *way, const char *name) {
  return strcmp(way, name) == 0;
}

int verify_way_threads(const cli *c, const char *way) {
  if (!verify_way_is(way, "threads")) return 1;
  return c->threads > 1 ? (int)c->threads : 4;
}

static bool way_make_results(const verify_suite *s, verify_way *w) {
  w->results = (cli_tensor **)calloc(s->count + 1, sizeof *w->results);
  for (size_t i = 0; w->results && i < s->count; ++i) {
    w->results[i] =
        (cli_tensor *)calloc(s->cases[i].n_checks + 1, sizeof **w->results);
    if (!w->results[i]) return false;
  }
  return w->results != NULL;
}

void verify_way_free(const verify_suite *s, verify_way *w) {
  for (size_t i = 0; w->results && i < s->count; ++i) {
    for (size_t k = 0; w->results[i] && k < s->cases[i].n_checks; ++k)
      cli_tensor_free(&w->results[i][k]);
    free(w->results[i]);
  }
  free(w->results);
  w->results = NULL;
}

void verify_use_group(const verify_suite *s, cli_model *model, size_t group) {
  const verify_group *g = &s->groups[group];
  model->requests = g->is_open ? NULL : &g->requests;
  model->keeps_open = g->is_open;
}

int verify_way_compile(verify_suite *s, cli_model *model, size_t group,
                       const char *way, tenon_program **out, bool *owned) {
  bool is_emitted = verify_way_is(way, "emitted");
  bool is_reference = verify_way_is(way, "reference");
  bool is_exact = verify_way_is(way, "exact");
  *owned = is_emitted || is_reference || is_exact;
  if (!*owned) {
    *out = s->groups[group].program;
    return 0;
  }
  if ((is_reference || is_exact) &&
      tenon_program_is_saved(model->file.data, model->file.size))
    return cli_fail(s->c, CLI_USAGE, "verify-with",
                    "'%s' is a program that was compiled already: '%s' "
                    "compiles a model anew",
                    model->name, way);
  verify_use_group(s, model, group);
  const bool inexact = s->c->inexact;
  if (is_exact) s->c->inexact = false;
  int code = cli_model_compile(
      s->c, model,
      !is_emitted     ? NULL
      : s->c->machine ? s->c->emulated
                      : "c",
      is_reference ? (uint32_t)TENON_COMPILE_REFERENCE : 0, out);
  s->c->inexact = inexact;
  return code;
}

// --- in this process --------------------------------------------------------

static bool copy_view(const tenon_tensor *from, cli_tensor *to) {
  return from->dtype == 0 || cli_tensor_copy(to, from);  // None
}

static int way_take_results(verify_suite *s, const verify_case *v,
                            tenon_session *session, const tenon_tensor *in,
                            const tenon_tensor *out, cli_tensor *results) {
  int code = 0;
  for (size_t k = 0; code == 0 && k < v->n_checks; ++k) {
    const verify_check *check = &v->checks[k];
    tenon_tensor state = {0};
    const tenon_tensor *from = &out[check->index];
    if (check->kind == VERIFY_INPUT) from = &in[check->index];
    if (check->kind == VERIFY_STATE) {
      code = cli_exit(tenon_session_state(session, check->io.name, &state));
      from = &state;
    }
    if (code == 0 && !copy_view(from, &results[k]))
      code = cli_fail(s->c, CLI_NO_MEMORY, "memory", "out of memory");
  }
  return code;
}

int verify_run_case(verify_suite *s, const tenon_program *p,
                    const verify_case *v, cli_session *session,
                    cli_tensor *results) {
  tenon_tensor *out = (tenon_tensor *)calloc(v->n_out + 1, sizeof *out);
  tenon_tensor *in = (tenon_tensor *)calloc(v->n_in + 1, sizeof *in);
  // What a run writes to must not reach the next way.
  cli_tensor *copies = (cli_tensor *)calloc(v->n_in + 1, sizeof *copies);
  int code = out && in && copies ? 0 : CLI_NO_MEMORY;
  for (size_t i = 0; code == 0 && i < v->n_in; ++i) {
    in[i] = v->in[i].view;
    in[i].dims = v->in[i].dims;
    if (!(v->in_io[i].flags & TENON_IO_WRITTEN)) continue;
    if (copy_view(&in[i], &copies[i]))
      in[i] = copies[i].view;
    else
      code = CLI_NO_MEMORY;
  }
  const cli_call call = {.c = s->c,
                         .p = p,
                         .entry = v->entry,
                         .n_in = v->n_in,
                         .n_out = v->n_out,
                         .in_io = v->in_io,
                         .out_io = v->out_io,
                         .views = in,
                         .out = out};
  if (code == 0) code = cli_session_run(session, &call);
  if (code == 0 && results)
    code = way_take_results(s, v, session->session, in, out, results);
  for (size_t i = 0; copies && i < v->n_in; ++i)
    cli_tensor_free(&copies[i]);
  free(copies);
  free(in);
  free(out);
  return code;
}

static int run_sessions(verify_suite *s, const tenon_program *p, size_t group,
                        verify_way *w) {
  cli_session session = {0};
  int code = cli_session_open(s->c, p, verify_way_threads(s->c, w->name), NULL,
                              NULL, &session);
  bool is_first = true;
  for (size_t i = 0; code == 0 && i < s->count; ++i) {
    if (s->cases[i].group != group) continue;
    if (!is_first && !s->is_stateful)
      code = cli_exit(tenon_session_reset(session.session));
    is_first = false;
    if (code == 0)
      code = verify_run_case(s, p, &s->cases[i], &session, w->results[i]);
  }
  cli_session_close(&session);
  return code;
}

// --- emitted ----------------------------------------------------------------

// Sizes precede a value that has some which are not in the program.
void verify_driver_input(const verify_case *v, bool is_reset, tenon_buf *out) {
  char head[2] = {(char)v->entry, (char)(2 | is_reset)};
  tenon_buf_add(out, head, 2);
  for (size_t k = 0; k < v->n_in; ++k) {
    if (cli_io_is_open(&v->in_io[k]))
      tenon_buf_add(out, v->in[k].dims,
                    v->in_io[k].rank * sizeof *v->in[k].dims);
    if (v->in[k].view.dtype == TENON_STR)
      cli_strings_write(&v->in[k].view, out);
    else
      tenon_buf_add(out, v->in[k].memory, v->in[k].size);
  }
}

typedef struct reader {
  verify_suite *s;
  const tenon_buf *output;
  size_t at;
} reader;

static int too_short(const reader *r, const tenon_io *io) {
  return cli_fail(r->s->c, TENON_BUG, "verify-emitted",
                  "the emitted program wrote %zu bytes, which ends within '%s'",
                  r->output->size, io->name);
}

// The next bytes, as a value of this type: into `out`, or skipped.
static int way_take(reader *r, const tenon_io *io, cli_tensor *out) {
  cli_tensor t = {0};
  int64_t dims[TENON_MAX_RANK];
  for (int i = 0; i < io->rank; ++i) {
    int32_t size = 0;
    dims[i] = io->dims[i];
    if (!cli_io_is_open(io)) continue;
    if (r->output->size - r->at < sizeof size) return too_short(r, io);
    memcpy(&size, r->output->data + r->at, sizeof size);
    r->at += sizeof size;
    dims[i] = size;
  }
  if (io->dtype == 0) return 0;
  if (!cli_tensor_make(&t, io->dtype, dims, io->rank)) return CLI_NO_MEMORY;
  if (io->dtype == TENON_STR) {
    size_t took =
        cli_strings_read(&t, r->output->data + r->at, r->output->size - r->at);
    if (took == SIZE_MAX) {
      cli_tensor_free(&t);
      return too_short(r, io);
    }
    r->at += took;
  } else if (r->output->size - r->at < t.size) {
    cli_tensor_free(&t);
    return too_short(r, io);
  } else {
    if (t.size) memcpy(t.memory, r->output->data + r->at, t.size);
    r->at += t.size;
  }
  if (out) {
    *out = t;
    out->view.dims = out->dims;
  } else {
    cli_tensor_free(&t);
  }
  return 0;
}

static cli_tensor *way_result_of(const verify_case *v, cli_tensor *results,
                                 verify_kind kind, size_t index) {
  for (size_t k = 0; k < v->n_checks; ++k)
    if (v->checks[k].kind == kind && v->checks[k].index == index)
      return &results[k];
  return NULL;
}

// The outputs, the written inputs, and the states of a run.
static int take_run(reader *r, const tenon_program *p, const verify_case *v,
                    cli_tensor *results) {
  size_t n = 0;
  tenon_io *states = cli_io_list(p, v->entry, TENON_IO_STATES, &n);
  int code = states ? 0 : CLI_NO_MEMORY;
  for (size_t i = 0; code == 0 && i < v->n_out; ++i)
    code =
        way_take(r, &v->out_io[i], way_result_of(v, results, VERIFY_OUTPUT, i));
  for (size_t i = 0; code == 0 && i < v->n_in; ++i)
    if (v->in_io[i].flags & TENON_IO_WRITTEN)
      code =
          way_take(r, &v->in_io[i], way_result_of(v, results, VERIFY_INPUT, i));
  for (size_t i = 0; code == 0 && i < n; ++i)
    code = way_take(r, &states[i], way_result_of(v, results, VERIFY_STATE, i));
  free(states);
  return code;
}

static int way_run_emitted(verify_suite *s, const tenon_program *p,
                           size_t group, verify_way *w) {
  cli_emitted e;
  tenon_buf input = {0}, output = {0};
  bool is_first = true;
  int code = cli_emitted_build(s->c, p, CLI_BUILD_PLAIN, &e);
  for (size_t i = 0; code == 0 && i < s->count; ++i) {
    if (s->cases[i].group != group) continue;
    verify_driver_input(&s->cases[i], is_first || !s->is_stateful, &input);
    is_first = false;
  }
  if (code == 0) code = cli_emitted_run(s->c, &e, &input, &output);
  reader r = {s, &output, 0};
  for (size_t i = 0; code == 0 && i < s->count; ++i)
    if (s->cases[i].group == group)
      code = take_run(&r, p, &s->cases[i], w->results[i]);
  if (code == 0 && r.at != output.size)
    code = cli_fail(s->c, TENON_BUG, "verify-emitted",
                    "the emitted program wrote %zu bytes more than expected",
                    output.size - r.at);
  tenon_buf_deinit(&input);
  tenon_buf_deinit(&output);
  cli_emitted_close(&e);
  return code;
}

int verify_way_run(verify_suite *s, cli_model *model, const char *name,
                   verify_way *out) {
  int code = 0;
  bool is_emitted = verify_way_is(name, "emitted");
  out->name = name;
  cli_progress(s->c, is_emitted ? "emitting, compiling and running C"
                                : "running the model");
  out->results = NULL;
  if (!way_make_results(s, out)) return CLI_NO_MEMORY;
  for (size_t g = 0; code == 0 && g < s->n_groups; ++g) {
    tenon_program *p = NULL;
    bool owned = false;
    code = verify_way_compile(s, model, g, name, &p, &owned);
    if (code == 0)
      code = is_emitted ? way_run_emitted(s, p, g, out)
                        : run_sessions(s, p, g, out);
    if (owned) tenon_program_destroy(p);
  }
  return code;
}
