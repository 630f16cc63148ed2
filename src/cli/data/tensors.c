// How: inputs come as files, as values or at random; what a file holds is
// compared with what the program wants before anything runs.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/data/npz.h"

static void input_print_shape(char *out, size_t size, const int32_t *dims,
                              int rank) {
  size_t at = (size_t)snprintf(out, size, "[");
  for (int i = 0; i < rank && at < size; ++i)
    at += (size_t)snprintf(out + at, size - at, "%s%d", i ? "," : "",
                           (int)dims[i]);
  if (at < size) snprintf(out + at, size - at, "]");
}

// Element types that NumPy lacks are stored as bits of the same width.
static bool is_stored_as(tenon_dtype want, tenon_dtype got) {
  if (want == TENON_BF16) return got == TENON_U16;
  bool is_float8 = want >= TENON_F8E4M3FN && want <= TENON_F8E8M0FNU;
  return is_float8 && got == TENON_U8;
}

// Pairs of floats are complex numbers without the last dimension.
static void take_pairs(cli_tensor *t, tenon_dtype want) {
  bool fits = (want == TENON_C64 && t->view.dtype == TENON_F32) ||
              (want == TENON_C128 && t->view.dtype == TENON_F64);
  if (!fits || t->view.rank == 0 || t->dims[t->view.rank - 1] != 2) return;
  --t->view.rank;
  t->view.dtype = want;
}

bool cli_tensor_fit(cli *c, cli_tensor *t, const tenon_io *io) {
  char got[128];
  if (is_stored_as(io->dtype, t->view.dtype)) t->view.dtype = io->dtype;
  take_pairs(t, io->dtype);
  if (t->view.dtype != io->dtype) {
    (void)cli_fail(c, TENON_BAD_INPUT, "cli-input",
                   "'%s': expected element type %s, found %s", io->name,
                   cli_dtype_name(io->dtype), cli_dtype_name(t->view.dtype));
    return false;
  }
  bool same = t->view.rank == io->rank;
  for (int i = 0; same && i < io->rank; ++i)
    same = io->dims[i] < 0 || io->dims[i] == t->dims[i];
  if (same) return true;
  input_print_shape(got, sizeof got, t->dims, t->view.rank);
  (void)cli_fail(c, TENON_BAD_INPUT, "cli-input",
                 "'%s': expected shape %s, found %s", io->name, io->shape, got);
  return false;
}

bool cli_io_is_open(const tenon_io *io) {
  for (int i = 0; i < io->rank; ++i)
    if (io->dims[i] < 0) return true;
  return false;
}

static bool parse_raw(cli *c, const char *path, const tenon_io *io,
                      cli_tensor *out) {
  tenon_buf b;
  if (io->dtype == TENON_STR) {
    (void)cli_fail(c, TENON_BAD_INPUT, "cli-input",
                   "'%s': raw bytes do not say where strings end: give a .npy "
                   "or a list",
                   io->name);
    return false;
  }
  if (cli_io_is_open(io)) {
    (void)cli_fail(c, TENON_BAD_INPUT, "cli-input",
                   "'%s': raw bytes do not say sizes that are open: fix them "
                   "with --shape, --dim or --batch",
                   io->name);
    return false;
  }
  if (!cli_read_file(c, path, &b)) return false;
  bool ok = cli_tensor_make(out, io->dtype, io->dims, io->rank);
  if (ok && b.size != out->size) {
    (void)cli_fail(c, TENON_BAD_INPUT, "cli-input",
                   "'%s': expected %zu bytes, '%s' has %zu", io->name,
                   out->size, path, b.size);
    cli_tensor_free(out);
    ok = false;
  } else if (ok && b.size) {
    memcpy(out->memory, b.data, b.size);
  }
  tenon_buf_deinit(&b);
  return ok;
}

// A value has no slash, and no letters behind a dot but those of a number.
bool cli_is_path(const char *text) {
  static const char *const suffixes[] = {".npz", ".npy", ".bin", ".raw",
                                         ".pt",  ".txt", ".csv", ".png",
                                         ".jpg", ".wav", ".json"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i)
    if (cli_ends_with(text, suffixes[i])) return true;
  return strchr(text, '/') != NULL;
}

static bool refuse_file(cli *c, const char *text, const tenon_io *io) {
  tenon_buf b;
  if (!cli_read_file(c, text, &b)) return false;  // it is not there
  tenon_buf_deinit(&b);
  (void)cli_fail(c, TENON_BAD_INPUT, "cli-input",
                 "'%s': expected a .npy, a .npz or a .bin, found '%s'",
                 io->name, text);
  return false;
}

bool cli_tensor_parse(cli *c, const char *text, const tenon_io *io,
                      cli_tensor *out) {
  bool ok = false;
  memset(out, 0, sizeof *out);
  if (io->dtype == TENON_STR && (*text == '"' || *text == '['))
    return cli_literal_parse(c, text, io, out);  // whatever is within
  if (cli_ends_with(text, ".npz"))
    ok = cli_npz_read(c, text, io->name, out);
  else if (cli_ends_with(text, ".npy"))
    ok = cli_npy_read(c, text, out);
  else if (cli_ends_with(text, ".bin"))
    return parse_raw(c, text, io, out);
  else if (cli_is_path(text) || cli_is_file(text))
    return refuse_file(c, text, io);
  else
    return cli_literal_parse(c, text, io, out);
  if (ok && !cli_tensor_fit(c, out, io)) {
    cli_tensor_free(out);
    ok = false;
  }
  return ok;
}

// --- all inputs of an entry -------------------------------------------------

typedef struct inputs {
  cli *c;
  const tenon_io *io;
  size_t n;
  const char **text;  // per input; null: not given
  size_t next;        // the first that no name was given for
} inputs;

static int input_find_input(const inputs *in, const char *name, size_t size) {
  for (size_t i = 0; i < in->n; ++i)
    if (strlen(in->io[i].name) == size &&
        memcmp(in->io[i].name, name, size) == 0)
      return (int)i;
  char *end = NULL;
  long index = strtol(name, &end, 10);
  if (end == name + size && index >= 0 && (size_t)index < in->n)
    return (int)index;
  return -1;
}

static int no_input(const inputs *in, const char *name, size_t size) {
  tenon_labels names = {.size = 0};
  for (size_t k = 0; k < in->n; ++k)
    tenon_labels_add(&names, in->io[k].name);
  return cli_fail(in->c, CLI_USAGE, "cli-input",
                  "no input '%.*s'; there are %s", (int)size, name,
                  tenon_labels_text(&names));
}

static int assign(inputs *in, const char *text) {
  const char *equals = strchr(text, '=');
  int i = equals ? input_find_input(in, text, (size_t)(equals - text)) : -1;
  if (i < 0 && equals && !cli_is_file(text))
    return no_input(in, text, (size_t)(equals - text));
  if (i < 0) {
    while (in->next < in->n && in->text[in->next])
      ++in->next;
    if (in->next >= in->n)
      return cli_fail(in->c, CLI_USAGE, "cli-input",
                      "too many inputs: the entry has %zu", in->n);
    i = (int)in->next;
    equals = NULL;
  }
  if (in->text[i])
    return cli_fail(in->c, CLI_USAGE, "cli-input", "input '%s' is given twice",
                    in->io[i].name);
  in->text[i] = equals ? equals + 1 : text;
  return 0;
}

// Each range must be of an input that is drawn.
static int check_ranges(const inputs *in) {
  const cli *c = in->c;
  for (size_t i = 0; i < c->random_ranges.count; ++i) {
    const char *text = c->random_ranges.data[i], *equals = strchr(text, '=');
    int at = equals ? input_find_input(in, text, (size_t)(equals - text)) : 0;
    if (at < 0) return no_input(in, text, (size_t)(equals - text));
    if (!c->has_random)
      return cli_fail(in->c, CLI_USAGE, "cli-usage",
                      "'--random-range' says what '--random SEED' draws from");
    if (equals && in->text[at])
      return cli_fail(in->c, CLI_USAGE, "cli-input",
                      "input '%s' is given and drawn from a range",
                      in->io[at].name);
  }
  return 0;
}

// What --random-range says of an input: of it by name, else of all integers;
// the last of several. Null: nothing.
static const char *input_range_of(const inputs *in, size_t i) {
  const char *own = NULL, *all = NULL;
  for (size_t k = 0; k < in->c->random_ranges.count; ++k) {
    const char *text = in->c->random_ranges.data[k];
    const char *equals = strchr(text, '=');
    if (!equals) all = text;
    if (equals && input_find_input(in, text, (size_t)(equals - text)) == (int)i)
      own = equals + 1;
  }
  return own || !cli_random_is_integer(in->io[i].dtype) ? own : all;
}

static int input_fill(inputs *in, cli_tensor *list) {
  cli *c = in->c;
  for (size_t i = 0; i < c->inputs.count; ++i) {
    int code = assign(in, c->inputs.data[i]);
    if (code) return code;
  }
  int ranges = check_ranges(in);
  if (ranges) return ranges;
  for (size_t i = 0; i < in->n; ++i) {
    if (in->text[i]) {
      if (!cli_tensor_parse(c, in->text[i], &in->io[i], &list[i]))
        return cli_refused(c, TENON_BAD_INPUT);
    } else if (c->has_random) {
      if (cli_io_is_open(&in->io[i]))
        return cli_fail(c, CLI_USAGE, "cli-input",
                        "input '%s' has an open size: fix it with --shape, "
                        "--dim or --batch, or give the input; it is %s",
                        in->io[i].name, in->io[i].shape);
      if (!cli_tensor_make(&list[i], in->io[i].dtype, in->io[i].dims,
                           in->io[i].rank))
        return cli_fail(c, CLI_NO_MEMORY, "memory", "out of memory");
      int code = cli_random_input(c, &in->io[i], input_range_of(in, i),
                                  (uint64_t)c->random + i, &list[i]);
      if (code) return code;
    } else {
      return cli_fail(c, CLI_USAGE, "cli-input",
                      "input '%s' is missing: give --input %s=FILE, or "
                      "--random SEED",
                      in->io[i].name, in->io[i].name);
    }
  }
  return 0;
}

typedef int64_t shape[TENON_MAX_RANK];

// A program file has its sizes open: those of this run.
static int size_inputs(cli *c, const tenon_program *p, int entry, tenon_io *io,
                       size_t n, shape *shapes) {
  cli_list said = {0};
  const char *const *list = NULL;
  bool ok = true;
  if (!c->sizes_runs || !(c->shapes.count || c->dims.count || c->batch))
    return 0;
  for (size_t i = 0; ok && i < c->shapes.count; ++i)
    ok = cli_list_push(&said, c->shapes.data[i]);
  for (size_t i = 0; ok && i < c->dims.count; ++i)
    ok = cli_list_push(&said, c->dims.data[i]);
  int code = ok && cli_list_end(&said, &list) ? 0 : CLI_NO_MEMORY;
  for (size_t i = 0; code == 0 && i < n; ++i) {
    code = cli_exit(
        tenon_program_shape(p, entry, (int)i, list, c->batch, shapes[i]));
    io[i].dims = shapes[i];
  }
  free(said.data);
  return code;
}

int cli_inputs(cli *c, const tenon_program *p, int entry, cli_tensor *list) {
  size_t n = 0;
  tenon_io *io = cli_io_list(p, entry, TENON_IO_INPUTS, &n);
  const char **text = (const char **)calloc(n + 1, sizeof *text);
  shape *shapes = (shape *)calloc(n + 1, sizeof *shapes);
  int code = CLI_NO_MEMORY;
  if (io && text && shapes) {
    inputs in = {c, io, n, text, 0};
    code = size_inputs(c, p, entry, io, n, shapes);
    if (code == 0) code = input_fill(&in, list);
  }
  free(io);
  free(text);
  free(shapes);
  return code;
}
