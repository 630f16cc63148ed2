// How: eight bytes say how long the index is; jansson reads it. Ranges are
// sorted and have to follow each other from the first byte to the last, so that
// no two tensors share bytes and none are left over, an index with a name twice
// included.
#include <stdlib.h>
#include <string.h>

#include "read/json.h"
#include "read/weights/weights.h"

#define HEADER_MOST (UINT64_C(100) << 20)
#define METADATA "__metadata__"

static const struct {
  const char *name;
  tenon_dtype dtype;
} dtypes[] = {
    {"F32", TENON_F32},
    {"F16", TENON_F16},
    {"BF16", TENON_BF16},
    {"F64", TENON_F64},
    {"I8", TENON_S8},
    {"I16", TENON_S16},
    {"I32", TENON_S32},
    {"I64", TENON_S64},
    {"U8", TENON_U8},
    {"U16", TENON_U16},
    {"U32", TENON_U32},
    {"U64", TENON_U64},
    {"BOOL", TENON_BOOL},
    {"C64", TENON_C64},
    {"F8_E4M3", TENON_F8E4M3FN},
    {"F8_E5M2", TENON_F8E5M2},
    {"F8_E8M0", TENON_F8E8M0FNU},
    {"F8_E4M3FNUZ", TENON_F8E4M3FNUZ},
    {"F8_E5M2FNUZ", TENON_F8E5M2FNUZ},
};

typedef struct range {
  uint64_t begin, end;
} range;

typedef struct reading {
  tenon_weights *w;
  tenon_bytes data;  // behind the index
  TENON_VEC(range) ranges;
} reading;

static uint64_t index_size(const uint8_t *bytes) {
  uint64_t n = 0;
  for (int i = 0; i < 8; ++i)
    n |= (uint64_t)bytes[i] << 8 * i;
  return n;
}

bool tenon_safetensors_recognise(const void *data, size_t size) {
  const uint8_t *bytes = (const uint8_t *)data;
  return size > 9 && index_size(bytes) <= HEADER_MOST && bytes[8] == '{';
}

#define fail(at, ...) \
  tenon_json_fail((at), TENON_BAD_MODEL, "weights-file", __VA_ARGS__)

static tenon_status safetensors_read_dtype(const tenon_json *item,
                                           tenon_dtype *out) {
  const char *name = NULL;
  tenon_json at = tenon_json_get(item, "dtype");
  TENON_TRY(tenon_json_text(&at, &name));
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; ++i)
    if (strcmp(dtypes[i].name, name) == 0) {
      *out = dtypes[i].dtype;
      return TENON_OK;
    }
  return fail(&at, "element type '%.20s' is not known", name);
}

static tenon_status read_shape(const tenon_json *item,
                               tenon_dim dims[TENON_MAX_RANK], uint8_t *rank) {
  tenon_json at = tenon_json_get(item, "shape");
  TENON_TRY(tenon_json_array(&at));
  size_t n = tenon_json_count(&at);
  if (n > TENON_MAX_RANK)
    return fail(&at, "%zu dimensions, at most %d are supported", n,
                TENON_MAX_RANK);
  *rank = (uint8_t)n;
  for (size_t i = 0; i < n; ++i) {
    int64_t size = 0;
    tenon_json one = tenon_json_item(&at, i);
    TENON_TRY(tenon_json_int(&one, &size));
    if (size < 0 || size > INT32_MAX)
      return fail(&one, "a size of %lld, expected 0 or more", (long long)size);
    dims[i] = tenon_dim_fixed(size);
  }
  return TENON_OK;
}

static tenon_status safetensors_read_range(reading *r, const tenon_json *item,
                                           size_t size, tenon_bytes *out) {
  int64_t begin = 0, end = 0;
  tenon_json at = tenon_json_get(item, "data_offsets");
  TENON_TRY(tenon_json_array(&at));
  tenon_json first = tenon_json_item(&at, 0), last = tenon_json_item(&at, 1);
  TENON_TRY(tenon_json_int(&first, &begin));
  TENON_TRY(tenon_json_int(&last, &end));
  if (begin < 0 || end < begin || tenon_json_count(&at) != 2 ||
      (uint64_t)end > r->data.size)
    return fail(&at, "bytes %lld to %lld of %llu", (long long)begin,
                (long long)end, (unsigned long long)r->data.size);
  if ((uint64_t)(end - begin) != size)
    return fail(&at, "%lld bytes, where its type has %zu",
                (long long)(end - begin), size);
  *out = (tenon_bytes){r->data.data + begin, size};
  range own = {(uint64_t)begin, (uint64_t)end};
  return tenon_vec_push(&r->ranges, own)
             ? TENON_OK
             : tenon_fail_memory(&r->w->keep->report, "reading weights");
}

static tenon_status safetensors_read_tensor(reading *r, const tenon_json *item,
                                            const char *name) {
  tenon_dim dims[TENON_MAX_RANK];
  tenon_weight weight = {.name = name};
  size_t size = 0;
  TENON_TRY(tenon_json_object(item));
  weight.type.dims = dims;
  TENON_TRY(safetensors_read_dtype(item, &weight.type.dtype));
  TENON_TRY(read_shape(item, dims, &weight.type.rank));
  if (!tenon_type_size(&weight.type, &size))
    return fail(item, "it has more bytes than can be addressed");
  TENON_TRY(safetensors_read_range(r, item, size, &weight.bytes));
  return tenon_weights_put(r->w, &weight);
}

static int by_begin(const void *a, const void *b) {
  const range *x = (const range *)a, *y = (const range *)b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end);
}

static tenon_status check_cover(reading *r, const tenon_json *root) {
  uint64_t at = 0;
  if (r->ranges.count)
    qsort(r->ranges.data, r->ranges.count, sizeof *r->ranges.data, by_begin);
  for (size_t i = 0; i < r->ranges.count; ++i) {
    const range *x = &r->ranges.data[i];
    if (x->begin != at)
      return fail(root, "bytes %llu to %llu are those of %s tensor",
                  (unsigned long long)(x->begin < at ? x->begin : at),
                  (unsigned long long)(x->begin < at ? at : x->begin),
                  x->begin < at ? "more than one" : "no");
    at = x->end;
  }
  if (at == r->data.size) return TENON_OK;
  return fail(root, "the tensors end at byte %llu of %llu",
              (unsigned long long)at, (unsigned long long)r->data.size);
}

static tenon_status read_index(reading *r, tenon_json_doc *doc) {
  const char *name = NULL;
  json_t *value = NULL;
  tenon_json root = tenon_json_root(doc);
  TENON_TRY(tenon_json_object(&root));
  json_object_foreach(doc->root, name, value) {
    if (strcmp(name, METADATA) == 0) continue;
    tenon_json item = tenon_json_get(&root, name);
    TENON_TRY(safetensors_read_tensor(r, &item, name));
  }
  return check_cover(r, &root);
}

tenon_status tenon_safetensors_read(tenon_weights *w, tenon_bytes bytes) {
  tenon_json_doc doc;
  reading r = {.w = w};
  tenon_bytes text = {NULL, 0};
  uint64_t size = index_size(bytes.data);
  tenon_module *keep = w->keep;
  if (!tenon_bytes_slice(bytes, 8, size, &text)) {
    tenon_place place = {keep->name, "index", NULL, 0, 8};
    return tenon_fail(&keep->report, TENON_BAD_MODEL, "weights-file", &place,
                      "an index of %llu bytes in a file of %llu",
                      (unsigned long long)size, (unsigned long long)bytes.size);
  }
  r.data = (tenon_bytes){text.data + size, bytes.size - 8 - size};
  tenon_vec_init(&r.ranges, keep->arena.allocator);
  tenon_status status = tenon_json_parse(&doc, text, &keep->arena.allocator,
                                         &keep->report, keep->name, "index");
  if (status == TENON_OK) status = read_index(&r, &doc);
  tenon_json_deinit(&doc);
  tenon_vec_deinit(&r.ranges);
  return status;
}
