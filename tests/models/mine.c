// mine.c - what serves the programs custom_* of tests/models/pt2: operators of
// torch.library, without shape rules, since the files state the shapes. Those
// that write are served by the functional ones.
#include <string.h>

#include "tenon/tensor.h"

#define MINE_IN(i) ((const float *)c->in[i].data)
#define MINE_OUT(i) ((float *)c->out[i].data)
#define MINE_COUNT(t) ((size_t)tenon_count(&(t)))

TENON_KERNEL(mine_twice) {
  for (size_t k = 0; k < MINE_COUNT(c->in[0]); ++k)
    MINE_OUT(0)[k] = 2 * MINE_IN(0)[k];
  return TENON_OK;
}
TENON_KERNEL(mine_shifted) {
  for (size_t k = 0; k < MINE_COUNT(c->in[0]); ++k)
    MINE_OUT(0)[k] = 2 * MINE_IN(0)[k] + MINE_IN(1)[k];
  return TENON_OK;
}
TENON_KERNEL(mine_ends) {
  MINE_OUT(0)[0] = MINE_IN(0)[0];
  MINE_OUT(1)[0] = MINE_IN(0)[MINE_COUNT(c->in[0]) - 1];
  return TENON_OK;
}
TENON_KERNEL(mine_acc) {
  for (size_t k = 0; k < MINE_COUNT(c->in[1]); ++k) {
    MINE_OUT(1)[k] += MINE_IN(1)[k];
    MINE_OUT(0)[k] = MINE_OUT(1)[k] * 2;
  }
  return TENON_OK;
}
TENON_KERNEL(mine_pieces) {
  const float *x = MINE_IN(0);
  int sum = c->out_group[1];
  size_t at = 0;
  for (int i = 0; i < sum; ++i)
    for (size_t k = 0; k < MINE_COUNT(c->out[i]); ++k)
      MINE_OUT(i)[k] = x[at++];
  MINE_OUT(sum)[0] = 0;
  for (at = 0; at < MINE_COUNT(c->in[0]); ++at)
    MINE_OUT(sum)[0] += x[at];
  at = 0;
  for (int i = sum + 1; i < c->n_out; ++i)
    for (size_t k = 0; k < MINE_COUNT(c->out[i]); ++k)
      MINE_OUT(i)[k] = 2 * x[at++];
  return TENON_OK;
}
TENON_KERNEL(mine_parts) {
  const float *x = MINE_IN(0);
  for (int i = 0; i < c->n_out; ++i) {
    memcpy(c->out[i].data, x, MINE_COUNT(c->out[i]) * sizeof *x);
    x += MINE_COUNT(c->out[i]);
  }
  return TENON_OK;
}

typedef struct every_attrs {
  int64_t n;
  tenon_ints ms;
  tenon_dtype t;
  tenon_floats fs;
  tenon_bools bs;
  tenon_ints pair;
  double f;
  bool b;
  const char *s;
  tenon_scalar q;
  tenon_opt_int on;
  tenon_opt_float of;
  tenon_opt_bool ob;
  const char *os;
  tenon_ints ons;
  const char *d, *l, *mf, *g;
} every_attrs;

static double mine_number(const every_attrs *a) {
  double y = 0;
  for (size_t i = 0; i < a->fs.count; ++i)
    y += a->fs.data[i];
  y += (double)a->n + a->f + (double)a->b;
  for (size_t i = 0; i < a->ms.count; ++i)
    y += 2 * (double)a->ms.data[i];
  y += 10 * (double)a->pair.data[0] + (double)a->pair.data[1];
  y += (unsigned char)a->s[strlen(a->s) - 1];
  y += 3 * (a->q.kind == TENON_KIND_FLOAT ? a->q.as.f : (double)a->q.as.i);
  y += a->t == TENON_F16 ? 1 : 2;
  for (size_t i = 0; i < a->bs.count; ++i)
    y += a->bs.data[i] ? 7 : 0;
  y += a->on.has ? (double)a->on.value : 5;
  y += a->of.has ? a->of.value : 0.25;
  y += !a->ob.has ? 11 : a->ob.value ? 13 : 17;
  // Python counts characters, and so does whoever skips what follows the first.
  y += a->os ? 0 : 19;
  for (const char *p = a->os; p && *p; ++p)
    y += ((unsigned char)*p & 0xC0) != 0x80;
  y += a->ons.data ? 100 * (double)a->ons.count : 23;
  for (size_t i = 0; i < a->ons.count; ++i)
    y += (double)a->ons.data[i];
  y += a->d ? (double)strlen(a->d) : 29;
  y += a->l != NULL;
  return y + (a->mf && strcmp(a->mf, "channels_last") == 0 ? 31 : 0);
}

TENON_KERNEL(mine_every) {
  const every_attrs *a = (const every_attrs *)c->attrs;
  const tenon_tensor *k = &c->in[c->in_group[4]];
  float number = (float)mine_number(a);
  for (size_t i = 0; i < MINE_COUNT(c->in[0]); ++i) {
    float y = MINE_IN(0)[i] * MINE_IN(2)[i] + ((const float *)k->data)[i];
    y += c->in[1].dtype ? MINE_IN(1)[i] : number;
    for (int t = c->in_group[3]; t < c->in_group[4]; ++t)
      if (c->in[t].dtype) y += MINE_IN(t)[i] * (float)(t - c->in_group[3] + 2);
    MINE_OUT(0)[i] = y;
  }
  return TENON_OK;
}

static void mine_times(const tenon_call *c, int in, int out, float by) {
  for (size_t k = 0; k < MINE_COUNT(c->out[out]); ++k)
    MINE_OUT(out)[k] = MINE_IN(in)[k] * by;
}
// A result that is None has no elements.
TENON_KERNEL(mine_maybe) {
  mine_times(c, 0, 0, 2);
  mine_times(c, 0, 1, 3);
  return TENON_OK;
}
TENON_KERNEL(mine_lone) {
  mine_times(c, 0, 0, 5);
  return TENON_OK;
}
TENON_KERNEL(mine_kept) {
  bool both = MINE_COUNT(c->out[0]) > 0;
  for (size_t k = 0; k < MINE_COUNT(c->in[1]); ++k) {
    MINE_OUT(2)[k] += both ? MINE_IN(1)[k] : -MINE_IN(1)[k];
    MINE_OUT(1)[k] = MINE_IN(1)[k] + 1;
    if (both) MINE_OUT(0)[k] = MINE_OUT(2)[k] * 7;
  }
  return TENON_OK;
}
TENON_KERNEL(mine_or_one) {
  for (size_t k = 0; k < MINE_COUNT(c->out[0]); ++k)
    MINE_OUT(0)[k] = MINE_IN(0)[k] + (c->in[1].dtype ? MINE_IN(1)[k] : 1);
  return TENON_OK;
}

typedef struct worded_attrs {
  tenon_strs names, more, pair, rest;
} worded_attrs;

static int mine_weight(int number, tenon_strs list) {
  number = number * 3 + (list.data ? (int)list.count : 7);
  for (size_t i = 0; i < list.count; ++i)
    for (const char *p = list.data[i]; *p; ++p)
      number += (int)(i + 1) * (unsigned char)*p;
  return number;
}

TENON_KERNEL(mine_worded) {
  const worded_attrs *a = (const worded_attrs *)c->attrs;
  int number = mine_weight(mine_weight(0, a->names), a->more);
  number = mine_weight(mine_weight(number, a->pair), a->rest) % 1009;
  for (size_t i = 0; i < MINE_COUNT(c->in[0]); ++i)
    MINE_OUT(0)[i] = MINE_IN(0)[i] + (float)number;
  return TENON_OK;
}

TENON_KERNEL(mine_push) {
  for (size_t k = 0; k < MINE_COUNT(c->in[1]); ++k) {
    MINE_OUT(1)[k] += MINE_IN(1)[k];
    MINE_OUT(0)[k] = MINE_OUT(1)[k];
  }
  for (size_t k = 0; c->in[2].dtype && k < MINE_COUNT(c->in[2]); ++k)
    MINE_OUT(2)[k] *= 2;
  return TENON_OK;
}

typedef struct bump_attrs {
  double by;
} bump_attrs;
TENON_KERNEL(mine_bump) {
  const bump_attrs *a = (const bump_attrs *)c->attrs;
  for (size_t k = 0; k < MINE_COUNT(c->out[0]); ++k)
    MINE_OUT(0)[k] += (float)a->by;
  return TENON_OK;
}
TENON_KERNEL(mine_rise) {
  const float *k = MINE_IN(c->in_group[2]);
  for (int i = 0; i < c->n_out; ++i) {
    const tenon_tensor *y = &c->in[c->in_group[1] + i];
    for (size_t at = 0; at < MINE_COUNT(c->out[i]); ++at)
      MINE_OUT(i)[at] += y->dtype ? ((const float *)y->data)[at] : k[at];
  }
  return TENON_OK;
}
typedef struct both_attrs {
  int64_t n;
} both_attrs;
TENON_KERNEL(mine_both) {
  const both_attrs *a = (const both_attrs *)c->attrs;
  for (size_t k = 0; k < MINE_COUNT(c->out[0]); ++k)
    MINE_OUT(0)[k] += (float)a->n;
  for (size_t k = 0; k < MINE_COUNT(c->out[1]); ++k)
    MINE_OUT(1)[k] *= 2;
  return TENON_OK;
}

#undef MINE_IN
#undef MINE_OUT
#undef MINE_COUNT
// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

#define MINE_KERNEL(name, its_types)                                        \
  static const tenon_kernel_desc name##_kernel = {                          \
      .struct_size = sizeof(tenon_kernel_desc),                             \
      .symbol = "mine_" #name,                                              \
      .types = its_types,                                                   \
      .run = mine_##name,                                                   \
  };                                                                        \
  static const tenon_kernel_desc *const name##_kernels[] = {&name##_kernel, \
                                                            NULL}
#define MINE_OP(its_schema, its_kernels, ...)                     \
  {                                                               \
    .struct_size = sizeof(tenon_op_desc), .flags = TENON_OP_PURE, \
    .schema = "mine::" its_schema, .doc = "Of a test.",           \
    .kernels = its_kernels, __VA_ARGS__                           \
  }

MINE_KERNEL(twice, "f32 -> f32");
MINE_KERNEL(shifted, "f32, f32 -> f32");
MINE_KERNEL(ends, "f32 -> f32, f32");
MINE_KERNEL(acc, "f32, f32 -> f32, f32");
MINE_KERNEL(pieces, "f32 -> f32..., f32, f32...");
MINE_KERNEL(parts, "f32 -> f32...");

MINE_KERNEL(every, "f32, f32?, f32, f32?..., f32 -> f32");
MINE_KERNEL(maybe, "f32 -> f32, f32?");
MINE_KERNEL(lone, "f32 -> f32?");
MINE_KERNEL(kept, "f32, f32 -> f32?, f32, f32");
MINE_KERNEL(or_one, "f32, f32? -> f32");
MINE_KERNEL(worded, "f32 -> f32");
MINE_KERNEL(push, "f32, f32, f32? -> f32, f32, f32?");
MINE_KERNEL(bump, "f32 -> f32");
MINE_KERNEL(rise, "f32..., f32?..., f32 -> f32...");
MINE_KERNEL(both, "f32, f32 -> f32, f32");

typedef struct parts_attrs {
  int64_t n;
} parts_attrs;
static const tenon_field parts_fields[] = {TENON_FIELD(parts_attrs, n),
                                           TENON_END_FIELDS};

#define MINE_FIELD(m) TENON_FIELD(every_attrs, m)
static const tenon_field every_fields[] = {
    MINE_FIELD(n),  MINE_FIELD(ms),   MINE_FIELD(t),   MINE_FIELD(fs),
    MINE_FIELD(bs), MINE_FIELD(pair), MINE_FIELD(f),   MINE_FIELD(b),
    MINE_FIELD(s),  MINE_FIELD(q),    MINE_FIELD(on),  MINE_FIELD(of),
    MINE_FIELD(ob), MINE_FIELD(os),   MINE_FIELD(ons), MINE_FIELD(d),
    MINE_FIELD(l),  MINE_FIELD(mf),   MINE_FIELD(g),   TENON_END_FIELDS};
static const tenon_field worded_fields[] = {
    TENON_FIELD(worded_attrs, names), TENON_FIELD(worded_attrs, more),
    TENON_FIELD(worded_attrs, pair), TENON_FIELD(worded_attrs, rest),
    TENON_END_FIELDS};
static const tenon_field bump_fields[] = {TENON_FIELD(bump_attrs, by),
                                          TENON_END_FIELDS};
static const tenon_field both_fields[] = {TENON_FIELD(both_attrs, n),
                                          TENON_END_FIELDS};

static const tenon_op_desc ops[] = {
    MINE_OP("every(Tensor x, Tensor? none, Tensor z, SymInt n, SymInt[] ms, "
            "ScalarType t, Tensor?[] ts, float[] fs, bool[] bs, int[2] pair=1, "
            "float f=0.5, bool b=False, str s=\"a\", Scalar q=1, int? on=None, "
            "float? of=None, bool? ob=None, str? os=None, int[]? ons=None, *, "
            "Tensor k, Device? d=None, Layout? l=None, MemoryFormat? mf=None, "
            "Generator? g=None) -> Tensor",
            every_kernels, .attrs_size = sizeof(every_attrs),
            .fields = every_fields),
    MINE_OP("worded(Tensor x, str[] names, str[]? more=None, *, "
            "str[] pair, str[]? rest=None) -> Tensor",
            worded_kernels, .attrs_size = sizeof(worded_attrs),
            .fields = worded_fields),
    MINE_OP("push(Tensor(a!) s, Tensor x, Tensor(b!)? t=None) -> Tensor",
            push_kernels),
    MINE_OP("bump(Tensor(a!) x, float by=1.) -> ()", bump_kernels,
            .attrs_size = sizeof(bump_attrs), .fields = bump_fields),
    MINE_OP("rise(Tensor(a!)[] xs, Tensor?[] ys, *, Tensor k) -> ()",
            rise_kernels),
    MINE_OP("both(Tensor(a!) a, Tensor(b!) b, SymInt n) -> ()", both_kernels,
            .attrs_size = sizeof(both_attrs), .fields = both_fields),
    MINE_OP("twice(Tensor x) -> Tensor", twice_kernels),
    MINE_OP("twice.shifted(Tensor x, *, Tensor by) -> Tensor", shifted_kernels),
    MINE_OP("ends(Tensor x) -> (Tensor low, Tensor high)", ends_kernels),
    MINE_OP("parts(Tensor x, int n) -> Tensor[]", parts_kernels,
            .attrs_size = sizeof(parts_attrs), .fields = parts_fields),
};
#define MINE_MAYBE(its_schema, its_kernels)                           \
  MINE_OP(its_schema, its_kernels, .attrs_size = sizeof(maybe_attrs), \
          .fields = maybe_fields)
typedef struct maybe_attrs {
  bool both;
} maybe_attrs;
static const tenon_field maybe_fields[] = {TENON_FIELD(maybe_attrs, both),
                                           TENON_END_FIELDS};
static const tenon_op_desc maybe_ops[] = {
    MINE_MAYBE("maybe(Tensor x, bool both) -> (Tensor, Tensor?)",
               maybe_kernels),
    MINE_MAYBE("lone(Tensor x, bool both) -> Tensor?", lone_kernels),
    MINE_MAYBE("kept(Tensor(a!) s, Tensor x, bool both) -> (Tensor?, Tensor)",
               kept_kernels),
    MINE_OP("or_one(Tensor x, Tensor? y) -> Tensor", or_one_kernels),
};
// A result that a call leaves out has no type there, so this has a rule.
static tenon_status edges_infer(tenon_infer *c) {
  static const tenon_dim one[1] = {{1, 0}};
  tenon_type t = *tenon_infer_in(c, 0);
  t.dims = one;
  TENON_TRY(tenon_infer_out(c, 0, &t));
  return tenon_infer_out(c, 1, &t);
}
static const tenon_op_desc out_ops[] = {
    MINE_OP("acc(Tensor(a!) s, Tensor x) -> Tensor", acc_kernels),
    MINE_OP("edges(Tensor x) -> (Tensor low, Tensor high)", ends_kernels,
            .infer = edges_infer),
    MINE_OP("pieces(Tensor x, int n) -> (Tensor[] a, Tensor sum, Tensor[] b)",
            pieces_kernels, .attrs_size = sizeof(parts_attrs),
            .fields = parts_fields),
};
// Nothing in a file says what an overload of another name writes that gives it
// back: its schema does, and needs no more.
static const tenon_op_desc put = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema = "mine::twice.put(Tensor x, Tensor(a!) dst) -> Tensor(a!)",
    .doc = "Of a test.",
};

static const tenon_plugin mine = {
    TENON_PLUGIN_HEADER,
    .name = "mine",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&ops[0], &ops[1], &ops[2], &ops[3],
                                          &ops[4], &ops[5], &ops[6], &ops[7],
                                          &ops[8], &ops[9], &maybe_ops[0],
                                          &maybe_ops[1], &maybe_ops[2],
                                          &maybe_ops[3], &out_ops[0],
                                          &out_ops[1], &out_ops[2], &put, NULL},
};
TENON_PLUGIN_EXPORT(mine, mine);

#endif  // TENON_EMITTED
