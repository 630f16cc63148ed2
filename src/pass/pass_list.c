// pass/pass_list.c - the passes of the library, from passes.def.
#include <string.h>

#include "pass/pass.h"
#include "reg/registry.h"

static const tenon_pass passes[] = {
#define PASS(name, is_optional, options, doc) \
  {#name, doc, options, is_optional, true, tenon_pass_##name},
#define TRADE(name, options, doc) \
  {#name, doc, options, true, false, tenon_pass_##name},
#include "pass/passes.def"
#undef PASS
#undef TRADE
};
#define N_PASSES (sizeof passes / sizeof *passes)

const char tenon_pass_default[] =
#define PASS(name, is_optional, options, doc) #name ","
#define TRADE(name, options, doc)
#include "pass/passes.def"
#undef PASS
#undef TRADE
    ;

const tenon_pass *tenon_pass_find(const char *name) {
  for (size_t i = 0; i < N_PASSES; ++i)
    if (strcmp(passes[i].name, name) == 0) return &passes[i];
  return NULL;
}

bool tenon_pass_is_native(const tenon_context *cx, const char *name) {
  return tenon_pass_find(name) &&
         tenon_registry_is_native(cx, TENON_REGISTRY_PASSES, name);
}

const tenon_pass *tenon_pass_at(size_t i) {
  return i < N_PASSES ? &passes[i] : NULL;
}
