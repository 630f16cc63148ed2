// How: in this process an observer keeps what every step makes. Emitted C has
// no names; what it leaves in its file is told by number of step and result,
// and gets name, type and shape from the same program observed here.
#include <stdlib.h>
#include <string.h>

#include "cli/verify/verifying.h"

static verify_value *add_value(verify_values *k) {
  verify_value **last = (verify_value **)cli_add(&k->data, &k->count);
  if (last) *last = (verify_value *)calloc(1, sizeof **last);
  if (last && *last) return *last;
  if (last) --k->count;
  k->failed = true;
  return NULL;
}

// How often something of this name was: a node may have become several.
static uint32_t namesakes(const verify_values *k, const char *base) {
  uint32_t n = 0;
  for (size_t i = 0; i < k->count; ++i)
    n += k->data[i]->base && strcmp(k->data[i]->base, base) == 0;
  return n;
}

// How often this result was kept before.
static uint32_t step_diff_turn_of(const verify_values *k, uint32_t step,
                                  uint32_t result) {
  for (size_t i = k->count; i-- > 0;)
    if (k->data[i]->step == step && k->data[i]->result == result)
      return k->data[i]->turn + 1;
  return 0;
}

static bool name_value(const verify_values *k, verify_value *row,
                       const tenon_step_info *step) {
  tenon_buf key = {0};
  const char *name = step->names[row->result];
  const char *where =
      step->place && step->place->where ? step->place->where : "";
  tenon_put(&key, "$$'$' result $", where, where[0] ? " " : "", step->op,
            row->result);
  if (name && name[0]) tenon_put(&key, " $", name);
  row->base = key.failed ? NULL : strdup(key.data);
  // This row is one of them by now.
  uint32_t n = row->base ? namesakes(k, row->base) : 0;
  if (n > 1) tenon_put(&key, " (number $)", n);
  row->key = key.data;
  row->kernel = strdup(step->kernel ? step->kernel : "");
  return !key.failed && row->base && row->kernel;
}

static tenon_status step_diff_keep(void *self, const tenon_step_info *step) {
  verify_values *k = (verify_values *)self;
  for (uint32_t i = 0; i < step->n_out && !k->failed; ++i) {
    const tenon_tensor *t = &step->out[i];
    uint32_t turn = step_diff_turn_of(k, step->step, i);
    if (t->dtype == 0 || tenon_element_bytes(t->dtype) == 0) continue;
    verify_value *row = add_value(k);
    if (!row) break;
    row->step = step->step;
    row->result = i;
    row->turn = turn;
    if (!name_value(k, row, step) || !cli_tensor_copy(&row->value, t))
      k->failed = true;
  }
  return TENON_OK;
}

void verify_values_free(verify_values *values) {
  for (size_t i = 0; i < values->count; ++i) {
    free(values->data[i]->key);
    free(values->data[i]->base);
    free(values->data[i]->kernel);
    cli_tensor_free(&values->data[i]->value);
    free(values->data[i]);
  }
  free(values->data);
  memset(values, 0, sizeof *values);
}

// --- in this process --------------------------------------------------------

static void step_diff_forget(verify_values *values) {
  const char *way = values->way;
  bool failed = values->failed;
  verify_values_free(values);
  values->way = way;
  values->failed = failed;
}

// Whether a case runs before `index` in the same session.
static bool step_diff_precedes(const verify_suite *s, size_t i, size_t index) {
  return s->is_stateful && i < index &&
         s->cases[i].group == s->cases[index].group;
}

static int step_diff_observe(verify_suite *s, const tenon_program *p,
                             size_t index, verify_values *out) {
  cli_session session = {0};
  int code = cli_session_open(s->c, p, verify_way_threads(s->c, out->way),
                              step_diff_keep, out, &session);
  for (size_t i = 0; code == 0 && i <= index; ++i) {
    if (i != index && !step_diff_precedes(s, i, index)) continue;
    step_diff_forget(out);
    code = verify_run_case(s, p, &s->cases[i], &session, NULL);
  }
  cli_session_close(&session);
  return code ? code : out->failed ? CLI_NO_MEMORY : 0;
}

// --- emitted ----------------------------------------------------------------

// The steps' file after cases up to, and with `whole`, including `index`.
static int run_emitted(verify_suite *s, const cli_emitted *e, size_t index,
                       bool whole, tenon_buf *steps) {
  tenon_buf input = {0}, output = {0};
  int code = 0;
  bool is_first = true;
  for (size_t i = 0; i <= index; ++i) {
    if (i == index ? !whole : !step_diff_precedes(s, i, index)) continue;
    verify_driver_input(&s->cases[i], is_first, &input);
    is_first = false;
  }
  if (code == 0 && !is_first) {
    char *path = cli_join(e->folder, CLI_EMITTED_STEPS);
    code = path ? cli_emitted_run(s->c, e, &input, &output) : CLI_NO_MEMORY;
    if (code == 0 && cli_is_file(path) && !cli_read_file(s->c, path, steps))
      code = TENON_IO;
    free(path);
  }
  tenon_buf_deinit(&input);
  tenon_buf_deinit(&output);
  return code;
}

static verify_value *step_diff_find(const verify_values *values, uint32_t step,
                                    uint32_t result, uint32_t turn) {
  for (size_t i = 0; i < values->count; ++i) {
    verify_value *v = values->data[i];
    if (v->step == step && v->result == result && v->turn == turn) return v;
  }
  return NULL;
}

// Puts what the file holds behind `at` in the place of what was observed here.
static int step_diff_replace(verify_suite *s, const tenon_buf *steps, size_t at,
                             verify_values *values) {
  verify_values seen = {0};
  int code = 0;
  while (code == 0 && steps->size - at >= 12) {
    uint32_t head[3];
    memcpy(head, steps->data + at, sizeof head);
    at += sizeof head;
    if (steps->size - at < head[2]) break;
    uint32_t turn = step_diff_turn_of(&seen, head[0], head[1]);
    verify_value *mark = add_value(&seen);
    if (!mark) {
      code = CLI_NO_MEMORY;
      break;
    }
    mark->step = head[0];
    mark->result = head[1];
    mark->turn = turn;
    verify_value *v = step_diff_find(values, head[0], head[1], turn);
    if (v && v->value.size == head[2])
      memcpy(v->value.memory, steps->data + at, head[2]);
    else if (v)
      code = cli_fail(s->c, TENON_BUG, "verify-emitted",
                      "emitted C has %u bytes for %s, the program %zu", head[2],
                      v->key, v->value.size);
    at += head[2];
  }
  verify_values_free(&seen);
  return code;
}

static int observe_emitted(verify_suite *s, const tenon_program *p,
                           size_t index, verify_values *values) {
  cli_emitted e;
  tenon_buf before = {0}, all = {0};
  int code = cli_emitted_build(s->c, p, CLI_BUILD_STEPS, &e);
  if (code == 0) code = run_emitted(s, &e, index, false, &before);
  if (code == 0) code = run_emitted(s, &e, index, true, &all);
  if (code == 0 && all.size < before.size)
    code = cli_fail(s->c, TENON_BUG, "verify-emitted",
                    "emitted C leaves fewer steps with every run");
  if (code == 0) code = step_diff_replace(s, &all, before.size, values);
  tenon_buf_deinit(&before);
  tenon_buf_deinit(&all);
  cli_emitted_close(&e);
  return code;
}

int verify_values_read(verify_suite *s, cli_model *model, size_t index,
                       const char *way, verify_values *out) {
  tenon_program *p = NULL;
  bool owned = false;
  memset(out, 0, sizeof *out);
  out->way = way;
  int code =
      verify_way_compile(s, model, s->cases[index].group, way, &p, &owned);
  if (code == 0) code = step_diff_observe(s, p, index, out);
  if (code == 0 && verify_way_is(way, "emitted"))
    code = observe_emitted(s, p, index, out);
  if (owned) tenon_program_destroy(p);
  return code;
}
