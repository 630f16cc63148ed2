// Any spans: those that make sense are packed, with little search, and pass the
// check; the size is what they end at, and not below the bound.
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "program/pack/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BYTES = 8, MOST = 24 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tenon_span spans[MOST] = {{0}};
  const tenon_allocator a = tenon_heap();
  tenon_pack_options o = {.struct_size = sizeof o, .effort = 100000};
  tenon_packing p;
  const char *why = NULL;
  size_t n = size / BYTES < MOST ? size / BYTES : MOST, culprit[2] = {0, 0};
  uint64_t end = 0;
  bool has_fixed = false;
  for (size_t i = 0; i < n; ++i) {
    const uint8_t *b = data + i * BYTES;
    spans[i] = (tenon_span){.size = b[0],
                            .align = (uint64_t)1 << b[1] % 6,
                            .first = b[2],
                            .last = b[2] + b[3] % 16u,
                            .is_fixed = b[4] % 16 == 1,
                            .offset = b[5],
                            .inner = b[6],
                            .group = b[7] % 8};
    if (b[4] % 4) spans[i].align = 0;
    has_fixed = has_fixed || spans[i].is_fixed;
  }
  if (!tenon_pack_valid(spans, n, &a, culprit, &why)) return 0;
  if (!tenon_pack_with(&o, spans, n, &a, &p)) abort();
  // Places that are given may collide; then the bound counts bytes twice.
  if (!tenon_pack_check(spans, n, &a, culprit)) {
    if (!has_fixed) abort();
    return 0;
  }
  for (size_t i = 0; i < n; ++i)
    if (spans[i].size && spans[i].offset + spans[i].size > end)
      end = spans[i].offset + spans[i].size;
  if (p.size < p.bound || end > p.size) abort();
  return 0;
}
