// How: one file from top to bottom, as plugins/acme/gain.c is laid out: what
// emitted C takes first, the descriptors behind TENON_EMITTED.
#include <string.h>

#include "cli/new/new.h"

static bool write_escaped(const char *text, cli_bytes *out) {
  bool ok = true, was_hex = false;
  for (; ok && *text; ++text) {
    unsigned char ch = (unsigned char)*text;
    bool is_digit = (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'f') ||
                    (ch >= 'A' && ch <= 'F');
    if (ch == '"' || ch == '\\')
      ok = cli_bytes_format(out, "\\%c", ch);
    else if (ch < 0x20 || ch >= 0x7f)
      ok = cli_bytes_format(out, "\\x%02x", ch);
    else
      ok = cli_bytes_format(out, was_hex && is_digit ? "\"\"%c" : "%c", ch);
    was_hex = ch < 0x20 || ch >= 0x7f;
  }
  return ok;
}

// A string literal in pieces of some 60 characters, broken behind blanks.
static bool write_literal(const char *text, cli_bytes *out) {
  bool ok = cli_bytes_add(out, "        \"", 9);
  size_t column = 0;
  for (; ok && *text; ++text, ++column) {
    char one[2] = {*text, 0};
    ok = write_escaped(one, out);
    if (ok && *text == ' ' && column > 55 && text[1]) {
      ok = cli_bytes_add(out, "\"\n        \"", 11);
      column = 0;
    }
  }
  return ok && cli_bytes_add(out, "\"", 1);
}

// Nothing that ends a comment or begins one.
static bool write_comment(const char *text, cli_bytes *out) {
  bool ok = true;
  for (; ok && *text; ++text) {
    unsigned char ch = (unsigned char)*text;
    bool is_plain = ch >= 0x20 && ch != '\\' && ch != 0x7f;
    ok = cli_bytes_format(out, "%c", is_plain ? ch : '?');
  }
  return ok;
}

static bool write_head(const new_plan *p, cli_bytes *out) {
  const new_spec *s = p->spec;
  bool ok = cli_bytes_format(out, "// %s - %s, a plugin for Tenon.\n//\n",
                             s->file, s->signature->name);
  if (ok && s->model)
    ok = cli_bytes_format(out, "// Written from ") &&
         write_comment(s->model, out) &&
         cli_bytes_format(out, ", where it is the unknown operator '") &&
         write_comment(s->tflite_name ? s->tflite_name : s->signature->name,
                       out) &&
         cli_bytes_format(out, "'.\n");
  return ok &&
         cli_bytes_format(
             out,
             "// It builds, loads and passes `tenon check` as it is, but what "
             "it computes is\n// a placeholder: results are copies of "
             "operands. To make it yours:\n//\n"
             "//   1. Put the computation into %s_%s (STEP 1).\n"
             "//   2. Say what the results are like in %s_infer (STEP 2).\n"
             "//   3. Correct `doc`, and TENON_OP_PURE if it is not (STEP "
             "3).\n"
             "//   4. More element types are more kernels; a `lower` lets "
             "passes see through\n"
             "//      it (tenon/ext/lower.h); both are optional.\n"
             "//   5. tenon check %s\n",
             s->id, new_result_type(p, 0), s->id, s->file);
}

static bool write_struct(const new_plan *p, cli_bytes *out) {
  const tenon_signature *s = p->spec->signature;
  if (!p->has_fields)
    return p->n_attrs == 0 ||
           cli_bytes_format(out,
                            "// No member of a struct can hold one of the "
                            "attributes: kernels get all of\n// them as an "
                            "array of tenon_arg, in the order of the "
                            "schema.\n\n");
  bool ok = cli_bytes_format(out, "typedef struct %s_attrs {\n", p->spec->id);
  for (size_t i = 0; ok && i < s->n_args; ++i) {
    char name[160];
    if (s->args[i].flags & TENON_ARGUMENT_TENSOR) continue;
    const char *type = cli_kind_type(s->args[i].kind);
    new_identifier(s->args[i].name, name, sizeof name);
    ok = cli_bytes_format(out, "  %s%s%s;\n", type,
                          type[strlen(type) - 1] == '*' ? "" : " ", name);
  }
  return ok && cli_bytes_format(out, "} %s_attrs;\n\n", p->spec->id);
}

static bool write_fields(const new_plan *p, cli_bytes *out) {
  const tenon_signature *s = p->spec->signature;
  const char *id = p->spec->id;
  if (!p->has_fields) return true;
  bool ok =
      cli_bytes_format(out, "static const tenon_field %s_fields[] = {\n", id);
  for (size_t i = 0; ok && i < s->n_args; ++i) {
    char name[160];
    if (s->args[i].flags & TENON_ARGUMENT_TENSOR) continue;
    new_identifier(s->args[i].name, name, sizeof name);
    ok = strcmp(name, s->args[i].name) == 0
             ? cli_bytes_format(out, "    TENON_FIELD(%s_attrs, %s),\n", id,
                                name)
             : cli_bytes_format(out,
                                "    TENON_FIELD_AS(%s_attrs, %s, \"%s\"),\n",
                                id, name, s->args[i].name);
  }
  return ok && cli_bytes_format(out, "    TENON_END_FIELDS};\n\n");
}

// Options that are no map: only the author knows what their bytes mean.
static bool write_reader(const new_plan *p, cli_bytes *out) {
  const new_spec *s = p->spec;
  if (!s->raw) return true;
  bool ok = cli_bytes_format(
      out,
      "// The model has %zu bytes of options for it, which are no FlexBuffers "
      "map:\n//  ",
      s->raw_size);
  for (size_t i = 0; ok && i < s->raw_size && i < 24; ++i)
    ok = cli_bytes_format(out, " %02x", s->raw[i]);
  return ok &&
         cli_bytes_format(
             out,
             "%s\n// What they mean has to be said here: attributes in the "
             "schema, members in the\n// struct, and reading them.\n"
             "static tenon_status %s_read_tflite(tenon_options *o, void "
             "*attrs) {\n  (void)attrs;\n"
             "  if (o->size != %zu)\n"
             "    return tenon_options_fail(o, 0, \"expected %zu bytes of "
             "options, found %%zu\",\n                              "
             "o->size);\n  return TENON_OK;\n}\n\n",
             s->raw_size > 24 ? " ..." : "", s->id, s->raw_size, s->raw_size);
}

static bool new_plugin_write_type(cli_bytes *out, const char *type,
                                  bool is_list, bool may_be_absent,
                                  bool is_first) {
  return cli_bytes_format(out, "%s%s%s%s", is_first ? "" : ", ", type,
                          may_be_absent ? "?" : "", is_list ? "..." : "");
}

static bool write_types(const new_plan *p, cli_bytes *out) {
  const tenon_signature *s = p->spec->signature;
  bool ok = true;
  for (size_t i = 0; ok && i < p->n_in; ++i) {
    // Of a list only elements can be absent: "Tensor?[]".
    bool absent = p->in[i].is_optional &&
                  (!p->in[i].is_list || strstr(p->in[i].info->type, "?["));
    ok = new_plugin_write_type(out, p->in[i].type, p->in[i].is_list, absent,
                               i == 0);
  }
  ok = ok && cli_bytes_format(out, p->n_in ? " -> " : "() -> ");
  for (size_t i = 0; ok && i < s->n_results; ++i) {
    const char *type = new_result_type(p, i);
    for (size_t k = 0; k < p->n_in; ++k)
      if (p->in[k].info->written == (int32_t)i) type = p->in[k].type;
    ok = new_plugin_write_type(out, type,
                               (s->results[i].flags & TENON_ARGUMENT_LIST) != 0,
                               false, i == 0);
  }
  size_t n = s->n_results;
  for (size_t i = 0; ok && i < p->n_in; ++i)
    if (p->in[i].info->written >= (int32_t)s->n_results)
      ok = new_plugin_write_type(out, p->in[i].type, p->in[i].is_list, false,
                                 n++ == 0);
  return ok;
}

static bool write_kernel_desc(const new_plan *p, cli_bytes *out) {
  const char *id = p->spec->id, *type = new_result_type(p, 0);
  return cli_bytes_format(
             out,
             "static const tenon_kernel_desc %s_kernel = {\n"
             "    TENON_KERNEL_RUN(%s_%s),\n"
             "    .flags = TENON_KERNEL_NOFAIL,\n%s"
             "    .types = \"",
             id, id, type,
             p->is_simple ? "    .in_place = TENON_IN_PLACE(0, 0),\n" : "") &&
         write_types(p, out) && cli_bytes_format(out, "\",\n};\n\n");
}

static bool write_op_desc(const new_plan *p, cli_bytes *out) {
  const new_spec *s = p->spec;
  const char *id = s->id;
  bool ok = cli_bytes_format(out,
                             "static const tenon_op_desc %s_op = {\n"
                             "    .struct_size = sizeof(tenon_op_desc),\n"
                             "    // STEP 3: pure, if only its results matter; "
                             "then it may be folded.\n"
                             "    .flags = TENON_OP_PURE,\n"
                             "    .schema =\n",
                             id) &&
            write_literal(s->signature->text, out) &&
            cli_bytes_format(out,
                             ",\n    .doc = \"A placeholder: copies of its "
                             "operands.\",  // STEP 3\n");
  if (ok && p->has_fields)
    ok = cli_bytes_format(out, "    TENON_OP_ATTRS(%s_attrs, %s_fields),\n", id,
                          id);
  ok =
      ok && cli_bytes_format(out,
                             "    .infer = %s_infer,\n    .kernels = (const "
                             "tenon_kernel_desc *const[]){&%s_kernel, NULL},\n",
                             id, id);
  if (ok && s->tflite_name)
    ok = cli_bytes_format(out, "    .tflite_name = \"") &&
         write_escaped(s->tflite_name, out) && cli_bytes_format(out, "\",\n");
  if (ok && s->raw)
    ok = cli_bytes_format(out, "    .read_tflite = %s_read_tflite,\n", id);
  return ok && cli_bytes_format(out, "};\n\n");
}

bool new_plugin_write(const new_plan *p, cli_bytes *out) {
  const char *id = p->spec->id;
  return write_head(p, out) &&
         cli_bytes_format(out,
                          "#include <math.h>\n%s\n"
                          "#include \"tenon/tensor.h\"\n\n",
                          p->is_simple ? "" : "#include <string.h>\n") &&
         write_struct(p, out) && new_kernel_write(p, out) &&
         cli_bytes_format(
             out,
             "\n// Up to here the file is also part of emitted C.\n"
             "#ifndef TENON_EMITTED\n"
             "#include \"tenon/ext/plugin.h\"\n\n") &&
         write_fields(p, out) && new_infer_write(p, out) &&
         write_reader(p, out) && write_kernel_desc(p, out) &&
         write_op_desc(p, out) &&
         cli_bytes_format(out,
                          "TENON_PLUGIN_OPS(%s, \"0.1.0\", &%s_op);\n\n"
                          "#endif  // TENON_EMITTED\n",
                          id, id);
}
