// How: a row per processor. QEMU has no board with a Cortex-M0+ that has memory
// enough; its instructions are a part of those of a Cortex-M3, on which the
// start-up code switches off what an M0+ lacks, unaligned accesses. A
// Cortex-M85 has the instructions of an M55 that compilers use for us, and gcc
// 12 knows only the latter. Standard input and output are files in the folder,
// since the emulator's console is no place for bytes.
#include "cli/machine/machine.h"

#include <stdlib.h>
#include <string.h>

#include "tenon/ext/catalog.h"
#include "tenon/ext/target.h"

static const cli_machine machines[] = {
    {"-mcpu=cortex-m0plus", NULL, "Cortex-M0+", "mps2-an385", "mps2.ld"},
    {"-mcpu=cortex-m0", NULL, "Cortex-M0", "mps2-an385", "mps2.ld"},
    {"-mcpu=cortex-m3", NULL, "Cortex-M3", "mps2-an385", "mps2.ld"},
    {"-mcpu=cortex-m4", NULL, "Cortex-M4", "mps2-an386", "mps2.ld"},
    {"-mcpu=cortex-m7", NULL, "Cortex-M7", "mps2-an500", "mps2.ld"},
    {"-mcpu=cortex-m33", NULL, "Cortex-M33", "mps2-an505", "iotkit.ld"},
    {"-mcpu=cortex-m55", NULL, "Cortex-M55", "mps3-an547", "mps3.ld"},
    {"-mcpu=cortex-m85", "-mcpu=cortex-m55", "Cortex-M55", "mps3-an547",
     "mps3.ld"},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static bool machine_is_flag(const cli_machine *m, const char *word,
                            size_t size) {
  size_t n = strlen(m->flag);
  return size >= n && memcmp(word, m->flag, n) == 0 &&
         (size == n || word[n] == '+');
}

static const cli_machine *of_flags(const char *flags) {
  for (const char *p = flags; p && *p;) {
    size_t n = strcspn(p, " ");
    for (size_t i = 0; i < MACHINES; ++i)
      if (machine_is_flag(&machines[i], p, n)) return &machines[i];
    p += n + strspn(p + n, " ");
  }
  return NULL;
}

int cli_machine_find(cli *c, const tenon_context *cx,
                     const tenon_target_desc **target) {
  tenon_registered found;
  const char *nearest = NULL;
  c->machine = NULL;
  *target = NULL;
  if (!c->target) return 0;
  bool known = tenon_context_find(cx, TENON_REGISTRY_TARGETS, c->target, &found,
                                  &nearest);
  if (known) *target = (const tenon_target_desc *)found.desc;
  // Portable C has no processor of its own: --cflags may name one.
  bool is_portable = strcmp(c->target, "c") == 0;
  if (*target || is_portable)
    c->machine = of_flags(is_portable ? c->cflags : (*target)->cflags);
  if (known || is_portable || strcmp(c->target, "host") == 0) return 0;
  return cli_fail(c, CLI_USAGE, "target-unknown", "no target '%s'%s%s%s",
                  c->target, nearest ? "; did you mean '" : "",
                  nearest ? nearest : "",
                  nearest ? "'?" : "; 'tenon ops --kind targets' lists them");
}

// --- tools ------------------------------------------------------------------

static const char *compiler(void) {
  const char *named = getenv("TENON_CROSS_CC");
  return named && *named ? named : "arm-none-eabi-gcc";
}

static const char *emulator(void) {
  const char *named = getenv("TENON_QEMU");
  return named && *named ? named : "qemu-system-arm";
}

int cli_machine_ready(cli *c) {
  const char *const tools[] = {compiler(), emulator()};
  for (int i = 0; i < 2; ++i) {
    size_t n = strcspn(tools[i], " ");
    if (tenon_os_is_program(tools[i], n)) continue;
    return cli_fail(
        c, TENON_UNSUPPORTED, "machine-missing",
        "programs for target '%s' run on an emulated %s, for which '%.*s' is "
        "needed and not found (Debian: gcc-arm-none-eabi, "
        "libnewlib-arm-none-eabi, qemu-system-arm; TENON_CROSS_CC and "
        "TENON_QEMU name others)",
        c->emulated ? c->emulated : c->target, c->machine->core, (int)n,
        tools[i]);
  }
  return 0;
}

// --- building ---------------------------------------------------------------

static const struct board_file {
  const char *name, *text;
} board[] = {
#include "cli/board.inc"
};

static const char *machine_text_of(const char *name) {
  for (size_t i = 0; i < sizeof board / sizeof *board; ++i)
    if (strcmp(board[i].name, name) == 0) return board[i].text;
  return "";
}

const char *cli_machine_counter_text(void) {
  return machine_text_of("count.c");
}

bool cli_machine_add(const char *folder, cli_files *files) {
  tenon_buf paths = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < sizeof board / sizeof *board; ++i)
    ok = strcmp(board[i].name, "count.c") == 0 ||
         cli_files_write(files, board[i].name, board[i].text,
                         strlen(board[i].text)) == TENON_OK;
  char *in = cli_join(folder, "input.bin"),
       *out = cli_join(folder, "output.bin");
  if (in && out)
    tenon_put(&paths, "#define MCU_INPUT $\n#define MCU_OUTPUT $\n",
              tenon_as_json(in), tenon_as_json(out));
  ok =
      ok && in && out && !paths.failed &&
      cli_files_write(files, "mcu_paths.h", paths.data, paths.size) == TENON_OK;
  tenon_buf_deinit(&paths);
  free(in);
  free(out);
  return ok;
}

void cli_machine_compiler(cli_command *k) {
  cli_command_split(k, compiler());
}

void cli_machine_flags(const cli_machine *m, const char *text, cli_command *k) {
  size_t first = k->count;
  cli_command_split(k, text);
  for (size_t i = first; m->as && i < k->count; ++i) {
    char *as = machine_is_flag(m, k->words[i], strlen(k->words[i]))
                   ? strdup(m->as)
                   : NULL;
    if (!as) continue;
    free(k->words[i]);
    k->words[i] = as;
  }
}

void cli_machine_options(const cli *c, const char *folder, cli_command *k) {
  cli_command_split(k,
                    "-ffunction-sections -fdata-sections -nostartfiles "
                    "-Wl,--gc-sections -T");
  cli_command_path(k, folder, c->machine->script);
  cli_command_add(k, "-L");
  cli_command_add(k, folder);
  if (c->cflags) cli_command_split(k, c->cflags);
}

// --- running ----------------------------------------------------------------

enum { SECONDS = 120, FAULT = 120, OVERFLOWED = 121 };

static int fail_status(cli *c, int status, int seconds, tenon_buf *said) {
  const char *text = said->data ? cli_watch_summary(said->data) : "";
  if (status == CLI_TIMED_OUT)
    return cli_fail(c, TENON_BAD_INPUT, "machine-run",
                    "the emulated program does not come to an end: stopped "
                    "after %d s (--timeout)",
                    seconds);
  if (status == FAULT || status == OVERFLOWED)
    return cli_fail(c, TENON_BAD_INPUT, "machine-run",
                    "the emulated %s stopped: %.300s", c->machine->core, text);
  return cli_fail(c, TENON_BAD_INPUT, "machine-run",
                  "the emulated program ended with %d: %.400s", status, text);
}

int cli_machine_run(cli *c, const char *folder, const char *image,
                    const char *plugin, const tenon_buf *input,
                    tenon_buf *output, tenon_buf *said) {
  cli_command k = {0};
  int status = 0, code = CLI_NO_MEMORY;
  int seconds = c->has_timeout ? (int)c->timeout : SECONDS;
  char *in = cli_join(folder, "input.bin"),
       *out = cli_join(folder, "output.bin");
  cli_command_split(&k, emulator());
  cli_command_split(&k,
                    "-nographic -monitor none -serial null "
                    "-semihosting-config enable=on,target=native -M");
  cli_command_add(&k, c->machine->board);
  cli_command_add(&k, "-kernel");
  cli_command_add(&k, image);
  if (plugin) cli_command_add(&k, "-plugin");
  if (plugin) cli_command_add(&k, plugin);
  bool ok = in && out && !k.failed;
  if (ok) tenon_os_remove_file(out);
  if (ok)
    code = cli_write_file(c, in, input && input->data ? input->data : "",
                          input ? input->size : 0)
               ? 0
               : TENON_IO;
  // The console, the counter and QEMU itself share a stream.
  if (code == 0 && !cli_run_for(c, seconds, (const char *const *)k.words, NULL,
                                said, said, &status))
    code = TENON_IO;
  if (code == 0 && status) code = fail_status(c, status, seconds, said);
  if (code == 0 && output && cli_is_file(out) && !cli_read_file(c, out, output))
    code = TENON_IO;
  cli_command_free(&k);
  free(in);
  free(out);
  return code;
}
