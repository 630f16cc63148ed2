// How: layers come from the plan; instructions from lines that the counter and
// the program said in turn ("region 3 instructions 512", "step 2"); sizes and
// instructions of functions from the image and the counter's dump, by address.
// A kernel that is called once may be inlined into its step, or into what steps
// call it by, so these functions count for the kernel.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

static const char model_c[] = "verified.c", driver_c[] = "verified_driver.c";

static uint64_t natural(const json_t *o, const char *key) {
  return (uint64_t)json_integer_value(json_object_get(o, key));
}

static char *text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return strdup(s ? s : "");
}

// Bytes of a step's constants, as they were or packed.
static uint64_t counts_constants_of(const json_t *step) {
  uint64_t sum = natural(step, "packed");
  const json_t *in = NULL;
  size_t i = 0;
  json_array_foreach(json_object_get(step, "in"), i, in) {
    const char *memory = json_string_value(json_object_get(in, "memory"));
    if (memory && strcmp(memory, "constant") == 0) sum += natural(in, "bytes");
  }
  return sum;
}

int bench_counts_plan(const tenon_program *p, bench_counts *out) {
  tenon_buf b = {0};
  json_t *plan = NULL, *step = NULL;
  size_t i = 0;
  if (tenon_program_print(p, TENON_FORMAT_JSON, 0, cli_collect, &b) == TENON_OK)
    plan = json_loadb(b.data, b.size, 0, NULL);
  json_t *steps = json_object_get(plan, "steps");
  size_t n = json_array_size(steps);
  out->layers = (bench_layer *)calloc(n + 1, sizeof *out->layers);
  bool ok = plan && out->layers;
  json_array_foreach(steps, i, step) {
    size_t at = (size_t)natural(step, "index");
    if (!ok || at >= n) continue;
    bench_layer *l = &out->layers[at];
    l->op = text(step, "op");
    l->kernel = text(step, "kernel");
    l->where = text(step, "place");
    l->macs = natural(step, "macs");
    l->constants = counts_constants_of(step);
    ok = l->op && l->kernel && l->where;
  }
  out->n_layers = ok ? n : 0;
  json_decref(plan);
  tenon_buf_deinit(&b);
  return ok ? 0 : CLI_NO_MEMORY;
}

// --- what was said ----------------------------------------------------------

// The number behind `key` at the beginning of a line.
static bool line_has(const char *line, const char *key, uint64_t *value) {
  size_t n = strlen(key);
  if (strncmp(line, key, n) != 0) return false;
  *value = strtoull(line + n, NULL, 10);
  return true;
}

// "region N instructions COUNT", without the call of its end.
static bool region(const char *line, uint64_t *count) {
  const char *found = strstr(line, " instructions ");
  size_t n = strcspn(line, "\n");
  if (strncmp(line, "region ", 7) != 0 || !found || found > line + n)
    return false;
  *count = strtoull(found + strlen(" instructions "), NULL, 10);
  if (*count) --*count;
  return true;
}

static const char *next_line(const char *line) {
  line += strcspn(line, "\n");
  return line + (*line == '\n');
}

static int fail_said(cli *c, const char *said) {
  return cli_fail(c, TENON_UNSUPPORTED, "machine-counter",
                  "the counter of instructions said nothing: it needs QEMU's "
                  "plugins as version 7.2 has them; '%.300s'",
                  said);
}

int bench_counts_run(cli *c, const char *said, bench_counts *out) {
  bool counted = false, measured = false;
  for (const char *line = said; *line; line = next_line(line)) {
    counted = region(line, &out->instructions) || counted;
    measured = line_has(line, "stack ", &out->stack) || measured;
  }
  return counted && measured ? 0 : fail_said(c, said);
}

int bench_counts_layers(cli *c, const char *said, bench_counts *out) {
  uint64_t count = 0, step = 0;
  bool counted = false;
  for (const char *line = said; *line; line = next_line(line)) {
    counted = region(line, &count) || counted;
    if (!line_has(line, "step ", &step) || step >= out->n_layers) continue;
    out->layers[step].instructions += count;
    ++out->layers[step].runs;
  }
  return counted ? 0 : fail_said(c, said);
}

// --- sizes and functions ----------------------------------------------------

// The model's own; functions that others call are not static.
static bool is_of_model(const cli_symbol *s) {
  return strcmp(s->file, model_c) == 0 ||
         (!s->file[0] && strncmp(s->name, "verified_", 9) == 0);
}

static void counts_add_sizes(const cli_symbol *s, bench_counts *out) {
  bool is_driver = strcmp(s->file, driver_c) == 0;
  if (s->kind == CLI_SYMBOL_DATA && (is_driver || is_of_model(s)))
    out->ram += s->size;
  if (!is_of_model(s)) return;
  if (s->kind == CLI_SYMBOL_CODE) out->code += s->size;
  if (s->kind == CLI_SYMBOL_CONSTANT) out->constants += s->size;
}

static bool keep_functions(const uint64_t *counts, bench_counts *out) {
  const cli_image *image = &out->image;
  out->functions =
      (bench_function *)calloc(image->count + 1, sizeof *out->functions);
  if (!out->functions) return false;
  for (size_t i = 0; i < image->count; ++i) {
    const cli_symbol *s = &image->symbols[i];
    counts_add_sizes(s, out);
    if (s->kind != CLI_SYMBOL_CODE) continue;
    if (counts[i] == 0 && !is_of_model(s)) continue;
    out->functions[out->n_functions++] =
        (bench_function){s->name, is_of_model(s), s->size, counts[i]};
  }
  return true;
}

int bench_counts_image(cli *c, const char *image, const char *dump,
                       bench_counts *out) {
  tenon_buf lines = {0};
  int code = cli_image_read(c, image, &out->image);
  if (code == 0 && !cli_read_file(c, dump, &lines)) code = TENON_IO;
  uint64_t *counts = (uint64_t *)calloc(out->image.count + 1, sizeof *counts);
  if (code == 0 && !counts) code = CLI_NO_MEMORY;
  for (const char *line = lines.data; code == 0 && *line;
       line = next_line(line)) {
    char *end = NULL;
    uint32_t address = (uint32_t)strtoul(line, &end, 16);
    if (strncmp(line, "region", 6) == 0 || end == line) continue;
    const cli_symbol *s = cli_image_at(&out->image, address);
    if (s) counts[s - out->image.symbols] += strtoull(end, NULL, 10);
  }
  if (code == 0 && !keep_functions(counts, out)) code = CLI_NO_MEMORY;
  free(counts);
  tenon_buf_deinit(&lines);
  return code;
}

// --- kernels ----------------------------------------------------------------

static bench_kernel_sum *kernel_of(bench_counts *out, const char *name,
                                   size_t n) {
  for (size_t i = 0; i < out->n_kernels; ++i)
    if (strlen(out->kernels[i].name) == n &&
        memcmp(out->kernels[i].name, name, n) == 0)
      return &out->kernels[i];
  return NULL;
}

// "tenon_k_conv.constprop.0" is of "tenon_k_conv", and so is
// "verified_call0_tenon_k_conv", "verified_step3" of the kernel of layer 3.
static bench_kernel_sum *owner_of(bench_counts *out, const bench_function *f) {
  static const char step[] = "verified_step", call[] = "verified_call";
  size_t n = strcspn(f->name, ".");
  if (!f->is_model) return NULL;
  if (strncmp(f->name, step, strlen(step)) == 0) {
    char *end = NULL;
    size_t i = (size_t)strtoul(f->name + strlen(step), &end, 10);
    if (end == f->name + n && i < out->n_layers)
      return kernel_of(out, out->layers[i].kernel,
                       strlen(out->layers[i].kernel));
  }
  const char *name = f->name;
  if (strncmp(name, call, strlen(call)) == 0) {
    name += strlen(call);
    name += strspn(name, "0123456789");
    if (*name == '_') ++name;
  }
  return kernel_of(out, name, n - (size_t)(name - f->name));
}

bool bench_counts_kernels(bench_counts *out) {
  out->kernels =
      (bench_kernel_sum *)calloc(out->n_layers + 1, sizeof *out->kernels);
  if (!out->kernels) return false;
  for (size_t i = 0; i < out->n_layers; ++i) {
    const bench_layer *l = &out->layers[i];
    if (!l->kernel) continue;
    bench_kernel_sum *k = kernel_of(out, l->kernel, strlen(l->kernel));
    if (!k) {
      k = &out->kernels[out->n_kernels++];
      k->name = l->kernel;
    }
    ++k->layers;
    k->macs += l->macs;
    k->instructions += l->instructions;
    k->constants += l->constants;
  }
  for (size_t i = 0; i < out->n_functions; ++i) {
    bench_kernel_sum *k = owner_of(out, &out->functions[i]);
    if (k) k->code += out->functions[i].code;
  }
  return true;
}

void bench_counts_free(bench_counts *counts) {
  for (size_t i = 0; i < counts->n_layers; ++i) {
    free(counts->layers[i].op);
    free(counts->layers[i].kernel);
    free(counts->layers[i].where);
  }
  free(counts->layers);
  free(counts->kernels);
  free(counts->functions);
  cli_image_free(&counts->image);
  memset(counts, 0, sizeof *counts);
}
