// core/schema/schema_print.c - a schema in its canonical form.
//
// It has one blank behind commas and around `->`, a lone result without
// parentheses, and defaults as in core/schema/default.c.
#include "core/cursor.h"
#include "core/schema/schema.h"

static void print_argument(const tenon_argument *a, tenon_buf *out) {
  tenon_buf_text(out, a->type_text);
  if (a->name[0]) {
    tenon_buf_char(out, ' ');
    tenon_buf_text(out, a->name);
  }
  if (a->has_default) {
    tenon_buf_char(out, '=');
    tenon_default_print(a, out);
  }
}

void tenon_schema_print(const tenon_schema *s, tenon_buf *out) {
  bool has_star = false;
  tenon_buf_text(out, s->name);
  tenon_buf_char(out, '(');
  for (int i = 0; i < s->n_args; ++i) {
    if (i > 0) tenon_buf_text(out, ", ");
    if (s->args[i].is_keyword_only && !has_star) {
      tenon_buf_text(out, "*, ");
      has_star = true;
    }
    print_argument(&s->args[i], out);
  }
  tenon_buf_text(out, ") -> ");
  // A tuple's own parentheses would be taken for those of a list of results.
  bool is_list = s->n_returns != 1 || s->returns[0].type_text[0] == '(';
  if (is_list) tenon_buf_char(out, '(');
  for (int i = 0; i < s->n_returns; ++i) {
    if (i > 0) tenon_buf_text(out, ", ");
    print_argument(&s->returns[i], out);
  }
  if (is_list) tenon_buf_char(out, ')');
}
