// read/weights/weights_read.c - a file of weights: the first bytes decide the
// format, and each reader adds what it finds.
#include "read/read.h"
#include "read/weights/state_dict.h"
#include "read/weights/weights.h"

static tenon_status read_file(tenon_weights *w, tenon_bytes bytes) {
  if (tenon_safetensors_recognise(bytes.data, bytes.size))
    return tenon_safetensors_read(w, bytes);
  if (tenon_pt2_recognise(bytes.data, bytes.size) ||
      tenon_state_dict_is_legacy(bytes))
    return tenon_pt2_weights_read(w, bytes);
  tenon_place place = {w->keep->name, "first bytes", NULL, 0, 8};
  return tenon_fail(&w->keep->report, TENON_BAD_MODEL, "weights-file", &place,
                    "expected a .safetensors, a .pt2, or a file of torch.save "
                    "with a dictionary of tensors");
}

tenon_status tenon_weights_read(tenon_context *cx, const void *data,
                                size_t size, const char *name,
                                tenon_weights **out) {
  tenon_weights *w = NULL;
  tenon_module *keep = NULL;
  *out = NULL;
  TENON_TRY(tenon_context_freeze(cx));
  TENON_TRY(tenon_module_create(cx, name ? name : "weights", &keep));
  w = tenon_arena_new(&keep->arena, tenon_weights);
  if (!w) {
    tenon_module_release(keep);
    return tenon_fail_memory(&cx->report, "reading weights");
  }
  w->keep = keep;
  w->file = data;
  w->file_size = size;
  tenon_vec_init(&w->list, cx->allocator);
  tenon_map_init(&w->names, cx->allocator);
  tenon_status status =
      data ? read_file(w, (tenon_bytes){(const uint8_t *)data, size})
           : TENON_OK;
  if (status == TENON_OK)
    *out = w;
  else
    tenon_weights_destroy(w);
  return status;
}
