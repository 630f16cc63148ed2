// How: operands, the bounds of lists of them, and attributes of the node being
// imported are appended to those of the import.
#include "read/pt2/pt2_import.h"

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-argument", __VA_ARGS__)

bool tenon_pt2_is_tensors(const char *tag) {
  return tenon_text_has_word(
      "as_tensor as_optional_tensor as_tensors as_optional_tensors",
      tenon_text_of(tag));
}

bool tenon_pt2_is_number(const char *tag) {
  return tenon_text_has_word(
      "as_int as_float as_bool as_sym_int as_sym_float as_sym_bool as_complex",
      tenon_text_of(tag));
}

// ---------------------------------------------------------------------------
// Operands
// ---------------------------------------------------------------------------

tenon_status tenon_pt2_push(tenon_pt2_node *n, tenon_value *value) {
  tenon_pt2 *im = n->scope->im;
  if (im->in.count == UINT16_MAX)
    return fail(&n->json, "more than %d operands", UINT16_MAX);
  return tenon_vec_push(&im->in, value) ? TENON_OK : tenon_pt2_memory(im);
}

tenon_status tenon_pt2_end_group(tenon_pt2_node *n) {
  tenon_pt2 *im = n->scope->im;
  bool done = tenon_vec_push(&im->groups, (uint16_t)im->in.count);
  return done ? TENON_OK : tenon_pt2_memory(im);
}

static tenon_status operands_push_tensor(tenon_pt2_node *n,
                                         const tenon_json *at) {
  tenon_value *value = NULL;
  TENON_TRY(tenon_pt2_tensor(n->scope, at, &value));
  return tenon_pt2_push(n, value);
}

static tenon_status push_optional(tenon_pt2_node *n, const tenon_json *at) {
  const char *tag = NULL;
  tenon_json value;
  TENON_TRY(tenon_json_tag(at, &tag, &value));
  if (strcmp(tag, "as_none") == 0) return tenon_pt2_push(n, NULL);
  if (strcmp(tag, "as_tensor") == 0) return operands_push_tensor(n, &value);
  return fail(at, "expected as_tensor or as_none");
}

static tenon_status operands_push_list(tenon_pt2_node *n,
                                       const tenon_json *list,
                                       bool is_optional) {
  TENON_TRY(tenon_json_array(list));
  for (size_t i = 0; i < tenon_json_count(list); ++i) {
    tenon_json item = tenon_json_item(list, i);
    TENON_TRY(is_optional ? push_optional(n, &item)
                          : operands_push_tensor(n, &item));
  }
  return TENON_OK;
}

tenon_status tenon_pt2_push_tensors(tenon_pt2_node *n, const char *tag,
                                    const tenon_json *value) {
  if (strcmp(tag, "as_tensor") == 0) return operands_push_tensor(n, value);
  if (strcmp(tag, "as_optional_tensor") == 0) return push_optional(n, value);
  return operands_push_list(n, value, strcmp(tag, "as_optional_tensors") == 0);
}

// A float or a truth value that sizes make, in the place of a tensor. *out
// null: the argument is no such number.
static tenon_status read_open(tenon_pt2_node *n, const tenon_json *value,
                              uint16_t flags, tenon_value **out) {
  tenon_pt2_scope *s = n->scope;
  tenon_json at = tenon_json_get(value, "as_name");
  const char *name = json_string_value(at.value);
  const uint64_t *index = name ? tenon_map_find_text(&s->names, name) : NULL;
  const tenon_pt2_name *entry = index ? &s->entries.data[*index] : NULL;
  *out = NULL;
  if (!entry || entry->kind != TENON_PT2_OPEN) return TENON_OK;
  return tenon_pt2_compute(s, entry, flags, n->loc, out);
}

static tenon_status complex_operand(tenon_pt2_node *n, const tenon_json *value,
                                    uint16_t flags) {
  double parts[2] = {0, 0};
  tenon_type type = {NULL, NULL, TENON_C128, 0, flags};
  TENON_TRY(tenon_pt2_complex(value, parts));
  tenon_value *constant =
      tenon_build_constant(n->scope->im->m, "", &type, parts, false, n->loc);
  return constant ? tenon_pt2_push(n, constant) : tenon_pt2_built(n->scope->im);
}

tenon_status tenon_pt2_number_operand(tenon_pt2_node *n, const tenon_json *arg,
                                      uint16_t flags) {
  const char *tag = NULL;
  tenon_json value;
  tenon_arg number;
  tenon_value *constant = NULL;
  TENON_TRY(tenon_json_tag(arg, &tag, &value));
  if (strcmp(tag, "as_complex") == 0) return complex_operand(n, &value, flags);
  TENON_TRY(read_open(n, &value, flags, &constant));
  if (constant) return tenon_pt2_push(n, constant);
  TENON_TRY(tenon_pt2_attribute(n->scope, tag, &value, &number));
  TENON_TRY(
      tenon_pt2_number_value(n->scope, arg, &number, flags, n->loc, &constant));
  return tenon_pt2_push(n, constant);
}

// ---------------------------------------------------------------------------
// Attributes
// ---------------------------------------------------------------------------

tenon_status tenon_pt2_push_attribute(tenon_pt2_node *n, const char *name,
                                      const char *tag,
                                      const tenon_json *value) {
  tenon_arg out;
  TENON_TRY(tenon_pt2_attribute(n->scope, tag, value, &out));
  out.name = name;
  bool done = tenon_vec_push(&n->scope->im->args, out);
  return done ? TENON_OK : tenon_pt2_memory(n->scope->im);
}
