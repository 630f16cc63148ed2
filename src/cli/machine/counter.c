// How: QEMU loads the counter as a library of this machine, so this machine's
// compiler builds it. It takes a fraction of a second, less than keeping it
// somewhere and asking whether it is still the right one.
#include <stdlib.h>
#include <string.h>

#include "cli/machine/machine.h"

int cli_machine_counter(cli *c, const char *folder, char **library) {
  cli_command k = {0};
  tenon_buf errors = {0};
  const char *named = getenv("CC");
  int status = 0, code = CLI_NO_MEMORY;
  char *source = cli_join(folder, "count.c");
  *library = cli_join(folder, "count.so");
  const char *text = cli_machine_counter_text();
  cli_command_add(&k, named && *named ? named : "cc");
  cli_command_split(&k, "-O2 -shared -fPIC -o");
  if (*library) cli_command_add(&k, *library);
  if (source) cli_command_add(&k, source);
  if (source && *library && !k.failed)
    code = cli_write_file(c, source, text, strlen(text)) &&
                   cli_run(c, (const char *const *)k.words, NULL, NULL, &errors,
                           &status)
               ? 0
               : TENON_IO;
  if (code == 0 && status)
    code = cli_fail(c, TENON_UNSUPPORTED, "machine-counter",
                    "'%s' does not build the counter of instructions: %.500s",
                    k.words[0], errors.data ? errors.data : "");
  free(source);
  cli_command_free(&k);
  tenon_buf_deinit(&errors);
  return code;
}
