// fail_malloc.c - makes the n-th allocation of a process fail, and every one
// after it when told so. Loaded in front of the C library (LD_PRELOAD), so
// allocations of other libraries count as well.
//
//   TENON_FAIL_AT=N     the N-th call of malloc, calloc, realloc or an aligned
//   form TENON_FAIL_AFTER=1  and all that follow TENON_FAIL_COUNT=F  writes the
//   number of calls to file F at the end
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);
extern void *__libc_memalign(size_t align, size_t size);

static atomic_long calls;
static long fail_at;
static int fail_after, is_ready;

__attribute__((constructor)) static void start(void) {
  const char *at = getenv("TENON_FAIL_AT"), *after = getenv("TENON_FAIL_AFTER");
  fail_at = at ? atol(at) : 0;
  fail_after = after && *after == '1';
  // Programs that this one starts are not the subject.
  unsetenv("LD_PRELOAD");
  atomic_store(&calls, 0);
  is_ready = 1;
}

__attribute__((destructor)) static void stop(void) {
  const char *path = getenv("TENON_FAIL_COUNT");
  long n = atomic_load(&calls);
  is_ready = 0;
  FILE *f = path ? fopen(path, "w") : NULL;
  if (!f) return;
  fprintf(f, "%ld\n", n);
  fclose(f);
}

static int fails(void) {
  if (!is_ready) return 0;
  long n = atomic_fetch_add(&calls, 1) + 1;
  if (fail_at == 0 || n < fail_at || (n > fail_at && !fail_after)) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) {
  return fails() ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}
void *realloc(void *ptr, size_t size) {
  return fails() ? NULL : __libc_realloc(ptr, size);
}
void *memalign(size_t align, size_t size) {
  return fails() ? NULL : __libc_memalign(align, size);
}
void *aligned_alloc(size_t align, size_t size) {
  return fails() ? NULL : __libc_memalign(align, size);
}
int posix_memalign(void **out, size_t align, size_t size) {
  void *p = fails() ? NULL : __libc_memalign(align, size);
  if (!p) return ENOMEM;
  *out = p;
  return 0;
}
