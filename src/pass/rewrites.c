// How: a node that was replaced leaves new nodes in its place; the walk goes
// back to the one before and so meets them next. Rewrites that feed each other
// for ever are stopped by a budget that no sound set of lowerings comes near;
// the last that differ are named, with their owners.
#include "pass/rewrites.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "reg/ordered.h"

// Lowerings that replaced something last, each once, the last one first.
enum { RECENT = 3 };
typedef struct recent {
  const tenon_lowering *lowering;
  const char *op;
} recent;

typedef struct driver {
  tenon_module *m;
  const char *pass;
  const tenon_choice *choice;
  bool (*skip)(void *self, const tenon_node *n);
  tenon_admits_fn *admits;
  void *self;
  tenon_lower_fn *only;  // of a plugin's pass; else null
  const tenon_owner *owner;
  const void *user;
  const char *always;  // a pass whose lowerings are tried at any node, first
  uint64_t budget;
  recent recent[RECENT];
  bool is_replaced;  // the pass stands for a built-in one, whose rewrites rest
} driver;

static bool is_inexact(const tenon_lowering *l) {
  return (l->desc->flags & TENON_LOWERING_INEXACT) != 0;
}

static bool pass_list_is_for(const driver *d, const tenon_lowering *l,
                             const char *pass) {
  const char *wanted = l->desc->pass ? l->desc->pass : "lower";
  if (is_inexact(l) && !d->choice->allows_inexact) return false;
  if (d->is_replaced && l->owner->is_builtin) return false;
  return strcmp(wanted, pass) == 0;
}

// Says of a lowering that has replaced a node, which is gone, that it changed
// numbers; `before` tells where the node was.
static tenon_status note_inexact(const driver *d, const tenon_lowering *l,
                                 const tenon_node *like) {
  if (!is_inexact(l) || !d->choice->findings) return TENON_OK;
  return tenon_findings_inexact(d->choice->findings, like, l->desc->name,
                                l->owner->name)
             ? TENON_OK
             : tenon_fail_memory(&d->m->report, "listing lowerings");
}

static void pass_list_remember(driver *d, const tenon_lowering *l,
                               const tenon_op *op) {
  uint32_t i = 0;
  while (i + 1 < RECENT && d->recent[i].lowering != l)
    ++i;
  memmove(d->recent + 1, d->recent, i * sizeof *d->recent);
  d->recent[0].lowering = l;
  d->recent[0].op = op->name;
}

static tenon_status try_node(driver *d, tenon_node *n, const char *pass,
                             bool *replaced) {
  tenon_rewrite_outcome outcome = TENON_REWRITE_DECLINED;
  *replaced = false;
  if (d->only) {
    TENON_TRY(
        tenon_rewrite_node(n, d->only, d->user, d->owner, d->pass, &outcome));
    *replaced = outcome == TENON_REWRITE_REPLACED;
    return TENON_OK;
  }
  const tenon_node like = *n;  // the node itself goes
  char held[TENON_REFUSAL_SIZE];
  tenon_findings *f = d->choice->findings;
  for (uint32_t i = 0; i < like.op->n_lowerings; ++i) {
    const tenon_lowering *l = like.op->lowerings[i];
    if (!pass_list_is_for(d, l, pass)) continue;
    TENON_TRY(tenon_rewrite_node_if(n, l->desc->lower, l->desc->user, l->owner,
                                    l->desc->name, d->admits, d->self,
                                    f ? held : NULL, &outcome));
    if (f && !tenon_findings_tried(f, l, outcome != TENON_REWRITE_DECLINED))
      return tenon_fail_memory(&d->m->report, "listing lowerings");
    if (outcome == TENON_REWRITE_REFUSED)
      return tenon_findings_refuse(f, n, held)
                 ? TENON_OK
                 : tenon_fail_memory(&d->m->report, "listing refusals");
    if (outcome == TENON_REWRITE_REPLACED) {
      *replaced = true;
      pass_list_remember(d, l, like.op);
      return note_inexact(d, l, &like);
    }
  }
  return TENON_OK;
}

static tenon_status pass_list_spend(driver *d, const tenon_node *n) {
  char texts[RECENT][192];
  tenon_diag notes[RECENT] = {{0}};
  uint32_t count = 0;
  if (d->budget-- > 0) return TENON_OK;
  for (; count < RECENT && d->recent[count].lowering; ++count) {
    const recent *r = &d->recent[count];
    const char *name = r->lowering->desc->name;
    snprintf(texts[count], sizeof texts[count],
             "lowering%s%s%s of plugin '%s' replaced '%s'", name ? " '" : "",
             name ? name : "", name ? "'" : "", r->lowering->owner->name,
             r->op);
    notes[count].severity = TENON_NOTE;
    notes[count].message = texts[count];
    if (count > 0) notes[count - 1].next_note = &notes[count];
  }
  return tenon_fail_notes(&d->m->report, TENON_BAD_PLUGIN, "pass-endless",
                          tenon_node_place(n), count > 0 ? notes : NULL,
                          "rewrites of pass '%s' do not come to an end; the "
                          "last was of '%s'",
                          d->pass, tenon_node_name(n));
}

// Depth is bounded by the verifier's limit on nested regions.
static tenon_status pass_list_walk(driver *d, tenon_graph *g) {
  tenon_node *n = g->first;
  while (n) {
    tenon_node *before = n->previous;
    bool replaced = false;
    if (d->always && n->op->ordered)
      TENON_TRY(try_node(d, n, d->always, &replaced));
    if (!replaced && (!d->skip || !d->skip(d->self, n))) {
      TENON_TRY(pass_list_spend(d, n));
      TENON_TRY(try_node(d, n, d->pass, &replaced));
    }
    if (replaced && (d->only == NULL)) {
      n = before ? before->next : g->first;
      continue;
    }
    tenon_node *next = replaced ? (before ? before->next : g->first) : n->next;
    if (!replaced)
      for (uint32_t r = 0; r < n->n_regions; ++r)
        TENON_TRY(pass_list_walk(d, n->regions[r]));
    n = next;
  }
  return TENON_OK;
}

static tenon_status pass_list_run(driver *d) {
  d->budget = 10000 + 200 * (uint64_t)d->m->n_nodes;
  for (size_t i = 0; i < d->m->functions.count; ++i)
    TENON_TRY(pass_list_walk(d, d->m->functions.data[i]));
  return TENON_OK;
}

tenon_status tenon_rewrites_apply(tenon_module *m, const char *pass,
                                  const tenon_choice *choice,
                                  bool (*skip)(void *self, const tenon_node *n),
                                  tenon_admits_fn *admits, void *self) {
  driver d = {0};
  d.m = m;
  d.pass = pass;
  d.choice = choice;
  d.skip = skip;
  d.admits = admits;
  d.self = self;
  // A kernel for tensors as they lie there goes before one that fits, too.
  if (strcmp(pass, "lower") == 0) d.always = TENON_ORDERED_THERE;
  return pass_list_run(&d);
}

tenon_status tenon_rewrites_apply_to(
    tenon_graph *g, const char *pass, const tenon_choice *choice,
    bool (*skip)(void *self, const tenon_node *n), void *self) {
  driver d = {0};
  d.m = g->module;
  d.pass = pass;
  d.choice = choice;
  d.skip = skip;
  d.self = self;
  d.budget = 10000 + 200 * (uint64_t)g->module->n_nodes;
  return pass_list_walk(&d, g);
}

bool tenon_pass_option(const tenon_pass_run *run, const char *key, char *out,
                       size_t size) {
  tenon_text rest = tenon_text_of(run->options), piece;
  size_t n = strlen(key);
  while (run->options && tenon_text_next(&rest, ' ', &piece)) {
    if (piece.size <= n || memcmp(piece.data, key, n) != 0 ||
        piece.data[n] != '=' || piece.size - n - 1 >= size)
      continue;
    memcpy(out, piece.data + n + 1, piece.size - n - 1);
    out[piece.size - n - 1] = 0;
    return true;
  }
  return false;
}

// --- passes of plugins ------------------------------------------------------

typedef struct plugin_run {
  tenon_pass_context base;  // first: what the plugin holds
  tenon_module *m;
  const tenon_pass_desc *desc;
  const tenon_owner *owner;
  const tenon_pass_run *run;
  char option[256];
} plugin_run;

static tenon_status pass_list_each(tenon_pass_context *c,
                                   tenon_lower_fn *rewrite) {
  plugin_run *p = (plugin_run *)c;
  driver d = {0};
  d.m = p->m;
  d.pass = p->desc->name;
  d.only = rewrite;
  d.owner = p->owner;
  d.user = p->desc->user;
  return pass_list_run(&d);
}

static const char *option(const tenon_pass_context *c, const char *key) {
  // The buffer belongs to the run, not to the caller's view of it.
  plugin_run *p = (plugin_run *)(uintptr_t)c;
  tenon_pass_run standard = {NULL, p->desc->options};
  bool is_there =
      tenon_pass_option(p->run, key, p->option, sizeof p->option) ||
      tenon_pass_option(&standard, key, p->option, sizeof p->option);
  return is_there ? p->option : NULL;
}

static tenon_status pass_list_fail(tenon_pass_context *c, const char *fmt,
                                   ...) {
  plugin_run *p = (plugin_run *)c;
  tenon_buf text;
  va_list args;
  tenon_buf_init(&text, p->m->cx->allocator);
  va_start(args, fmt);
  tenon_buf_vformat(&text, fmt, args);
  va_end(args);
  tenon_status status =
      tenon_fail(&p->m->report, TENON_UNSUPPORTED, "pass-fail", NULL,
                 "pass '%s' of plugin '%s': %s", p->desc->name, p->owner->name,
                 text.data ? text.data : "");
  tenon_buf_deinit(&text);
  return status;
}

tenon_status tenon_pass_run_plugin(tenon_module *m, const tenon_pass_desc *desc,
                                   const tenon_owner *owner,
                                   const tenon_pass_run *run_) {
  static const tenon_pass_api api = {sizeof api, 0, pass_list_each, option,
                                     pass_list_fail};
  plugin_run p = {{&api}, m, desc, owner, run_, {0}};
  if (desc->run) return desc->run(&p.base);
  // What is dead goes first: its uses would look as if a value were wanted
  // twice. What a rewrite has left goes, too.
  TENON_TRY(tenon_pass_dce(m, run_));
  driver d = {0};
  d.m = m;
  d.pass = desc->name;
  d.choice = run_->choice;
  d.is_replaced = (desc->flags & TENON_PASS_OVERRIDES) != 0;
  TENON_TRY(pass_list_run(&d));
  return tenon_pass_dce(m, run_);
}
