// How: a table says how an operator goes through rows, and one that is
// element-wise says it of itself; windows are found from attributes that all of
// them have under the same names. What is built takes the attributes of the
// node, but for the padding.
#include "pass/trade/rows.h"

#include <stdio.h>
#include <string.h>

#include "ir/build.h"

typedef enum how { NONE, WINDOW, POOL, PAD, SAME, SIDE } how;

static how pass_row_how_of(const tenon_node *n) {
  static const struct {
    const char *op;
    how how;
  } rows[] = {
#define ROWS(op, how) {"core::" #op, how},
#include "pass/trade/rows.def"
#undef ROWS
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (tenon_op_is(n->op, rows[i].op)) return rows[i].how;
  return n->op->desc && (n->op->desc->flags & TENON_OP_ELEMENTWISE) ? SAME
                                                                    : NONE;
}

static bool is_image(const tenon_value *v) {
  const tenon_type *t = &v->type;
  const tenon_quant *q = t->quant;
  return t->rank == 4 && tenon_type_is_static(t) && t->dims[0].value == 1 &&
         (!q || (q->block == 0 && (q->channels <= 1 || q->axis != 1)));
}

int64_t tenon_rows_height(const tenon_value *v) {
  return v->type.dims[1].value;
}

bool tenon_rows_is_cheap(const tenon_node *n) {
  how h = pass_row_how_of(n);
  return h == SAME || h == PAD || h == SIDE;
}

// Where weights are integers and the image is not, it gets one scale for all of
// it while it runs.
static bool scales_image(const tenon_node *n) {
  return n->n_in > 1 && n->in[1].value && n->in[1].value->type.quant &&
         !n->in[0].value->type.quant;
}

static bool pads_batch(const tenon_node *n) {
  return tenon_node_size(n, "before", 0).value != 0 ||
         tenon_node_size(n, "after", 0).value != 0;
}

bool tenon_rows_takes(const tenon_node *n, uint32_t i) {
  const tenon_value *v = n->in[i].value;
  if (!v || !is_image(v)) return false;
  how h = pass_row_how_of(n);
  if (h != SAME && h != SIDE) return i == 0;
  return tenon_rows_height(v) == tenon_rows_height(n->out[0]);
}

// Whether operand i, all of which each row sees, is the same to each of them:
// it broadcasts from the last dimensions, and may have rows of its own.
static bool pass_row_is_whole(const tenon_node *n, uint32_t i) {
  const tenon_type *t = &n->in[i].value->type;
  how h = pass_row_how_of(n);
  return (h != SAME && h != SIDE) || t->rank < 3 ||
         t->dims[t->rank - 3].value == 1;
}

bool tenon_rows_apply(const tenon_node *n) {
  how h = pass_row_how_of(n);
  if (h == NONE || n->n_out != 1 || n->n_in == 0 || n->n_regions ||
      n->n_decided || n->is_functional || !is_image(n->out[0]))
    return false;
  bool takes = false;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (!n->in[i].value) continue;
    if (!tenon_type_is_static(&n->in[i].value->type)) return false;
    takes |= tenon_rows_takes(n, i);
    if (!tenon_rows_takes(n, i) && !pass_row_is_whole(n, i)) return false;
    // Rows of what is constant would be stored apart.
    if (tenon_rows_takes(n, i) && n->in[i].value->kind == TENON_VALUE_CONSTANT)
      return false;
  }
  if (h == WINDOW) return takes && n->n_in > 1 && !scales_image(n);
  if (h == PAD) return takes && !pads_batch(n);
  int64_t axis = tenon_node_size(n, "axis", 0).value;
  return takes &&
         (h != SIDE || (axis != 0 && axis != 1 && axis != -3 && axis != -4));
}

// --- windows ----------------------------------------------------------------

// One axis of a window: `taps` of them, and what lies around the image.
typedef struct window {
  int64_t taps, step, apart, above;
} window;

static int64_t pass_row_number(const tenon_node *n, const char *name, int i,
                               int64_t absent) {
  return tenon_node_arg(n, name) ? tenon_node_size(n, name, i).value : absent;
}

static window pass_row_window_of(const tenon_node *n) {
  window w = {1, 1, 1, 0};
  switch (pass_row_how_of(n)) {
    case WINDOW:
      w.taps = n->in[1].value->type.dims[1].value;
      w.apart = pass_row_number(n, "dilation", 0, 1);
      break;
    case POOL:
      w.taps = pass_row_number(n, "window", 0, 1);
      break;
    case PAD:
      w.above = pass_row_number(n, "before", 1, 0);
      return w;
    default:
      return w;
  }
  w.step = pass_row_number(n, "stride", 0, 1);
  w.above = pass_row_number(n, "pad", 0, 0);
  return w;
}

static tenon_rows pass_row_reach(const window *w, tenon_rows out) {
  tenon_rows in = {
      out.begin * w->step - w->above,
      (out.end - 1) * w->step - w->above + (w->taps - 1) * w->apart + 1};
  return in;
}

bool tenon_rows_needed(const tenon_node *n, uint32_t i, tenon_rows out,
                       tenon_rows *in) {
  window w = pass_row_window_of(n);
  int64_t height = tenon_rows_height(n->in[i].value);
  *in = pass_row_reach(&w, out);
  if (in->begin < 0) in->begin = 0;
  if (in->end > height) in->end = height;
  return in->begin < in->end;
}

// --- building ---------------------------------------------------------------

static tenon_type pass_row_lower(const tenon_type *t, tenon_dim dims[4],
                                 int64_t rows) {
  tenon_type type = *t;
  memcpy(dims, t->dims, 4 * sizeof *dims);
  dims[1] = tenon_dim_fixed(rows);
  type.dims = dims;
  return type;
}

static const char *pass_row_name_of(tenon_module *m, const tenon_value *v,
                                    tenon_rows rows) {
  char text[128];
  if (!v->name || !v->name[0]) return "";
  (void)snprintf(text, sizeof text, "%.80s[%lld:%lld]", v->name,
                 (long long)rows.begin, (long long)rows.end);
  return tenon_arena_string(&m->arena, text);
}

tenon_value *tenon_rows_slice(tenon_node *before, tenon_value *v,
                              tenon_rows rows, tenon_loc loc) {
  tenon_dim dims[4];
  tenon_type type = pass_row_lower(&v->type, dims, rows.end - rows.begin);
  int64_t begin[4] = {0, rows.begin, 0, 0}, size[4];
  static const int64_t step[4] = {1, 1, 1, 1};
  for (int i = 0; i < 4; ++i)
    size[i] = dims[i].value;
  const char *name = pass_row_name_of(before->graph->module, v, rows);
  return tenon_build_value(
      before->graph, before, "core::slice", &type,
      (tenon_node_spec){.args = TENON_ARGS(tenon_arg_ints("begin", begin, 4),
                                           tenon_arg_ints("size", size, 4),
                                           tenon_arg_ints("step", step, 4)),
                        .in = &v,
                        .n_in = 1,
                        .names = &name,
                        .loc = loc});
}

tenon_value *tenon_rows_join(tenon_node *before, const tenon_type *type,
                             const char *name, tenon_value *const *parts,
                             uint32_t n, tenon_loc loc) {
  return tenon_build_value(
      before->graph, before, "core::concat", type,
      (tenon_node_spec){.args = TENON_ARGS(tenon_arg_int("axis", 1)),
                        .in = parts,
                        .n_in = n,
                        .names = &name,
                        .loc = loc});
}

// The attributes of the node with another list of integers.
static const tenon_arg *change(const tenon_node *n, tenon_arg *room,
                               const char *name, const int64_t *list) {
  size_t count = 0;
  for (const tenon_arg *a = n->args; a && a->name; ++a)
    if (strcmp(a->name, name) != 0) room[count++] = *a;
  room[count++] = tenon_arg_ints(name, list, 4);
  room[count] = (tenon_arg)TENON_END_ARGS;
  return room;
}

static size_t count_args(const tenon_node *n) {
  size_t count = 0;
  for (const tenon_arg *a = n->args; a && a->name; ++a)
    ++count;
  return count;
}

// Padding where the image ends, of an operator that has any.
static const tenon_arg *pad_args(const tenon_node *n, tenon_rows out,
                                 tenon_arg *room, int64_t lists[2][4]) {
  window w = pass_row_window_of(n);
  tenon_rows all = pass_row_reach(&w, out), some;
  (void)tenon_rows_needed(n, 0, out, &some);
  int64_t above = some.begin - all.begin, below = all.end - some.end;
  if (pass_row_how_of(n) != PAD) {
    const int64_t pad[4] = {above, pass_row_number(n, "pad", 1, 0), below,
                            pass_row_number(n, "pad", 3, 0)};
    memcpy(lists[0], pad, sizeof pad);
    return change(n, room, "pad", lists[0]);
  }
  for (int i = 0; i < 4; ++i) {
    lists[0][i] = i == 1 ? above : pass_row_number(n, "before", i, 0);
    lists[1][i] = i == 1 ? below : pass_row_number(n, "after", i, 0);
  }
  tenon_node half = *n;
  half.args = change(n, room, "before", lists[0]);
  return change(&half, room + count_args(n) + 2, "after", lists[1]);
}

tenon_node *tenon_rows_build(const tenon_node *n, tenon_node *before,
                             tenon_rows out, tenon_value *const *in) {
  tenon_module *m = before->graph->module;
  tenon_dim dims[4];
  int64_t lists[2][4];
  tenon_type type = pass_row_lower(&n->out[0]->type, dims, out.end - out.begin);
  const tenon_type *types = &type;
  const char *name = pass_row_name_of(m, n->out[0], out);
  tenon_arg *room =
      tenon_arena_array(&m->arena, tenon_arg, 2 * (count_args(n) + 3));
  if (!room || !name) {
    (void)tenon_fail_memory(&m->report, "cutting into stripes");
    return NULL;
  }
  how h = pass_row_how_of(n);
  bool pads = h == WINDOW || h == POOL || h == PAD;
  tenon_node_spec spec = tenon_spec_like(n, in);
  // Completing attributes copies the lists.
  if (pads) spec.args = pad_args(n, out, room, lists);
  spec.types = &types;
  spec.names = &name;
  return tenon_build_node(before->graph, before, &spec);
}
