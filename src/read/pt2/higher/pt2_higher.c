// How: the arguments of a call that takes graphs have no names, so a pattern
// says what stands where: ops/higher_order/README.md has the nodes that come of
// it. Numbers among operands are not passed; the graphs know them as what they
// are, but those that a loop carries (pt2_carried.c).
#include "read/pt2/pt2_import.h"

// One letter per argument: T a tensor, L a list of operands, C one that is
// carried, G a graph, R all that is left as one list of operands, A the next
// attribute of `names`.
static const struct pattern {
  const char *op, *arguments;
  const char *names[4];
} patterns[] = {
    {"higher_order::cond", "TGGL", {NULL}},
    {"higher_order::while_loop", "GGCL", {NULL}},
    {"higher_order::scan", "GLLLAA", {"dim", "reverse"}},
    {"higher_order::associative_scan", "GLL", {NULL}},
    {"higher_order::map_impl", "GLL", {NULL}},
    {"higher_order::map", "GLL", {NULL}},
    {"higher_order::wrap_with_set_grad_enabled", "AGR", {"enabled"}},
    {"higher_order::wrap_with_autocast",
     "AAAAGR",
     {"device", "dtype", "enabled", "cache"}},
    {"higher_order::invoke_subgraph", "GAR", {"identifier"}},
};

static const struct pattern *find_pattern(const tenon_op *op) {
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i) {
    if (strcmp(patterns[i].op, op->name) == 0) return &patterns[i];
  }
  return NULL;
}

bool tenon_pt2_is_higher(const tenon_op *op) {
  return find_pattern(op) != NULL;
}

static tenon_status misplaced(const tenon_pt2_node *n, const tenon_json *arg,
                              const char *wanted) {
  return tenon_json_fail(arg, TENON_BAD_MODEL, "pt2-argument",
                         "'%s' takes %s here", n->op->name, wanted);
}

static tenon_status higher_read_attribute(tenon_pt2_node *n, const char *name,
                                          const tenon_json *arg) {
  const char *tag = NULL;
  tenon_json value;
  TENON_TRY(tenon_json_tag(arg, &tag, &value));
  if (strcmp(tag, "as_none") == 0) return TENON_OK;
  return tenon_pt2_push_attribute(n, name, tag, &value);
}

// A list in which torch calls everything a tensor, sizes too.
static tenon_status higher_read_list(tenon_pt2_node *n,
                                     const tenon_json *list) {
  TENON_TRY(tenon_json_array(list));
  for (size_t i = 0; i < tenon_json_count(list); ++i) {
    tenon_json item = tenon_json_item(list, i);
    tenon_json at = tenon_json_get(&item, "name");
    const char *name = json_string_value(at.value);
    const uint64_t *index =
        name ? tenon_map_find_text(&n->scope->names, name) : NULL;
    tenon_pt2_kind kind =
        index ? n->scope->entries.data[*index].kind : TENON_PT2_VALUE;
    if (kind == TENON_PT2_NUMBER || kind == TENON_PT2_OPEN) continue;
    tenon_value *value = NULL;
    TENON_TRY(tenon_pt2_tensor(n->scope, &item, &value));
    TENON_TRY(tenon_pt2_push(n, value));
  }
  return TENON_OK;
}

static tenon_status read_operands(tenon_pt2_node *n, const tenon_json *arg,
                                  bool is_one) {
  const char *tag = NULL;
  tenon_json value;
  TENON_TRY(tenon_json_tag(arg, &tag, &value));
  bool is_graph = strcmp(tag, "as_graph") == 0;
  bool is_list = tag[strlen(tag) - 1] == 's';
  if (is_graph || (is_one && is_list))
    return misplaced(n, arg, is_one ? "one operand" : "operands");
  if (is_one && strcmp(tag, "as_tensor") != 0)
    return tenon_pt2_number_operand(n, arg, 0);
  if (strcmp(tag, "as_tensors") == 0) return higher_read_list(n, &value);
  return tenon_pt2_is_tensors(tag) ? tenon_pt2_push_tensors(n, tag, &value)
                                   : TENON_OK;
}

// The argument that a letter stands for; `i` is its index in the file.
static tenon_status higher_read_argument(tenon_pt2_node *n,
                                         const struct pattern *p, char letter,
                                         size_t i, size_t *attribute) {
  tenon_json input = tenon_json_item(&n->inputs, i);
  tenon_json arg = tenon_json_get(&input, "arg");
  tenon_json graph = tenon_json_get(&arg, "as_graph");
  switch (letter) {
    case 'G':
      if (!tenon_json_is(&graph)) return misplaced(n, &arg, "a graph");
      ++n->n_graphs;
      return TENON_OK;
    case 'A':
      return higher_read_attribute(n, p->names[(*attribute)++], &arg);
    case 'T':
      TENON_TRY(read_operands(n, &arg, true));
      return tenon_pt2_end_group(n);
    case 'C':
      TENON_TRY(tenon_pt2_carried(n, &arg));
      return tenon_pt2_end_group(n);
    case 'L':
      TENON_TRY(read_operands(n, &arg, false));
      return tenon_pt2_end_group(n);
    default:
      return read_operands(n, &arg, false);
  }
}

// Keyword arguments are attributes by their own names.
static tenon_status read_keywords(tenon_pt2_node *n, size_t from) {
  for (size_t i = from; i < tenon_json_count(&n->inputs); ++i) {
    const char *name = NULL;
    tenon_json input = tenon_json_item(&n->inputs, i);
    tenon_json arg = tenon_json_get(&input, "arg");
    TENON_TRY(tenon_json_text(tenon_json_at(&input, "name"), &name));
    if (!name[0])
      return tenon_json_fail(&input, TENON_BAD_MODEL, "pt2-argument",
                             "'%s' takes fewer arguments", n->op->name);
    TENON_TRY(higher_read_attribute(n, name, &arg));
  }
  return TENON_OK;
}

tenon_status tenon_pt2_higher(tenon_pt2_node *n) {
  const struct pattern *p = find_pattern(n->op);
  size_t n_inputs = tenon_json_count(&n->inputs), n_given = 0, attribute = 0;
  for (; n_given < n_inputs; ++n_given) {
    tenon_json input = tenon_json_item(&n->inputs, n_given);
    tenon_json at = tenon_json_get(&input, "name");
    const char *name = json_string_value(at.value);
    if (name && name[0]) break;
  }
  size_t i = 0;
  for (const char *letter = p->arguments; *letter; ++letter) {
    if (*letter == 'R') {
      for (; i < n_given; ++i)
        TENON_TRY(higher_read_argument(n, p, 'R', i, &attribute));
      TENON_TRY(tenon_pt2_end_group(n));
    } else if (i < n_given) {
      TENON_TRY(higher_read_argument(n, p, *letter, i++, &attribute));
    } else if (*letter != 'A') {
      return tenon_json_fail(&n->json, TENON_BAD_MODEL, "pt2-argument",
                             "'%s' takes more arguments", n->op->name);
    }
  }
  return read_keywords(n, i);
}
