// read/json.h - a JSON text as values that know where they stand.
//
// jansson parses; here are limits, places and checks. A tenon_json is a value
// with the way to it, so that a failure can say "models/model.json:
// graph_module.graph.nodes[3].inputs[1]"; it points to its parent, which must
// outlive it. Reading past what is there gives absent values, and only asking
// for a kind fails. A null counts as absent.
//
// jansson takes its memory from malloc: its allocator is one for the process,
// which a library must not touch. How much it may take is limited by the text.
#ifndef TENON_READ_JSON_H
#define TENON_READ_JSON_H

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "core/report.h"

typedef struct tenon_json_doc {
  const tenon_report *report;
  const char *file, *name;  // in places: the model, and the text in it
  json_t *root;
  json_t *made;  // what was put together from it (tenon_json_keep)
  tenon_buf where;
} tenon_json_doc;

typedef struct tenon_json {
  tenon_json_doc *doc;
  const json_t *value;  // null: absent
  const struct tenon_json *parent;
  const char *key;  // in its parent; null: `index` counts
  size_t index;
} tenon_json;

// Nesting of arrays and objects, and their number.
#define TENON_JSON_DEPTH 1000
#define TENON_JSON_NODES (1u << 22)

// Parses a text whose root is an object or an array. Bare NaN, Infinity and
// -Infinity, and integers beyond 64 bits, are read as strings. `doc` is
// deinitialised in any case.
tenon_status tenon_json_parse(tenon_json_doc *doc, tenon_bytes text,
                              const tenon_allocator *allocator,
                              const tenon_report *report, const char *file,
                              const char *name);
void tenon_json_deinit(tenon_json_doc *doc);
tenon_json tenon_json_root(tenon_json_doc *doc);
// Takes a value over and keeps it as long as the document.
bool tenon_json_keep(tenon_json_doc *doc, json_t *value);

tenon_json tenon_json_get(const tenon_json *at, const char *key);
// The same for what takes a pointer: lives as long as the block that it is in.
#define tenon_json_at(at, key) \
  ((const tenon_json[]){tenon_json_get((at), (key))})
tenon_json tenon_json_item(const tenon_json *at, size_t index);
size_t tenon_json_count(const tenon_json *at);  // of an array; else 0
TENON_INLINE bool tenon_json_is(const tenon_json *at) {
  return at->value != NULL;
}
// The place of the value. Overwritten by the next call for the document.
tenon_place tenon_json_place(const tenon_json *at);
tenon_status tenon_json_fail(const tenon_json *at, tenon_status status,
                             const char *id, const char *fmt, ...)
    TENON_PRINTF(4, 5);

// These fail where the value is absent or of another kind. Texts live as long
// as the document.
tenon_status tenon_json_object(const tenon_json *at);
tenon_status tenon_json_array(const tenon_json *at);
tenon_status tenon_json_text(const tenon_json *at, const char **out);
tenon_status tenon_json_int(const tenon_json *at, int64_t *out);
tenon_status tenon_json_bool(const tenon_json *at, bool *out);
// Also an integer, of any size, and "NaN", "Infinity", "-Infinity".
tenon_status tenon_json_real(const tenon_json *at, double *out);
// The one member of an object that is a union, or the one that is not null.
// *value is below *at.
tenon_status tenon_json_tag(const tenon_json *at, const char **tag,
                            tenon_json *value);

#endif  // TENON_READ_JSON_H
