// How: in a graph that was not made functional, operators write their
// arguments. Which inputs that changes is found before anything is imported,
// since what changes is a state and what does not is a constant. A result that
// a schema marks as a view stands for what it views; a chain of views leads to
// an input.
#include "read/pt2/pt2_import.h"

typedef struct finder {
  tenon_pt2_scope *scope;
  tenon_pt2 *im;
  tenon_map *written;
  tenon_map roots;  // names of views to the name of what they view, a text
} finder;

static const char *root_of(const finder *f, const char *name) {
  const uint64_t *root = tenon_map_find_text(&f->roots, name);
  return root ? (const char *)(uintptr_t)*root : name;
}

typedef tenon_status visit_fn(finder *f, const char *name, const void *self);

// Every name of a tensor in an Argument.
static tenon_status each_name(finder *f, const tenon_json *arg, visit_fn *visit,
                              const void *self) {
  static const char *const lists[] = {"as_tensors", "as_optional_tensors"};
  tenon_json at = tenon_json_get(tenon_json_at(arg, "as_tensor"), "name");
  const char *name = json_string_value(at.value);
  if (name) TENON_TRY(visit(f, name, self));
  for (int k = 0; k < 2; ++k) {
    tenon_json list = tenon_json_get(arg, lists[k]);
    for (size_t i = 0; i < tenon_json_count(&list); ++i) {
      tenon_json item = tenon_json_item(&list, i);
      tenon_json inner = tenon_json_get(&item, "as_tensor");
      tenon_json text =
          tenon_json_get(tenon_json_is(&inner) ? &inner : &item, "name");
      name = json_string_value(text.value);
      if (name) TENON_TRY(visit(f, name, self));
    }
  }
  return TENON_OK;
}

static tenon_status writes_mark(finder *f, const char *name, const void *self) {
  (void)self;
  bool done = tenon_map_put_text(f->written, root_of(f, name), 1, NULL);
  return done ? TENON_OK : tenon_pt2_memory(f->im);
}

// `self`: the root.
static tenon_status put_view(finder *f, const char *name, const void *self) {
  bool done =
      tenon_map_put_text(&f->roots, name, (uint64_t)(uintptr_t)self, NULL);
  return done ? TENON_OK : tenon_pt2_memory(f->im);
}

// All results as views of one operand. `self`: the results.
static tenon_status put_views(finder *f, const char *name, const void *self) {
  return each_name(f, (const tenon_json *)self, put_view, root_of(f, name));
}

static bool writes_share_mark(const tenon_argument *a,
                              const tenon_argument *r) {
  return a->alias && r->alias && a->alias[0] == r->alias[0];
}

// The input that is argument `a`, by name or by position.
static tenon_json writes_find_input(const tenon_json *inputs,
                                    const tenon_schema *s, int a) {
  size_t position = 0;
  for (size_t i = 0; i < tenon_json_count(inputs); ++i) {
    tenon_json input = tenon_json_item(inputs, i);
    tenon_json at = tenon_json_get(&input, "name");
    const char *name = json_string_value(at.value);
    bool is_named = name && name[0];
    if (is_named ? strcmp(name, s->args[a].name) == 0 : position++ == (size_t)a)
      return input;
  }
  return (tenon_json){inputs->doc, NULL, inputs, NULL, 0};
}

static tenon_status visit_schema(finder *f, const tenon_schema *s,
                                 const tenon_json *inputs,
                                 const tenon_json *outputs) {
  for (int a = 0; a < s->n_args; ++a) {
    if (s->args[a].base != TENON_BASE_TENSOR || !s->args[a].alias) continue;
    tenon_json input = writes_find_input(inputs, s, a);
    tenon_json arg = tenon_json_get(&input, "arg");
    if (s->args[a].is_written) TENON_TRY(each_name(f, &arg, writes_mark, NULL));
    for (int r = 0; r < s->n_returns; ++r) {
      tenon_json output = tenon_json_item(outputs, (size_t)r);
      if (writes_share_mark(&s->args[a], &s->returns[r]))
        TENON_TRY(each_name(f, &arg, put_views, &output));
    }
  }
  return TENON_OK;
}

// An operator that Tenon does not know and that gives nothing back is there for
// what it writes.
static tenon_status visit_unknown(finder *f, const tenon_json *inputs,
                                  const tenon_json *outputs) {
  if (tenon_json_count(outputs) > 0) return TENON_OK;
  for (size_t i = 0; i < tenon_json_count(inputs); ++i) {
    tenon_json input = tenon_json_item(inputs, i);
    tenon_json arg = tenon_json_get(&input, "arg");
    TENON_TRY(each_name(f, &arg, writes_mark, NULL));
  }
  return TENON_OK;
}

static tenon_status writes_visit_node(finder *f, const tenon_json *node) {
  tenon_pt2 *im = f->im;
  tenon_json at = tenon_json_get(node, "target");
  tenon_json inputs = tenon_json_get(node, "inputs");
  tenon_json outputs = tenon_json_get(node, "outputs");
  const char *target = json_string_value(at.value);
  // Whatever is wrong with it is said when it is imported.
  if (!target || strncmp(target, "torch.ops.", 10) != 0) return TENON_OK;
  tenon_text rest = tenon_text_of(target + 10), piece;
  for (int n = 0; n < 2; ++n)
    if (!tenon_text_next(&rest, '.', &piece)) return TENON_OK;
  TENON_TRY(tenon_pt2_target(im, &at, target));
  const tenon_op *op = tenon_module_op(im->m, im->text.data);
  if (!op) return tenon_pt2_memory(im);
  tenon_pt2_node n = {.scope = f->scope,
                      .json = *node,
                      .inputs = inputs,
                      .outputs = outputs,
                      .op = op};
  TENON_TRY(tenon_pt2_out_variant(&n));
  return n.op->schema ? visit_schema(f, n.op->schema, &inputs, &outputs)
                      : visit_unknown(f, &inputs, &outputs);
}

tenon_status tenon_pt2_find_written(tenon_pt2_scope *s, tenon_map *written) {
  finder f = {.scope = s, .im = s->im, .written = written};
  tenon_status status = TENON_OK;
  tenon_map_init(&f.roots, s->im->cx->allocator);
  for (size_t i = 0; status == TENON_OK && i < tenon_json_count(&s->nodes);
       ++i) {
    tenon_json node = tenon_json_item(&s->nodes, i);
    status = writes_visit_node(&f, &node);
  }
  tenon_map_deinit(&f.roots);
  return status;
}
