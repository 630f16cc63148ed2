// cli/new/new.h - what the files of `tenon new` hand to each other.
//
// A new_spec says what is to be written: the operator by its schema, and what a
// model knows beyond that. new_plugin.c turns it into the text of a plugin,
// new_code.c writes its kernel and shape rule, new_model.c finds it in a model,
// new_named.c makes the schema of one that has a name there.
#ifndef TENON_CLI_NEW_H
#define TENON_CLI_NEW_H

#include <jansson.h>

#include "cli/cli.h"

#define NEW_MOST 64  // operands or results

typedef struct new_spec {
  const tenon_signature *signature;
  char id[256];              // C identifier: "acme_gain"
  char file[264];            // "acme_gain.c"
  const char *tflite_name;   // custom code; null: none
  const char *model;         // file it was found in; null: none
  uint32_t version;          // of the operator in the model; 0: unknown
  const unsigned char *raw;  // options that are no FlexBuffers map
  size_t raw_size;
  // Of tensor arguments and results by position, as kernels write them: "f32",
  // "s8q"; null: f32.
  const char *in_types[NEW_MOST];
  const char *out_types[NEW_MOST];
} new_spec;

// One tensor argument as the generated code sees it.
typedef struct new_operand {
  const tenon_argument_info *info;
  int index;         // among the tensor arguments
  const char *type;  // "f32", "s8q"
  bool is_list, is_optional;
} new_operand;

typedef struct new_plan {
  const new_spec *spec;
  new_operand in[NEW_MOST];
  size_t n_in;
  size_t n_attrs;
  bool has_lists;   // operands are found through in_group
  bool has_fields;  // every attribute fits a member of a struct
  int source;       // operand that results copy; -1: none
  bool is_simple;   // one operand, one result, of one type, nothing else
} new_plan;

// False when the schema cannot be served; reported.
bool new_plan_make(cli *c, const new_spec *spec, new_plan *out);
// The type of result i, and the C type of elements of a kernel type.
const char *new_result_type(const new_plan *p, size_t i);
const char *new_c_type(const char *type);
// The text of the plugin.
void new_plugin_write(const new_plan *p, tenon_buf *out);
void new_kernel_write(const new_plan *p, tenon_buf *out);
void new_infer_write(const new_plan *p, tenon_buf *out);
// A C identifier for a member or a variable: keywords get an underscore.
void new_identifier(const char *name, char *out, size_t size);

// From a model: finds nodes of `code`, fills `spec`, and writes the schema.
// What `spec` points to lives until new_model_free.
typedef struct new_model {
  struct json_t *document;
  tenon_buf text, schema, bytes;
  char set[128], base[128];
  char types[2 * NEW_MOST][16];
  size_t n_types;
} new_model;
int new_model_read(cli *c, tenon_context *cx, const char *code,
                   const char *path, new_model *m, new_spec *spec);
void new_model_free(new_model *m);
// The schema of a node that has a name of its own, not a custom code: as the
// file tells it, or else from what the node has.
int new_model_schema(cli *c, new_model *m, const struct json_t *node,
                     new_spec *spec);
// Whether the file tells how `op` is called: adds its schema to `out`, if that
// is not null.
bool new_model_tells(const new_model *m, const char *op, tenon_buf *out);
// "s8[1,2]{0.5:0}" as "s8q": the type as kernels write it; null: too many.
const char *new_model_type(new_model *m, const struct json_t *value);

// The string that an object has under a key; else "".
TENON_INLINE const char *new_text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

#endif  // TENON_CLI_NEW_H
