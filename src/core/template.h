// core/template.h - the $-references in a kernel's emit_template.
//
// One grammar, used twice: registration walks a template to refuse what cannot
// be expanded, emission walks it again to expand it. Both get the same pieces,
// so what was admitted can be printed.
//
//   $in0 $out1                  data of an operand or result, counted flat
//   $count(in0) $rank(in0)      elements, dimensions
//   $dim(in0, 2) $stride(in0, 2)
//   $dims(in0)                  an array of the sizes
//   $scale(in0) $zero(in0)      of its quantisation; with `, 3` of a channel
//   $attr(name)                 an attribute in its own type; a list's array
//   $attr(name, 1)              an element of a list
//   $f32(name) $f64 $i32 $i64   an attribute or element as a constant of that
//                               type; $int: as a plain decimal
//   $scratch $packed            as in tenon_call
//   $$                          a dollar
#ifndef TENON_CORE_TEMPLATE_H
#define TENON_CORE_TEMPLATE_H

#include "base/text.h"
#include "core/schema/schema.h"
#include "tenon/tensor.h"

typedef enum tenon_piece_kind {
  TENON_PIECE_TEXT = 1,  // to be copied
  TENON_PIECE_DATA,
  TENON_PIECE_COUNT,
  TENON_PIECE_RANK,
  TENON_PIECE_DIM,
  TENON_PIECE_DIMS,
  TENON_PIECE_STRIDE,
  TENON_PIECE_SCALE,
  TENON_PIECE_ZERO,
  TENON_PIECE_ATTR,
  TENON_PIECE_F32,
  TENON_PIECE_F64,
  TENON_PIECE_I32,
  TENON_PIECE_I64,
  TENON_PIECE_INT,
  TENON_PIECE_SCRATCH,
  TENON_PIECE_PACKED
} tenon_piece_kind;

typedef struct tenon_piece {
  uint32_t kind;    // tenon_piece_kind
  tenon_text text;  // TEXT: what to copy; else the reference as written
  uint32_t line;    // of the template, from 1
  bool is_out;      // of a tensor: which list
  uint32_t tensor;  // its flat index there
  const tenon_argument *attr;  // null for tensors, and without a schema
  tenon_text name;             // of the attribute
  int64_t index;               // dimension, channel or element; -1: none given
} tenon_piece;

#define TENON_TEMPLATE_ERROR 256

typedef struct tenon_template {
  const char *at;              // what is left
  const tenon_schema *schema;  // null: names and counts are not checked
  uint32_t line;
  bool has_failed;
  char error[TENON_TEMPLATE_ERROR];  // then the words, without the line
} tenon_template;

void tenon_template_init(tenon_template *t, const char *text,
                         const tenon_schema *schema);
// The next piece; false at the end, and at a fault, which `has_failed` tells.
bool tenon_template_next(tenon_template *t, tenon_piece *piece);

// Results of a node of this operator as kernels see them, one per declared
// tensor and per written argument without a mark among them.
uint32_t tenon_schema_results(const tenon_schema *s);

#endif  // TENON_CORE_TEMPLATE_H
