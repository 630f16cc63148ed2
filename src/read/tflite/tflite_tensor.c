// How: all tensors of a graph are read before any operator, since an operator
// may name any of them; a constant becomes a value when it is first used. Data
// stay in the file, but where their address does not suit their type: then the
// buffer is copied, once however many tensors share it.
#include "core/dtype.h"
#include "read/tflite/tflite_import.h"

// More elements than kernels, which count in 32 bits, could address.
#define MAX_ELEMENTS INT32_MAX
#define MAX_SYMBOL 40
// What a string counts for: many tensors may share a buffer.
#define STRING_COST 8

static tenon_status tensor_bad(const tenon_import_graph *g,
                               const tenon_place *place, const char *id,
                               const char *what) {
  return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, id, place, "%s", what);
}

#define TYPE_VARIANT 14

static tenon_status tensor_read_dtype(tenon_import_graph *g,
                                      tenon_import_tensor *t,
                                      const tenon_place *place) {
  int64_t type = tenon_fb_int(&t->table, TENSOR_TYPE, 0);
  t->type.dtype = tenon_import_dtype(type);
  if (t->type.dtype) return TENON_OK;
  return tenon_fail(&g->im->m->report, TENON_UNSUPPORTED, "tflite-type", place,
                    type == TYPE_VARIANT
                        ? "element type %lld (VARIANT) is not supported"
                        : "element type %lld is not one of the schema's",
                    (long long)type);
}

// ---------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------

static char symbol_char(char c) {
  bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9');
  return is_word ? c : '_';
}

// A symbol for dimension k: "<name>_d<k>", fit for the text form.
static tenon_status make_symbol(tenon_import_graph *g, uint32_t tensor, int k,
                                tenon_dim *out) {
  tenon_import *im = g->im;
  const tenon_import_tensor *t = &g->tensors[tensor];
  tenon_text name = t->input ? tenon_text_of(t->input)
                             : tenon_fb_text(&t->table, TENSOR_NAME);
  char digit[] = {(char)('0' + k), 0};
  tenon_buf_clear(&im->text);
  if (name.size == 0 || (name.data[0] >= '0' && name.data[0] <= '9'))
    tenon_buf_text(&im->text, "t");
  if (name.size == 0) tenon_buf_format(&im->text, "%u", (unsigned)tensor);
  for (size_t i = 0; i < name.size && i < MAX_SYMBOL; ++i)
    tenon_buf_char(&im->text, symbol_char(name.data[i]));
  tenon_buf_text(&im->text, "_d");
  tenon_buf_text(&im->text, digit);
  const char *base =
      im->text.failed
          ? NULL
          : tenon_arena_text(&im->scratch, im->text.data, im->text.size);
  if (!base) return tenon_fail_memory(&im->m->report, "reading a shape");
  const char *unique =
      tenon_import_unique(im, &im->names[TENON_IMPORT_SYMBOLS], base);
  if (!unique) return tenon_import_built(im);
  *out = tenon_symbols_leaf(&im->m->symbols, unique, t->is_input ? 1 : 0,
                            INT32_MAX);
  return TENON_OK;
}

static tenon_status tensor_read_dims(tenon_import_graph *g, uint32_t tensor,
                                     const tenon_fb_vector *shape,
                                     const tenon_fb_vector *signature,
                                     tenon_dim *dims,
                                     const tenon_place *place) {
  const tenon_import_tensor *t = &g->tensors[tensor];
  bool may_be_open = !t->is_constant && !t->is_variable;
  uint64_t count = 1;
  for (uint32_t k = 0; k < shape->count; ++k) {
    int64_t size = tenon_fb_item_int(shape, k);
    int64_t open = signature->count ? tenon_fb_item_int(signature, k) : size;
    if (open == -1 && may_be_open && signature->count) {
      TENON_TRY(make_symbol(g, tensor, (int)k, &dims[k]));
      if (size > 0) tenon_symbols_store(&g->im->m->symbols, dims[k], size);
      continue;
    }
    if (size < 0) {
      return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, "tflite-shape",
                        place, "dimension %u is %lld", (unsigned)k,
                        (long long)size);
    }
    dims[k] = tenon_dim_fixed(size);
    count *= size > 0 ? (uint64_t)size : 1;
    if (count > MAX_ELEMENTS) {
      return tenon_fail(
          &g->im->m->report, TENON_BAD_MODEL, "tflite-shape", place,
          "more than %lld elements, which is the most that is supported",
          (long long)MAX_ELEMENTS);
    }
  }
  return TENON_OK;
}

// shape_signature is shape with -1 where a size is open; it may be absent.
static tenon_status tensor_read_shape(tenon_import_graph *g, uint32_t tensor,
                                      const tenon_place *place) {
  tenon_import_tensor *t = &g->tensors[tensor];
  tenon_fb_vector shape = tenon_fb_list(&t->table, TENSOR_SHAPE);
  tenon_fb_vector signature = tenon_fb_list(&t->table, TENSOR_SHAPE_SIGNATURE);
  if (shape.count > TENON_MAX_RANK) {
    return tenon_fail(&g->im->m->report, TENON_UNSUPPORTED, "tflite-shape",
                      place, "%u dimensions, at most %d are supported",
                      (unsigned)shape.count, TENON_MAX_RANK);
  }
  if (signature.count != 0 && signature.count != shape.count) {
    return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, "tflite-shape", place,
                      "shape has %u dimensions and shape_signature %u",
                      (unsigned)shape.count, (unsigned)signature.count);
  }
  tenon_dim *dims =
      tenon_arena_array(&g->im->scratch, tenon_dim, TENON_MAX_RANK);
  if (!dims) return tenon_fail_memory(&g->im->m->report, "reading a tensor");
  t->type.rank = (uint8_t)shape.count;
  t->type.dims = dims;
  t->has_unknown_rank =
      shape.count == 0 && !tenon_fb_int(&t->table, TENSOR_HAS_RANK, 0);
  return tensor_read_dims(g, tensor, &shape, &signature, dims, place);
}

// ---------------------------------------------------------------------------
// Data
// ---------------------------------------------------------------------------

static tenon_status read_data(tenon_import_graph *g, tenon_import_tensor *t,
                              const tenon_place *place) {
  uint64_t buffer = (uint64_t)tenon_fb_int(&t->table, TENSOR_BUFFER, 0);
  uint64_t external = (uint64_t)tenon_fb_int(&t->table, TENSOR_EXTERNAL, 0);
  TENON_TRY(tenon_tflite_buffer(&g->im->file, buffer, place, &t->data));
  t->is_constant = t->data.data != NULL;
  t->is_variable = tenon_fb_int(&t->table, TENSOR_IS_VARIABLE, 0) != 0;
  t->is_sparse = tenon_fb_has(&t->table, TENSOR_SPARSITY);
  if (t->is_constant && external != 0)
    return tensor_bad(g, place, "tflite-external",
                      "has data and an external buffer");
  if (external != 0) {
    TENON_TRY(tenon_import_external(g, external, place, &t->data));
    t->is_constant = t->is_external = true;
  }
  if (t->is_constant && t->is_variable)
    return tensor_bad(g, place, "tflite-variable",
                      "is a variable and has data");
  // As in LiteRT, the caller says what it holds before a run. What has scales
  // per channel are weights, which nobody means to give.
  tenon_fb_table quant = tenon_fb_child(&t->table, TENSOR_QUANTIZATION);
  if (t->is_input && t->is_constant &&
      tenon_fb_list(&quant, QUANT_SCALE).count > 1)
    return tensor_bad(g, place, "tflite-graph",
                      "is a graph input and has the data of weights; expected "
                      "one of the two");
  if (t->is_input) t->is_variable = t->is_constant = t->is_sparse = false;
  return TENON_OK;
}

static tenon_status tensor_check_size(const tenon_import_graph *g,
                                      const tenon_import_tensor *t,
                                      const tenon_place *place) {
  size_t size = 0;
  if (t->type.dtype == TENON_STR) return TENON_OK;
  if (!tenon_type_size(&t->type, &size))
    return tensor_bad(g, place, "tflite-shape", "its bytes cannot be counted");
  if (size == t->data.size) return TENON_OK;
  return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, "tflite-buffer", place,
                    "expected %zu bytes of data, found %zu", size,
                    t->data.size);
}

static tenon_status tensor_read_tensor(tenon_import_graph *g, uint32_t i) {
  tenon_import_tensor *t = &g->tensors[i];
  const tenon_place *place = tenon_import_tensor_place(g, i);
  TENON_TRY(tensor_read_dtype(g, t, place));
  TENON_TRY(read_data(g, t, place));
  TENON_TRY(tensor_read_shape(g, i, place));
  TENON_TRY(tenon_import_quant(g, i, &t->type.quant));
  if (t->is_sparse) return tenon_import_sparsity(g, i);
  return t->is_constant ? tensor_check_size(g, t, place) : TENON_OK;
}

// What the graph's first signature calls its inputs: such names are the user's,
// those of tensors often are not.
static void name_inputs(tenon_import_graph *g) {
  uint32_t index = g->im->signatures[g->index];
  if (index == 0) return;
  tenon_fb_vector all = tenon_fb_list(&g->im->file.model, MODEL_SIGNATURES);
  tenon_fb_table signature = tenon_fb_item(&all, index - 1);
  tenon_fb_vector maps = tenon_fb_list(&signature, SIGNATURE_INPUTS);
  for (uint32_t i = 0; i < maps.count; ++i) {
    tenon_fb_table map = tenon_fb_item(&maps, i);
    int64_t tensor = tenon_fb_int(&map, MAP_TENSOR, 0);
    tenon_text name = tenon_fb_text(&map, MAP_NAME);
    if (tensor < g->n_tensors && name.size > 0)
      g->tensors[tensor].input = name.data;
  }
}

static tenon_status mark_inputs(tenon_import_graph *g) {
  const tenon_place *place = tenon_import_graph_place(g);
  for (uint32_t i = 0; i < g->inputs.count; ++i) {
    int64_t tensor = tenon_fb_item_int(&g->inputs, i);
    if (tensor < 0 || tensor >= g->n_tensors) {
      return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, "tflite-graph",
                        place, "graph input %u is tensor %lld of %u",
                        (unsigned)i, (long long)tensor, (unsigned)g->n_tensors);
    }
    if (g->tensors[tensor].is_input) {
      return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, "tflite-graph",
                        place, "tensor %lld is a graph input twice",
                        (long long)tensor);
    }
    g->tensors[tensor].is_input = true;
  }
  return TENON_OK;
}

tenon_status tenon_import_tensors(tenon_import_graph *g) {
  tenon_fb_vector list = tenon_fb_list(&g->table, SUBGRAPH_TENSORS);
  g->n_tensors = list.count;
  g->tensors =
      tenon_arena_array(&g->im->scratch, tenon_import_tensor, list.count);
  if (!g->tensors)
    return tenon_fail_memory(&g->im->m->report, "reading a subgraph");
  memset(g->tensors, 0, list.count * sizeof *g->tensors);
  for (uint32_t i = 0; i < list.count; ++i)
    g->tensors[i].table = tenon_fb_item(&list, i);
  TENON_TRY(mark_inputs(g));
  name_inputs(g);
  for (uint32_t i = 0; i < list.count; ++i)
    TENON_TRY(tensor_read_tensor(g, i));
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Constants
// ---------------------------------------------------------------------------

// Offsets of count + 1 strings from the start of the data, behind the count.
static tenon_status read_strings(tenon_import_graph *g, tenon_import_tensor *t,
                                 const tenon_place *place, tenon_text **out) {
  uint64_t count = 0;
  uint32_t stored = 0, begin = 0, end = 0;
  (void)tenon_type_count(&t->type, &count);
  (void)tenon_bytes_u32(t->data, 0, &stored);
  if (stored != count || !tenon_bytes_has(t->data, 0, 4 * (count + 2))) {
    return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, "tflite-string",
                      place, "expected %llu strings, found %u in %zu bytes",
                      (unsigned long long)count, (unsigned)stored,
                      t->data.size);
  }
  TENON_TRY(tenon_import_spend(g->im, STRING_COST * count, place));
  tenon_text *texts =
      tenon_arena_array(&g->im->scratch, tenon_text, (size_t)count);
  if (!texts) return tenon_fail_memory(&g->im->m->report, "reading strings");
  (void)tenon_bytes_u32(t->data, 4, &end);
  for (uint64_t i = 0; i < count; ++i) {
    begin = end;
    (void)tenon_bytes_u32(t->data, 4 * (i + 2), &end);
    if (begin < 4 * (count + 2) || end < begin || end > t->data.size) {
      return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, "tflite-string",
                        place, "string %llu is bytes 0x%x to 0x%x of %zu bytes",
                        (unsigned long long)i, (unsigned)begin, (unsigned)end,
                        t->data.size);
    }
    texts[i] =
        (tenon_text){(const char *)t->data.data + begin, (size_t)(end - begin)};
  }
  *out = texts;
  return TENON_OK;
}

static bool has_odd_bools(tenon_bytes data) {
  for (size_t i = 0; i < data.size; ++i) {
    if (data.data[i] > 1) return true;
  }
  return false;
}

// Every byte 0 or 1, as C wants of a bool.
static const void *plain_bools(tenon_import *im, tenon_import_buffer *buffer,
                               tenon_bytes data) {
  if (buffer->bools) return buffer->bools;
  if (!has_odd_bools(data)) {
    buffer->bools = data.data;
    return data.data;
  }
  uint8_t *copy = (uint8_t *)tenon_arena_alloc(&im->m->arena, data.size, 64);
  for (size_t i = 0; copy && i < data.size; ++i)
    copy[i] = data.data[i] != 0;
  buffer->bools = copy;
  return copy;
}

// The data where they may be read as their type. Kernels want more alignment
// than this; who needs it copies (formats promise none).
static const void *readable(tenon_import *im, const tenon_import_tensor *t) {
  uint64_t index = (uint64_t)tenon_fb_int(&t->table, TENSOR_BUFFER, 0);
  tenon_import_buffer alone = {0};
  tenon_import_buffer *buffer = t->is_external ? &alone : &im->buffers[index];
  const tenon_dtype_info *info = tenon_dtype_look(t->type.dtype);
  size_t align = info->bits > 64 ? 8 : info->bits / 8;
  if (info->kind == 'c') align = info->bits / 16;
  if (t->type.dtype == TENON_BOOL) return plain_bools(im, buffer, t->data);
  if (align <= 1 || (uintptr_t)t->data.data % align == 0) return t->data.data;
  if (!buffer->aligned) {
    buffer->aligned =
        tenon_arena_copy(&im->m->arena, t->data.data, t->data.size, 64);
  }
  return buffer->aligned;
}

tenon_status tenon_import_constant(tenon_import_graph *g, uint32_t tensor) {
  tenon_import *im = g->im;
  tenon_import_tensor *t = &g->tensors[tensor];
  const tenon_place *place = tenon_import_tensor_place(g, tensor);
  const char *name = tenon_fb_text(&t->table, TENSOR_NAME).data;
  tenon_text *texts = NULL;
  if (t->type.dtype == TENON_STR && t->is_constant)
    TENON_TRY(read_strings(g, t, place, &texts));
  tenon_loc loc = tenon_import_loc(im, place);
  if (texts) {
    t->value = tenon_build_strings(im->m, name, &t->type, texts, loc);
  } else {
    const void *data = NULL;
    if (t->is_sparse)
      TENON_TRY(tenon_import_dense(g, tensor, &data));
    else if (t->is_constant)
      data = readable(im, t);
    if (t->is_constant && !data)
      return tenon_fail_memory(&im->m->report, "reading a constant");
    t->value = tenon_build_constant(im->m, name, &t->type, data, true, loc);
  }
  return t->value ? TENON_OK : tenon_import_built(im);
}
