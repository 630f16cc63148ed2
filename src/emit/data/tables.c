// How: a table's initialiser is printed and looked up among those that are
// there: sizes, scales and zero points repeat all over a model, and equal ones
// are one. Numbers of tables run over all kinds, in the order of their use.
#include "emit/emission.h"

#include "emit/idents.h"

// The number of the table with this initialiser, which is printed to `where` if
// it is new. With memory short it is 0.
static uint64_t table_find(tenon_emission *e, tenon_buf *where,
                           const char *type, char stem, const char *tail,
                           const tenon_buf *initialiser) {
  bool added = false;
  if (initialiser->failed || e->arena.failed) {
    e->tables.failed = true;
    return 0;
  }
  const char *const parts[] = {type, initialiser->data, NULL};
  const char *key = tenon_ident_join(&e->arena, parts);
  uint64_t *number =
      key ? tenon_map_put_text(&e->tables, key, e->tables.count, &added) : NULL;
  if (!number) return 0;
  if (added) {
    tenon_emit_put(e, where, "static const $ @_", type);
    tenon_buf_char(where, stem);
    tenon_put(where, "$$ = ", *number, tail);
    tenon_buf_add(where, initialiser->data, initialiser->size);
    tenon_buf_text(where, ";\n");
  }
  return *number;
}

void tenon_emit_table(tenon_emission *e, tenon_buf *where, tenon_buf *out,
                      const char *type, char stem,
                      const tenon_buf *initialiser) {
  bool is_array = stem == 'd' || stem == 'f' || stem == 'l' || stem == 'g';
  uint64_t number =
      table_find(e, where, type, stem, is_array ? "[]" : "", initialiser);
  tenon_emit_put(e, out, "$@_", !is_array ? "&" : "");
  tenon_buf_char(out, stem);
  tenon_c_uint(out, number);
}

// Between two entries; lines are kept short.
static void separate(tenon_buf *out, size_t i, size_t *line) {
  if (i == 0) return;
  bool is_long = out->size - *line > 60;
  tenon_buf_text(out, is_long ? ",\n    " : ", ");
  if (is_long) *line = out->size;
}

// Of integers, or of floats.
static void put_list(tenon_emission *e, tenon_buf *out, const int32_t *ints,
                     const float *floats, size_t count) {
  if (count == 0 || (!ints && !floats)) {
    tenon_buf_text(out, "NULL");
    return;
  }
  tenon_buf text;
  size_t line = 0;
  tenon_buf_init(&text, e->allocator);
  tenon_buf_char(&text, '{');
  for (size_t i = 0; i < count; ++i) {
    separate(&text, i, &line);
    if (ints)
      tenon_c_int(&text, ints[i]);
    else
      tenon_c_float(&text, floats[i]);
  }
  tenon_buf_char(&text, '}');
  tenon_emit_table(e, &e->tables_text, out, ints ? "int32_t" : "float",
                   ints ? 'd' : 'f', &text);
  tenon_buf_deinit(&text);
}

void tenon_emit_ints(tenon_emission *e, tenon_buf *out, const int32_t *list,
                     size_t count) {
  put_list(e, out, list, NULL, count);
}

void tenon_emit_quant(tenon_emission *e, tenon_buf *out, const tenon_quant *q) {
  tenon_buf text;
  size_t count = q->channels > 0 ? (size_t)q->channels : 0;
  tenon_buf_init(&text, e->allocator);
  tenon_buf_char(&text, '{');
  put_list(e, &text, NULL, q->scale, count);
  tenon_buf_text(&text, ", ");
  tenon_emit_ints(e, &text, q->zero, count);
  const int32_t numbers[] = {q->channels, q->axis, q->block};
  for (int i = 0; i < 3; ++i) {
    tenon_put(&text, ", $", tenon_as_c_int(numbers[i]));
  }
  tenon_buf_char(&text, '}');
  tenon_emit_table(e, &e->tables_text, out, "tenon_quant", 'q', &text);
  tenon_buf_deinit(&text);
}
