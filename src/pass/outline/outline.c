// How: first the calls of all modules of the class, then the nodes of each, in
// the order of their graph. The composite stands behind the last of them, which
// is right where nothing in between needs what they make; elsewhere the module
// is refused.
#include "pass/outline/outline.h"

#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "ir/build.h"
#include "ir/edit.h"
#include "ir/infer/infer.h"
#include "ir/scope.h"

typedef struct outlining {
  tenon_module *m;
  const tenon_outline_options *options;
  tenon_outline_call call;
  tenon_arena arena;
  TENON_VEC(tenon_text) roots;
  TENON_VEC(tenon_outline_group *) groups;
  tenon_nearest nearest;
} outlining;

static tenon_status outline_no_memory(const outlining *o) {
  return tenon_fail_memory(&o->m->report, "outlining");
}

// ---------------------------------------------------------------------------
// Modules
// ---------------------------------------------------------------------------

static bool outline_module_of(const tenon_node *n, tenon_text *name,
                              tenon_text *type) {
  *name = tenon_place_module(tenon_node_place(n), type);
  return name->size > 0;
}

// A call that a node is of, from the innermost outwards. Of a text only that is
// known.
typedef struct calls {
  const tenon_module *m;
  tenon_text name, type;
  uint32_t scope;  // index plus 1; 0: none
} calls;

static bool first_call(const outlining *o, const tenon_node *n, calls *c) {
  c->m = o->m;
  if (!outline_module_of(n, &c->name, &c->type)) return false;
  c->scope = tenon_scope_find(o->m, c->name);
  return true;
}

static bool next_call(calls *c) {
  if (c->scope == 0) return false;
  c->scope = c->m->scopes.data[c->scope - 1].outer;
  if (c->scope == 0) return false;
  c->name = tenon_text_of(c->m->scopes.data[c->scope - 1].name);
  c->type = tenon_text_of(c->m->scopes.data[c->scope - 1].type);
  return true;
}

static tenon_text outline_class_of(tenon_text type) {
  const char *begin = type.data + type.size;
  while (begin > type.data && begin[-1] != '.')
    --begin;
  return (tenon_text){begin, (size_t)(type.data + type.size - begin)};
}

static bool glob(const char *pattern, tenon_text t) {
  char text[512];
  if (t.size >= sizeof text) return false;
  memcpy(text, t.data, t.size);
  text[t.size] = 0;
  return tenon_text_glob(pattern, text);
}

static bool outline_matches(const outlining *o, const calls *c) {
  const char *name = o->options->class_name, *module = o->options->module;
  if (name && !glob(name, c->type) && !glob(name, outline_class_of(c->type)))
    return false;
  return !module || glob(module, tenon_scope_path(c->name));
}

// Whether `name` is the call or, of a text, one of a module in it.
static bool is_inside(tenon_text root, tenon_text name) {
  if (tenon_text_is(root, "(root)")) return true;
  return name.size >= root.size &&
         memcmp(name.data, root.data, root.size) == 0 &&
         (name.size == root.size || name.data[root.size] == '.');
}

static bool outline_is_of(const outlining *o, const tenon_node *n,
                          tenon_text root) {
  calls c;
  if (!first_call(o, n, &c)) return false;
  if (c.scope == 0) return is_inside(root, c.name);
  do {
    if (tenon_text_same(c.name, root)) return true;
  } while (next_call(&c));
  return false;
}

static tenon_status feed_nearest(outlining *o, const calls *c) {
  tenon_text name =
      o->options->class_name ? outline_class_of(c->type) : c->name;
  char *text = tenon_arena_text(&o->arena, name.data, name.size);
  if (!text) return outline_no_memory(o);
  tenon_nearest_feed(&o->nearest, text);
  return TENON_OK;
}

// Of a text, a module around those found takes their place.
static tenon_status add_root(outlining *o, tenon_text root, bool is_known) {
  size_t kept = 0;
  for (size_t i = 0; i < o->roots.count; ++i) {
    tenon_text other = o->roots.data[i];
    if (is_known ? tenon_text_same(other, root) : is_inside(other, root))
      return TENON_OK;
  }
  for (size_t i = 0; i < o->roots.count; ++i)
    if (is_known || !is_inside(root, o->roots.data[i]))
      o->roots.data[kept++] = o->roots.data[i];
  o->roots.count = kept;
  return tenon_vec_push(&o->roots, root) ? TENON_OK : outline_no_memory(o);
}

// The outermost call that is meant.
static tenon_status outline_find_root(void *self, tenon_node *n) {
  outlining *o = (outlining *)self;
  tenon_text root = {NULL, 0};
  calls c;
  if (!first_call(o, n, &c)) return TENON_OK;
  bool is_known = c.scope != 0;
  do {
    if (outline_matches(o, &c))
      root = c.name;
    else
      TENON_TRY(feed_nearest(o, &c));
  } while (next_call(&c));
  return root.data ? add_root(o, root, is_known) : TENON_OK;
}

static tenon_outline_group *outline_group_of(const outlining *o,
                                             const tenon_node *n) {
  for (size_t i = 0; i < o->groups.count; ++i)
    if (o->groups.data[i]->graph == n->graph &&
        outline_is_of(o, n, o->groups.data[i]->name))
      return o->groups.data[i];
  return NULL;
}

// Whether it is in a part of the call that has become one operator already.
static bool is_in_part(const outlining *o, const tenon_node *n,
                       tenon_text root) {
  for (const tenon_node *up = n->graph->parent; up; up = up->graph->parent)
    if (tenon_op_is(up->op, "core::composite") && outline_is_of(o, up, root))
      return true;
  return false;
}

static tenon_status outline_collect(void *self, tenon_node *n) {
  outlining *o = (outlining *)self;
  tenon_outline_group *g = outline_group_of(o, n);
  for (size_t i = 0; !g && i < o->roots.count; ++i) {
    tenon_text root = o->roots.data[i];
    if (!outline_is_of(o, n, root) || is_in_part(o, n, root)) continue;
    g = tenon_arena_new(&o->arena, tenon_outline_group);
    if (!g) return outline_no_memory(o);
    memset(g, 0, sizeof *g);
    g->name = o->roots.data[i];
    g->path = tenon_scope_path(g->name);
    g->graph = n->graph;
    tenon_vec_init(&g->nodes, o->m->cx->allocator);
    tenon_vec_init(&g->inputs, o->m->cx->allocator);
    tenon_vec_init(&g->constants, o->m->cx->allocator);
    tenon_vec_init(&g->outputs, o->m->cx->allocator);
    if (!tenon_vec_push(&o->groups, g)) return outline_no_memory(o);
  }
  if (g && !tenon_vec_push(&g->nodes, n)) return outline_no_memory(o);
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// What a module takes and gives
// ---------------------------------------------------------------------------

static tenon_status outline_refuse(const tenon_outline_group *g,
                                   const tenon_node *n, const char *what) {
  return tenon_fail(&g->graph->module->report, TENON_UNSUPPORTED,
                    "outline-module", tenon_node_place(n),
                    "module '%.*s' cannot become one operator: %s",
                    (int)g->name.size, g->name.data, what);
}

static bool is_member(const tenon_outline_group *g, const tenon_node *n) {
  for (size_t i = 0; i < g->nodes.count; ++i)
    if (g->nodes.data[i] == n) return true;
  return false;
}

#define ADD_ONCE(list, v)                        \
  do {                                           \
    for (size_t k_ = 0; k_ < (list).count; ++k_) \
      if ((list).data[k_] == (v)) return true;   \
    return tenon_vec_push(&(list), (v));         \
  } while (0)

static bool outline_add_input(tenon_outline_group *g, tenon_value *v) {
  size_t n = g->path.size;
  // In what a module around it has become, a parameter is one of the region, by
  // its name.
  bool may_be =
      v->kind == TENON_VALUE_CONSTANT || (!v->node && g->graph->parent);
  if (!may_be) ADD_ONCE(g->inputs, v);
  bool is_own = v->name &&
                (tenon_text_is(g->path, "(root)") ||
                 (strncmp(v->name, g->path.data, n) == 0 && v->name[n] == '.'));
  if (is_own && v->name[0]) ADD_ONCE(g->constants, v);
  if (v->kind != TENON_VALUE_CONSTANT) ADD_ONCE(g->inputs, v);
  return true;
}

static bool outline_add_output(tenon_outline_group *g, tenon_value *v) {
  for (const tenon_use *u = v->uses; u; u = u->next)
    if (!is_member(g, u->node)) ADD_ONCE(g->outputs, v);
  return true;
}

static bool outline_writes(const tenon_node *n) {
  return n->op->schema && n->op->schema->n_written > 0;
}

static tenon_status outline_look(const outlining *o, tenon_outline_group *g) {
  for (size_t i = 0; i < g->nodes.count; ++i) {
    const tenon_node *n = g->nodes.data[i];
    if (n->n_regions > 0 && !tenon_op_is(n->op, "core::composite"))
      return outline_refuse(g, n, "a node of it has branches or a body");
    for (uint32_t k = 0; k < n->n_regions; ++k)
      if (g->graph->depth + 2u + tenon_graph_height(n->regions[k]) >
          TENON_MAX_NESTING)
        return outline_refuse(g, n,
                              "too many modules in modules are operators");
    if (outline_writes(n))
      return outline_refuse(g, n, "a node of it writes an operand");
    for (uint32_t k = 0; k < n->n_in; ++k) {
      tenon_value *v = n->in[k].value;
      bool is_outside = v && !(v->node && is_member(g, v->node));
      if (is_outside && !outline_add_input(g, v)) return outline_no_memory(o);
    }
    for (uint32_t k = 0; k < n->n_out; ++k)
      if (!outline_add_output(g, n->out[k])) return outline_no_memory(o);
  }
  if (g->outputs.count == 0)
    return outline_refuse(g, g->nodes.data[0], "its results are not used");
  const tenon_node *last = g->nodes.data[g->nodes.count - 1];
  for (const tenon_node *n = g->nodes.data[0]; n != last; n = n->next) {
    if (is_member(g, n)) continue;
    for (uint32_t k = 0; k < n->n_in; ++k) {
      const tenon_value *v = n->in[k].value;
      if (v && v->node && is_member(g, v->node))
        return outline_refuse(g, n,
                              "this node between its nodes uses a result");
    }
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// The composite
// ---------------------------------------------------------------------------

static bool is_elsewhere(void *self, const tenon_use *use) {
  const tenon_outline_group *g = (const tenon_outline_group *)self;
  return !is_member(g, use->node);
}

static bool is_here(void *self, const tenon_use *use) {
  return !is_elsewhere(self, use);
}

static tenon_value **outline_make_params(tenon_graph *region,
                                         const tenon_outline_operands *from,
                                         tenon_arena *arena, tenon_loc loc) {
  tenon_value **params = tenon_arena_array(arena, tenon_value *, from->n + 1);
  for (uint32_t i = 0; params && i < from->n; ++i) {
    const tenon_value *v = from->in[i];
    params[i] = tenon_build_param(region, v->name, &v->type, loc);
    if (!params[i]) return NULL;
  }
  return params;
}

static bool fill_named(const outlining *o, tenon_graph *region,
                       const tenon_node_spec *outer,
                       const tenon_outline_operands *from,
                       const tenon_arg *args, tenon_arena *arena) {
  tenon_node_spec spec = {.op = o->call.op,
                          .args = args,
                          .n_in = from->n_named,
                          .n_out = outer->n_out,
                          .types = outer->types,
                          .loc = outer->loc};
  tenon_value **params = outline_make_params(region, from, arena, outer->loc);
  tenon_value **in = tenon_arena_array(arena, tenon_value *, from->n_named + 1);
  if (!params || !in) return false;
  for (uint32_t i = 0; i < from->n_named; ++i)
    in[i] = from->named[i] < 0 ? NULL : params[from->named[i]];
  spec.in = in;
  tenon_node *n = tenon_build_node(region, NULL, &spec);
  return n && tenon_build_results(region, n->out, n->n_out, outer->loc);
}

static bool fill_nodes(tenon_outline_group *g, tenon_node *composite,
                       const tenon_outline_operands *from, tenon_arena *arena) {
  tenon_graph *region = composite->regions[1];
  tenon_value **params =
      outline_make_params(region, from, arena, composite->loc);
  if (!params) return false;
  for (uint32_t i = 0; i < from->n; ++i)
    tenon_value_replace_if(from->in[i], params[i], is_here, g);
  for (size_t i = 0; i < g->outputs.count; ++i)
    tenon_value_replace_if(g->outputs.data[i], composite->out[i], is_elsewhere,
                           g);
  if (!tenon_build_results(region, g->outputs.data, (uint32_t)g->outputs.count,
                           composite->loc))
    return false;
  for (size_t i = 0; i < g->nodes.count; ++i)
    tenon_node_move(g->nodes.data[i], region->end);
  return true;
}

// That of its last node, but of the call itself.
static tenon_loc outline_place_of(outlining *o, const tenon_outline_group *g) {
  const tenon_node *last = g->nodes.data[g->nodes.count - 1];
  tenon_place place = *tenon_node_place(last);
  tenon_text line = tenon_text_of(place.origin), name, type;
  tenon_buf text;
  calls c;
  if (!first_call(o, last, &c)) return last->loc;
  line.size = (size_t)(strstr(place.origin, "module ") - place.origin);
  do {
    name = c.name;
    type = c.type;
  } while (!tenon_text_same(name, g->name) && next_call(&c));
  if (!tenon_text_same(name, g->name)) return last->loc;
  tenon_buf_init(&text, o->m->cx->allocator);
  tenon_buf_format(&text, "%.*smodule %.*s (%.*s)", (int)line.size, line.data,
                   (int)name.size, name.data, (int)type.size, type.data);
  place.origin = text.data;
  tenon_loc loc = text.failed ? last->loc : tenon_locs_add(&o->m->locs, &place);
  tenon_buf_deinit(&text);
  return loc;
}

static tenon_status outline_replace(outlining *o, tenon_outline_group *g,
                                    tenon_arena *arena) {
  tenon_outline_operands from;
  const tenon_arg *args = NULL;
  TENON_TRY(outline_look(o, g));
  TENON_TRY(tenon_outline_take(&o->call, g, arena, &from));
  TENON_TRY(tenon_outline_args(&o->call, g, arena, &args));
  size_t n_out = g->outputs.count;
  const tenon_type **types =
      tenon_arena_array(arena, const tenon_type *, n_out);
  const char **names = tenon_arena_array(arena, const char *, n_out);
  if (!types || !names) return outline_no_memory(o);
  for (size_t i = 0; i < n_out; ++i) {
    types[i] = &g->outputs.data[i]->type;
    names[i] = g->outputs.data[i]->name;
  }
  tenon_node *last = g->nodes.data[g->nodes.count - 1];
  tenon_node_spec spec = {.op = tenon_module_op(o->m, "core::composite"),
                          .in = from.in,
                          .n_in = from.n,
                          .n_out = (uint32_t)n_out,
                          .types = types,
                          .names = names,
                          .n_regions = 2,
                          .loc = outline_place_of(o, g)};
  tenon_node *node =
      spec.op ? tenon_build_node(g->graph, last->next, &spec) : NULL;
  bool done = node &&
              fill_named(o, node->regions[0], &spec, &from, args, arena) &&
              fill_nodes(g, node, &from, arena);
  return done ? TENON_OK : TENON_BAD_ARGUMENT;  // reported by the builder
}

static tenon_status nothing_found(const outlining *o) {
  const char *wanted =
      o->options->class_name ? o->options->class_name : o->options->module;
  return tenon_fail(&o->m->report, TENON_BAD_ARGUMENT, "outline-nothing", NULL,
                    "no node of '%s' is of a module %s'%s'%s%s%s", o->m->name,
                    o->options->class_name ? "of the class " : "", wanted,
                    TENON_DID_YOU_MEAN(o->nearest.best));
}

static tenon_status outline_run(outlining *o) {
  TENON_TRY(tenon_outline_parse(o->m, &o->arena, o->options->as, &o->call));
  TENON_TRY(tenon_module_visit(o->m, outline_find_root, o));
  if (o->roots.count == 0) return nothing_found(o);
  TENON_TRY(tenon_module_visit(o->m, outline_collect, o));
  for (size_t i = 0; i < o->groups.count; ++i)
    TENON_TRY(outline_replace(o, o->groups.data[i], &o->arena));
  return TENON_OK;
}

tenon_status tenon_outline(tenon_module *m,
                           const tenon_outline_options *given) {
  outlining o = {.m = m, .options = given};
  const char *wanted = given->class_name ? given->class_name : given->module;
  tenon_arena_init(&o.arena, m->cx->allocator);
  tenon_vec_init(&o.roots, m->cx->allocator);
  tenon_vec_init(&o.groups, m->cx->allocator);
  tenon_nearest_init(&o.nearest, wanted ? wanted : "");
  tenon_status status =
      wanted && given->as
          ? outline_run(&o)
          : tenon_fail(&m->report, TENON_BAD_ARGUMENT, "outline-call", NULL,
                       "a class or a module is needed, and what it becomes");
  for (size_t i = 0; i < o.groups.count; ++i) {
    tenon_vec_deinit(&o.groups.data[i]->nodes);
    tenon_vec_deinit(&o.groups.data[i]->inputs);
    tenon_vec_deinit(&o.groups.data[i]->constants);
    tenon_vec_deinit(&o.groups.data[i]->outputs);
  }
  tenon_vec_deinit(&o.groups);
  tenon_vec_deinit(&o.roots);
  tenon_arena_deinit(&o.arena);
  return status;
}
