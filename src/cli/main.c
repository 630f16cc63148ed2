// How: the words of the command line, handed on.
#include "base/os.h"
#include "tenon/command.h"

int main(int argc, char **argv) {
  const tenon_command_options o = {.struct_size = sizeof o,
                                   .flags = TENON_COMMAND_PROGRESS};
  tenon_os_settle(argc, argv);
  return tenon_command_run(&o, argc > 0 ? (size_t)argc - 1 : 0,
                           (const char *const *)argv + 1);
}
