// How: plain constants are arrays of their type, so that a reader (and a
// debugger) sees numbers. What kernels packed is one struct of words, each
// block at a multiple of ^_ALIGN bytes and with at least as many behind it:
// that is what kernels are promised, at the cost of one tail for all of them.
#include "emit/emission.h"

void tenon_emit_constant(tenon_emission *e, tenon_buf *out, uint32_t index,
                         uint64_t offset) {
  const tenon_program_constant *c = &e->p->constants[index];
  if (c->size == 0) {
    tenon_buf_text(out, "NULL");
    return;
  }
  e->is_used[index] = 1;
  ++e->n_references;
  if (tenon_emit_resident_at(e, out, index, offset)) return;
  if (tenon_emit_filed_at(e, out, index, offset)) return;
  if (offset) tenon_buf_text(out, "(const char *)");
  if (e->apart[index]) {
    tenon_buf_text(out, e->apart[index]);
  } else {
    tenon_buf_text(out, e->prefix);
    tenon_buf_text(out, c->is_packed ? "_packed.c" : "_c");
    tenon_c_uint(out, index);
  }
  if (offset) {
    tenon_buf_text(out, " + ");
    tenon_c_uint(out, offset);
  }
}

static uint64_t block_size(const tenon_emission *e,
                           const tenon_program_constant *c) {
  const uint64_t align = e->p->arena_align;
  return (c->size + align - 1) / align * align;
}

uint64_t tenon_emit_constant_bytes(const tenon_emission *e) {
  uint64_t size = 0, packed = 0;
  for (uint32_t i = 0; i < e->p->n_constants; ++i) {
    const tenon_program_constant *c = &e->p->constants[i];
    if (!e->is_used[i] || e->apart[i] || tenon_emit_is_filed(e, i)) continue;
    if (c->is_packed)
      packed += block_size(e, c);
    else
      size += c->size;
  }
  return size + packed + (packed ? e->p->arena_align : 0) +
         (e->n_filed ? e->filed_size + e->p->arena_align : 0);
}

static void put_number(tenon_sink *s, uint64_t value) {
  char text[TENON_C_NUMBER];
  tenon_sink_add(s, text, tenon_c_put_uint(text, value));
}

static void put_comment(const tenon_emission *e, tenon_sink *s,
                        const tenon_program_constant *c, const char *indent) {
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  tenon_buf_text(&text, indent);
  tenon_buf_text(&text, "// ");
  tenon_c_name(&text, c->name ? c->name : "");
  tenon_buf_text(&text, ": ");
  tenon_c_uint(&text, c->size);
  tenon_buf_text(&text, c->is_packed ? " bytes, packed\n" : " bytes\n");
  tenon_sink_buf(s, &text);
  tenon_buf_deinit(&text);
}

static void put_plain(const tenon_emission *e, tenon_sink *s, uint32_t index) {
  const tenon_program_constant *c = &e->p->constants[index];
  const char *type = tenon_sink_array_type(c->dtype, c->data, c->size);
  put_comment(e, s, c, "");
  if (c->dtype == TENON_STR) tenon_emit_string_bytes(e, s, index);
  tenon_sink_text(s, "static ");
  tenon_emit_constant_place(e, s, index);
  if (e->alignments[index]) {
    tenon_sink_text(s, e->macro);
    tenon_sink_text(s, "_ALIGNED(");
    put_number(s, e->alignments[index]);
    tenon_sink_text(s, ") ");
  }
  tenon_sink_text(s, "const ");
  tenon_sink_text(s, type);
  tenon_sink_text(s, " ");
  tenon_sink_text(s, e->prefix);
  tenon_sink_text(s, "_c");
  put_number(s, index);
  tenon_sink_text(s, "[");
  put_number(s, tenon_sink_array_count(type, c->size));
  tenon_sink_text(s, "] = {");
  if (c->dtype == TENON_STR)
    tenon_emit_string_elements(e, s, index);
  else
    tenon_sink_array(s, c->dtype, c->data, c->size);
  tenon_sink_text(s, "};\n\n");
}

static void put_member(const tenon_emission *e, tenon_sink *s, uint32_t index,
                       bool is_first) {
  const tenon_program_constant *c = &e->p->constants[index];
  tenon_sink_text(s, "  ");
  if (is_first) {
    tenon_sink_text(s, e->macro);
    tenon_sink_text(s, "_ALIGNED(");
    tenon_sink_text(s, e->macro);
    tenon_sink_text(s, "_ALIGN) ");
  }
  tenon_sink_text(s, "uint32_t c");
  put_number(s, index);
  tenon_sink_text(s, "[");
  put_number(s, block_size(e, c) / 4);
  tenon_sink_text(s, "];\n");
}

// Among the words of the source.
static bool is_packed_here(const tenon_emission *e, uint32_t index) {
  return e->is_used[index] && e->p->constants[index].is_packed &&
         !tenon_emit_is_filed(e, index);
}

static void put_packed(const tenon_emission *e, tenon_sink *s) {
  bool is_first = true;
  for (uint32_t i = 0; i < e->p->n_constants; ++i) {
    if (!is_packed_here(e, i)) continue;
    if (is_first) {
      tenon_sink_text(s,
                      "// What kernels need of constants, computed when this "
                      "was compiled.\nstatic ");
      tenon_emit_constant_place(e, s, i);
      tenon_sink_text(s, "const struct {\n");
    }
    put_member(e, s, i, is_first);
    is_first = false;
  }
  if (is_first) return;
  tenon_sink_text(s, "  uint32_t tail[");
  put_number(s, e->p->arena_align / 4);
  tenon_sink_text(s, "];\n} ");
  tenon_sink_text(s, e->prefix);
  tenon_sink_text(s, "_packed = {\n");
  for (uint32_t i = 0; i < e->p->n_constants; ++i) {
    const tenon_program_constant *c = &e->p->constants[i];
    if (!is_packed_here(e, i)) continue;
    put_comment(e, s, c, "  ");
    tenon_sink_text(s, "  {");
    tenon_sink_words(s, c->data, c->size);
    tenon_sink_text(s, "},\n");
  }
  tenon_sink_text(s, "  {0}};\n\n");
}

void tenon_emit_constants(const tenon_emission *e, tenon_sink *s) {
  for (uint32_t i = 0; i < e->p->n_constants; ++i)
    if (e->is_used[i] && !e->apart[i] && !e->p->constants[i].is_packed &&
        !tenon_emit_is_filed(e, i))
      put_plain(e, s, i);
  put_packed(e, s);
}
