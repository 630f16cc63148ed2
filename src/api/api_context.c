// api/api_context.c - contexts with the operator sets of this build, and
// plugins from files. The rest of tenon_context_* needs no more than reg/.
#include "plug/load.h"

tenon_status tenon_context_create(const tenon_context_options *options,
                                  tenon_context **out) {
  const tenon_plugin_origin builtin = {.is_builtin = true};
  TENON_TRY(tenon_context_init(options, out));
  for (const tenon_plugin *const *p = tenon_builtin_plugins; *p; ++p) {
    tenon_status status = tenon_context_add_plugin(*out, *p, &builtin);
    if (status == TENON_OK) continue;
    tenon_context_release(*out);
    *out = NULL;
    return status;
  }
  return TENON_OK;
}

tenon_status tenon_context_load(tenon_context *cx, const char *path) {
  return tenon_plug_load(cx, path);
}
