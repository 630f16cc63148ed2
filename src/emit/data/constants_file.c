// How: large constants are bytes of a file that the assembler includes, each at
// a multiple of ^_ALIGN and with as many zeros behind the last, which is what
// kernels are promised. A compiler takes minutes for the same as numbers. A
// constant gets its place when it is first referred to.
#include "emit/emission.h"
#include "tenon/ext/package.h"

tenon_status tenon_emit_check_filed(tenon_emission *e) {
  const struct tenon_program *p = e->p;
  TENON_TRY(tenon_emit_check_blob(e));
  if (e->options.constants_file_from == 0) return TENON_OK;
  if (e->is_single)
    return tenon_fail(e->report, TENON_BAD_ARGUMENT, "emit-constants", NULL,
                      "constants in a file of their own need a folder; package "
                      "'%s' has one file",
                      e->package->name);
  if (e->package->lay_out)
    return tenon_fail(e->report, TENON_BAD_ARGUMENT, "emit-constants", NULL,
                      "package '%s' does not know constants in a file of their "
                      "own; the layout 'files' does",
                      e->package->name);
  if (p->n_banks > 0)
    return tenon_fail(e->report, TENON_BAD_ARGUMENT, "emit-constants", NULL,
                      "constants in a file of their own lie in one place, and "
                      "this program has memories");
  e->filed = tenon_arena_array(&e->arena, uint32_t, p->n_constants + 1u);
  e->filed_at = tenon_arena_array(&e->arena, uint64_t, p->n_constants + 1u);
  if (!e->filed || !e->filed_at) return tenon_emission_memory(e);
  for (uint32_t i = 0; i < p->n_constants; ++i)
    e->filed_at[i] = 0;
  return TENON_OK;
}

bool tenon_emit_is_filed(const tenon_emission *e, uint32_t index) {
  const tenon_program_constant *c = &e->p->constants[index];
  return e->filed && c->data && !e->apart[index] && c->dtype != TENON_STR &&
         c->size >= e->options.constants_file_from;
}

bool tenon_emit_filed_at(tenon_emission *e, tenon_buf *out, uint32_t index,
                         uint64_t offset) {
  if (!tenon_emit_is_filed(e, index)) return false;
  if (e->filed_at[index] == 0) {
    const uint64_t size = e->p->constants[index].size;
    const uint64_t align = e->p->arena_align;
    e->filed_at[index] = e->filed_size + 1;
    e->filed[e->n_filed++] = index;
    e->filed_size += (size + align - 1) / align * align;
  }
  tenon_buf_text(out, offset ? "((const char *)(" : "((const void *)(");
  tenon_emit_text(e, out,
                  tenon_emit_is_blob(e) ? "m->constants + " : "@_constants + ");
  tenon_put(out, "$))", e->filed_at[index] - 1 + offset);
  return true;
}

static const char filed_text[] =
    "// Large constants are the bytes of @_constants.bin, which the assembler "
    "looks for where\n"
    "// it is called and in the folders of -I; without such an assembler, or "
    "with\n"
    "// ^_CONSTANTS_EMBED, the compiler does, by #embed of C23. With "
    "^_CONSTANTS_EXTERN they are\n"
    "// linked from elsewhere: an object that defines @_constants, at a "
    "multiple of ^_ALIGN bytes.\n"
    "#ifndef ^_CONSTANTS_FILE\n"
    "#define ^_CONSTANTS_FILE \"@_constants.bin\"\n"
    "#endif\n"
    "#ifdef ^_CONSTANTS_EXTERN\n"
    "extern const unsigned char @_constants[];\n"
    "#elif defined(__GNUC__) && defined(__ELF__) && "
    "!defined(^_CONSTANTS_EMBED)\n"
    "__asm__(\".section .rodata.@_constants,\\\"a\\\",%progbits\\n\"\n"
    "        \".balign 64\\n\"\n"
    "        \".globl @_constants\\n\"\n"
    "        \".hidden @_constants\\n\"\n"
    "        \"@_constants:\\n\"\n"
    "        \".incbin \\\"\" ^_CONSTANTS_FILE \"\\\"\\n\"\n"
    "        \".previous\\n\");\n"
    "extern const unsigned char @_constants[] "
    "__attribute__((visibility(\"hidden\")));\n"
    "#elif defined(__has_embed)\n"
    "static const _Alignas(64) unsigned char @_constants[] = {\n"
    "#embed ^_CONSTANTS_FILE\n"
    "};\n"
    "#else\n"
    "#error \"this compiler has no #embed: define ^_CONSTANTS_EXTERN, and link "
    "an object that defines "
    "@_constants\"\n"
    "#endif\n\n";

void tenon_emit_filed_text(const tenon_emission *e, tenon_buf *out) {
  if (e->n_filed && !tenon_emit_is_blob(e)) tenon_emit_text(e, out, filed_text);
}

void tenon_emit_filed(const tenon_emission *e, tenon_sink *s) {
  static const char zeros[TENON_ARENA_ALIGN] = {0};
  const uint32_t align = e->p->arena_align;
  for (uint32_t i = 0; i < e->n_filed; ++i) {
    const tenon_program_constant *c = &e->p->constants[e->filed[i]];
    tenon_sink_add(s, (const char *)c->data, (size_t)c->size);
    if (c->size % align)
      tenon_sink_add(s, zeros, (size_t)(align - c->size % align));
  }
  tenon_sink_add(s, zeros, align);
}
