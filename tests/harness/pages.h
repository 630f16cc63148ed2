// tests/harness/pages.h - memory of which the last bytes can be used and
// nothing behind them: whoever reads there is stopped by the processor.
//
// pages_posix.c and pages_windows.c implement it; nothing else here asks which
// system it is. Running out of memory ends the program.
#ifndef TENON_TESTS_PAGES_H
#define TENON_TESTS_PAGES_H

#include <stddef.h>

typedef struct case_memory {
  void *base;
  size_t size;
} case_memory;

// `size` bytes in front of a page that cannot be touched.
void *case_pages(case_memory *m, size_t size);
void case_pages_free(case_memory *m);

#endif  // TENON_TESTS_PAGES_H
