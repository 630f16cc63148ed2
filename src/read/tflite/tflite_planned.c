// read/tflite/tflite_planned.c - what a file says of a tensor beside its value.
//
// Tools that compile a part of a graph for an accelerator leave custom
// operators whose code has the addresses of tensors in it. The metadata
// OfflineMemoryAllocation says them: a version, a word for the subgraph, how
// many tensors, and for each its offset in the arena or -1, all 32-bit integers
// (documentation of TensorFlow Lite for Microcontrollers, memory management).
#include <string.h>

#include "base/bytes.h"
#include "read/tflite/tflite_import.h"

enum { PLAN_VERSION, PLAN_SUBGRAPH, PLAN_COUNT, PLAN_OFFSETS };

// Tools disagree about the word for the subgraph; what they plan is the first.
static int64_t planned(const tenon_import_graph *g, uint32_t tensor) {
  const tenon_module *m = g->im->m;
  for (size_t i = 0; g->index == 0 && i < m->metadata.count; ++i) {
    const tenon_metadata *row = &m->metadata.data[i];
    if (strcmp(row->key, "OfflineMemoryAllocation") != 0) continue;
    const tenon_bytes words = {row->data, row->size};
    uint32_t version = 0, count = 0, offset = 0;
    if (row->size != 4 * ((size_t)PLAN_OFFSETS + g->n_tensors) ||
        !tenon_bytes_u32(words, 4 * PLAN_VERSION, &version) || version != 0 ||
        !tenon_bytes_u32(words, 4 * PLAN_COUNT, &count) ||
        count != g->n_tensors ||
        !tenon_bytes_u32(words, 4 * (PLAN_OFFSETS + (uint64_t)tensor), &offset))
      return -1;
    return (int32_t)offset < 0 ? -1 : (int32_t)offset;
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
