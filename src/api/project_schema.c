// How: one property per key that the application knows, by its kind; the two
// sections of the library from the lists that reading checks keys with.
#include <string.h>

#include "api/project.h"
#include "base/heap.h"
#include "base/put.h"

#define ONE "\"type\": [\"string\", \"number\", \"boolean\"]"
#define SCALAR "{" ONE "}"
#define WORDS SCALAR ", {\"type\": \"array\", \"items\": " SCALAR "}"
#define MAP "{\"type\": \"object\", \"additionalProperties\": " SCALAR "}"
#define PAIR                                                 \
  "{\"type\": \"object\", \"additionalProperties\": " SCALAR \
  ", \"minProperties\": 2, \"maxProperties\": 2}"
// Of an attribute: what it is, its operator knows.
#define VALUE "\"type\": [\"string\", \"number\", \"boolean\", \"null\"]"

static const char *schema_text_type_of(uint32_t kind) {
  switch (kind) {
    case TENON_PROJECT_BOOL:
      return "\"type\": \"boolean\"";
    case TENON_PROJECT_INT:
      return "\"type\": \"integer\"";
    case TENON_PROJECT_NATURAL:
      return "\"type\": \"integer\", \"minimum\": 0";
    case TENON_PROJECT_COUNT:
      return "\"type\": \"integer\", \"minimum\": 1, \"maximum\": 2147483647";
    case TENON_PROJECT_REAL:
      return "\"type\": \"number\", \"minimum\": 0";
    case TENON_PROJECT_TEXT:
      return ONE;
    case TENON_PROJECT_WORDS:
      return "\"anyOf\": [" WORDS "]";
    case TENON_PROJECT_NAMES:
      return "\"anyOf\": [" WORDS
             ", {\"type\": \"object\", \"additionalProperties\": {\"anyOf\": "
             "[" WORDS "]}}]";
    case TENON_PROJECT_PAIR:
      return "\"anyOf\": [" PAIR ", {\"type\": \"array\", \"items\": " PAIR
             "}]";
    default:
      return "\"anyOf\": [" SCALAR ", " MAP
             ", {\"type\": \"array\", \"items\": {\"anyOf\": [" SCALAR ", " MAP
             "]}}]";
  }
}

static void put_key(tenon_buf *out, const tenon_project_key *key) {
  tenon_put_json(out, "    $: {$, 'description': $},\n", key->name,
                 tenon_as_plain(schema_text_type_of(key->kind)), key->doc);
}

// What stands under the keys of a rule and of a pass in a list.
static const struct part {
  const char *key, *type, *doc;
} parts[] = {
    {"type", ONE, "name of the operator, or a pattern"},
    {"id", ONE ", \"minimum\": 0",
     "number of the operator in the file, or a pattern for its place"},
    {"size",
     "\"type\": [\"integer\", \"string\"], \"minimum\": 0, \"pattern\": "
     "\"^\\\\s*[<>]?=?\\\\s*[0-9]{1,18}\\\\s*$\"",
     "bytes of the results: 64, '>= 1024', '< 4096'"},
    {"set",
     "\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{" VALUE
     "}, {\"type\": \"array\", \"items\": {" VALUE "}}]}",
     "attributes and their values"},
    {"name", ONE, "a name, or a pattern"},
    {"enabled", "\"type\": \"boolean\"", "whether it runs"},
    {"options", "\"type\": \"object\", \"additionalProperties\": " SCALAR,
     "its options and their values"},
};

static void schema_text_put_part(tenon_buf *out, const char *key) {
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (strcmp(parts[i].key, key) != 0) continue;
    tenon_put(out, "$, \"description\": \"$\"", parts[i].type, parts[i].doc);
  }
}

static void schema_text_put_places(tenon_buf *out) {
  tenon_buf_text(
      out, "\"anyOf\": [" SCALAR ", {\"type\": \"object\", \"properties\": {");
  for (size_t i = 0; tenon_project_place_keys[i]; ++i)
    tenon_buf_format(out, "%s\"%s\": " SCALAR, i ? ", " : "",
                     tenon_project_place_keys[i]);
  tenon_buf_text(out, "}, \"additionalProperties\": false}]");
}

// A list of maps with these keys, of which one is required; null: any.
static void put_section(tenon_buf *out, const char *name,
                        const char *const *keys, const char *required,
                        bool may_be_map) {
  tenon_buf_format(out, "    \"%s\": {\"anyOf\": [", name);
  tenon_put_json(
      out, "${'type': 'array', 'items': {'type': 'object', 'properties': {",
      tenon_as_plain(may_be_map
                         ? "{\"type\": \"object\", \"additionalProperties\": "
                           "{\"anyOf\": [{\"type\": \"boolean\"}, " MAP "]}}, "
                         : ""));
  for (size_t i = 0; keys[i]; ++i) {
    tenon_buf_format(out, "%s\"%s\": {", i ? ", " : "", keys[i]);
    if (strcmp(keys[i], "place") == 0) schema_text_put_places(out);
    schema_text_put_part(out, keys[i]);
    tenon_buf_char(out, '}');
  }
  tenon_buf_text(out, "}, ");
  if (required)
    tenon_buf_format(out, "\"required\": [\"%s\"], ", required);
  else
    tenon_buf_text(out,
                   "\"anyOf\": [{\"required\": [\"set\"]}, {\"required\": "
                   "[\"place\"]}], ");
  tenon_buf_text(out, "\"additionalProperties\": false}}]}");
}

tenon_status tenon_project_schema(const tenon_project_options *options,
                                  tenon_write_fn *write, void *self) {
  tenon_project_options o;
  tenon_buf out;
  tenon_report report = {{0}};
  if (!tenon_admit(&o, sizeof o, options))
    return tenon_fail(&report, TENON_BAD_ARGUMENT, "options-size", NULL,
                      "options of %u bytes use members past our %zu",
                      (unsigned)options->struct_size, sizeof o);
  report.sink = o.diag;
  tenon_allocator allocator = o.allocator.resize ? o.allocator : tenon_heap();
  tenon_buf_init(&out, allocator);
  tenon_buf_text(&out,
                 "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/"
                 "schema\",\n  \"title\": \"tenon.yaml\",\n  \"type\": "
                 "\"object\",\n  \"additionalProperties\": false,\n  "
                 "\"properties\": {\n");
  for (uint32_t i = 0; i < o.n_keys; ++i)
    put_key(&out, &o.keys[i]);
  put_section(&out, "passes", tenon_project_pass_keys, "name", true);
  tenon_buf_text(&out, ",\n");
  put_section(&out, "rules", tenon_project_rule_keys, NULL, false);
  tenon_buf_text(&out, "\n  }\n}\n");
  tenon_status status = out.failed
                            ? tenon_fail_memory(&report, "writing a schema")
                            : write(self, NULL, out.data, out.size);
  tenon_buf_deinit(&out);
  return status;
}
