// How: a number that a loop carries is another one in each turn, so no
// expression of the graph around says it. The loop carries a tensor of rank 0,
// and where its graphs, or what stands behind it, know the number by a name, an
// core::item finds that out.
#include "read/pt2/pt2_import.h"

static const tenon_type carried_type = {NULL, NULL, TENON_S64, 0, 0};

const tenon_type *tenon_pt2_carried_type(void) {
  return &carried_type;
}

// Names of numbers stand in the place of tensors where both are mixed.
static tenon_status push_named(tenon_pt2_node *n, const tenon_json *item) {
  const char *name = NULL;
  tenon_pt2_name *entry = NULL;
  tenon_value *value = NULL;
  tenon_json at = tenon_json_get(item, "name");
  TENON_TRY(tenon_json_text(&at, &name));
  TENON_TRY(tenon_pt2_look(n->scope, &at, name, &entry));
  if (entry->kind == TENON_PT2_NUMBER)
    TENON_TRY(tenon_pt2_number_value(n->scope, item, &entry->number, 0, n->loc,
                                     &value));
  else
    TENON_TRY(tenon_pt2_tensor(n->scope, item, &value));
  return tenon_pt2_push(n, value);
}

static tenon_status push_one(tenon_pt2_node *n, const char *tag,
                             const tenon_json *item) {
  if (strcmp(tag, "as_tensors") == 0) return push_named(n, item);
  const char *kind = NULL;
  tenon_json inner;
  tenon_arg number = tenon_arg_int("", 0);
  tenon_value *value = NULL;
  if (strcmp(tag, "as_ints") == 0) {
    TENON_TRY(tenon_json_int(item, &number.as.i));
  } else {
    TENON_TRY(tenon_json_tag(item, &kind, &inner));
    TENON_TRY(tenon_pt2_attribute(n->scope, "as_sym_int", item, &number));
  }
  TENON_TRY(tenon_pt2_number_value(n->scope, item, &number, 0, n->loc, &value));
  return tenon_pt2_push(n, value);
}

tenon_status tenon_pt2_carried(tenon_pt2_node *n, const tenon_json *arg) {
  static const char *const tags[] = {"as_tensors", "as_sym_ints", "as_ints"};
  const char *tag = NULL;
  tenon_json list;
  bool is_list = false;
  TENON_TRY(tenon_json_tag(arg, &tag, &list));
  for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i)
    is_list |= strcmp(tag, tags[i]) == 0;
  if (!is_list) {
    char label[TENON_LABEL];
    tenon_label_make(label, tenon_text_of(tag));
    return tenon_json_fail(arg, TENON_UNSUPPORTED, "pt2-argument",
                           "'%s' carries tensors and integers, found '%s'",
                           n->op->name, label);
  }
  TENON_TRY(tenon_json_array(&list));
  n->n_carried = tenon_json_count(&list);
  for (size_t i = 0; i < n->n_carried; ++i) {
    tenon_json item = tenon_json_item(&list, i);
    TENON_TRY(push_one(n, tag, &item));
  }
  return TENON_OK;
}

tenon_status tenon_pt2_carried_number(tenon_pt2_scope *s, const tenon_json *at,
                                      const char *name, tenon_value *value,
                                      tenon_loc loc) {
  tenon_pt2 *im = s->im;
  tenon_pt2_name entry;
  im->mode = TENON_PT2_DECIDES;
  im->decided.count = 0;
  tenon_status status = tenon_pt2_number(s, at, "as_sym_int", name, &entry);
  im->mode = TENON_PT2_USES;
  if (status != TENON_OK) return status;
  // An expression of other symbols says what the number is in one turn only.
  if (im->decided.count != 1)
    return tenon_json_fail(at, TENON_UNSUPPORTED, "pt2-symbol",
                           "a carried number that is no symbol of its own");
  TENON_TRY(tenon_pt2_item(s, value, im->decided.data, loc));
  return tenon_pt2_define(s, at, name, &entry);
}
