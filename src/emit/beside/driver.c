// How: a loop over standard input, written once per entry point where inputs
// and outputs are named. Data goes straight into and out of the instance.
#include <string.h>

#include "base/os.h"
#include "core/dtype.h"
#include "emit/step/open.h"

static const char open_text[] =
    "// @_driver.c - runs the model on raw bytes, for whoever compares.\n"
    "//\n"
    "// Standard input: for each run two bytes, the index of the entry point "
    "and flags (1:\n"
    "// reset all states first; 2: give all states afterwards); then its "
    "inputs. Standard\n"
    "// output: the outputs of each run, what became of the inputs that it "
    "writes, and\n"
    "// the states. An input or output with open sizes is preceded by these, "
    "as int32.\n";

static const char include_text[] =
    "#include <stdio.h>\n"
    "#include <string.h>\n" TENON_OS_STREAMS_INCLUDE
    "\n"
    "// Done once, before each run with its inputs in place, and behind it.\n"
    "#ifndef ^_ON_INIT\n"
    "#define ^_ON_INIT(m) ((void)0)\n"
    "#endif\n"
    "#ifndef ^_ON_RUN\n"
    "#define ^_ON_RUN(m) ((void)0)\n"
    "#endif\n"
    "#ifndef ^_ON_RAN\n"
    "#define ^_ON_RAN(m) ((void)0)\n"
    "#endif\n"
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
    "  int entry;\n" TENON_OS_STREAMS_SETTLE;

static const char while_text[] =
    "  ^_ON_INIT(&@_instance);\n"
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

static const char *mover(tenon_dtype dtype, bool is_output) {
  if (dtype == TENON_STR)
    return is_output ? "@_give_strings(" : "@_take_strings(";
  return is_output ? "@_give(" : "@_take(";
}

static void put_move(const tenon_emission *e, tenon_buf *out, tenon_dtype dtype,
                     const tenon_io_names *names) {
  tenon_emit_put(e, out, "  if (status == 0) status = $$(&@_instance), $$",
                 tenon_as_marked(mover(dtype, true)), names->accessor,
                 names->macro, dtype == TENON_STR ? "_COUNT);\n" : "_SIZE);\n");
}

static void put_move_io(const tenon_emission *e, tenon_buf *out, uint32_t entry,
                        uint32_t index, bool is_output) {
  const tenon_entry_names *names = &e->entries[entry];
  const tenon_program_entry *p = &e->p->entries[entry];
  const tenon_dtype dtype =
      is_output ? p->outputs[index].dtype : p->inputs[index].dtype;
  tenon_buf_text(out, "  if (status == 0) status = ");
  tenon_emit_text(e, out, mover(dtype, is_output));
  tenon_emit_io_data(e, out, entry, index, is_output);
  tenon_put(out, ", $_$);\n",
            is_output ? names->out[index].macro : names->in[index].macro,
            dtype == TENON_STR ? "COUNT" : "SIZE");
}

// A size argument from the sizes that precede an input.
static void put_solved(const tenon_emission *e, tenon_buf *out, tenon_dim d,
                       const char *value) {
  const tenon_program_number *n = &e->p->numbers[d.symbol];
  if (n->op == 0) {
    tenon_put(out, "    sizes[$] = (int32_t)($);\n", d.symbol, value);
    return;
  }
  bool is_sum = n->op == TENON_DIM_ADD, is_product = n->op == TENON_DIM_MUL;
  bool is_b = n->a.symbol == 0;
  tenon_dim unknown = is_b ? n->b : n->a, fixed = is_b ? n->a : n->b;
  // With two unknowns another input says one of them; here it stays 0, and the
  // run refuses.
  if ((!is_sum && !is_product) || fixed.symbol != 0 || unknown.symbol == 0 ||
      fixed.value == 0)
    return;
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  tenon_buf_format(&text, "(%s) %c %lld", value, is_sum ? '-' : '/',
                   (long long)fixed.value);
  if (text.failed)
    out->failed = true;
  else
    put_solved(e, out, unknown, text.data);
  tenon_buf_deinit(&text);
}

// Bytes of `count` elements; of strings how many there are.
static void put_count(tenon_buf *out, const tenon_program_tensor *t) {
  if (t->dtype == TENON_STR) {
    tenon_buf_text(out, "count");
    return;
  }
  tenon_put(out, "(count * $ + 7) / 8", tenon_dtype_look(t->dtype)->bits);
}

static void put_open_input(const tenon_emission *e, tenon_buf *out,
                           uint32_t entry, uint32_t input) {
  const struct tenon_program *p = e->p;
  const tenon_program_tensor *t = &p->tensors[p->entries[entry].in[input]];
  const tenon_io_names *names = &e->entries[entry].in[input];
  tenon_emit_put(e, out,
                 "  {\n"
                 "    int32_t dims[$] = {0};\n"
                 "    size_t count = 1;\n"
                 "    if (status == 0) status = @_take(dims, sizeof dims);\n"
                 "    for (int i = 0; i < $; ++i) count *= (size_t)dims[i];\n",
                 t->rank, t->rank);
  // Plain leaves last: what is exact wins over what was divided.
  for (int pass = 0; pass < 2; ++pass)
    for (uint32_t i = 0; i < p->n_bindings; ++i) {
      const tenon_program_binding *b = &p->bindings[i];
      if (b->entry != entry || b->input != input) continue;
      if ((p->numbers[b->size.symbol].op == 0) != (pass == 1)) continue;
      char value[32] = "dims[";
      size_t at = 5 + tenon_c_put_uint(value + 5, b->dimension);
      memcpy(value + at, "]", 2);
      put_solved(e, out, b->size, value);
    }
  tenon_buf_text(out, "    count = ");
  put_count(out, t);
  tenon_put(out, ";\n    if (status == 0 && count > $_$) status = 10;\n",
            names->macro, t->dtype == TENON_STR ? "COUNT" : "SIZE");
  tenon_buf_text(out, "    if (status == 0) status = ");
  tenon_emit_text(e, out, mover(t->dtype, false));
  tenon_emit_put(e, out, "$(&@_instance), count);\n", names->accessor);
  for (uint32_t i = 0; i < p->entries[entry].n_writes; ++i)
    if (p->entries[entry].writes[i].input == input)
      tenon_put(out,
                "    (void)memcpy(dims$, dims, sizeof dims);\n"
                "    count$ = count;\n",
                i, i);
  tenon_buf_text(out, "  }\n");
}

// What a written input came with, which its value afterwards has, too.
static void put_sizes_after(tenon_buf *out, const tenon_program_tensor *t,
                            uint32_t write) {
  tenon_put(out, "  int32_t dims$[$] = {0};\n  size_t count$ = 0;\n", write,
            t->rank, write);
}

static void put_open_after(const tenon_emission *e, tenon_buf *out,
                           const tenon_io_names *names, uint32_t write,
                           tenon_dtype dtype) {
  tenon_emit_text(e, out, "  if (status == 0) status = @_give(dims");
  tenon_emit_put(e, out, "$, sizeof dims$);\n  if (status == 0) status = $",
                 write, write, tenon_as_marked(mover(dtype, true)));
  tenon_emit_put(e, out, "$(&@_instance), count$);\n", names->accessor, write);
}

static void put_open_output(const tenon_emission *e, tenon_buf *out,
                            uint32_t entry, uint32_t output) {
  const struct tenon_program *p = e->p;
  const tenon_program_tensor *t = &p->tensors[p->entries[entry].out[output]];
  const tenon_io_names *names = &e->entries[entry].out[output];
  tenon_emit_put(
      e, out,
      "  {\n    int32_t dims[$];\n    size_t count = 1;\n    for (int i = 0; i "
      "< $; ++i) {\n      dims[i] = $(&@_instance, i);\n      count *= "
      "(size_t)dims[i];\n    }\n    if (status == 0) status = @_give(dims, "
      "sizeof dims);\n    if (status == 0) status = $$(&@_instance), ",
      t->rank, t->rank, names->dim, tenon_as_marked(mover(t->dtype, true)),
      names->accessor);
  put_count(out, t);
  tenon_buf_text(out, ");\n  }\n");
}

static bool driver_is_open(const tenon_emission *e, uint32_t tensor) {
  return tensor != TENON_NO_INDEX && e->p->tensors[tensor].sizes;
}

static void driver_put_entry(const tenon_emission *e, tenon_buf *out,
                             uint32_t index) {
  const tenon_program_entry *p = &e->p->entries[index];
  const tenon_entry_names *names = &e->entries[index];
  tenon_emit_put(e, out, "static int @_drive$(void) {\n  int status = 0;\n",
                 index);
  if (names->n_sizes)
    tenon_put(out, "  int32_t sizes[$] = {0};\n", e->p->n_numbers);
  for (uint32_t i = 0; i < p->n_writes; ++i)
    if (driver_is_open(e, p->in[p->writes[i].input]))
      put_sizes_after(out, &e->p->tensors[p->in[p->writes[i].input]], i);
  tenon_emit_string_begin(e, out, p);
  for (uint32_t i = 0; i < p->n_in; ++i)
    if (driver_is_open(e, p->in[i]))
      put_open_input(e, out, index, i);
    else
      put_move_io(e, out, index, i, false);
  tenon_emit_put(e, out,
                 "  if (status == 0) {\n"
                 "    ^_ON_RUN(&@_instance);\n"
                 "    status = $(&@_instance",
                 names->run);
  for (uint32_t i = 0; i < names->n_sizes; ++i)
    tenon_buf_format(out, ", sizes[%u]", (unsigned)names->sizes[i].number);
  for (uint32_t i = 0; i < (uint32_t)p->n_in + p->n_out; ++i) {
    bool is_output = i >= p->n_in;
    tenon_buf_text(out, ", ");
    tenon_emit_io_argument(e, out, index, is_output ? i - p->n_in : i,
                           is_output);
  }
  tenon_emit_text(e, out,
                  ");\n"
                  "    ^_ON_RAN(&@_instance);\n"
                  "    status = @_report(status);\n"
                  "  }\n");
  for (uint32_t i = 0; i < p->n_out; ++i)
    if (driver_is_open(e, p->out[i]))
      put_open_output(e, out, index, i);
    else
      put_move_io(e, out, index, i, true);
  for (uint32_t i = 0; i < p->n_writes; ++i)
    if (driver_is_open(e, p->in[p->writes[i].input]))
      put_open_after(e, out, &names->after[i], i,
                     p->inputs[p->writes[i].input].dtype);
    else
      put_move(e, out, p->inputs[p->writes[i].input].dtype, &names->after[i]);
  tenon_buf_text(out, "  return status;\n}\n\n");
}

static void driver_put_states(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out,
                  "static int @_give_states(void) {\n  int status = 0;\n");
  for (uint32_t i = 0; i < e->p->n_states; ++i)
    put_move(e, out, e->p->states[i].io.dtype, &e->states[i]);
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
  tenon_emit_opening(e, open_text, include_text, &text);
  bool has_in = false, has_out = e->p->n_states > 0;
  for (uint32_t i = 0; i < e->p->n_entries; ++i) {
    has_in |= e->p->entries[i].n_in > 0;
    has_out |= e->p->entries[i].n_out > 0 || e->p->entries[i].n_writes > 0;
  }
  if (has_in) tenon_emit_text(e, &text, take_text);
  if (has_out) tenon_emit_text(e, &text, give_text);
  tenon_emit_string_driver(e, &text);
  tenon_emit_text(e, &text, report_text);
  for (uint32_t i = 0; i < e->p->n_entries; ++i)
    driver_put_entry(e, &text, i);
  driver_put_states(e, &text);
  tenon_buf_text(&text, main_text);
  for (uint32_t i = 0; i < e->p->n_entries; ++i) {
    tenon_emit_put(e, &text, "$@_drive$", i ? ", " : "", i);
  }
  tenon_emit_text(e, &text, loop_text);
  tenon_emit_instance_init(e, &text, "return @_report(2);\n");
  tenon_emit_text(e, &text, while_text);
  tenon_sink_buf(s, &text);
  tenon_buf_deinit(&text);
}
