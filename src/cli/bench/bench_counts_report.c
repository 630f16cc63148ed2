// How: three tables, of layers, kernels and functions; as JSON the same with
// all functions. docs/cli.md has the document.

#include "cli/bench/bench.h"

enum { VERSION = 1, MOST_FUNCTIONS = 12 };

static double per_mac(uint64_t instructions, uint64_t macs) {
  return macs ? (double)instructions / (double)macs : 0;
}

static unsigned long long counts_table_number(uint64_t n) {
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
               counts_table_number(l->instructions),
               per_mac(l->instructions, l->macs), counts_table_number(l->macs),
               counts_table_number(l->constants), l->op, l->kernel);
  }
}

static void text_kernels(cli *c, const bench_counts *b) {
  uint64_t code = b->code;
  cli_printf(c, "\n%12s %7s %6s %8s %6s  %s\n", "instructions", "per MAC",
             "code", "const", "layers", "kernel");
  for (size_t i = 0; i < b->n_kernels; ++i) {
    const bench_kernel_sum *k = &b->kernels[i];
    cli_printf(c, "%12llu %7.2f %6llu %8llu %6zu  %s\n",
               counts_table_number(k->instructions),
               per_mac(k->instructions, k->macs), counts_table_number(k->code),
               counts_table_number(k->constants), k->layers, k->name);
    code -= k->code;
  }
  cli_printf(c, "%12s %7s %6llu %8s %6s  what they share\n", "", "",
             counts_table_number(code), "", "");
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
        cli_printf(c, "%12llu %6u  %s\n", counts_table_number(most),
                   b->functions[i].code, b->functions[i].name);
    below = most;
  }
}

static void text_report(cli *c, const bench_counts *b, uint64_t macs,
                        const char *compiler) {
  cli_put(c, "target        $, emulated as $ ($)\ncompiler      $, -O2$$\n",
          c->target, c->machine->core, c->machine->board, compiler,
          c->cflags ? " " : "", c->cflags ? c->cflags : "");
  cli_printf(c, "instructions  %llu a run, %.2f per MAC\n",
             counts_table_number(b->instructions),
             per_mac(b->instructions, macs));
  cli_printf(c, "code          %llu bytes\nconstants     %llu bytes\n",
             counts_table_number(b->code), counts_table_number(b->constants));
  cli_printf(c, "RAM           %llu bytes, and %llu of stack\n",
             counts_table_number(b->ram), counts_table_number(b->stack));
  text_layers(c, b);
  text_kernels(c, b);
  text_functions(c, b);
}

// --- as JSON ----------------------------------------------------------------

static void json_layers(cli *c, const bench_counts *b) {
  const char *before = "";
  cli_printf(c, ",\n  \"layers\": [");
  for (size_t i = 0; i < b->n_layers; ++i) {
    const bench_layer *l = &b->layers[i];
    if (!l->op) continue;
    cli_put_json(c,
                 "$\n    {'step': $, 'op': $, 'kernel': $, 'place': $, 'runs': "
                 "$, 'instructions': $, 'macs': $, 'constants': $}",
                 tenon_as_plain(before), i, l->op, l->kernel, l->where, l->runs,
                 l->instructions, l->macs, l->constants);
    before = ",";
  }
  cli_printf(c, "]");
}

static void json_kernels(cli *c, const bench_counts *b) {
  cli_printf(c, ",\n  \"kernels\": [");
  for (size_t i = 0; i < b->n_kernels; ++i) {
    const bench_kernel_sum *k = &b->kernels[i];
    cli_put_json(c,
                 "$\n    {'kernel': $, 'layers': $, 'instructions': $, "
                 "'macs': $, 'code': $, 'constants': $}",
                 tenon_as_plain(i ? "," : ""), k->name, k->layers,
                 k->instructions, k->macs, k->code, k->constants);
  }
  cli_printf(c, "]");
}

static void json_functions(cli *c, const bench_counts *b) {
  cli_printf(c, ",\n  \"functions\": [");
  for (size_t i = 0; i < b->n_functions; ++i) {
    const bench_function *f = &b->functions[i];
    cli_put_json(
        c, "$\n    {'function': $, 'model': $, 'code': $, 'instructions': $}",
        tenon_as_plain(i ? "," : ""), f->name, f->is_model, f->code,
        f->instructions);
  }
  cli_printf(c, "]");
}

static void json_report(cli *c, const bench_counts *b, uint64_t macs,
                        const char *compiler) {
  cli_put_json(c,
               "{'version': $, 'target': $, 'core': $, 'board': $,\n  "
               "'compiler': $, 'cflags': $,\n  'instructions': $, 'macs': $, "
               "'code': $, 'constants': $, 'ram': $, 'stack': $",
               VERSION, c->target, c->machine->core, c->machine->board,
               compiler, c->cflags ? c->cflags : "", b->instructions, macs,
               b->code, b->constants, b->ram, b->stack);
  json_layers(c, b);
  json_kernels(c, b);
  json_functions(c, b);
  cli_printf(c, "}");
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
