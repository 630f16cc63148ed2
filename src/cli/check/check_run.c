// How: a text is read, compiled for one mode, and run once in a session of its
// own; an observer says which kernel the operator's node got.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

bool check_read(checker *k, const char *text, size_t size, tenon_module **out) {
  tenon_read_options o = {0};
  o.struct_size = sizeof o;
  o.name = "row";
  *out = NULL;
  return tenon_module_read(k->cx, text, size, &o, out) == TENON_OK;
}

int check_compile(checker *k, const check_mode *mode, tenon_program **out) {
  tenon_compile_options o = {0};
  tenon_module *m = NULL;
  const char *forced[2] = {mode->forced, NULL};
  *out = NULL;
  if (!check_read(k, mode->text, mode->size, &m)) return TENON_BAD_MODEL;
  tenon_status status =
      mode->target ? tenon_module_set_target(m, mode->target) : TENON_OK;
  o.struct_size = sizeof o;
  // Rows say nothing of orders and places, and a lowering of many small steps
  // is what a search for the best of them takes longest for.
  o.flags = mode->flags | TENON_COMPILE_QUICK_PLAN | TENON_COMPILE_KEEP_ORDER;
  o.pipeline = mode->pipeline;
  o.kernels = mode->forced ? forced : NULL;
  tenon_entry entry = {NULL, m, NULL};
  if (status == TENON_OK) status = tenon_program_compile(&entry, 1, &o, out);
  tenon_module_destroy(m);
  return cli_exit(status);
}

bool check_has_kernel(const tenon_program *p, const char *kernel) {
  tenon_buf b = {0};
  json_t *plan = NULL, *step = NULL;
  size_t i = 0;
  bool has = false;
  if (tenon_program_print(p, TENON_FORMAT_JSON, 0, cli_collect, &b) == TENON_OK)
    plan = json_loadb(b.data, b.size, 0, NULL);
  json_array_foreach(json_object_get(plan, "steps"), i, step) {
    const char *name = json_string_value(json_object_get(step, "kernel"));
    has = has || (name && strcmp(name, kernel) == 0);
  }
  json_decref(plan);
  tenon_buf_deinit(&b);
  return has;
}

// The next operand of a row that is an input of the module.
static size_t next_input(const check_row *row, size_t at) {
  while (at < row->n_in && !check_row_is_input(row, at))
    ++at;
  return at;
}

int check_inputs(checker *k, const check_row *row, const tenon_program *p,
                 int entry, cli_tensor *in, size_t *n) {
  tenon_io io[CHECK_VALUES];
  *n = tenon_program_io(p, entry, TENON_IO_INPUTS, io, CHECK_VALUES);
  if (*n > CHECK_VALUES) {
    *n = 0;
    return TENON_UNSUPPORTED;
  }
  memset(in, 0, *n * sizeof *in);
  if (row->given && k->c->inputs.count > 0)
    return cli_inputs(k->c, p, entry, in);
  size_t at = 0;
  for (size_t i = 0; i < *n; ++i, ++at) {
    if (cli_io_is_open(&io[i]))
      return cli_fail(k->c, TENON_BAD_INPUT, "cli-input",
                      "input '%s' has an open size: give it with --input",
                      io[i].name);
    if (!cli_tensor_make(&in[i], io[i].dtype, io[i].dims, io[i].rank))
      return CLI_NO_MEMORY;
    if (row->given) {
      int code = cli_random_input(k->c, &io[i], NULL, row->seed + i, &in[i]);
      if (code) return code;
      continue;
    }
    size_t size = 0;
    at = next_input(row, at);
    if (at >= row->n_in) return TENON_BUG;
    unsigned char *bytes = check_row_bytes(row, at, &size);
    if (!bytes || size != in[i].size) {
      free(bytes);
      return TENON_BUG;
    }
    if (size) memcpy(in[i].memory, bytes, size);
    free(bytes);
  }
  return 0;
}

typedef struct watch {
  const check_mode *mode;
  check_result *result;
} watch;

// Or what was made of it for a kernel of another dimension order.
static bool check_run_is_of(const char *op, const char *step) {
  size_t n = strlen(op);
  if (strncmp(step, op, n) != 0) return false;
  return step[n] == 0 || strncmp(step + n + 1, "order_", 6) == 0;
}

static tenon_status check_run_observe(void *self, const tenon_step_info *step) {
  watch *w = (watch *)self;
  if (w->mode->op && step->op && check_run_is_of(w->mode->op, step->op)) {
    ++w->result->seen;
    if (w->mode->kernel && strcmp(step->kernel, w->mode->kernel) == 0)
      w->result->took_kernel = true;
  }
  return TENON_OK;
}

static int check_run_keep(const tenon_tensor *out, size_t n,
                          check_result *result) {
  for (size_t i = 0; i < n; ++i)
    if (!cli_tensor_copy(&result->out[result->n_out++], &out[i]))
      return CLI_NO_MEMORY;
  return 0;
}

static void check_run_fill(checker *k, unsigned char *bytes, size_t size) {
  check_random noise = {.state = ++k->n_runs};
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = check_next(&noise);
    memcpy(bytes + at, &word, size - at < 8 ? size - at : 8);
  }
}

#define MOST_BLOCKS 8

// Each run finds other bytes where its results will be: what a kernel leaves
// as it was then differs from run to run. Behind the memory there are known
// ones.
static void fill_memory(checker *k, const tenon_program *p, int threads,
                        const cli_session *session) {
  tenon_memory list[MOST_BLOCKS];
  size_t n = tenon_program_memory(p, threads, list, MOST_BLOCKS);
  for (size_t i = 0; i < n && i < MOST_BLOCKS; ++i) {
    unsigned char *bytes = (unsigned char *)session->memory[i];
    if (list[i].kind == TENON_MEMORY_SCRATCH)
      check_run_fill(k, bytes, list[i].size);
    memset(bytes + list[i].size, 0xa5, k->c->guard);
  }
}

static size_t count_behind(const checker *k, const tenon_program *p,
                           int threads, const cli_session *session) {
  tenon_memory list[MOST_BLOCKS];
  size_t n = tenon_program_memory(p, threads, list, MOST_BLOCKS), count = 0;
  for (size_t i = 0; i < n && i < MOST_BLOCKS; ++i) {
    const unsigned char *bytes =
        (const unsigned char *)session->memory[i] + list[i].size;
    for (size_t at = 0; at < k->c->guard; ++at)
      count += bytes[at] != 0xa5;
  }
  return count;
}

int check_run_program(checker *k, const check_row *row, const tenon_program *p,
                      int entry, const check_mode *mode, check_result *out) {
  cli_session session = {0};
  cli_tensor in[CHECK_VALUES];
  tenon_tensor views[CHECK_VALUES], results[2 * CHECK_VALUES];
  watch w = {mode, out};
  size_t n_in = 0;
  int threads = mode->threads ? mode->threads : 1;
  memset(out, 0, sizeof *out);
  memset(results, 0, sizeof results);
  size_t n_out = tenon_program_io(p, entry, TENON_IO_OUTPUTS, NULL, 0);
  if (n_out > 2 * CHECK_VALUES) return TENON_UNSUPPORTED;
  int code = check_inputs(k, row, p, entry, in, &n_in);
  if (code == 0)
    code = cli_session_open(k->c, p, threads, check_run_observe, &w, &session);
  for (size_t i = 0; i < n_in; ++i)
    views[i] = in[i].view;
  if (code == 0) fill_memory(k, p, threads, &session);
  if (code == 0)
    code = cli_exit(
        tenon_session_run(session.session, entry, views, n_in, results, n_out));
  if (code == 0) out->n_behind = count_behind(k, p, threads, &session);
  if (code == 0) code = check_run_keep(results, n_out, out);
  cli_session_close(&session);
  for (size_t i = 0; i < n_in; ++i)
    cli_tensor_free(&in[i]);
  if (code) check_result_free(out);
  return code;
}

int check_run_text(checker *k, const check_row *row, const check_mode *mode,
                   check_result *out) {
  tenon_program *p = NULL;
  memset(out, 0, sizeof *out);
  int code = check_compile(k, mode, &p);
  if (code == 0) code = check_run_program(k, row, p, 0, mode, out);
  tenon_program_destroy(p);
  return code;
}

void check_result_free(check_result *r) {
  for (size_t i = 0; i < r->n_out; ++i)
    cli_tensor_free(&r->out[i]);
  memset(r, 0, sizeof *r);
}
