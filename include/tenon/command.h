// tenon/command.h - a command line, inside a program.
//
// All that `tenon VERB ...` does, with the same words, files and exit codes
// (docs/cli.md): for verbs that are more than a few calls of tenon.h, such as
// `check`, `new`, `verify` and `bench`. Nothing is kept between two calls.
#ifndef TENON_COMMAND_H
#define TENON_COMMAND_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  // Says on a terminal what it is doing once that has taken a second. One
  // command at a time may.
  TENON_COMMAND_PROGRESS = 1u << 0
};

typedef struct tenon_command_options {
  uint32_t struct_size;
  uint32_t flags;       // TENON_COMMAND_*
  tenon_write_fn *out;  // receives what the command prints, `file` null; a
                        // status but TENON_OK ends it; null: standard output
  void *out_self;
  tenon_write_fn *err;  // diagnostics, as lines of text; null: standard error
  void *err_self;
} tenon_command_options;

// Runs one command: `args` are the words behind the program's name, `n` of
// them, {"check", "gain.c", "--json"}. Returns the exit code: 0 done, 1 the
// answer is no, else a tenon_status (TENON_NO_MEMORY is 20). With "--json" the
// diagnostics are part of the document that is printed.
//
// Any thread may run a command. Paths are taken from the current folder of the
// process, CC, TMPDIR and the like from its environment; a verb that builds
// emitted C starts the compiler as a child, waits for it, and lets SIGPIPE be
// ignored meanwhile: two of these should not run at once in one process.
TENON_API TENON_NODISCARD int tenon_command_run(
    const tenon_command_options *options, size_t n, const char *const *args);

#ifdef __cplusplus
}
#endif

#endif  // TENON_COMMAND_H
