// How: three tables, of layers, kernels and functions; as JSON the same with
// all functions. docs/cli.md has the document.
#include <string.h>

#include "cli/bench/bench.h"

enum { VERSION = 1, MOST_FUNCTIONS = 12 };

static double per_mac(uint64_t instructions, uint64_t macs) {
  return macs ? (double)instructions / (double)macs : 0;
}

static unsigned long long number(uint64_t n) {
  return (unsigned long long)n;
}

// --- for people -------------------------------------------------------------

static void text_layers(cli *c, const bench_counts *b) {
  cli_printf(c, "\n%12s %7s %11s %8s  %-22s %s\n", "instructions", "per MAC",
             "MACs", "const", "operator", "kernel");
  for (size_t i = 0; i < b->n_layers; ++i) {
    const bench_layer *l = &b->layers[i];
    if (!l->op) continue;
    cli_printf(c, "%12llu %7.2f %11llu %8llu  %-22s %s\n",
               number(l->instructions), per_mac(l->instructions, l->macs),
               number(l->macs), number(l->constants), l->op, l->kernel);
  }
}

static void text_kernels(cli *c, const bench_counts *b) {
  uint64_t code = b->code;
  cli_printf(c, "\n%12s %7s %6s %8s %6s  %s\n", "instructions", "per MAC",
             "code", "const", "layers", "kernel");
  for (size_t i = 0; i < b->n_kernels; ++i) {
    const bench_kernel_sum *k = &b->kernels[i];
    cli_printf(c, "%12llu %7.2f %6llu %8llu %6zu  %s\n",
               number(k->instructions), per_mac(k->instructions, k->macs),
               number(k->code), number(k->constants), k->layers, k->name);
    code -= k->code;
  }
  cli_printf(c, "%12s %7s %6llu %8s %6s  what they share\n", "", "",
             number(code), "", "");
}

// Those that took most; the rest is in --json.
static void text_functions(cli *c, const bench_counts *b) {
  uint64_t below = UINT64_MAX;
  cli_printf(c, "\n%12s %6s  %s\n", "instructions", "code", "function");
  for (int shown = 0; shown < MOST_FUNCTIONS;) {
    uint64_t most = 0;
    for (size_t i = 0; i < b->n_functions; ++i)
      if (b->functions[i].instructions < below &&
          b->functions[i].instructions > most)
        most = b->functions[i].instructions;
    if (most == 0) break;
    for (size_t i = 0; i < b->n_functions; ++i)
      if (b->functions[i].instructions == most && shown++ < MOST_FUNCTIONS)
        cli_printf(c, "%12llu %6u  %s\n", number(most), b->functions[i].code,
                   b->functions[i].name);
    below = most;
  }
}

static void text_report(cli *c, const bench_counts *b, uint64_t macs,
                        const char *compiler) {
  cli_printf(c, "target        %s, emulated as %s (%s)\n", c->target,
             c->machine->core, c->machine->board);
  cli_printf(c, "compiler      %s, -O2%s%s\n", compiler, c->cflags ? " " : "",
             c->cflags ? c->cflags : "");
  cli_printf(c, "instructions  %llu a run, %.2f per MAC\n",
             number(b->instructions), per_mac(b->instructions, macs));
  cli_printf(c, "code          %llu bytes\nconstants     %llu bytes\n",
             number(b->code), number(b->constants));
  cli_printf(c, "RAM           %llu bytes, and %llu of stack\n", number(b->ram),
             number(b->stack));
  text_layers(c, b);
  text_kernels(c, b);
  text_functions(c, b);
}

// --- as JSON ----------------------------------------------------------------

static void add_key(cli_bytes *out, const char *key, const char *value) {
  (void)cli_bytes_format(out, "\"%s\": ", key);
  (void)cli_bytes_json(out, value);
}

static void json_layers(const bench_counts *b, cli_bytes *out) {
  const char *before = "\n    {";
  (void)cli_bytes_format(out, ",\n  \"layers\": [");
  for (size_t i = 0; i < b->n_layers; ++i) {
    const bench_layer *l = &b->layers[i];
    if (!l->op) continue;
    (void)cli_bytes_format(out, "%s\"step\": %zu, ", before, i);
    add_key(out, "op", l->op);
    (void)cli_bytes_format(out, ", ");
    add_key(out, "kernel", l->kernel);
    (void)cli_bytes_format(out, ", ");
    add_key(out, "place", l->where);
    (void)cli_bytes_format(out,
                           ", \"runs\": %zu, \"instructions\": %llu, "
                           "\"macs\": %llu, \"constants\": %llu}",
                           l->runs, number(l->instructions), number(l->macs),
                           number(l->constants));
    before = ",\n    {";
  }
  (void)cli_bytes_format(out, "]");
}

static void json_kernels(const bench_counts *b, cli_bytes *out) {
  (void)cli_bytes_format(out, ",\n  \"kernels\": [");
  for (size_t i = 0; i < b->n_kernels; ++i) {
    const bench_kernel_sum *k = &b->kernels[i];
    (void)cli_bytes_format(out, i ? ",\n    {" : "\n    {");
    add_key(out, "kernel", k->name);
    (void)cli_bytes_format(out,
                           ", \"layers\": %zu, \"instructions\": %llu, "
                           "\"macs\": %llu, \"code\": %llu, \"constants\": "
                           "%llu}",
                           k->layers, number(k->instructions), number(k->macs),
                           number(k->code), number(k->constants));
  }
  (void)cli_bytes_format(out, "]");
}

static void json_functions(const bench_counts *b, cli_bytes *out) {
  (void)cli_bytes_format(out, ",\n  \"functions\": [");
  for (size_t i = 0; i < b->n_functions; ++i) {
    const bench_function *f = &b->functions[i];
    (void)cli_bytes_format(out, i ? ",\n    {" : "\n    {");
    add_key(out, "function", f->name);
    (void)cli_bytes_format(
        out, ", \"model\": %s, \"code\": %u, \"instructions\": %llu}",
        f->is_model ? "true" : "false", f->code, number(f->instructions));
  }
  (void)cli_bytes_format(out, "]");
}

static void json_report(cli *c, const bench_counts *b, uint64_t macs,
                        const char *compiler) {
  cli_bytes out = {0};
  (void)cli_bytes_format(&out, "{\"version\": %d, ", VERSION);
  add_key(&out, "target", c->target);
  (void)cli_bytes_format(&out, ", ");
  add_key(&out, "core", c->machine->core);
  (void)cli_bytes_format(&out, ", ");
  add_key(&out, "board", c->machine->board);
  (void)cli_bytes_format(&out, ",\n  ");
  add_key(&out, "compiler", compiler);
  (void)cli_bytes_format(&out, ", ");
  add_key(&out, "cflags", c->cflags ? c->cflags : "");
  (void)cli_bytes_format(
      &out,
      ",\n  \"instructions\": %llu, \"macs\": %llu, \"code\": %llu, "
      "\"constants\": %llu, \"ram\": %llu, \"stack\": %llu",
      number(b->instructions), number(macs), number(b->code),
      number(b->constants), number(b->ram), number(b->stack));
  json_layers(b, &out);
  json_kernels(b, &out);
  json_functions(b, &out);
  if (cli_bytes_format(&out, "}")) (void)cli_write(c, NULL, out.data, out.size);
  cli_bytes_free(&out);
}

void bench_counts_report(cli *c, const bench_counts *b, const char *compiler) {
  uint64_t macs = 0;
  for (size_t i = 0; i < b->n_layers; ++i)
    macs += b->layers[i].macs;
  if (c->json)
    json_report(c, b, macs, compiler);
  else
    text_report(c, b, macs, compiler);
}
