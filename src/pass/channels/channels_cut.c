// How: nodes in order; one that has an operand or the result with fewer
// channels is built again beside itself. When all are there and a kernel covers
// each, the old ones go; else the new ones do.
#include <stdio.h>
#include <string.h>

#include "ir/build.h"
#include "ir/edit.h"
#include "ir/turned.h"
#include "pass/channels/live_channels.h"

typedef struct cutter {
  tenon_channels_run *r;
  tenon_graph *g;
  tenon_value **fresh;  // of old values, by id; null: as it is
  tenon_node **made;    // instead of old nodes, by id
} cutter;

static bool cut_is_whole(const tenon_channels *c) {
  for (int32_t i = 0; i < c->n; ++i)
    if (!c->is_needed[i]) return false;
  return true;
}

static int32_t count_needed(const tenon_channels *c) {
  int32_t n = 0;
  for (int32_t i = 0; i < c->n; ++i)
    n += c->is_needed[i];
  return n;
}

// Of entries along an axis that is `n` long, those that stay; null: all.
typedef struct axis {
  const bool *stays;
  int32_t n;
} axis;

static bool stays(const axis *a, int32_t i) {
  return !a->stays || a->stays[i];
}

static int32_t cut_count(const axis *a) {
  int32_t k = 0;
  for (int32_t i = 0; i < a->n; ++i)
    k += stays(a, i);
  return k;
}

// --- constants ---------------------------------------------------------------

static const tenon_quant *cut_quant(tenon_arena *arena, const tenon_quant *q,
                                    const axis *a) {
  if (!q || q->channels == 1) return q;
  tenon_quant *out = tenon_arena_new(arena, tenon_quant);
  float *scale = tenon_arena_array(arena, float, (size_t)a->n);
  int32_t *zero = tenon_arena_array(arena, int32_t, (size_t)a->n);
  if (!out || !scale || !zero) return NULL;
  *out = *q;
  out->scale = scale;
  out->zero = q->zero ? zero : NULL;
  out->channels = 0;
  for (int32_t i = 0; i < a->n; ++i) {
    if (!stays(a, i)) continue;
    if (q->zero) zero[out->channels] = q->zero[i];
    scale[out->channels++] = q->scale[i];
  }
  if (out->channels == 1) out->axis = 0;
  return out;
}

// The constant without the entries that go along its first and its last
// dimension; its scales are along dimension `scaled`. Null: out of memory.
static tenon_value *cut_constant(cutter *k, const tenon_value *v,
                                 const axis *first, const axis *last,
                                 bool is_first_scaled, const char *data) {
  tenon_arena *arena = &k->r->m->arena;
  tenon_type type = v->type;
  tenon_dim dims[TENON_MAX_RANK];
  const size_t bytes = v->type.dtype == TENON_S64   ? 8
                       : v->type.dtype == TENON_S32 ? 4
                       : v->type.dtype == TENON_S16 ? 2
                                                    : 1;
  size_t between = 1;
  for (int i = 0; i < type.rank; ++i) {
    dims[i] = type.dims[i];
    if (i > 0 && i < type.rank - 1) between *= (size_t)dims[i].value;
  }
  dims[0] = tenon_dim_fixed(cut_count(first));
  if (type.rank > 1) dims[type.rank - 1] = tenon_dim_fixed(cut_count(last));
  type.dims = dims;
  type.quant = cut_quant(arena, v->type.quant, is_first_scaled ? first : last);
  char *out = (char *)tenon_arena_alloc(
      arena,
      bytes * between * (size_t)cut_count(first) * (size_t)cut_count(last) + 1,
      64);
  if (!out || (v->type.quant && !type.quant)) return NULL;
  char *to = out;
  for (int32_t i = 0; i < first->n; ++i)
    for (size_t b = 0; b < between; ++b)
      for (int32_t j = 0; j < last->n; ++j, data += bytes) {
        if (!stays(first, i) || !stays(last, j)) continue;
        memcpy(to, data, bytes);
        to += bytes;
      }
  return tenon_build_constant(k->r->m, v->name, &type, out, true, v->loc);
}

static tenon_value *cut_vector(cutter *k, const tenon_value *v, const axis *a,
                               const void *data) {
  const axis one = {NULL, 1};
  return cut_constant(k, v, a, &one, true, (const char *)data);
}

// A constant that goes channel by channel: the last dimension.
static tenon_value *cut_last(cutter *k, const tenon_value *v, const axis *a) {
  const tenon_tensor *t = tenon_value_constant(v);
  const axis first = {NULL, t->dims[0]};
  const char *data = (const char *)t->data;
  if (t->rank == 1) return cut_vector(k, v, a, data);
  return cut_constant(k, v, &first, a, false, data);
}

// --- sums --------------------------------------------------------------------

// What channels that go and are constant add to result `out`.
static int64_t cut_share(const tenon_channels_weights *w,
                         const tenon_channels *x, int32_t out) {
  int64_t sum = 0;
  for (int32_t i = 0; !w->is_depth && i < x->n; ++i) {
    if (x->is_needed[i] || !tenon_channels_is_constant(x, i) ||
        x->lo[i] == w->x_zero)
      continue;
    for (int32_t tap = 0; tap < w->kh * w->kw; ++tap)
      sum += (int64_t)(x->lo[i] - w->x_zero) *
             tenon_channels_weight(w, out, tap, i);
  }
  return sum;
}

static bool cut_is_bias(const tenon_channels_weights *w, int64_t bias) {
  const int64_t most = INT64_C(1) << 47;  // kern/num/fixed.h
  return w->is_wide ? bias >= -most && bias < most
                    : bias >= INT32_MIN && bias <= INT32_MAX;
}

// Whether biases have room for the shares; where none has one, they are what
// they were.
static bool cut_has_room(const tenon_channels_run *r, const tenon_node *n,
                         bool *has_shares) {
  const tenon_channels *x = tenon_channels_of(r, n->in[0].value);
  const tenon_channels *y = tenon_channels_of(r, n->out[0]);
  tenon_channels_weights w;
  tenon_channels_weights_of(n, tenon_channels_how_of(r, n), &w);
  *has_shares = false;
  for (int32_t i = 0; i < y->n; ++i) {
    if (!y->is_needed[i]) continue;
    int64_t sum = cut_share(&w, x, i);
    if (sum == 0) continue;
    *has_shares = true;
    if (!cut_is_bias(&w, tenon_channels_bias(&w, i) + sum)) return false;
  }
  return true;
}

static tenon_value *build_bias(cutter *k, const tenon_node *n,
                               const tenon_channels_weights *w,
                               const axis *rows) {
  const tenon_channels *x = tenon_channels_of(k->r, n->in[0].value);
  const tenon_dim dim = tenon_dim_fixed(rows->n);
  tenon_value plain = {.loc = n->loc, .name = ""};
  const tenon_value *like = n->in[2].value ? n->in[2].value : &plain;
  plain.type = (tenon_type){.dims = &dim, .rank = 1};
  plain.type.dtype = w->is_wide ? TENON_S64 : TENON_S32;
  int64_t *wide = tenon_arena_array(&k->r->arena, int64_t, (size_t)rows->n + 1);
  if (!wide) return NULL;
  int32_t *narrow = (int32_t *)wide;
  for (int32_t i = 0; i < rows->n; ++i) {
    int64_t sum =
        tenon_channels_bias(w, i) + (stays(rows, i) ? cut_share(w, x, i) : 0);
    if (w->is_wide)
      wide[i] = sum;
    else
      narrow[i] = (int32_t)sum;
  }
  return cut_vector(k, like, rows, wide);
}

static bool build_weights(cutter *k, const tenon_node *n, tenon_value **in) {
  const tenon_channels *x = tenon_channels_of(k->r, n->in[0].value);
  const tenon_channels *y = tenon_channels_of(k->r, n->out[0]);
  const tenon_value *v = n->in[1].value;
  const axis rows = {y->is_needed, y->n}, columns = {x->is_needed, x->n};
  const axis one = {NULL, 1};
  const char *data = (const char *)tenon_value_constant(v)->data;
  bool has_shares = false;
  tenon_channels_weights w;
  tenon_channels_weights_of(n, tenon_channels_how_of(k->r, n), &w);
  in[1] = w.is_depth ? cut_constant(k, v, &one, &rows, false, data)
                     : cut_constant(k, v, &rows, &columns, true, data);
  (void)cut_has_room(k->r, n, &has_shares);
  if (in[2] || has_shares) in[2] = build_bias(k, n, &w, &rows);
  return in[1] && (in[2] || !(n->in[2].value || has_shares));
}

// --- nodes -------------------------------------------------------------------

// The operand of a JOIN has its own part of the result's channels.
static axis cut_axis_of(const cutter *k, const tenon_node *n, uint32_t i) {
  const tenon_channels *y = tenon_channels_of(k->r, n->out[0]);
  axis a = {y->is_needed, y->n};
  int32_t offset = tenon_channels_how_of(k->r, n) == TENON_CHANNELS_JOIN
                       ? tenon_channels_offset(n, i)
                       : -1;
  if (offset >= 0) a.stays += offset;
  a.n = tenon_channels_of(k->r, n->in[i].value)->n;
  if (a.n == 1 && y->n > 1 && offset < 0) a.stays = NULL;
  return a;
}

static bool build_operands(cutter *k, const tenon_node *n, tenon_value **in) {
  const tenon_channels_how how = tenon_channels_how_of(k->r, n);
  uint32_t first, count_of;
  tenon_channels_operands(how, n, &first, &count_of);
  for (uint32_t i = 0; i < n->n_in; ++i) {
    tenon_value *v = in[i] = n->in[i].value;
    if (!v) continue;
    if (k->fresh[v->id]) in[i] = k->fresh[v->id];
    if (!v->constant || i < first || i >= first + count_of) continue;
    axis a = cut_axis_of(k, n, i);
    if (cut_count(&a) == a.n) continue;
    in[i] = cut_last(k, v, &a);
    if (!in[i]) return false;
  }
  if (how == TENON_CHANNELS_PRODUCT || how == TENON_CHANNELS_DEPTH)
    return build_weights(k, n, in);
  return true;
}

// The attributes, with another number of channels in the one that has it.
static const tenon_arg *build_args(cutter *k, const tenon_node *n,
                                   int32_t channels) {
  const char *counted = tenon_channels_counted(n);
  if (!counted) return n->args;
  tenon_arena *arena = &k->r->arena;
  size_t n_args = 0;
  while (n->args[n_args].name)
    ++n_args;
  tenon_arg *args = tenon_arena_array(arena, tenon_arg, n_args + 1);
  if (!args) return NULL;
  memcpy(args, n->args, n_args * sizeof *args);
  args[n_args] = (tenon_arg)TENON_END_ARGS;
  for (tenon_arg *a = args; a->name; ++a) {
    if (strcmp(a->name, counted) != 0) continue;
    if (a->kind == TENON_KIND_DIMS) {
      tenon_dim *list = tenon_arena_array(arena, tenon_dim, a->as.dims.count);
      if (!list) return NULL;
      memcpy(list, a->as.dims.data, a->as.dims.count * sizeof *list);
      list[a->as.dims.count - 1] = tenon_dim_fixed(channels);
      a->as.dims.data = list;
    } else {
      int64_t *list = tenon_arena_array(arena, int64_t, a->as.ints.count);
      if (!list) return NULL;
      memcpy(list, a->as.ints.data, a->as.ints.count * sizeof *list);
      list[a->as.ints.count - 1] = channels;
      a->as.ints.data = list;
    }
  }
  return args;
}

static bool is_touched(const cutter *k, const tenon_node *n) {
  if (tenon_channels_how_of(k->r, n) == TENON_CHANNELS_NONE) return false;
  if (!cut_is_whole(tenon_channels_of(k->r, n->out[0]))) return true;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    if (v && v->kind == TENON_VALUE_RESULT && v->id < k->r->n_values &&
        !cut_is_whole(tenon_channels_of(k->r, v)))
      return true;
  }
  return false;
}

static bool cut_build(cutter *k, tenon_node *n) {
  tenon_value *y = n->out[0];
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type type = y->type;
  const tenon_type *types = &type;
  const int32_t channels = count_needed(tenon_channels_of(k->r, y));
  tenon_value **in =
      tenon_arena_array(&k->r->m->arena, tenon_value *, n->n_in + 1u);
  if (!in || !build_operands(k, n, in)) return false;
  for (int i = 0; i < type.rank; ++i)
    dims[i] = type.dims[i];
  dims[type.rank - 1] = tenon_dim_fixed(channels);
  type.dims = dims;
  tenon_node_spec spec = tenon_spec_like(n, in);
  spec.args = build_args(k, n, channels);
  spec.types = &types;
  spec.names = &y->name;
  if (!spec.args && n->args) return false;
  tenon_node *fresh = tenon_build_node(k->g, n, &spec);
  if (!fresh) return false;
  k->made[n->id] = fresh;
  k->fresh[y->id] = fresh->out[0];
  return true;
}

// --- the whole ---------------------------------------------------------------

static bool is_old(const cutter *k, const tenon_node *n) {
  return n->id < k->r->n_nodes && k->made[n->id];
}

static void erase(cutter *k, bool is_undoing) {
  for (tenon_node *n = k->g->last; n;) {
    tenon_node *previous = n->previous;
    bool is_new = n->id >= k->r->n_nodes;
    if (is_undoing ? is_new : is_old(k, n)) tenon_node_erase(n);
    n = previous;
  }
}

// Notes what a node that is built again has lost.
static tenon_status cut_tell(const cutter *k, const tenon_node *n) {
  tenon_channels_run *r = k->r;
  const tenon_channels_how how = tenon_channels_how_of(r, n);
  const tenon_channels *c = tenon_channels_of(r, n->out[0]);
  uint32_t constant = 0, unread = 0;
  if (how != TENON_CHANNELS_PRODUCT && how != TENON_CHANNELS_DEPTH)
    return TENON_OK;
  for (int32_t i = 0; i < c->n; ++i) {
    if (c->is_needed[i]) continue;
    if (tenon_channels_is_constant(c, i))
      ++constant;
    else
      ++unread;
  }
  r->n_constant += constant;
  r->n_unread += unread;
  if (constant + unread == 0 || !r->choice->findings) return TENON_OK;
  char text[128];
  (void)snprintf(text, sizeof text,
                 "%u of %d taken out: %u constant, %u unread",
                 constant + unread, c->n, constant, unread);
  return tenon_findings_channels(r->choice->findings, n, text)
             ? TENON_OK
             : tenon_fail_memory(&k->r->m->report, "taking out channels");
}

// Puts what was built in the place of what was.
static tenon_status cut_put(cutter *k) {
  for (tenon_node *n = k->g->first; n; n = n->next) {
    if (is_old(k, n)) TENON_TRY(cut_tell(k, n));
  }
  for (tenon_node *n = k->g->first; n; n = n->next)
    if (is_old(k, n)) tenon_value_replace(n->out[0], k->fresh[n->out[0]->id]);
  erase(k, false);
  return TENON_OK;
}

static bool check_rooms(cutter *k) {
  bool is_clear = true, has_shares = false;
  for (tenon_node *n = k->g->first; n; n = n->next) {
    const tenon_channels_how how = tenon_channels_how_of(k->r, n);
    if ((how != TENON_CHANNELS_PRODUCT && how != TENON_CHANNELS_DEPTH) ||
        !is_touched(k, n) || cut_has_room(k->r, n, &has_shares))
      continue;
    k->r->how[n->id] = TENON_CHANNELS_NONE;
    is_clear = false;
  }
  return is_clear;
}

tenon_status tenon_channels_cut(tenon_channels_run *r, tenon_graph *g,
                                bool *is_done) {
  cutter k = {.r = r, .g = g};
  k.fresh = tenon_arena_array(&r->arena, tenon_value *, r->n_values);
  k.made = tenon_arena_array(&r->arena, tenon_node *, r->n_nodes);
  if (!k.fresh || !k.made)
    return tenon_fail_memory(&k.r->m->report, "taking out channels");
  *is_done = check_rooms(&k);
  if (!*is_done) return TENON_OK;
  for (tenon_node *n = g->first; n; n = n->next) {
    if (n->id >= r->n_nodes || !is_touched(&k, n)) continue;
    if (!cut_build(&k, n)) {
      erase(&k, true);
      return r->m->arena.failed || r->arena.failed
                 ? tenon_fail_memory(&k.r->m->report, "taking out channels")
                 : tenon_fail_bug(&r->m->report,
                                  "'%s' cannot do with fewer channels",
                                  tenon_node_name(n));
    }
    // Memory that choosing needs goes again.
    tenon_arena_mark mark = tenon_arena_save(&r->evaluator.scratch);
    bool is_covered =
        tenon_choose_covers(r->choice, k.made[n->id], &r->evaluator.scratch);
    tenon_arena_restore(&r->evaluator.scratch, mark);
    if (is_covered) continue;
    r->how[n->id] = TENON_CHANNELS_NONE;
    *is_done = false;
  }
  if (*is_done) return cut_put(&k);
  erase(&k, true);
  return TENON_OK;
}
