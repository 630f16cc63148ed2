// How: the public headers that kernels may include, then for each kernel in the
// order of its first step its text behind those it uses, each text once. What
// two plugins define under one name is found in what was printed.
#include <string.h>

#include "base/chars.h"
#include "emit/text/text_parts.h"
#include "kern/sources.h"

static const char *const headers[] = {"tenon/base.h", "tenon/attr.h",
                                      "tenon/tensor.h", NULL};

typedef struct bundle {
  tenon_emission *e;
  tenon_map done;  // texts that are there
} bundle;

static bool bundle_is_ours(const char *name) {
  return strncmp(name, "kern/", 5) == 0 || strncmp(name, "tenon/", 6) == 0;
}

static const char *short_name(const char *name) {
  const char *slash = strrchr(name, '/');
  return bundle_is_ours(name) || !slash ? name : slash + 1;
}

// What a text is called, without the folders of whoever wrote it.
static void put_title(tenon_emission *e, const char *name) {
  tenon_buf *out = &e->texts;
  if (e->is_stripped && !bundle_is_ours(name)) return;
  tenon_put(out,
            "\n"
            "// ---- $\n"
            "\n",
            tenon_as_c_comment(short_name(name)));
}

// Behind the title, the comment on the text as a whole: it ends at a blank
// line.
static size_t find_head(const char *text, size_t at) {
  size_t end = at;
  while (text[at] == '/' && text[at + 1] == '/') {
    while (text[at] && text[at] != '\n')
      ++at;
    if (text[at]) ++at;
  }
  return text[at] == '\n' ? at + 1 : end;
}

// What was added since `begin`, a title up to `title` in front of it.
static bool bundle_add_piece(bundle *b, size_t begin, size_t title,
                             const char *name, const char *owner) {
  tenon_buf *out = &b->e->texts;
  bool is_public = *owner == 0;
  if (out->failed) return false;
  tenon_emit_piece piece = {begin, title,    out->size, short_name(name),
                            owner, is_public};
  if (!is_public) piece.head = find_head(out->data, title);
  if (tenon_vec_push(&b->e->parts->pieces, piece)) return true;
  out->failed = true;
  return false;
}

static bool put_headers(bundle *b) {
  tenon_emission *e = b->e;
  size_t begin = e->texts.size;
  char include[64];
  for (size_t i = 0; headers[i]; ++i)
    for (size_t k = 0; tenon_public_header_sources[k]; ++k) {
      const tenon_source *s = tenon_public_header_sources[k];
      if (strcmp(s->name, headers[i]) != 0) continue;
      if (!tenon_emit_strip(&e->texts, s->text, true, include, sizeof include))
        return false;
    }
  return bundle_add_piece(b, begin, begin, "tenon/tensor.h", "");
}

static tenon_status fail_include(const tenon_emission *e,
                                 const tenon_program_kernel *k,
                                 const tenon_source *s, const char *include) {
  const tenon_diag note = tenon_note_of(
      "emit-include",
      "emitted C holds the text of tenon/base.h, tenon/attr.h and "
      "tenon/tensor.h; what needs more belongs between #ifndef TENON_EMITTED "
      "and #endif",
      NULL);
  return tenon_fail_notes(e->report, TENON_BAD_PLUGIN, "emit-include", NULL,
                          &note,
                          "the text '%s' of plugin '%s' includes \"%s\" "
                          "outside of #ifndef TENON_EMITTED",
                          s->name, k->owner, include);
}

// Texts use texts; registration has refused circles.
static tenon_status put_source(bundle *b, const tenon_program_kernel *k,
                               const tenon_source *s) {
  tenon_emission *e = b->e;
  char include[128];
  bool added = false;
  if (!tenon_map_put_text(&b->done, s->text, 0, &added))
    return tenon_emission_memory(e);
  if (!added) return TENON_OK;
  for (size_t i = 0; s->uses && s->uses[i]; ++i)
    TENON_TRY(put_source(b, k, s->uses[i]));
  size_t begin = e->texts.size, title;
  put_title(e, s->name);
  title = e->texts.size;
  // Each is printed once, so ours need no guards.
  bool is_header = bundle_is_ours(s->name) && tenon_text_ends(s->name, ".h");
  if (!tenon_emit_strip(&e->texts, s->text, is_header, include, sizeof include))
    return fail_include(e, k, s, include);
  return bundle_add_piece(b, begin, title, s->name,
                          bundle_is_ours(s->name) ? "tenon" : k->owner)
             ? TENON_OK
             : tenon_emission_memory(e);
}

static void put_extern(bundle *b, const tenon_program_kernel *k) {
  tenon_emission *e = b->e;
  size_t begin = e->texts.size;
  bool is_range = k->desc->run_range || k->desc->items;
  tenon_put(&e->texts, "\nextern tenon_status $$", k->symbol,
            is_range ? "(const tenon_call *c, int64_t begin, "
                       "int64_t end);\n"
                     : "(const tenon_call *c);\n");
  (void)bundle_add_piece(b, begin, begin, k->symbol, k->owner);
}

static tenon_status put_kernels(bundle *b) {
  tenon_emission *e = b->e;
  const struct tenon_program *p = e->p;
  uint8_t *seen = tenon_arena_array(&e->arena, uint8_t, p->n_kernels);
  if (!seen) return tenon_emission_memory(e);
  tenon_status status = TENON_OK, one = TENON_OK;
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    uint32_t index = p->steps[i].kernel;
    if (p->steps[i].kind != TENON_STEP_KERNEL || seen[index] ||
        tenon_program_cold(p, &p->steps[i]))
      continue;
    const tenon_program_kernel *k = &p->kernels[index];
    seen[index] = 1;
    if (e->ways[index] == TENON_WAY_SOURCE)
      one = put_source(b, k, k->source);
    else if (e->ways[index] == TENON_WAY_EXTERN)
      put_extern(b, k);
    if (status == TENON_OK) status = one;
  }
  return status;
}

// Kernels whose texts do not have their name, as when it stands in what is for
// plugins only. Names that are put together by macros are taken on trust.
static tenon_status check_symbols(const tenon_emission *e) {
  tenon_status status = TENON_OK;
  bool is_pasted = e->texts.data && strstr(e->texts.data, "##");
  for (uint32_t i = 0; !is_pasted && i < e->p->n_kernels; ++i) {
    const tenon_program_kernel *k = &e->p->kernels[i];
    if (e->ways[i] != TENON_WAY_SOURCE || tenon_emit_has_word(e, k->symbol))
      continue;
    status = tenon_fail(e->report, TENON_BAD_PLUGIN, "emit-no-source", NULL,
                        "the text '%s' of plugin '%s' does not define its "
                        "kernel '%s', or not in what is emitted",
                        k->source->name, k->owner, k->symbol);
  }
  return status;
}

// What each kernel reads, and so which members there are.
static tenon_status list_reads(tenon_emission *e) {
  const struct tenon_program *p = e->p;
  e->reads = tenon_arena_array(&e->arena, tenon_emit_reads, p->n_kernels);
  if (!e->reads) return tenon_emission_memory(e);
  for (uint32_t i = 0; i < p->n_kernels; ++i) {
    const tenon_emit_reads all = {TENON_WORD_ANY, TENON_EMIT_ALL_OPERANDS,
                                  TENON_EMIT_ALL_OPERANDS};
    if (e->ways[i] == TENON_WAY_EXTERN)
      e->reads[i] = all;
    else if (e->ways[i] == TENON_WAY_SOURCE &&
             !tenon_emit_reads_of(e, p->kernels[i].symbol, &e->reads[i]))
      return tenon_emission_memory(e);
    e->members |= e->reads[i].words;
  }
  return TENON_OK;
}

static const char preamble[] =
    "#define TENON_EMITTED 1\n"
    "#ifdef __GNUC__\n"
    "#define TENON_KERNEL_LINKAGE static __attribute__((unused))\n"
    "#else\n"
    "#define TENON_KERNEL_LINKAGE static\n"
    "#endif\n";

tenon_status tenon_emit_bundle(tenon_emission *e) {
  bundle b = {.e = e};
  TENON_TRY(tenon_emit_open_parts(e));
  tenon_map_init(&b.done, e->allocator);
  tenon_buf_text(&e->texts, preamble);
  tenon_status status = TENON_OK;
  bool done = bundle_add_piece(&b, 0, 0, "tenon/base.h", "") && put_headers(&b);
  if (tenon_emission_failed(e))
    status = tenon_emission_memory(e);
  else if (!done)
    status = tenon_fail_bug(e->report, "a public header cannot be emitted");
  if (status == TENON_OK) status = put_kernels(&b);
  tenon_map_deinit(&b.done);
  if (status == TENON_OK && tenon_emission_failed(e))
    status = tenon_emission_memory(e);
  TENON_TRY(status);
  TENON_TRY(tenon_emit_check_clashes(e, e->parts->pieces.data + 1,
                                     e->parts->pieces.count - 1));
  TENON_TRY(check_symbols(e));
  if (!tenon_emit_take_apart(e)) return tenon_emission_memory(e);
  return list_reads(e);
}

bool tenon_emit_has_word(const tenon_emission *e, const char *word) {
  size_t size = strlen(word);
  if (!e->texts.data || size == 0) return false;
  for (const char *p = strstr(e->texts.data, word); p; p = strstr(p + 1, word))
    if ((p == e->texts.data || !tenon_char_is_in_name(p[-1])) &&
        !tenon_char_is_in_name(p[size]))
      return true;
  return false;
}
