// How: texts have "@" where the prefix of the module goes and "^" where that of
// its macros does.
#include <string.h>

#include "emit/emission.h"

uint64_t tenon_emit_room(const tenon_emission *e, uint64_t size) {
  const uint64_t align = e->p->arena_align;
  return (size + align + align - 1) / align * align;
}

uint64_t tenon_emit_scratch_size(const tenon_emission *e) {
  return tenon_program_room(e->p, e->p->scratch_most);
}

int64_t tenon_emit_count(const tenon_emission *e, const tenon_step *s) {
  return tenon_program_count(&e->p->tensors[e->p->operands[s->out]]);
}

void tenon_emit_text(const tenon_emission *e, tenon_buf *out,
                     const char *text) {
  while (*text) {
    size_t size = strcspn(text, "@^");
    tenon_buf_add(out, text, size);
    text += size;
    if (*text) tenon_buf_text(out, *text++ == '@' ? e->prefix : e->macro);
  }
}

// Stands for what tenon_emit_put_values prints with the names of its module.
void tenon_emit_put_marked(tenon_buf *out, const tenon_put_value *v) {
  tenon_put_plain(out, v);
}

void tenon_emit_put_values(const tenon_emission *e, tenon_buf *out,
                           const char *fmt, const tenon_put_value *values) {
  while (*fmt) {
    const size_t size = strcspn(fmt, "@^$");
    tenon_buf_add(out, fmt, size);
    fmt += size;
    if (*fmt == 0) return;
    const char mark = *fmt++;
    if (mark != '$')
      tenon_buf_text(out, mark == '@' ? e->prefix : e->macro);
    else if (values->put == tenon_emit_put_marked)
      tenon_emit_text(e, out, (const char *)values++->as.p);
    else if (values->put == tenon_put_int)
      tenon_c_int(out, values++->as.i);
    else
      tenon_put_one(out, values++);
  }
}

void tenon_sink_put_values(const tenon_emission *e, tenon_sink *s,
                           const char *fmt, const tenon_put_value *values) {
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  tenon_emit_put_values(e, &text, fmt, values);
  tenon_sink_buf(s, &text);
  tenon_buf_deinit(&text);
}

bool tenon_emission_failed(const tenon_emission *e) {
  return e->arena.failed || e->symbols.failed || e->tables.failed ||
         e->types.failed || e->texts.failed || e->types_text.failed ||
         e->tables_text.failed || e->sizes_text.failed ||
         e->steps_text.failed || e->calls_text.failed || e->origins_text.failed;
}

tenon_status tenon_emission_memory(const tenon_emission *e) {
  return tenon_fail_memory(e->report, "emitting C");
}
