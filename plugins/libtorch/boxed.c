// How: it stands on the images that shims.c has opened already, and serves the
// version of torch whose headers it was built with.
#define _GNU_SOURCE  // dladdr
#include "boxed.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shims.h"

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

static char remedy[512];

// The folder of the plugin, without a slash.
static bool find_folder(char *out, size_t size) {
  static const int in_this_image;
  Dl_info info;
  if (!dladdr(&in_this_image, &info) || !info.dli_fname) return false;
  const char *slash = strrchr(info.dli_fname, '/');
  int n = slash ? snprintf(out, size, "%.*s", (int)(slash - info.dli_fname),
                           info.dli_fname)
                : snprintf(out, size, ".");
  return n > 0 && (size_t)n < size;
}

// Null: see `why`.
static const value_caller *open_file(const char *path, char *why, size_t size) {
  typedef const value_caller *entry(void);
  void *image = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const char *words = image ? NULL : dlerror();
  entry *get = NULL;
  if (!image) {
    snprintf(why, size, "cannot be loaded (%.150s)", words ? words : path);
    return NULL;
  }
  void *found = dlsym(image, NAME_OF(VALUE_BOXED_ENTRY));
  memcpy(&get, &found, sizeof get);
  const value_caller *caller = get ? get() : NULL;
  snprintf(why, size, "%s",
           caller ? "was built for another torch" : "is of another Tenon");
  return caller && caller->torch == shims_get()->aoti_torch_abi_version()
             ? caller
             : NULL;
}

static const value_caller *load(void) {
  char folder[256], path[300], why[200] = "is missing";
  const char *given = getenv("TENON_LIBTORCH_BOXED");
  const value_caller *caller = NULL;
  if (!shims_get()) return NULL;
  if (!find_folder(folder, sizeof folder)) strcpy(folder, ".");
  snprintf(path, sizeof path, "%s/libtorch_boxed.so", folder);
  if (given && !*given)
    strcpy(why, "is left out by TENON_LIBTORCH_BOXED");
  else if (given || access(path, F_OK) == 0)
    caller = open_file(given ? given : path, why, sizeof why);
  snprintf(remedy, sizeof remedy,
           "build its part in C++ with 'sh %s/libtorch/boxed.sh', which %s",
           folder, why);
  return caller;
}

const value_caller *boxed_get(void) {
  // Plugins are loaded by one thread, which calls this first.
  static const value_caller *caller;
  static bool was_asked;
  if (!was_asked) caller = load();
  was_asked = true;
  return caller;
}

const char *boxed_remedy(void) {
  return remedy;
}
