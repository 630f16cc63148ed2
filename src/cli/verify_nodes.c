// How: observers of two sessions keep what every step makes; results are
// matched by the place of their node in the model, and the first pair that
// differs is named.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verifying.h"

typedef struct kept {
  char *key;  // operator, place and number of the result
  char *kernel;
  cli_tensor *value;  // apart: its view points into it, and rows move
} kept;

typedef struct keeper {
  kept *data;
  size_t count;
  bool failed;
} keeper;

static void keep_one(keeper *k, const tenon_step_info *step, uint32_t i) {
  char key[512];
  int64_t dims[TENON_MAX_RANK];
  const tenon_tensor *t = &step->out[i];
  kept *data = (kept *)realloc(k->data, (k->count + 1) * sizeof *data);
  if (!data) {
    k->failed = true;
    return;
  }
  k->data = data;
  kept *row = &data[k->count];
  memset(row, 0, sizeof *row);
  for (int d = 0; d < t->rank; ++d)
    dims[d] = t->dims[d];
  snprintf(key, sizeof key, "%s '%s' result %u%s%s",
           step->place && step->place->where ? step->place->where : "",
           step->op, i, step->names[i][0] ? " " : "", step->names[i]);
  row->value = (cli_tensor *)calloc(1, sizeof *row->value);
  row->key = strdup(key);
  row->kernel = strdup(step->kernel);
  ++k->count;
  if (!row->value || !row->key || !row->kernel ||
      !cli_tensor_make(row->value, t->dtype, dims, t->rank)) {
    k->failed = true;
    return;
  }
  if (t->data && row->value->size)
    memcpy(row->value->memory, t->data, row->value->size);
}

static tenon_status keep(void *self, const tenon_step_info *step) {
  keeper *k = (keeper *)self;
  for (uint32_t i = 0; i < step->n_out; ++i)
    keep_one(k, step, i);
  return TENON_OK;
}

static void free_keeper(keeper *k) {
  for (size_t i = 0; i < k->count; ++i) {
    free(k->data[i].key);
    free(k->data[i].kernel);
    if (k->data[i].value) cli_tensor_free(k->data[i].value);
    free(k->data[i].value);
  }
  free(k->data);
  memset(k, 0, sizeof *k);
}

// Into memory of its own, since the recorded inputs are used again.
static int run_observed(const verify_case *v, tenon_session *session) {
  tenon_tensor *out = (tenon_tensor *)calloc(v->n_out + 1, sizeof *out);
  cli_tensor *written = (cli_tensor *)calloc(v->n_all + 1, sizeof *written);
  bool ok = out && written;
  for (size_t k = v->n_out; ok && k < v->n_all; ++k)
    ok = cli_tensor_make(&written[k], v->out_io[k].dtype, v->out_io[k].dims,
                         v->out_io[k].rank);
  tenon_tensor *in = ok ? verify_case_inputs(v, written) : NULL;
  int code = in ? cli_exit(tenon_session_run(session, v->entry, in, v->n_in,
                                             out, v->n_out))
                : CLI_NO_MEMORY;
  for (size_t k = v->n_out; written && k < v->n_all; ++k)
    cli_tensor_free(&written[k]);
  free(written);
  free(in);
  free(out);
  return code;
}

static int observe(verify_suite *s, cli_model *model, uint32_t flags,
                   size_t index, keeper *k) {
  tenon_program *p = NULL;
  cli_session session = {0};
  verify_case *v = &s->cases[index];
  int code = cli_model_compile(s->c, model, NULL, flags, &p);
  if (code == 0) code = cli_session_open(s->c, p, 1, keep, k, &session);
  if (code == 0) {
    code = run_observed(v, session.session);
  }
  cli_session_close(&session);
  tenon_program_destroy(p);
  return code;
}

static int save_values(cli *c, const keeper *k) {
  int code = cli_make_folder(c, c->save_values) ? 0 : TENON_IO;
  for (size_t i = 0; code == 0 && i < k->count; ++i) {
    char name[64];
    snprintf(name, sizeof name, "value%04zu.npy", i);
    char *path = cli_join(c->save_values, name);
    if (!path || !cli_npy_write(c, path, &k->data[i].value->view))
      code = TENON_IO;
    free(path);
    if (!c->json)
      cli_printf(c, "  %s  %s\n", name, k->data[i].key ? k->data[i].key : "");
  }
  return code;
}

static const kept *find(const keeper *k, const char *key) {
  for (size_t i = 0; i < k->count; ++i)
    if (k->data[i].key && strcmp(k->data[i].key, key) == 0) return &k->data[i];
  return NULL;
}

static void print_first(verify_suite *s, const keeper *run,
                        const keeper *reference) {
  size_t matched = 0;
  for (size_t i = 0; i < run->count; ++i) {
    const kept *a = &run->data[i];
    const kept *b = a->key ? find(reference, a->key) : NULL;
    if (!b || b->value->size != a->value->size) continue;
    ++matched;
    verify_tolerance t =
        verify_tolerance_for(s, SIZE_MAX, a->value->view.dtype);
    verify_difference d;
    verify_compare(&b->value->view, &a->value->view, &t, &d);
    if (d.agrees) continue;
    cli_printf(s->c,
               "first node that parts: %s\n  %s against %s: %.9g expected, "
               "%.9g found at element %zu; %zu of %zu differ\n",
               a->key, a->kernel, b->kernel, d.want, d.got, d.worst,
               d.differing, d.count);
    return;
  }
  cli_printf(s->c, "run and reference agree at all %zu nodes they share\n",
             matched);
}

int verify_nodes(verify_suite *s, cli_model *model) {
  keeper run = {0}, reference = {0};
  int code = observe(s, model, 0, 0, &run);
  if (code == 0)
    code = observe(s, model, TENON_COMPILE_REFERENCE, 0, &reference);
  if (run.failed || reference.failed) code = CLI_NO_MEMORY;
  if (code == 0 && s->c->save_values) code = save_values(s->c, &run);
  if (code == 0 && s->c->nodes && !s->c->json) print_first(s, &run, &reference);
  free_keeper(&run);
  free_keeper(&reference);
  return code;
}
