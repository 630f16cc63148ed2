// How: two views part at the last name that both are views of. What they are
// cut from it, along one dimension, are positions with a step, which share none
// when they end before the others begin or when no common step joins them.
// Everything else is taken to overlap.
#include "pass/functional/disjoint.h"

#include <string.h>

#include "core/strided.h"
#include "kern/num/power.h"

static bool is_aten(const tenon_node *n, const char *base) {
  const tenon_schema *s = n->op->schema;
  return s && strcmp(s->set, "aten") == 0 && strcmp(s->base, base) == 0;
}

// A number that is no expression; `absent` for None. False: it is one.
static bool disjoint_read_int(const tenon_node *n, const char *name,
                              int64_t absent, int64_t *out) {
  const tenon_arg *a = tenon_node_arg(n, name);
  *out = absent;
  if (!a || a->kind == 0) return true;
  *out = a->as.i;
  return a->kind == TENON_KIND_INT;
}

// ---------------------------------------------------------------------------
// Within one view
// ---------------------------------------------------------------------------

static bool repeats(const tenon_type *from, const tenon_type *to) {
  int more = to->rank - from->rank;
  for (int d = 0; d < to->rank; ++d) {
    tenon_dim was = d < more ? tenon_dim_fixed(1) : from->dims[d - more];
    if (!tenon_dim_equals(was, to->dims[d])) return true;
  }
  return false;
}

static bool strides_repeat(const tenon_node *n) {
  tenon_ints size = {NULL, 0}, stride = {NULL, 0};
  for (const tenon_arg *a = n->args; a && a->name; ++a) {
    bool is_list = a->kind == TENON_KIND_INTS;
    if (is_list && strcmp(a->name, "size") == 0) size = a->as.ints;
    if (is_list && strcmp(a->name, "stride") == 0) stride = a->as.ints;
  }
  if (size.count != stride.count || size.count > TENON_MAX_RANK) return true;
  const tenon_strided w = {0, size.data, stride.data, (int)size.count};
  return !size.data || tenon_strided_repeats(&w);
}

static bool view_overlaps(const tenon_alias_name *name) {
  static const char *const repeating[] = {"expand", "expand_as", "broadcast_to",
                                          "broadcast_tensors", "meshgrid"};
  const tenon_node *n = name->made;
  int64_t size = 0, step = 0;
  for (size_t i = 0; i < sizeof repeating / sizeof *repeating; ++i) {
    if (is_aten(n, repeating[i]))
      return repeats(&n->in[name->operand].value->type,
                     &n->out[name->result]->type);
  }
  if (is_aten(n, "as_strided")) return strides_repeat(n);
  return is_aten(n, "unfold") &&
         !(disjoint_read_int(n, "size", 0, &size) &&
           disjoint_read_int(n, "step", 0, &step) && size <= step);
}

bool tenon_overlap_within(const tenon_alias_table *t, uint32_t at) {
  for (; t->names.data[at].base != TENON_NO_ALIAS; at = t->names.data[at].base)
    if (view_overlaps(&t->names.data[at])) return true;
  return false;
}

// ---------------------------------------------------------------------------
// Between two
// ---------------------------------------------------------------------------

// Positions along a dimension: first, first + step, ... up to last.
typedef struct cut {
  int64_t dim, first, last, step;
} cut;

// More than any dimension; sums of two stay numbers.
#define FAR (INT64_MAX / 4)

static int64_t disjoint_from_end(int64_t at, int64_t size) {
  at = at < 0 ? at + size : at;
  return at < 0 ? 0 : at > size ? size : at;
}

static bool read_cut(const tenon_alias_name *name, cut *c) {
  const tenon_node *n = name->made;
  const tenon_type *base = &n->in[name->operand].value->type;
  int64_t end = 0;
  if (!disjoint_read_int(n, "dim", 0, &c->dim)) return false;
  if (c->dim < 0) c->dim += base->rank;
  if (c->dim < 0 || c->dim >= base->rank) return false;
  // From the front, an open size cuts off no more than a fixed one would.
  bool is_open = !tenon_dim_is_fixed(base->dims[c->dim]);
  int64_t size = is_open ? FAR : base->dims[c->dim].value;
  c->step = 1;
  if (is_aten(n, "select")) {
    if (!disjoint_read_int(n, "index", 0, &c->first)) return false;
    if (is_open && c->first < 0) return false;
    c->first = c->last = disjoint_from_end(c->first, size);
    return true;
  }
  if (is_aten(n, "narrow")) {
    if (!disjoint_read_int(n, "start", 0, &c->first) ||
        !disjoint_read_int(n, "length", 0, &end))
      return false;
    if (is_open && c->first < 0) return false;
    c->first = disjoint_from_end(c->first, size);
    c->last = disjoint_from_end(end, size) + c->first - 1;
    return true;
  }
  if (!is_aten(n, "slice") || !disjoint_read_int(n, "start", 0, &c->first) ||
      !disjoint_read_int(n, "end", size, &end) ||
      !disjoint_read_int(n, "step", 1, &c->step))
    return false;
  if (is_open && (c->first < 0 || end < 0)) return false;
  c->first = disjoint_from_end(c->first, size);
  c->last = disjoint_from_end(end, size) - 1;
  return c->step > 0;
}

static bool cuts_share(const cut *a, const cut *b) {
  if (a->dim != b->dim) return true;
  if (a->last < b->first || b->last < a->first) return false;
  int64_t apart = a->first - b->first;
  return apart % tenon_gcd_s64(a->step, b->step, 64) == 0;
}

static uint32_t depth_of(const tenon_alias_table *t, uint32_t at) {
  uint32_t depth = 0;
  for (; t->names.data[at].base != TENON_NO_ALIAS; ++depth)
    at = t->names.data[at].base;
  return depth;
}

bool tenon_overlap_between(const tenon_alias_table *t, uint32_t a, uint32_t b) {
  const tenon_alias_name *names = t->names.data;
  cut one, two;
  if (names[a].root != names[b].root) return false;
  uint32_t high = depth_of(t, a), low = depth_of(t, b);
  for (; high > low; --high)
    a = names[a].base;
  for (; low > high; --low)
    b = names[b].base;
  if (a == b) return true;  // one is a view of the other
  while (names[a].base != names[b].base) {
    a = names[a].base;
    b = names[b].base;
  }
  // Pieces of one operator: split, chunk, unbind.
  if (names[a].made == names[b].made &&
      strcmp(names[a].made->op->schema->set, "aten") == 0 &&
      names[a].operand == names[b].operand &&
      names[a].result != names[b].result)
    return tenon_overlap_within(t, names[a].base);
  return !read_cut(&names[a], &one) || !read_cut(&names[b], &two) ||
         cuts_share(&one, &two) || tenon_overlap_within(t, names[a].base);
}
