// How: constants that the caller gives are those of the file
// (constants_file.c), which nobody includes: an instance has the address, and
// refers to each by its offset. The initialisation looks at their size, their
// alignment, and by FNV-1a at what they are; a run looks whether that went
// well.
#include "base/hash.h"
#include "emit/emission.h"

bool tenon_emit_is_blob(const tenon_emission *e) {
  return (e->options.flags & TENON_EMIT_BLOB) != 0;
}

tenon_status tenon_emit_check_blob(const tenon_emission *e) {
  if (!tenon_emit_is_blob(e)) return TENON_OK;
  if (e->options.constants_file_from == 0)
    return tenon_fail(e->report, TENON_BAD_ARGUMENT, "emit-constants", NULL,
                      "constants that the caller gives need a size from which "
                      "on they are (constants_file_from)");
  return TENON_OK;
}

tenon_status tenon_emit_check_blob_used(const tenon_emission *e) {
  if (!tenon_emit_is_blob(e) || e->n_filed > 0) return TENON_OK;
  return tenon_fail(e->report, TENON_BAD_ARGUMENT, "emit-constants", NULL,
                    "no constant has %llu bytes or more: the caller would have "
                    "none to give",
                    (unsigned long long)e->options.constants_file_from);
}

// --- the header -------------------------------------------------------------

static uint64_t blob_hash_of(const tenon_emission *e) {
  static const char zeros[TENON_ARENA_ALIGN] = {0};
  const uint32_t align = e->p->arena_align;
  uint64_t hash = TENON_HASH_SEED;
  for (uint32_t i = 0; i < e->n_filed; ++i) {
    const tenon_program_constant *c = &e->p->constants[e->filed[i]];
    hash = tenon_hash(c->data, (size_t)c->size, hash);
    if (c->size % align)
      hash = tenon_hash(zeros, (size_t)(align - c->size % align), hash);
  }
  return tenon_hash(zeros, align, hash);
}

void tenon_emit_blob_sizes(const tenon_emission *e, tenon_buf *out) {
  if (!tenon_emit_is_blob(e)) return;
  tenon_emit_text(e, out, "#define ^_CONSTANTS_SIZE ");
  tenon_c_uint(out, e->filed_size + e->p->arena_align);
  tenon_emit_text(e, out, "\n#define ^_CONSTANTS_HASH UINT64_C(");
  tenon_buf_format(out, "0x%016llx)\n", (unsigned long long)blob_hash_of(e));
}

static const char init_text[] =
    "// Large constants are not in the program: `constants` are the "
    "^_CONSTANTS_SIZE bytes of\n"
    "// @_constants.bin, or more, at a multiple of ^_ALIGN bytes. They stay "
    "there, unchanged,\n"
    "// as long as the instance is used; several may share them. Others than "
    "those of this\n"
    "// model are refused too, by their hash (FNV-1a, 64 bits), unless "
    "^_CONSTANTS_TRUSTED is\n"
    "// defined.\n";

void tenon_emit_blob_header(const tenon_emission *e, tenon_buf *out) {
  if (tenon_emit_is_blob(e)) tenon_emit_text(e, out, init_text);
}

const char *tenon_emit_blob_parameters(const tenon_emission *e) {
  return tenon_emit_is_blob(e)
             ? ", const void *constants, size_t constants_size"
             : "";
}

void tenon_emit_blob_member(const tenon_emission *e, tenon_buf *out) {
  if (tenon_emit_is_blob(e))
    tenon_buf_text(out, "  const unsigned char *constants;\n");
}

// --- the module -------------------------------------------------------------

static const char check_text[] =
    "  if (m->constants == NULL) {\n"
    "    m->fault_text = \"no constants are bound to the instance, or others "
    "than this model's\";\n"
    "    return TENON_BAD_ARGUMENT;\n"
    "  }\n";

void tenon_emit_blob_check(const tenon_emission *e, tenon_buf *out) {
  if (tenon_emit_is_blob(e)) tenon_buf_text(out, check_text);
}

static const char look_text[] =
    "static tenon_status @_look_at_constants(@ *m, size_t size) {\n"
    "#ifndef ^_CONSTANTS_TRUSTED\n"
    "  uint64_t hash = UINT64_C(0xcbf29ce484222325);\n"
    "  size_t i;\n"
    "#endif\n"
    "  if (size < ^_CONSTANTS_SIZE || (uintptr_t)m->constants % ^_ALIGN != 0) "
    "{\n"
    "    m->fault_text = \"constants have {0} of {1} bytes, or are not at a "
    "multiple of ^_ALIGN\";\n"
    "    m->fault_value[0] = (int64_t)size;\n"
    "    m->fault_value[1] = (int64_t)^_CONSTANTS_SIZE;\n"
    "    return TENON_BAD_ARGUMENT;\n"
    "  }\n"
    "#ifndef ^_CONSTANTS_TRUSTED\n"
    "  for (i = 0; i < ^_CONSTANTS_SIZE; ++i)\n";
// The sign of C stands for the prefix in other texts.
static const char hash_text[] =
    "    hash = (hash ^ m->constants[i]) * UINT64_C(0x100000001b3);\n";
static const char compare_text[] =
    "  if (hash != ^_CONSTANTS_HASH) {\n"
    "    m->fault_text = \"the constants are not those of this model: "
    "@_constants.bin\";\n"
    "    return TENON_BAD_ARGUMENT;\n"
    "  }\n"
    "#endif\n"
    "  return TENON_OK;\n"
    "}\n\n";

void tenon_emit_blob_look(const tenon_emission *e, tenon_buf *out) {
  if (!tenon_emit_is_blob(e)) return;
  tenon_emit_put(e, out, "$$$", tenon_as_marked(look_text), hash_text,
                 tenon_as_marked(compare_text));
}

// --- who else runs it -------------------------------------------------------

static const char read_text[] =
    "// Where a loader has put the constants is ^_CONSTANTS_AT; else they are "
    "read from a file.\n"
    "#ifndef ^_CONSTANTS_AT\n"
    "#include <stdio.h>\n"
    "#ifndef ^_CONSTANTS_FILE\n"
    "#define ^_CONSTANTS_FILE \"@_constants.bin\"\n"
    "#endif\n"
    "static ^_ALIGNED(^_ALIGN) unsigned char @_constants[^_CONSTANTS_SIZE];\n"
    "static const void *@_read_constants(void) {\n"
    "  FILE *file = fopen(^_CONSTANTS_FILE, \"rb\");\n"
    "  if (file == NULL) return NULL;\n"
    "  (void)fread(@_constants, 1, sizeof @_constants, file);\n"
    "  (void)fclose(file);\n"
    "  return @_constants;\n"
    "}\n"
    "#define ^_CONSTANTS_AT @_read_constants()\n"
    "#endif\n";

void tenon_emit_blob_reader(const tenon_emission *e, tenon_buf *out) {
  if (tenon_emit_is_blob(e)) tenon_emit_text(e, out, read_text);
}

void tenon_emit_blob_arguments(const tenon_emission *e, tenon_buf *out) {
  if (tenon_emit_is_blob(e))
    tenon_emit_text(e, out, ", ^_CONSTANTS_AT, ^_CONSTANTS_SIZE");
}
