// How: libc10 first, which libtorch_cpu needs and may not find by itself. The
// images stay until the process ends: torch cannot be unloaded.
#include "shims.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *open_in(const char *folder, const char *name) {
  char path[1024];
  int n = snprintf(path, sizeof path, "%s/%s", folder, name);
  return n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL)
                                          : NULL;
}

static void *open_library(void) {
  const char *where = getenv("TENON_LIBTORCH");
  if (!where || !*where)
    return dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_GLOBAL);
  size_t n = strlen(where);
  if (n > 3 && strcmp(where + n - 3, ".so") == 0)
    return dlopen(where, RTLD_NOW | RTLD_GLOBAL);
  (void)open_in(where, "libc10.so");
  return open_in(where, "libtorch_cpu.so");
}

// A pointer to a function from dlsym, which C does not let one convert.
static bool find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

static bool load(shims *s) {
  void *library = open_library();
  if (!library) return false;
  bool has_all = true;
#define SHIM(result, name, arguments) has_all &= find(library, #name, &s->name);
#define LATER(result, name, arguments) (void)find(library, #name, &s->name);
#include "shims.def"
#undef SHIM
#undef LATER
  return has_all;
}

const shims *shims_get(void) {
  // Plugins are loaded by one thread, which calls this first.
  static shims all;
  static int state;
  if (state == 0) state = load(&all) ? 1 : -1;
  return state > 0 ? &all : NULL;
}

bool shims_dtype(tenon_dtype dtype, int32_t *out, size_t *size) {
  const shims *s = shims_get();
  if (!s) return false;
  switch (dtype) {
#define SHIM(result, name, arguments)
#define LATER SHIM
#define DTYPE(tenon, name, bytes)        \
  case tenon:                            \
    *out = s->aoti_torch_dtype_##name(); \
    *size = bytes;                       \
    return true;
#include "shims.def"
#undef SHIM
#undef LATER
    default:
      return false;
  }
}
