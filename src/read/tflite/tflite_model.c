// How: the schema is written down as data for tenon_fb_verify. Options tables
// come from tflite_options.def, operator codes from tflite_ops.def; both are
// indexed by the schema's numbers, so a lookup is an access to an array.
#include "read/tflite/tflite_model.h"

// The schema has had this version since 2017; it grows by new slots.
#define SCHEMA_VERSION 3

// ---------------------------------------------------------------------------
// Options tables
// ---------------------------------------------------------------------------

#define OPTIONS(number, name, fields, names) \
  static const tenon_fb_type type_##name = {#name, fields, names, NULL};
#define OPTIONS2 OPTIONS
#include "read/tflite/tflite_options.def"
#undef OPTIONS2
#undef OPTIONS
static const tenon_fb_type type_NONE = {"NONE", "", "", NULL};

static const tenon_fb_type *const options_types[] = {
#define OPTIONS(number, name, fields, names) [number] = &type_##name,
#define OPTIONS2(number, name, fields, names)
#include "read/tflite/tflite_options.def"
#undef OPTIONS2
#undef OPTIONS
};
static const tenon_fb_type *const options2_types[] = {
#define OPTIONS(number, name, fields, names)
#define OPTIONS2(number, name, fields, names) [number] = &type_##name,
#include "read/tflite/tflite_options.def"
#undef OPTIONS2
#undef OPTIONS
};

// ---------------------------------------------------------------------------
// Everything else
// ---------------------------------------------------------------------------

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define LINK_TO(type) \
  { (const tenon_fb_type *const[]){&(type)}, 1 }

static const tenon_fb_type custom_quant = {"CustomQuantization", "C", "custom",
                                           NULL};
static const tenon_fb_type blockwise_quant = {
    "BlockwiseQuantization", "iii", "scales zero_points block_size", NULL};
static const tenon_fb_type multi_axis_quant = {
    "MultiAxisQuantization", "iiiI",
    "scales zero_points block_size quantized_dimensions", NULL};
static const tenon_fb_type *const quant_details[] = {
    NULL, &custom_quant, &blockwise_quant, &multi_axis_quant};
static const tenon_fb_type quant_type = {
    "QuantizationParameters", "FFFLcxi",
    "min max scale zero_point details_type details quantized_dimension",
    (const tenon_fb_link[]){{quant_details, LENGTH(quant_details)}}};

static const tenon_fb_type int32_vector = {"Int32Vector", "I", "values", NULL};
static const tenon_fb_type uint16_vector = {"Uint16Vector", "H", "values",
                                            NULL};
static const tenon_fb_type uint8_vector = {"Uint8Vector", "C", "values", NULL};
static const tenon_fb_type *const index_vectors[] = {
    NULL, &int32_vector, &uint16_vector, &uint8_vector};
static const tenon_fb_type sparse_dim_type = {
    "DimensionMetadata", "bicxcx",
    "format dense_size array_segments_type array_segments array_indices_type "
    "array_indices",
    (const tenon_fb_link[]){{index_vectors, LENGTH(index_vectors)},
                            {index_vectors, LENGTH(index_vectors)}}};
static const tenon_fb_type sparsity_type = {
    "SparsityParameters", "IIT", "traversal_order block_map dim_metadata",
    (const tenon_fb_link[]){LINK_TO(sparse_dim_type)}};

static const tenon_fb_type variant_type = {"VariantSubType", "Ibc",
                                           "shape type has_rank", NULL};
static const tenon_fb_type tensor_type = {
    "Tensor", "IbustctIcTu",
    "shape type buffer name quantization is_variable sparsity shape_signature "
    "has_rank variant_tensors external_buffer",
    (const tenon_fb_link[]){LINK_TO(quant_type), LINK_TO(sparsity_type),
                            LINK_TO(variant_type)}};
static const tenon_fb_type operator_type = {
    "Operator", "uIIcxCbCIwwcxi",
    "opcode_index inputs outputs builtin_options_type builtin_options "
    "custom_options custom_options_format mutating_variable_inputs "
    "intermediates large_custom_options_offset large_custom_options_size "
    "builtin_options_2_type builtin_options_2 debug_metadata_index",
    (const tenon_fb_link[]){{options_types, LENGTH(options_types)},
                            {options2_types, LENGTH(options2_types)}}};
static const tenon_fb_type subgraph_type = {
    "SubGraph", "TIITsi",
    "tensors inputs outputs operators name debug_metadata_index",
    (const tenon_fb_link[]){LINK_TO(tensor_type), LINK_TO(operator_type)}};

static const tenon_fb_type code_type = {
    "OperatorCode", "bsii",
    "deprecated_builtin_code custom_code version builtin_code", NULL};
static const tenon_fb_type buffer_type = {"Buffer", "Dww", "data offset size",
                                          NULL};
static const tenon_fb_type metadata_type = {"Metadata", "su", "name buffer",
                                            NULL};
static const tenon_fb_type tensor_map_type = {"TensorMap", "su",
                                              "name tensor_index", NULL};
static const tenon_fb_type signature_type = {
    "SignatureDef", "TTs-u",
    "inputs outputs signature_key deprecated_tag subgraph_index",
    (const tenon_fb_link[]){LINK_TO(tensor_map_type),
                            LINK_TO(tensor_map_type)}};
static const tenon_fb_type group_type = {"ExternalBufferGroup", "s", "name",
                                         NULL};
static const tenon_fb_type external_type = {
    "ExternalBuffer", "uuwws", "id group offset length packing", NULL};
static const tenon_fb_type model_type = {
    "Model", "uTTsTITTTT",
    "version operator_codes subgraphs description buffers metadata_buffer "
    "metadata signature_defs external_buffer_groups external_buffers",
    (const tenon_fb_link[]){LINK_TO(code_type), LINK_TO(subgraph_type),
                            LINK_TO(buffer_type), LINK_TO(metadata_type),
                            LINK_TO(signature_type), LINK_TO(group_type),
                            LINK_TO(external_type)}};

// ---------------------------------------------------------------------------

static const tenon_tflite_op ops[] = {
#define OP(number, name, options) [number] = {#name, &type_##options},
#include "read/tflite/tflite_ops.def"
#undef OP
};

tenon_tflite_op tenon_tflite_find(const char *name) {
  size_t code = 0;
  while (code < LENGTH(ops) &&
         (!ops[code].name || strcmp(ops[code].name, name) != 0))
    ++code;
  return tenon_tflite_look((int64_t)code);
}

tenon_tflite_op tenon_tflite_look(int64_t code) {
  if (code < 0 || code >= (int64_t)LENGTH(ops))
    return (tenon_tflite_op){NULL, NULL};
  tenon_tflite_op op = ops[code];
  if (op.options && !op.options->fields[0]) op.options = NULL;
  return op;
}

tenon_status tenon_tflite_open(tenon_tflite *file, tenon_bytes bytes,
                               const tenon_report *report, const char *name) {
  file->fb = (tenon_fb){bytes, report, name, "tflite-flatbuffer"};
  TENON_TRY(tenon_fb_verify(&file->fb, TENON_TFLITE_IDENTIFIER, &model_type,
                            &file->model));
  file->codes = tenon_fb_list(&file->model, MODEL_OPERATOR_CODES);
  file->subgraphs = tenon_fb_list(&file->model, MODEL_SUBGRAPHS);
  file->buffers = tenon_fb_list(&file->model, MODEL_BUFFERS);
  tenon_bytes table = tenon_fb_table_bytes(&file->model);
  tenon_place place = {name, "table Model", NULL, file->model.at, table.size};
  int64_t version = tenon_fb_int(&file->model, MODEL_VERSION, 0);
  if (version != SCHEMA_VERSION) {
    return tenon_fail(report, TENON_UNSUPPORTED, "tflite-schema", &place,
                      "expected schema version %d, found %lld", SCHEMA_VERSION,
                      (long long)version);
  }
  if (file->subgraphs.count == 0) {
    return tenon_fail(report, TENON_BAD_MODEL, "tflite-graph", &place,
                      "expected a subgraph, found none");
  }
  return TENON_OK;
}

uint64_t tenon_tflite_offset(const tenon_tflite *file, const void *data) {
  return data ? (uint64_t)((const uint8_t *)data - file->fb.bytes.data) : 0;
}

tenon_status tenon_tflite_appended(const tenon_tflite *file, uint64_t offset,
                                   uint64_t size, const char *what,
                                   const tenon_place *place, tenon_bytes *out) {
  if (tenon_bytes_slice(file->fb.bytes, offset, size, out)) return TENON_OK;
  return tenon_fail(
      file->fb.report, TENON_BAD_MODEL, "tflite-buffer", place,
      "%s refers to %llu bytes at 0x%llx, but the file has %zu bytes", what,
      (unsigned long long)size, (unsigned long long)offset,
      file->fb.bytes.size);
}

tenon_status tenon_tflite_buffer(const tenon_tflite *file, uint64_t index,
                                 const tenon_place *place, tenon_bytes *out) {
  *out = (tenon_bytes){NULL, 0};
  if (index == 0) return TENON_OK;
  if (index >= file->buffers.count) {
    return tenon_fail(file->fb.report, TENON_BAD_MODEL, "tflite-buffer", place,
                      "refers to buffer %llu of %u", (unsigned long long)index,
                      (unsigned)file->buffers.count);
  }
  tenon_fb_table buffer = tenon_fb_item(&file->buffers, (uint32_t)index);
  tenon_bytes data = tenon_fb_data(&buffer, BUFFER_DATA);
  uint64_t offset = (uint64_t)tenon_fb_int(&buffer, BUFFER_OFFSET, 0);
  uint64_t size = (uint64_t)tenon_fb_int(&buffer, BUFFER_SIZE, 0);
  if (offset <= 1) {  // 1 marks a buffer whose offset was never filled in
    if (data.size > 0) *out = data;
    return TENON_OK;
  }
  if (data.size > 0) {
    return tenon_fail(
        file->fb.report, TENON_BAD_MODEL, "tflite-buffer", place,
        "buffer %llu has data and an offset; expected one of the two",
        (unsigned long long)index);
  }
  TENON_TRY(tenon_tflite_appended(file, offset, size, "buffer", place, out));
  if (size == 0) out->data = NULL;
  return TENON_OK;
}
