// How: a tensor names an external buffer by its id, the buffer a slice of a
// file, and the file lies beside the model: whoever reads the model opens it
// (tenon_read_options.beside), once however many tensors it holds. Names that
// are paths are refused here, so that no caller has to think of it.
#include "read/tflite/tflite_import.h"

// What a writer says of data that are as a tensor has them.
#define PLAIN "unpacked"

static tenon_status external_fail(tenon_import_graph *g,
                                  const tenon_place *place, tenon_status status,
                                  const char *what, tenon_text name) {
  return tenon_fail(&g->im->m->report, status, "tflite-external", place,
                    "its data are in another file, '%s'%s",
                    tenon_import_label(g->im, 0, name), what);
}

// A name within a folder: nothing that any system takes for a way out of it.
static bool is_plain_name(tenon_text name) {
  if (name.size == 0 || tenon_text_is(name, ".") || tenon_text_is(name, ".."))
    return false;
  for (size_t i = 0; i < name.size; ++i)
    if (!name.data[i] || strchr("/\\:", name.data[i])) return false;
  return true;
}

static tenon_status open_group(tenon_import_graph *g, const tenon_place *place,
                               uint32_t index, tenon_text name,
                               tenon_bytes *out) {
  tenon_import *im = g->im;
  const tenon_read_options *o = im->options;
  const void *data = NULL;
  size_t size = 0;
  if (!is_plain_name(name))
    return external_fail(g, place, TENON_BAD_MODEL,
                         ": expected the name of a file beside the model",
                         name);
  if (!o || !o->beside)
    return external_fail(g, place, TENON_UNSUPPORTED,
                         "; read the model with tenon_read_options.beside",
                         name);
  if (!im->groups[index].data) {
    const char *file = tenon_arena_text(&im->scratch, name.data, name.size);
    if (!file)
      return tenon_fail_memory(&im->m->report, "opening an external buffer");
    tenon_status status = o->beside(o->beside_self, file, &data, &size);
    if (status != TENON_OK || !data)
      return external_fail(
          g, place, status ? status : TENON_IO,
          ", which cannot be read: it belongs beside the model", name);
    im->groups[index] = (tenon_bytes){(const uint8_t *)data, size};
  }
  *out = im->groups[index];
  return TENON_OK;
}

static tenon_status external_read_slice(tenon_import_graph *g,
                                        const tenon_place *place,
                                        const tenon_fb_table *external,
                                        tenon_bytes *out) {
  tenon_import *im = g->im;
  tenon_fb_vector groups =
      tenon_fb_list(&im->file.model, MODEL_EXTERNAL_GROUPS);
  uint64_t index = (uint64_t)tenon_fb_int(external, EXTERNAL_GROUP, 0);
  uint64_t offset = (uint64_t)tenon_fb_int(external, EXTERNAL_OFFSET, 0);
  uint64_t length = (uint64_t)tenon_fb_int(external, EXTERNAL_LENGTH, 0);
  tenon_text packing = tenon_fb_text(external, EXTERNAL_PACKING);
  tenon_bytes file = {0};
  if (index >= groups.count)
    return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-external", place,
                      "external buffer is in group %llu of %u",
                      (unsigned long long)index, (unsigned)groups.count);
  tenon_fb_table group = tenon_fb_item(&groups, (uint32_t)index);
  tenon_text name = tenon_fb_text(&group, GROUP_NAME);
  if (packing.size > 0 && !tenon_text_is(packing, PLAIN))
    return tenon_fail(&im->m->report, TENON_UNSUPPORTED, "tflite-external",
                      place, "its data are packed as '%s'; only '%s' is read",
                      tenon_import_label(im, 0, packing), PLAIN);
  TENON_TRY(open_group(g, place, (uint32_t)index, name, &file));
  if (!tenon_bytes_has(file, offset, length))
    return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-external", place,
                      "its data are %llu bytes at 0x%llx of '%s', which has "
                      "%zu bytes",
                      (unsigned long long)length, (unsigned long long)offset,
                      tenon_import_label(im, 0, name), file.size);
  *out = (tenon_bytes){file.data + offset, (size_t)length};
  return TENON_OK;
}

static tenon_status make_groups(tenon_import *im) {
  if (im->groups) return TENON_OK;
  uint32_t n = tenon_fb_list(&im->file.model, MODEL_EXTERNAL_GROUPS).count;
  im->groups = tenon_arena_array(&im->scratch, tenon_bytes, n + 1u);
  if (!im->groups)
    return tenon_fail_memory(&im->m->report, "opening external buffers");
  memset(im->groups, 0, (n + 1u) * sizeof *im->groups);
  return TENON_OK;
}

tenon_status tenon_import_external(tenon_import_graph *g, uint64_t id,
                                   const tenon_place *place, tenon_bytes *out) {
  tenon_import *im = g->im;
  tenon_fb_vector list = tenon_fb_list(&im->file.model, MODEL_EXTERNAL_BUFFERS);
  TENON_TRY(make_groups(im));
  TENON_TRY(tenon_import_spend(im, list.count, place));
  for (uint32_t i = 0; i < list.count; ++i) {
    tenon_fb_table external = tenon_fb_item(&list, i);
    if ((uint64_t)tenon_fb_int(&external, EXTERNAL_ID, 0) == id)
      return external_read_slice(g, place, &external, out);
  }
  return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-external", place,
                    "external buffer %llu is not defined",
                    (unsigned long long)id);
}
