// How: the metadata are a FlatBuffer in a buffer of the file, so the generic
// verifier walks them first; the archive is read by its central directory,
// which stands at the end of the file. Both are asked with a report that nobody
// hears.
#include "base/bytes.h"
#include "read/about.h"
#include "read/flatbuf.h"
#include "read/zip.h"

#define METADATA_KEY "TFLITE_METADATA"
#define METADATA_IDENTIFIER "M001"

enum {
  MODEL_NAME,
  MODEL_DESCRIPTION,
  MODEL_VERSION,
  MODEL_SUBGRAPHS,
  MODEL_AUTHOR,
  MODEL_LICENSE,
  MODEL_FILES,
  MODEL_PARSER
};
enum { GRAPH_INPUTS = 2, GRAPH_OUTPUTS, GRAPH_FILES };
enum { ITEM_NAME, ITEM_DESCRIPTION, TENSOR_FILES = 6 };

static const tenon_fb_type file_type = {
    "AssociatedFile", "ssbss", "name description type locale version", NULL};
static const tenon_fb_type *const file_types[] = {&file_type};
static const tenon_fb_type tensor_type = {
    "TensorMetadata", "ss----T",
    "name description dimension_names content process_units stats "
    "associated_files",
    (const tenon_fb_link[]){{file_types, 1}}};
static const tenon_fb_type *const tensor_types[] = {&tensor_type};
static const tenon_fb_type graph_type = {
    "SubGraphMetadata", "ssTTT",
    "name description input_tensor_metadata output_tensor_metadata "
    "associated_files",
    (const tenon_fb_link[]){
        {tensor_types, 1}, {tensor_types, 1}, {file_types, 1}}};
static const tenon_fb_type *const graph_types[] = {&graph_type};
static const tenon_fb_type model_type = {
    "ModelMetadata", "sssTssTs",
    "name description version subgraph_metadata author license "
    "associated_files min_parser_version",
    (const tenon_fb_link[]){{graph_types, 1}, {file_types, 1}}};

static void about_tflite_tell(const tenon_about_api *api, const char *what,
                              const tenon_fb_table *t, int slot) {
  tenon_text text = tenon_fb_text(t, slot);
  if (text.size > 0) api->text(api->self, what, NULL, text.data);
}

// What is said of each of a list; silence is left out.
static void tell_items(const tenon_about_api *api, const char *what,
                       const tenon_fb_table *t, int slot) {
  tenon_fb_vector list = tenon_fb_list(t, slot);
  for (uint32_t i = 0; i < list.count; ++i) {
    tenon_fb_table item = tenon_fb_item(&list, i);
    tenon_text name = tenon_fb_text(&item, ITEM_NAME);
    tenon_text text = tenon_fb_text(&item, ITEM_DESCRIPTION);
    if (text.size > 0)
      api->text(api->self, what, name.size > 0 ? name.data : "", text.data);
    if (item.type == &tensor_type) tell_items(api, "file", &item, TENSOR_FILES);
  }
}

static void tell_metadata(const tenon_about_api *api, tenon_bytes bytes,
                          const char *file) {
  static const tenon_report silent;
  tenon_fb fb = {bytes, &silent, file, "tflite-flatbuffer"};
  tenon_fb_table model;
  if (tenon_fb_verify(&fb, METADATA_IDENTIFIER, &model_type, &model) !=
      TENON_OK)
    return;
  about_tflite_tell(api, "name", &model, MODEL_NAME);
  about_tflite_tell(api, "description", &model, MODEL_DESCRIPTION);
  about_tflite_tell(api, "version", &model, MODEL_VERSION);
  about_tflite_tell(api, "author", &model, MODEL_AUTHOR);
  about_tflite_tell(api, "license", &model, MODEL_LICENSE);
  about_tflite_tell(api, "parser", &model, MODEL_PARSER);
  tell_items(api, "file", &model, MODEL_FILES);
  tenon_fb_vector graphs = tenon_fb_list(&model, MODEL_SUBGRAPHS);
  for (uint32_t i = 0; i < graphs.count; ++i) {
    tenon_fb_table graph = tenon_fb_item(&graphs, i);
    tell_items(api, "input", &graph, GRAPH_INPUTS);
    tell_items(api, "output", &graph, GRAPH_OUTPUTS);
    tell_items(api, "file", &graph, GRAPH_FILES);
  }
}

static void tell_files(const tenon_about_api *api, const tenon_module *m) {
  static const tenon_report silent;
  const tenon_bytes bytes =
      tenon_zip_appended((tenon_bytes){(const uint8_t *)m->file, m->file_size});
  tenon_arena scratch;
  tenon_zip zip;
  tenon_arena_init(&scratch, m->cx->allocator);
  if (tenon_zip_open(&zip, bytes, 0, &scratch, &silent, m->name) == TENON_OK)
    for (size_t i = 0; i < zip.count; ++i)
      api->file(api->self, zip.members[i].name, zip.members[i].size);
  tenon_zip_deinit(&zip);
  tenon_arena_deinit(&scratch);
}

void tenon_tflite_about(const tenon_module *m, const tenon_about_api *api) {
  if (!m->format || strcmp(m->format, "tflite") != 0 || !m->file) return;
  for (size_t i = 0; i < m->metadata.count; ++i) {
    const tenon_metadata *one = &m->metadata.data[i];
    tenon_bytes bytes = {(const uint8_t *)one->data, one->size};
    if (strcmp(one->key, METADATA_KEY) == 0) tell_metadata(api, bytes, m->name);
  }
  tell_files(api, m);
}
