#include <stdlib.h>
// It goes first.
#include <windows.h>

#include "harness/pages.h"

void *case_pages(case_memory *m, size_t size) {
  SYSTEM_INFO system;
  DWORD before;
  GetSystemInfo(&system);
  const size_t page = system.dwPageSize;
  const size_t pages = (size + page - 1) / page * page;
  m->size = pages + page;
  m->base =
      VirtualAlloc(NULL, m->size, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
  if (!m->base) abort();
  if (!VirtualProtect((char *)m->base + pages, page, PAGE_NOACCESS, &before))
    abort();
  return (char *)m->base + pages - size;
}

void case_pages_free(case_memory *m) {
  if (m->base && !VirtualFree(m->base, 0, MEM_RELEASE)) abort();
}
