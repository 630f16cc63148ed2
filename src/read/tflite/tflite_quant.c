// How: scales and zero points are copied out of the file once per tensor, with
// every number looked at: a scale that is not a positive normal number, or a
// zero point outside the tensor's type, would make each kernel's arithmetic
// undefined in its own way.
#include <float.h>

#include "core/dtype.h"
#include "kern/num/half.h"
#include "read/tflite/tflite_import.h"

typedef struct quant_reader {
  tenon_import_graph *g;
  const tenon_import_tensor *t;
  const tenon_place *place;
  tenon_fb_table table;
  tenon_fb_vector scale, zero;
} quant_reader;

static const tenon_report *report_of(const quant_reader *r) {
  return &r->g->im->m->report;
}

// Floating point and other tensors may carry ranges from training; they mean
// nothing here.
static bool tfl_scale_is_integer(const tenon_import_tensor *t) {
  char kind = tenon_dtype_look(t->type.dtype)->kind;
  return kind == 'i' || kind == 'u';
}

// One scale of 0, and 0 as zero point, is what LiteRT has where there is none:
// exporters write it for tensors of plain integers.
static bool tfl_scale_is_none(const quant_reader *r) {
  if (r->scale.count == 0) return true;
  if (r->scale.count > 1 || tenon_fb_item_float(&r->scale, 0) != 0)
    return false;
  return tenon_dtype_look(r->t->type.dtype)->bits >= 32 ||
         (!r->t->is_constant && r->zero.count == 1 &&
          tenon_fb_item_int(&r->zero, 0) == 0);
}

static tenon_status tfl_scale_check_counts(const quant_reader *r,
                                           int64_t axis) {
  if (r->zero.count != r->scale.count) {
    return tenon_fail(report_of(r), TENON_BAD_MODEL, "tflite-quant", r->place,
                      "%u scales and %u zero points", (unsigned)r->scale.count,
                      (unsigned)r->zero.count);
  }
  if (r->scale.count == 1) return TENON_OK;
  if (axis < 0 || axis >= r->t->type.rank) {
    return tenon_fail(report_of(r), TENON_BAD_MODEL, "tflite-quant", r->place,
                      "quantized_dimension is %lld of %d dimensions",
                      (long long)axis, r->t->type.rank);
  }
  tenon_dim channels = r->t->type.dims[axis];
  if (!tenon_dim_is_fixed(channels) ||
      channels.value != (int64_t)r->scale.count) {
    return tenon_fail(report_of(r), TENON_BAD_MODEL, "tflite-quant", r->place,
                      "%u scales for %lld channels", (unsigned)r->scale.count,
                      (long long)channels.value);
  }
  return TENON_OK;
}

// Constants whose elements are all 0 may have a scale of 0. The smallest normal
// number stands for it: of both a multiplier is made that is 0.
static tenon_status read_scales(const quant_reader *r, float *scale) {
  for (uint32_t i = 0; i < r->scale.count; ++i) {
    double value = tenon_fb_item_float(&r->scale, i);
    if (r->t->is_constant && value >= 0 && value < (double)FLT_MIN)
      value = (double)FLT_MIN;
    if (!(value >= (double)FLT_MIN && value <= (double)FLT_MAX)) {
      return tenon_fail(report_of(r), TENON_BAD_MODEL, "tflite-quant", r->place,
                        "scale %u is %g, expected a positive normal number",
                        (unsigned)i, value);
    }
    scale[i] = (float)value;
  }
  return TENON_OK;
}

static tenon_status read_zeros(const quant_reader *r, int32_t *zero,
                               bool *all_zero) {
  const tenon_dtype_info *info = tenon_dtype_look(r->t->type.dtype);
  int bits = info->bits < 32 ? info->bits : 32;
  bool is_signed = info->kind == 'i' || bits == 32;
  int64_t min = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
  int64_t max = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
  *all_zero = true;
  for (uint32_t i = 0; i < r->zero.count; ++i) {
    int64_t value = tenon_fb_item_int(&r->zero, i);
    if (value < min || value > max) {
      return tenon_fail(report_of(r), TENON_BAD_MODEL, "tflite-quant", r->place,
                        "zero point %u is %lld, outside of '%s'", (unsigned)i,
                        (long long)value, info->name);
    }
    zero[i] = (int32_t)value;
    *all_zero &= value == 0;
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Scales of blocks
// ---------------------------------------------------------------------------

enum { DETAILS_NONE, DETAILS_CUSTOM, DETAILS_BLOCKWISE };
enum { BLOCK_SCALES, BLOCK_ZEROS, BLOCK_SIZE };

static tenon_status refuse_blocks(const quant_reader *r, tenon_status status,
                                  const char *what) {
  return tenon_fail(report_of(r), status, "tflite-quant", r->place,
                    "scales of blocks: %s", what);
}

// The data of the tensor that has the scales, one for each block of a row: it
// may be anywhere in the list, so nothing of it has been read yet.
static tenon_status find_scales(const quant_reader *r, int64_t tensor,
                                uint64_t count, bool *is_half,
                                tenon_bytes *out) {
  const tenon_import_graph *g = r->g;
  if (tensor < 0 || tensor >= g->n_tensors)
    return refuse_blocks(r, TENON_BAD_MODEL, "they are in no tensor");
  const tenon_fb_table *t = &g->tensors[tensor].table;
  tenon_dtype dtype = tenon_import_dtype(tenon_fb_int(t, TENSOR_TYPE, 0));
  if (dtype != TENON_F16 && dtype != TENON_F32)
    return refuse_blocks(r, TENON_UNSUPPORTED, "they are neither f16 nor f32");
  *is_half = dtype == TENON_F16;
  TENON_TRY(tenon_tflite_buffer(&g->im->file,
                                (uint64_t)tenon_fb_int(t, TENSOR_BUFFER, 0),
                                r->place, out));
  if (out->size != count * (*is_half ? 2 : 4))
    return refuse_blocks(r, TENON_BAD_MODEL,
                         "they are not as many as the blocks");
  return TENON_OK;
}

static tenon_status read_blocks(const quant_reader *r,
                                const tenon_quant **out) {
  const tenon_import_tensor *t = r->t;
  tenon_fb_table details = tenon_fb_child(&r->table, QUANT_DETAILS);
  int64_t size = tenon_fb_int(&details, BLOCK_SIZE, 0);
  tenon_bytes data = {NULL, 0};
  uint64_t count = 0;
  bool is_half = false;
  if (!tfl_scale_is_integer(t) || t->type.rank < 1 ||
      !tenon_type_is_static(&t->type) || !tenon_type_count(&t->type, &count))
    return refuse_blocks(r, TENON_BAD_MODEL, "of a tensor that has no blocks");
  if (size < 1 || size > INT32_MAX ||
      t->type.dims[t->type.rank - 1].value % size != 0)
    return refuse_blocks(r, TENON_BAD_MODEL,
                         "rows are no multiple of block_size");
  // -1, or left out: every zero point is 0.
  if (tenon_fb_int(&details, BLOCK_ZEROS, -1) > 0)
    return refuse_blocks(r, TENON_UNSUPPORTED, "zero points are not supported");
  count /= (uint64_t)size;
  TENON_TRY(find_scales(r, tenon_fb_int(&details, BLOCK_SCALES, 0), count,
                        &is_half, &data));
  TENON_TRY(tenon_import_spend(r->g->im, data.size, r->place));
  tenon_quant *quant = tenon_arena_new(&r->g->im->scratch, tenon_quant);
  float *scale = tenon_arena_array(&r->g->im->scratch, float, count);
  if (!quant || !scale)
    return tenon_fail_memory(report_of(r), "reading a tensor");
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t bits = 0;
    (void)tenon_bytes_u32(data, 4 * i, &bits);
    if (is_half) bits = data.data[2 * i] | (uint32_t)data.data[2 * i + 1] << 8;
    scale[i] =
        is_half ? tenon_f32_of_f16((uint16_t)bits) : tenon_f32_of_bits(bits);
    if (!(scale[i] >= FLT_MIN && scale[i] <= FLT_MAX))
      return refuse_blocks(r, TENON_BAD_MODEL,
                           "one is no positive normal number");
  }
  *quant = (tenon_quant){scale, NULL, (int32_t)count, 0, (int32_t)size};
  if (count > 0) *out = quant;
  return TENON_OK;
}

tenon_status tenon_import_quant(tenon_import_graph *g, uint32_t tensor,
                                const tenon_quant **out) {
  const tenon_import_tensor *t = &g->tensors[tensor];
  quant_reader r = {g,
                    t,
                    tenon_import_tensor_place(g, tensor),
                    tenon_fb_child(&t->table, TENSOR_QUANTIZATION),
                    {0},
                    {0}};
  bool all_zero = false;
  *out = NULL;
  int64_t details = tenon_fb_int(&r.table, QUANT_DETAILS_TYPE, 0);
  if (details == DETAILS_BLOCKWISE) return read_blocks(&r, out);
  if (details != DETAILS_NONE) {
    return tenon_fail(report_of(&r), TENON_UNSUPPORTED, "tflite-quant", r.place,
                      "quantisation details of type %lld are not supported",
                      (long long)details);
  }
  r.scale = tenon_fb_list(&r.table, QUANT_SCALE);
  r.zero = tenon_fb_list(&r.table, QUANT_ZERO);
  if (!tfl_scale_is_integer(t) || tfl_scale_is_none(&r)) return TENON_OK;
  int64_t axis = tenon_fb_int(&r.table, QUANT_AXIS, 0);
  if (t->type.rank == 1) axis = 0;  // exporters leave that of the weights
  TENON_TRY(tfl_scale_check_counts(&r, axis));
  tenon_quant *quant = tenon_arena_new(&g->im->scratch, tenon_quant);
  float *scale = tenon_arena_array(&g->im->scratch, float, r.scale.count);
  int32_t *zero = tenon_arena_array(&g->im->scratch, int32_t, r.zero.count);
  if (!quant || !scale || !zero)
    return tenon_fail_memory(report_of(&r), "reading a tensor");
  TENON_TRY(read_scales(&r, scale));
  TENON_TRY(read_zeros(&r, zero, &all_zero));
  quant->scale = scale;
  quant->zero = all_zero ? NULL : zero;
  quant->channels = (int32_t)r.scale.count;
  quant->axis = r.scale.count > 1 ? (int32_t)axis : 0;
  *out = quant;
  return TENON_OK;
}
