// How: compile, fill the inputs, run once, and print each output's head or save
// all of it; inputs that the program writes are printed and saved behind the
// outputs.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/data/npz.h"

static void print_string(cli *c, const tenon_tensor *t, size_t i,
                         bool is_json) {
  tenon_buf text = {0};
  cli_string_format(t, i, is_json, &text);
  cli_print(c, &text);
}

static void print_element(cli *c, const tenon_tensor *t, size_t i,
                          bool is_json) {
  char text[40];
  double v = cli_element(t, i);
  cli_element_text(t, i, text, sizeof text);
  if (isfinite(v))
    cli_printf(c, "%s", text);
  else
    cli_printf(c, is_json ? "\"%s\"" : "%s",
               isnan(v) ? "nan"
               : v > 0  ? "inf"
                        : "-inf");
}

// A pair in JSON, 1-2j in text.
static void print_complex(cli *c, const tenon_tensor *t, size_t i,
                          bool is_json) {
  tenon_tensor parts = *t;
  parts.dtype = t->dtype == TENON_C64 ? TENON_F32 : TENON_F64;
  bool has_sign = signbit(cli_element(&parts, 2 * i + 1)) &&
                  !isnan(cli_element(&parts, 2 * i + 1));
  if (is_json) cli_printf(c, "[");
  print_element(c, &parts, 2 * i, is_json);
  cli_printf(c, "%s", is_json ? ", " : has_sign ? "" : "+");
  print_element(c, &parts, 2 * i + 1, is_json);
  cli_printf(c, is_json ? "]" : "j");
}

#define SHOWN 16u
static void print_output(cli *c, const tenon_io *io, const tenon_tensor *t,
                         bool is_json, bool is_first) {
  size_t n = tenon_count(t), shown = is_json || n < SHOWN ? n : SHOWN;
  if (is_json)
    cli_put_json(c, "${'name': $, $'dtype': $, 'shape': [",
                 tenon_as_plain(is_first ? "" : ", "), io->name,
                 tenon_as_plain(
                     io->flags & TENON_IO_WRITTEN ? "\"written\": true, " : ""),
                 cli_dtype_name(t->dtype));
  else
    cli_printf(c, "%s: %s[", cli_shown(c, io->name), cli_dtype_name(t->dtype));
  for (int i = 0; i < t->rank; ++i)
    cli_printf(c, "%s%d", i ? (is_json ? ", " : ",") : "", (int)t->dims[i]);
  cli_printf(c, is_json ? "], \"values\": [" : "] =");
  for (size_t i = 0; i < shown; ++i) {
    cli_printf(c, "%s", is_json ? (i ? ", " : "") : " ");
    if (t->dtype == TENON_STR)
      print_string(c, t, i, is_json);
    else if (t->dtype == TENON_C64 || t->dtype == TENON_C128)
      print_complex(c, t, i, is_json);
    else
      print_element(c, t, i, is_json);
  }
  if (is_json)
    cli_printf(c, "]}");
  else
    cli_printf(c, "%s\n", shown < n ? " ..." : "");
}

// Behind the outputs, as the run left it.
static void print_written(cli_call *r, size_t i) {
  if (!r->c->json) cli_printf(r->c, "written ");
  print_output(r->c, &r->in_io[i], &r->in[i].view, r->c->json, r->n_out == 0);
}

// Collected, so that a run that fails leaves nothing.
static int run_verb_add_tensor(cli *c, cli_files *files, const char *name,
                               const tenon_tensor *t) {
  tenon_buf b = {0};
  int code = 0;
  if (!cli_npy_format(t, &b))
    code = cli_fail(c, TENON_UNSUPPORTED, "cli-output",
                    "'%s' cannot be written as .npy", name);
  else if (cli_files_write(files, name, b.data, b.size) != TENON_OK)
    code = CLI_NO_MEMORY;
  tenon_buf_deinit(&b);
  return code;
}

static int add_numbered(cli *c, cli_files *files, const char *kind, size_t i,
                        const char *suffix, const tenon_tensor *t) {
  char name[64];
  snprintf(name, sizeof name, "%s%zu%s.npy", kind, i, suffix);
  return run_verb_add_tensor(c, files, name, t);
}

// Before the run, which may write them.
static int run_verb_add_inputs(const cli_call *r, cli_files *files) {
  int code = 0;
  for (size_t i = 0; code == 0 && i < r->n_in; ++i)
    code = add_numbered(r->c, files, "in", i, "", &r->in[i].view);
  return code;
}

static int add_outputs(const cli_call *r, cli_files *files) {
  int code = 0;
  for (size_t i = 0; code == 0 && i < r->n_out; ++i)
    code = add_numbered(r->c, files, "out", i, "", &r->out[i]);
  for (size_t i = 0; code == 0 && i < r->n_in; ++i)
    if (r->in_io[i].flags & TENON_IO_WRITTEN)
      code = add_numbered(r->c, files, "in", i, "_after", &r->in[i].view);
  return code;
}

// "buf_<name>.npy", where "%2F" stands for what would be a folder, and so for
// every byte that may not be printed, and for a "%" that would be read as one.
static void name_state(const char *name, tenon_buf *out) {
  tenon_buf_text(out, "buf_");
  bool is_plain = tenon_text_show(NULL, 0, name) == strlen(name);
  for (const char *p = name; *p; ++p) {
    unsigned char byte = (unsigned char)*p;
    bool is_kept = is_plain || (byte >= 0x20 && byte < 0x7f);
    if (byte == '/' || byte == '%') is_kept = false;
    if (byte == '%' && !isxdigit((unsigned char)p[1])) is_kept = true;
    tenon_buf_format(out, is_kept ? "%c" : "%%%02X", byte);
  }
  tenon_buf_text(out, ".npy");
}

// As the run left them, under the names that verify looks for.
static int add_states(const cli_call *r, tenon_session *s, cli_files *files) {
  size_t n = 0;
  tenon_io *io = cli_io_list(r->p, r->entry, TENON_IO_STATES, &n);
  int code = io ? 0 : CLI_NO_MEMORY;
  for (size_t i = 0; code == 0 && i < n; ++i) {
    tenon_tensor view;
    tenon_buf name = {0};
    name_state(io[i].name, &name);
    code = name.failed ? CLI_NO_MEMORY
                       : cli_exit(tenon_session_state(s, io[i].name, &view));
    if (code == 0) code = run_verb_add_tensor(r->c, files, name.data, &view);
    tenon_buf_deinit(&name);
  }
  free(io);
  return code;
}

static int save_outputs(const cli_call *r, const char *folder) {
  cli_files files = {0};
  int code = add_outputs(r, &files);
  if (code == 0 && !cli_files_save(r->c, &files, folder)) code = TENON_IO;
  cli_files_free(&files);
  return code;
}

// The case that --save asks for, of which the inputs are there.
static int save_case(const cli_call *r, tenon_session *s, cli_files *files) {
  int code = add_outputs(r, files);
  if (code == 0) code = add_states(r, s, files);
  if (code == 0 && !cli_files_save(r->c, files, r->c->save)) code = TENON_IO;
  return code;
}

// One file instead of a folder: all outputs as .npz, or the only one as .npy or
// as raw bytes.
static int save_file(cli_call *r, const char *path) {
  cli *c = r->c;
  tenon_buf b = {0};
  bool ok = true;
  if (cli_ends_with(path, ".npz")) {
    ok = cli_npz_format(r->out_io, r->out, r->n_out, &b);
  } else if (r->n_out != 1) {
    return cli_fail(c, CLI_USAGE, "cli-output",
                    "'%s' holds one output and the entry has %zu: save them as "
                    ".npz or into a folder",
                    path, r->n_out);
  } else if (cli_ends_with(path, ".npy")) {
    ok = cli_npy_format(&r->out[0], &b);
  } else if (r->out[0].dtype == TENON_STR) {
    ok = false;
  } else {
    tenon_buf_add(
        &b, r->out[0].data,
        tenon_count(&r->out[0]) * tenon_element_bytes(r->out[0].dtype));
    ok = !b.failed;
  }
  int code = !ok ? cli_fail(c, TENON_UNSUPPORTED, "cli-output",
                            "the outputs cannot be written as '%s'", path)
             : cli_write_file(c, path, b.data, b.size) ? 0
                                                       : TENON_IO;
  tenon_buf_deinit(&b);
  return code;
}

static int save_output(cli_call *r, const char *path) {
  bool is_file = cli_ends_with(path, ".npz") || cli_ends_with(path, ".npy") ||
                 cli_ends_with(path, ".bin");
  return is_file ? save_file(r, path) : save_outputs(r, path);
}

// *given: one for each `--state`, which stay until the run is over.
static int set_states(cli *c, const tenon_program *p, tenon_session *s,
                      cli_tensor *given) {
  size_t n = 0;
  tenon_io *io = cli_io_list(p, 0, TENON_IO_STATES, &n);
  int code = io ? 0 : CLI_NO_MEMORY;
  for (size_t i = 0; code == 0 && i < c->states.count; ++i) {
    const char *text = c->states.data[i], *equals = strchr(text, '=');
    size_t k = 0, size = equals ? (size_t)(equals - text) : strlen(text);
    while (k < n &&
           (strlen(io[k].name) != size || memcmp(io[k].name, text, size) != 0))
      ++k;
    tenon_tensor view;
    if (!equals) {
      code = cli_fail(c, CLI_USAGE, "cli-state",
                      "'--state' expects NAME=VALUE, found '%s'", text);
    } else if (k == n) {
      tenon_labels names = {.size = 0};
      for (size_t at = 0; at < n; ++at)
        tenon_labels_add(&names, io[at].name);
      code =
          cli_fail(c, CLI_USAGE, "cli-state", "no state '%.*s'; there are %s",
                   (int)size, text, tenon_labels_text(&names));
    } else if (!cli_tensor_parse(c, equals + 1, &io[k], &given[i])) {
      code = cli_refused(c, TENON_BAD_INPUT);
    } else {
      code = cli_exit(tenon_session_state(s, io[k].name, &view));
      if (code == 0) memcpy(view.data, given[i].memory, given[i].size);
    }
  }
  free(io);
  return code;
}

static int run_program(cli_call *r) {
  cli *c = r->c;
  cli_session s = {0};
  cli_files files = {0};
  cli_tensor *given = (cli_tensor *)calloc(c->states.count + 1, sizeof *given);
  int code = given ? cli_call_fill(r) : CLI_NO_MEMORY;
  if (code == 0 && c->trace && !cli_timeline_open(c)) code = CLI_NO_MEMORY;
  if (code == 0)
    code = cli_session_open(c, r->p, cli_threads(c), NULL, NULL, &s);
  if (code == 0) code = set_states(c, r->p, s.session, given);
  if (code == 0 && c->save) code = run_verb_add_inputs(r, &files);
  if (code == 0) code = cli_session_run(&s, r);
  if (code == 0 && c->output) code = save_output(r, c->output);
  if (code == 0 && c->save) code = save_case(r, s.session, &files);
  if (code == 0) code = cli_timeline_save(c, r->p, c->trace, NULL);
  if (code == 0 && c->json) cli_printf(c, "[");
  for (size_t i = 0; code == 0 && i < r->n_out; ++i)
    print_output(c, &r->out_io[i], &r->out[i], c->json, i == 0);
  for (size_t i = 0; code == 0 && i < r->n_in; ++i)
    if (r->in_io[i].flags & TENON_IO_WRITTEN) print_written(r, i);
  if (code == 0 && c->json) cli_printf(c, "]");
  cli_session_close(&s);
  for (size_t i = 0; given && i < c->states.count; ++i)
    cli_tensor_free(&given[i]);
  free(given);
  cli_timeline_close(c);
  cli_files_free(&files);
  return code;
}

int cmd_run(cli *c) {
  cli_model model;
  tenon_program *p = NULL;
  int code = cli_models_open(c, &model);
  if (code) return code;
  // Inputs bring their sizes; made-up ones have those of the file.
  model.keeps_open = c->inputs.count > 0 && !c->has_random;
  code = cli_model_compile(c, &model, NULL, 0, &p);
  if (code == 0) {
    cli_call r;
    code = cli_call_open(c, p, &r);
    if (code == 0) code = run_program(&r);
    cli_call_close(&r);
  }
  tenon_program_destroy(p);
  cli_model_close(&model);
  return code;
}
