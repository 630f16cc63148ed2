// program/pack/pack_keep.c - the best packing so far.
#include <string.h>

#include "program/pack/pack_work.h"

void tenon_pack_keep(tenon_packer *p) {
  uint64_t size = 0;
  for (size_t i = 0; i < p->n; ++i) {
    uint64_t end = p->bases[i] + p->items[i].height;
    if (end > size) size = end;
  }
  if (size >= p->best_size) return;
  p->best_size = size;
  memcpy(p->best, p->bases, p->n * sizeof *p->best);
}
