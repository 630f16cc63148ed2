// cli/machine/machine.h - emulated cores: what programs of a target run on that
// this machine cannot run.
//
// A target has an emulated core when its `cflags` (tenon/ext/target.h) name one
// of the processors below; the targets of plugins have one in the same way, and
// target `c` that which --cflags names. The
// emitted C is built by a cross compiler together with start-up code and linker
// scripts that this command carries (board/), and runs under QEMU without a
// system. Nothing is taken from this machine but the tools, which are looked
// for when they are needed.
#ifndef TENON_CLI_MACHINE_H
#define TENON_CLI_MACHINE_H

#include "cli/cli.h"

typedef struct cli_machine {
  const char *flag;    // of a target's cflags, or the beginning: "-mcpu=..."
  const char *as;      // what the compiler is given instead; null: that flag
  const char *core;    // "Cortex-M4"
  const char *board;   // of QEMU
  const char *script;  // for the linker
} cli_machine;

// The emulated core of --target, into c->machine; null where it has none, or
// there is no --target. `target` gets the target's descriptor, or null. The
// exit code of an unknown target.
struct tenon_target_desc;
int cli_machine_find(cli *c, const tenon_context *cx,
                     const struct tenon_target_desc **target);
// Whether the tools are there; a failure that says which is not, and how to get
// it.
int cli_machine_ready(cli *c);

// What stands beside emitted C in `folder`: start-up code and linker scripts,
// all to be built with it.
bool cli_machine_add(const char *folder, cli_files *files);
// The compiler, which is the first word of a command.
void cli_machine_compiler(cli_command *k);
// The target's flags as the compiler is given them; `text` is cut into words.
void cli_machine_flags(const cli_machine *m, const char *text, cli_command *k);
// What a program without a system is compiled and linked with; --cflags.
void cli_machine_options(const cli *c, const char *folder, cli_command *k);
// The counter of instructions for QEMU, built by the compiler of this machine
// in `folder`: its path.
int cli_machine_counter(cli *c, const char *folder, char **library);
const char *cli_machine_counter_text(void);  // board/count.c
// Runs the image in `folder`: `input` is its standard input, `output` becomes
// its standard output. `plugin` null: without the counter; else what follows
// "-plugin". `said` gets what the emulator and the program said. A fault, a
// program that does not end (--timeout) and a status other than 0 are failures.
int cli_machine_run(cli *c, const char *folder, const char *image,
                    const char *plugin, const tenon_buf *input,
                    tenon_buf *output, tenon_buf *said);

// --- what is in an image ----------------------------------------------------

// Functions and objects of a linked image, in the order of their addresses.
typedef enum cli_symbol_kind {
  CLI_SYMBOL_CODE,
  CLI_SYMBOL_CONSTANT,
  CLI_SYMBOL_DATA  // what lies in RAM
} cli_symbol_kind;
typedef struct cli_symbol {
  const char *name;
  const char *file;  // that it is static in; "": none
  uint32_t address, size;
  cli_symbol_kind kind;
} cli_symbol;
typedef struct cli_image {
  tenon_buf bytes;
  cli_symbol *symbols;
  size_t count;
} cli_image;
int cli_image_read(cli *c, const char *path, cli_image *out);
const cli_symbol *cli_image_find(const cli_image *image, const char *name);
// The function that has this address; null: none.
const cli_symbol *cli_image_at(const cli_image *image, uint32_t address);
void cli_image_free(cli_image *image);

#endif  // TENON_CLI_MACHINE_H
