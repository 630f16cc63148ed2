// How: a configuration says which member holds the bytes of which name, and how
// a tensor lies in them. All of that is checked when the name is met; bytes are
// only looked at for a value that is used. What is dense and aligned stays in
// the file.
#include "base/size.h"
#include "read/pt2/pt2_import.h"

// What a tensor that is not dense may take: this, and so many bytes for each of
// the file.
#define DENSE_FLOOR (UINT64_C(64) << 20)
#define DENSE_FACTOR 16

static tenon_status open_config(tenon_pt2 *im, const char *folder,
                                const char *const *suffixes,
                                tenon_json_doc *doc) {
  tenon_zip_member *member = NULL;
  for (int i = 0; !member && suffixes[i]; ++i) {
    tenon_buf_clear(&im->text);
    tenon_buf_format(&im->text, "%sdata/%s/%s%s", im->root, folder, im->name,
                     suffixes[i]);
    if (im->text.failed) return tenon_pt2_memory(im);
    member = tenon_zip_find(&im->zip, im->text.data);
  }
  if (!member) return TENON_OK;
  tenon_bytes bytes = {NULL, 0};
  TENON_TRY(tenon_zip_read(&im->zip, member, &bytes));
  TENON_TRY(tenon_json_parse(doc, bytes, &im->cx->allocator, &im->m->report,
                             im->m->name, member->name + im->root_size));
  tenon_json root = tenon_json_root(doc);
  return tenon_json_object(tenon_json_at(&root, "config"));
}

// Torch up to 2.8 has a pickled dictionary instead; newer ones read it first,
// too.
static tenon_status open_pickled(tenon_pt2 *im, int k) {
  static const char *const flat[2][2] = {
      {"serialized_state_dict.pt", "serialized_state_dict.json"},
      {"serialized_constants.pt", "serialized_constants.json"}};
  static const char *const folders[] = {"weights", "constants"};
  tenon_zip_member *member = NULL;
  tenon_bytes bytes = {NULL, 0};
  for (int i = 0; !member && i < (im->is_flat ? 2 : 1); ++i) {
    tenon_buf_clear(&im->text);
    if (im->is_flat)
      tenon_buf_text(&im->text, flat[k][i]);
    else
      tenon_buf_format(&im->text, "%sdata/%s/%s.pt", im->root, folders[k],
                       im->name);
    if (im->text.failed) return tenon_pt2_memory(im);
    member = tenon_zip_find(&im->zip, im->text.data);
  }
  if (!member) return TENON_OK;
  TENON_TRY(tenon_zip_read(&im->zip, member, &bytes));
  tenon_place place = tenon_zip_place(&im->zip, member);
  return tenon_state_dict_open(&im->pickled[k], bytes, place.offset,
                               &im->m->arena, &im->m->report, im->m->name,
                               member->name + im->root_size);
}

tenon_status tenon_pt2_weights_open(tenon_pt2 *im) {
  static const char *const weights[] = {"_weights_config.json",
                                        "_model_param_config.json", NULL};
  static const char *const constants[] = {"_constants_config.json",
                                          "_model_constants_config.json", NULL};
  TENON_TRY(open_pickled(im, 0));
  TENON_TRY(open_pickled(im, 1));
  if (im->is_flat) return TENON_OK;
  TENON_TRY(open_config(im, "weights", weights, &im->weights));
  return open_config(im, "constants", constants, &im->constants);
}

// ---------------------------------------------------------------------------
// Checking
// ---------------------------------------------------------------------------

// Of the member, without the folder that all share.
static const char *shown_name(const tenon_pt2 *im, const tenon_pt2_weight *w) {
  return w->member->name + (w->zip == &im->zip ? im->root_size : 0);
}

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "pt2-weights", __VA_ARGS__)

// Names the weight where the file has no text about it.
#define fail_weight(im, w, ...)                                \
  tenon_fail(&(im)->m->report, TENON_BAD_MODEL, "pt2-weights", \
             tenon_locs_place(&(im)->m->locs, (w)->loc), __VA_ARGS__)

// `meta` null: of one that is pickled, which has no text.
static tenon_status pt2_weights_check_type(tenon_pt2 *im,
                                           const tenon_json *meta,
                                           const tenon_pt2_weight *w,
                                           const tenon_type *type) {
  tenon_buf found, wanted;
  if (!tenon_type_is_static(&w->type))
    return fail(meta, "a weight whose sizes are not numbers");
  if (!type ||
      (type->dtype == w->type.dtype && tenon_type_same_shape(type, &w->type)))
    return TENON_OK;
  tenon_buf_init(&found, im->cx->allocator);
  tenon_buf_init(&wanted, im->cx->allocator);
  tenon_type_print(&w->type, &im->m->symbols, &found);
  tenon_type_print(type, &im->m->symbols, &wanted);
  tenon_status status = TENON_OK;
  if (found.failed || wanted.failed)
    status = tenon_pt2_memory(im);
  else if (meta)
    status = fail(meta, "is %s, expected %s as the graph has it", found.data,
                  wanted.data);
  else
    status = fail_weight(im, w, "is %s, expected %s as the graph has it",
                         found.data, wanted.data);
  tenon_buf_deinit(&found);
  tenon_buf_deinit(&wanted);
  return status;
}

// The index behind the last element that is looked at; 0 without elements.
static bool find_extent(const tenon_pt2_weight *w, int64_t *out) {
  int64_t last = w->offset;
  *out = 0;
  for (int i = 0; i < w->type.rank; ++i) {
    int64_t step = 0;
    if (w->type.dims[i].value == 0) return true;
    if (!tenon_int_mul(w->type.dims[i].value - 1, w->strides[i], &step) ||
        !tenon_int_add(last, step, &last))
      return false;
  }
  return tenon_int_add(last, 1, out);
}

static tenon_status check_extent(tenon_pt2 *im, tenon_pt2_weight *w) {
  int64_t extent = 0;
  size_t bits = tenon_dtype_look(w->type.dtype)->bits;
  if (!find_extent(w, &extent))
    return fail_weight(im, w, "its elements lie beyond 64 bits");
  w->extent = extent;
  if (w->member->size == 0) return TENON_OK;  // saved without weights
  if ((uint64_t)extent <= w->member->size / (bits / 8)) return TENON_OK;
  return fail_weight(im, w,
                     "needs %lld elements of %zu bytes, '%s' has %llu bytes",
                     (long long)extent, bits / 8, shown_name(im, w),
                     (unsigned long long)w->member->size);
}

static tenon_status pt2_weights_read_number(const tenon_json *at,
                                            const char *what, int64_t *out) {
  TENON_TRY(tenon_json_int(tenon_json_at(at, "as_int"), out));
  if (*out >= 0) return TENON_OK;
  return fail(at, "%s of %lld", what, (long long)*out);
}

static tenon_status read_layout(tenon_pt2 *im, const tenon_json *meta,
                                tenon_pt2_weight *w) {
  tenon_json strides = tenon_json_get(meta, "strides");
  tenon_json offset = tenon_json_get(meta, "storage_offset");
  size_t n = w->type.rank;
  w->strides = tenon_arena_array(&im->scratch, int64_t, n);
  if (!w->strides) return tenon_pt2_memory(im);
  TENON_TRY(tenon_json_array(&strides));
  for (size_t i = 0; i < n; ++i) {
    tenon_json stride = tenon_json_item(&strides, i);
    TENON_TRY(pt2_weights_read_number(&stride, "a stride", &w->strides[i]));
  }
  if (tenon_json_is(&offset))
    TENON_TRY(pt2_weights_read_number(&offset, "an offset", &w->offset));
  return check_extent(im, w);
}

// The same of a tensor that was pickled.
static tenon_status read_pickled(tenon_pt2 *im, tenon_state_dict *dict,
                                 const tenon_pickle_value *tensor,
                                 const tenon_type *type, tenon_pt2_weight *w) {
  size_t n = tensor->sizes->count, bytes = 0;
  tenon_dim *dims = tenon_arena_array(&im->scratch, tenon_dim, n);
  w->strides = tenon_arena_array(&im->scratch, int64_t, n);
  if (!dims || !w->strides) return tenon_pt2_memory(im);
  if (n > TENON_MAX_RANK || tensor->strides->count != n || tensor->i < 0)
    return fail_weight(im, w, "%zu sizes, %zu strides, offset %lld", n,
                       tensor->strides->count, (long long)tensor->i);
  for (size_t i = 0; i < n; ++i) {
    dims[i] = tenon_dim_fixed(tensor->sizes->items[i]->i);
    w->strides[i] = tensor->strides->items[i]->i;
    if (dims[i].value < 0 || w->strides[i] < 0)
      return fail_weight(im, w, "a size of %lld, a stride of %lld",
                         (long long)dims[i].value, (long long)w->strides[i]);
  }
  w->type = (tenon_type){dims, NULL, tensor->dtype, (uint8_t)n, 0};
  w->offset = tensor->i;
  if (!tenon_type_size(&w->type, &bytes))
    return fail_weight(im, w, "it has more bytes than can be addressed");
  w->zip = &dict->zip;
  w->member = tenon_state_dict_member(dict, tensor);
  if (!w->member) return fail_weight(im, w, "its data are not in the file");
  TENON_TRY(pt2_weights_check_type(im, NULL, w, type));
  return check_extent(im, w);
}

static tenon_status pt2_weights_find_member(tenon_pt2 *im,
                                            const tenon_json *payload,
                                            const char *folder,
                                            tenon_pt2_weight *w) {
  const char *path = NULL;
  char label[TENON_LABEL];
  tenon_json at = tenon_json_get(payload, "path_name");
  TENON_TRY(tenon_json_text(&at, &path));
  tenon_buf_clear(&im->text);
  tenon_buf_format(&im->text, "%sdata/%s/%s", im->root, folder, path);
  if (im->text.failed) return tenon_pt2_memory(im);
  w->zip = &im->zip;
  w->member = tenon_zip_find(&im->zip, im->text.data);
  if (w->member) return TENON_OK;
  tenon_label_make(label, tenon_text_of(path));
  return fail(&at, "the archive has no data/%s/%s", folder, label);
}

// One that torch.save wrote, since its class is another than Tensor: what it is
// made of must be a tensor all the same.
typedef struct tenon_pt2_pickle {
  const char *name;  // of the weight that it is; null: a configuration says
  tenon_state_dict file;
  struct tenon_pt2_pickle *next;
} pickle;

static tenon_status open_alone(tenon_pt2 *im, tenon_bytes bytes, uint64_t base,
                               const char *where, pickle **out) {
  pickle *p = *out = tenon_arena_new(&im->scratch, pickle);
  if (!p) return tenon_pt2_memory(im);
  p->next = im->pickles;
  im->pickles = p;
  return tenon_state_dict_open_tensor(&p->file, bytes, base, &im->m->arena,
                                      &im->m->report, im->m->name, where);
}

tenon_status tenon_pt2_weight_add(tenon_pt2 *im, const char *name,
                                  tenon_bytes bytes) {
  pickle *p = NULL;
  const char *own = tenon_arena_string(&im->scratch, name);
  if (!own) return tenon_pt2_memory(im);
  TENON_TRY(open_alone(im, bytes, 0, own, &p));
  p->name = own;
  return TENON_OK;
}

static pickle *find_alone(const tenon_pt2 *im, const char *name) {
  pickle *p = im->pickles;
  while (p && (!p->name || strcmp(p->name, name) != 0))
    p = p->next;
  return p;
}

static tenon_status read_alone(tenon_pt2 *im, const tenon_json *payload,
                               const char *folder, const tenon_type *type,
                               tenon_pt2_weight *w) {
  tenon_bytes bytes = {NULL, 0};
  pickle *p = NULL;
  TENON_TRY(pt2_weights_find_member(im, payload, folder, w));
  TENON_TRY(tenon_zip_read(&im->zip, w->member, &bytes));
  tenon_place place = tenon_zip_place(&im->zip, w->member);
  TENON_TRY(
      open_alone(im, bytes, place.offset, w->member->name + im->root_size, &p));
  return read_pickled(im, &p->file, p->file.root, type, w);
}

void tenon_pt2_weights_close(tenon_pt2 *im) {
  for (pickle *p = im->pickles; p; p = p->next)
    tenon_state_dict_deinit(&p->file);
  im->pickles = NULL;
}

static tenon_status read_payload(tenon_pt2 *im, const tenon_json *payload,
                                 const char *folder, const tenon_type *type,
                                 tenon_pt2_weight *w) {
  bool is_pickled = false;
  tenon_json pickled = tenon_json_get(payload, "use_pickle");
  tenon_json meta = tenon_json_get(payload, "tensor_meta");
  TENON_TRY(tenon_json_object(payload));
  if (tenon_json_is(&pickled))
    TENON_TRY(tenon_json_bool(&pickled, &is_pickled));
  if (is_pickled && !tenon_json_is(&meta))
    return tenon_json_fail(payload, TENON_UNSUPPORTED, "pt2-weights",
                           "is a pickled object and no tensor");
  if (is_pickled) return read_alone(im, payload, folder, type, w);
  if (!tenon_json_is(&meta)) return fail(payload, "has no tensor_meta");
  tenon_pt2_mode mode = im->mode;
  im->mode = TENON_PT2_USES;
  TENON_TRY(tenon_pt2_type(im, &meta, &w->type));
  im->mode = mode;
  TENON_TRY(pt2_weights_check_type(im, &meta, w, type));
  TENON_TRY(pt2_weights_find_member(im, payload, folder, w));
  return read_layout(im, &meta, w);
}

// Saved without its data: all such weights share one empty member.
static tenon_status note_apart(tenon_pt2 *im, tenon_pt2_weight *w) {
  size_t size = 0;
  (void)tenon_type_size(&w->type, &size);
  w->is_apart = size > 0 && w->member->size == 0;
  return w->is_apart && im->apart ? tenon_pt2_apart_missing(im, w->name)
                                  : TENON_OK;
}

tenon_status tenon_pt2_weight_find(tenon_pt2 *im, const tenon_json *at,
                                   const char *name, bool is_constant,
                                   const tenon_type *type,
                                   tenon_pt2_weight **out) {
  static const char *const folders[] = {"weights", "constants"};
  tenon_json_doc *const docs[] = {&im->weights, &im->constants};
  tenon_pt2_weight *w = tenon_arena_new(&im->scratch, tenon_pt2_weight);
  if (!w) return tenon_pt2_memory(im);
  w->name = name;
  *out = w;
  w->loc = tenon_pt2_loc(im, is_constant ? "constant" : "weight", name);
  TENON_TRY(tenon_pt2_apart_find(im, name, type, &w->given));
  if (w->given) {
    w->type = type ? *type : w->given->type;
    return TENON_OK;
  }
  pickle *alone = is_constant ? find_alone(im, name) : NULL;
  if (alone) return read_pickled(im, &alone->file, alone->file.root, type, w);
  for (int i = 0; i < 2; ++i) {
    int k = is_constant ? 1 - i : i;
    const tenon_pickle_value *tensor =
        tenon_state_dict_find(&im->pickled[k], name);
    if (tensor) {
      TENON_TRY(read_pickled(im, &im->pickled[k], tensor, type, w));
      return note_apart(im, w);
    }
    if (!docs[k]->root) continue;
    tenon_json root = tenon_json_root(docs[k]);
    tenon_json payload = tenon_json_get(tenon_json_at(&root, "config"), name);
    if (!tenon_json_is(&payload)) continue;
    TENON_TRY(read_payload(im, &payload, folders[k], type, w));
    return note_apart(im, w);
  }
  if (im->apart && type && tenon_type_is_static(type)) {
    w->type = *type;
    w->is_apart = true;
    return tenon_pt2_apart_missing(im, name);
  }
  char label[TENON_LABEL];
  tenon_label_make(label, tenon_text_of(name));
  return fail(at, "the archive has no weight '%s'", label);
}

// ---------------------------------------------------------------------------
// Data
// ---------------------------------------------------------------------------

static bool pt2_weights_is_dense(const tenon_pt2_weight *w) {
  int64_t expected = 1;
  for (int i = w->type.rank; i-- > 0;) {
    int64_t size = w->type.dims[i].value;
    if (size == 0) return true;
    if (size != 1 && w->strides[i] != expected) return false;
    expected *= size;  // the bytes have been counted
  }
  return true;
}

// One element after the other, in the order of the dimensions.
static void pt2_weights_gather(const tenon_pt2_weight *w, const uint8_t *from,
                               uint8_t *to, size_t count, size_t width) {
  int64_t index[TENON_MAX_RANK] = {0}, at = w->offset;
  for (size_t k = 0; k < count; ++k) {
    memcpy(to + k * width, from + (size_t)at * width, width);
    for (int i = w->type.rank; i-- > 0;) {
      at += w->strides[i];
      if (++index[i] < w->type.dims[i].value) break;
      at -= w->strides[i] * index[i];
      index[i] = 0;
    }
  }
}

static tenon_status make_dense(tenon_pt2 *im, const tenon_pt2_weight *w,
                               tenon_bytes from, size_t size,
                               tenon_bytes *out) {
  size_t width = tenon_dtype_look(w->type.dtype)->bits / 8u;
  uint64_t limit = DENSE_FLOOR + (uint64_t)im->zip.bytes.size * DENSE_FACTOR;
  const tenon_place *place = tenon_locs_place(&im->m->locs, w->loc);
  if (size > limit)
    return tenon_fail(&im->m->report, TENON_BAD_MODEL, "pt2-weights", place,
                      "a view of %zu bytes on %zu", size, from.size);
  uint8_t *to = tenon_arena_alloc(&im->m->arena, size, 64);
  if (!to) return tenon_pt2_memory(im);
  pt2_weights_gather(w, from.data, to, size / width, width);
  *out = (tenon_bytes){to, size};
  return TENON_OK;
}

tenon_status tenon_pt2_weight_data(tenon_pt2 *im, tenon_pt2_weight *w,
                                   tenon_bytes *out) {
  size_t size = 0, width = tenon_dtype_look(w->type.dtype)->bits / 8u;
  tenon_bytes bytes = {NULL, 0};
  const tenon_place *place = tenon_locs_place(&im->m->locs, w->loc);
  *out = bytes;
  (void)tenon_type_size(&w->type, &size);
  if (size == 0 || w->is_apart) return TENON_OK;
  if (w->given) {
    *out = w->given->bytes;
    return TENON_OK;
  }
  TENON_TRY(tenon_zip_read(w->zip, w->member, &bytes));
  if (!pt2_weights_is_dense(w)) return make_dense(im, w, bytes, size, out);
  bool fits = tenon_bytes_slice(bytes, (uint64_t)w->offset * width, size, out);
  return fits ? TENON_OK
              : tenon_fail(&im->m->report, TENON_BAD_MODEL, "pt2-weights",
                           place, "lies outside its file");
}

bool tenon_pt2_weights_overlap(const tenon_pt2_weight *a,
                               const tenon_pt2_weight *b) {
  int64_t wide = tenon_dtype_look(a->type.dtype)->bits / 8;
  int64_t width = tenon_dtype_look(b->type.dtype)->bits / 8;
  return a->member && a->zip == b->zip && a->member == b->member &&
         a->member->size > 0 && a->extent > a->offset &&
         b->extent > b->offset && a->offset * wide < b->extent * width &&
         b->offset * width < a->extent * wide;
}

// Kernels read every byte of a truth value as 0 or 1.
static tenon_status make_bools(tenon_pt2 *im, tenon_bytes *bytes) {
  bool is_clean = true;
  for (size_t i = 0; i < bytes->size; ++i)
    is_clean &= bytes->data[i] <= 1;
  if (is_clean) return TENON_OK;
  uint8_t *to = tenon_arena_alloc(&im->m->arena, bytes->size, 64);
  if (!to) return tenon_pt2_memory(im);
  for (size_t i = 0; i < bytes->size; ++i)
    to[i] = bytes->data[i] != 0;
  bytes->data = to;
  return TENON_OK;
}

tenon_status tenon_pt2_weight_value(tenon_pt2 *im, tenon_pt2_weight *w,
                                    tenon_value **out) {
  tenon_bytes bytes = {NULL, 0};
  *out = w->value;
  if (w->value) return TENON_OK;
  if (w->is_apart) {
    w->value = *out = tenon_build_apart(im->m, w->name, &w->type, w->loc);
    return *out ? TENON_OK : tenon_pt2_built(im);
  }
  TENON_TRY(tenon_pt2_weight_data(im, w, &bytes));
  if (w->type.dtype == TENON_BOOL) TENON_TRY(make_bools(im, &bytes));
  // 64 is the alignment that kernels may count on.
  bool is_aligned = (uintptr_t)bytes.data % 64 == 0;
  w->value = *out = tenon_build_constant(im->m, w->name, &w->type, bytes.data,
                                         is_aligned, w->loc);
  return *out ? TENON_OK : tenon_pt2_built(im);
}
