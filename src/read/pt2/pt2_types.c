// How: every number of a TensorMeta is checked here, so that what comes after
// can rely on a type. Strides are only counted: a value of the graph has its
// elements in order, whatever memory torch gave it.
#include "read/pt2/pt2_import.h"
#include "read/pt2/symbol/pt2_expr.h"

// By the numbers of the file's schema, which are not those of c10.
static const tenon_dtype dtypes[] = {
    [1] = TENON_U8,          [2] = TENON_S8,          [3] = TENON_S16,
    [4] = TENON_S32,         [5] = TENON_S64,         [6] = TENON_F16,
    [7] = TENON_F32,         [8] = TENON_F64,         [10] = TENON_C64,
    [11] = TENON_C128,       [12] = TENON_BOOL,       [13] = TENON_BF16,
    [28] = TENON_U16,        [29] = TENON_F8E4M3FN,   [30] = TENON_F8E5M2,
    [31] = TENON_F8E4M3FNUZ, [32] = TENON_F8E5M2FNUZ, [33] = TENON_F8E8M0FNU,
    [34] = TENON_U32,        [35] = TENON_U64};

const char *const tenon_pt2_layouts[8] = {
    NULL,         "sparse_coo", "sparse_csr", "sparse_csc",
    "sparse_bsr", "sparse_bsc", "_mkldnn",    "strided"};
const char *const tenon_pt2_memory_formats[5] = {
    NULL, "contiguous_format", "channels_last", "channels_last_3d",
    "preserve_format"};

tenon_status tenon_pt2_dtype(const tenon_json *at, tenon_dtype *out) {
  int64_t number = 0;
  TENON_TRY(tenon_json_int(at, &number));
  *out = 0;
  if (number > 0 && number < (int64_t)(sizeof dtypes / sizeof *dtypes))
    *out = dtypes[number];
  if (*out) return TENON_OK;
  if (number == 9)
    return tenon_json_fail(at, TENON_UNSUPPORTED, "pt2-type",
                           "complex numbers of 16 bits are not supported");
  return tenon_json_fail(at, TENON_BAD_MODEL, "pt2-type",
                         "there is no element type %lld", (long long)number);
}

tenon_status tenon_pt2_enum(const tenon_json *at, const char *const *names,
                            size_t n, const char *what, const char **out) {
  int64_t number = 0;
  TENON_TRY(tenon_json_int(at, &number));
  if (number > 0 && (uint64_t)number < n) {
    *out = names[number];
    return TENON_OK;
  }
  return tenon_json_fail(at, TENON_BAD_MODEL, "pt2-type", "there is no %s %lld",
                         what, (long long)number);
}

static tenon_status pt2_types_check_layout(const tenon_json *meta) {
  const char *layout = NULL;
  tenon_json at = tenon_json_get(meta, "layout");
  if (!tenon_json_is(&at)) return TENON_OK;
  TENON_TRY(tenon_pt2_enum(&at, tenon_pt2_layouts, 8, "layout", &layout));
  if (strcmp(layout, "strided") == 0) return TENON_OK;
  return tenon_json_fail(&at, TENON_UNSUPPORTED, "pt2-type",
                         "the layout '%s' is not supported", layout);
}

static tenon_status read_dims(tenon_pt2 *im, const tenon_json *sizes,
                              tenon_dim *dims, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    tenon_json size = tenon_json_item(sizes, i);
    TENON_TRY(tenon_pt2_size(im, &size, &dims[i]));
    if (!tenon_dim_is_fixed(dims[i]) || dims[i].value >= 0) continue;
    return tenon_json_fail(&size, TENON_BAD_MODEL, "pt2-type",
                           "a size of %lld, expected 0 or more",
                           (long long)dims[i].value);
  }
  return TENON_OK;
}

static tenon_status pt2_types_check_count(const tenon_json *meta,
                                          const tenon_type *type) {
  size_t size = 0;
  if (!tenon_type_is_static(type) || tenon_type_size(type, &size))
    return TENON_OK;
  return tenon_json_fail(meta, TENON_BAD_MODEL, "pt2-type",
                         "it has more bytes than can be addressed");
}

tenon_status tenon_pt2_type(tenon_pt2 *im, const tenon_json *meta,
                            tenon_type *out) {
  tenon_json dtype = tenon_json_get(meta, "dtype");
  tenon_json sizes = tenon_json_get(meta, "sizes");
  tenon_json strides = tenon_json_get(meta, "strides");
  memset(out, 0, sizeof *out);
  TENON_TRY(tenon_json_object(meta));
  TENON_TRY(tenon_pt2_dtype(&dtype, &out->dtype));
  TENON_TRY(tenon_json_array(&sizes));
  TENON_TRY(pt2_types_check_layout(meta));
  size_t n = tenon_json_count(&sizes);
  if (n > TENON_MAX_RANK)
    return tenon_json_fail(&sizes, TENON_UNSUPPORTED, "pt2-type",
                           "%zu dimensions, expected at most %d", n,
                           TENON_MAX_RANK);
  if (tenon_json_is(&strides)) {
    TENON_TRY(tenon_json_array(&strides));
    if (tenon_json_count(&strides) != n)
      return tenon_json_fail(&strides, TENON_BAD_MODEL, "pt2-type",
                             "%zu strides for %zu dimensions",
                             tenon_json_count(&strides), n);
  }
  tenon_dim *dims = tenon_arena_array(&im->scratch, tenon_dim, n);
  if (!dims) return tenon_pt2_memory(im);
  TENON_TRY(read_dims(im, &sizes, dims, n));
  out->dims = dims;
  out->rank = (uint8_t)n;
  return pt2_types_check_count(meta, out);
}

tenon_status tenon_pt2_declared(tenon_pt2_scope *s, const char *name,
                                const tenon_type **out) {
  tenon_json meta = tenon_json_get(&s->tensors, name);
  *out = NULL;
  if (!tenon_json_is(&meta)) return TENON_OK;
  tenon_type *type = tenon_arena_new(&s->im->scratch, tenon_type);
  if (!type) return tenon_pt2_memory(s->im);
  TENON_TRY(tenon_pt2_type(s->im, &meta, type));
  *out = type;
  return TENON_OK;
}
