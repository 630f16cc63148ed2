// read/tflite/tflite_planned.c - what a file says of a tensor beside its value.
//
// Tools that compile a part of a graph for an accelerator leave custom
// operators whose code has the addresses of tensors in it. The metadata
// OfflineMemoryAllocation says them: a version, a word for the subgraph, how
// many tensors, and for each its offset in the arena or -1, all 32-bit integers
// (documentation of TensorFlow Lite for Microcontrollers, memory management).
#include <string.h>

#include "read/tflite/tflite_import.h"

enum { PLAN_VERSION, PLAN_SUBGRAPH, PLAN_COUNT, PLAN_OFFSETS };

static int32_t word(const tenon_metadata *m, size_t i) {
  const uint8_t *p = (const uint8_t *)m->data + 4 * i;
  uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                  (uint32_t)p[3] << 24;
  return (int32_t)bits;
}

// Tools disagree about the word for the subgraph; what they plan is the first.
static int64_t planned(const tenon_import_graph *g, uint32_t tensor) {
  const tenon_module *m = g->im->m;
  for (size_t i = 0; g->index == 0 && i < m->metadata.count; ++i) {
    const tenon_metadata *row = &m->metadata.data[i];
    if (strcmp(row->key, "OfflineMemoryAllocation") != 0) continue;
    if (row->size != 4 * ((size_t)PLAN_OFFSETS + g->n_tensors) ||
        word(row, PLAN_VERSION) != 0 ||
        word(row, PLAN_COUNT) != (int64_t)g->n_tensors)
      return -1;
    int32_t offset = word(row, PLAN_OFFSETS + (size_t)tensor);
    return offset < 0 ? -1 : offset;
  }
  return -1;
}

bool tenon_import_look(const tenon_import_graph *g, int64_t tensor,
                       tenon_file_tensor *out) {
  if (tensor < 0 || tensor >= g->n_tensors) return false;
  const tenon_import_tensor *t = &g->tensors[tensor];
  size_t bytes = 0;
  bool is_known =
      tenon_type_is_static(&t->type) && tenon_type_size(&t->type, &bytes);
  out->index = (uint32_t)tensor;
  out->is_variable = t->is_variable;
  out->bytes = is_known && bytes <= INT64_MAX ? (int64_t)bytes : -1;
  out->planned = planned(g, (uint32_t)tensor);
  out->data = t->is_constant ? t->data.data : NULL;
  return true;
}
