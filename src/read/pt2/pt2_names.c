// How: targets are Python's dotted names; what stands for an operator of a
// library becomes set::name.overload, and the functions of `operator`, `math`
// and torch that work on sizes go into the set `prim`. Places come from the
// metadata that torch leaves on nodes; all of it may be missing.
#include "ir/scope.h"
#include "read/pt2/pt2_import.h"

tenon_status tenon_pt2_built(const tenon_pt2 *im) {
  tenon_status status = im->m->arena.failed ? TENON_NO_MEMORY : TENON_BAD_MODEL;
  return status;
}

tenon_status tenon_pt2_memory(const tenon_pt2 *im) {
  return tenon_fail_memory(&im->m->report, "reading a .pt2");
}

// ---------------------------------------------------------------------------
// Targets
// ---------------------------------------------------------------------------

static tenon_status not_an_operator(const tenon_json *at, const char *target) {
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(target));
  bool is_python = strncmp(target, "torch.", 6) == 0 &&
                   strncmp(target, "torch.ops.", 10) != 0;
  if (is_python)
    return tenon_json_fail(at, TENON_UNSUPPORTED, "pt2-operator",
                           "'%s' is a function of Python, which torch's "
                           "run_decompositions() replaces by operators",
                           label);
  return tenon_json_fail(at, TENON_BAD_MODEL, "pt2-operator",
                         "expected torch.ops.<set>.<name>.<overload>, found "
                         "'%s'",
                         label);
}

// set.name or set.name.overload, behind "torch.ops.".
static bool add_operator(tenon_buf *out, const char *name) {
  tenon_text rest = tenon_text_of(name), set, base, overload = {NULL, 0};
  if (!tenon_text_next(&rest, '.', &set) || !tenon_text_next(&rest, '.', &base))
    return false;
  bool has_overload = tenon_text_next(&rest, '.', &overload);
  bool is_higher = tenon_text_is(set, "higher_order");
  if (!tenon_text_is_identifier(set) || !tenon_text_is_identifier(base) ||
      rest.size > 0 || has_overload == is_higher ||
      (has_overload && !tenon_text_is_identifier(overload)))
    return false;
  tenon_buf_add(out, set.data, set.size);
  tenon_buf_text(out, "::");
  tenon_buf_add(out, base.data, base.size);
  if (!has_overload || tenon_text_is(overload, "default")) return true;
  tenon_buf_char(out, '.');
  tenon_buf_add(out, overload.data, overload.size);
  return true;
}

tenon_status tenon_pt2_target(tenon_pt2 *im, const tenon_json *at,
                              const char *target) {
  static const char *const sets[] = {"_operator.", "math.", "torch.sym_",
                                     "torch._sym_"};
  const char *name = NULL;
  tenon_buf_clear(&im->text);
  if (strncmp(target, "torch.ops.", 10) == 0) {
    if (!add_operator(&im->text, target + 10))
      return not_an_operator(at, target);
  } else {
    for (size_t i = 0; !name && i < sizeof sets / sizeof *sets; ++i) {
      size_t size = strlen(sets[i]);
      if (strncmp(target, sets[i], size) == 0) name = strrchr(target, '.') + 1;
    }
    if (!name || !tenon_text_is_identifier(tenon_text_of(name)))
      return not_an_operator(at, target);
    tenon_buf_text(&im->text, "prim::");
    tenon_buf_text(&im->text, name);
  }
  return im->text.failed ? tenon_pt2_memory(im) : TENON_OK;
}

// ---------------------------------------------------------------------------
// Places
// ---------------------------------------------------------------------------

tenon_loc tenon_pt2_loc(tenon_pt2 *im, const char *what, const char *name) {
  char label[TENON_LABEL], where[2 * TENON_LABEL];
  tenon_label_make(label, tenon_text_of(name));
  snprintf(where, sizeof where, "%s %s", what, label);
  tenon_place place = {im->m->name, where, NULL, 0, 0};
  return tenon_locs_add(&im->m->locs, &place);
}

tenon_loc tenon_pt2_listed(tenon_pt2 *im, const char *list) {
  tenon_place place = {im->m->name, list, NULL, 0, 0};
  return tenon_locs_add(&im->m->locs, &place);
}

static const char *text_or_null(const tenon_json *at) {
  return json_string_value(at->value);
}

// The innermost frame: `  File "m.py", line 7, in forward`, as "m.py:7, in
// forward".
static void add_line(tenon_buf *out, const char *trace) {
  static const char file[] = "File \"";
  const char *at = NULL;
  for (const char *p = trace; (p = strstr(p, file)) != NULL; ++p)
    at = p + sizeof file - 1;
  const char *end = at ? strchr(at, '"') : NULL;
  if (!end || strncmp(end, "\", line ", 8) != 0) return;
  const char *line = end + 8;
  size_t digits = strspn(line, "0123456789");
  const char *slash = end;
  while (slash > at && slash[-1] != '/')
    --slash;
  tenon_buf_add(out, slash, (size_t)(end - slash));
  tenon_buf_char(out, ':');
  tenon_buf_add(out, line, digits);
  if (strncmp(line + digits, ", in ", 5) != 0) return;
  tenon_buf_add(out, line + digits, 5 + strcspn(line + digits + 5, "\n"));
}

// An item `key,path,type` of the list of modules. The key tells calls of one
// module apart: "L__self__norm@1" is the second of "norm".
static tenon_text read_scope(tenon_pt2 *im, tenon_text item, tenon_text *type) {
  tenon_text name = {NULL, 0};
  const char *path = memchr(item.data, ',', item.size);
  const char *end = item.data + item.size, *last = end;
  while (path && last > path && last[-1] != ',')
    --last;
  if (!path || last == path + 1) return name;
  *type = (tenon_text){last, (size_t)(end - last)};
  tenon_text key = {item.data, (size_t)(path - item.data)};
  name = (tenon_text){path + 1, (size_t)(last - path - 2)};
  const char *call = memchr(key.data, '@', key.size);
  if (name.size == 0) return tenon_text_of("(root)");
  if (!call) return name;
  size_t count = (size_t)(path - call);
  char *both = tenon_arena_alloc(&im->scratch, name.size + count, 1);
  if (!both) return (tenon_text){NULL, 0};
  memcpy(both, name.data, name.size);
  memcpy(both + name.size, call, count);
  return (tenon_text){both, name.size + count};
}

// All of them are noted; the innermost is said: "fc (torch.nn.Linear)".
static bool add_module(tenon_pt2 *im, tenon_buf *out, const char *stack) {
  tenon_text rest = tenon_text_of(stack), item, name = {NULL, 0}, type;
  uint32_t scope = 0;
  while (tenon_text_next(&rest, ';', &item)) {
    tenon_text one = read_scope(im, item, &type);
    if (!one.data) return !im->scratch.failed;
    name = one;
    scope = tenon_scope_add(im->m, name, type, scope);
    if (scope == 0) return false;
  }
  if (!name.data) return true;
  if (out->size > 0) tenon_buf_text(out, ", ");
  tenon_buf_text(out, "module ");
  tenon_buf_add(out, name.data, name.size);
  tenon_buf_text(out, " (");
  tenon_buf_add(out, type.data, type.size);
  tenon_buf_char(out, ')');
  return true;
}

tenon_status tenon_pt2_node_loc(tenon_pt2_scope *s, const tenon_json *node,
                                tenon_loc *out) {
  tenon_pt2 *im = s->im;
  char label[TENON_LABEL];
  tenon_json name = tenon_json_get(node, "name");
  tenon_json metadata = tenon_json_get(node, "metadata");
  tenon_json trace = tenon_json_get(&metadata, "stack_trace");
  tenon_json stack = tenon_json_get(&metadata, "nn_module_stack");
  tenon_json outputs = tenon_json_get(node, "outputs");
  tenon_json first = tenon_json_item(&outputs, 0);
  tenon_json result =
      tenon_json_get(tenon_json_at(&first, "as_tensor"), "name");
  const char *shown = text_or_null(&name);
  if (!shown) shown = text_or_null(&result);
  tenon_label_make(label, tenon_text_of(shown ? shown : ""));
  tenon_buf_clear(&im->text);
  if (s->label[0]) {
    char graph[TENON_LABEL];
    tenon_label_make(graph, tenon_text_of(s->label));
    tenon_buf_format(&im->text, "graph %s, ", graph);
  }
  tenon_buf_format(&im->text, "node %zu", node->index);
  if (label[0]) tenon_buf_format(&im->text, " (%s)", label);
  if (im->text.failed) return tenon_pt2_memory(im);
  char *where = tenon_arena_text(&im->scratch, im->text.data, im->text.size);
  tenon_buf_clear(&im->text);
  if (text_or_null(&trace)) add_line(&im->text, text_or_null(&trace));
  bool ok =
      !text_or_null(&stack) || add_module(im, &im->text, text_or_null(&stack));
  if (!where || !ok || im->text.failed) return tenon_pt2_memory(im);
  const char *origin = im->text.size > 0 ? im->text.data : NULL;
  tenon_place place = {im->m->name, where, origin, 0, 0};
  *out = tenon_locs_add(&im->m->locs, &place);
  return im->m->arena.failed ? tenon_pt2_memory(im) : TENON_OK;
}
