// Replays a corpus where libFuzzer is not: every file given, and every file of
// every folder given, through the target named first, once. What a target finds
// wrong, it aborts on, and so do the sanitizers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/os.h"

typedef int replay_target(const uint8_t *data, size_t size);
#define TENON_REPLAY_ROW(name) replay_target fuzz_##name;
#include "replay.def"
#undef TENON_REPLAY_ROW

static const struct {
  const char *name;
  replay_target *run;
} targets[] = {
#define TENON_REPLAY_ROW(name) {#name, fuzz_##name},
#include "replay.def"
};
enum { TARGETS = sizeof targets / sizeof *targets };

typedef struct replay {
  replay_target *target;
  const char *folder;
  size_t n;
  bool failed;
} replay;

static void run_file(replay *r, const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END) != 0) {
    fprintf(stderr, "%s: cannot be read\n", path);
    r->failed = true;
    if (f) fclose(f);
    return;
  }
  long size = ftell(f);
  rewind(f);
  // Exactly as many bytes, so that a sanitizer sees the one behind.
  uint8_t *data = (uint8_t *)malloc(size > 0 ? (size_t)size : 1);
  if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
    r->failed = true;
  } else {
    (void)r->target(data, (size_t)size);
    ++r->n;
  }
  free(data);
  fclose(f);
}

static bool run_name(void *self, const char *name) {
  replay *r = (replay *)self;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", r->folder, name);
  if (tenon_os_look(path) == TENON_OS_FILE) run_file(r, path);
  return true;
}

int main(int argc, char **argv) {
  replay r = {NULL, NULL, 0, false};
  tenon_allocator allocator = tenon_heap();
  char error[TENON_OS_ERROR] = "";
  for (int i = 0; argc > 1 && i < TARGETS; ++i)
    if (strcmp(targets[i].name, argv[1]) == 0) r.target = targets[i].run;
  if (!r.target) {
    fprintf(stderr, "no target '%s'\n", argc > 1 ? argv[1] : "");
    return 1;
  }
  for (int i = 2; i < argc; ++i) {
    if (tenon_os_look(argv[i]) == TENON_OS_FOLDER) {
      r.folder = argv[i];
      if (!tenon_os_list(argv[i], &allocator, run_name, &r, error)) {
        fprintf(stderr, "%s: %s\n", argv[i], error);
        r.failed = true;
      }
    } else {
      run_file(&r, argv[i]);
    }
  }
  printf("%zu inputs\n", r.n);
  return r.failed || r.n == 0;
}
