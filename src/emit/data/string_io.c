// How: the bytes of a constant's strings are one array, and its elements point
// into it. Callers have a struct of the same layout under the model's prefix,
// since the header stands alone.
#include "core/dtype.h"
#include "emit/emission.h"

tenon_put_value tenon_emit_io_type(tenon_dtype dtype) {
  return dtype == TENON_STR ? tenon_as_marked("@_string")
                            : tenon_as_plain(tenon_c_type(dtype));
}

static bool is_io(const tenon_io *io, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (io[i].dtype == TENON_STR) return true;
  return false;
}

bool tenon_emit_has_strings(const tenon_emission *e) {
  for (uint32_t i = 0; i < e->p->n_entries; ++i)
    if (is_io(e->p->entries[i].inputs, e->p->entries[i].n_in) ||
        is_io(e->p->entries[i].outputs, e->p->entries[i].n_out))
      return true;
  return false;
}

static const char type_text[] =
    "// A string: `size` bytes at `at.data`, which need not end in a zero. The "
    "bytes of\n"
    "// inputs are the caller's until the outputs have been read: what a run "
    "gives points\n"
    "// to them, or to constants.\n"
    "typedef struct @_string {\n"
    "  union {\n"
    "    const char *data;\n"
    "    uint64_t word;  // 16 bytes on every machine\n"
    "  } at;\n"
    "  uint64_t size;\n"
    "} @_string;\n"
    "\n";

void tenon_emit_string_type(const tenon_emission *e, tenon_buf *out) {
  if (tenon_emit_has_strings(e)) tenon_emit_text(e, out, type_text);
}

// --- constants ---------------------------------------------------------------

void tenon_emit_string_bytes(const tenon_emission *e, tenon_sink *s,
                             uint32_t index) {
  const tenon_program_constant *c = &e->p->constants[index];
  const tenon_string *strings = (const tenon_string *)c->data;
  char text[TENON_C_NUMBER];
  uint64_t size = 0;
  for (size_t i = 0; i < c->size / sizeof *strings; ++i)
    size += strings[i].size;
  tenon_sink_put(e, s, "static $ const unsigned char @_bytes$[$] = {",
                 tenon_emit_constant_place(e, index), index, size + 1);
  s->column = 0;
  for (size_t i = 0; i < c->size / sizeof *strings; ++i)
    for (uint64_t k = 0; k < strings[i].size; ++k) {
      const unsigned char byte = (unsigned char)strings[i].at.data[k];
      tenon_sink_number(s, text, tenon_c_put_uint(text, byte));
    }
  tenon_sink_number(s, text, tenon_c_put_uint(text, 0));
  tenon_sink_text(s, "};\n");
}

void tenon_emit_string_elements(const tenon_emission *e, tenon_sink *s,
                                uint32_t index) {
  const tenon_program_constant *c = &e->p->constants[index];
  const tenon_string *strings = (const tenon_string *)c->data;
  uint64_t at = 0;
  for (size_t i = 0; i < c->size / sizeof *strings; ++i) {
    tenon_sink_put(e, s, "$\n    {{(const char *)@_bytes$ + $}, $}",
                   i ? "," : "", index, at, strings[i].size);
    at += strings[i].size;
  }
}

// --- the driver --------------------------------------------------------------

static const char take_text[] =
    "// A string is its size, as uint64, and its bytes; those of a run stand "
    "here.\n"
    "#ifndef ^_STRINGS\n"
    "#define ^_STRINGS 1048576\n"
    "#endif\n"
    "static char @_bytes[^_STRINGS];\n"
    "static size_t @_n_bytes;\n"
    "\n"
    "static int @_take_strings(@_string *to, size_t n) {\n"
    "  size_t i;\n"
    "  for (i = 0; i < n; ++i) {\n"
    "    const size_t left = sizeof @_bytes - @_n_bytes;\n"
    "    if (fread(&to[i].size, 1, sizeof to[i].size, stdin) != sizeof "
    "to[i].size ||\n"
    "        to[i].size > left ||\n"
    "        fread(@_bytes + @_n_bytes, 1, (size_t)to[i].size, stdin) != "
    "(size_t)to[i].size) {\n"
    "      (void)fprintf(stderr, \"strings of more than ^_STRINGS bytes, or "
    "fewer than said\\n\");\n"
    "      return 8;\n"
    "    }\n"
    "    to[i].at.data = @_bytes + @_n_bytes;\n"
    "    @_n_bytes += (size_t)to[i].size;\n"
    "  }\n"
    "  return 0;\n"
    "}\n"
    "\n";

static const char give_text[] =
    "static int @_give_strings(const @_string *from, size_t n) {\n"
    "  size_t i;\n"
    "  for (i = 0; i < n; ++i) {\n"
    "    const size_t size = (size_t)from[i].size;\n"
    "    if (fwrite(&from[i].size, 1, sizeof from[i].size, stdout) != sizeof "
    "from[i].size)\n"
    "      return 8;\n"
    "    if (size > 0 && fwrite(from[i].at.data, 1, size, stdout) != size) "
    "return 8;\n"
    "  }\n"
    "  return 0;\n"
    "}\n"
    "\n";

void tenon_emit_string_begin(const tenon_emission *e, tenon_buf *out,
                             const tenon_program_entry *p) {
  if (is_io(p->inputs, p->n_in)) tenon_emit_text(e, out, "  @_n_bytes = 0;\n");
}

void tenon_emit_string_driver(const tenon_emission *e, tenon_buf *out) {
  bool has_in = false, has_out = false;
  for (uint32_t i = 0; i < e->p->n_entries; ++i) {
    const tenon_program_entry *p = &e->p->entries[i];
    has_in |= is_io(p->inputs, p->n_in);
    has_out |= is_io(p->outputs, p->n_out);
    for (uint32_t k = 0; k < p->n_writes; ++k)
      has_out |= p->inputs[p->writes[k].input].dtype == TENON_STR;
  }
  if (has_in) tenon_emit_text(e, out, take_text);
  if (has_out) tenon_emit_text(e, out, give_text);
}
