// api/api_context.c - contexts with the operator sets of this build, and
// plugins from files. The rest of tenon_context_* needs no more than reg/, and
// so a program that never comes here links no operator set and no loader.
#include "ir/rule/rule.h"
#include "plug/load.h"
#include "plug/load_yaml.h"

tenon_status tenon_context_create(const tenon_context_options *options,
                                  tenon_context **out) {
  TENON_TRY(tenon_context_init(options, out));
  (*out)->rules = &tenon_rule_texts;
  tenon_status status = tenon_context_fill(*out, options, tenon_builtin_plugin);
  if (status == TENON_OK) return TENON_OK;
  tenon_context_release(*out);
  *out = NULL;
  return status;
}

tenon_status tenon_context_load(tenon_context *cx, const char *path) {
  return tenon_plug_load(cx, path);
}

tenon_status tenon_context_load_text(tenon_context *cx, const char *name,
                                     const void *text, size_t size) {
  return tenon_plug_load_text(cx, name, (tenon_text){text, size});
}

tenon_status tenon_context_bindings(tenon_context *cx, const char *path,
                                    tenon_write_fn *write, void *self) {
  return tenon_plug_glue(cx, path, NULL, write, self);
}

tenon_status tenon_context_bindings_text(tenon_context *cx, const char *name,
                                         const void *text, size_t size,
                                         tenon_write_fn *write, void *self) {
  const tenon_text given = {text, size};
  return tenon_plug_glue(cx, name, &given, write, self);
}
