// read/tflite/tflite_model.h - a .tflite file as tables, by slot.
//
// The schema of everything but operators' meaning: which table has which slots
// (the numbers below are the schema's), which code has which name, where the
// bytes of a buffer are. Knows no graph and makes no module; read/tflite_*.c
// do. What is opened here has passed tenon_fb_verify.
#ifndef TENON_READ_TFLITE_MODEL_H
#define TENON_READ_TFLITE_MODEL_H

#include "read/flatbuf.h"

#define TENON_TFLITE_IDENTIFIER "TFL3"

enum {
  MODEL_VERSION,
  MODEL_OPERATOR_CODES,
  MODEL_SUBGRAPHS,
  MODEL_DESCRIPTION,
  MODEL_BUFFERS,
  MODEL_METADATA_BUFFER,
  MODEL_METADATA,
  MODEL_SIGNATURES,
  MODEL_EXTERNAL_GROUPS,
  MODEL_EXTERNAL_BUFFERS
};
enum { CODE_DEPRECATED, CODE_CUSTOM, CODE_VERSION, CODE_BUILTIN };
enum { BUFFER_DATA, BUFFER_OFFSET, BUFFER_SIZE };
enum { GROUP_NAME };
enum {
  EXTERNAL_ID,
  EXTERNAL_GROUP,
  EXTERNAL_OFFSET,
  EXTERNAL_LENGTH,
  EXTERNAL_PACKING
};
enum { METADATA_NAME, METADATA_BUFFER };
enum { MAP_NAME, MAP_TENSOR };
enum { SIGNATURE_INPUTS, SIGNATURE_OUTPUTS, SIGNATURE_KEY };
enum { SIGNATURE_SUBGRAPH = 4 };
enum {
  SUBGRAPH_TENSORS,
  SUBGRAPH_INPUTS,
  SUBGRAPH_OUTPUTS,
  SUBGRAPH_OPERATORS,
  SUBGRAPH_NAME
};
enum {
  TENSOR_SHAPE,
  TENSOR_TYPE,
  TENSOR_BUFFER,
  TENSOR_NAME,
  TENSOR_QUANTIZATION,
  TENSOR_IS_VARIABLE,
  TENSOR_SPARSITY,
  TENSOR_SHAPE_SIGNATURE,
  TENSOR_HAS_RANK,
  TENSOR_VARIANTS,
  TENSOR_EXTERNAL
};
enum {
  QUANT_MIN,
  QUANT_MAX,
  QUANT_SCALE,
  QUANT_ZERO,
  QUANT_DETAILS_TYPE,
  QUANT_DETAILS,
  QUANT_AXIS
};
enum { SPARSITY_ORDER, SPARSITY_BLOCK_MAP, SPARSITY_DIMS };
enum {
  DIM_FORMAT,
  DIM_DENSE_SIZE,
  DIM_SEGMENTS_TYPE,
  DIM_SEGMENTS,
  DIM_INDICES_TYPE,
  DIM_INDICES
};
enum {
  OPERATOR_CODE,
  OPERATOR_INPUTS,
  OPERATOR_OUTPUTS,
  OPERATOR_OPTIONS_TYPE,
  OPERATOR_OPTIONS,
  OPERATOR_CUSTOM_OPTIONS,
  OPERATOR_INTERMEDIATES = 8,
  OPERATOR_LARGE_OFFSET,
  OPERATOR_LARGE_SIZE,
  OPERATOR_OPTIONS2_TYPE,
  OPERATOR_OPTIONS2
};

typedef struct tenon_tflite {
  tenon_fb fb;
  tenon_fb_table model;
  tenon_fb_vector codes, subgraphs, buffers;
} tenon_tflite;

// Verifies the bytes, the version of the schema, and that there is a graph.
// `file` keeps pointers to itself: it stays where it is.
tenon_status tenon_tflite_open(tenon_tflite *file, tenon_bytes bytes,
                               const tenon_report *report, const char *name);

// One row of tflite_ops.def.
typedef struct tenon_tflite_op {
  const char *name;              // null: no such code
  const tenon_fb_type *options;  // null: none, or a table without members
} tenon_tflite_op;
#define TENON_TFLITE_CUSTOM 32
#define TENON_TFLITE_PLACEHOLDER 127
tenon_tflite_op tenon_tflite_look(int64_t code);
// The row of an operator by its name; without one: null names.
tenon_tflite_op tenon_tflite_find(const char *name);

// The bytes of a buffer, in the FlatBuffer or behind it; null data: none.
// Buffer 0 never has any. `place` is who asks.
tenon_status tenon_tflite_buffer(const tenon_tflite *file, uint64_t index,
                                 const tenon_place *place, tenon_bytes *out);
// Bytes [offset, offset + size) from the start of the file, which FlatBuffers
// of more than 2 GiB are continued with; `what` refers to them.
tenon_status tenon_tflite_appended(const tenon_tflite *file, uint64_t offset,
                                   uint64_t size, const char *what,
                                   const tenon_place *place, tenon_bytes *out);
// Offset of bytes that lie in the file.
uint64_t tenon_tflite_offset(const tenon_tflite *file, const void *data);

#endif  // TENON_READ_TFLITE_MODEL_H
