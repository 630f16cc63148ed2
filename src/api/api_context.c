// api/api_context.c - contexts with the operator sets of this build, and
// plugins from files. The rest of tenon_context_* needs no more than reg/.
#include "ir/rule.h"
#include "pass/pass.h"
#include "plug/load.h"
#include "plug/load_yaml.h"

static tenon_status add_builtin(tenon_context *cx) {
  const tenon_plugin_origin builtin = {.is_builtin = true};
  for (const tenon_plugin *const *p = tenon_builtin_plugins; *p; ++p)
    TENON_TRY(tenon_context_add_plugin(cx, *p, &builtin));
  return TENON_OK;
}

// The options have been admitted already; members beyond theirs are absent.
static tenon_status customise(const tenon_context_options *given,
                              tenon_context *cx) {
  tenon_context_options o = {.struct_size = sizeof o};
  if (given && !tenon_admit(&o, sizeof o, given)) return TENON_BAD_ARGUMENT;
  for (const tenon_customiser *c = o.customisers; c && c->customise; ++c)
    TENON_TRY(c->customise(c->self, cx));
  return TENON_OK;
}

static bool is_pass(const char *name) {
  return tenon_pass_find(name) != NULL;
}

tenon_status tenon_context_create(const tenon_context_options *options,
                                  tenon_context **out) {
  TENON_TRY(tenon_context_init(options, out));
  (*out)->rules = &tenon_rule_texts;
  (*out)->is_pass = is_pass;
  tenon_status status = add_builtin(*out);
  if (status == TENON_OK) status = customise(options, *out);
  if (status == TENON_OK) return TENON_OK;
  tenon_context_release(*out);
  *out = NULL;
  return status;
}

tenon_status tenon_context_load(tenon_context *cx, const char *path) {
  return tenon_plug_load(cx, path);
}

tenon_status tenon_context_bindings(tenon_context *cx, const char *path,
                                    tenon_write_fn *write, void *self) {
  return tenon_plug_glue(cx, path, write, self);
}
