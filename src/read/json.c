// How: one walk over the text counts what limits are about and looks for bare
// tokens, which jansson refuses: what is not finite, and integers beyond 64
// bits. Only a text that has some is copied, with them in quotes. jansson does
// the rest: it checks UTF-8, keeps integers of 64 bits, and lets the last of
// equal keys win.
#include "read/json.h"

#include <math.h>
#include <string.h>

#include "base/heap.h"
#include "base/label.h"
#include "base/text.h"

#define fail_text(doc, at, ...)                                           \
  tenon_fail((doc)->report, TENON_BAD_MODEL, "json-text",                 \
             &(const tenon_place){(doc)->file, (doc)->name, NULL, at, 0}, \
             __VA_ARGS__)

// ---------------------------------------------------------------------------
// The text
// ---------------------------------------------------------------------------

static const char *const bare[] = {"NaN", "Infinity", "-Infinity"};

// As few digits as an integer beyond 64 bits has.
#define MANY_DIGITS 19

static bool is_digit(uint8_t c) {
  return c >= '0' && c <= '9';
}

// The bytes of the integer at `at`; 0: a number with a point, or none.
static size_t integer_at(tenon_bytes text, size_t at) {
  size_t end = at + (text.data[at] == '-');
  while (end < text.size && is_digit(text.data[end]))
    ++end;
  bool is_real = end < text.size &&
                 (text.data[end] == '.' || (text.data[end] | 0x20) == 'e');
  return is_real ? 0 : end - at;
}

// The bytes of the bare token at `at`; 0: none.
static size_t bare_at(tenon_bytes text, size_t at) {
  uint8_t c = text.data[at];
  for (size_t i = 0; i < sizeof bare / sizeof *bare && !is_digit(c); ++i) {
    size_t size = strlen(bare[i]);
    if (size <= text.size - at && memcmp(text.data + at, bare[i], size) == 0)
      return size;
  }
  bool begins = at == 0 || !(is_digit(text.data[at - 1]) ||
                             strchr("-+.eE", text.data[at - 1]));
  size_t size = begins && (c == '-' || is_digit(c)) ? integer_at(text, at) : 0;
  int64_t value = 0;
  tenon_text digits = {(const char *)text.data + at, size};
  return size >= MANY_DIGITS && !tenon_text_int(digits, &value) ? size : 0;
}

// The byte behind the string that begins at `at`.
static size_t skip_string(tenon_bytes text, size_t at) {
  for (++at; at < text.size && text.data[at] != '"'; ++at) {
    if (text.data[at] == '\\') ++at;
  }
  return at < text.size ? at + 1 : text.size;
}

static tenon_status survey(const tenon_json_doc *doc, tenon_bytes text,
                           bool *has_bare) {
  int depth = 0;
  uint32_t nodes = 0;
  *has_bare = false;
  for (size_t at = 0; at < text.size;) {
    uint8_t c = text.data[at];
    if (c == '"') {
      at = skip_string(text, at);
      continue;
    }
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if ((c == '{' || c == '[') && ++nodes > TENON_JSON_NODES)
      return fail_text(doc, at, "more than %u arrays and objects",
                       (unsigned)TENON_JSON_NODES);
    if (depth > TENON_JSON_DEPTH)
      return fail_text(doc, at, "arrays and objects nest deeper than %d",
                       TENON_JSON_DEPTH);
    *has_bare =
        *has_bare || ((c == 'N' || c == 'I' || c == '-' || is_digit(c)) &&
                      bare_at(text, at) > 0);
    ++at;
  }
  return TENON_OK;
}

static void quote_bare(tenon_bytes text, tenon_buf *out) {
  const char *from = (const char *)text.data;
  size_t done = 0;
  for (size_t at = 0; at < text.size;) {
    if (text.data[at] == '"') {
      at = skip_string(text, at);
      continue;
    }
    const size_t size = bare_at(text, at);
    if (size == 0) {
      ++at;
      continue;
    }
    tenon_buf_add(out, from + done, at - done);
    tenon_buf_char(out, '"');
    tenon_buf_add(out, from + at, size);
    tenon_buf_char(out, '"');
    at = done = at + size;
  }
  tenon_buf_add(out, from + done, text.size - done);
}

static tenon_status json_load(tenon_json_doc *doc, const char *text,
                              size_t size) {
  json_error_t error;
  doc->root = json_loadb(text, size, 0, &error);
  if (doc->root) return TENON_OK;
  if (json_error_code(&error) == json_error_out_of_memory)
    return tenon_fail_memory(doc->report, "reading JSON");
  // What jansson quotes from the text may be of any length and content.
  char label[TENON_LABEL];
  char *near = strstr(error.text, " near '");
  if (near) *near = 0;
  tenon_label_make(label, tenon_text_of(error.text));
  return fail_text(doc, error.position > 0 ? (uint64_t)error.position : 0,
                   "line %d, column %d: %s", error.line, error.column, label);
}

tenon_status tenon_json_parse(tenon_json_doc *doc, tenon_bytes text,
                              const tenon_allocator *allocator,
                              const tenon_report *report, const char *file,
                              const char *name) {
  bool has_bare = false;
  memset(doc, 0, sizeof *doc);
  doc->report = report;
  doc->file = file;
  doc->name = name;
  tenon_buf_init(&doc->where, *allocator);
  if (text.size == 0) return fail_text(doc, 0, "is empty");
  TENON_TRY(survey(doc, text, &has_bare));
  if (!has_bare) return json_load(doc, (const char *)text.data, text.size);
  tenon_buf quoted;
  tenon_buf_init(&quoted, *allocator);
  quote_bare(text, &quoted);
  tenon_status status = quoted.failed
                            ? tenon_fail_memory(report, "reading JSON")
                            : json_load(doc, quoted.data, quoted.size);
  tenon_buf_deinit(&quoted);
  return status;
}

void tenon_json_deinit(tenon_json_doc *doc) {
  json_decref(doc->made);
  json_decref(doc->root);
  doc->made = doc->root = NULL;
  tenon_buf_deinit(&doc->where);
}

bool tenon_json_keep(tenon_json_doc *doc, json_t *value) {
  if (!doc->made) doc->made = json_array();
  if (doc->made) return json_array_append_new(doc->made, value) == 0;
  json_decref(value);
  return false;
}

// ---------------------------------------------------------------------------
// Going down
// ---------------------------------------------------------------------------

tenon_json tenon_json_root(tenon_json_doc *doc) {
  return (tenon_json){doc, doc->root, NULL, NULL, 0};
}

static const json_t *present(const json_t *value) {
  return value && !json_is_null(value) ? value : NULL;
}

tenon_json tenon_json_get(const tenon_json *at, const char *key) {
  const json_t *value = at->value ? json_object_get(at->value, key) : NULL;
  return (tenon_json){at->doc, present(value), at, key, 0};
}

tenon_json tenon_json_item(const tenon_json *at, size_t index) {
  const json_t *value = at->value ? json_array_get(at->value, index) : NULL;
  return (tenon_json){at->doc, present(value), at, NULL, index};
}

size_t tenon_json_count(const tenon_json *at) {
  return at->value ? json_array_size(at->value) : 0;
}

// ---------------------------------------------------------------------------
// Places
// ---------------------------------------------------------------------------

static void print_path(const tenon_json *at, tenon_buf *out) {
  char label[TENON_LABEL];
  if (!at->parent) {
    tenon_buf_text(out, at->doc->name);
    return;
  }
  print_path(at->parent, out);
  if (at->key) {
    tenon_label_make(label, tenon_text_of(at->key));
    tenon_buf_text(out, at->parent->parent ? "." : ": ");
    tenon_buf_text(out, label);
  } else {
    tenon_buf_format(out, "[%zu]", at->index);
  }
}

tenon_place tenon_json_place(const tenon_json *at) {
  tenon_json_doc *doc = at->doc;
  tenon_buf_clear(&doc->where);
  print_path(at, &doc->where);
  bool has_path = !doc->where.failed && doc->where.data;
  return (tenon_place){doc->file, has_path ? doc->where.data : doc->name, NULL,
                       0, 0};
}

tenon_status tenon_json_fail(const tenon_json *at, tenon_status status,
                             const char *id, const char *fmt, ...) {
  tenon_place place = tenon_json_place(at);
  va_list args;
  va_start(args, fmt);
  status = tenon_vfail(at->doc->report, status, id, &place, NULL, fmt, args);
  va_end(args);
  return status;
}

// ---------------------------------------------------------------------------
// Kinds
// ---------------------------------------------------------------------------

// An integer that was put in quotes, or a text that looks like one.
static bool is_big(const json_t *value) {
  if (!json_is_string(value)) return false;
  const char *digits = json_string_value(value);
  const size_t size = strlen(digits);
  tenon_bytes text = {(const uint8_t *)digits, size};
  return size >= MANY_DIGITS && bare_at(text, 0) == size;
}

static tenon_status json_expected(const tenon_json *at, const char *what) {
  static const char *const kinds[] = {"an object",  "an array", "a string",
                                      "an integer", "a real",   "true",
                                      "false",      "null"};
  if (!at->value)
    return tenon_json_fail(at, TENON_BAD_MODEL, "json-value",
                           "expected %s, found nothing", what);
  return tenon_json_fail(at, TENON_BAD_MODEL, "json-value",
                         "expected %s, found %s", what,
                         is_big(at->value) ? "an integer beyond 64 bits"
                                           : kinds[json_typeof(at->value)]);
}

tenon_status tenon_json_object(const tenon_json *at) {
  return json_is_object(at->value) ? TENON_OK : json_expected(at, "an object");
}

tenon_status tenon_json_array(const tenon_json *at) {
  return json_is_array(at->value) ? TENON_OK : json_expected(at, "an array");
}

tenon_status tenon_json_text(const tenon_json *at, const char **out) {
  if (!json_is_string(at->value)) return json_expected(at, "a string");
  *out = json_string_value(at->value);
  return TENON_OK;
}

tenon_status tenon_json_int(const tenon_json *at, int64_t *out) {
  if (!json_is_integer(at->value)) return json_expected(at, "an integer");
  *out = json_integer_value(at->value);
  return TENON_OK;
}

tenon_status tenon_json_bool(const tenon_json *at, bool *out) {
  if (!json_is_boolean(at->value)) return json_expected(at, "true or false");
  *out = json_is_true(at->value);
  return TENON_OK;
}

tenon_status tenon_json_real(const tenon_json *at, double *out) {
  static const double values[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; json_is_string(at->value) && i < 3; ++i) {
    if (strcmp(json_string_value(at->value), bare[i]) != 0) continue;
    *out = values[i];
    return TENON_OK;
  }
  if (is_big(at->value) &&
      tenon_text_double(tenon_text_of(json_string_value(at->value)), out))
    return TENON_OK;
  if (!json_is_number(at->value)) return json_expected(at, "a number");
  *out = json_number_value(at->value);
  return TENON_OK;
}

tenon_status tenon_json_tag(const tenon_json *at, const char **tag,
                            tenon_json *value) {
  const char *key = NULL;
  json_t *child = NULL;
  size_t n = 0;
  TENON_TRY(tenon_json_object(at));
  size_t size = json_object_size(at->value);
  json_object_foreach((json_t *)(uintptr_t)at->value, key, child) {
    if (size > 1 && json_is_null(child)) continue;
    *tag = key;
    ++n;
  }
  if (n != 1)
    return tenon_json_fail(at, TENON_BAD_MODEL, "json-value",
                           "expected one member that names the kind, such as "
                           "as_tensor or as_int; found %zu",
                           n);
  *value = tenon_json_get(at, *tag);
  return TENON_OK;
}
