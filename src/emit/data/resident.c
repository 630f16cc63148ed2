// How: constants of a memory that is written are arrays among the others, and
// have room in an array of that memory, where a macro puts it. A function
// copies them there; whoever makes an instance calls it, and so may the
// application where the memory has lost what was in it.
#include "emit/emission.h"
#include "emit/idents.h"

static bool resident_is_listed(const tenon_emission *e, uint32_t bank) {
  return !e->p->banks[bank].is_rom && e->p->banks[bank].constants > 0;
}

bool tenon_emit_has_resident(const tenon_emission *e) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i)
    if (resident_is_listed(e, i)) return true;
  return false;
}

bool tenon_emit_is_resident_in(const tenon_emission *e, uint32_t bank) {
  return resident_is_listed(e, bank);
}

tenon_status tenon_emit_name_resident(tenon_emission *e) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    const char *const parts[] = {e->prefix, "_memory_", e->p->banks[i].name,
                                 "_constants", NULL};
    if (!resident_is_listed(e, i)) continue;
    e->images[i] = tenon_ident_take(&e->symbols, &e->arena,
                                    tenon_ident_join(&e->arena, parts));
    if (!e->images[i]) return tenon_emission_memory(e);
  }
  return TENON_OK;
}

bool tenon_emit_resident_at(const tenon_emission *e, tenon_buf *out,
                            uint32_t index, uint64_t offset) {
  const tenon_program_constant *c = &e->p->constants[index];
  if (!tenon_program_is_resident(e->p, c)) return false;
  tenon_put(out, "$ + $", e->images[c->bank - 1], c->image_offset + offset);
  return true;
}

void tenon_emit_resident_array(const tenon_emission *e, tenon_buf *out,
                               uint32_t bank) {
  tenon_emit_put(e, out, "^_ALIGNED(^_ALIGN) unsigned char $[$];\n",
                 e->images[bank], e->p->banks[bank].constants);
}

void tenon_emit_resident_header(const tenon_emission *e, tenon_buf *out) {
  if (!tenon_emit_has_resident(e)) return;
  tenon_emit_text(e, out,
                  "// Copies the constants that lie in a memory which is "
                  "written to where steps read\n"
                  "// them, for all instances. @_init does; call it where such "
                  "a memory has lost what\n"
                  "// was in it, while nothing runs.\n"
                  "void @_load(void);\n\n");
}

void tenon_emit_load(tenon_emission *e, tenon_buf *out) {
  if (!tenon_emit_has_resident(e)) return;
  tenon_emit_text(e, out, "void @_load(void) {\n");
  for (uint32_t i = 0; i < e->p->n_constants; ++i) {
    const tenon_program_constant *c = &e->p->constants[i];
    if (!tenon_program_is_resident(e->p, c) || c->is_source || c->size == 0)
      continue;
    e->is_used[i] = 1;
    tenon_buf_text(out, "  (void)memcpy(");
    (void)tenon_emit_resident_at(e, out, i, 0);
    tenon_emit_put(e, out, ", @_c$, $);\n", i, c->size);
  }
  tenon_buf_text(out, "}\n\n");
}

void tenon_emit_resident_rows(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    if (!resident_is_listed(e, i)) continue;
    tenon_emit_put(e, out,
                   "| constants in memory `$` | $ | an array that `@_init` "
                   "fills (`@_load`); the instances share it |\n",
                   e->p->banks[i].name, e->p->banks[i].constants);
  }
}
