// How: the operators of the file are listed first; then the module is made
// functional and lowered; what stands there afterwards has the places of what
// it replaced, and so each operator of the file finds what became of it.
#include <string.h>

#include "api/explain_groups.h"
#include "api/unused.h"
#include "base/map.h"
#include "base/put.h"
#include "ir/graph.h"
#include "pass/pass.h"
#include "tenon/tenon.h"

typedef struct origin {
  const char *op;  // in the file
  tenon_loc loc;
  tenon_buf becomes;
  bool is_unsupported;
  bool is_left;  // not covered when all passes have run
  bool is_known;
} origin;

typedef struct explainer {
  tenon_module *m;
  tenon_choice choice;
  tenon_target target;
  tenon_arena scratch;
  TENON_VEC(origin) origins;
  tenon_map by_loc;  // place to index of origins
  tenon_map used;    // names of operators, kernels and lowerings in use
  tenon_findings findings;
  size_t unsupported;
  tenon_buf groups;
} explainer;

static tenon_status explain_no_memory(const explainer *x) {
  return tenon_fail_memory(&x->m->report, "explaining");
}

// The two computations of a composite are told of with it.
static bool is_in_composite(const tenon_node *n) {
  for (const tenon_graph *g = n->graph; g->parent; g = g->parent->graph)
    if (tenon_op_is(g->parent->op, "core::composite")) return true;
  return false;
}

static tenon_status list_node(void *self, tenon_node *n) {
  explainer *x = (explainer *)self;
  if (is_in_composite(n))
    return tenon_map_put_text(&x->used, n->op->name, 1, NULL)
               ? TENON_OK
               : explain_no_memory(x);
  origin o = {
      .op = n->op->name, .loc = n->loc, .is_known = n->op->desc != NULL};
  tenon_buf_init(&o.becomes, x->m->cx->allocator);
  if (!tenon_map_put_text(&x->used, n->op->name, 1, NULL) ||
      !tenon_map_put(&x->by_loc, n->loc, x->origins.count, NULL) ||
      !tenon_vec_push(&x->origins, o))
    return explain_no_memory(x);
  return TENON_OK;
}

static origin *find_origin(explainer *x, tenon_loc loc) {
  uint64_t *slot = tenon_map_find(&x->by_loc, loc);
  return slot ? &x->origins.data[*slot] : NULL;
}

typedef tenon_status origin_fn(explainer *x, const tenon_node *n, origin *o);

// What stands for several operators has the places of all.
static tenon_status each_origin(explainer *x, const tenon_node *n,
                                origin_fn *call) {
  const tenon_loc_entry *e = &x->m->locs.entries[n->loc];
  origin *whole = find_origin(x, n->loc);
  if (whole) return call(x, n, whole);
  for (uint32_t i = 0; i < e->n_parts; ++i) {
    origin *o = find_origin(x, e->parts[i]);
    if (o) TENON_TRY(call(x, n, o));
  }
  return TENON_OK;
}

static tenon_status match_at(explainer *x, const tenon_node *n, origin *o) {
  const tenon_kernel *k = tenon_choose_is_structural(n->op)
                              ? NULL
                              : tenon_choose(&x->choice, n, &x->scratch, NULL);
  if (o->becomes.size) tenon_buf_text(&o->becomes, ", ");
  if (strcmp(n->op->name, o->op) != 0)
    tenon_buf_format(&o->becomes, "%s ", n->op->name);
  if (k) {
    tenon_buf_format(&o->becomes, "[%s]", k->desc->symbol);
    if (!tenon_map_put_text(&x->used, k->desc->symbol, 1, NULL))
      return explain_no_memory(x);
  } else if (!tenon_choose_is_structural(n->op)) {
    o->is_unsupported = true;
    tenon_pass_explain_uncovered(&x->choice, n, &x->scratch, &o->becomes);
  } else {
    tenon_buf_text(&o->becomes, "structure: needs no kernel");
  }
  return TENON_OK;
}

static tenon_status explain_match_node(void *self, tenon_node *n) {
  return each_origin((explainer *)self, n, match_at);
}

static tenon_status leave_at(explainer *x, const tenon_node *n, origin *o) {
  (void)x;
  (void)n;
  o->is_left = true;
  return TENON_OK;
}

static tenon_status leave_node(void *self, tenon_node *n) {
  explainer *x = (explainer *)self;
  bool is_covered = tenon_choose_is_structural(n->op) ||
                    tenon_choose(&x->choice, n, &x->scratch, NULL);
  return is_covered ? TENON_OK : each_origin(x, n, leave_at);
}

// --- printing ---------------------------------------------------------------

static const char *where_of(const explainer *x, const origin *o) {
  const tenon_place *p = tenon_locs_place(&x->m->locs, o->loc);
  return p->where ? p->where : "";
}

// Operators of one name and one fate make one row.
static bool is_first_alike(const explainer *x, size_t i, size_t *count) {
  const origin *o = &x->origins.data[i];
  *count = 0;
  for (size_t j = 0; j < x->origins.count; ++j) {
    const origin *p = &x->origins.data[j];
    bool alike =
        strcmp(o->op, p->op) == 0 && o->becomes.size == p->becomes.size &&
        (o->becomes.size == 0 ||
         memcmp(o->becomes.data, p->becomes.data, o->becomes.size) == 0);
    if (!alike) continue;
    if (j < i) return false;
    ++*count;
  }
  return true;
}

static const char *fate(const origin *o) {
  if (o->becomes.size) return o->becomes.data;
  return strcmp(o->op, "core::composite") == 0
             ? "what it is made of: no kernel or lowering covers its operator"
             : "nothing: folded away, dead, or a view";
}

static void text_unsupported(const explainer *x, tenon_buf *out) {
  if (x->unsupported == 0) {
    tenon_buf_text(out, "\nevery operator is supported\n");
    return;
  }
  tenon_buf_format(out, "\nnot supported: %zu\n", x->unsupported);
  for (size_t i = 0; i < x->origins.count; ++i) {
    const origin *o = &x->origins.data[i];
    if (!o->is_unsupported) continue;
    tenon_put(out, "  $  '$': $\n", where_of(x, o), tenon_as_shown(o->op),
              fate(o));
  }
  tenon_buf_text(out,
                 "give an operator a kernel or a lowering in a plugin "
                 "(--plugin); 'tenon new NAME' writes one to start from\n");
}

// The names of the file's operators, each once, for what was not used.
static void each_unused(const explainer *x, tenon_buf *out, bool is_json) {
  tenon_arena scratch;
  tenon_unused u = {.cx = x->m->cx,
                    .used = &x->used,
                    .findings = &x->findings,
                    .is_json = is_json};
  tenon_arena_init(&scratch, x->m->cx->allocator);
  const char **ops =
      tenon_arena_array(&scratch, const char *, x->origins.count);
  if (!ops) out->failed = true;
  for (size_t i = 0; ops && i < x->origins.count; ++i) {
    bool is_new = true;
    for (size_t k = 0; k < u.n_ops && is_new; ++k)
      is_new = strcmp(ops[k], x->origins.data[i].op) != 0;
    if (is_new) ops[u.n_ops++] = x->origins.data[i].op;
  }
  u.ops = ops;
  if (ops) tenon_unused_print(&u, out);
  tenon_arena_deinit(&scratch);
}

// The operator and where it stands, for what follows; the first has the title.
static void begin_finding(const explainer *x, const tenon_finding *f, size_t i,
                          const char *title, bool is_json, tenon_buf *out) {
  const tenon_place *p = tenon_locs_place(&x->m->locs, f->loc);
  const char *where = p->where ? p->where : "";
  if (is_json) {
    tenon_put_json(out, "$$, 'place': $",
                   tenon_as_plain(i ? ", {\"op\": " : "{\"op\": "), f->op,
                   where);
    return;
  }
  if (i == 0) tenon_buf_format(out, "\n%s\n", title);
  tenon_buf_format(out, "  %s  '%s': ", where, f->op);
}

// What the user allowed to change numbers, each lowering once.
static void each_inexact(const explainer *x, tenon_buf *out, bool is_json) {
  for (size_t i = 0; i < x->findings.inexact.count; ++i) {
    const tenon_finding *f = &x->findings.inexact.data[i];
    begin_finding(x, f, i, "changes numbers", is_json, out);
    if (is_json) {
      tenon_put_json(out, ", 'lowering': $, 'plugin': $}", f->text, f->owner);
    } else {
      tenon_buf_format(out, "lowering '%s' of plugin %s\n", f->text, f->owner);
    }
  }
}

// Layers that compute fewer channels than the model has.
static void each_channels(const explainer *x, tenon_buf *out, bool is_json) {
  for (size_t i = 0; i < x->findings.channels.count; ++i) {
    const tenon_finding *f = &x->findings.channels.data[i];
    begin_finding(x, f, i, "channels that need not be computed", is_json, out);
    if (is_json) {
      tenon_put_json(out, ", 'channels': $}", f->text);
    } else {
      tenon_buf_format(out, "%s\n", f->text);
    }
  }
}

static void explain_print_text(const explainer *x, tenon_buf *out) {
  tenon_put(out, "$ for $\n", tenon_as_shown(x->m->name), x->target.name);
  for (size_t i = 0; i < x->origins.count; ++i) {
    const origin *o = &x->origins.data[i];
    size_t count = 0;
    if (!is_first_alike(x, i, &count)) continue;
    tenon_buf_format(out, "  %4zu  ", count);
    tenon_put(out, "$ -> $", tenon_as_shown(o->op), fate(o));
    if (!o->is_known) tenon_pass_suggest(x->m->cx, o->op, out);
    tenon_buf_char(out, '\n');
  }
  text_unsupported(x, out);
  each_inexact(x, out, false);
  each_channels(x, out, false);
  if (x->groups.size) tenon_buf_text(out, x->groups.data);
  each_unused(x, out, false);
}

static void explain_print_json(const explainer *x, tenon_buf *out) {
  tenon_put_json(
      out,
      "{\n  'version': 1,\n  'target': $,\n  'supported': $,\n  'operators': [",
      x->target.name, (bool)!x->unsupported);
  for (size_t i = 0; i < x->origins.count; ++i) {
    const origin *o = &x->origins.data[i];
    tenon_put_json(out,
                   "$\n    {'op': $, 'place': $, 'known': $, 'supported': $, "
                   "'becomes': $}",
                   tenon_as_plain(i ? "," : ""), o->op, where_of(x, o),
                   o->is_known, (bool)!o->is_unsupported, fate(o));
  }
  tenon_buf_text(out, "\n  ],\n  \"inexact\": [");
  each_inexact(x, out, true);
  tenon_buf_text(out, "],\n  \"channels\": [");
  each_channels(x, out, true);
  tenon_put_json(out,
                 "],\n"
                 "  'groups': [$],\n"
                 "  'unused': [",
                 tenon_as_plain(x->groups.size ? x->groups.data : ""));
  each_unused(x, out, true);
  tenon_buf_text(out, "]\n}\n");
}

// --- the whole --------------------------------------------------------------

// What every model goes through, and the passes of plugins: what improves it
// otherwise would only make the rows hard to find again.
static tenon_status run_plain(explainer *x) {
  static const char *const off[] = {
      "inline", "fold", "canonicalise", "fuse", "cse", "channels", "bands"};
  enum { COUNT = sizeof off / sizeof *off };
  tenon_pass_rule rules[COUNT];
  tenon_pipeline_options o = {
      .struct_size = sizeof o, .n_rules = COUNT, .rules = rules};
  tenon_buf order;
  memset(rules, 0, sizeof rules);
  for (size_t i = 0; i < COUNT; ++i)
    rules[i].name = off[i];
  tenon_buf_init(&order, x->m->cx->allocator);
  tenon_status status = tenon_pass_order(x->m->cx, &o, &order);
  if (status == TENON_OK)
    status = tenon_pass_pipeline(x->m, order.data, &x->choice, NULL, NULL);
  tenon_buf_deinit(&order);
  return status;
}

// What nothing covers may be gone when a plan is made: dead, folded, or without
// elements.
static tenon_status forget_gone(explainer *x) {
  bool is_any = false;
  for (size_t i = 0; i < x->origins.count; ++i)
    is_any |= x->origins.data[i].is_unsupported;
  if (!is_any) return TENON_OK;
  TENON_TRY(tenon_pass_pipeline(x->m, "inline,fold,canonicalise,fuse,cse,dce",
                                &x->choice, NULL, NULL));
  for (size_t i = 0; i < x->m->entries.count; ++i)
    TENON_TRY(tenon_graph_visit(x->m->entries.data[i].graph, leave_node, x));
  for (size_t i = 0; i < x->origins.count; ++i) {
    origin *o = &x->origins.data[i];
    if (!o->is_unsupported || o->is_left) continue;
    o->is_unsupported = false;
    tenon_buf_clear(&o->becomes);
  }
  return TENON_OK;
}

// What all passes together make of a model that can be compiled: the rows above
// are what its operators become on their own.
static tenon_status find_channels(explainer *x) {
  if (!tenon_pass_is_native(x->m->cx, "channels")) return TENON_OK;
  return tenon_pass_pipeline(x->m, "inline,fold,canonicalise,fuse,cse,channels",
                             &x->choice, NULL, NULL);
}

static tenon_status explain_look(explainer *x) {
  TENON_TRY(tenon_target_find(x->m->cx, x->m->target, &x->target));
  x->choice.target = &x->target;
  x->choice.findings = &x->findings;
  TENON_TRY(tenon_module_visit(x->m, list_node, x));
  TENON_TRY(run_plain(x));
  TENON_TRY(tenon_module_visit(x->m, explain_match_node, x));
  // What other passes would change has no row above; it is listed all the same.
  if (x->choice.allows_inexact)
    TENON_TRY(tenon_pass_pipeline(x->m, "inline,fold,canonicalise,fuse",
                                  &x->choice, NULL, NULL));
  TENON_TRY(forget_gone(x));
  for (size_t i = 0; i < x->origins.count; ++i) {
    if (x->origins.data[i].becomes.failed) return explain_no_memory(x);
    if (x->origins.data[i].is_unsupported) ++x->unsupported;
  }
  return x->unsupported ? TENON_OK : find_channels(x);
}

static tenon_status explain_print(const explainer *x, uint32_t format,
                                  tenon_write_fn *write, void *self) {
  tenon_buf out;
  tenon_buf_init(&out, x->m->cx->allocator);
  if (format == TENON_FORMAT_TEXT)
    explain_print_text(x, &out);
  else
    explain_print_json(x, &out);
  tenon_status status =
      out.failed ? explain_no_memory(x) : write(self, NULL, out.data, out.size);
  tenon_buf_deinit(&out);
  return status;
}

tenon_status tenon_module_explain(tenon_module *m, uint32_t format,
                                  uint32_t flags, tenon_write_fn *write,
                                  void *self) {
  explainer x = {0};
  if (format != TENON_FORMAT_TEXT && format != TENON_FORMAT_JSON)
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "explain-format", NULL,
                      "an explanation is printed as text or JSON");
  x.m = m;
  x.choice.reference_only = (flags & TENON_COMPILE_REFERENCE) != 0;
  x.choice.allows_inexact = (flags & TENON_COMPILE_INEXACT) != 0;
  tenon_findings_init(&x.findings, m->cx->allocator);
  tenon_arena_init(&x.scratch, m->cx->allocator);
  tenon_vec_init(&x.origins, m->cx->allocator);
  tenon_map_init(&x.by_loc, m->cx->allocator);
  tenon_map_init(&x.used, m->cx->allocator);
  tenon_buf_init(&x.groups, m->cx->allocator);
  tenon_status status = explain_look(&x);
  if (status == TENON_OK && !x.unsupported)
    status =
        tenon_explain_groups(m, flags, &x.groups, format == TENON_FORMAT_JSON);
  if (x.groups.failed) status = explain_no_memory(&x);
  if (status == TENON_OK) status = explain_print(&x, format, write, self);
  if (status == TENON_OK && x.unsupported)
    status = tenon_pass_check_covered(m, &x.choice);
  for (size_t i = 0; i < x.origins.count; ++i)
    tenon_buf_deinit(&x.origins.data[i].becomes);
  tenon_vec_deinit(&x.origins);
  tenon_buf_deinit(&x.groups);
  tenon_findings_deinit(&x.findings);
  tenon_map_deinit(&x.by_loc);
  tenon_map_deinit(&x.used);
  tenon_arena_deinit(&x.scratch);
  return status;
}
