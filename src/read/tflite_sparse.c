// How: a sparse tensor is stored level by level, each level a dimension or a
// block of one, in the order `traversal_order`. `count` is the number of
// positions that the levels so far lead to: a dense level multiplies it, a
// compressed one replaces it by the number of its indices. In the end it is the
// number of values. Linear in the vectors of the pattern.
#include "core/dtype.h"
#include "read/tflite_import.h"

// Dimensions and their blocks.
#define MAX_LEVELS (2 * TENON_MAX_RANK)

typedef struct pattern {
  tenon_import_graph *g;
  const tenon_import_tensor *t;
  const tenon_place *place;
  tenon_fb_vector order, blocks, levels;
  int64_t size[MAX_LEVELS];  // of each dimension, then of each block
} pattern;

static tenon_status fail(const pattern *p, const char *what, int64_t level) {
  return tenon_fail(&p->g->im->m->report, TENON_BAD_MODEL, "tflite-sparse",
                    p->place, "%s (level %lld)", what, (long long)level);
}

static tenon_status check_order(const pattern *p) {
  bool seen[MAX_LEVELS] = {false};
  uint32_t n = p->t->type.rank + p->blocks.count;
  if (p->blocks.count > p->t->type.rank || p->order.count != n ||
      p->levels.count != n)
    return fail(p, "traversal_order does not name each level once", n);
  for (uint32_t i = 0; i < n; ++i) {
    int64_t level = tenon_fb_item_int(&p->order, i);
    if (level < 0 || level >= n || seen[level])
      return fail(p, "traversal_order does not name each level once", i);
    seen[level] = true;
  }
  return TENON_OK;
}

// Sizes of the levels: a dimension with blocks counts them.
static tenon_status read_sizes(pattern *p) {
  uint32_t rank = p->t->type.rank;
  for (uint32_t i = 0; i < rank; ++i)
    p->size[i] = p->t->type.dims[i].value;
  for (uint32_t i = 0; i < p->order.count; ++i) {
    uint32_t level = (uint32_t)tenon_fb_item_int(&p->order, i);
    if (level < rank) continue;
    tenon_fb_table dim = tenon_fb_item(&p->levels, i);
    int64_t dense = tenon_fb_int(&dim, DIM_DENSE_SIZE, 0);
    int64_t blocked = tenon_fb_item_int(&p->blocks, level - rank);
    if (blocked < 0 || blocked >= rank || dense <= 0 ||
        p->size[blocked] % dense != 0 || tenon_fb_int(&dim, DIM_FORMAT, 0) != 0)
      return fail(p, "a block does not divide its dimension", i);
    p->size[blocked] /= dense;
    p->size[level] = dense;
  }
  return TENON_OK;
}

static tenon_status check_compressed(const pattern *p, uint32_t i,
                                     const tenon_fb_table *dim, int64_t size,
                                     uint64_t *count) {
  tenon_fb_table segments_table = tenon_fb_child(dim, DIM_SEGMENTS);
  tenon_fb_table indices_table = tenon_fb_child(dim, DIM_INDICES);
  tenon_fb_vector segments = tenon_fb_list(&segments_table, 0);
  tenon_fb_vector indices = tenon_fb_list(&indices_table, 0);
  int64_t at = 0;
  if (segments.count != *count + 1 || tenon_fb_item_int(&segments, 0) != 0)
    return fail(p, "segments do not begin one for each position", i);
  for (uint32_t k = 1; k < segments.count; ++k) {
    int64_t end = tenon_fb_item_int(&segments, k);
    if (end < at || end > indices.count)
      return fail(p, "segments do not ascend within the indices", i);
    at = end;
  }
  if (at != indices.count) return fail(p, "indices behind the segments", i);
  for (uint32_t k = 0; k < indices.count; ++k) {
    int64_t index = tenon_fb_item_int(&indices, k);
    if (index < 0 || index >= size)
      return fail(p, "an index lies outside its dimension", i);
  }
  *count = indices.count;
  return TENON_OK;
}

static tenon_status check_level(const pattern *p, uint32_t i, uint64_t *count) {
  tenon_fb_table dim = tenon_fb_item(&p->levels, i);
  int64_t size = p->size[tenon_fb_item_int(&p->order, i)];
  int64_t format = tenon_fb_int(&dim, DIM_FORMAT, 0);
  if (format == 1) return check_compressed(p, i, &dim, size, count);
  if (format != 0) return fail(p, "unknown format", i);
  if (tenon_fb_int(&dim, DIM_DENSE_SIZE, 0) != size)
    return fail(p, "dense_size is not the size of the dimension", i);
  *count *= (uint64_t)size;
  // Fewer positions than the tensor has elements, unless indices repeat.
  return *count <= INT32_MAX ? TENON_OK : fail(p, "too many values", i);
}

tenon_status tenon_import_sparsity(tenon_import_graph *g, uint32_t tensor) {
  const tenon_import_tensor *t = &g->tensors[tensor];
  tenon_fb_table table = tenon_fb_child(&t->table, TENSOR_SPARSITY);
  pattern p = {g,
               t,
               tenon_import_tensor_place(g, tensor),
               tenon_fb_list(&table, SPARSITY_ORDER),
               tenon_fb_list(&table, SPARSITY_BLOCK_MAP),
               tenon_fb_list(&table, SPARSITY_DIMS),
               {0}};
  uint64_t count = 1;
  size_t size = 0;
  if (!t->is_constant) return fail(&p, "a sparse tensor has no data", 0);
  TENON_TRY(check_order(&p));
  TENON_TRY(read_sizes(&p));
  for (uint32_t i = 0; i < p.levels.count; ++i)
    TENON_TRY(check_level(&p, i, &count));
  if (tenon_dtype_size(t->type.dtype, count, &size) && size == t->data.size)
    return TENON_OK;
  return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, "tflite-sparse",
                    p.place, "expected %llu values, found %zu bytes of them",
                    (unsigned long long)count, t->data.size);
}
