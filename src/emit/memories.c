// How: the first memory that is written is the instance's arena; each further
// one is an array of the module's own, which a macro puts where it belongs.
// Constants of the first memory that is rom go where ^_CONST says, those of
// further ones where their own macro does.
#include "emit/emission.h"

static uint32_t first(const struct tenon_program *p, bool is_rom) {
  uint32_t i = 0;
  while (i < p->n_banks && p->banks[i].is_rom != is_rom)
    ++i;
  return i;
}

static bool has_array(const tenon_emission *e, uint32_t i) {
  return i != first(e->p, false) && e->p->banks[i].arena > 0;
}

static bool has_constants(const tenon_emission *e, uint32_t i) {
  return i != first(e->p, true) && e->p->banks[i].is_rom;
}

uint64_t tenon_emit_arena_bytes(const tenon_emission *e) {
  uint32_t i = first(e->p, false);
  return i < e->p->n_banks ? e->p->banks[i].arena : e->p->arena_size;
}

void tenon_emit_arena_at(const tenon_emission *e, tenon_buf *out,
                         uint64_t offset) {
  uint64_t inner = 0;
  uint32_t i = tenon_program_bank_of(e->p, offset, &inner);
  if (e->p->n_banks && has_array(e, i)) {
    tenon_buf_text(out, e->prefix);
    tenon_buf_format(out, "_memory_%s", e->p->banks[i].name);
  } else {
    tenon_buf_text(out, "m->arena");
  }
  if (inner == 0) return;
  tenon_buf_text(out, " + ");
  tenon_c_uint(out, inner);
}

static void put_upper(tenon_buf *out, const char *name) {
  for (; *name; ++name)
    tenon_buf_char(
        out, *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name);
}

void tenon_emit_memory_sizes(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    if (!has_array(e, i)) continue;
    tenon_buf_format(out, "#define %s_MEMORY_", e->macro);
    put_upper(out, e->p->banks[i].name);
    tenon_buf_text(out, "_SIZE ");
    tenon_c_uint(out, tenon_emit_room(e->p->banks[i].arena));
    tenon_buf_char(out, '\n');
  }
}

void tenon_emit_memory_settings(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    bool is_array = has_array(e, i);
    if (!is_array && !has_constants(e, i)) continue;
    tenon_buf_format(out, "//   %s_MEMORY_", e->macro);
    put_upper(out, e->p->banks[i].name);
    tenon_buf_format(out, "  where what lies in '%s' goes: a section%s\n",
                     e->p->banks[i].name,
                     is_array ? "; one array for\n//               all "
                                "instances, which so must not run at once"
                              : "");
  }
}

void tenon_emit_memories(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    bool is_array = has_array(e, i);
    if (!is_array && !has_constants(e, i)) continue;
    const char *name = e->p->banks[i].name;
    tenon_buf_format(out, "#ifndef %s_MEMORY_", e->macro);
    put_upper(out, name);
    tenon_buf_format(out, "\n#define %s_MEMORY_", e->macro);
    put_upper(out, name);
    if (!is_array) tenon_buf_format(out, " %s_CONST", e->macro);
    tenon_buf_text(out, "\n#endif\n");
    if (!is_array) continue;
    tenon_buf_format(out, "static %s_MEMORY_", e->macro);
    put_upper(out, name);
    tenon_buf_format(out,
                     " %s_ALIGNED(64) unsigned char %s_memory_%s[%s_MEMORY_",
                     e->macro, e->prefix, name, e->macro);
    put_upper(out, name);
    tenon_buf_text(out, "_SIZE];\n");
  }
  if (e->p->n_banks) tenon_buf_char(out, '\n');
}

void tenon_emit_constant_place(const tenon_emission *e, tenon_sink *s,
                               uint32_t index) {
  uint32_t bank = e->p->constants[index].bank;
  tenon_sink_text(s, e->macro);
  if (bank == 0 || !has_constants(e, bank - 1)) {
    tenon_sink_text(s, "_CONST ");
    return;
  }
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  tenon_buf_text(&text, "_MEMORY_");
  put_upper(&text, e->p->banks[bank - 1].name);
  tenon_buf_char(&text, ' ');
  tenon_sink_buf(s, &text);
  tenon_buf_deinit(&text);
}

void tenon_emit_memory_rows(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    if (!has_array(e, i)) continue;
    tenon_buf_format(out, "| memory `%s` | ", e->p->banks[i].name);
    tenon_c_uint(out, tenon_emit_room(e->p->banks[i].arena));
    tenon_buf_format(out, " | an array, where `%s_MEMORY_", e->macro);
    put_upper(out, e->p->banks[i].name);
    tenon_buf_text(out, "` says; the instances share it |\n");
  }
}
