// How: three ways run in sessions of this process: the chosen kernels, the
// reference kernels, several threads. The fourth emits C for portable use with
// a driver, builds it with the system's compiler, and feeds it the bytes of all
// cases at once.
#include <stdlib.h>
#include <string.h>

#include "cli/verifying.h"

static bool make_results(const verify_suite *s, verify_way *w) {
  w->results = (cli_tensor **)calloc(s->count + 1, sizeof *w->results);
  for (size_t i = 0; w->results && i < s->count; ++i) {
    const verify_case *v = &s->cases[i];
    w->results[i] = (cli_tensor *)calloc(v->n_all + 1, sizeof **w->results);
    if (!w->results[i]) return false;
    for (size_t k = 0; k < v->n_all; ++k)
      if (!cli_tensor_make(&w->results[i][k], v->out_io[k].dtype,
                           v->out_io[k].dims, v->out_io[k].rank))
        return false;
  }
  return w->results != NULL;
}

void verify_way_free(const verify_suite *s, verify_way *w) {
  for (size_t i = 0; w->results && i < s->count; ++i) {
    for (size_t k = 0; w->results[i] && k < s->cases[i].n_all; ++k)
      cli_tensor_free(&w->results[i][k]);
    free(w->results[i]);
  }
  free(w->results);
  w->results = NULL;
}

static int run_case(const verify_case *v, tenon_session *s,
                    cli_tensor *results) {
  tenon_tensor *out = (tenon_tensor *)calloc(v->n_out + 1, sizeof *out);
  tenon_tensor *in = verify_case_inputs(v, results);
  if (!out || !in) {
    free(out);
    free(in);
    return CLI_NO_MEMORY;
  }
  for (size_t k = 0; k < v->n_out; ++k) {
    out[k] = results[k].view;
    out[k].dims = results[k].dims;
  }
  int code =
      cli_exit(tenon_session_run(s, v->entry, in, v->n_in, out, v->n_out));
  free(in);
  free(out);
  return code;
}

static int run_sessions(verify_suite *s, const tenon_program *p, int threads,
                        verify_way *w) {
  cli_session session = {0};
  int code = cli_session_open(s->c, p, threads, NULL, NULL, &session);
  for (size_t i = 0; code == 0 && i < s->count; ++i) {
    if (i > 0 && !s->is_stateful)
      code = cli_exit(tenon_session_reset(session.session));
    if (code == 0)
      code = run_case(&s->cases[i], session.session, w->results[i]);
  }
  cli_session_close(&session);
  return code;
}

// --- emitted ----------------------------------------------------------------

// Entry and reset, then every input's bytes, case by case.
static bool make_input(const verify_suite *s, cli_bytes *input) {
  for (size_t i = 0; i < s->count; ++i) {
    const verify_case *v = &s->cases[i];
    char head[2] = {(char)v->entry, (char)(i == 0 || !s->is_stateful)};
    if (!cli_bytes_add(input, head, 2)) return false;
    for (size_t k = 0; k < v->n_in; ++k)
      if (!cli_bytes_add(input, v->in[k].memory, v->in[k].size)) return false;
  }
  return true;
}

static int split_output(verify_suite *s, const cli_bytes *output,
                        verify_way *w) {
  size_t at = 0;
  for (size_t i = 0; i < s->count; ++i)
    for (size_t k = 0; k < s->cases[i].n_all; ++k) {
      cli_tensor *t = &w->results[i][k];
      if (output->size - at < t->size)
        return cli_fail(
            s->c, TENON_BUG, "verify-emitted",
            "the emitted program wrote %zu bytes, which ends within "
            "case %zu",
            output->size, i);
      if (t->size) memcpy(t->memory, output->data + at, t->size);
      at += t->size;
    }
  if (at == output->size) return 0;
  return cli_fail(s->c, TENON_BUG, "verify-emitted",
                  "the emitted program wrote %zu bytes more than expected",
                  output->size - at);
}

static int run_emitted(verify_suite *s, const tenon_program *p, verify_way *w) {
  cli_emitted e;
  cli_bytes input = {0}, output = {0};
  int code = cli_emitted_build(s->c, p, &e);
  if (code == 0 && !make_input(s, &input)) code = CLI_NO_MEMORY;
  if (code == 0) code = cli_emitted_run(s->c, &e, &input, &output);
  if (code == 0) code = split_output(s, &output, w);
  cli_bytes_free(&input);
  cli_bytes_free(&output);
  cli_emitted_close(&e);
  return code;
}

int verify_way_run(verify_suite *s, cli_model *model, const char *name,
                   verify_way *out) {
  tenon_program *p = NULL;
  bool is_emitted = strcmp(name, "emitted") == 0;
  bool is_reference = strcmp(name, "reference") == 0;
  bool is_threads = strcmp(name, "threads") == 0;
  int threads = is_threads ? (s->c->threads > 1 ? (int)s->c->threads : 4) : 1;
  out->name = name;
  cli_progress(s->c, is_emitted ? "emitting, compiling and running C"
                                : "running the model");
  out->results = NULL;
  if (!make_results(s, out)) return CLI_NO_MEMORY;
  int code = cli_model_compile(
      s->c, model, is_emitted ? "c" : NULL,
      is_reference ? (uint32_t)TENON_COMPILE_REFERENCE : 0u, &p);
  if (code == 0)
    code =
        is_emitted ? run_emitted(s, p, out) : run_sessions(s, p, threads, out);
  tenon_program_destroy(p);
  return code;
}
