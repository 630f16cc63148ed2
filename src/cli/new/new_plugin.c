// How: one file from top to bottom, as plugins/acme/gain.c is laid out: what
// emitted C takes first, the descriptors behind TENON_EMITTED.
#include <string.h>

#include "cli/new/new.h"

static void write_escaped(const char *text, tenon_buf *out) {
  bool was_hex = false;
  for (; *text; ++text) {
    unsigned char ch = (unsigned char)*text;
    bool is_digit = (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'f') ||
                    (ch >= 'A' && ch <= 'F');
    if (ch == '"' || ch == '\\')
      tenon_buf_format(out, "\\%c", ch);
    else if (ch < 0x20 || ch >= 0x7f)
      tenon_buf_format(out, "\\x%02x", ch);
    else
      tenon_buf_format(out, was_hex && is_digit ? "\"\"%c" : "%c", ch);
    was_hex = ch < 0x20 || ch >= 0x7f;
  }
}

// A string literal in pieces of some 60 characters, broken behind blanks.
static void write_literal(const char *text, tenon_buf *out) {
  tenon_buf_text(out, "        \"");
  size_t column = 0;
  for (; *text; ++text, ++column) {
    char one[2] = {*text, 0};
    write_escaped(one, out);
    if (*text == ' ' && column > 55 && text[1]) {
      tenon_buf_text(out, "\"\n        \"");
      column = 0;
    }
  }
  tenon_buf_char(out, '"');
}

// Nothing that ends a comment or begins one.
static void write_comment(const char *text, tenon_buf *out) {
  for (; *text; ++text) {
    unsigned char ch = (unsigned char)*text;
    bool is_plain = ch >= 0x20 && ch != '\\' && ch != 0x7f;
    tenon_buf_char(out, is_plain ? *text : '?');
  }
}

static void write_head(const new_plan *p, tenon_buf *out) {
  const new_spec *s = p->spec;
  tenon_put(out, "// $ - $, a plugin for Tenon.\n//\n", s->file,
            s->signature->name);
  if (s->model) {
    tenon_buf_text(out, "// Written from ");
    write_comment(s->model, out);
    tenon_buf_text(out, ", where it is the unknown operator '");
    write_comment(s->tflite_name ? s->tflite_name : s->signature->name, out);
    tenon_buf_text(out, "'.\n");
  }
  tenon_put(out,
            "// It builds, loads and passes `tenon check` as it is, but what "
            "it computes is\n// a placeholder: results are copies of "
            "operands. To make it yours:\n//\n"
            "//   1. Put the computation into $_$ (STEP 1).\n"
            "//   2. Say what the results are like in $_infer (STEP 2).\n"
            "//   3. Correct `doc`, and TENON_OP_PURE if it is not (STEP "
            "3).\n"
            "//   4. More element types are more kernels; a `lower` lets "
            "passes see through\n"
            "//      it (tenon/ext/lower.h); both are optional.\n"
            "//   5. tenon check $\n",
            s->id, new_result_type(p, 0), s->id, s->file);
}

static void write_struct(const new_plan *p, tenon_buf *out) {
  const tenon_signature *s = p->spec->signature;
  if (!p->has_fields) {
    if (p->n_attrs)
      tenon_buf_text(out,
                     "// No member of a struct can hold one of the "
                     "attributes: kernels get all of\n// them as an "
                     "array of tenon_arg, in the order of the "
                     "schema.\n\n");
    return;
  }
  tenon_put(out, "typedef struct $_attrs {\n", p->spec->id);
  for (size_t i = 0; i < s->n_args; ++i) {
    char name[160];
    if (s->args[i].flags & TENON_ARGUMENT_TENSOR) continue;
    const char *type = cli_kind_type(s->args[i].kind);
    new_identifier(s->args[i].name, name, sizeof name);
    tenon_put(out, "  $$$;\n", type, type[strlen(type) - 1] == '*' ? "" : " ",
              name);
  }
  tenon_put(out, "} $_attrs;\n\n", p->spec->id);
}

static void write_fields(const new_plan *p, tenon_buf *out) {
  const tenon_signature *s = p->spec->signature;
  const char *id = p->spec->id;
  if (!p->has_fields) return;
  tenon_put(out, "static const tenon_field $_fields[] = {\n", id);
  for (size_t i = 0; i < s->n_args; ++i) {
    char name[160];
    if (s->args[i].flags & TENON_ARGUMENT_TENSOR) continue;
    new_identifier(s->args[i].name, name, sizeof name);
    if (strcmp(name, s->args[i].name) == 0)
      tenon_put(out, "    TENON_FIELD($_attrs, $),\n", id, name);
    else
      tenon_put(out, "    TENON_FIELD_AS($_attrs, $, \"$\"),\n", id, name,
                s->args[i].name);
  }
  tenon_buf_text(out, "    TENON_END_FIELDS};\n\n");
}

// Options that are no map: only the author knows what their bytes mean.
static void write_reader(const new_plan *p, tenon_buf *out) {
  const new_spec *s = p->spec;
  if (!s->raw) return;
  tenon_put(out,
            "// The model has $ bytes of options for it, which are no "
            "FlexBuffers map:\n//  ",
            s->raw_size);
  for (size_t i = 0; i < s->raw_size && i < 24; ++i)
    tenon_buf_format(out, " %02x", s->raw[i]);
  tenon_put(out,
            "$\n// What they mean has to be said here: attributes in the "
            "schema, members in the\n// struct, and reading them.\n"
            "static tenon_status $_read_tflite(tenon_options *o, void "
            "*attrs) {\n  (void)attrs;\n"
            "  if (o->size != $)\n"
            "    return tenon_options_fail(o, 0, \"expected $ bytes of "
            "options, found %zu\",\n                              "
            "o->size);\n  return TENON_OK;\n}\n\n",
            s->raw_size > 24 ? " ..." : "", s->id, s->raw_size, s->raw_size);
}

static void new_plugin_write_type(tenon_buf *out, const char *type,
                                  bool is_list, bool may_be_absent,
                                  bool is_first) {
  tenon_put(out, "$$$$", is_first ? "" : ", ", type, may_be_absent ? "?" : "",
            is_list ? "..." : "");
}

static void write_types(const new_plan *p, tenon_buf *out) {
  const tenon_signature *s = p->spec->signature;
  for (size_t i = 0; i < p->n_in; ++i) {
    // Of a list only elements can be absent: "Tensor?[]".
    bool absent = p->in[i].is_optional &&
                  (!p->in[i].is_list || strstr(p->in[i].info->type, "?["));
    new_plugin_write_type(out, p->in[i].type, p->in[i].is_list, absent, i == 0);
  }
  tenon_buf_text(out, p->n_in ? " -> " : "() -> ");
  for (size_t i = 0; i < s->n_results; ++i) {
    const char *type = new_result_type(p, i);
    for (size_t k = 0; k < p->n_in; ++k)
      if (p->in[k].info->written == (int32_t)i) type = p->in[k].type;
    new_plugin_write_type(out, type,
                          (s->results[i].flags & TENON_ARGUMENT_LIST) != 0,
                          false, i == 0);
  }
  size_t n = s->n_results;
  for (size_t i = 0; i < p->n_in; ++i)
    if (p->in[i].info->written >= (int32_t)s->n_results)
      new_plugin_write_type(out, p->in[i].type, p->in[i].is_list, false,
                            n++ == 0);
}

static void write_kernel_desc(const new_plan *p, tenon_buf *out) {
  const char *id = p->spec->id;
  tenon_put(out,
            "static const tenon_kernel_desc $_kernel = {\n"
            "    TENON_KERNEL_RUN($_$),\n"
            "    .flags = TENON_KERNEL_NOFAIL,\n$"
            "    .types = \"",
            id, id, new_result_type(p, 0),
            p->is_simple ? "    .in_place = TENON_IN_PLACE(0, 0),\n" : "");
  write_types(p, out);
  tenon_buf_text(out, "\",\n};\n\n");
}

static void write_op_desc(const new_plan *p, tenon_buf *out) {
  const new_spec *s = p->spec;
  const char *id = s->id;
  tenon_put(out,
            "static const tenon_op_desc $_op = {\n"
            "    .struct_size = sizeof(tenon_op_desc),\n"
            "    // STEP 3: pure, if only its results matter; "
            "then it may be folded.\n"
            "    .flags = TENON_OP_PURE,\n"
            "    .schema =\n",
            id);
  write_literal(s->signature->text, out);
  tenon_buf_text(out,
                 ",\n    .doc = \"A placeholder: copies of its "
                 "operands.\",  // STEP 3\n");
  if (p->has_fields)
    tenon_put(out, "    TENON_OP_ATTRS($_attrs, $_fields),\n", id, id);
  tenon_put(out,
            "    .infer = $_infer,\n    .kernels = (const "
            "tenon_kernel_desc *const[]){&$_kernel, NULL},\n",
            id, id);
  if (s->tflite_name) {
    tenon_buf_text(out, "    .tflite_name = \"");
    write_escaped(s->tflite_name, out);
    tenon_buf_text(out, "\",\n");
  }
  if (s->raw) tenon_put(out, "    .read_tflite = $_read_tflite,\n", id);
  tenon_buf_text(out, "};\n\n");
}

void new_plugin_write(const new_plan *p, tenon_buf *out) {
  const char *id = p->spec->id;
  write_head(p, out);
  tenon_put(out, "#include <math.h>\n$\n#include \"tenon/tensor.h\"\n\n",
            p->is_simple ? "" : "#include <string.h>\n");
  write_struct(p, out);
  new_kernel_write(p, out);
  tenon_buf_text(out,
                 "\n// Up to here the file is also part of emitted C.\n"
                 "#ifndef TENON_EMITTED\n"
                 "#include \"tenon/ext/plugin.h\"\n\n");
  write_fields(p, out);
  new_infer_write(p, out);
  write_reader(p, out);
  write_kernel_desc(p, out);
  write_op_desc(p, out);
  tenon_put(out,
            "TENON_PLUGIN_OPS($, \"0.1.0\", &$_op);\n\n"
            "#endif  // TENON_EMITTED\n",
            id, id);
}
