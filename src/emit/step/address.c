// How: what stands for a value in the text of a step, and in its comments.
#include "core/dtype.h"
#include "emit/emission.h"

void tenon_emit_put_address(tenon_buf *out, const tenon_put_value *v) {
  const tenon_emit_located *at = (const tenon_emit_located *)v->as.p;
  tenon_emission *e = at->e;
  const tenon_program_tensor *t = at->t;
  switch (t->slot.place) {
    case TENON_IN_CONSTANT:
      if (tenon_program_is_source(e->p, t)) {
        tenon_buf_text(out, "NULL");
        return;
      }
      tenon_emit_constant(e, out, t->slot.index, t->slot.offset);
      return;
    case TENON_IN_ARENA:
    case TENON_IN_STATE:
      if (t->slot.place == TENON_IN_STATE && e->p->state_size == 0) {
        tenon_buf_text(out, "NULL");  // empty, and so is the memory
        return;
      }
      tenon_emit_memory_at(e, out, t->slot.offset,
                           t->slot.place == TENON_IN_STATE);
      return;
    case TENON_IN_CALLER:
      tenon_emit_port_at(out, t->slot.index, t->slot.offset);
      return;
    default:
      tenon_buf_text(out, "NULL");
  }
}

void tenon_emit_dims(tenon_buf *out, tenon_dtype dtype, const int32_t *dims,
                     int rank) {
  tenon_put(out, "$[", tenon_dtype_name(dtype));
  for (int i = 0; i < rank; ++i) {
    tenon_put(out, "$$", i ? "," : "", tenon_as_c_int(dims[i]));
  }
  tenon_buf_char(out, ']');
}

void tenon_emit_tensor_text(tenon_buf *out, const tenon_program_tensor *t) {
  if (t->dtype == 0) {
    tenon_buf_text(out, "absent");
    return;
  }
  if (t->name && *t->name) {
    tenon_put(out, "$: ", tenon_as_c_name(t->name));
  }
  tenon_emit_dims(out, t->dtype, t->dims, t->rank);
}

void tenon_emit_place(const tenon_emission *e, tenon_buf *out,
                      const tenon_place *place, const char *between) {
  bool has_file = place->file && *place->file && !e->is_stripped;
  bool has_where = place->where && *place->where;
  if (has_file) tenon_c_comment(out, place->file);
  if (has_file && has_where) tenon_buf_text(out, ": ");
  if (has_where) tenon_c_comment(out, place->where);
  if (e->is_stripped || !place->origin || !*place->origin) return;
  if (has_file || has_where) tenon_buf_text(out, between);
  tenon_c_comment(out, place->origin);
}
