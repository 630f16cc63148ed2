// How: a constant without data is declared in the header and defined by
// whoever links; its name is that of the weight. A program that has to run by
// itself cannot have any.
#include "core/dtype.h"
#include "emit/emission.h"
#include "emit/idents.h"

static bool apart_is_apart(const tenon_program_constant *c) {
  return c->size > 0 && !c->data;
}

tenon_status tenon_emit_name_apart(tenon_emission *e) {
  uint32_t n = e->p->n_constants;
  e->apart = tenon_arena_array(&e->arena, const char *, n);
  if (!e->apart) return tenon_emission_memory(e);
  for (uint32_t i = 0; i < n; ++i) {
    const tenon_program_constant *c = &e->p->constants[i];
    if (!apart_is_apart(c)) continue;
    const char *clean = tenon_ident_clean(&e->arena, c->name, "weight");
    const char *const parts[] = {e->prefix, "_weight_", clean, NULL};
    e->apart[i] = clean ? tenon_ident_take(&e->symbols, &e->arena,
                                           tenon_ident_join(&e->arena, parts))
                        : NULL;
    if (!e->apart[i]) return tenon_emission_memory(e);
  }
  return TENON_OK;
}

tenon_status tenon_emit_check_apart(const tenon_emission *e) {
  bool runs =
      e->options.n_vectors > 0 || (e->options.flags & TENON_EMIT_DRIVER) != 0;
  return runs ? tenon_program_check_weights(e->p, e->report) : TENON_OK;
}

static void put_weight(const tenon_emission *e, tenon_buf *out,
                       uint32_t index) {
  const tenon_program_constant *c = &e->p->constants[index];
  const char *type = tenon_c_type(c->dtype);
  tenon_buf_text(out, "extern ");
  if (e->alignments[index])
    tenon_put(out, "$_ALIGNED($) ", e->macro, e->alignments[index]);
  tenon_put(out, "const $ $[$];  // '$', $\n", type, e->apart[index],
            tenon_sink_array_count(type, c->size), tenon_as_c_comment(c->name),
            tenon_dtype_name(c->dtype));
}

void tenon_emit_apart(const tenon_emission *e, tenon_buf *out) {
  bool any = false;
  for (uint32_t i = 0; i < e->p->n_constants; ++i) {
    if (!e->is_used[i] || !apart_is_apart(&e->p->constants[i])) continue;
    if (!any)
      tenon_buf_text(
          out,
          "// Weights that were not there when this was made: define "
          "each, with the\n"
          "// elements one after the other.\n");
    any = true;
    put_weight(e, out, i);
  }
  if (any) tenon_buf_char(out, '\n');
}
