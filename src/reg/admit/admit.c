// reg/admit/admit.c - manifests and descriptors of operators and lowerings;
// those of kernels are in admit_kernel.c, all others in admit_extension.c.
//
// Nothing of a struct but its first four bytes is read before its size is
// known to be one that this library understands. A copy is made on the stack,
// checked, and put into the arena when it holds together; strings and tables it
// points to stay where they are, since a plugin outlives its context.
#include "reg/admit/admit.h"

#include <string.h>

#include "core/attr.h"
#include "reg/store.h"

#define REBUILD                                                             \
  "build the plugin with the headers of this library, or load it into the " \
  "library it was built for"

tenon_status tenon_admit_copy(const tenon_subject *subject, void *out,
                              size_t size, const void *in) {
  uint32_t found = *(const uint32_t *)in;
  if (found == size) {
    memcpy(out, in, size);
    return TENON_OK;
  }
  if (tenon_admit(out, size, in)) return TENON_OK;
  if (found < sizeof(uint32_t) || found > 4096) {
    return tenon_refuse(subject, TENON_BAD_PLUGIN, "plugin-size",
                        "the first member is struct_size: sizeof of the struct",
                        "a descriptor says it has %u bytes, this library's has "
                        "%zu",
                        (unsigned)found, size);
  }
  return tenon_refuse(subject, TENON_BAD_PLUGIN, "plugin-size", REBUILD,
                      "descriptor of %u bytes uses members past our %zu",
                      (unsigned)found, size);
}

tenon_status tenon_admit_flags(const tenon_subject *subject, uint32_t flags,
                               uint32_t known) {
  if ((flags & ~known) == 0) return TENON_OK;
  return tenon_refuse(subject, TENON_BAD_PLUGIN, "plugin-flags", REBUILD,
                      "flags 0x%x, of which this library knows 0x%x",
                      (unsigned)flags, (unsigned)known);
}

// What stands before `name` is never moved, in any version.
static tenon_status check_header(const tenon_subject *s,
                                 const tenon_plugin *in) {
  if (in->magic != TENON_PLUGIN_MAGIC) {
    return tenon_refuse(
        s, TENON_BAD_PLUGIN, "plugin-magic",
        "a manifest begins with TENON_PLUGIN_HEADER",
        "magic 0x%08x, expected 0x%08x: not a plugin's manifest",
        (unsigned)in->magic, TENON_PLUGIN_MAGIC);
  }
  if (in->abi_major != TENON_ABI_MAJOR) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-abi", REBUILD,
                        "plugin has ABI %u, this library has %u",
                        (unsigned)in->abi_major, (unsigned)TENON_ABI_MAJOR);
  }
  if (in->pointer_size != sizeof(void *) ||
      in->call_size != sizeof(tenon_call)) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-layout", REBUILD,
                        "plugin has pointers of %u and calls of %u bytes, this "
                        "library of %zu and %zu",
                        (unsigned)in->pointer_size, (unsigned)in->call_size,
                        sizeof(void *), sizeof(tenon_call));
  }
  return TENON_OK;
}

bool tenon_admit_is_word(const char *text) {
  if (!text || !*text) return false;
  for (; *text; ++text) {
    unsigned char c = (unsigned char)*text;
    if (c <= ' ' || c == ';' || c == ',' || c == 127) return false;
  }
  return true;
}

tenon_status tenon_admit_plugin(const tenon_context *cx, const char *where,
                                const tenon_plugin *in, tenon_plugin *out) {
  tenon_owner owner = {.name = "plugin", .origin = where};
  tenon_subject s = {cx, &owner, "manifest", NULL};
  TENON_TRY(check_header(&s, in));
  TENON_TRY(tenon_admit_copy(&s, out, sizeof *out, in));
  if (!tenon_admit_is_word(out->name)) {
    return tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-manifest",
                        "letters, digits, '_', '-' and '.' make a good one",
                        "the plugin has no name, or one with blanks or commas");
  }
  owner.name = out->name;
  if (!out->version) {
    return tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-manifest",
                        "such as .version = \"1.0.0\"",
                        "the plugin has no version");
  }
  return TENON_OK;
}

// An operator that is only declared may hold whatever files do.
static tenon_status parse_schema(tenon_arena *arena, const tenon_subject *s,
                                 const char *text, bool is_declared,
                                 tenon_schema **out) {
  char error[TENON_ADMIT_ERROR];
  size_t at = 0;
  if (!text) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-schema",
                        "such as \"acme::gain(Tensor x) -> Tensor\"",
                        "the descriptor has no schema");
  }
  error[0] = 0;
  if (tenon_schema_parse(arena, text, out, error, sizeof error, &at) &&
      (is_declared ||
       tenon_schema_check_types(*out, text, error, sizeof error, &at)))
    return TENON_OK;
  if (arena->failed)
    return tenon_fail_memory(&s->cx->report, "parsing a schema");
  return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-schema", NULL,
                      "schema '%.200s', at byte %zu: %s", text, at, error);
}

static tenon_status check_fields(const tenon_subject *s,
                                 const tenon_op_desc *desc,
                                 const tenon_schema *schema) {
  char error[TENON_ADMIT_ERROR] = "";
  if (!desc->fields) {
    if (desc->attrs_size == 0 && !desc->attrs_type) return TENON_OK;
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-fields",
                        "list them with TENON_FIELD, or leave out attrs_size "
                        "and attrs_type to get attributes as tenon_arg",
                        "an attribute struct of %zu bytes without fields",
                        desc->attrs_size);
  }
  if (tenon_attr_check_fields(schema, desc->fields, desc->attrs_size, error,
                              sizeof error)) {
    return TENON_OK;
  }
  return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-fields",
                      "every attribute of the schema has one field, every "
                      "member of the struct is one; attrs_size is its sizeof",
                      "%s", error);
}

static tenon_status admit_check_op(const tenon_subject *s,
                                   const tenon_op_desc *desc,
                                   const tenon_schema *schema) {
  bool has_kernel = desc->kernels && desc->kernels[0];
  if (desc->flags & TENON_OP_DECLARED) return TENON_OK;
  if (!desc->doc || !*desc->doc) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-doc",
                        "a sentence in .doc, shown by `tenon ops`",
                        "the operator has no documentation");
  }
  if ((desc->flags & TENON_OP_ELEMENTWISE) &&
      (!(desc->flags & TENON_OP_PURE) || schema->n_returns != 1)) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-elementwise",
                        "TENON_OP_PURE beside it, and one result",
                        "an element-wise operator with %d results%s",
                        (int)schema->n_returns,
                        desc->flags & TENON_OP_PURE ? "" : ", not pure");
  }
  if ((desc->flags & TENON_OP_COSTLY) &&
      !(desc->flags & TENON_OP_ELEMENTWISE)) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-elementwise",
                        "TENON_OP_ELEMENTWISE beside TENON_OP_COSTLY",
                        "a costly operator is not element-wise");
  }
  // A build with few kernels (`tenon select`) may list beside its operators all
  // that it has of them.
  if (!has_kernel && !desc->lower && !s->owner->is_builtin) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-incomplete",
                        "an operator that is only to be read and printed, or "
                        "that a lowering or kernel in the plugin's list "
                        "serves, sets TENON_OP_DECLARED",
                        "the operator has neither kernels nor a lowering");
  }
  return TENON_OK;
}

tenon_status tenon_admit_op(const tenon_context *cx, tenon_arena *arena,
                            const tenon_owner *owner, const tenon_op_desc *in,
                            tenon_op_desc **out, const tenon_schema **schema) {
  tenon_op_desc desc;
  tenon_schema *parsed = NULL;
  tenon_subject s = {cx, owner, "operator", NULL};
  TENON_TRY(tenon_admit_copy(&s, &desc, sizeof desc, in));
  TENON_TRY(parse_schema(arena, &s, desc.schema,
                         (desc.flags & TENON_OP_DECLARED) != 0, &parsed));
  s.name = parsed->name;
  TENON_TRY(tenon_admit_flags(
      &s, desc.flags,
      TENON_OP_PURE | TENON_OP_COMMUTES | TENON_OP_DECLARED |
          TENON_OP_OVERRIDES | TENON_OP_DROPPABLE | TENON_OP_STRIDED |
          TENON_OP_ASKED | TENON_OP_ELEMENTWISE | TENON_OP_COSTLY));
  TENON_TRY(admit_check_op(&s, &desc, parsed));
  TENON_TRY(check_fields(&s, &desc, parsed));
  if (desc.version_min > desc.version_max) {
    return tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-versions",
                        "both 0 means any; UINT32_MAX means and all later ones",
                        "serves versions %u to %u", (unsigned)desc.version_min,
                        (unsigned)desc.version_max);
  }
  *schema = parsed;
  *out = tenon_arena_copy(arena, &desc, sizeof desc, _Alignof(tenon_op_desc));
  return *out ? TENON_OK : tenon_fail_memory(&cx->report, "adding an operator");
}

// An operator's name, or one with a wildcard, in the form of the registry.
static tenon_status check_op_name(tenon_context *cx, const tenon_subject *s,
                                  const char *op, const char **out) {
  const char *set = NULL, *base = NULL, *overload = NULL;
  if (op && tenon_name_parse(&cx->arena, op, out, &set, &base, &overload))
    return TENON_OK;
  if (cx->arena.failed) return tenon_fail_memory(&cx->report, "parsing a name");
  return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-op-name",
                      "ns::name, ns::name.overload, ns::name.* or ns::*",
                      "'%s' is no name of an operator", op ? op : "(null)");
}

// A lowering is a function or a text; `when` and `from` belong to a text.
static tenon_status admit_texts(tenon_context *cx, const tenon_subject *s,
                                tenon_lowering_desc *desc) {
  bool has_text = desc->text || desc->when || desc->from;
  if (!has_text) return TENON_OK;
  if (!desc->text || desc->lower || desc->user) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-incomplete",
                        "either .lower and .user, or .text with .when and "
                        ".from",
                        "the lowering has %s",
                        desc->text ? "both a function and a text"
                                   : "a condition or a pattern, but no text");
  }
  if (!cx->rules) {
    return tenon_refuse(s, TENON_UNSUPPORTED, "plugin-kind", NULL,
                        "this context takes no lowerings as text");
  }
  return cx->rules->admit(cx, s->owner, desc);
}

tenon_status tenon_admit_lowering(tenon_context *cx, const tenon_owner *owner,
                                  const tenon_lowering_desc *in,
                                  tenon_lowering **out) {
  tenon_lowering_desc desc;
  tenon_subject s = {cx, owner, "lowering", NULL};
  TENON_TRY(tenon_admit_copy(&s, &desc, sizeof desc, in));
  s.name = desc.name;
  TENON_TRY(tenon_admit_flags(&s, desc.flags,
                              TENON_LOWERING_OVERRIDES |
                                  TENON_LOWERING_INEXACT |
                                  TENON_LOWERING_ELEMENTWISE));
  if (!desc.name || !*desc.name || (!desc.lower && !desc.text) ||
      desc.reserved != 0) {
    return tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-incomplete",
                        "a lowering has .name, .op and .lower or .text",
                        "the lowering has %s",
                        desc.reserved != 0 ? "bits in a reserved member"
                        : !desc.name || !*desc.name ? "no name"
                                                    : "no function");
  }
  TENON_TRY(admit_texts(cx, &s, &desc));
  const bool is_of_any = desc.op && strcmp(desc.op, "*") == 0 && desc.lower &&
                         (desc.flags & TENON_LOWERING_ELEMENTWISE);
  if (!is_of_any) TENON_TRY(check_op_name(cx, &s, desc.op, &desc.op));
  *out = tenon_lowering_new(&cx->arena, &desc, owner);
  return *out ? TENON_OK : tenon_fail_memory(&cx->report, "adding a lowering");
}
