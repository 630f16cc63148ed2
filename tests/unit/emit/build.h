// tests/unit/emit/build.h - a module as text, as a program, as C, as an
// executable.
//
//   built b;
//   build_program(&b, "module { ... }");
//   build_emit(&b, &options);               // into b.folder
//   build_compare(&b, &options);            // the same, compiled and run
//   build_free(&b);
//
// The context knows the operators of this build and those of operators.c, one
// for each way a step can differ.
#ifndef TENON_TESTS_BUILD_H
#define TENON_TESTS_BUILD_H

#include "harness/folder.h"
#include "harness/log.h"
#include "program/program.h"
#include "tenon/ext/plugin.h"

typedef struct built {
  test_folder folder;
  test_log log;
  tenon_context *cx;
  tenon_module *module;
  tenon_program *program;
  char files[256];  // names of what was written last, each with a blank behind
  bool is_empty;    // nothing has been written
} built;

extern const tenon_plugin test_operators;

// Fails the test unless the module compiles.
void build_program(built *b, const char *text);
// For a program that is not made from text: context and folder only.
void build_begin(built *b);
void build_free(built *b);

// Emits; what is written replaces what was there.
tenon_status build_emit(built *b, const tenon_program *p,
                        const tenon_emit_options *options);
// The content of a written file. Valid to the end.
const char *build_text(built *b, const char *file);

// Flags that emitted C promises to be clean under.
#define BUILD_STRICT                                                    \
  "-std=c99 -pedantic -Wall -Wextra -Wconversion -Wshadow -Wcast-qual " \
  "-Wstrict-prototypes -Wmissing-prototypes -Wundef -Wwrite-strings -Werror"
// And what it is run with, where the compiler has it: mingw-w64's does not.
#ifdef _WIN32
#define BUILD_SANITIZED ""
#else
#define BUILD_SANITIZED "-fsanitize=address,undefined -fno-sanitize-recover=all"
#endif
// Compiles: `command` is a compiler with its flags, to which files of the
// folder are added, by name. Fails the test unless that works.
void build_compile(built *b, const char *command, const char *files);

// Emits with a driver, compiles with sanitizers and strictly with other
// compilers, runs every entry three times on random inputs, in this process and
// there, and fails the test unless every bit agrees.
void build_compare(built *b, const tenon_emit_options *options);

#endif  // TENON_TESTS_BUILD_H
