// How: compiled as for a run, and saved: the bytes are collected, so that a
// file is there whole or not at all.
#include "cli/cli.h"

int cmd_compile(cli *c) {
  cli_model model;
  tenon_buf bytes = {0};
  tenon_program *p = NULL;
  if (!c->output)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "expected one model and -o FILE.tnp; 'tenon compile "
                    "--help' has an example");
  int code = cli_model_open(c, c->args.data[0], &model);
  if (code) return code;
  code = cli_model_compile(c, &model, NULL, TENON_COMPILE_SAVABLE, &p);
  const uint32_t flags = (c->strip ? (uint32_t)TENON_SAVE_STRIP : 0u) |
                         (c->unpacked ? (uint32_t)TENON_SAVE_UNPACKED : 0u);
  if (code == 0)
    code = cli_exit(tenon_program_save(p, flags, cli_collect, &bytes));
  if (code == 0) code = cli_deliver(c, c->output, &bytes);
  if (code == 0 && c->json)
    cli_printf(c, "{\"bytes\": %zu}", bytes.size);
  else if (code == 0)
    cli_printf(c, "%zu bytes\n", bytes.size);
  tenon_buf_deinit(&bytes);
  tenon_program_destroy(p);
  cli_model_close(&model);
  return code;
}
