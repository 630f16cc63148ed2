// How: the string is cut at commas outside of brackets; each name is looked up,
// traced, run, verified. A module whose pass failed is marked broken: it may
// still be printed.
#include <string.h>

#include "ir/verify/verify.h"
#include "ir/written.h"
#include "pass/pass.h"
#include "pass/rewrites.h"

// One "name" or "name[options]" of the pipeline.
#define ITEM_SIZE 256
typedef struct item {
  char name[ITEM_SIZE];
  char options[ITEM_SIZE];
  bool has_options;
} item;

static tenon_status pipeline_wrong(const tenon_module *m, const char *what,
                                   const char *text) {
  return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "pass-pipeline", NULL,
                    "%s in the pipeline at '%s'; expected names with commas, "
                    "options in brackets: 'lower[all=acme::gain],dce'",
                    what, text);
}

static tenon_status pipeline_next_item(const tenon_module *m, const char **rest,
                                       item *out, bool *found) {
  const char *p = *rest;
  while (*p == ',' || *p == ' ')
    ++p;
  *found = *p != 0;
  if (!*found) return TENON_OK;
  size_t size = strcspn(p, ",[ ");
  if (size == 0 || size >= ITEM_SIZE) return pipeline_wrong(m, "a bad name", p);
  memcpy(out->name, p, size);
  out->name[size] = 0;
  p += size;
  out->has_options = *p == '[';
  out->options[0] = 0;
  if (out->has_options) {
    size = strcspn(++p, "]");
    if (p[size] != ']' || size >= ITEM_SIZE)
      return pipeline_wrong(m, "a bracket that is not closed", p);
    memcpy(out->options, p, size);
    out->options[size] = 0;
    p += size + 1;
  }
  *rest = p;
  return TENON_OK;
}

// Passes of the library, and patterns, see values only: of two equal nodes
// around a write they would make one.
static tenon_status check_values(const tenon_module *m, const char *pass) {
  const tenon_node *n = NULL;
  for (size_t i = 0; !n && i < m->functions.count; ++i)
    n = tenon_written_find(m->functions.data[i]);
  if (!n) return TENON_OK;
  return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "pass-written",
                    tenon_locs_place(&m->locs, n->loc),
                    "'%s' writes an operand in place, which pass '%s' does not "
                    "see; name 'functional' before it",
                    tenon_node_name(n), pass);
}

static tenon_status run_one(tenon_module *m, const item *it,
                            const tenon_choice *choice) {
  tenon_pass_run run = {choice, it->has_options ? it->options : NULL};
  const tenon_pass *pass =
      tenon_pass_is_native(m->cx, it->name) ? tenon_pass_find(it->name) : NULL;
  const tenon_extension *e =
      pass ? NULL : tenon_registry_find(m->cx, TENON_REGISTRY_PASSES, it->name);
  if (!pass && !e) return tenon_pass_unknown(m->cx, it->name);
  const tenon_pass_desc *desc = e ? e->desc : NULL;
  TENON_TRY(tenon_pass_check_options(m->cx, it->name, run.options,
                                     desc ? desc->options : pass->options));
  bool sees_writes = e ? desc->run != NULL : pass->run == tenon_pass_functional;
  if (!sees_writes) TENON_TRY(check_values(m, it->name));
  return e ? tenon_pass_run_plugin(m, desc, e->owner, &run)
           : pass->run(m, &run);
}

tenon_status tenon_pass_pipeline(tenon_module *m, const char *pipeline,
                                 const tenon_choice *choice,
                                 tenon_trace_fn *trace, void *self) {
  const char *rest = pipeline;
  for (;;) {
    item it;
    bool found = false;
    TENON_TRY(pipeline_next_item(m, &rest, &it, &found));
    if (!found) return TENON_OK;
    if (trace) TENON_TRY(trace(self, m, it.name, false));
    tenon_status status = run_one(m, &it, choice);
    if (status == TENON_OK) status = tenon_verify_module(m, it.name);
    if (status != TENON_OK) {
      m->is_broken = true;
      return status;
    }
    if (trace) TENON_TRY(trace(self, m, it.name, true));
  }
}
