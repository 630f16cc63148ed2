// base/system/os_pages_posix.c - large pages for a block of memory.
//
// Apart from os_posix.c, which takes memory itself: who gives memory calls
// this.
#define _DEFAULT_SOURCE  // on Linux: madvise
#include <sys/mman.h>

#include "base/os.h"

// A system that has none of them, or none left, goes on with small ones.
void tenon_os_offer_pages(void *block, size_t size) {
#ifdef MADV_HUGEPAGE
  (void)madvise(block, size / TENON_OS_PAGE * TENON_OS_PAGE, MADV_HUGEPAGE);
#else
  (void)block;
  (void)size;
#endif
}
