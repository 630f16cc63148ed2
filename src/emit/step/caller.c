// How: what stays where the caller has it is a pointer in the instance, which a
// run sets after it has looked at it; steps add offsets to it as they do to the
// arena. A test program has arrays of its own for it.
#include "emit/emission.h"

const char *tenon_emit_io_kind(const tenon_io *io, bool is_output) {
  bool is_kept = (io->flags & TENON_IO_CALLER) != 0;
  if (is_output) return is_kept ? "output, not copied" : "output";
  if (io->flags & TENON_IO_WRITTEN) return "input, written";
  return is_kept ? "input, not copied" : "input";
}

void tenon_emit_port_members(const tenon_emission *e, tenon_buf *out) {
  if (e->p->n_ports)
    tenon_buf_format(out, "  unsigned char *port[%u];  // the caller's\n",
                     (unsigned)e->p->n_ports);
}

void tenon_emit_port_at(tenon_buf *out, uint32_t port, uint64_t offset) {
  tenon_buf_format(out, "m->port[%u]", (unsigned)port);
  if (offset == 0) return;
  tenon_put(out, " + $", offset);
}

static const char header_text[] =
    "// What is not copied is read, or written, where the caller has it: at a "
    "multiple\n"
    "// of its _ALIGN, with ^_ALIGN bytes behind it that can be read. Such "
    "an output lies\n"
    "// over nothing else of the call, and its bytes are any until a run has\n"
    "// succeeded.\n";

void tenon_emit_port_header(const tenon_emission *e, tenon_buf *out) {
  if (e->p->n_ports) tenon_emit_text(e, out, header_text);
}

// --- in a run ---------------------------------------------------------------

static const char bind_text[] =
    "static tenon_status @_port(@ *m, int port, const void *data, uintptr_t "
    "align,\n"
    "                           const char *fault) {\n"
    "  m->port[port] = (unsigned char *)TENON_DATA(data);\n"
    "  if (data != NULL && (uintptr_t)data % align == 0) return TENON_OK;\n"
    "  m->fault_text = fault;\n"
    "  m->fault_value[0] = (int64_t)align;\n"
    "  return TENON_BAD_ARGUMENT;\n"
    "}\n\n";

static const char apart_text[] =
    "static tenon_status @_apart(@ *m, int a, uintptr_t a_size, int b, "
    "uintptr_t b_size,\n"
    "                            const char *fault) {\n"
    "  const uintptr_t x = (uintptr_t)m->port[a], y = (uintptr_t)m->port[b];\n"
    "  if (x >= y + b_size || y >= x + a_size) return TENON_OK;\n"
    "  m->fault_text = fault;\n"
    "  return TENON_BAD_ARGUMENT;\n"
    "}\n\n";

static const char *caller_name_of(const tenon_emission *e,
                                  const tenon_program_port *port) {
  const tenon_entry_names *names = &e->entries[port->entry];
  return port->is_output ? names->out[port->index].parameter
                         : names->in[port->index].parameter;
}

// An output and something else of its entry, each pair once.
static bool is_pair(const struct tenon_program *p, uint32_t a, uint32_t b) {
  const tenon_program_port *x = &p->ports[a], *y = &p->ports[b];
  return x->entry == y->entry && x->is_output && a != b &&
         (!y->is_output || b < a);
}

void tenon_emit_port_functions(const tenon_emission *e, tenon_buf *out) {
  bool any = false;
  if (e->p->n_ports == 0) return;
  tenon_emit_text(e, out, bind_text);
  for (uint32_t a = 0; a < e->p->n_ports; ++a)
    for (uint32_t b = 0; b < e->p->n_ports; ++b)
      any |= is_pair(e->p, a, b);
  if (any) tenon_emit_text(e, out, apart_text);
}

static void put_apart(const tenon_emission *e, tenon_buf *out, uint32_t a,
                      uint32_t b) {
  const tenon_program_port *x = &e->p->ports[a], *y = &e->p->ports[b];
  tenon_emit_put(e, out,
                 "  if (status == TENON_OK)\n"
                 "    status = @_apart(m, $, $, $, $,\n"
                 "                     \"output '$' lies over '$'\");\n",
                 a, x->size, b, y->size, caller_name_of(e, x),
                 caller_name_of(e, y));
}

void tenon_emit_bind_ports(const tenon_emission *e, tenon_buf *out,
                           uint32_t entry) {
  bool any = false;
  for (uint32_t i = 0; i < e->p->n_ports; ++i) {
    const tenon_program_port *port = &e->p->ports[i];
    if (port->entry != entry) continue;
    if (any) tenon_buf_text(out, "  if (status == TENON_OK)\n  ");
    any = true;
    tenon_emit_put(e, out,
                   "  status = @_port(m, $, $, $,\n                     \"$ "
                   "'$' is null, or not at a multiple of {0} bytes\");\n",
                   i, caller_name_of(e, port), port->align,
                   port->is_output ? "output" : "input",
                   caller_name_of(e, port));
  }
  for (uint32_t a = 0; a < e->p->n_ports; ++a)
    for (uint32_t b = 0; b < e->p->n_ports; ++b)
      if (e->p->ports[a].entry == entry && is_pair(e->p, a, b))
        put_apart(e, out, a, b);
  if (any)
    tenon_buf_text(out, "  if (status != TENON_OK) return (int)status;\n");
}

// --- in a test program ------------------------------------------------------

void tenon_emit_port_arrays(const tenon_emission *e, tenon_buf *out) {
  if (e->p->n_ports == 0) return;
  tenon_buf_text(out, "static struct {\n");
  for (uint32_t i = 0; i < e->p->n_ports; ++i) {
    tenon_emit_put(e, out, "  ^_ALIGNED(^_ALIGN) unsigned char port$[$];\n", i,
                   (unsigned long long)e->p->ports[i].size + e->p->arena_align);
  }
  tenon_emit_text(e, out, "} @_ports;\n");
}

static void put_array(const tenon_emission *e, tenon_buf *out, uint32_t port) {
  tenon_emit_put(e, out, "(void *)@_ports.port$", port);
}

void tenon_emit_io_data(const tenon_emission *e, tenon_buf *out, uint32_t entry,
                        uint32_t index, bool is_output) {
  uint32_t port = tenon_program_port_of(e->p, entry, index, is_output);
  const tenon_entry_names *names = &e->entries[entry];
  if (port != TENON_NO_INDEX) {
    put_array(e, out, port);
    return;
  }
  tenon_buf_text(
      out, is_output ? names->out[index].accessor : names->in[index].accessor);
  tenon_emit_text(e, out, "(&@_instance)");
}

void tenon_emit_io_argument(const tenon_emission *e, tenon_buf *out,
                            uint32_t entry, uint32_t index, bool is_output) {
  uint32_t port = tenon_program_port_of(e->p, entry, index, is_output);
  if (port == TENON_NO_INDEX)
    tenon_buf_text(out, "NULL");
  else
    put_array(e, out, port);
}
