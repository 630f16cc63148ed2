// How: what can be written is a list of blocks: the arena and the states of the
// first memory, which the instance holds, then those of each further one, which
// are arrays of the module's own, where a macro puts them. Any of them may be
// the caller's instead, and then the instance has its address. Constants of the
// first memory that is rom go where ^_CONST says, those of further ones where
// their own macro does; those that are copied to a memory which is written have
// an array there too (emit/data/resident.c).
#include "base/text.h"
#include "emit/emission.h"
#include "emit/idents.h"

static uint32_t first(const struct tenon_program *p, bool is_rom) {
  uint32_t i = 0;
  while (i < p->n_banks &&
         (p->banks[i].is_rom != is_rom || p->banks[i].is_cold))
    ++i;
  return i;
}

static bool memories_has_constants(const tenon_emission *e, uint32_t i) {
  return i != first(e->p, true) && e->p->banks[i].is_rom &&
         !e->p->banks[i].is_cold;
}

// --- the list ---------------------------------------------------------------

static bool name_banks(tenon_emission *e) {
  bool ok = true;
  e->banks = tenon_arena_array(&e->arena, const char *, e->p->n_banks + 1u);
  for (uint32_t i = 0; e->banks && ok && i < e->p->n_banks; ++i) {
    const char *const parts[] = {
        e->macro, "_MEMORY_", tenon_ident_upper(&e->arena, e->p->banks[i].name),
        NULL};
    e->banks[i] = parts[2] ? tenon_ident_join(&e->arena, parts) : NULL;
    ok = e->banks[i] != NULL;
  }
  return e->banks && ok;
}

static bool memories_add(tenon_emission *e, uint32_t bank, bool is_state,
                         uint64_t size) {
  tenon_emit_memory *m = &e->memories[e->n_memories++];
  m->bank = bank;
  m->is_state = is_state;
  m->size = size;
  m->is_first = bank == first(e->p, false);
  const char *const parts[] = {e->prefix, "_memory_",
                               m->is_first ? "" : e->p->banks[bank].name,
                               is_state ? "_state" : NULL, NULL};
  if (m->is_first) {
    m->member = is_state ? "state" : "arena";
  } else {
    const char *symbol = tenon_ident_take(&e->symbols, &e->arena,
                                          tenon_ident_join(&e->arena, parts));
    m->member = symbol ? symbol + strlen(e->prefix) + 1 : NULL;
  }
  const char *const macro[] = {e->macro, "_",
                               tenon_ident_upper(&e->arena, m->member), NULL};
  m->macro = macro[2] ? tenon_ident_join(&e->arena, macro) : NULL;
  return m->macro != NULL;
}

static tenon_status list(tenon_emission *e) {
  const struct tenon_program *p = e->p;
  uint32_t home = first(p, false);
  e->memories = tenon_arena_array(&e->arena, tenon_emit_memory,
                                  2 * (size_t)p->n_banks + 2);
  if (!e->memories || !name_banks(e)) return tenon_emission_memory(e);
  bool has_banks = p->n_banks > 0;
  uint64_t state =
      has_banks ? p->banks[home].state : tenon_emit_room(e, p->state_size);
  bool ok = memories_add(
      e, home, false,
      tenon_emit_room(e, has_banks ? p->banks[home].arena : p->arena_size));
  if (ok && state && p->state_size) ok = memories_add(e, home, true, state);
  for (uint32_t i = 0; ok && i < p->n_banks; ++i) {
    if (i == home) continue;
    if (p->banks[i].arena)
      ok = memories_add(e, i, false, tenon_emit_room(e, p->banks[i].arena));
    if (ok && p->banks[i].state)
      ok = memories_add(e, i, true, p->banks[i].state);
  }
  return ok ? TENON_OK : tenon_emission_memory(e);
}

// "caller", "sram=caller", "sram=own"
static tenon_status memories_bind(tenon_emission *e, const char *text) {
  const char *equals = strrchr(text, '=');
  const char *word = equals ? equals + 1 : text;
  bool is_caller = strcmp(word, "caller") == 0, any = !equals;
  tenon_text name = {text, equals ? (size_t)(equals - text) : 0};
  tenon_nearest near;
  if (!is_caller && strcmp(word, "own") != 0)
    return tenon_fail(e->report, TENON_BAD_ARGUMENT, "emit-arena", NULL,
                      "arena '%s': expected 'own' or 'caller', for all "
                      "memories or behind 'NAME='",
                      text);
  const char *copy = tenon_arena_text(&e->arena, name.data, name.size);
  if (!copy) return tenon_emission_memory(e);
  tenon_nearest_init(&near, copy);
  for (uint32_t i = 0; i < e->n_memories; ++i) {
    tenon_emit_memory *m = &e->memories[i];
    const char *own = e->p->n_banks ? e->p->banks[m->bank].name : "arena";
    tenon_nearest_feed(&near, own);
    if (equals && !tenon_text_is(name, own)) continue;
    m->is_caller = is_caller;
    any = true;
  }
  if (any) return TENON_OK;
  return tenon_fail(e->report, TENON_BAD_ARGUMENT, "emit-arena", NULL,
                    "arena '%s': no memory '%s' is written%s%s%s", text, copy,
                    TENON_DID_YOU_MEAN(near.best));
}

tenon_status tenon_emit_list_memories(tenon_emission *e) {
  TENON_TRY(list(e));
  const char *const *texts = e->options.arenas;
  for (size_t i = 0; texts && texts[i]; ++i)
    TENON_TRY(memories_bind(e, texts[i]));
  for (uint32_t i = 0; i < e->n_memories; ++i) {
    const tenon_emit_memory *m = &e->memories[i];
    e->has_caller |= m->is_caller;
    e->has_owner |= m->is_state && !m->is_first && !m->is_caller;
  }
  return TENON_OK;
}

static const tenon_emit_memory *memories_find(const tenon_emission *e,
                                              uint32_t bank, bool is_state) {
  for (uint32_t i = 0; i < e->n_memories; ++i)
    if (e->memories[i].bank == bank && e->memories[i].is_state == is_state)
      return &e->memories[i];
  return &e->memories[0];
}

// An array at file level.
static bool memories_is_array(const tenon_emit_memory *m) {
  return !m->is_first && !m->is_caller;
}

void tenon_emit_memory_at(const tenon_emission *e, tenon_buf *out,
                          uint64_t offset, bool is_state) {
  uint64_t inner = 0;
  uint32_t bank = is_state ? tenon_program_state_bank_of(e->p, offset, &inner)
                           : tenon_program_bank_of(e->p, offset, &inner);
  const tenon_emit_memory *m = memories_find(e, bank, is_state);
  tenon_emit_text(e, out, memories_is_array(m) ? "@_" : "m->");
  tenon_buf_text(out, m->member);
  if (inner == 0) return;
  tenon_put(out, " + $", inner);
}

// --- the header -------------------------------------------------------------

void tenon_emit_memory_sizes(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->n_memories; ++i) {
    tenon_put(out, "#define $_SIZE $\n", e->memories[i].macro,
              e->memories[i].size);
  }
}

static bool has_arrays(const tenon_emission *e, uint32_t bank, bool is_state) {
  const tenon_emit_memory *m = memories_find(e, bank, is_state);
  return m->bank == bank && m->is_state == is_state && memories_is_array(m);
}

void tenon_emit_memory_settings(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    bool is_shared = has_arrays(e, i, false), is_owned = has_arrays(e, i, true);
    if (!is_shared && !is_owned && !memories_has_constants(e, i) &&
        !tenon_emit_is_resident_in(e, i))
      continue;
    tenon_put(out, "//   $  where what lies in '$' goes: a section$$\n",
              e->banks[i], e->p->banks[i].name,
              is_shared ? "; one array for\n//               all "
                          "instances, which so must not run at once"
                        : "",
              is_owned ? "; its states\n//               are those of "
                         "the instance that was initialised last"
                       : "");
  }
}

static const char blocks_text[] =
    "// Memory that the caller binds to an instance: blocks at multiples of "
    "the\n"
    "// alignment, each of the size behind it or larger. States outlive a run; "
    "what else\n"
    "// there is is free between runs, and may be that of several instances "
    "which never\n"
    "// run at the same time.\n"
    "#define ^_MEMORY_ALIGN ^_ALIGN\n"
    "typedef struct @_memory {\n";

void tenon_emit_memory_struct(const tenon_emission *e, tenon_buf *out) {
  if (!e->has_caller) return;
  tenon_emit_text(e, out, blocks_text);
  for (uint32_t i = 0; i < e->n_memories; ++i) {
    const tenon_emit_memory *m = &e->memories[i];
    if (m->is_caller)
      tenon_put(out, "  void *$;  // $_SIZE\n  size_t $_size;\n", m->member,
                m->macro, m->member);
  }
  tenon_emit_text(e, out, "} @_memory;\n\n");
}

void tenon_emit_memory_members(const tenon_emission *e, tenon_buf *out) {
  const char *align = "  ^_ALIGNED(^_ALIGN) ";
  for (uint32_t i = 0; i < e->n_memories; ++i) {
    const tenon_emit_memory *m = &e->memories[i];
    if (memories_is_array(m)) continue;
    // The first member gives the instance its alignment.
    tenon_emit_text(e, out, i == 0 || !m->is_caller ? align : "  ");
    if (m->is_caller)
      tenon_put(out, "unsigned char *$;\n", m->member);
    else
      tenon_put(out, "unsigned char $[$_SIZE];\n", m->member, m->macro);
  }
}

// --- the module -------------------------------------------------------------

void tenon_emit_memories(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    bool is_written = has_arrays(e, i, false) || has_arrays(e, i, true) ||
                      tenon_emit_is_resident_in(e, i);
    if (!is_written && !memories_has_constants(e, i)) continue;
    tenon_put(out, "#ifndef $\n#define $", e->banks[i], e->banks[i]);
    if (!tenon_emit_section(e, out, e->p->banks[i].name) && !is_written)
      tenon_emit_text(e, out, " ^_CONST");
    tenon_buf_text(out, "\n#endif\n");
  }
  for (uint32_t i = 0; i < e->n_memories; ++i) {
    const tenon_emit_memory *m = &e->memories[i];
    if (!memories_is_array(m)) continue;
    tenon_emit_put(e, out,
                   "static $ ^_ALIGNED(^_ALIGN) unsigned char @_$[$_SIZE];\n",
                   e->banks[m->bank], m->member, m->macro);
  }
  for (uint32_t i = 0; i < e->p->n_banks; ++i) {
    if (!tenon_emit_is_resident_in(e, i)) continue;
    tenon_put(out, "static $ ", e->banks[i]);
    tenon_emit_resident_array(e, out, i);
  }
  if (e->has_owner)
    tenon_emit_text(e, out,
                    "// Whose states lie outside of their instance.\n"
                    "static const @ *@_owner;\n");
  if (e->p->n_banks) tenon_buf_char(out, '\n');
}

// --- the rest ---------------------------------------------------------------

tenon_put_value tenon_emit_constant_place(const tenon_emission *e,
                                          uint32_t index) {
  uint32_t bank = e->p->constants[index].bank;
  return bank == 0 || !memories_has_constants(e, bank - 1)
             ? tenon_as_marked("^_CONST")
             : tenon_as_text(e->banks[bank - 1]);
}

void tenon_emit_memory_rows(const tenon_emission *e, tenon_buf *out) {
  for (uint32_t i = 0; i < e->n_memories; ++i) {
    const tenon_emit_memory *m = &e->memories[i];
    if (m->is_first)
      tenon_buf_text(out, m->is_state ? "| states | " : "| arena | ");
    else
      tenon_put(out, "| $ `$` | ", m->is_state ? "states in memory" : "memory",
                e->p->banks[m->bank].name);
    tenon_c_uint(out, m->size);
    if (m->is_caller) {
      tenon_emit_text(e, out, " | the caller's, bound by `@_init` |\n");
    } else if (m->is_first) {
      tenon_buf_text(out, " | in the instance |\n");
    } else {
      tenon_put(out, " | an array, where `$` says; $ |\n", e->banks[m->bank],
                m->is_state ? "of the instance initialised last"
                            : "the instances share it");
    }
  }
}
