// How: the model is emitted with its driver and runs twice on the emulated
// core: as it is, counted as one region and per function, and with a region per
// layer. The call of the end of a region is one instruction within it, which is
// taken off.
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

// "LIBRARY,begin=ADDRESS,end=ADDRESS[,dump=FILE]"; commas of paths are doubled.
static bool add_path(cli_bytes *b, const char *path) {
  bool ok = true;
  for (const char *p = path; ok && *p; ++p)
    ok = cli_bytes_add(b, p, 1) && (*p != ',' || cli_bytes_add(b, p, 1));
  return ok;
}

static int add_plugin(cli *c, const char *library, const char *program,
                      const char *dump, cli_bytes *plugin) {
  cli_image image;
  int code = cli_image_read(c, program, &image);
  const cli_symbol *begin = cli_image_find(&image, "mcu_begin");
  const cli_symbol *end = cli_image_find(&image, "mcu_end");
  if (code == 0 && (!begin || !end))
    code = cli_fail(c, TENON_BUG, "machine-image",
                    "there is no region to count in '%s'", program);
  if (code == 0) {
    bool ok =
        add_path(plugin, library) &&
        cli_bytes_format(plugin, ",begin=%x,end=%x", (unsigned)begin->address,
                         (unsigned)end->address);
    if (ok && dump)
      ok = cli_bytes_format(plugin, ",dump=") && add_path(plugin, dump);
    code = ok ? 0 : CLI_NO_MEMORY;
  }
  cli_image_free(&image);
  return code;
}

static int emulated_run(cli *c, const tenon_program *p, cli_build how,
                        const cli_bytes *input, bench_counts *counts) {
  cli_emitted e;
  cli_bytes plugin = {0}, output = {0}, said = {0};
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
  cli_bytes_free(&plugin);
  cli_bytes_free(&output);
  cli_bytes_free(&said);
  free(library);
  free(dump);
  cli_emitted_close(&e);
  return code;
}

static int emulated_add_input(cli *c, const tenon_program *p, int entry,
                              cli_bytes *input) {
  size_t n = tenon_program_io(p, entry, TENON_IO_INPUTS, NULL, 0);
  tenon_io *io = (tenon_io *)calloc(n + 1, sizeof *io);
  cli_tensor *in = (cli_tensor *)calloc(n + 1, sizeof *in);
  char head[2] = {(char)entry, 1};
  int code = io && in ? 0 : CLI_NO_MEMORY;
  if (code == 0) (void)tenon_program_io(p, entry, TENON_IO_INPUTS, io, n);
  if (code == 0) code = cli_inputs(c, p, entry, in);
  bool ok = code == 0 && cli_bytes_add(input, head, 2);
  for (size_t i = 0; ok && i < n; ++i) {
    for (int d = 0; ok && cli_io_is_open(&io[i]) && d < in[i].view.rank; ++d)
      ok = cli_bytes_add(input, &in[i].dims[d], sizeof in[i].dims[d]);
    ok = ok &&
         (in[i].size == 0 || cli_bytes_add(input, in[i].memory, in[i].size));
  }
  for (size_t i = 0; in && i < n; ++i)
    cli_tensor_free(&in[i]);
  free(in);
  free(io);
  return code ? code : ok ? 0 : CLI_NO_MEMORY;
}

// The first line of what the compiler says of itself.
static void ask_version(cli *c, cli_bytes *version) {
  cli_command k = {0};
  cli_bytes errors = {0};
  int status = 0;
  cli_machine_compiler(&k);
  cli_command_add(&k, "--version");
  if (!k.failed)
    (void)cli_run(c, (const char *const *)k.words, NULL, version, &errors,
                  &status);
  (void)cli_bytes_add(version, "", 1);
  if (version->data) version->data[strcspn(version->data, "\n")] = 0;
  cli_command_free(&k);
  cli_bytes_free(&errors);
}

int bench_emulated(cli *c, const tenon_program *p) {
  bench_counts counts;
  cli_bytes input = {0}, version = {0};
  int entry = cli_entry(c, p);
  memset(&counts, 0, sizeof counts);
  if (entry < 0) return CLI_USAGE;
  c->has_random = true;  // as in cmd_bench.c
  int code = emulated_add_input(c, p, entry, &input);
  if (code == 0) code = bench_counts_plan(p, &counts);
  cli_progress(c, "emitting, compiling and running C on the emulated core");
  if (code == 0) code = emulated_run(c, p, CLI_BUILD_COUNTED, &input, &counts);
  if (code == 0) code = emulated_run(c, p, CLI_BUILD_LAYERS, &input, &counts);
  if (code == 0 && !bench_counts_kernels(&counts)) code = CLI_NO_MEMORY;
  if (code == 0) ask_version(c, &version);
  if (code == 0)
    bench_counts_report(c, &counts, version.data ? version.data : "");
  cli_bytes_free(&input);
  cli_bytes_free(&version);
  bench_counts_free(&counts);
  return code;
}
