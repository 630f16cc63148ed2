// How: the library writes the text; it is collected, so that a file is there
// whole or not at all.
#include "cli/cli.h"

int cmd_bind(cli *c) {
  tenon_context *cx = NULL;
  tenon_buf text = {0};
  int code = cli_context(c, &cx);
  if (code) return code;
  const char *path = c->args.data[0];
  code = cli_exit(cli_is_piped(path)
                      ? cli_bind_piped(c, cx, cli_collect, &text)
                      : tenon_context_bindings(cx, path, cli_collect, &text));
  c->sink->is_text = true;
  if (code == 0) code = cli_deliver(c, c->output, &text);
  tenon_buf_deinit(&text);
  tenon_context_destroy(cx);
  return code;
}
