// How: the public headers that kernels may include, then for each kernel in the
// order of its first step its text behind those it uses, each name once.
#include <string.h>

#include "emit/emission.h"
#include "kern/sources.h"

static const char *const headers[] = {"tenon/base.h", "tenon/attr.h",
                                      "tenon/tensor.h", NULL};

// What a text is called, without the folders of whoever wrote it.
static void put_title(tenon_emission *e, const char *name) {
  tenon_buf *out = &e->texts;
  const char *slash = strrchr(name, '/');
  bool is_ours =
      strncmp(name, "kern/", 5) == 0 || strncmp(name, "tenon/", 6) == 0;
  if (e->is_stripped && !is_ours) return;
  tenon_buf_text(out, "\n// ---- ");
  tenon_c_comment(out, is_ours || !slash ? name : slash + 1);
  tenon_buf_text(out, "\n\n");
}

static bool put_headers(tenon_emission *e) {
  char include[64];
  for (size_t i = 0; headers[i]; ++i)
    for (size_t k = 0; tenon_public_header_sources[k]; ++k) {
      const tenon_source *s = tenon_public_header_sources[k];
      if (strcmp(s->name, headers[i]) != 0) continue;
      put_title(e, s->name);
      if (!tenon_emit_strip(&e->texts, s->text, true, include, sizeof include))
        return false;
    }
  return true;
}

static tenon_status fail_include(const tenon_emission *e,
                                 const tenon_program_kernel *k,
                                 const tenon_source *s, const char *include) {
  const tenon_diag note = {
      sizeof note,
      TENON_NOTE,
      "emit-include",
      "emitted C holds the text of tenon/base.h, tenon/attr.h and "
      "tenon/tensor.h; what needs more belongs between #ifndef TENON_EMITTED "
      "and #endif",
      NULL,
      NULL};
  return tenon_fail_notes(e->report, TENON_BAD_PLUGIN, "emit-include", NULL,
                          &note, "the text '%s' of plugin '%s' includes \"%s\"",
                          s->name, k->owner, include);
}

// Texts use texts; registration has refused circles.
static tenon_status put_source(tenon_emission *e, tenon_map *done,
                               const tenon_program_kernel *k,
                               const tenon_source *s) {
  char include[128];
  bool added = false;
  if (!tenon_map_put_text(done, s->name, 0, &added))
    return tenon_emission_memory(e);
  if (!added) return TENON_OK;
  for (size_t i = 0; s->uses && s->uses[i]; ++i)
    TENON_TRY(put_source(e, done, k, s->uses[i]));
  put_title(e, s->name);
  if (!tenon_emit_strip(&e->texts, s->text, false, include, sizeof include))
    return fail_include(e, k, s, include);
  return TENON_OK;
}

static void put_extern(tenon_emission *e, const tenon_program_kernel *k) {
  bool is_range = k->desc->run_range || k->desc->items;
  tenon_buf_text(&e->texts, "\nextern tenon_status ");
  tenon_buf_text(&e->texts, k->symbol);
  tenon_buf_text(&e->texts, is_range ? "(const tenon_call *c, int64_t begin, "
                                       "int64_t end);\n"
                                     : "(const tenon_call *c);\n");
}

static tenon_status put_kernels(tenon_emission *e, tenon_map *done) {
  const struct tenon_program *p = e->p;
  uint8_t *seen = tenon_arena_array(&e->arena, uint8_t, p->n_kernels);
  if (!seen) return tenon_emission_memory(e);
  tenon_status status = TENON_OK, one = TENON_OK;
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    uint32_t index = p->steps[i].kernel;
    if (p->steps[i].kind != TENON_STEP_KERNEL || seen[index]) continue;
    const tenon_program_kernel *k = &p->kernels[index];
    seen[index] = 1;
    if (e->ways[index] == TENON_WAY_SOURCE)
      one = put_source(e, done, k, k->source);
    else if (e->ways[index] == TENON_WAY_EXTERN)
      put_extern(e, k);
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

tenon_status tenon_emit_bundle(tenon_emission *e) {
  tenon_map done;
  tenon_buf_text(&e->texts,
                 "#define TENON_EMITTED 1\n"
                 "#ifdef __GNUC__\n"
                 "#define TENON_KERNEL_LINKAGE static __attribute__((unused))\n"
                 "#else\n"
                 "#define TENON_KERNEL_LINKAGE static\n"
                 "#endif\n");
  if (!put_headers(e))
    return tenon_fail_bug(e->report, "a public header cannot be emitted");
  tenon_map_init(&done, e->allocator);
  tenon_status status = put_kernels(e, &done);
  tenon_map_deinit(&done);
  if (status != TENON_OK) return status;
  if (tenon_emission_failed(e)) return tenon_emission_memory(e);
  return check_symbols(e);
}

static bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

bool tenon_emit_has_word(const tenon_emission *e, const char *word) {
  size_t size = strlen(word);
  if (!e->texts.data || size == 0) return false;
  for (const char *p = strstr(e->texts.data, word); p; p = strstr(p + 1, word))
    if ((p == e->texts.data || !is_word_char(p[-1])) && !is_word_char(p[size]))
      return true;
  return false;
}
