// tenon/project.h - tenon.yaml: what a command line says, and attribute rules.
//
// An application says which keys it knows, each with its kind; a project is
// read against these, and the JSON Schema for editors is written from them. Two
// sections are the library's own: `passes`, and `rules`, which set attributes
// of operators by type, id, name and size, and place what these make, read and
// work with (docs/project.md).
#ifndef TENON_PROJECT_H
#define TENON_PROJECT_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_project tenon_project;

typedef enum tenon_project_kind {
  TENON_PROJECT_BOOL = 1,
  TENON_PROJECT_TEXT,
  TENON_PROJECT_LIST,  // several, or a map: "key=value"
  TENON_PROJECT_PAIR,  // maps of two keys: two settings, "key=value" each
  TENON_PROJECT_INT,
  TENON_PROJECT_REAL,     // from 0 on
  TENON_PROJECT_NATURAL,  // an integer from 0 on
  TENON_PROJECT_COUNT,    // an integer from 1 to 2147483647
  TENON_PROJECT_WORDS,    // a text, or a list, joined by commas
  TENON_PROJECT_NAMES     // the same, or a map of these: "key=a,b"
} tenon_project_kind;

typedef struct tenon_project_key {
  const char *name;   // "no_pass"
  const char *doc;    // a line
  uint32_t kind;      // tenon_project_kind
  uint32_t reserved;  // 0
} tenon_project_key;  // frozen

typedef struct tenon_project_options {
  uint32_t struct_size;
  uint32_t n_keys;
  const tenon_project_key *keys;
  tenon_allocator allocator;  // zero: the C library's
  tenon_diag_sink diag;       // zero: diagnostics are dropped
  const char *file;           // in places: "tenon.yaml"
  const void *data;
  size_t size;
} tenon_project_options;

// TENON_BAD_ARGUMENT, with line, column and the nearest, for what nobody knows.
// The text, the keys and the sink are not kept, but the sink for `apply`.
TENON_API TENON_NODISCARD tenon_status
tenon_project_read(const tenon_project_options *options, tenon_project **out);
TENON_API void tenon_project_destroy(tenon_project *project);

// One setting: a key, and its text as a command line has it ("" for a true
// BOOL). Under "passes": "on NAME", "off NAME" or "NAME.KEY=VALUE". Everything
// points into the project.
typedef struct tenon_project_setting {
  const char *key, *text;
  uint32_t line, column;
} tenon_project_setting;
// At most `capacity` of them, in the order of the text; returns how many.
TENON_API size_t tenon_project_settings(const tenon_project *project,
                                        tenon_project_setting *list,
                                        size_t capacity);

// Sets attributes of a module that has just been read, and keeps with it where
// values are to lie. A rule that fits nothing
// is a warning; an attribute that an operator named by its type lacks is
// TENON_BAD_ARGUMENT. With `write`, says of each operator which rule set what.
TENON_API TENON_NODISCARD tenon_status
tenon_project_apply(const tenon_project *project, tenon_module *m,
                    tenon_write_fn *write, void *self);

// The JSON Schema of such a file.
TENON_API TENON_NODISCARD tenon_status tenon_project_schema(
    const tenon_project_options *options, tenon_write_fn *write, void *self);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PROJECT_H
