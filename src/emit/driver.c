// How: a loop over standard input, written once per entry point where inputs
// and outputs are named. Data goes straight into and out of the instance.
#include "emit/emission.h"

static const char open_text[] =
    "// @_driver.c - runs the model on raw bytes, for whoever compares.\n"
    "//\n"
    "// Standard input: for each run two bytes, the index of the entry point "
    "and flags (1:\n"
    "// reset all states first; 2: give all states afterwards); then its "
    "inputs. Standard\n"
    "// output: the outputs of each run, what became of the inputs that it "
    "writes, and\n"
    "// the states.\n";

static const char include_text[] =
    "#include <stdio.h>\n"
    "#ifdef _WIN32\n"
    "#include <fcntl.h>\n"
    "#include <io.h>\n"
    "#endif\n"
    "\n"
    "static @ @_instance;\n"
    "\n";

static const char take_text[] =
    "static int @_take(void *data, size_t size) {\n"
    "  if (size == 0 || fread(data, 1, size, stdin) == size) return 0;\n"
    "  (void)fprintf(stderr, \"standard input ends within an input\\n\");\n"
    "  return 8;\n"
    "}\n"
    "\n";

static const char give_text[] =
    "static int @_give(const void *data, size_t size) {\n"
    "  if (size == 0 || fwrite(data, 1, size, stdout) == size) return 0;\n"
    "  (void)fprintf(stderr, \"standard output does not take an output\\n\");\n"
    "  return 8;\n"
    "}\n"
    "\n";

static const char report_text[] =
    "static int @_report(int status) {\n"
    "  if (status != 0)\n"
    "    (void)fprintf(stderr, \"status %d at step %ld: %s (%ld, %ld)\\n\", "
    "status,\n"
    "                  (long)@_fault_step(&@_instance), @_fault(&@_instance),\n"
    "                  (long)@_fault_value(&@_instance, 0), "
    "(long)@_fault_value(&@_instance, "
    "1));\n"
    "  return status;\n"
    "}\n"
    "\n";

static const char main_text[] =
    "int main(void) {\n"
    "  static int (*const entries[])(void) = {";

static const char loop_text[] =
    "};\n"
    "  int entry;\n"
    "#ifdef _WIN32\n"
    "  (void)_setmode(_fileno(stdin), _O_BINARY);\n"
    "  (void)_setmode(_fileno(stdout), _O_BINARY);\n"
    "#endif\n"
    "  @_init(&@_instance);\n"
    "  while ((entry = getchar()) != EOF) {\n"
    "    int flags = getchar();\n"
    "    int status;\n"
    "    if ((size_t)entry >= sizeof entries / sizeof *entries) {\n"
    "      (void)fprintf(stderr, \"no entry point %d\\n\", entry);\n"
    "      return 2;\n"
    "    }\n"
    "    if (flags == EOF) return 2;\n"
    "    if (flags & 1) @_reset(&@_instance);\n"
    "    status = entries[entry]();\n"
    "    if (status == 0 && (flags & 2)) status = @_give_states();\n"
    "    if (status != 0) return status;\n"
    "  }\n"
    "  return fflush(stdout) == 0 ? 0 : 8;\n"
    "}\n";

static void put_move(const tenon_emission *e, tenon_buf *out,
                     const char *function, const tenon_io_names *names) {
  tenon_buf_text(out, "  if (status == 0) status = ");
  tenon_emit_text(e, out, function);
  tenon_buf_char(out, '(');
  tenon_buf_text(out, names->accessor);
  tenon_emit_text(e, out, "(&@_instance), ");
  tenon_buf_text(out, names->macro);
  tenon_buf_text(out, "_SIZE);\n");
}

static void put_entry(const tenon_emission *e, tenon_buf *out, uint32_t index) {
  const tenon_program_entry *p = &e->p->entries[index];
  const tenon_entry_names *names = &e->entries[index];
  tenon_emit_text(e, out, "static int @_drive");
  tenon_c_uint(out, index);
  tenon_buf_text(out, "(void) {\n  int status = 0;\n");
  for (uint32_t i = 0; i < p->n_in; ++i)
    put_move(e, out, "@_take", &names->in[i]);
  tenon_emit_text(e, out, "  if (status == 0) status = @_report(");
  tenon_buf_text(out, names->run);
  tenon_emit_text(e, out, "(&@_instance");
  for (uint32_t i = 0; i < (uint32_t)p->n_in + p->n_out; ++i)
    tenon_buf_text(out, ", NULL");
  tenon_buf_text(out, "));\n");
  for (uint32_t i = 0; i < p->n_out; ++i)
    put_move(e, out, "@_give", &names->out[i]);
  for (uint32_t i = 0; i < p->n_writes; ++i)
    put_move(e, out, "@_give", &names->after[i]);
  tenon_buf_text(out, "  return status;\n}\n\n");
}

static void put_states(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out,
                  "static int @_give_states(void) {\n  int status = 0;\n");
  for (uint32_t i = 0; i < e->p->n_states; ++i)
    put_move(e, out, "@_give", &e->states[i]);
  tenon_buf_text(out, "  return status;\n}\n\n");
}

void tenon_emit_driver_flags(const tenon_emission *e, tenon_sink *s) {
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  tenon_emit_flags(e, &text);
  tenon_buf_char(&text, '\n');
  tenon_sink_buf(s, &text);
  tenon_buf_deinit(&text);
}

void tenon_emit_driver(const tenon_emission *e, tenon_sink *s) {
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  tenon_emit_text(e, &text, open_text);
  tenon_sink_buf(s, &text);
  tenon_emit_include(e, s);
  tenon_buf_clear(&text);
  tenon_buf_char(&text, '\n');
  tenon_emit_text(e, &text, include_text);
  bool has_in = false, has_out = e->p->n_states > 0;
  for (uint32_t i = 0; i < e->p->n_entries; ++i) {
    has_in |= e->p->entries[i].n_in > 0;
    has_out |= e->p->entries[i].n_out > 0 || e->p->entries[i].n_writes > 0;
  }
  if (has_in) tenon_emit_text(e, &text, take_text);
  if (has_out) tenon_emit_text(e, &text, give_text);
  tenon_emit_text(e, &text, report_text);
  for (uint32_t i = 0; i < e->p->n_entries; ++i)
    put_entry(e, &text, i);
  put_states(e, &text);
  tenon_buf_text(&text, main_text);
  for (uint32_t i = 0; i < e->p->n_entries; ++i) {
    if (i) tenon_buf_text(&text, ", ");
    tenon_emit_text(e, &text, "@_drive");
    tenon_c_uint(&text, i);
  }
  tenon_emit_text(e, &text, loop_text);
  tenon_sink_buf(s, &text);
  tenon_buf_deinit(&text);
}
