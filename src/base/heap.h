// base/heap.h - the default allocator and three wrappers for tests.
//
// The only file of the library that calls malloc and free.
#ifndef TENON_BASE_HEAP_H
#define TENON_BASE_HEAP_H

#include "tenon/alloc.h"

// The C library's. Thread-safe. Alignments above max_align_t are honoured.
tenon_allocator tenon_heap(void);

// `size` bytes, aligned to a power of two; null: there are none. They are given
// back with tenon_heap_give alone.
void *tenon_heap_take(size_t size, size_t align);
void tenon_heap_give(void *ptr);

TENON_INLINE void *tenon_alloc(const tenon_allocator *a, size_t size,
                               size_t align) {
  return a->resize(a->self, NULL, 0, size, align);
}
TENON_INLINE void tenon_free(const tenon_allocator *a, void *ptr, size_t size,
                             size_t align) {
  if (ptr) (void)a->resize(a->self, ptr, size, 0, align);
}

// Counts what passes through, can refuse beyond a limit, and can fail the n-th
// allocation from now (1: the next one). Growing a block counts as one
// allocation. Not thread-safe.
typedef struct tenon_heap_probe {
  tenon_allocator below;
  size_t calls;     // allocations and growths so far
  size_t live;      // bytes now
  size_t peak;      // most bytes at once
  size_t limit;     // 0: none
  size_t fail_at;   // the call with this number fails; 0: none
  bool fail_after;  // and all later ones too
} tenon_heap_probe;
tenon_allocator tenon_heap_probed(tenon_heap_probe *probe);

#endif  // TENON_BASE_HEAP_H
