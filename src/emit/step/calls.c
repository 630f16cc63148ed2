// How: the functions that the header declares. Data goes in and out by memcpy,
// since a caller's array need not be aligned as kernels want it; whoever wants
// no copy asks for the address and passes null.
#include "emit/step/open.h"

// --- signatures -------------------------------------------------------------

void tenon_emit_run_signature(const tenon_emission *e, tenon_buf *out,
                              uint32_t entry) {
  const tenon_program_entry *p = &e->p->entries[entry];
  const tenon_entry_names *names = &e->entries[entry];
  tenon_emit_put(e, out, "int $(@ *m", names->run);
  for (uint32_t i = 0; i < names->n_sizes; ++i)
    tenon_buf_format(out, ", int32_t %s", names->sizes[i].parameter);
  for (uint32_t i = 0; i < (uint32_t)p->n_in + p->n_out; ++i) {
    bool is_out = i >= p->n_in;
    uint32_t at = is_out ? i - p->n_in : i;
    const tenon_io *io = is_out ? &p->outputs[at] : &p->inputs[at];
    bool is_const = !is_out && !(io->flags & TENON_IO_WRITTEN);
    tenon_emit_put(e, out, ", $$ *$", is_const ? "const " : "",
                   tenon_emit_io_type(io->dtype),
                   is_out ? names->out[at].parameter : names->in[at].parameter);
  }
  tenon_buf_char(out, ')');
}

void tenon_emit_access_signature(const tenon_emission *e, tenon_buf *out,
                                 const tenon_io *io,
                                 const tenon_io_names *names, bool is_out) {
  const char *constness = is_out ? "const " : "";
  tenon_emit_put(e, out, "$$ *$($@ *m)", constness,
                 tenon_emit_io_type(io->dtype), names->accessor, constness);
}

// --- bodies -----------------------------------------------------------------

static const char open_begin[] =
    "static tenon_status @_begin(@ *m) {\n"
    "  m->fault_text = \"\";\n";
static const char values_text[] =
    "  m->fault_value[0] = 0;\n"
    "  m->fault_value[1] = 0;\n";
static const char begin_text[] =
    "  if ((uintptr_t)(const void *)m % ^_ALIGN != 0) {\n"
    "    m->fault_text = \"the instance is not at a multiple of ^_ALIGN "
    "bytes\";\n"
    "    return TENON_BAD_ARGUMENT;\n"
    "  }\n";

static const char finish_text[] =
    "static int @_finish(@ *m, tenon_status status, const tenon_fault *fault) "
    "{\n"
    "  if (status != TENON_OK && fault->text != NULL) {\n"
    "    m->fault_text = fault->text;\n"
    "    m->fault_value[0] = fault->value[0];\n"
    "    m->fault_value[1] = fault->value[1];\n"
    "  }\n"
    "  return (int)status;\n"
    "}\n\n";

bool tenon_emit_has_values(const tenon_emission *e) {
  return e->can_fail || e->has_caller || e->p->n_ports > 0 ||
         tenon_emit_is_blob(e);
}

static void put_faults(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_put(
      e, out, "const char *@_fault(const @ *m) { return m->fault_text; }\n\n$$",
      tenon_as_marked(tenon_emit_has_values(e)
                          ? "int64_t @_fault_value(const @ *m, int i) { return "
                            "m->fault_value[i != 0]; }\n\n"
                          : "int64_t @_fault_value(const @ *m, int i) {\n"
                            "  (void)m;\n  (void)i;\n  return 0;\n}\n\n"),
      tenon_as_marked(e->can_fail ? "int32_t @_fault_step(const @ *m) { return "
                                    "m->fault_step; }\n\n"
                                  : "int32_t @_fault_step(const @ *m) {\n"
                                    "  (void)m;\n  return -1;\n}\n\n"));
}

static void put_begin(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out, open_begin);
  if (tenon_emit_has_values(e)) tenon_buf_text(out, values_text);
  if (e->can_fail) tenon_buf_text(out, "  m->fault_step = -1;\n");
  tenon_emit_text(e, out, begin_text);
  tenon_emit_memory_check(e, out);
  tenon_buf_text(out, "  return TENON_OK;\n}\n\n");
  if (e->can_fail) tenon_emit_text(e, out, finish_text);
}

static void put_reset(tenon_emission *e, tenon_buf *out) {
  bool is_empty = true;
  tenon_emit_text(e, out, "void @_reset(@ *m) {\n");
  if (e->has_owner) tenon_emit_text(e, out, "  if (@_owner != m) return;\n");
  for (uint32_t i = 0; i < e->p->n_states; ++i) {
    const tenon_program_state *s = &e->p->states[i];
    const tenon_program_tensor *t = &e->p->tensors[s->tensor];
    if (t->size == 0) continue;
    is_empty = false;
    bool is_zero = s->initial == TENON_NO_INDEX;
    tenon_put(out, "  (void)$($, ", is_zero ? "memset" : "memcpy",
              tenon_as_address(e, t));
    if (is_zero)
      tenon_buf_char(out, '0');
    else
      tenon_emit_constant(e, out, s->initial, 0);
    tenon_put(out, ", $);\n", t->size);
  }
  tenon_put(out, "$}\n\n", is_empty ? "  (void)m;\n" : "");
}

// Null for an absent value, which has neither address nor size.
static const tenon_program_tensor *call_args_tensor_of(const tenon_emission *e,
                                                       uint32_t index) {
  const tenon_program_tensor *t =
      index == TENON_NO_INDEX ? NULL : &e->p->tensors[index];
  return t && t->slot.place != TENON_IN_NOTHING ? t : NULL;
}

static void call_args_put_copy(tenon_emission *e, tenon_buf *out,
                               const char *name, const tenon_program_tensor *t,
                               bool is_out) {
  const char *unless = is_out && e->can_fail ? "status == TENON_OK && " : "";
  if (!t || t->size == 0) {
    tenon_put(out, "  (void)$;\n", name);
    return;
  }
  const tenon_put_value inner = tenon_as_address(e, t),
                        outer = tenon_as_text(name);
  tenon_put(out, "  if ($$ != NULL) (void)memcpy($, $, $);\n", unless, name,
            is_out ? outer : inner, is_out ? inner : outer, tenon_as_bytes(t));
}

static void put_run(tenon_emission *e, tenon_buf *out, uint32_t index) {
  const tenon_program_entry *p = &e->p->entries[index];
  const tenon_entry_names *names = &e->entries[index];
  tenon_emit_run_signature(e, out, index);
  tenon_emit_put(e, out,
                 " {\n"
                 "$  tenon_status status = @_begin(m);\n"
                 "  if (status != TENON_OK) return (int)status;\n",
                 e->can_fail ? "  tenon_fault fault = {NULL, {0, 0}};\n" : "");
  tenon_emit_bind_ports(e, out, index);
  tenon_emit_take_sizes(e, out, index);
  for (uint32_t i = 0; i < p->n_in; ++i)
    if (!(p->inputs[i].flags & TENON_IO_CALLER))
      call_args_put_copy(e, out, names->in[i].parameter,
                         call_args_tensor_of(e, p->in[i]), false);
  tenon_emit_text(e, out, e->can_fail ? "  status = @_block" : "  @_block");
  tenon_put(out, "$$", p->block, e->can_fail ? "(m, &fault);\n" : "(m);\n");
  for (uint32_t i = 0; i < p->n_out; ++i)
    if (!(p->outputs[i].flags & TENON_IO_CALLER))
      call_args_put_copy(e, out, names->out[i].parameter,
                         call_args_tensor_of(e, p->out[i]), true);
  for (uint32_t i = 0; i < p->n_writes; ++i)
    call_args_put_copy(e, out, names->after[i].parameter,
                       call_args_tensor_of(e, p->writes[i].tensor), true);
  tenon_emit_text(e, out,
                  e->can_fail ? "  return @_finish(m, status, &fault);\n}\n\n"
                              : "  return 0;\n}\n\n");
}

static void put_access(tenon_emission *e, tenon_buf *out, const tenon_io *io,
                       const tenon_io_names *names, uint32_t tensor,
                       bool is_out) {
  const tenon_program_tensor *t = call_args_tensor_of(e, tensor);
  const char *constness = is_out ? "const " : "";
  if (io->flags & TENON_IO_CALLER) return;
  tenon_emit_access_signature(e, out, io, names, is_out);
  tenon_buf_text(out, " {\n");
  bool has_instance = t && (t->slot.place == TENON_IN_ARENA ||
                            t->slot.place == TENON_IN_STATE ||
                            t->slot.place == TENON_IN_CALLER);
  tenon_emit_put(e, out, "$  return ($$ *)($void *)($);\n}\n\n",
                 !has_instance || e->p->n_banks ? "  (void)m;\n" : "",
                 constness, tenon_emit_io_type(io->dtype), constness,
                 t ? tenon_as_address(e, t) : tenon_as_text("NULL"));
}

void tenon_emit_dim_signature(const tenon_emission *e, tenon_buf *out,
                              const tenon_io_names *names) {
  tenon_emit_put(e, out, "int32_t $(const @ *m, int i)", names->dim);
}

// The sizes of an output in the last run.
static void call_args_put_dim(tenon_emission *e, tenon_buf *out,
                              const tenon_io_names *names, uint32_t tensor) {
  const tenon_program_tensor *t = call_args_tensor_of(e, tensor);
  if (!names->dim || !t) return;
  tenon_emit_dim_signature(e, out, names);
  tenon_buf_text(out, " {\n  switch (i) {\n");
  for (int i = 0; i < t->rank; ++i) {
    tenon_put(out, "    case $:\n      return $$;\n", i,
              t->sizes[i].symbol ? "(int32_t)" : "",
              tenon_as_number(&t->sizes[i]));
  }
  tenon_buf_text(out, "    default:\n      return 0;\n  }\n}\n\n");
}

void tenon_emit_calls(tenon_emission *e) {
  const struct tenon_program *p = e->p;
  tenon_buf *out = &e->calls_text;
  put_reset(e, out);
  put_begin(e, out);
  tenon_emit_hook_functions(e, out);
  tenon_emit_memory_init(e, out);
  put_faults(e, out);
  tenon_emit_port_functions(e, out);
  for (uint32_t i = 0; i < p->n_entries; ++i)
    put_run(e, out, i);
  for (uint32_t i = 0; i < p->n_entries; ++i) {
    const tenon_program_entry *entry = &p->entries[i];
    for (uint32_t k = 0; k < entry->n_in; ++k)
      put_access(e, out, &entry->inputs[k], &e->entries[i].in[k], entry->in[k],
                 false);
    for (uint32_t k = 0; k < entry->n_out; ++k)
      put_access(e, out, &entry->outputs[k], &e->entries[i].out[k],
                 entry->out[k], true);
    for (uint32_t k = 0; k < entry->n_out; ++k)
      call_args_put_dim(e, out, &e->entries[i].out[k], entry->out[k]);
    for (uint32_t k = 0; k < entry->n_writes; ++k)
      put_access(e, out, &entry->inputs[entry->writes[k].input],
                 &e->entries[i].after[k], entry->writes[k].tensor, true);
  }
  for (uint32_t i = 0; i < p->n_states; ++i)
    put_access(e, out, &p->states[i].io, &e->states[i], p->states[i].tensor,
               false);
  tenon_emit_load(e, out);
}
