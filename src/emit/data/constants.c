// How: plain constants are arrays of their type, so that a reader (and a
// debugger) sees numbers. What kernels packed is one struct of words, each
// block at a multiple of ^_ALIGN bytes and with at least as many behind it:
// that is what kernels are promised, at the cost of one tail for all of them.
// Of blocks that differ in their heads alone the first is there as a whole
// (tenon_kernel_desc.pack_head).

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
    tenon_emit_put(e, out, "@$$", c->is_packed ? "_packed.c" : "_c", index);
  }
  if (offset) {
    tenon_put(out, " + $", offset);
  }
}

// Among the words of the source.
static bool is_packed_here(const tenon_emission *e, uint32_t index) {
  return e->is_used[index] && e->p->constants[index].is_packed &&
         !tenon_emit_is_filed(e, index);
}

// The first block among the words with the same bytes behind the head.
static uint32_t rest_of(const tenon_emission *e, uint32_t index) {
  const uint32_t rest = tenon_program_rest_of(e->p, index);
  return is_packed_here(e, rest) ? rest : index;
}

static uint64_t constant_size_of(const tenon_emission *e, uint32_t index) {
  return rest_of(e, index) == index ? e->p->constants[index].size
                                    : tenon_program_constant_size(e->p, index);
}

static uint64_t block_size(const tenon_emission *e, uint32_t index) {
  const uint64_t align = e->p->arena_align;
  return (constant_size_of(e, index) + align - 1) / align * align;
}

uint64_t tenon_emit_constant_bytes(const tenon_emission *e) {
  uint64_t size = 0, packed = 0;
  for (uint32_t i = 0; i < e->p->n_constants; ++i) {
    const tenon_program_constant *c = &e->p->constants[i];
    if (!e->is_used[i] || e->apart[i] || tenon_emit_is_filed(e, i)) continue;
    if (c->is_packed)
      packed += block_size(e, i);
    else
      size += c->size;
  }
  return size + packed + (packed ? e->p->arena_align : 0) +
         (e->n_filed ? e->filed_size + e->p->arena_align : 0);
}

static void put_comment(const tenon_emission *e, tenon_sink *s, uint64_t size,
                        const tenon_program_constant *c, const char *indent) {
  tenon_sink_put(e, s, "$// $: $ bytes$\n", indent,
                 tenon_as_c_name(c->name ? c->name : ""), size,
                 c->is_packed ? ", packed" : "");
}

static void put_plain(const tenon_emission *e, tenon_sink *s, uint32_t index) {
  const tenon_program_constant *c = &e->p->constants[index];
  const char *type = tenon_sink_array_type(c->dtype, c->data, c->size);
  put_comment(e, s, c->size, c, "");
  if (c->dtype == TENON_STR) tenon_emit_string_bytes(e, s, index);
  tenon_sink_put(e, s, "static $ ", tenon_emit_constant_place(e, index));
  if (e->alignments[index])
    tenon_sink_put(e, s, "^_ALIGNED($) ", e->alignments[index]);
  tenon_sink_put(e, s, "const $ @_c$[$] = {", type, index,
                 tenon_sink_array_count(type, c->size));
  if (c->dtype == TENON_STR)
    tenon_emit_string_elements(e, s, index);
  else
    tenon_sink_array(s, c->dtype, c->data, c->size);
  tenon_sink_text(s, "};\n\n");
}

static void constant_put_member(const tenon_emission *e, tenon_sink *s,
                                uint32_t index, bool is_first) {
  tenon_sink_put(e, s, "  $uint32_t c$[$];\n",
                 tenon_as_marked(is_first ? "^_ALIGNED(^_ALIGN) " : ""), index,
                 block_size(e, index) / 4);
}

// A head alone: its last word leads back to a rest that stands there already.
static void constant_put_head(const tenon_emission *e, tenon_sink *s,
                              uint32_t index, uint32_t from) {
  const tenon_program_constant *c = &e->p->constants[index];
  const uint32_t head = (uint32_t)tenon_program_constant_size(e->p, index);
  uint8_t bytes[TENON_PACK_HEAD];
  uint64_t back = 0;
  for (uint32_t i = from; i < index; ++i)
    if (is_packed_here(e, i)) back += block_size(e, i);
  memcpy(bytes, c->data, head);
  const uint32_t rest = (uint32_t)(head - back);  // modulo 2^32: below zero
  for (uint32_t i = 0; i < 4; ++i)
    bytes[head - 4 + i] = (uint8_t)(rest >> 8 * i);
  tenon_sink_words(s, bytes, head);
}

static void put_packed(const tenon_emission *e, tenon_sink *s) {
  bool is_first = true;
  for (uint32_t i = 0; i < e->p->n_constants; ++i) {
    if (!is_packed_here(e, i)) continue;
    if (is_first)
      tenon_sink_put(e, s,
                     "// What kernels need of constants, computed when this "
                     "was compiled.\nstatic $ const struct {\n",
                     tenon_emit_constant_place(e, i));
    constant_put_member(e, s, i, is_first);
    is_first = false;
  }
  if (is_first) return;
  tenon_sink_put(e, s, "  uint32_t tail[$];\n} @_packed = {\n",
                 e->p->arena_align / 4);
  for (uint32_t i = 0; i < e->p->n_constants; ++i) {
    const tenon_program_constant *c = &e->p->constants[i];
    if (!is_packed_here(e, i)) continue;
    put_comment(e, s, constant_size_of(e, i), c, "  ");
    tenon_sink_text(s, "  {");
    const uint32_t from = rest_of(e, i);
    if (from == i)
      tenon_sink_words(s, c->data, c->size);
    else
      constant_put_head(e, s, i, from);
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
