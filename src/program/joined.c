// How: greedily from the front. A step joins if no order of pieces can be seen
// in what any of them reads: for every two members, what one writes and the
// other reads or writes lies apart, or each piece of it is the same bytes for
// both, and these are the elements of that piece for both. Then pieces touch
// nothing of each other, and within one the steps run as planned.
#include "program/joined.h"

#include "core/dtype.h"

// Bytes of all operands and results of a piece: a share of a second cache, with
// room for what a product reads besides.
#define TILE_BYTES (64 << 10)
#define MOST_JOINED 16

typedef struct area {
  uint8_t place;
  uint32_t index;
  uint64_t low, high;
  uint64_t count;  // elements
  uint32_t bits;   // of one
} area;

static uint64_t joined_count_of(const tenon_program_tensor *t) {
  uint64_t n = 1;
  for (int i = 0; i < t->rank; ++i)
    n *= (uint64_t)t->dims[i];
  return n;
}

static area area_of(const struct tenon_program *p, uint32_t operand) {
  area a = {TENON_IN_NOTHING, 0, 0, 0, 0, 0};
  uint32_t index = p->operands[operand];
  if (index == TENON_NO_INDEX) return a;
  const tenon_program_tensor *t = &p->tensors[index];
  a.place = t->slot.place;
  if (a.place == TENON_IN_CALLER || a.place == TENON_IN_CONSTANT)
    a.index = t->slot.index;
  a.low = t->slot.offset;
  a.high = a.low + t->size;
  a.count = joined_count_of(t);
  a.bits = tenon_dtype_look(t->dtype)->bits;
  // Steps of an own walk bytes that nobody here knows: all of them.
  if (t->strides) {
    a.low = 0;
    a.high = UINT64_MAX;
    a.count = 0;
  }
  return a;
}

static bool joined_touches(area a, area b) {
  return a.place != TENON_IN_NOTHING && a.place != TENON_IN_CONSTANT &&
         a.place == b.place && a.index == b.index && a.low < b.high &&
         b.low < a.high;
}

// Whether element i of both is at the same bytes, for all i.
static bool joined_is_same(area a, area b) {
  return a.low == b.low && a.count == b.count && a.bits == b.bits;
}

static area scratch_of(const tenon_step *s) {
  area a = {TENON_IN_NOTHING, 0, 0, 0, 0, 0};
  if (s->scratch_size) {
    a.place = TENON_IN_ARENA;
    a.low = s->scratch;
    a.high = s->scratch + s->scratch_size;
  }
  return a;
}

// Whether a step may be a member at all.
static bool can_join(const struct tenon_program *p, const tenon_step *s) {
  if (s->kind != TENON_STEP_KERNEL || s->extent == 0 || s->is_open ||
      s->is_measured || s->is_ahead || s->n_decided || s->n_out != 1 ||
      tenon_program_cold(p, s))
    return false;
  const tenon_kernel_desc *k = p->kernels[s->kernel].desc;
  area y = area_of(p, s->out);
  return k && !(k->flags & TENON_KERNEL_ZERO_OUT) && y.count > 0 &&
         y.count < INT32_MAX && y.bits % 8 == 0 &&
         y.place != TENON_IN_NOTHING &&
         (s->extent > 1 || k->grain <= 1 || TENON_JOINED_UNIT % k->grain == 0);
}

static bool can_begin(const struct tenon_program *p, const tenon_step *s) {
  if (!can_join(p, s)) return false;
  area y = area_of(p, s->out);
  for (uint32_t i = 0; i < s->n_in; ++i) {
    area x = area_of(p, s->in + i);
    if (joined_touches(x, y) && !(s->is_elementwise && joined_is_same(x, y)))
      return false;
  }
  return true;
}

// Whether what `s` does to the areas of an earlier member is in order; *reads:
// it reads that one's result.
static bool joined_agrees(const struct tenon_program *p,
                          const tenon_step *member, const tenon_step *s,
                          bool *reads) {
  const area made = area_of(p, member->out), y = area_of(p, s->out);
  const area scratch = scratch_of(member);
  if (joined_touches(y, scratch) ||
      (joined_touches(y, made) && !joined_is_same(y, made)))
    return false;
  for (uint32_t i = 0; i < member->n_in; ++i) {
    area x = area_of(p, member->in + i);
    if (joined_touches(x, y) &&
        !(member->is_elementwise && joined_is_same(x, y)))
      return false;
  }
  for (uint32_t i = 0; i < s->n_in; ++i) {
    area x = area_of(p, s->in + i);
    if (joined_touches(x, scratch) ||
        (joined_touches(x, made) && !joined_is_same(x, made)))
      return false;
    *reads |= joined_touches(x, made);
  }
  return true;
}

static bool joins(const struct tenon_program *p, const uint32_t *order,
                  uint32_t n, const tenon_step *s) {
  bool reads = false;
  if (!can_begin(p, s) || !s->is_elementwise || s->extent != 1 ||
      s->scratch_size ||
      area_of(p, s->out).count != area_of(p, p->steps[order[0]].out).count)
    return false;
  for (uint32_t i = 0; i < n; ++i)
    if (!joined_agrees(p, &p->steps[order[i]], s, &reads)) return false;
  return reads;
}

// Elements of a piece: as many of what the first step stores at a time as there
// is room for.
static int64_t tile_of(const struct tenon_program *p, const uint32_t *order,
                       uint32_t n) {
  const tenon_step *first = &p->steps[order[0]];
  const uint64_t count = area_of(p, first->out).count;
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < n; ++k) {
    const tenon_step *s = &p->steps[order[k]];
    bytes += area_of(p, s->out).bits / 8u;
    for (uint32_t i = 0; s->is_elementwise && i < s->n_in; ++i) {
      area x = area_of(p, s->in + i);
      if (x.count == count) bytes += x.bits / 8u;
    }
  }
  const int64_t room = (int64_t)(TILE_BYTES / (bytes ? bytes : 1));
  int64_t unit = first->extent == 1 ? TENON_JOINED_UNIT : first->extent;
  const tenon_kernel_desc *k = p->kernels[first->kernel].desc;
  const int64_t grain = k->grain > 1 ? (int64_t)k->grain : 1;
  int64_t times = room / unit;
  if (times < 1) times = 1;
  // Ranges of items begin at multiples of the kernel's grain.
  while (first->extent > 1 && times * first->unit % grain != 0)
    ++times;
  return times * unit;
}

void tenon_program_join(struct tenon_program *p) {
  // A session places the buffers of open sizes anew.
  if (p->n_numbers > 0) return;
  for (uint32_t i = 0; i < p->n_blocks; ++i) {
    const tenon_block *b = &p->blocks[i];
    for (uint32_t at = 0, n = 1; at < b->count; at += n) {
      const uint32_t *order = p->order + b->first + at;
      // Made by whoever makes the program, which is not handed out yet.
      tenon_step *first = (tenon_step *)(uintptr_t)&p->steps[order[0]];
      n = 1;
      first->joined = 1;
      if (!can_begin(p, first)) continue;
      while (at + n < b->count && n < MOST_JOINED &&
             joins(p, order, n, &p->steps[order[n]])) {
        ((tenon_step *)(uintptr_t)&p->steps[order[n]])->joined = 0;
        ++n;
      }
      first->joined = n;
      first->tile = tile_of(p, order, n);
    }
  }
}
