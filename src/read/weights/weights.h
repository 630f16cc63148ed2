// read/weights/weights.h - tensors that lie apart from the program that needs
// them.
//
// A list of names with types and bytes, whatever file they came from; the .pt2
// reader takes from it what the program names (read/pt2/pt2_apart.c). Bytes
// stay in the caller's file, or lie in the arena of a module that nobody else
// sees.
#ifndef TENON_READ_WEIGHTS_H
#define TENON_READ_WEIGHTS_H

#include "base/bytes.h"
#include "base/map.h"
#include "ir/graph.h"

typedef struct tenon_weight {
  const char *name;
  tenon_type type;
  tenon_bytes bytes;  // dense
  bool may_be_bits;   // u16 may stand for bf16, as NumPy files have it
} tenon_weight;

struct tenon_weights {
  tenon_module *keep;  // name, report, memory
  const void *file;    // null: none
  size_t file_size;
  TENON_VEC(tenon_weight) list;
  tenon_map names;  // to indices of the list
};

// A weight of a name that is taken must be the same.
tenon_status tenon_weights_put(tenon_weights *w, const tenon_weight *weight);
// Null: there is none of that name.
const tenon_weight *tenon_weights_find(const tenon_weights *w,
                                       const char *name);
// Whether the weight can be taken for that type.
bool tenon_weight_fits(const tenon_weight *weight, const tenon_type *type);

// A .safetensors: an index as JSON, and behind it the bytes of all tensors.
// Every range is checked, and that they cover the bytes without overlapping.
bool tenon_safetensors_recognise(const void *data, size_t size);
tenon_status tenon_safetensors_read(tenon_weights *w, tenon_bytes bytes);

// Those of a .pt2, or of a file of torch.save with a dictionary (pt2_apart.c).
tenon_status tenon_pt2_weights_read(tenon_weights *w, tenon_bytes bytes);

#endif  // TENON_READ_WEIGHTS_H
