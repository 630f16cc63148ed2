// conf/yaml.h - a YAML text as a tree that knows where each node stands.
//
//   const tenon_yaml *root = NULL;
//   TENON_TRY(tenon_yaml_read(&arena, report, TENON_BAD_PLUGIN, path, text,
//                             &root));
//   TENON_TRY(tenon_yaml_list(root));
//   for (const tenon_yaml *e = root->first; e; e = e->next) {
//     TENON_TRY(tenon_yaml_keys(e, (const char *const[]){"op", "at", NULL}));
//     TENON_TRY(tenon_yaml_need(e, "op", &op));
//     TENON_TRY(tenon_yaml_text(op, &name));
//     if (tenon_yaml_get(e, "at")) ...
//   }
//
// What a text may be: one document of scalars, sequences and mappings, block or
// flow, with comments. Anchors, aliases, tags, merge keys, mappings as keys,
// further documents and a key that stands twice are refused with their place.
// A plain scalar means what is asked for, so `no` and `012` and `1.10` stay the
// text that they are until somebody asks for a number.
//
// Nodes and texts live in the arena. libyaml parses, and takes its memory from
// malloc for as long as that lasts; how much is limited by the text.
#ifndef TENON_CONF_YAML_H
#define TENON_CONF_YAML_H

#include "base/arena.h"
#include "base/text.h"
#include "core/report.h"

typedef enum tenon_yaml_kind {
  TENON_YAML_SCALAR,
  TENON_YAML_LIST,
  TENON_YAML_MAP
} tenon_yaml_kind;

typedef struct tenon_yaml_doc {
  tenon_arena *arena;
  const tenon_report *report;
  tenon_status status;  // of what is wrong in this text
  const char *file;     // in places
} tenon_yaml_doc;

typedef struct tenon_yaml {
  const tenon_yaml_doc *doc;
  const struct tenon_yaml *next;   // of the same list or map
  const struct tenon_yaml *first;  // of this list or map
  const struct tenon_yaml *key;    // of a value in a map: its key
  tenon_text text;                 // of a scalar; ends in a zero
  uint32_t count;                  // elements of a list, keys of a map
  uint32_t line, column;           // from 1
  // Of a scalar that is a block (`|`): where its first line begins, so that a
  // place in it is one in the file. 0: not a block.
  uint32_t body_line, body_column;
  uint8_t kind;   // tenon_yaml_kind
  bool is_plain;  // a scalar without quotes
} tenon_yaml;

// Limits: lists and maps in each other, nodes, bytes.
#define TENON_YAML_DEPTH 64
#define TENON_YAML_NODES (1u << 20)
#define TENON_YAML_SIZE (1u << 24)

// `status` is that of every failure that this text leads to: TENON_BAD_PLUGIN
// for a plugin, TENON_BAD_ARGUMENT for a project file. A text without a
// document is a null. `file` is copied. Ids: yaml-text, and below yaml-key and
// yaml-value.
tenon_status tenon_yaml_read(tenon_arena *arena, const tenon_report *report,
                             tenon_status status, const char *file,
                             tenon_text text, const tenon_yaml **root);

// ---------------------------------------------------------------------------
// Failing
// ---------------------------------------------------------------------------

// "line 3, column 7" of the document's file.
#define TENON_YAML_WHERE 48
tenon_place tenon_yaml_place(const tenon_yaml *at,
                             char where[TENON_YAML_WHERE]);
tenon_status tenon_yaml_fail(const tenon_yaml *at, const char *id,
                             const char *fmt, ...) TENON_PRINTF(3, 4);
// With a note that says what to do, or what there is.
tenon_status tenon_yaml_fail_note(const tenon_yaml *at, const char *id,
                                  const char *note, const char *fmt, ...)
    TENON_PRINTF(4, 5);
// "expected a size, found 'x'": the end is said by what the node is.
tenon_status tenon_yaml_expected(const tenon_yaml *at, const char *what);

// ---------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------

// An empty scalar without quotes, `~` or `null`.
bool tenon_yaml_is_null(const tenon_yaml *at);
bool tenon_yaml_is(const tenon_yaml *at, const char *text);
// The value of a key; null: it is not there, or `at` is no map.
const tenon_yaml *tenon_yaml_get(const tenon_yaml *at, const char *key);

// That it is a map, a list.
tenon_status tenon_yaml_map(const tenon_yaml *at);
tenon_status tenon_yaml_list(const tenon_yaml *at);
// That it is a map with no other keys than these (ends with null). Every other
// one is reported, with the nearest of these.
tenon_status tenon_yaml_keys(const tenon_yaml *at, const char *const *known);
// The same, and `others` may stand there too without being offered.
tenon_status tenon_yaml_keys_beside(const tenon_yaml *at,
                                    const char *const *known,
                                    const char *const *others);
// The value of a key that must be there, and not be null.
tenon_status tenon_yaml_need(const tenon_yaml *at, const char *key,
                             const tenon_yaml **out);

// Scalars. A text is any scalar but a null, quoted or not, without a zero byte
// in it; numbers and booleans are scalars without quotes.
tenon_status tenon_yaml_text(const tenon_yaml *at, const char **out);
tenon_status tenon_yaml_bool(const tenon_yaml *at, bool *out);  // true, false
tenon_status tenon_yaml_int(const tenon_yaml *at, int64_t least, int64_t most,
                            int64_t *out);
tenon_status tenon_yaml_real(const tenon_yaml *at, double *out);
// One of these words (ends with null); *out is its index.
tenon_status tenon_yaml_word(const tenon_yaml *at, const char *const *words,
                             size_t *out);

#endif  // TENON_CONF_YAML_H
