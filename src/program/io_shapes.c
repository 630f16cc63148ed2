// How: a size that is open has the name of its number, as the module's text
// has it.
#include "base/buf.h"
#include "program/numbers.h"
#include "program/program.h"

void tenon_program_print_size(const struct tenon_program *p,
                              const tenon_program_tensor *t, int d,
                              tenon_buf *out) {
  uint32_t symbol = t->sizes ? t->sizes[d].symbol : 0;
  const char *name = symbol ? p->numbers[symbol].name : NULL;
  if (name && name[0] != '?') tenon_buf_char(out, '?');
  if (name)
    tenon_buf_shown(out, name);
  else
    tenon_buf_format(out, "%d", (int)t->dims[d]);
}

void tenon_program_print_shape(const struct tenon_program *p,
                               const tenon_program_tensor *t, tenon_buf *out) {
  tenon_buf_text(out, "[");
  for (int d = 0; d < t->rank; ++d) {
    if (d) tenon_buf_text(out, ",");
    tenon_program_print_size(p, t, d, out);
  }
  tenon_buf_text(out, "]");
}

static bool name_shapes(struct tenon_program *p, const tenon_io *list,
                        const uint32_t *of, size_t n, tenon_buf *text) {
  tenon_io *io = (tenon_io *)(uintptr_t)list;
  for (size_t i = 0; i < n; ++i) {
    tenon_buf_clear(text);
    if (of[i] != TENON_NO_INDEX)
      tenon_program_print_shape(p, &p->tensors[of[i]], text);
    io[i].shape = text->failed ? NULL
                               : tenon_arena_string(
                                     &p->arena, text->data ? text->data : "");
    if (!io[i].shape) return false;
  }
  return true;
}

bool tenon_program_name_shapes(struct tenon_program *p) {
  tenon_buf text;
  bool ok = true;
  tenon_buf_init(&text, p->arena.allocator);
  for (uint32_t i = 0; ok && i < p->n_entries; ++i) {
    const tenon_program_entry *e = &p->entries[i];
    ok = name_shapes(p, e->inputs, e->in, e->n_in, &text) &&
         name_shapes(p, e->outputs, e->out, e->n_out, &text);
  }
  for (uint32_t i = 0; ok && i < p->n_states; ++i)
    ok = name_shapes(p, &p->states[i].io, &p->states[i].tensor, 1, &text);
  tenon_buf_deinit(&text);
  return ok;
}
