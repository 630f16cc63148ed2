// How: one text, with lists of inputs and outputs in between. No type of the
// library appears: whoever includes it needs <stdint.h> and nothing else.

#include "core/dtype.h"
#include "emit/emission.h"

// --- inputs and outputs -----------------------------------------------------

static void header_put_quant(tenon_buf *out, const tenon_quant *q) {
  if (!q || q->channels < 1) return;
  if (q->channels > 1 || q->block) {
    tenon_buf_text(out, ", quantised per channel");
    return;
  }
  int32_t zero = q->zero ? q->zero[0] : 0;
  tenon_buf_text(out, ", real = ");
  tenon_buf_float(out, q->scale[0]);
  if (zero == 0) {
    tenon_buf_text(out, " * stored");
    return;
  }
  tenon_put(out, "$$)", zero < 0 ? " * (stored + " : " * (stored - ",
            tenon_as_c_int(zero < 0 ? -(int64_t)zero : zero));
}

// "f16[1,4]", and how C sees that where it is not plain.
void tenon_emit_io_text(tenon_buf *out, const tenon_io *io) {
  const tenon_dtype_info *info = tenon_dtype_look(io->dtype);
  tenon_put(out, "$[", tenon_dtype_name(io->dtype));
  for (int i = 0; i < io->rank; ++i) {
    tenon_put(
        out, "$$", i ? "," : "",
        io->dims[i] < 0 ? tenon_as_plain("?") : tenon_as_c_int(io->dims[i]));
  }
  tenon_buf_char(out, ']');
  header_put_quant(out, io->quant);
  if (info && info->bits < 8)
    tenon_buf_text(out, ", packed, low bits first");
  else if (info && info->kind == 'c')
    tenon_buf_text(out, ", real and imaginary parts in turn");
  else if (info && info->kind == 'f' && info->bits < 32)
    tenon_buf_text(out, ", as bits");
}

static void put_io(tenon_buf *out, const tenon_io *io,
                   const tenon_io_names *names, const char *what) {
  tenon_put(out, "//   $: $ '$', ", names->parameter, what,
            tenon_as_c_comment(io->name ? io->name : ""));
  tenon_emit_io_text(out, io);
  tenon_buf_char(out, '\n');
}

static void put_macro(tenon_buf *out, const char *macro, const char *suffix,
                      uint64_t value) {
  tenon_put(out, "#define $$ $\n", macro, suffix, value);
}

static void header_put_access(const tenon_emission *e, tenon_buf *out,
                              const tenon_io *io, const tenon_io_names *names,
                              uint32_t tensor, bool is_out) {
  uint64_t size = tensor == TENON_NO_INDEX ? 0 : e->p->tensors[tensor].size;
  const char *type = tenon_c_type(io->dtype);
  put_macro(out, names->macro, "_COUNT",
            io->dtype ? tenon_sink_array_count(type, size) : 0);
  put_macro(out, names->macro, "_SIZE", size);
  if (io->flags & TENON_IO_CALLER) {
    const tenon_slot *slot = &e->p->tensors[tensor].slot;
    put_macro(out, names->macro, "_ALIGN", e->p->ports[slot->index].align);
    return;
  }
  tenon_emit_access_signature(e, out, io, names, is_out);
  tenon_buf_text(out, ";\n");
}

static void header_put_entry(const tenon_emission *e, tenon_buf *out,
                             uint32_t index) {
  const tenon_program_entry *p = &e->p->entries[index];
  const tenon_entry_names *names = &e->entries[index];
  tenon_put(out, "// Entry point '$'.\n",
            tenon_as_c_comment(p->name ? p->name : ""));
  for (uint32_t i = 0; i < names->n_sizes; ++i) {
    const tenon_program_number *n = &e->p->numbers[names->sizes[i].number];
    tenon_put(out, "//   $: size '$', $ to $\n", names->sizes[i].parameter,
              tenon_as_c_comment(n->name), n->min, n->max);
  }
  for (uint32_t i = 0; i < p->n_in; ++i)
    put_io(out, &p->inputs[i], &names->in[i],
           tenon_emit_io_kind(&p->inputs[i], false));
  for (uint32_t i = 0; i < p->n_out; ++i)
    put_io(out, &p->outputs[i], &names->out[i],
           tenon_emit_io_kind(&p->outputs[i], true));
  for (uint32_t i = 0; i < p->n_writes; ++i) {
    tenon_put(out,
              "//   $ is written: it gets the value that it has after the run, "
              "which\n//   also lies where $ says until the next\n",
              names->after[i].parameter, names->after[i].accessor);
  }
  tenon_emit_run_signature(e, out, index);
  tenon_buf_text(out, ";\n");
  for (uint32_t i = 0; i < p->n_in; ++i)
    header_put_access(e, out, &p->inputs[i], &names->in[i], p->in[i], false);
  for (uint32_t i = 0; i < p->n_out; ++i)
    header_put_access(e, out, &p->outputs[i], &names->out[i], p->out[i], true);
  for (uint32_t i = 0; i < p->n_writes; ++i)
    header_put_access(e, out, &p->inputs[p->writes[i].input], &names->after[i],
                      p->writes[i].tensor, true);
  for (uint32_t i = 0; i < p->n_out; ++i) {
    if (!names->out[i].dim) continue;
    tenon_emit_dim_signature(e, out, &names->out[i]);
    tenon_buf_text(out, ";  // dimension i in the last run\n");
  }
  tenon_buf_char(out, '\n');
}

static void header_put_states(const tenon_emission *e, tenon_buf *out) {
  if (e->p->n_states == 0) return;
  tenon_buf_text(out,
                 "// States: what outlives a run. May be read and set between "
                 "runs.\n");
  for (uint32_t i = 0; i < e->p->n_states; ++i) {
    const tenon_program_state *s = &e->p->states[i];
    put_io(out, &s->io, &e->states[i], "state");
    header_put_access(e, out, &s->io, &e->states[i], s->tensor, false);
  }
  tenon_buf_char(out, '\n');
}

// --- the text ---------------------------------------------------------------

static const char open_text[] =
    "#ifndef ^_H\n"
    "#define ^_H\n"
    "\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "\n"
    "// Settings, the same wherever this is included: defined on the command "
    "line, or\n"
    "// in a file that ^_CONFIG names (\"my_config.h\", with the quotes).\n"
    "//   ^_THREADS   threads that share a step, 1 by default. With more,\n"
    "//               ^_PARALLEL(count, task, arg) calls task(arg, i, thread) "
    "once\n"
    "//               for each i below count, thread below ^_THREADS, and "
    "returns\n"
    "//               when all are done\n"
    "//   ^_CONST     where constants go: "
    "__attribute__((section(\".weights\")))"
    "\n";

static const char open_text_rest[] =
    "//   ^_ON_STEP(m, step, name)  done behind each step; nothing by default\n"
    "//   ^_STEP_TABLE  adds the table of steps\n"
    "//   ^_HOOKS     adds functions that are called around each step\n"
    "//   ^_SMALL     leaves gcc's -Os as it is: less code, slower loops\n"
    "//   ^_ALIGNED(n)  how the compiler aligns what is declared\n"
    "#ifdef ^_CONFIG\n"
    "#include ^_CONFIG\n"
    "#endif\n"
    "#ifndef ^_THREADS\n"
    "#define ^_THREADS 1\n"
    "#endif\n";

static const char aligned_text[] =
    "#ifndef ^_ALIGNED\n"
    "#if defined(__GNUC__)\n"
    "#define ^_ALIGNED(n) __attribute__((aligned(n)))\n"
    "#elif defined(_MSC_VER)\n"
    "#define ^_ALIGNED(n) __declspec(align(n))\n"
    "#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n"
    "#define ^_ALIGNED(n) _Alignas(n)\n"
    "#else\n"
    "#error \"define ^_ALIGNED(n) for this compiler\"\n"
    "#endif\n"
    "#endif\n"
    "\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n"
    "\n";

static const char struct_text[] =
    "// An instance: all the memory that a run needs. It lies where the caller "
    "puts\n"
    "// it, at a multiple of ^_ALIGN bytes; several may run at the same time. "
    "Its\n"
    "// members are private.\n"
    "typedef struct @ {\n";

static const char bound_text[] =
    "// An instance. It lies where the caller puts it, at a multiple of "
    "^_ALIGN "
    "bytes, and\n"
    "// has the memory that it was given. Its members are private.\n"
    "typedef struct @ {\n";

// Where ^_ALIGNED was defined by somebody who was wrong.
static const char assert_text[] =
    "#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && "
    "!defined(__cplusplus)\n"
    "_Static_assert(_Alignof(@) >= ^_ALIGN, \"^_ALIGNED does not align\");\n"
    "#endif\n"
    "\n";

static const char init_text[] =
    "// Before anything else. All states get their initial values. 0, or the "
    "status of\n"
    "// a refusal, which @_fault explains: the instance is not aligned.\n";

static const char bound_init_text[] =
    "// Before anything else. All states get their initial values. 0, or the "
    "status of\n"
    "// a refusal, which @_fault explains: a block is too small, not aligned, "
    "or null.\n";

static const char run_text[] =
    "// Gives all states their initial values again.\n"
    "void @_reset(@ *m);\n"
    "\n"
    "// The functions that run take the instance, all inputs and all outputs. "
    "An input\n"
    "// that is not null is copied into the instance first; null means that it "
    "was\n"
    "// written where @_..._in_... says, for this run: its memory is used "
    "again. An\n"
    "// output that is not null is copied out; else it stays until the next "
    "run. The\n"
    "// result is 0, or the status of the kernel that failed.\n";

static const char close_text[] =
    "// Why the last run failed, \"\" if it did not; {0} and {1} in it stand "
    "for the two\n"
    "// values. The step at which it stopped, or -1.\n"
    "const char *@_fault(const @ *m);\n"
    "int64_t @_fault_value(const @ *m, int i);\n"
    "int32_t @_fault_step(const @ *m);\n"
    "\n";

static const char steps_text[] =
    "#ifdef ^_STEP_TABLE\n"
    "typedef struct @_step {\n"
    "  const char *op, *kernel, *origin;\n"
    "  uint64_t macs;  // multiply-accumulates; 0: not known\n"
    "} @_step;\n"
    "extern const @_step @_steps[^_STEPS];\n"
    "// Result i of a step and its bytes; -1: its scratch; null: none. Later "
    "steps use\n"
    "// the memory again: ask where ^_ON_STEP is done.\n"
    "const void *@_step_out(const @ *m, int32_t step, int32_t i, size_t *size);"
    "\n"
    "#endif\n"
    "\n";

void tenon_emit_header(const tenon_emission *e, tenon_buf *out) {
  const struct tenon_program *p = e->p;
  tenon_emit_text(e, out, open_text);
  tenon_emit_memory_settings(e, out);
  tenon_emit_cold_settings(e, out);
  tenon_emit_text(e, out, open_text_rest);
  tenon_emit_aligned(e, out);
  tenon_emit_text(e, out, aligned_text);
  tenon_emit_memory_sizes(e, out);
  put_macro(out, e->macro, "_STEPS", p->n_steps);
  put_macro(out, e->macro, "_ALIGN", p->arena_align);
  tenon_emit_blob_sizes(e, out);
  tenon_buf_char(out, '\n');
  tenon_emit_string_type(e, out);
  tenon_emit_memory_struct(e, out);
  tenon_emit_text(e, out, e->has_caller ? bound_text : struct_text);
  tenon_emit_memory_members(e, out);
  if (p->scratch_most) {
    tenon_emit_put(
        e, out,
        "#if ^_THREADS > 1\n"
        "  ^_ALIGNED(^_ALIGN) unsigned char scratch[^_THREADS - 1][$];\n"
        "#endif\n",
        tenon_emit_scratch_size(e));
  }
  if (p->n_numbers)
    tenon_put(out, "  int64_t number[$];  // sizes of the run\n", p->n_numbers);
  tenon_emit_port_members(e, out);
  tenon_emit_blob_member(e, out);
  tenon_put(out, "  const char *fault_text;\n$$",
            tenon_emit_has_values(e) ? "  int64_t fault_value[2];\n" : "",
            e->can_fail ? "  int32_t fault_step;\n" : "");
  tenon_emit_hook_members(e, out);
  tenon_emit_put(e, out, "} @;\n$$", tenon_as_marked(assert_text),
                 tenon_as_marked(e->has_caller ? bound_init_text : init_text));
  tenon_emit_blob_header(e, out);
  tenon_emit_init_signature(e, out);
  tenon_emit_put(e, out, ";\n$", tenon_as_marked(run_text));
  tenon_emit_port_header(e, out);
  tenon_buf_char(out, '\n');
  for (uint32_t i = 0; i < p->n_entries; ++i)
    header_put_entry(e, out, i);
  header_put_states(e, out);
  tenon_emit_apart(e, out);
  tenon_emit_cold_header(e, out);
  tenon_emit_resident_header(e, out);
  tenon_emit_text(e, out, close_text);
  if (p->n_steps) tenon_emit_text(e, out, steps_text);
  tenon_emit_hooks_header(e, out);
  tenon_emit_text(e, out,
                  "#ifdef __cplusplus\n"
                  "}\n"
                  "#endif\n"
                  "\n"
                  "#endif  // ^_H\n");
}

void tenon_emit_opening(const tenon_emission *e, const char *head,
                        const char *includes, tenon_buf *out) {
  tenon_emit_put(
      e, out, "$$\n$", tenon_as_marked(head),
      tenon_as_marked(e->is_single ? "#define ^_HEADER_ONLY\n#include \"@.c\"\n"
                                   : "#include \"@.h\"\n"),
      tenon_as_marked(includes));
  tenon_emit_instance(e, out);
  tenon_emit_port_arrays(e, out);
  tenon_emit_cold_hook(e, out);
  tenon_buf_char(out, '\n');
}
