// How: a sparse tensor is stored level by level, each level a dimension or a
// block of one, in the order `traversal_order`. `count` is the number of
// positions that the levels so far lead to: a dense level multiplies it, a
// compressed one replaces it by the number of its indices. In the end it is the
// number of values. Linear in the vectors of the pattern. A constant that is
// used becomes a dense one: the levels are walked in their order, and each
// value goes where the indices on the way to it say.
#include "core/dtype.h"
#include "read/tflite/tflite_import.h"

// Dimensions and their blocks.
#define MAX_LEVELS (2 * TENON_MAX_RANK)
// A few bytes can stand for any number of zeros: what the dense constants of a
// file may take is this, and so many times the file.
#define DENSE_FLOOR ((uint64_t)16 << 20)
#define DENSE_FACTOR 64

typedef struct pattern {
  tenon_import_graph *g;
  const tenon_import_tensor *t;
  const tenon_place *place;
  tenon_fb_vector order, blocks, levels;
  int64_t size[MAX_LEVELS];  // of each dimension, then of each block
} pattern;

static tenon_status sparse_fail(const pattern *p, const char *what,
                                int64_t level) {
  return tenon_fail(&p->g->im->m->report, TENON_BAD_MODEL, "tflite-sparse",
                    p->place, "%s (level %lld)", what, (long long)level);
}

static tenon_status sparse_check_order(const pattern *p) {
  bool seen[MAX_LEVELS] = {false};
  uint32_t n = p->t->type.rank + p->blocks.count;
  if (p->blocks.count > p->t->type.rank || p->order.count != n ||
      p->levels.count != n)
    return sparse_fail(p, "traversal_order does not name each level once", n);
  for (uint32_t i = 0; i < n; ++i) {
    int64_t level = tenon_fb_item_int(&p->order, i);
    if (level < 0 || level >= n || seen[level])
      return sparse_fail(p, "traversal_order does not name each level once", i);
    seen[level] = true;
  }
  return TENON_OK;
}

// Sizes of the levels: a dimension with blocks counts them.
static tenon_status sparse_read_sizes(pattern *p) {
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
      return sparse_fail(p, "a block does not divide its dimension", i);
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
  int64_t at = 0, last = -1;
  if (segments.count != *count + 1 || tenon_fb_item_int(&segments, 0) != 0)
    return sparse_fail(p, "segments do not begin one for each position", i);
  for (uint32_t k = 1; k < segments.count; ++k) {
    int64_t end = tenon_fb_item_int(&segments, k);
    if (end < at || end > indices.count)
      return sparse_fail(p, "segments do not ascend within the indices", i);
    for (last = -1; at < end; ++at) {
      int64_t index = tenon_fb_item_int(&indices, (uint32_t)at);
      if (index < 0 || index >= size)
        return sparse_fail(p, "an index lies outside its dimension", i);
      // Two values of one place would be one of them, or their sum.
      if (index <= last)
        return sparse_fail(p, "indices of a segment do not ascend", i);
      last = index;
    }
  }
  if (at != indices.count)
    return sparse_fail(p, "indices behind the segments", i);
  *count = indices.count;
  return TENON_OK;
}

static tenon_status sparse_check_level(const pattern *p, uint32_t i,
                                       uint64_t *count) {
  tenon_fb_table dim = tenon_fb_item(&p->levels, i);
  int64_t size = p->size[tenon_fb_item_int(&p->order, i)];
  int64_t format = tenon_fb_int(&dim, DIM_FORMAT, 0);
  if (format == 1) return check_compressed(p, i, &dim, size, count);
  if (format != 0) return sparse_fail(p, "unknown format", i);
  if (tenon_fb_int(&dim, DIM_DENSE_SIZE, 0) != size)
    return sparse_fail(p, "dense_size is not the size of the dimension", i);
  // No more positions than the tensor has elements, since none repeats.
  *count *= (uint64_t)size;
  return TENON_OK;
}

static pattern pattern_of(tenon_import_graph *g, uint32_t tensor) {
  const tenon_import_tensor *t = &g->tensors[tensor];
  tenon_fb_table table = tenon_fb_child(&t->table, TENSOR_SPARSITY);
  return (pattern){g,
                   t,
                   tenon_import_tensor_place(g, tensor),
                   tenon_fb_list(&table, SPARSITY_ORDER),
                   tenon_fb_list(&table, SPARSITY_BLOCK_MAP),
                   tenon_fb_list(&table, SPARSITY_DIMS),
                   {0}};
}

tenon_status tenon_import_sparsity(tenon_import_graph *g, uint32_t tensor) {
  const tenon_import_tensor *t = &g->tensors[tensor];
  pattern p = pattern_of(g, tensor);
  uint64_t count = 1;
  size_t size = 0;
  if (!t->is_constant) return sparse_fail(&p, "a sparse tensor has no data", 0);
  TENON_TRY(sparse_check_order(&p));
  TENON_TRY(sparse_read_sizes(&p));
  for (uint32_t i = 0; i < p.levels.count; ++i)
    TENON_TRY(sparse_check_level(&p, i, &count));
  if (tenon_dtype_size(t->type.dtype, count, &size) && size == t->data.size)
    return TENON_OK;
  return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, "tflite-sparse",
                    p.place, "expected %llu values, found %zu bytes of them",
                    (unsigned long long)count, t->data.size);
}

// ---------------------------------------------------------------------------
// Dense
// ---------------------------------------------------------------------------

typedef struct level {
  uint32_t which;  // of the pattern's sizes
  bool is_compressed;
  int64_t size;
  tenon_fb_vector segments, indices;
} level;

typedef struct expansion {
  const pattern *p;
  level levels[MAX_LEVELS];
  int64_t at[MAX_LEVELS];  // on the way to a value: index of each size
  const unsigned char *values;
  unsigned char *dense;
  size_t unit;  // bytes of an element
} expansion;

static void read_levels(expansion *x) {
  const pattern *p = x->p;
  for (uint32_t i = 0; i < p->levels.count; ++i) {
    tenon_fb_table dim = tenon_fb_item(&p->levels, i);
    tenon_fb_table segments = tenon_fb_child(&dim, DIM_SEGMENTS);
    tenon_fb_table indices = tenon_fb_child(&dim, DIM_INDICES);
    level *l = &x->levels[i];
    l->which = (uint32_t)tenon_fb_item_int(&p->order, i);
    l->is_compressed = tenon_fb_int(&dim, DIM_FORMAT, 0) == 1;
    l->size = p->size[l->which];
    l->segments = tenon_fb_list(&segments, 0);
    l->indices = tenon_fb_list(&indices, 0);
  }
}

// The element that the indices lead to: of a dimension with blocks, that of the
// block and the one within it.
static size_t element_at(const expansion *x) {
  const pattern *p = x->p;
  const uint32_t rank = p->t->type.rank;
  size_t element = 0;
  for (uint32_t d = 0; d < rank; ++d) {
    int64_t index = x->at[d];
    for (uint32_t b = 0; b < p->blocks.count; ++b)
      if (tenon_fb_item_int(&p->blocks, b) == d)
        index = index * p->size[rank + b] + x->at[rank + b];
    element = element * (size_t)p->t->type.dims[d].value + (size_t)index;
  }
  return element;
}

// Levels are few: at most MAX_LEVELS deep.
static void sparse_expand(expansion *x, uint32_t i, int64_t position) {
  if (i == x->p->levels.count) {
    memcpy(x->dense + element_at(x) * x->unit,
           x->values + (size_t)position * x->unit, x->unit);
    return;
  }
  const level *l = &x->levels[i];
  if (!l->is_compressed) {
    for (int64_t k = 0; k < l->size; ++k) {
      x->at[l->which] = k;
      sparse_expand(x, i + 1, position * l->size + k);
    }
    return;
  }
  int64_t end = tenon_fb_item_int(&l->segments, (uint32_t)position + 1);
  for (int64_t k = tenon_fb_item_int(&l->segments, (uint32_t)position); k < end;
       ++k) {
    x->at[l->which] = tenon_fb_item_int(&l->indices, (uint32_t)k);
    sparse_expand(x, i + 1, k);
  }
}

static tenon_status check_room(const pattern *p, size_t size) {
  tenon_import *im = p->g->im;
  const uint64_t file = im->file.fb.bytes.size;
  const uint64_t most = DENSE_FLOOR + file * DENSE_FACTOR;
  if (size > most - im->dense_bytes)
    return tenon_fail(&im->m->report, TENON_UNSUPPORTED, "tflite-sparse",
                      p->place,
                      "as dense constants the sparse ones so far take %llu "
                      "bytes and this one %zu; at most %llu are read of a file "
                      "of %llu bytes",
                      (unsigned long long)im->dense_bytes, size,
                      (unsigned long long)most, (unsigned long long)file);
  im->dense_bytes += size;
  return TENON_OK;
}

tenon_status tenon_import_dense(tenon_import_graph *g, uint32_t tensor,
                                const void **out) {
  const tenon_import_tensor *t = &g->tensors[tensor];
  const tenon_dtype_info *info = tenon_dtype_look(t->type.dtype);
  pattern p = pattern_of(g, tensor);
  expansion x = {.p = &p, .values = t->data.data, .unit = info->bits / 8u};
  size_t size = 0;
  if (info->bits % 8 != 0 || t->type.dtype == TENON_BOOL)
    return tenon_fail(&g->im->m->report, TENON_UNSUPPORTED, "tflite-sparse",
                      p.place, "sparse constants of %s are not supported",
                      info->name);
  if (!tenon_type_size(&t->type, &size))
    return sparse_fail(&p, "its bytes cannot be counted", 0);
  TENON_TRY(check_room(&p, size));
  TENON_TRY(sparse_read_sizes(&p));
  read_levels(&x);
  x.dense = (unsigned char *)tenon_arena_alloc(&g->im->m->arena, size, 64);
  if (!x.dense)
    return tenon_fail_memory(&g->im->m->report, "reading a constant");
  memset(x.dense, 0, size);
  sparse_expand(&x, 0, 0);
  *out = x.dense;
  return TENON_OK;
}
