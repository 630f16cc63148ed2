// How: a shell's script goes to standard output or to a file; pages are files
// of a folder, one for each verb, or of the command alone to standard output.
#include <string.h>

#include "cli/complete/completing.h"

static int add_page(cli_files *files, const cli_verb *verb) {
  char name[64];
  tenon_buf page = {0};
  snprintf(name, sizeof name, "tenon%s%s.1", verb ? "-" : "",
           verb ? verb->name : "");
  complete_man(verb, &page);
  bool ok = !page.failed &&
            cli_files_write(files, name, page.data, page.size) == TENON_OK;
  tenon_buf_deinit(&page);
  return ok ? 0 : CLI_NO_MEMORY;
}

static int write_pages(cli *c) {
  cli_files files = {0};
  int code = add_page(&files, NULL);
  for (const cli_verb *v = cli_verbs; code == 0 && v->name; ++v)
    code = add_page(&files, v);
  if (code == 0 && !cli_files_save(c, &files, c->output)) code = TENON_IO;
  cli_files_free(&files);
  return code;
}

static void write_man(tenon_buf *out) {
  complete_man(NULL, out);
}

int cmd_completion(cli *c) {
  static const struct {
    const char *name;
    void (*write)(tenon_buf *out);
  } kinds[] = {{"bash", complete_bash},
               {"zsh", complete_zsh},
               {"fish", complete_fish},
               {"man", write_man}};
  const char *name = c->args.count == 1 ? c->args.data[0] : "";
  if (c->output && strcmp(name, "man") == 0) return write_pages(c);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    tenon_buf b = {0};
    if (strcmp(kinds[i].name, name) != 0) continue;
    kinds[i].write(&b);
    c->sink->is_text = !c->output;
    int code = cli_deliver(c, c->output, &b);
    tenon_buf_deinit(&b);
    return code;
  }
  return cli_fail(c, CLI_USAGE, "cli-usage",
                  "'tenon completion' expects bash, zsh, fish or man, found "
                  "'%s'",
                  name);
}
