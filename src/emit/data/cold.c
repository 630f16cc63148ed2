// How: what lies in a cold memory is one array of bytes, its image, where a
// macro puts it, or nowhere: then the application has it. A step that copies a
// constant out of it is a call of the application's function.
#include <string.h>

#include "emit/emission.h"
#include "emit/idents.h"

static bool cold_is_listed(const tenon_emission *e, uint32_t bank) {
  return e->p->banks[bank].is_cold && e->p->banks[bank].constants > 0;
}

bool tenon_emit_has_cold(const tenon_emission *e) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i)
    if (cold_is_listed(e, i)) return true;
  return false;
}

tenon_status tenon_emit_name_cold(tenon_emission *e) {
  e->images = tenon_arena_array(&e->arena, const char *, e->p->n_banks);
  if (!e->images) return tenon_emission_memory(e);
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    const char *const parts[] = {e->prefix, "_memory_", e->p->banks[i].name,
                                 NULL};
    if (!cold_is_listed(e, i)) continue;
    e->images[i] = tenon_ident_take(&e->symbols, &e->arena,
                                    tenon_ident_join(&e->arena, parts));
    if (!e->images[i]) return tenon_emission_memory(e);
  }
  for (uint32_t i = 0; i < e->p->n_constants; ++i) {
    const tenon_program_constant *c = &e->p->constants[i];
    bool is_copied = c->is_cold || tenon_program_is_resident(e->p, c);
    if (is_copied && c->size && !c->data)
      return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-cold", NULL,
                        "weight '%s' was not given, and memory '%s' is %s",
                        c->name, e->p->banks[c->bank - 1].name,
                        c->is_cold ? "cold: its image would have a hole"
                                   : "written: nothing could be copied to it");
  }
  return TENON_OK;
}

// --- the header -------------------------------------------------------------

static const char hook_text[] =
    "// Constants in the memories below are not read where they lie. This "
    "function, which\n"
    "// the application defines, copies `size` bytes, `offset` bytes into the "
    "image of a\n"
    "// memory, to `to`, in front of each step that reads them. Not 0: the run "
    "ends, with\n"
    "// that number as its fault's first value.\n"
    "int @_hydrate(void *to, int memory, size_t offset, size_t size);\n";

static const char ahead_text[] =
    "// The application defines this too. It begins to copy and returns; "
    "@_hydrate is called\n"
    "// with the same arguments before any step reads these bytes, and waits. "
    "All that lies\n"
    "// in memories that are asked ahead comes here first, then there, in one "
    "order: between\n"
    "// the two runs the step in front of the one that reads it, where there "
    "is "
    "one.\n"
    "int @_prefetch(void *to, int memory, size_t offset, size_t size);\n";

static bool has_ahead(const tenon_emission *e) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i)
    if (cold_is_listed(e, i) && e->p->banks[i].is_prefetch) return true;
  return false;
}

void tenon_emit_cold_header(const tenon_emission *e, tenon_buf *out) {
  if (!tenon_emit_has_cold(e)) return;
  tenon_emit_text(e, out, hook_text);
  if (has_ahead(e)) tenon_emit_text(e, out, ahead_text);
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    if (!cold_is_listed(e, i)) continue;
    const char *macro = e->banks[i];
    tenon_put(out,
              "#define $ $  // of '$'\n"
              "#define $_SIZE $\n"
              "#ifndef $_APART\n"
              "extern const unsigned char $[$_SIZE];  // the image\n"
              "#endif\n",
              macro, i, e->p->banks[i].name, macro, e->p->banks[i].constants,
              macro, e->images[i], macro);
  }
  tenon_buf_char(out, '\n');
}

void tenon_emit_cold_settings(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    if (!cold_is_listed(e, i)) continue;
    tenon_put(out,
              "//   $_PLACE  where the image of '$' goes: a section; with "
              "_APART instead\n"
              "//               it is not in the program: the application has "
              "it\n",
              e->banks[i], e->p->banks[i].name);
  }
}

// --- the module -------------------------------------------------------------

static void cold_put_bytes(tenon_sink *s, const unsigned char *data,
                           uint64_t size) {
  char text[TENON_C_NUMBER];
  for (uint64_t i = 0; i < size; ++i)
    tenon_sink_number(s, text, tenon_c_put_uint(text, data ? data[i] : 0));
}

static void put_image(const tenon_emission *e, tenon_sink *s, uint32_t bank) {
  uint64_t at = 0;
  s->column = 0;
  for (uint32_t i = 0; i < e->p->n_constants; ++i) {
    const tenon_program_constant *c = &e->p->constants[i];
    if (!c->is_cold || c->bank != bank + 1) continue;
    cold_put_bytes(s, NULL, c->image_offset - at);
    cold_put_bytes(s, (const unsigned char *)c->data, c->size);
    at = c->image_offset + c->size;
  }
  cold_put_bytes(s, NULL, e->p->banks[bank].constants - at);
}

void tenon_emit_images(const tenon_emission *e, tenon_sink *s) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    tenon_buf text;
    if (!cold_is_listed(e, i)) continue;
    const char *macro = e->banks[i];
    tenon_buf_init(&text, e->allocator);
    tenon_put(&text, "#ifndef $_PLACE\n#define $_PLACE", macro, macro);
    (void)tenon_emit_section(e, &text, e->p->banks[i].name);
    tenon_emit_put(e, &text,
                   "\n#endif\n"
                   "#ifndef $_APART\n"
                   "$_PLACE ^_ALIGNED(16) const unsigned char $[$_SIZE] = {",
                   macro, macro, e->images[i], macro);
    tenon_sink_buf(s, &text);
    tenon_buf_deinit(&text);
    put_image(e, s, i);
    tenon_sink_text(s, "};\n#endif\n\n");
  }
}

// "kws_hydrate(m->arena + 64, KWS_MEMORY_EXT, 0, 16)"
static void put_hook_call(tenon_emission *e, tenon_buf *out, const char *hook,
                          const tenon_step *step) {
  const tenon_program_constant *c = tenon_program_cold(e->p, step);
  tenon_emit_put(e, out, "@_$($, $, $, $)", hook,
                 tenon_as_address(e, &e->p->tensors[e->p->operands[step->out]]),
                 e->banks[c->bank - 1], c->image_offset, c->size);
}

static void put_fault(tenon_emission *e, tenon_buf *out,
                      const tenon_step *step) {
  const tenon_program_constant *c = tenon_program_cold(e->p, step);
  tenon_buf text;
  tenon_buf_text(out, "  fault->text = ");
  tenon_buf_init(&text, e->allocator);
  tenon_buf_format(&text,
                   "constant '%.80s' could not be copied out of memory '%s': "
                   "{0}",
                   c->name ? c->name : "", e->p->banks[c->bank - 1].name);
  if (text.failed) out->failed = true;
  tenon_c_string(out, text.data ? text.data : "");
  tenon_buf_deinit(&text);
  tenon_buf_text(
      out,
      ";\n  fault->value[0] = status;\n  return (tenon_status)TENON_IO;\n");
}

void tenon_emit_hydration(tenon_emission *e, tenon_buf *out,
                          const tenon_step *step) {
  bool is_both = tenon_program_prefetches(e->p, step) && !step->is_ahead;
  tenon_buf_text(out, "  // ");
  tenon_emit_tensor_text(out, &e->p->tensors[e->p->operands[step->out]]);
  tenon_buf_text(out,
                 is_both ? "\n  int status = " : "\n  const int status = ");
  if (is_both) {
    put_hook_call(e, out, "prefetch", step);
    tenon_buf_text(out, ";\n  if (status == 0) status = ");
  }
  put_hook_call(e, out, "hydrate", step);
  tenon_buf_text(out, ";\n  if (status == 0) return TENON_OK;\n");
  put_fault(e, out, step);
}

void tenon_emit_prefetch(tenon_emission *e, tenon_buf *out, uint32_t index) {
  const tenon_step *step = &e->p->steps[index];
  if (!step->is_ahead) return;
  tenon_emit_put(e, out, "static tenon_status @_ahead$(@ *m, ", index);
  tenon_buf_text(out, "tenon_fault *fault) {\n  const int status = ");
  put_hook_call(e, out, "prefetch", step);
  // The destination may lie in an array of the module's own.
  tenon_buf_text(out, ";\n  (void)m;\n  if (status == 0) return TENON_OK;\n");
  put_fault(e, out, step);
  tenon_buf_text(out, "}\n\n");
}

// --- who else runs it -------------------------------------------------------

void tenon_emit_cold_hook(const tenon_emission *e, tenon_buf *out) {
  bool is_next = false;
  if (!tenon_emit_has_cold(e)) return;
  tenon_emit_text(e, out,
                  "int @_hydrate(void *to, int memory, size_t offset, size_t "
                  "size) {\n");
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    if (!cold_is_listed(e, i)) continue;
    tenon_put(out,
              "  $if (memory == $)\n    (void)memcpy(to, $ + offset, size);\n",
              is_next ? "else " : "", e->banks[i], e->images[i]);
    is_next = true;
  }
  tenon_buf_text(out, "  else\n    return 1;\n  return 0;\n}\n\n");
  if (has_ahead(e))
    tenon_emit_text(e, out,
                    "int @_prefetch(void *to, int memory, size_t offset, "
                    "size_t size) {\n"
                    "  (void)to;\n  (void)memory;\n  (void)offset;\n"
                    "  (void)size;\n  return 0;\n}\n\n");
}

void tenon_emit_cold_rows(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    if (!cold_is_listed(e, i)) continue;
    tenon_buf_format(out, "| cold constants in `%s` | ", e->p->banks[i].name);
    tenon_c_uint(out, e->p->banks[i].constants);
    tenon_emit_text(e, out,
                    e->p->banks[i].is_prefetch
                        ? " | begun by `@_prefetch`, waited for by "
                          "`@_hydrate`, which you define |\n"
                        : " | copied by `@_hydrate`, which you define |\n");
  }
}
