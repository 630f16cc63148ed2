// How: tenon.h on top of everything. What a function of tenon.h needs from one
// layer alone is defined in that layer; what joins several is here.
#include <string.h>

#include "base/label.h"
#include "base/text.h"
#include "ir/graph.h"
#include "ir/initial.h"
#include "ir/keep.h"
#include "ir/rename.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "pass/outline/outline.h"
#include "pass/pass.h"
#include "plan/banks/ports.h"
#include "plan/plan.h"
#include "read/read.h"
#include "tenon/pack.h"
#include "tenon/tenon.h"

const char *tenon_version(void) {
  return TENON_VERSION;
}

tenon_status tenon_module_read(tenon_context *cx, const void *data, size_t size,
                               const tenon_read_options *options,
                               tenon_module **out) {
  return tenon_read_module(cx, data, size, options, out);
}

void tenon_module_destroy(tenon_module *m) {
  tenon_module_release(m);
}

tenon_status tenon_module_set_target(tenon_module *m, const char *target) {
  tenon_target found;
  if (m->target && strcmp(m->target, target) != 0)
    return tenon_fail(&m->report, TENON_CONFLICT, "target-set", NULL,
                      "the module is compiled for '%s' already; '%s' needs one "
                      "of its own",
                      m->target, target);
  TENON_TRY(tenon_target_find(m->cx, target, &found));
  m->target = tenon_arena_string(&m->arena, target);
  return m->target ? TENON_OK
                   : tenon_fail_memory(&m->report, "setting the target");
}

const char *tenon_default_pipeline(void) {
  return tenon_pass_default;
}

bool tenon_builtin_pass(size_t i, tenon_pass_info *out) {
  const tenon_pass *p = tenon_pass_at(i);
  if (!p) return false;
  *out = (tenon_pass_info){p->name, p->doc, p->options, p->is_optional,
                           p->is_default};
  return true;
}

tenon_status tenon_context_pipeline(const tenon_context *cx,
                                    const tenon_pipeline_options *options,
                                    tenon_write_fn *write, void *self) {
  tenon_pipeline_options o;
  tenon_buf out;
  memset(&o, 0, sizeof o);
  if (options && !tenon_admit(&o, sizeof o, options))
    return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "options-size", NULL,
                      "options of %u bytes use members past our %zu",
                      (unsigned)options->struct_size, sizeof o);
  tenon_buf_init(&out, cx->allocator);
  tenon_status status = tenon_pass_order(cx, &o, &out);
  if (status == TENON_OK) status = write(self, NULL, out.data, out.size);
  tenon_buf_deinit(&out);
  return status;
}

static tenon_status check_usable(const tenon_module *m) {
  if (!m->is_broken) return TENON_OK;
  return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "module-broken", NULL,
                    "a transformation of '%s' has failed: it can be printed "
                    "and destroyed, nothing else",
                    m->name);
}

tenon_status tenon_module_rename(tenon_module *m, const char *entry,
                                 uint32_t kind, const char *const *names,
                                 size_t n) {
  TENON_TRY(check_usable(m));
  return tenon_module_set_names(m, entry, kind, names, n);
}

tenon_status tenon_module_set_state(tenon_module *m, const char *name,
                                    const tenon_tensor *value) {
  TENON_TRY(check_usable(m));
  return tenon_module_give(m, name, value);
}

static tenon_status unknown_entry(const tenon_module *m, const char *id,
                                  const char *name) {
  tenon_nearest near;
  tenon_labels all = {.size = 0};
  tenon_nearest_init(&near, name);
  for (size_t i = 0; i < m->entries.count; ++i) {
    tenon_nearest_feed(&near, m->entries.data[i].name);
    tenon_labels_add(&all, m->entries.data[i].name);
  }
  return tenon_fail(&m->report, TENON_BAD_ARGUMENT, id, NULL,
                    "'%s' has no entry point '%s'%s%s%s; there %s %s", m->name,
                    name, TENON_DID_YOU_MEAN(near.best),
                    all.count == 1 ? "is" : "are", tenon_labels_text(&all));
}

static bool has_entry(const tenon_module *m, const char *name) {
  for (size_t i = 0; i < m->entries.count; ++i)
    if (strcmp(m->entries.data[i].name, name) == 0) return true;
  return false;
}

tenon_status tenon_module_keep(tenon_module *m, const char *entry) {
  TENON_TRY(check_usable(m));
  if (!has_entry(m, entry)) return unknown_entry(m, "names-entry", entry);
  return tenon_module_keep_entry(m, entry)
             ? TENON_OK
             : tenon_fail_memory(&m->report, "keeping one entry point");
}

static tenon_status transform(tenon_module *m, const char *pipeline,
                              const tenon_choice *choice, tenon_trace_fn *trace,
                              void *self) {
  TENON_TRY(check_usable(m));
  return tenon_pass_pipeline(m, pipeline, choice, trace, self);
}

tenon_status tenon_module_transform(tenon_module *m, const char *pipeline,
                                    tenon_trace_fn *trace, void *self) {
  tenon_target target;
  TENON_TRY(tenon_target_find(m->cx, m->target, &target));
  tenon_choice choice = {.target = &target};
  return transform(m, pipeline, &choice, trace, self);
}

tenon_status tenon_module_outline(tenon_module *m,
                                  const tenon_outline_options *options) {
  TENON_TRY(check_usable(m));
  tenon_status status = tenon_outline(m, options);
  if (status == TENON_OK) status = tenon_verify_module(m, "outline");
  m->is_broken = status != TENON_OK;
  return status;
}

// --- compiling --------------------------------------------------------------

typedef struct compilation {
  const tenon_compile_options *options;
  tenon_target target;
  tenon_choice choice;
  TENON_VEC(tenon_plan_entry) entries;
  bool has_several;  // modules
} compilation;

// Of the states of a module, where there are several modules.
static const char *prefix_of(const compilation *c, const tenon_entry *e) {
  for (size_t i = 0; i < c->entries.count; ++i)
    if (c->entries.data[i].module == e->module)
      return c->entries.data[i].prefix;
  if (!c->has_several) return NULL;
  return e->name ? e->name : e->module->entries.data[0].name;
}

// One step of each output that lowerings changed; null: there were none.
static tenon_status find_steps(const tenon_findings *f, tenon_module *m,
                               const tenon_entry_point *point,
                               const double **out) {
  const uint32_t n = tenon_entry_outputs(point);
  *out = NULL;
  if (f->inexact.count == 0 || n == 0) return TENON_OK;
  double *steps = tenon_arena_array(&m->arena, double, n);
  if (!steps) return tenon_fail_memory(&m->report, "compiling");
  for (uint32_t i = 0; i < n; ++i)
    steps[i] = tenon_findings_step(f, m, point->graph->end->in[i].value);
  *out = steps;
  return TENON_OK;
}

static tenon_status add_entries(compilation *c, const tenon_entry *e,
                                const tenon_findings *findings) {
  tenon_module *m = e->module;
  bool any = false, is_alone = e->function || m->entries.count == 1;
  for (size_t i = 0; i < m->entries.count; ++i) {
    const tenon_entry_point *point = &m->entries.data[i];
    if (e->function && strcmp(e->function, point->name) != 0) continue;
    tenon_plan_entry entry = {point->name, point, m, prefix_of(c, e), NULL};
    TENON_TRY(find_steps(findings, m, point, &entry.steps));
    if (e->name) {
      tenon_buf name;
      tenon_buf_init(&name, m->cx->allocator);
      tenon_buf_text(&name, e->name);
      if (!is_alone) tenon_buf_format(&name, ".%s", point->name);
      entry.name =
          name.failed ? NULL : tenon_arena_string(&m->arena, name.data);
      tenon_buf_deinit(&name);
    }
    if (!entry.name || !tenon_vec_push(&c->entries, entry))
      return tenon_fail_memory(&m->report, "compiling");
    any = true;
  }
  if (any) return TENON_OK;
  return e->function ? unknown_entry(m, "compile-entry", e->function)
                     : tenon_fail(&m->report, TENON_BAD_MODEL, "compile-entry",
                                  NULL, "'%s' has no entry point", m->name);
}

static tenon_status apply_pipeline(const compilation *c, tenon_module *m) {
  const tenon_compile_options *o = c->options;
  tenon_buf order;
  tenon_status status = TENON_OK;
  tenon_buf_init(&order, m->cx->allocator);
  if (!o->pipeline) status = tenon_pass_order(m->cx, NULL, &order);
  if (status == TENON_OK)
    status = transform(m, o->pipeline ? o->pipeline : order.data, &c->choice,
                       o->trace, o->trace_self);
  tenon_buf_deinit(&order);
  return status;
}

static tenon_status compile_entry(compilation *c, const tenon_entry *e) {
  tenon_module *m = e->module;
  tenon_findings findings;
  TENON_TRY(tenon_ports_wish(m, c->options->io));
  m->keeps_apart = (c->options->flags & TENON_COMPILE_NO_OVERLAP) != 0;
  tenon_findings_init(&findings, m->cx->allocator);
  c->choice.findings = &findings;
  tenon_status status = apply_pipeline(c, m);
  if (status == TENON_OK) status = tenon_pass_check_covered(m, &c->choice);
  c->choice.findings = NULL;
  if (status == TENON_OK) status = add_entries(c, e, &findings);
  tenon_findings_deinit(&findings);
  return status;
}

static tenon_status api_check_entries(const tenon_entry *entries, size_t n) {
  const tenon_module *m = entries[0].module;
  for (size_t i = 1; i < n; ++i) {
    const char *a = m->target ? m->target : "host";
    const char *b =
        entries[i].module->target ? entries[i].module->target : "host";
    if (entries[i].module->cx != m->cx || strcmp(a, b) != 0)
      return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "compile-mixed", NULL,
                        "the modules of one program have one context and one "
                        "target");
  }
  return TENON_OK;
}

static tenon_status api_check_names(const compilation *c) {
  for (size_t i = 0; i < c->entries.count; ++i)
    for (size_t j = 0; j < i; ++j)
      if (strcmp(c->entries.data[i].name, c->entries.data[j].name) == 0)
        return tenon_fail(&c->entries.data[i].module->report, TENON_CONFLICT,
                          "compile-duplicate", NULL,
                          "two entry points are called '%s'",
                          c->entries.data[i].name);
  return TENON_OK;
}

static bool have_state(const tenon_entry *entries, size_t n, const char *name) {
  for (size_t i = 0; i < n; ++i)
    if (tenon_module_find_state(entries[i].module, name) >= 0) return true;
  return false;
}

// A value that was given to a state which no module has come to have.
static tenon_status check_weights_given(const tenon_entry *entries, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const tenon_module *m = entries[i].module;
    for (size_t k = 0; k < m->given.count; ++k) {
      const char *name = m->given.data[k].name;
      if (have_state(entries, n, name)) continue;
      return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "module-state-unknown",
                        NULL, "'%s' has no state '%s', which was given a value",
                        m->name, name);
    }
  }
  return TENON_OK;
}

tenon_status tenon_program_compile(const tenon_entry *entries, size_t n,
                                   const tenon_compile_options *options,
                                   tenon_program **out) {
  tenon_compile_options all = {0};
  compilation c = {0};
  *out = NULL;
  const uint32_t known = TENON_COMPILE_REFERENCE | TENON_COMPILE_INEXACT |
                         TENON_COMPILE_QUICK_PLAN | TENON_COMPILE_KEEP_ORDER |
                         TENON_COMPILE_SAVABLE | TENON_COMPILE_NO_OVERLAP;
  if (options &&
      (!tenon_admit(&all, sizeof all, options) || (all.flags & ~known) != 0))
    return tenon_fail(&entries[0].module->report, TENON_BAD_ARGUMENT,
                      "options-size", NULL,
                      "options of %u bytes with flags 0x%x use what this "
                      "library lacks",
                      (unsigned)options->struct_size, (unsigned)options->flags);
  TENON_TRY(api_check_entries(entries, n));
  const tenon_module *first = entries[0].module;
  c.options = &all;
  TENON_TRY(tenon_target_find(first->cx, first->target, &c.target));
  c.choice.target = &c.target;
  c.choice.reference_only = (all.flags & TENON_COMPILE_REFERENCE) != 0;
  c.choice.allows_inexact = (all.flags & TENON_COMPILE_INEXACT) != 0;
  c.choice.forced = all.kernels;
  TENON_TRY(tenon_choose_check(first->cx, all.kernels));
  tenon_vec_init(&c.entries, first->cx->allocator);
  tenon_status status = TENON_OK;
  for (size_t i = 0; i < n; ++i)
    c.has_several |= entries[i].module != first;
  // What one module has that is not supported does not hide what the next has.
  for (size_t i = 0; i < n; ++i) {
    tenon_status one = compile_entry(&c, &entries[i]);
    if (status == TENON_OK) status = one;
    if (one != TENON_OK && one != TENON_UNSUPPORTED) break;
  }
  if (status == TENON_OK) status = api_check_names(&c);
  if (status == TENON_OK) status = check_weights_given(entries, n);
  // Stripes were chosen by what they pack to: little is left to be found.
  uint64_t effort = all.plan_effort;
  for (size_t i = 0; i < c.entries.count && !effort; ++i)
    if (c.entries.data[i].module->is_striped) effort = TENON_PACK_EFFORT / 15;
  tenon_plan_options plan = {
      .effort = effort,
      .is_quick = (all.flags & TENON_COMPILE_QUICK_PLAN) != 0,
      .memories = all.memories,
      .places = all.places,
      .keeps_order = (all.flags & TENON_COMPILE_KEEP_ORDER) != 0,
      .shared_states = all.shared_states,
      .is_savable = (all.flags & TENON_COMPILE_SAVABLE) != 0};
  if (status == TENON_OK)
    status = tenon_plan_program(c.entries.data, c.entries.count, &c.choice,
                                &plan, out);
  if (status == TENON_OK)
    tenon_choose_tell_unused(first->cx, all.kernels, *out);
  tenon_vec_deinit(&c.entries);
  return status;
}
