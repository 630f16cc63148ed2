// How: a list in the order of finding, and a map from names to it.
#include "ir/scope.h"

#include <string.h>

uint32_t tenon_scope_find(const tenon_module *m, tenon_text name) {
  char text[512];
  if (name.size >= sizeof text) return 0;
  memcpy(text, name.data, name.size);
  text[name.size] = 0;
  const uint64_t *i = tenon_map_find_text(&m->scope_names, text);
  return i ? (uint32_t)*i : 0;
}

uint32_t tenon_scope_add(tenon_module *m, tenon_text name, tenon_text type,
                         uint32_t outer) {
  uint32_t found = tenon_scope_find(m, name);
  if (found) return found;
  tenon_scope scope = {tenon_arena_text(&m->arena, name.data, name.size),
                       tenon_arena_text(&m->arena, type.data, type.size),
                       outer};
  if (!scope.name || !scope.type || !tenon_vec_push(&m->scopes, scope))
    return 0;
  uint32_t index = (uint32_t)m->scopes.count;
  return tenon_map_put_text(&m->scope_names, scope.name, index, NULL) ? index
                                                                      : 0;
}

tenon_text tenon_scope_path(tenon_text name) {
  const char *at = memchr(name.data, '@', name.size);
  if (at) name.size = (size_t)(at - name.data);
  return name;
}
