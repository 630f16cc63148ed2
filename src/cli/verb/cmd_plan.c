// How: compile, and let the library print the plan; the picture goes to a file
// of its own.
#include "cli/cli.h"

static int print_to(cli *c, const tenon_program *p, uint32_t format,
                    const char *path) {
  tenon_buf b = {0};
  uint32_t flags = c->why ? TENON_PLAN_WHY : 0u;
  int code = cli_exit(tenon_program_print(p, format, flags, cli_collect, &b));
  if (code == 0) code = cli_deliver(c, path, &b);
  tenon_buf_deinit(&b);
  return code;
}

int cmd_plan(cli *c) {
  cli_model model;
  tenon_program *p = NULL;
  int code = cli_models_open(c, &model);
  if (code) return code;
  code = cli_model_compile(c, &model, NULL, 0, &p);
  if (code == 0 && c->html) code = print_to(c, p, TENON_FORMAT_HTML, c->html);
  if (code == 0 && c->csv) code = print_to(c, p, TENON_FORMAT_CSV, c->csv);
  if (code == 0 && c->svg) code = print_to(c, p, TENON_FORMAT_SVG, c->svg);
  if (code == 0)
    code = print_to(c, p, c->json ? TENON_FORMAT_JSON : TENON_FORMAT_TEXT,
                    c->output);
  tenon_program_destroy(p);
  cli_model_close(&model);
  return code;
}
