// How: an instance that has the caller's memory gets the addresses in its
// initialisation, which looks at each block; a run looks whether that went
// well. A test program has blocks of its own.
#include "emit/emission.h"

void tenon_emit_memory_check(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; e->has_caller && i < e->n_memories; ++i) {
    if (!e->memories[i].is_caller) continue;
    tenon_put(out,
              "  if (m->$ == NULL) {\n"
              "    m->fault_text = \"no memory is bound to the instance, or "
              "none that fits\";\n"
              "    return TENON_BAD_ARGUMENT;\n"
              "  }\n",
              e->memories[i].member);
    break;
  }
  tenon_emit_blob_check(e, out);
  if (e->has_owner)
    tenon_emit_text(e, out,
                    "  if (@_owner != m) {\n"
                    "    m->fault_text = \"the states are those of another "
                    "instance\";\n"
                    "    return TENON_BAD_ARGUMENT;\n"
                    "  }\n");
}

static const char fit_text[] =
    "static tenon_status @_fit(@ *m, const void *data, size_t size, size_t "
    "need,\n"
    "                          const char *fault) {\n"
    "  if (data != NULL && size >= need && (uintptr_t)data % ^_MEMORY_ALIGN == "
    "0)\n"
    "    return TENON_OK;\n"
    "  m->fault_text = fault;\n"
    "  m->fault_value[0] = (int64_t)size;\n"
    "  m->fault_value[1] = (int64_t)need;\n"
    "  return TENON_BAD_ARGUMENT;\n"
    "}\n\n";

static void put_fits(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->n_memories; ++i) {
    const tenon_emit_memory *m = &e->memories[i];
    if (!m->is_caller) continue;
    tenon_emit_put(e, out,
                   "  if (status == TENON_OK)\n"
                   "    status = @_fit(m, memory->$, memory->$_size, $_SIZE,\n"
                   "                     \"memory '$' is null, not at a "
                   "multiple of $ bytes, or has {0} \"\n"
                   "                     \"of {1} bytes\");\n",
                   m->member, m->member, m->macro, m->member,
                   e->p->arena_align);
  }
}

void tenon_emit_init_signature(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out,
                  e->has_caller ? "int @_init(@ *m, const @_memory *memory"
                                : "int @_init(@ *m");
  tenon_put(out, "$)", tenon_emit_blob_parameters(e));
}

// What the instance has of the caller, once it is looked at: null again where
// something was wrong.
static void put_refusal(const tenon_emission *e, tenon_buf *out,
                        const char *bound) {
  tenon_buf_text(out, "  if (status != TENON_OK) {\n");
  if (bound) tenon_buf_format(out, "    m->%s = NULL;\n", bound);
  if (tenon_emit_is_blob(e)) tenon_buf_text(out, "    m->constants = NULL;\n");
  tenon_buf_text(out, "    return (int)status;\n  }\n");
}

void tenon_emit_memory_init(const tenon_emission *e, tenon_buf *out) {
  const bool is_blob = tenon_emit_is_blob(e);
  const char *bound = NULL;
  tenon_emit_blob_look(e, out);
  if (e->has_caller) tenon_emit_text(e, out, fit_text);
  tenon_emit_init_signature(e, out);
  tenon_buf_text(out, " {\n  tenon_status status;\n");
  if (e->has_owner) tenon_emit_text(e, out, "  @_owner = m;\n");
  for (uint32_t i = 0; e->has_caller && i < e->n_memories; ++i) {
    const tenon_emit_memory *m = &e->memories[i];
    if (!m->is_caller) continue;
    if (!bound) bound = m->member;
    tenon_buf_format(out, "  m->%s = (unsigned char *)memory->%s;\n", m->member,
                     m->member);
  }
  if (is_blob)
    tenon_buf_text(out, "  m->constants = (const unsigned char *)constants;\n");
  tenon_emit_text(e, out, "  status = @_begin(m);\n");
  if (e->has_caller) put_fits(e, out);
  if (is_blob)
    tenon_emit_text(e, out,
                    "  if (status == TENON_OK)\n"
                    "    status = @_look_at_constants(m, constants_size);\n");
  if (bound || is_blob)
    put_refusal(e, out, bound);
  else
    tenon_buf_text(out, "  if (status != TENON_OK) return (int)status;\n");
  if (tenon_emit_has_resident(e)) tenon_emit_text(e, out, "  @_load();\n");
  tenon_emit_hooks_init(e, out);
  tenon_emit_text(e, out, "  @_reset(m);\n  return 0;\n}\n\n");
}

void tenon_emit_instance(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out, "static @ @_instance;\n");
  tenon_emit_blob_reader(e, out);
  if (!e->has_caller) return;
  tenon_buf_text(out, "static struct {\n");
  for (uint32_t i = 0; i < e->n_memories; ++i) {
    const tenon_emit_memory *m = &e->memories[i];
    if (!m->is_caller) continue;
    tenon_emit_text(e, out, "  ^_ALIGNED(^_ALIGN) unsigned char ");
    tenon_buf_format(out, "%s[%s_SIZE];\n", m->member, m->macro);
  }
  tenon_emit_text(e, out, "} @_blocks;\n");
}

void tenon_emit_instance_init(const tenon_emission *e, tenon_buf *out,
                              const char *failed) {
  bool is_next = false;
  if (!e->has_caller) {
    tenon_emit_text(e, out, "  if (@_init(&@_instance");
    tenon_emit_blob_arguments(e, out);
    tenon_emit_put(e, out, ") != 0) $", tenon_as_marked(failed));
    return;
  }
  tenon_emit_text(e, out, "  {\n    const @_memory memory = {");
  for (uint32_t i = 0; i < e->n_memories; ++i) {
    const tenon_emit_memory *m = &e->memories[i];
    if (!m->is_caller) continue;
    tenon_emit_put(e, out, "$@_blocks.$, sizeof @_blocks.$",
                   is_next ? ",\n        " : "", m->member, m->member);
    is_next = true;
  }
  tenon_emit_text(e, out, "};\n    if (@_init(&@_instance, &memory");
  tenon_emit_blob_arguments(e, out);
  tenon_emit_put(e, out, ") != 0) $  }\n", tenon_as_marked(failed));
}
