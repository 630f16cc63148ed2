// How: a table says how an operator treats channels; what this needs of the
// node is checked here once, so that the three questions need not.
#include "core/attr.h"
#include "pass/channels/live_channels.h"

#include <string.h>

#include "core/type.h"
#include "ir/turned.h"

typedef struct row {
  const char *op;
  tenon_channels_how how;
  const char *counted;
} row;

static const row *channel_row_of(const tenon_node *n) {
  static const row rows[] = {
#define CHANNELS(op, how, counted) \
  {"core::" #op, TENON_CHANNELS_##how, counted},
#include "pass/channels/channels.def"
#undef CHANNELS
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (tenon_op_is(n->op, rows[i].op)) return &rows[i];
  return NULL;
}

const char *tenon_channels_counted(const tenon_node *n) {
  const row *r = channel_row_of(n);
  return r ? r->counted : NULL;
}

// --- what a node must be -----------------------------------------------------

bool tenon_channels_is_stored(const tenon_type *t) {
  const tenon_quant *q = t->quant;
  bool is_taken =
      t->dtype == TENON_S8 || t->dtype == TENON_U8 || t->dtype == TENON_S16;
  return is_taken && q && q->channels == 1 && !q->block && t->rank >= 1 &&
         tenon_dim_is_fixed(t->dims[t->rank - 1]) &&
         t->dims[t->rank - 1].value >= 1 &&
         t->dims[t->rank - 1].value <= INT32_MAX;
}

static int64_t last(const tenon_value *v) {
  return v->type.dims[v->type.rank - 1].value;
}

static int64_t channel_entry(const tenon_node *n, const char *name, int i) {
  return tenon_node_size(n, name, i).value;
}

static bool channel_is_taken(const tenon_value *v) {
  return v && tenon_channels_is_stored(&v->type) &&
         !(v->constant && tenon_value_is_apart(v));
}

static bool has_data(const tenon_value *v) {
  return v && v->constant && tenon_value_constant(v)->data;
}

static bool channel_is_bias(const tenon_value *v, int64_t n) {
  if (!v) return true;
  const tenon_quant *q = v->type.quant;
  return has_data(v) && v->type.rank == 1 && v->type.dims[0].value == n &&
         (v->type.dtype == TENON_S32 || v->type.dtype == TENON_S64) &&
         (!q || (!q->block && (q->channels == 1 || q->channels == n)));
}

// One scale, with any zero point; or one scale per result without any.
static bool is_weights(const tenon_type *t, int axis) {
  const tenon_quant *q = t->quant;
  if ((t->dtype != TENON_S8 && t->dtype != TENON_U8) || !q || q->block)
    return false;
  if (q->channels == 1) return true;
  for (int32_t i = 0; q->zero && i < q->channels; ++i)
    if (q->zero[i] != 0) return false;
  return q->axis == axis && q->channels == t->dims[axis].value;
}

// Height and width are numbers, or all windows lie within.
static bool has_known_windows(const tenon_node *n) {
  const tenon_type *x = &n->in[0].value->type, *y = &n->out[0]->type;
  bool is_known = true;
  for (int i = 1; i <= 2; ++i)
    is_known = is_known && !x->dims[i].symbol && !y->dims[i].symbol;
  for (int i = 0; !is_known && i < 4; ++i)
    if (channel_entry(n, "pad", i) != 0) return false;
  return true;
}

static bool is_sum(const tenon_node *n, bool is_depth) {
  const tenon_value *x = n->in[0].value, *w = n->in[1].value;
  int64_t channels = last(n->out[0]);
  if (!has_data(w) || n->in[3].value) return false;
  const int rank = w->type.rank, axis = is_depth ? rank - 1 : 0;
  if ((rank != 4 && rank != 2) || (rank == 4 && x->type.rank != 4) ||
      !is_weights(&w->type, axis) ||
      !channel_is_bias(n->in[2].value, channels) ||
      w->type.dims[axis].value != channels)
    return false;
  // Kernels of 16 bits know no zero points.
  if (x->type.dtype == TENON_S16 &&
      (x->type.quant->zero ? x->type.quant->zero[0] : 0) != 0)
    return false;
  if (rank == 4 && !has_known_windows(n)) return false;
  if (is_depth) return channels % last(x) == 0;
  return w->type.dims[rank - 1].value == last(x) &&
         (rank == 2 || channel_entry(n, "groups", 0) == 1);
}

// No window consists of padding alone.
static bool is_pool(const tenon_node *n) {
  for (int i = 0; i < 4; ++i)
    if (channel_entry(n, "pad", i) >= channel_entry(n, "window", i % 2))
      return false;
  return true;
}

static bool keeps_last(const tenon_node *n) {
  const tenon_arg *a = tenon_node_arg(n, "dims");
  const int rank = n->in[0].value->type.rank;
  if (!a || a->kind != TENON_KIND_INTS) return false;
  for (size_t i = 0; i < a->as.ints.count; ++i)
    if (a->as.ints.data[i] == -1 || a->as.ints.data[i] == rank - 1)
      return false;
  return true;
}

static bool is_whole_last(const tenon_node *n) {
  const int at = n->in[0].value->type.rank - 1;
  if (!tenon_op_is(n->op, "core::slice")) return true;
  return channel_entry(n, "begin", at) == 0 &&
         channel_entry(n, "step", at) == 1;
}

static bool pads_others(const tenon_node *n) {
  const int at = n->in[0].value->type.rank - 1;
  return channel_entry(n, "before", at) == 0 &&
         channel_entry(n, "after", at) == 0;
}

int32_t tenon_channels_offset(const tenon_node *n, uint32_t i) {
  const int rank = n->out[0]->type.rank;
  const int64_t axis = channel_entry(n, "axis", 0);
  if (axis != -1 && axis != rank - 1) return -1;
  int64_t at = 0;
  for (uint32_t k = 0; k < i; ++k)
    at += last(n->in[k].value);
  return (int32_t)at;
}

// As many channels as the result has in each operand that goes channel by
// channel; elements that are broadcast have one.
static bool channel_fits(const tenon_node *n, tenon_channels_how how,
                         uint32_t first, uint32_t count) {
  const int64_t channels = last(n->out[0]);
  bool is_any = false;
  for (uint32_t i = first; i < first + count; ++i) {
    const tenon_value *v = n->in[i].value;
    if (how == TENON_CHANNELS_JOIN && tenon_channels_offset(n, i) >= 0) {
      is_any = true;
    } else if (how == TENON_CHANNELS_RESHAPE) {
      is_any = channels % last(v) == 0;
    } else if (last(v) == channels) {
      is_any = true;
    } else if (how != TENON_CHANNELS_EACH || last(v) != 1) {
      return false;
    }
  }
  return is_any;
}

void tenon_channels_operands(tenon_channels_how how, const tenon_node *n,
                             uint32_t *first, uint32_t *count) {
  *first = 0;
  *count = how == TENON_CHANNELS_NONE                                 ? 0
           : how == TENON_CHANNELS_EACH || how == TENON_CHANNELS_JOIN ? n->n_in
                                                                      : 1;
}

static bool is_simple(const tenon_node *n) {
  return n->op->desc && tenon_op_is_pure(n->op) && !n->op->plain &&
         n->n_regions == 0 && n->n_out == 1 && n->n_in >= 1 &&
         !n->is_functional && n->n_decided == 0 && channel_is_taken(n->out[0]);
}

tenon_channels_how tenon_channels_find_how(const tenon_node *n) {
  const row *r = channel_row_of(n);
  uint32_t first, count;
  tenon_channels_how how = TENON_CHANNELS_NONE;
  if (!is_simple(n)) return TENON_CHANNELS_NONE;
  if (r)
    how = r->how;
  else if (n->op->desc->flags & TENON_OP_ELEMENTWISE)
    how = TENON_CHANNELS_EACH;
  tenon_channels_operands(how, n, &first, &count);
  for (uint32_t i = 0; how != TENON_CHANNELS_NONE && i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    bool is_by_channel = i >= first && i < first + count;
    if (is_by_channel ? !channel_is_taken(v) : v && !has_data(v))
      return TENON_CHANNELS_NONE;
  }
  // What is made of constants alone is folded.
  const bool is_folded = how != TENON_CHANNELS_EACH &&
                         how != TENON_CHANNELS_JOIN && count > 0 &&
                         n->in[0].value->constant;
  bool ok = !is_folded &&
            (how == TENON_CHANNELS_RESHAPE || !tenon_args_has_dims(n->args));
  switch (how) {
    case TENON_CHANNELS_PRODUCT:
    case TENON_CHANNELS_DEPTH:
      return ok && is_sum(n, how == TENON_CHANNELS_DEPTH) ? how
                                                          : TENON_CHANNELS_NONE;
    case TENON_CHANNELS_POOL:
      ok = ok && is_pool(n);
      break;
    case TENON_CHANNELS_REDUCE:
      ok = ok && keeps_last(n);
      break;
    case TENON_CHANNELS_PAD:
      ok = ok && pads_others(n);
      break;
    case TENON_CHANNELS_MOVE:
      ok = ok && is_whole_last(n);
      break;
    default:
      break;
  }
  return ok && channel_fits(n, how, first, count) ? how : TENON_CHANNELS_NONE;
}

// --- sums --------------------------------------------------------------------

int32_t tenon_channels_stored(const tenon_tensor *t, size_t i) {
  if (t->dtype == TENON_U8) return ((const uint8_t *)t->data)[i];
  if (t->dtype == TENON_S8) return ((const int8_t *)t->data)[i];
  return ((const int16_t *)t->data)[i];
}

void tenon_channels_weights_of(const tenon_node *n, tenon_channels_how how,
                               tenon_channels_weights *out) {
  const tenon_value *x = n->in[0].value, *bias = n->in[2].value;
  const tenon_tensor *w = tenon_value_constant(n->in[1].value);
  memset(out, 0, sizeof *out);
  out->w = w;
  out->bias = bias ? bias->constant : NULL;
  out->is_depth = how == TENON_CHANNELS_DEPTH;
  out->n = w->dims[out->is_depth ? 3 : 0];
  out->kh = w->rank == 4 ? w->dims[1] : 1;
  out->kw = w->rank == 4 ? w->dims[2] : 1;
  out->depth = out->is_depth ? 1 : w->dims[w->rank - 1];
  out->times = out->is_depth ? out->n / (int32_t)last(x) : 1;
  out->x_zero = x->type.quant->zero ? x->type.quant->zero[0] : 0;
  out->w_zero = w->quant->zero ? w->quant->zero[0] : 0;
  out->is_wide =
      out->bias ? out->bias->dtype == TENON_S64 : x->type.dtype == TENON_S16;
}

int32_t tenon_channels_weight(const tenon_channels_weights *w, int32_t out,
                              int32_t tap, int32_t in) {
  size_t taps = (size_t)w->kh * (size_t)w->kw;
  size_t at =
      w->is_depth
          ? (size_t)tap * (size_t)w->n + (size_t)out
          : ((size_t)out * taps + (size_t)tap) * (size_t)w->depth + (size_t)in;
  return tenon_channels_stored(w->w, at) - w->w_zero;
}

int64_t tenon_channels_bias(const tenon_channels_weights *w, int32_t out) {
  if (!w->bias) return 0;
  return w->is_wide ? ((const int64_t *)w->bias->data)[out]
                    : ((const int32_t *)w->bias->data)[out];
}

// The sets of taps along one axis, each once; they change near the ends only,
// so equal ones are neighbours or come again at once.
static uint32_t taps_along(const tenon_node *n, int axis, int32_t size,
                           tenon_taps *out) {
  const tenon_type *x = &n->in[0].value->type, *y = &n->out[0]->type;
  uint32_t count = 0;
  out[0] = (tenon_taps){0, 0, size};
  if (x->dims[1 + axis].symbol || y->dims[1 + axis].symbol) return 1;
  for (int64_t at = 0; at < y->dims[1 + axis].value; ++at) {
    tenon_taps t = tenon_window_taps(
        (ptrdiff_t)at, (ptrdiff_t)channel_entry(n, "stride", axis),
        (ptrdiff_t)channel_entry(n, "pad", axis),
        (ptrdiff_t)channel_entry(n, "dilation", axis), size,
        (ptrdiff_t)x->dims[1 + axis].value);
    bool is_new = true;
    for (uint32_t i = 0; is_new && i < count; ++i)
      is_new = out[i].begin != t.begin || out[i].end != t.end;
    if (is_new) out[count++] = t;
  }
  return count;
}

static tenon_taps *taps_room(tenon_channels_run *r, const tenon_node *n,
                             int axis) {
  int64_t size = n->out[0]->type.dims[1 + axis].value;
  return tenon_arena_array(&r->evaluator.scratch, tenon_taps,
                           (size_t)(size > 0 ? size : 1));
}

tenon_channels_taps *tenon_channels_windows(tenon_channels_run *r,
                                            const tenon_node *n,
                                            const tenon_channels_weights *w,
                                            uint32_t *count) {
  tenon_taps whole = {0, 0, 1}, *y = &whole, *x = &whole;
  uint32_t n_y = 1, n_x = 1;
  if (w->w->rank == 4) {
    y = taps_room(r, n, 0);
    x = taps_room(r, n, 1);
    if (!y || !x) return NULL;
    n_y = taps_along(n, 0, w->kh, y);
    n_x = taps_along(n, 1, w->kw, x);
  }
  tenon_channels_taps *all = tenon_arena_array(
      &r->evaluator.scratch, tenon_channels_taps, (size_t)n_y * n_x + 1);
  *count = 0;
  for (uint32_t i = 0; all && i < n_y; ++i)
    for (uint32_t k = 0; k < n_x; ++k)
      all[(*count)++] = (tenon_channels_taps){y[i], x[k]};
  return all;
}
