// How: each value of a class covers a range of its bytes from its definition to
// its last reader that takes a step. The ends of all ranges cut the class into
// pieces; a piece lives as long as anything that covers it, and neighbours that
// live at the same time are one.
#include "plan/alias/parts.h"

// More values than this are not told apart: the work is quadratic.
#define VALUES_MOST 2048

typedef struct range {
  uint64_t begin, end;
  uint32_t first, last;
} range;

static tenon_status note_node(void *self, tenon_node *n) {
  tenon_value **values = (tenon_value **)self;
  for (uint32_t i = 0; i < n->n_out; ++i)
    values[n->out[i]->id] = n->out[i];
  for (uint32_t r = 0; r < n->n_regions; ++r)
    for (uint32_t i = 0; i < n->regions[r]->n_params; ++i)
      values[n->regions[r]->params[i]->id] = n->regions[r]->params[i];
  return TENON_OK;
}

tenon_value *const *tenon_parts_values(tenon_arena *arena, tenon_graph *g) {
  tenon_value **values =
      tenon_arena_array(arena, tenon_value *, g->module->n_values);
  if (!values) return NULL;
  for (uint32_t i = 0; i < g->n_params; ++i)
    values[g->params[i]->id] = g->params[i];
  (void)tenon_graph_visit(g, note_node, values);
  return values;
}

// Readers that are elided read nothing: what they make says when it is read.
static uint32_t last_read(const tenon_aliases *a, const tenon_live *live,
                          const tenon_value *v) {
  uint32_t last = live->def[v->id];
  for (const tenon_use *u = v->uses; u; u = u->next) {
    if (a->is_view[u->node->id]) continue;
    uint32_t time = tenon_live_use_time(live, u);
    if (time > last) last = time;
  }
  return last;
}

static bool is_outermost(const tenon_value *v) {
  const tenon_graph *g =
      v->kind == TENON_VALUE_RESULT ? v->node->graph : v->graph;
  return g && !g->parent;
}

// False: the class is to be taken as a whole.
static bool find_ranges(const tenon_aliases *a, const tenon_live *live,
                        tenon_module *m, tenon_value *const *values,
                        uint32_t root, range *ranges, size_t count) {
  uint32_t id = root;
  for (size_t i = 0; i < count; ++i, id = a->next[id]) {
    const tenon_value *v = values[id];
    if (!v || !is_outermost(v)) return false;
    tenon_dim bytes = tenon_type_bytes(m, &v->type);
    if (bytes.symbol != 0 || bytes.value <= 0) return false;
    tenon_alias_range(a, v, (uint64_t)bytes.value, &ranges[i].begin,
                      &ranges[i].end);
    ranges[i].first = live->def[id];
    ranges[i].last = last_read(a, live, v);
  }
  return true;
}

static void plan_part_sort(uint64_t *list, size_t n) {
  for (size_t gap = n / 2; gap > 0; gap /= 2)
    for (size_t i = gap; i < n; ++i) {
      uint64_t one = list[i];
      size_t at = i;
      for (; at >= gap && list[at - gap] > one; at -= gap)
        list[at] = list[at - gap];
      list[at] = one;
    }
}

// Pieces between neighbouring cuts; the parts they make.
static size_t plan_part_cut(const range *ranges, size_t count,
                            const uint64_t *cuts, size_t n_cuts,
                            tenon_part *parts) {
  size_t n = 0;
  for (size_t k = 0; k + 1 < n_cuts; ++k) {
    if (cuts[k] == cuts[k + 1]) continue;
    tenon_part p = {cuts[k], cuts[k + 1], UINT32_MAX, 0};
    for (size_t i = 0; i < count; ++i) {
      if (ranges[i].begin > p.begin || ranges[i].end < p.end) continue;
      if (ranges[i].first < p.first) p.first = ranges[i].first;
      if (ranges[i].last > p.last) p.last = ranges[i].last;
    }
    if (n > 0 && parts[n - 1].first == p.first && parts[n - 1].last == p.last)
      parts[n - 1].end = p.end;
    else
      parts[n++] = p;
  }
  return n;
}

const tenon_part *tenon_parts_of(tenon_arena *arena, const tenon_aliases *a,
                                 const tenon_live *live, tenon_module *m,
                                 tenon_value *const *values,
                                 const tenon_value *v, size_t *n) {
  const tenon_class *c = tenon_alias_root(a, v);
  uint32_t root = (uint32_t)(c - a->classes);
  uint64_t size = c->bytes.symbol == 0 ? (uint64_t)c->bytes.value : 0;
  tenon_part whole = {0, size, c->first, c->last};
  size_t count = 0;
  for (uint32_t i = root; i != TENON_NO_VALUE; i = a->next[i])
    ++count;
  *n = 1;
  bool is_one = size == 0 || count == 1 || count > VALUES_MOST;
  range *ranges = tenon_arena_array(arena, range, is_one ? 1 : count);
  uint64_t *cuts = tenon_arena_array(arena, uint64_t, is_one ? 1 : 2 * count);
  tenon_part *parts = tenon_arena_array(arena, tenon_part, 2 * count);
  if (arena->failed) return NULL;
  parts[0] = whole;
  if (is_one || !find_ranges(a, live, m, values, root, ranges, count))
    return parts;
  for (size_t i = 0; i < count; ++i) {
    cuts[2 * i] = ranges[i].begin;
    cuts[2 * i + 1] = ranges[i].end;
  }
  plan_part_sort(cuts, 2 * count);
  size_t found = plan_part_cut(ranges, count, cuts, 2 * count, parts);
  if (found > 1 && parts[0].begin == 0 && parts[found - 1].end == size)
    *n = found;
  else
    parts[0] = whole;
  return parts;
}
