// How: a list, and a map from names to places in it.
#include "read/weights/weights.h"

#include "base/label.h"
#include "core/dtype.h"

static tenon_status weights_no_memory(const tenon_weights *w) {
  return tenon_fail_memory(&w->keep->report, "reading weights");
}

const tenon_weight *tenon_weights_find(const tenon_weights *w,
                                       const char *name) {
  const uint64_t *at = w ? tenon_map_find_text(&w->names, name) : NULL;
  return at ? &w->list.data[*at] : NULL;
}

static bool weights_same(const tenon_weight *a, const tenon_weight *b) {
  return tenon_type_equals(&a->type, &b->type) &&
         a->bytes.size == b->bytes.size &&
         (a->bytes.size == 0 ||
          memcmp(a->bytes.data, b->bytes.data, a->bytes.size) == 0);
}

tenon_status tenon_weights_put(tenon_weights *w, const tenon_weight *weight) {
  const tenon_weight *other = tenon_weights_find(w, weight->name);
  if (other && weights_same(other, weight)) return TENON_OK;
  if (other) {
    char label[TENON_LABEL];
    tenon_label_make(label, tenon_text_of(weight->name));
    tenon_place place = {w->keep->name, label, NULL, 0, 0};
    return tenon_fail(&w->keep->report, TENON_BAD_MODEL, "weights-file", &place,
                      "there are two weights '%s', and they differ", label);
  }
  tenon_weight own = *weight;
  own.name = tenon_arena_string(&w->keep->arena, weight->name);
  own.type = tenon_type_copy(&w->keep->arena, &weight->type);
  bool done = !w->keep->arena.failed &&
              tenon_map_put_text(&w->names, own.name, w->list.count, NULL) &&
              tenon_vec_push(&w->list, own);
  return done ? TENON_OK : weights_no_memory(w);
}

static bool is_bits_of(tenon_dtype stored, tenon_dtype meant) {
  if (meant == TENON_BF16) return stored == TENON_U16;
  const tenon_dtype_info *info = tenon_dtype_look(meant);
  return stored == TENON_U8 && info->kind == 'f' && info->bits == 8;
}

bool tenon_weight_fits(const tenon_weight *weight, const tenon_type *type) {
  if (!tenon_type_same_shape(&weight->type, type)) return false;
  return weight->type.dtype == type->dtype ||
         (weight->may_be_bits && is_bits_of(weight->type.dtype, type->dtype));
}

// ---------------------------------------------------------------------------
// The public functions
// ---------------------------------------------------------------------------

tenon_status tenon_weights_add(tenon_weights *w, const char *name,
                               const tenon_tensor *tensor) {
  tenon_dim dims[TENON_MAX_RANK];
  tenon_weight weight = {.name = name, .may_be_bits = true};
  size_t size = 0;
  weight.type = (tenon_type){dims, NULL, tensor->dtype, tensor->rank, 0};
  for (int i = 0; i < tensor->rank && i < TENON_MAX_RANK; ++i)
    dims[i] = tenon_dim_fixed(tensor->dims[i]);
  bool is_known = tenon_dtype_look(tensor->dtype) != NULL &&
                  tensor->dtype != TENON_STR && !tensor->strides &&
                  tensor->rank <= TENON_MAX_RANK;
  if (!is_known || !tenon_type_size(&weight.type, &size))
    return tenon_fail(&w->keep->report, TENON_BAD_ARGUMENT, "weights-file",
                      NULL, "weight '%.80s' is no dense tensor", name);
  weight.bytes.data = tenon_arena_copy(&w->keep->arena, tensor->data, size, 64);
  weight.bytes.size = size;
  if (size && !weight.bytes.data) return weights_no_memory(w);
  return tenon_weights_put(w, &weight);
}

size_t tenon_weights_count(const tenon_weights *w) {
  return w->list.count;
}

void tenon_weights_destroy(tenon_weights *w) {
  if (!w) return;
  tenon_map_deinit(&w->names);
  tenon_vec_deinit(&w->list);
  tenon_module_release(w->keep);  // the list lies in it
}
