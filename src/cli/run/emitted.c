// How: C for portable use goes into a temporary folder with its driver and what
// watches it (emitted_watch.c), is built by the compiler that CC names with the
// flags of CFLAGS behind our own, and is fed and drained through pipes; for a
// target with an emulated core by a cross compiler, and through files
// (machine/).
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/machine/machine.h"

// What a target's flags say, the compiler of this machine need not know.
static int fail_build(cli *c, const char *compiler, const tenon_buf *errors) {
  bool is_other = c->target && !c->machine && strcmp(c->target, "c") != 0 &&
                  strcmp(c->target, "host") != 0;
  return cli_fail(c, TENON_BUG, "verify-compile",
                  "the emitted C does not compile with '%s'%s%s%s: %.700s",
                  compiler,
                  is_other ? " (CC names a compiler for target '" : "",
                  is_other ? c->target : "",
                  is_other ? "', whose programs have to run here)" : "",
                  errors->data ? errors->data : "");
}

static void add_compiler(const cli *c, cli_command *k) {
  const char *named = getenv("CC");
  if (c->machine)
    cli_machine_compiler(k);
  else
    cli_command_add(k, named && *named ? named : "cc");
}

// What the driver's flags say.
static void emitted_add_flags(const cli *c, const cli_files *files,
                              cli_command *k) {
  for (size_t i = 0; i < files->count; ++i) {
    const tenon_buf *text = &files->data[i].content;
    if (!cli_ends_with(files->data[i].name, "_driver.flags")) continue;
    char *flags = cli_copy(text->data, text->size);
    if (!flags)
      k->failed = true;
    else if (c->machine)
      cli_machine_flags(c->machine, flags, k);
    else
      cli_command_split(k, flags);
    free(flags);
  }
}

// What the user's environment adds; the last word of a compiler's flags counts.
static void add_user_flags(cli_command *k) {
  const char *own = getenv("CFLAGS");
  if (own) cli_command_split(k, own);
}

static int emitted_build(cli *c, const char *folder, const cli_files *files,
                         const char *const *options, char **program) {
  cli_command k = {0};
  tenon_buf errors = {0};
  int status = 0, code = CLI_NO_MEMORY;
  *program = cli_join(folder, "program");
  add_compiler(c, &k);
  emitted_add_flags(c, files, &k);
  cli_command_add(&k, "-O2");
  for (size_t i = 0; options[i]; ++i)
    cli_command_add(&k, options[i]);
  if (c->machine)
    cli_machine_options(c, folder, &k);
  else
    add_user_flags(&k);
  cli_command_add(&k, "-o");
  cli_command_path(&k, folder, "program");
  for (size_t i = 0; i < files->count; ++i)
    if (cli_ends_with(files->data[i].name, ".c"))
      cli_command_path(&k, folder, files->data[i].name);
  cli_command_add(&k, "-lm");
  if (*program && !k.failed)
    code =
        cli_run(c, (const char *const *)k.words, NULL, NULL, &errors, &status)
            ? 0
            : TENON_IO;
  if (code == 0 && status) code = fail_build(c, k.words[0], &errors);
  cli_command_free(&k);
  tenon_buf_deinit(&errors);
  return code;
}

int cli_emitted_build(cli *c, const tenon_program *p, cli_build how,
                      cli_emitted *out) {
  tenon_emit_options o = {0};
  cli_files files = {0};
  memset(out, 0, sizeof *out);
  if (!cli_temp_folder(c, out->folder, sizeof out->folder)) {
    out->folder[0] = 0;
    return TENON_IO;
  }
  o.struct_size = sizeof o;
  o.flags = TENON_EMIT_DRIVER;
  o.prefix = "verified";
  if (!cli_list_end(&c->arenas, &o.arenas)) {
    cli_files_free(&files);
    return CLI_NO_MEMORY;
  }
  int code = cli_exit(tenon_program_emit(p, &o, cli_files_write, &files));
  if (code == 0 && !cli_watch_add(how, out->folder, &files))
    code = CLI_NO_MEMORY;
  if (code == 0 && c->machine && !cli_machine_add(out->folder, &files))
    code = CLI_NO_MEMORY;
  if (code == 0 && !cli_files_save(c, &files, out->folder)) code = TENON_IO;
  if (code == 0)
    code = emitted_build(c, out->folder, &files, cli_watch_options(c, how),
                         &out->program);
  cli_files_free(&files);
  return code;
}

int cli_emitted_run(cli *c, const cli_emitted *e, const tenon_buf *input,
                    tenon_buf *output) {
  tenon_buf errors = {0};
  const char *argv[] = {e->program, NULL};
  int status = 0;
  if (input->failed) return CLI_NO_MEMORY;
  if (c->machine) {
    int failed =
        cli_machine_run(c, e->folder, e->program, NULL, input, output, &errors);
    tenon_buf_deinit(&errors);
    return failed;
  }
  int code = cli_run(c, argv, input, output, &errors, &status) ? 0 : TENON_IO;
  if (code == 0 && status)
    code = cli_fail(c, TENON_BAD_INPUT, "verify-emitted",
                    "the emitted program ended with %d: %.400s", status,
                    errors.data ? cli_watch_summary(errors.data) : "");
  tenon_buf_deinit(&errors);
  return code;
}

int cli_emitted_probe(cli *c, cli_build how) {
  static const char text[] = "int main(void) { return 0; }\n";
  cli_files files = {0};
  cli_emitted e = {0};
  tenon_buf output = {0}, errors = {0};
  int status = 0, code = CLI_NO_MEMORY;
  if (!cli_temp_folder(c, e.folder, sizeof e.folder)) return TENON_IO;
  if (cli_files_write(&files, "probe.c", text, sizeof text - 1) == TENON_OK)
    code = cli_files_save(c, &files, e.folder) ? 0 : TENON_IO;
  if (code == 0)
    code =
        emitted_build(c, e.folder, &files, cli_watch_flags(c, how), &e.program);
  const char *argv[] = {e.program, NULL};
  if (code == 0 && !cli_run(c, argv, NULL, &output, &errors, &status))
    code = TENON_IO;
  if (code == 0 && status)
    code = cli_fail(c, TENON_UNSUPPORTED, "verify-emitted",
                    "an empty program ended with %d: %.300s", status,
                    errors.data ? errors.data : "");
  tenon_buf_deinit(&output);
  tenon_buf_deinit(&errors);
  cli_files_free(&files);
  cli_emitted_close(&e);
  return code;
}

void cli_emitted_close(cli_emitted *e) {
  if (e->folder[0]) tenon_os_remove_folder(e->folder);
  free(e->program);
  memset(e, 0, sizeof *e);
}
