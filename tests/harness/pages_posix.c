#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/pages.h"

void *case_pages(case_memory *m, size_t size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t pages = (size + page - 1) / page * page;
  m->base = NULL;
  if (posix_memalign(&m->base, page, pages + page)) abort();
  m->size = pages + page;
  if (mprotect((char *)m->base + pages, page, PROT_NONE) != 0) abort();
  return (char *)m->base + pages - size;
}

void case_pages_free(case_memory *m) {
  if (!m->base) return;
  if (mprotect(m->base, m->size, PROT_READ | PROT_WRITE) != 0) abort();
  free(m->base);
}
