// ir/text/print_name.c - names that are unique, and from which the file's own
// can be had back.
//
// The first value called x is %x, the second %x~2. What is no identifier is
// quoted, before the number: %"a b"~2; so no name can look like another one's
// number. Values without a name are numbered: %0. Names count within a function
// and its regions, constants within the module. Values are named in the order
// in which their definitions are printed, which is how parsing meets them.
#include <string.h>

#include "base/chars.h"
#include "ir/text/printer.h"

bool tenon_printer_start_names(tenon_printer *p) {
  tenon_allocator allocator = p->m->arena.allocator;
  tenon_map_init(&p->shared, allocator);
  tenon_map_init(&p->local, allocator);
  p->numbers = tenon_arena_array(&p->arena, uint32_t, p->m->n_values);
  return p->numbers != NULL;
}

void tenon_printer_end_names(tenon_printer *p) {
  tenon_map_deinit(&p->shared);
  tenon_map_deinit(&p->local);
}

void tenon_printer_start_function(tenon_printer *p) {
  tenon_map_deinit(&p->local);
  tenon_map_init(&p->local, p->m->arena.allocator);
  p->n_unnamed = p->n_constants;
}

static uint32_t count_name(tenon_printer *p, tenon_map *map, const char *name) {
  uint64_t *count = tenon_map_put_text(map, name, 0, NULL);
  if (!count) {
    p->out.failed = true;
    return 0;
  }
  return (uint32_t)++ * count;
}

static void print_name_number(tenon_printer *p, const tenon_value *v) {
  bool is_constant = v->kind == TENON_VALUE_CONSTANT;
  uint32_t *at = &p->numbers[v->id];
  if (!v->name[0]) {
    *at = p->n_unnamed++;
    if (is_constant) p->n_constants = p->n_unnamed;
  } else if (is_constant) {
    *at = count_name(p, &p->shared, v->name);
  } else {
    const uint64_t *shared = tenon_map_find_text(&p->shared, v->name);
    *at = count_name(p, &p->local, v->name) + (shared ? (uint32_t)*shared : 0);
  }
}

static bool print_name_is_word(const char *s, bool is_operator) {
  bool at_start = true;
  if (!*s) return false;
  for (; *s; ++s) {
    if (at_start ? tenon_char_begins_name(*s) : tenon_char_is_in_name(*s)) {
      at_start = false;
    } else if (at_start) {
      return false;
    } else if (is_operator && s[0] == ':' && s[1] == ':') {
      ++s;
      at_start = true;
    } else if (*s == '.') {
      at_start = true;
    } else {
      return false;
    }
  }
  return !at_start;
}

void tenon_printer_quote(tenon_buf *out, const tenon_put_value *v) {
  tenon_buf_quote(out, v->as.p, strlen(v->as.p));
}

static void print_name_word(tenon_buf *out, const char *word,
                            bool is_operator) {
  if (print_name_is_word(word, is_operator)) {
    tenon_buf_text(out, word);
  } else {
    tenon_buf_quote(out, word, strlen(word));
  }
}

void tenon_printer_word(tenon_buf *out, const tenon_put_value *v) {
  print_name_word(out, v->as.p, true);
}

void tenon_printer_value(tenon_buf *out, const tenon_put_value *of) {
  const tenon_value *v = of->as.p;
  if (!v) {
    tenon_buf_text(out, "none");
    return;
  }
  uint32_t n = tenon_printer_of(out)->numbers[v->id];
  tenon_buf_char(out, '%');
  if (!v->name[0]) {
    tenon_put(out, "$", n);
    return;
  }
  print_name_word(out, v->name, false);
  if (n > 1) tenon_put(out, "~$", n);
}

void tenon_printer_define(tenon_buf *out, const tenon_put_value *v) {
  print_name_number(tenon_printer_of(out), v->as.p);
  tenon_printer_value(out, v);
}
