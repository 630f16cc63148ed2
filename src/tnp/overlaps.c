// How: pairs of what a step writes and what else it touches, by their bytes. A
// kernel may rely on them being apart, but where its description or its
// operator says otherwise: in place, over an operand that it reads in the order
// of addresses, and operands of a concatenation that lie in the result already.
#include <string.h>

#include "tnp/coder.h"

// [low, high) of the arena, the state memory or what the caller has.
typedef struct span {
  uint8_t place;
  uint32_t port;
  uint64_t low, high;
} span;

static bool overlaps_touches(span a, span b) {
  return a.place == b.place && a.port == b.port && a.low < b.high &&
         b.low < a.high;
}

static span span_of(const tenon_program_tensor *t) {
  span s = {TENON_IN_NOTHING, 0, 0, 0};
  uint64_t low = 0, high = 0;
  bool is_read_only =
      t->slot.place == TENON_IN_NOTHING || t->slot.place == TENON_IN_CONSTANT;
  if (t->size == 0 || is_read_only || !tenon_tnp_extent(t, &low, &high))
    return s;
  s.place = t->slot.place;
  if (s.place == TENON_IN_CALLER) s.port = t->slot.index;
  s.low = t->slot.offset - low;
  s.high = t->slot.offset + high;
  return s;
}

// The operands of a concatenation lie one behind the other in the result if
// nothing but ones stands before its axis.
static bool overlaps_is_in_line(const struct tenon_program *p,
                                const tenon_step *s) {
  const tenon_program_tensor *y = tenon_tnp_operand(p, s->out);
  int64_t axis = 0;
  if (strcmp(s->op, "core::concat") != 0 || s->attrs == TENON_NO_INDEX)
    return false;
  const tenon_arg *a = p->attrs[s->attrs].args;
  for (; a && a->name; ++a)
    if (strcmp(a->name, "axis") == 0) axis = a->as.i;
  if (axis < 0) axis += y->rank;
  for (int64_t d = 0; d < axis && d < y->rank; ++d)
    if (y->dims[d] != 1) return false;
  return true;
}

// Whether operand i lies where a concatenation would copy it to.
static bool is_in_result(const struct tenon_program *p, const tenon_step *s,
                         uint32_t i, span x, span y) {
  uint64_t at = y.low;
  if (!overlaps_is_in_line(p, s)) return false;
  for (uint32_t k = 0; k < i; ++k) {
    const tenon_program_tensor *t = tenon_tnp_operand(p, s->in + k);
    at += t ? t->size : 0;
  }
  return x.low == at;
}

static bool is_in_place(const struct tenon_program *p, const tenon_step *s,
                        uint32_t out, uint32_t in, span y, span x) {
  const tenon_program_kernel *k = &p->kernels[s->kernel];
  // Kernels of others may write operands, as their operators say.
  bool may = strcmp(k->owner, "core") != 0 ||
             (out < 4 && in < 8 && k->desc->in_place & TENON_IN_PLACE(out, in));
  return may && x.low == y.low && x.high == y.high;
}

static bool may_touch(const struct tenon_program *p, const tenon_step *s,
                      uint32_t out, uint32_t in, span y, span x) {
  if (is_in_place(p, s, out, in, y, x)) return true;
  // How far, tenon_tnp_is_behind asks.
  if (p->kernels[s->kernel].desc->overlap && out == 0 && in == 0) return true;
  return is_in_result(p, s, in, x, y);
}

bool tenon_tnp_is_behind(const struct tenon_program *p, const tenon_step *s,
                         uint64_t distance) {
  const tenon_program_tensor *t = s->n_in ? tenon_tnp_operand(p, s->in) : NULL;
  if (!t || s->n_out == 0) return true;
  span x = span_of(t), y = span_of(tenon_tnp_operand(p, s->out));
  if (!overlaps_touches(x, y) || is_in_place(p, s, 0, 0, y, x)) return true;
  return x.low >= y.low && x.low - y.low >= distance;
}

bool tenon_tnp_is_apart(const struct tenon_program *p, const tenon_step *s) {
  span scratch = {TENON_IN_NOTHING, 0, 0, 0};
  if (s->kind != TENON_STEP_KERNEL || !p->kernels[s->kernel].desc) return true;
  if (s->scratch_size)
    scratch =
        (span){TENON_IN_ARENA, 0, s->scratch, s->scratch + s->scratch_size};
  for (uint32_t o = 0; o < s->n_out; ++o) {
    span y = span_of(tenon_tnp_operand(p, s->out + o));
    if (y.place == TENON_IN_NOTHING) continue;
    if (overlaps_touches(y, scratch)) return false;
    for (uint32_t q = 0; q < o; ++q)
      if (overlaps_touches(y, span_of(tenon_tnp_operand(p, s->out + q))))
        return false;
    for (uint32_t i = 0; i < s->n_in; ++i) {
      const tenon_program_tensor *t = tenon_tnp_operand(p, s->in + i);
      if (!t) continue;
      span x = span_of(t);
      if (overlaps_touches(x, scratch) ||
          (overlaps_touches(x, y) && !may_touch(p, s, o, i, y, x)))
        return false;
    }
  }
  return true;
}

bool tenon_tnp_meets(const struct tenon_program *p, const tenon_step *s,
                     const tenon_program_tensor *t) {
  span y = span_of(t);
  span scratch = {TENON_IN_ARENA, 0, s->scratch, s->scratch + s->scratch_size};
  if (s->scratch_size && overlaps_touches(y, scratch)) return true;
  for (uint32_t i = 0; i < (uint32_t)s->n_in + s->n_out; ++i) {
    const tenon_program_tensor *x =
        tenon_tnp_operand(p, i < s->n_in ? s->in + i : s->out + (i - s->n_in));
    if (x && overlaps_touches(y, span_of(x))) return true;
  }
  return false;
}
