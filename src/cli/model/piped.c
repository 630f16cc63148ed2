// How: a command may make several contexts, and standard input is there once;
// so its text is kept with the command.
#include <string.h>

#include "cli/cli.h"

bool cli_is_piped(const char *path) {
  return strcmp(path, "-") == 0;
}

static size_t count_piped(const cli_list *list) {
  size_t count = 0;
  for (size_t i = 0; i < list->count; ++i)
    count += cli_is_piped(list->data[i]);
  return count;
}

static tenon_status read_piped(cli *c, const char *what) {
  size_t bound = strcmp(c->verb->name, "bind") == 0 ? count_piped(&c->args) : 0;
  size_t count = count_piped(&c->plugins) + bound;
  if (count > 1) {
    (void)cli_fail(c, CLI_USAGE, "cli-value",
                   "'%s' stands %zu times; standard input holds one plugin",
                   bound ? "-" : what, count);
    return TENON_BAD_ARGUMENT;
  }
  if (!c->piped.data && tenon_os_is_terminal(0)) {
    (void)cli_fail(c, CLI_USAGE, "cli-value",
                   "'%s' reads YAML from standard input, which is a "
                   "terminal; write \"<<'END'\" and the text, or '< F.yaml'",
                   what);
    return TENON_BAD_ARGUMENT;
  }
  if (!c->piped.data && !cli_read_stream(c, stdin, "standard input", &c->piped))
    return ferror(stdin) ? TENON_IO : TENON_NO_MEMORY;
  return TENON_OK;
}

tenon_status cli_load_piped(cli *c, tenon_context *cx) {
  tenon_status status = read_piped(c, "--plugin -");
  if (status != TENON_OK) return status;
  return tenon_context_load_text(cx, "<stdin>", c->piped.data, c->piped.size);
}

tenon_status cli_bind_piped(cli *c, tenon_context *cx, tenon_write_fn *write,
                            void *self) {
  tenon_status status = read_piped(c, "bind -");
  if (status != TENON_OK) return status;
  return tenon_context_bindings_text(cx, "<stdin>", c->piped.data,
                                     c->piped.size, write, self);
}
