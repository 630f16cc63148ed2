// How: the model is emitted with its driver and runs twice on the emulated
// core: as it is, counted as one region and per function, and with a region per
// layer. The call of the end of a region is one instruction within it, which is
// taken off.
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

// "LIBRARY,begin=ADDRESS,end=ADDRESS[,dump=FILE]"; commas of paths are doubled.
static void put_path(tenon_buf *b, const tenon_put_value *v) {
  for (const char *p = (const char *)v->as.p; *p; ++p)
    tenon_buf_text(b, (char[]){*p, *p == ',' ? ',' : 0, 0});
}
TENON_PUT_AS(path, const char *, p, put_path)

static int add_plugin(cli *c, const char *library, const char *program,
                      const char *dump, tenon_buf *plugin) {
  cli_image image;
  int code = cli_image_read(c, program, &image);
  const cli_symbol *begin = cli_image_find(&image, "mcu_begin");
  const cli_symbol *end = cli_image_find(&image, "mcu_end");
  if (code == 0 && (!begin || !end))
    code = cli_fail(c, TENON_BUG, "machine-image",
                    "there is no region to count in '%s'", program);
  if (code == 0) {
    tenon_put(plugin, "$", tenon_as_path(library));
    tenon_buf_format(plugin, ",begin=%x,end=%x", (unsigned)begin->address,
                     (unsigned)end->address);
    if (dump) tenon_put(plugin, ",dump=$", tenon_as_path(dump));
    code = plugin->failed ? CLI_NO_MEMORY : 0;
  }
  cli_image_free(&image);
  return code;
}

static int emulated_run(cli *c, const tenon_program *p, cli_build how,
                        const tenon_buf *input, bench_counts *counts) {
  cli_emitted e;
  tenon_buf plugin = {0}, output = {0}, said = {0};
  char *library = NULL, *dump = NULL;
  bool is_whole = how == CLI_BUILD_COUNTED;
  int code = cli_emitted_build(c, p, how, &e);
  if (code == 0) code = cli_machine_counter(c, e.folder, &library);
  if (code == 0 && is_whole && !(dump = cli_join(e.folder, "dump.txt")))
    code = CLI_NO_MEMORY;
  if (code == 0) code = add_plugin(c, library, e.program, dump, &plugin);
  if (code == 0)
    code = cli_machine_run(c, e.folder, e.program, plugin.data, input, &output,
                           &said);
  if (code == 0)
    code = is_whole
               ? bench_counts_run(c, said.data ? said.data : "", counts)
               : bench_counts_layers(c, said.data ? said.data : "", counts);
  if (code == 0 && is_whole)
    code = bench_counts_image(c, e.program, dump, counts);
  tenon_buf_deinit(&plugin);
  tenon_buf_deinit(&output);
  tenon_buf_deinit(&said);
  free(library);
  free(dump);
  cli_emitted_close(&e);
  return code;
}

static int emulated_add_input(cli *c, const tenon_program *p,
                              tenon_buf *input) {
  cli_call call;
  int code = cli_call_open(c, p, &call);
  if (code == 0) code = cli_call_fill(&call);
  char head[2] = {(char)call.entry, 1};
  tenon_buf_add(input, head, 2);
  for (size_t i = 0; code == 0 && i < call.n_in; ++i) {
    const cli_tensor *t = &call.in[i];
    if (cli_io_is_open(&call.in_io[i]))
      tenon_buf_add(input, t->dims, t->view.rank * sizeof *t->dims);
    tenon_buf_add(input, t->memory, t->size);
  }
  cli_call_close(&call);
  return code == 0 && input->failed ? CLI_NO_MEMORY : code;
}

// The first line of what the compiler says of itself.
static void ask_version(cli *c, tenon_buf *version) {
  cli_command k = {0};
  tenon_buf errors = {0};
  int status = 0;
  cli_machine_compiler(&k);
  cli_command_add(&k, "--version");
  if (!k.failed)
    (void)cli_run(c, (const char *const *)k.words, NULL, version, &errors,
                  &status);
  tenon_buf_char(version, 0);
  if (version->data) version->data[strcspn(version->data, "\n")] = 0;
  cli_command_free(&k);
  tenon_buf_deinit(&errors);
}

int bench_emulated(cli *c, const tenon_program *p) {
  bench_counts counts;
  tenon_buf input = {0}, version = {0};
  memset(&counts, 0, sizeof counts);
  c->has_random = true;  // as in cmd_bench.c
  int code = emulated_add_input(c, p, &input);
  if (code == 0) code = bench_counts_plan(p, &counts);
  cli_progress(c, "emitting, compiling and running C on the emulated core");
  if (code == 0) code = emulated_run(c, p, CLI_BUILD_COUNTED, &input, &counts);
  if (code == 0) code = emulated_run(c, p, CLI_BUILD_LAYERS, &input, &counts);
  if (code == 0 && !bench_counts_kernels(&counts)) code = CLI_NO_MEMORY;
  if (code == 0) ask_version(c, &version);
  if (code == 0)
    bench_counts_report(c, &counts, version.data ? version.data : "");
  tenon_buf_deinit(&input);
  tenon_buf_deinit(&version);
  bench_counts_free(&counts);
  return code;
}
