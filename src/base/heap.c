// base/heap.c - the C library's memory, and a wrapper that watches it.
//
// realloc moves memory without copying where it can, but knows no alignment
// beyond max_align_t; above that a block is taken with tenon_heap_take, copied
// and given back.
//
// The stress build never grows in place and overwrites what it hands out and
// what it takes back, so that stale pointers and unset memory show up even
// without a sanitizer.
#include "base/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/size.h"

#ifdef _WIN32
#include <malloc.h>

// Its sum of size and alignment may wrap around.
void *tenon_heap_take(size_t size, size_t align) {
  return size > SIZE_MAX / 2 ? NULL : _aligned_malloc(size, align);
}

void tenon_heap_give(void *ptr) {
  _aligned_free(ptr);
}

static void *take_plain(size_t size) {
  return malloc(size);
}
#else
// Whoever reads weights in small pages waits for the addresses of these, too.
// For blocks of hundreds of megabytes a system may look for large ones longer
// than they save.
#define MOST_LARGE ((size_t)32 << 20)

void *tenon_heap_take(size_t size, size_t align) {
  size_t whole = 0;  // C11 wants a multiple of the alignment
  const bool is_large = size >= TENON_OS_PAGE && size <= MOST_LARGE;
  if (is_large && align < TENON_OS_PAGE) align = TENON_OS_PAGE;
  if (!tenon_size_align(size, align, &whole)) return NULL;
  void *ptr = aligned_alloc(align, whole);
  if (ptr && is_large) tenon_os_offer_pages(ptr, size);
  return ptr;
}

void tenon_heap_give(void *ptr) {
  free(ptr);
}

static void *take_plain(size_t size) {
  return size < TENON_OS_PAGE || size > MOST_LARGE ? malloc(size)
                                                   : tenon_heap_take(size, 1);
}
#endif

enum { FRESH = 0xa5, STALE = 0xdd };

static void *heap_take(size_t size, size_t align) {
  void *ptr = NULL;
  if (align <= _Alignof(max_align_t)) {
    ptr = take_plain(size);
  } else {
    ptr = tenon_heap_take(size, align);
  }
#ifdef TENON_STRESS
  if (ptr) memset(ptr, FRESH, size);
#endif
  return ptr;
}

static void heap_give(void *ptr, size_t size, size_t align) {
#ifdef TENON_STRESS
  if (ptr) memset(ptr, STALE, size);
#else
  (void)size;
#endif
  if (align <= _Alignof(max_align_t))
    free(ptr);
  else
    tenon_heap_give(ptr);
}

static void *resize_heap(void *self, void *ptr, size_t old_size,
                         size_t new_size, size_t align) {
  (void)self;
  if (new_size == 0) {
    heap_give(ptr, old_size, align);
    return NULL;
  }
  if (!ptr || old_size == 0) return heap_take(new_size, align);
#ifndef TENON_STRESS
  if (align <= _Alignof(max_align_t)) return realloc(ptr, new_size);
#endif
  void *moved = heap_take(new_size, align);
  if (!moved) return NULL;
  memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
  heap_give(ptr, old_size, align);
  return moved;
}

tenon_allocator tenon_heap(void) {
  tenon_allocator a = {NULL, resize_heap};
  return a;
}

// Whether the allocation that was just counted must be refused.
static bool refuses(const tenon_heap_probe *probe, size_t more) {
  if (probe->fail_at != 0) {
    if (probe->calls == probe->fail_at) return true;
    if (probe->fail_after && probe->calls > probe->fail_at) return true;
  }
  if (probe->limit == 0) return false;
  return probe->live > probe->limit || more > probe->limit - probe->live;
}

static void *resize_probed(void *self, void *ptr, size_t old_size,
                           size_t new_size, size_t align) {
  tenon_heap_probe *probe = self;
  if (new_size > old_size) {
    ++probe->calls;
    if (refuses(probe, new_size - old_size)) return NULL;
  }
  void *moved =
      probe->below.resize(probe->below.self, ptr, old_size, new_size, align);
  if (new_size != 0 && !moved) return NULL;
  probe->live = probe->live - old_size + new_size;
  if (probe->live > probe->peak) probe->peak = probe->live;
  return moved;
}

tenon_allocator tenon_heap_probed(tenon_heap_probe *probe) {
  tenon_allocator a = {probe, resize_probed};
  return a;
}
