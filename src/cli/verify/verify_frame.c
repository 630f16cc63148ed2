// How: the library describes the module as JSON, with open sizes by name; of a
// program file the same is made from what it takes; the
// shapes to ask for are those of the case's files.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verify/verifying.h"

struct verify_frame {
  json_t *root;
  const json_t *entries;
};

static json_t *describe_input(const tenon_io *io) {
  json_t *shape = json_array();
  for (int i = 0; i < io->rank; ++i)
    (void)json_array_append_new(shape, json_integer(io->dims[i]));
  return json_pack("{s:s, s:o}", "name", io->name, "shape", shape);
}

static json_t *describe_entry(const tenon_program *p, int entry) {
  size_t n = 0;
  tenon_io *io = cli_io_list(p, entry, TENON_IO_INPUTS, &n);
  json_t *inputs = json_array();
  for (size_t i = 0; io && i < n; ++i)
    (void)json_array_append_new(inputs, describe_input(&io[i]));
  json_t *all = json_pack("{s:s, s:o}", "name",
                          tenon_program_entry_name(p, entry), "inputs", inputs);
  if (io && json_array_size(inputs) == n) {
    free(io);
    return all;
  }
  free(io);
  json_decref(all);
  return NULL;
}

// Of a program file, which has no module any more.
static int frame_read_program(cli *c, cli_model *model,
                              struct verify_frame *f) {
  tenon_program *p = NULL;
  int code = cli_model_compile(c, model, NULL, 0, &p);
  if (code) return code;
  size_t n = tenon_program_entries(p);
  json_t *entries = json_array();
  for (size_t i = 0; i < n; ++i)
    (void)json_array_append_new(entries, describe_entry(p, (int)i));
  f->root = json_pack("{s:o}", "entries", entries);
  f->entries = json_object_get(f->root, "entries");
  tenon_program_destroy(p);
  return json_array_size(f->entries) == n ? 0 : CLI_NO_MEMORY;
}

int verify_frame_read(cli *c, cli_model *model, struct verify_frame **out) {
  struct verify_frame *f = (struct verify_frame *)calloc(1, sizeof *f);
  tenon_module *m = NULL;
  tenon_buf text = {0};
  *out = f;
  if (!f) return CLI_NO_MEMORY;
  if (tenon_program_is_saved(model->file.data, model->file.size))
    return frame_read_program(c, model, f);
  int code = cli_model_read(c, model, &m);
  if (code == 0)
    code =
        cli_exit(tenon_module_info(m, TENON_FORMAT_JSON, cli_collect, &text));
  if (code == 0) {
    f->root = json_loadb(text.data, text.size, 0, NULL);
    f->entries = json_object_get(f->root, "entries");
    if (!f->entries) code = CLI_NO_MEMORY;
  }
  tenon_module_destroy(m);
  tenon_buf_deinit(&text);
  return code;
}

void verify_frame_free(struct verify_frame *frame) {
  if (!frame) return;
  json_decref(frame->root);
  free(frame);
}

size_t verify_frame_count(const struct verify_frame *frame) {
  return json_array_size(frame->entries);
}

const char *verify_frame_name(const struct verify_frame *frame, size_t entry) {
  return json_string_value(
      json_object_get(json_array_get(frame->entries, entry), "name"));
}

int verify_frame_find(const struct verify_frame *frame, const char *name,
                      size_t size) {
  for (size_t i = 0; i < verify_frame_count(frame); ++i) {
    const char *other = verify_frame_name(frame, i);
    if (other && strlen(other) == size && memcmp(other, name, size) == 0)
      return (int)i;
  }
  return -1;
}

static bool frame_is_open(const json_t *shape) {
  for (size_t i = 0; i < json_array_size(shape); ++i)
    if (!json_is_integer(json_array_get(shape, i))) return true;
  return false;
}

// The shape of the file that the case has for an input; false: it has none.
static bool file_shape(verify_suite *s, const verify_case *v, const char *name,
                       size_t i, size_t at, cli_tensor *out, int *code) {
  const char *given = verify_given(s->c, name, i);
  char *path = given ? strdup(given) : verify_file(v, "in", 2, at);
  bool ok = path && cli_ends_with(path, ".npy") && cli_is_file(path);
  *code = path ? 0 : CLI_NO_MEMORY;
  if (ok && !cli_npy_read(s->c, path, out)) {
    *code = TENON_BAD_INPUT;
    ok = false;
  }
  free(path);
  return ok;
}

static bool add_request(const json_t *input, const char *name,
                        const cli_tensor *t, cli_list *out) {
  tenon_buf text = {0};
  const char *dtype = json_string_value(json_object_get(input, "dtype"));
  // Pairs of floats where the model has complex numbers.
  bool is_complex = dtype && dtype[0] == 'c' && t->view.dtype != TENON_C64 &&
                    t->view.dtype != TENON_C128;
  int rank = t->view.rank - (is_complex && t->view.rank > 0);
  tenon_put(&text, "$=", name);
  for (int i = 0; i < rank; ++i)
    tenon_put(&text, "$$", i ? "x" : "", t->dims[i]);
  bool ok = !text.failed && cli_list_push(out, text.data);
  if (!ok) tenon_buf_deinit(&text);
  return ok;
}

int verify_frame_requests(verify_suite *s, const verify_case *v,
                          cli_list *out) {
  int entry = verify_frame_find(s->frame, v->entry_name, strlen(v->entry_name));
  const json_t *inputs = json_object_get(
      json_array_get(s->frame->entries, (size_t)entry), "inputs");
  size_t n = json_array_size(inputs);
  size_t *files = (size_t *)calloc(n + 1, sizeof *files);
  int code = files ? 0 : CLI_NO_MEMORY;
  // What does not go together is told when the case is read.
  if (files) (void)verify_meta_positions(s->meta, v->k, "inputs", n, files);
  for (size_t i = 0; code == 0 && i < n; ++i) {
    const json_t *input = json_array_get(inputs, i);
    const char *name = json_string_value(json_object_get(input, "name"));
    cli_tensor t = {0};
    if (!name || !frame_is_open(json_object_get(input, "shape"))) continue;
    if (file_shape(s, v, name, i, files[i], &t, &code) &&
        !add_request(input, name, &t, out))
      code = CLI_NO_MEMORY;
    cli_tensor_free(&t);
  }
  free(files);
  return code;
}
