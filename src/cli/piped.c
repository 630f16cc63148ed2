// How: a command may make several contexts, and standard input is there once;
// so its text is kept with the command.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static tenon_status read_all(cli *c) {
  char piece[65536];
  cli_bytes all = {0};
  size_t n = 0;
  bool ok = true;
  while (ok && (n = fread(piece, 1, sizeof piece, stdin)) > 0)
    ok = cli_bytes_add(&all, piece, n);
  bool has_failed = ferror(stdin) != 0;
  if (ok && !has_failed) ok = cli_bytes_add(&all, NULL, 0);
  if (ok && !has_failed) {
    c->piped = all.data;
    c->piped_size = all.size;
    return TENON_OK;
  }
  if (has_failed)
    (void)cli_fail(c, TENON_IO, "cli-file", "cannot read standard input: %s",
                   strerror(errno));
  cli_bytes_free(&all);
  return has_failed ? TENON_IO : TENON_NO_MEMORY;
}

tenon_status cli_load_piped(cli *c, tenon_context *cx) {
  size_t count = 0;
  for (size_t i = 0; i < c->plugins.count; ++i)
    count += strcmp(c->plugins.data[i], "-") == 0;
  if (count > 1) {
    (void)cli_fail(c, CLI_USAGE, "cli-value",
                   "'--plugin -' stands %zu times; standard input holds one "
                   "plugin",
                   count);
    return TENON_BAD_ARGUMENT;
  }
  if (!c->piped && isatty(STDIN_FILENO)) {
    (void)cli_fail(c, CLI_USAGE, "cli-value",
                   "'--plugin -' reads YAML from standard input, which is a "
                   "terminal; write \"<<'END'\" and the text, or '< F.yaml'");
    return TENON_BAD_ARGUMENT;
  }
  if (!c->piped) {
    tenon_status status = read_all(c);
    if (status != TENON_OK) return status;
  }
  return tenon_context_load_text(cx, "<stdin>", c->piped, c->piped_size);
}
