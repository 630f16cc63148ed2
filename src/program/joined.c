// How: greedily from the front. All results of a group have as many rows, of
// one element or more; how many shrinks as steps join. A step joins if no order
// of rows can be seen in what any of them reads: for every two members, what
// one writes and the other reads or writes lies apart, or each row of it is the
// same bytes for both, which the other needs for that row alone. Then rows
// touch nothing of each other, and within some of them the steps run as
// planned.
#include "program/joined.h"

#include "base/size.h"
#include "core/dtype.h"
#include "core/strided.h"

// Bytes of all that a piece of the members reads and writes: what the
// first-level cache holds; if the first member multiplies, as much as the
// second one holds beside what else goes through it, since what is behind reads
// from there about as fast as it computes, and each piece begins and ends anew;
// and if that is light, more.
#define TILE_BYTES (32 << 10)
#define TILE_BYTES_PRODUCT (256 << 10)
#define TILE_BYTES_LIGHT (2 << 20)
#define LIGHT_MACS 50  // for an element, at most

typedef struct area {
  uint8_t place;
  uint32_t index;
  uint64_t low, high;
  uint64_t count;  // elements
  uint32_t bits;   // of one
  bool has_strides;
} area;

static area area_of(const struct tenon_program *p, uint32_t operand) {
  area a = {TENON_IN_NOTHING, 0, 0, 0, 0, 0, false};
  uint32_t index = p->operands[operand];
  if (index == TENON_NO_INDEX) return a;
  const tenon_program_tensor *t = &p->tensors[index];
  a.place = t->slot.place;
  if (a.place == TENON_IN_CALLER || a.place == TENON_IN_CONSTANT)
    a.index = t->slot.index;
  a.low = t->slot.offset;
  a.high = a.low + t->size;
  a.count = (uint64_t)tenon_program_count(t);
  a.bits = tenon_dtype_look(t->dtype)->bits;
  if (!t->strides) return a;
  // As many elements, but no row of it is where another tensor's is.
  int64_t low = 0, high = 0;
  for (int d = 0; d < t->rank; ++d)
    tenon_strided_widen(t->dims[d], t->strides[d], &low, &high);
  a.high = a.low + (uint64_t)(high + 1) * (a.bits / 8u);
  a.low -= (uint64_t)-low * (a.bits / 8u);
  a.has_strides = true;
  return a;
}

static bool joined_touches(area a, area b) {
  return a.place != TENON_IN_NOTHING && a.place != TENON_IN_CONSTANT &&
         a.place == b.place && a.index == b.index && a.low < b.high &&
         b.low < a.high;
}

// Whether element i of both is at the same bytes, for all i.
static bool joined_is_same(area a, area b) {
  return a.low == b.low && a.count == b.count && a.bits == b.bits &&
         !a.has_strides && !b.has_strides;
}
// Whether row i is.
static bool has_same_rows(area a, area b) {
  return a.low == b.low && a.count * a.bits == b.count * b.bits &&
         !a.has_strides && !b.has_strides;
}

static area scratch_of(const tenon_step *s) {
  area a = {TENON_IN_NOTHING, 0, 0, 0, 0, 0, false};
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

// Into how many rows the result of a step falls at most. Where its pieces begin
// does not matter to the first member of a group, whose tiles are made of them.
static uint64_t rows_of(const struct tenon_program *p, const tenon_step *s) {
  const uint64_t count = area_of(p, s->out).count;
  return s->reads ? count / (uint64_t)s->extent : count;
}

// Whether a row of the result needs nothing of an operand but its row: of an
// element-wise one all dimensions, or the first of them, behind which it is
// repeated.
static bool reads_own_rows(const struct tenon_program *p, const tenon_step *s,
                           uint32_t i, uint64_t rows) {
  const area x = area_of(p, s->in + i);
  if (x.count % rows != 0) return false;
  if (!s->is_elementwise) return s->reads > 0 && i == 0;
  if (x.count == area_of(p, s->out).count) return true;
  const tenon_program_tensor *t = &p->tensors[p->operands[s->in + i]];
  const tenon_program_tensor *y = &p->tensors[p->operands[s->out]];
  bool is_repeated = false;
  for (int d = 0; d < y->rank; ++d) {
    const int own = d - (y->rank - t->rank);
    const int32_t size = own < 0 ? 1 : t->dims[own];
    is_repeated |= size != y->dims[d];
    if (is_repeated && size != 1) return false;
  }
  return true;
}

// Whether what `s` does to the areas of an earlier member is in order; *reads:
// it reads that one's result.
static bool joined_agrees(const struct tenon_program *p,
                          const tenon_step *member, const tenon_step *s,
                          uint64_t rows, bool *reads) {
  const area made = area_of(p, member->out), y = area_of(p, s->out);
  const area scratch = scratch_of(member);
  if (joined_touches(y, scratch) ||
      (joined_touches(y, made) && !has_same_rows(y, made)))
    return false;
  for (uint32_t i = 0; i < member->n_in; ++i) {
    area x = area_of(p, member->in + i);
    if (joined_touches(x, y) &&
        !(has_same_rows(x, y) && reads_own_rows(p, member, i, rows)))
      return false;
  }
  for (uint32_t i = 0; i < s->n_in; ++i) {
    area x = area_of(p, s->in + i);
    if (joined_touches(x, scratch)) return false;
    if (!joined_touches(x, made)) continue;
    if (!has_same_rows(x, made) || !reads_own_rows(p, s, i, rows)) return false;
    *reads = true;
  }
  return true;
}

// --- tiles ------------------------------------------------------------------

static const tenon_step *joined_step(const struct tenon_program *p,
                                     const uint32_t *order, uint32_t k) {
  return &p->steps[order[k]];
}

// Operand i of a step, or its result behind them: what a row takes of it, if a
// piece of it is read or written with every piece.
static uint64_t bytes_of_row(const struct tenon_program *p, const tenon_step *s,
                             uint32_t i, uint64_t rows, area *a) {
  *a = area_of(p, i < s->n_in ? s->in + i : s->out);
  if (a->place == TENON_IN_NOTHING || a->place == TENON_IN_CONSTANT ||
      (i < s->n_in && !reads_own_rows(p, s, i, rows)))
    return 0;
  return a->count / rows * (a->bits / 8u);
}

// Of a row of all members, once where several are at the same place.
static uint64_t bytes_of_rows(const struct tenon_program *p,
                              const uint32_t *order, uint32_t n,
                              uint64_t rows) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < n; ++k) {
    const tenon_step *s = joined_step(p, order, k);
    for (uint32_t i = 0; i <= s->n_in; ++i) {
      area own, other;
      const uint64_t more = bytes_of_row(p, s, i, rows, &own);
      bool is_new = more > 0;
      for (uint32_t at = 0; is_new && at <= k; ++at) {
        const tenon_step *before = joined_step(p, order, at);
        for (uint32_t j = 0; is_new && j < (at < k ? before->n_in + 1u : i);
             ++j)
          is_new = !bytes_of_row(p, before, j, rows, &other) ||
                   !joined_touches(own, other);
      }
      if (is_new) bytes += more;
    }
  }
  return bytes;
}

static bool begins_well(const struct tenon_program *p, const uint32_t *order,
                        uint32_t n, uint64_t rows, uint64_t unit) {
  for (uint32_t k = 0; k < n; ++k) {
    const tenon_step *s = joined_step(p, order, k);
    const uint64_t width = area_of(p, s->out).count / rows;
    const uint64_t grain = p->kernels[s->kernel].desc->grain;
    const uint64_t extent = (uint64_t)s->extent;
    if (unit * width % extent != 0 ||
        (grain > 1 && unit * width / extent * (uint64_t)s->unit % grain != 0))
      return false;
  }
  return true;
}

int64_t tenon_joined_unit(const struct tenon_program *p, const uint32_t *order,
                          uint32_t n, int64_t rows) {
  const tenon_step *first = joined_step(p, order, 0);
  const uint64_t width = area_of(p, first->out).count / (uint64_t)rows;
  const uint64_t extent = (uint64_t)first->extent;
  bool is_flat = true;
  for (uint32_t k = 0; k < n; ++k)
    is_flat &=
        area_of(p, joined_step(p, order, k)->out).count == (uint64_t)rows;
  // Ranges of kernels begin at multiples of their grain.
  const uint64_t least = is_flat && extent == 1
                             ? TENON_JOINED_UNIT
                             : extent / tenon_size_gcd(extent, width);
  uint64_t unit = least;
  while (!begins_well(p, order, n, (uint64_t)rows, unit))
    unit += least;
  return (int64_t)unit;
}

bool tenon_joined_is_light(const struct tenon_program *p, const tenon_step *s) {
  const uint64_t count = area_of(p, s->out).count;
  return s->macs > 0 && !s->reads && s->n_in > 0 &&
         s->macs / LIGHT_MACS <= count && 2 * area_of(p, s->in).count >= count;
}

static int64_t tile_of(const struct tenon_program *p, const uint32_t *order,
                       uint32_t n, uint64_t rows) {
  const uint64_t bytes = bytes_of_rows(p, order, n, rows);
  const int64_t unit = tenon_joined_unit(p, order, n, (int64_t)rows);
  const tenon_step *first = joined_step(p, order, 0);
  const uint64_t most = tenon_joined_is_light(p, first) ? TILE_BYTES_LIGHT
                        : first->macs > 0               ? TILE_BYTES_PRODUCT
                                                        : TILE_BYTES;
  const int64_t room = (int64_t)(most / (bytes ? bytes : 1));
  return room < unit ? unit : room / unit * unit;
}

// --- groups -----------------------------------------------------------------

// *rows: those of the group, and with the step.
static bool joins(const struct tenon_program *p, const uint32_t *order,
                  uint32_t n, const tenon_step *s, uint64_t *rows) {
  bool reads = false;
  if (!can_begin(p, s) || !(s->is_elementwise || s->reads) ||
      (s->is_elementwise && s->extent != 1) || s->scratch_size)
    return false;
  const uint64_t own = rows_of(p, s), common = tenon_size_gcd(*rows, own);
  for (uint32_t i = 0; i < n; ++i)
    if (!joined_agrees(p, joined_step(p, order, i), s, common, &reads))
      return false;
  // Long rows are no pieces.
  if (common != area_of(p, s->out).count || common != *rows)
    if (common < 2 || bytes_of_rows(p, order, n + 1, common) > TILE_BYTES)
      return false;
  if (reads) *rows = common;
  return reads;
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
      uint64_t rows = rows_of(p, first);
      while (at + n < b->count && n < TENON_JOINED_MOST &&
             joins(p, order, n, &p->steps[order[n]], &rows)) {
        ((tenon_step *)(uintptr_t)&p->steps[order[n]])->joined = 0;
        ++n;
      }
      first->joined = n;
      first->rows = (int64_t)rows;
      first->tile = tile_of(p, order, n, rows);
    }
  }
}
