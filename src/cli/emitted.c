// How: C for portable use goes into a temporary folder with its driver and what
// watches it (emitted_watch.c), is built by the compiler that CC names with the
// flags of CFLAGS behind our own, and is fed and drained through pipes.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// Word by word; `text` is cut up and has to live as long as the list.
static bool push_words(cli_list *argv, cli_bytes *text) {
  if (!cli_bytes_add(text, "", 1)) return false;
  for (char *p = strtok(text->data, " \t\n"); p; p = strtok(NULL, " \t\n"))
    if (!cli_list_push(argv, p)) return false;
  return true;
}

// What the driver's flags say.
static bool push_flags(cli_list *argv, const cli_files *files,
                       cli_bytes *text) {
  for (size_t i = 0; i < files->count; ++i)
    if (cli_ends_with(files->data[i].name, "_driver.flags"))
      if (!cli_bytes_add(text, files->data[i].content.data,
                         files->data[i].content.size))
        return false;
  return push_words(argv, text);
}

// What the user's environment adds; the last word of a compiler's flags counts.
static bool push_user_flags(cli_list *argv, cli_bytes *text) {
  const char *own = getenv("CFLAGS");
  return cli_bytes_add(text, own ? own : "", own ? strlen(own) : 0) &&
         push_words(argv, text);
}

// What a target's flags say, the compiler of this machine need not know.
static int fail_build(cli *c, const char *compiler, const cli_bytes *errors) {
  bool is_other = c->target && strcmp(c->target, "c") != 0 &&
                  strcmp(c->target, "host") != 0;
  return cli_fail(c, TENON_BUG, "verify-compile",
                  "the emitted C does not compile with '%s'%s%s%s: %.700s",
                  compiler,
                  is_other ? " (CC names a compiler for target '" : "",
                  is_other ? c->target : "",
                  is_other ? "', whose programs have to run here)" : "",
                  errors->data ? errors->data : "");
}

static int build(cli *c, const char *folder, const cli_files *files,
                 const char *const *options, char **program) {
  cli_list argv = {0};
  cli_bytes flags = {0}, own = {0};
  cli_bytes errors = {0};
  int status = 0, code = CLI_NO_MEMORY;
  const char *named = getenv("CC");
  const char *compiler = named && *named ? named : "cc";
  char *paths[16] = {NULL};
  size_t n = 0;
  *program = cli_join(folder, "program");
  bool ok = *program && cli_list_push(&argv, compiler) &&
            push_flags(&argv, files, &flags) && cli_list_push(&argv, "-O2");
  for (size_t i = 0; ok && options[i]; ++i)
    ok = cli_list_push(&argv, options[i]);
  ok = ok && push_user_flags(&argv, &own) && cli_list_push(&argv, "-o") &&
       cli_list_push(&argv, *program);
  for (size_t i = 0; ok && i < files->count && n < 16; ++i) {
    if (!cli_ends_with(files->data[i].name, ".c")) continue;
    paths[n] = cli_join(folder, files->data[i].name);
    ok = paths[n] && cli_list_push(&argv, paths[n]);
    ++n;
  }
  ok = ok && cli_list_push(&argv, "-lm") && cli_list_push(&argv, NULL);
  if (ok)
    code = cli_run(c, argv.data, NULL, NULL, &errors, &status) ? 0 : TENON_IO;
  if (code == 0 && status) code = fail_build(c, compiler, &errors);
  for (size_t i = 0; i < n; ++i)
    free(paths[i]);
  free(argv.data);
  cli_bytes_free(&flags);
  cli_bytes_free(&own);
  cli_bytes_free(&errors);
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
  if (code == 0 && !cli_files_save(c, &files, out->folder)) code = TENON_IO;
  if (code == 0)
    code = build(c, out->folder, &files, cli_watch_options(how), &out->program);
  cli_files_free(&files);
  return code;
}

int cli_emitted_run(cli *c, const cli_emitted *e, const cli_bytes *input,
                    cli_bytes *output) {
  cli_bytes errors = {0};
  const char *argv[] = {e->program, NULL};
  int status = 0;
  int code = cli_run(c, argv, input, output, &errors, &status) ? 0 : TENON_IO;
  if (code == 0 && status)
    code = cli_fail(c, TENON_BAD_INPUT, "verify-emitted",
                    "the emitted program ended with %d: %.400s", status,
                    errors.data ? cli_watch_summary(errors.data) : "");
  cli_bytes_free(&errors);
  return code;
}

int cli_emitted_probe(cli *c, cli_build how) {
  static const char text[] = "int main(void) { return 0; }\n";
  cli_files files = {0};
  cli_emitted e = {0};
  cli_bytes output = {0}, errors = {0};
  int status = 0, code = CLI_NO_MEMORY;
  if (!cli_temp_folder(c, e.folder, sizeof e.folder)) return TENON_IO;
  if (cli_files_write(&files, "probe.c", text, sizeof text - 1) == TENON_OK)
    code = cli_files_save(c, &files, e.folder) ? 0 : TENON_IO;
  if (code == 0)
    code = build(c, e.folder, &files, cli_watch_flags(how), &e.program);
  const char *argv[] = {e.program, NULL};
  if (code == 0 && !cli_run(c, argv, NULL, &output, &errors, &status))
    code = TENON_IO;
  if (code == 0 && status)
    code = cli_fail(c, TENON_UNSUPPORTED, "verify-emitted",
                    "an empty program ended with %d: %.300s", status,
                    errors.data ? errors.data : "");
  cli_bytes_free(&output);
  cli_bytes_free(&errors);
  cli_files_free(&files);
  cli_emitted_close(&e);
  return code;
}

void cli_emitted_close(cli_emitted *e) {
  if (e->folder[0]) cli_remove_folder(e->folder);
  free(e->program);
  memset(e, 0, sizeof *e);
}
