// How: the sizes of spans follow from numbers and from what kernels say of
// their scratch; the packer is the one that planned the program, without its
// search, and what it says is checked. Only what exceeds the block that the
// session has is allocated anew, in one piece, and then it is at least half
// again as large as the last. Strings may point into the block that was there:
// where a program has any, what it grows out of in the middle of a run stays
// until the next one begins.
#include "exec/run_sizes.h"

#include <string.h>

#include "base/heap.h"

#define BLOCK_ALIGN 64u

static size_t align_up(size_t size) {
  return (size + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
}

// Behind the room of a grown block: the one before, where it has to stay.
typedef struct grow_link {
  void *before;
  size_t size;
} grow_link;

// Far more than there is, and sums of it are numbers still.
#define MOST ((uint64_t)1 << 60)

static tenon_status fail_space(const tenon_session *s, uint64_t size) {
  return tenon_fail(&s->report, TENON_NO_SPACE, "run-space", NULL,
                    "these sizes need %llu bytes of arena, and the session has "
                    "%zu; give it `grow`, or bound the sizes",
                    (unsigned long long)size, s->room);
}

// --- sizes ------------------------------------------------------------------

static bool grow_is_known(const tenon_session *s, const tenon_step *step) {
  const tenon_program *p = s->program;
  for (uint32_t i = 0; i < (uint32_t)step->n_in + step->n_out; ++i) {
    uint32_t at = i < step->n_in ? step->in + i : step->out + i - step->n_in;
    uint32_t index = p->operands[at];
    if (index == TENON_NO_INDEX || !p->tensors[index].sizes) continue;
    const tenon_program_tensor *t = &p->tensors[index];
    for (int d = 0; d < t->rank; ++d)
      if (tenon_known_of(s->sizes.known, t->sizes[d]).max == INT64_MAX)
        return false;
  }
  return true;
}

static tenon_status scratch_size(tenon_session *s, const tenon_step *step,
                                 uint64_t *size) {
  const tenon_program *p = s->program;
  const tenon_kernel_desc *desc = p->kernels[step->kernel].desc;
  for (uint32_t i = 0; i < (uint32_t)step->n_in + step->n_out; ++i) {
    uint32_t at = i < step->n_in ? step->in + i : step->out + i - step->n_in;
    if (p->operands[at] != TENON_NO_INDEX)
      TENON_TRY(tenon_sizes_tensor(s, &p->tensors[p->operands[at]]));
  }
  tenon_sizes_attrs(s, step);
  tenon_call call = tenon_sizes_blank(s, step);
  *size = desc->scratch(&call, desc->items ? desc->items(&call) : 1);
  return TENON_OK;
}

// Sizes of all spans that are not in use yet; *thread: the largest scratch.
static tenon_status size_spans(tenon_session *s, uint32_t entry, uint32_t time,
                               uint64_t *thread) {
  const tenon_program *p = s->program;
  uint64_t all = 0;
  s->sizes.has_unplaced = false;
  *thread = 0;
  for (uint32_t i = 0; i < p->n_spans; ++i) {
    const tenon_span_record *r = &p->spans[i];
    tenon_span *span = &s->sizes.spans[i];
    bool is_open =
        r->bytes.symbol != 0 || (r->is_scratch && p->steps[r->step].is_open);
    span->is_fixed = r->first < time;
    if (r->entry != entry) span->size = 0;
    if (r->entry != entry || span->is_fixed) {
      if (r->entry == entry && r->is_scratch && span->size > *thread)
        *thread = span->size;
      all += span->size;
      continue;
    }
    span->size = is_open ? 0 : r->size;
    if (is_open && r->is_scratch) {
      if (grow_is_known(s, &p->steps[r->step]))
        TENON_TRY(scratch_size(s, &p->steps[r->step], &span->size));
      else
        s->sizes.has_unplaced = true;
    } else if (is_open) {
      tenon_known k = tenon_known_of(s->sizes.known, r->bytes);
      int64_t most = k.max;
      if (most == INT64_MAX && !k.is_exact)
        s->sizes.has_unplaced = true;
      else
        span->size = most > 0 ? (uint64_t)most : 0;
    }
    if (r->is_scratch && span->size > *thread) *thread = span->size;
    if (span->size >= MOST || all + span->size >= MOST)
      return fail_space(s, span->size);
    all += span->size;
  }
  return TENON_OK;
}

// --- room -------------------------------------------------------------------

static void grow_release(tenon_session *s, grow_link block) {
  while (block.before) {
    const grow_link next =
        *(grow_link *)(void *)((unsigned char *)block.before + block.size);
    tenon_free(&s->allocator, block.before, block.size + BLOCK_ALIGN,
               BLOCK_ALIGN);
    block = next;
  }
}

static grow_link *grow_link_of(const tenon_session *s) {
  return (grow_link *)(void *)((unsigned char *)s->grown + s->grown_size);
}

static bool grow_has_strings(const struct tenon_program *p) {
  for (uint32_t i = 0; i < p->n_tensors; ++i)
    if (p->tensors[i].dtype == TENON_STR) return true;
  return false;
}

// In the middle of a run, what strings may point into `stays`.
static tenon_status grow_make_room(tenon_session *s, uint64_t arena,
                                   uint64_t thread, bool stays) {
  int threads = s->parallel ? s->parallel->threads : 1;
  uint64_t most = SIZE_MAX / 4;
  if (arena > most / 2 || thread > most / 2 / (uint64_t)threads)
    return fail_space(s, arena);
  size_t first = align_up((size_t)arena + TENON_ARENA_TAIL);
  size_t each = thread ? align_up((size_t)thread + TENON_ARENA_TAIL) : 0;
  size_t size = first + each * (size_t)(threads - 1);
  if (size > s->room) {
    if (!s->grow) return fail_space(s, size);
    if (size < s->grown_size + s->grown_size / 2)
      size = align_up(s->grown_size + s->grown_size / 2);
    unsigned char *block = (unsigned char *)tenon_alloc(
        &s->allocator, size + BLOCK_ALIGN, BLOCK_ALIGN);
    if (!block) return tenon_fail_memory(&s->report, "growing the arena");
    memcpy(block, s->arena, s->room);
    const grow_link old = {s->grown, s->grown_size}, none = {NULL, 0};
    s->grown = block;
    s->grown_size = s->room = size;
    s->arena = block;
    *grow_link_of(s) = stays ? old : none;
    if (!stays) grow_release(s, old);
  }
  s->thread_scratch = s->arena + first;
  s->thread_size = each;
  return TENON_OK;
}

void tenon_grow_free(tenon_session *s) {
  grow_release(s, (grow_link){s->grown, s->grown_size});
  s->grown = NULL;
  s->grown_size = 0;
}

// --- beside the arena -------------------------------------------------------

void *tenon_grow_take(const tenon_session *s, size_t size) {
  return s->grow && size < SIZE_MAX - BLOCK_ALIGN
             ? tenon_alloc(&s->allocator, size + 1, BLOCK_ALIGN)
             : NULL;
}

void tenon_grow_give(const tenon_session *s, void *block, size_t size) {
  if (block) tenon_free(&s->allocator, block, size + 1, BLOCK_ALIGN);
}

// --- places -----------------------------------------------------------------

// Whether the spans are placed for exactly these numbers.
static bool grow_is_placed(tenon_session *s, uint32_t entry) {
  const tenon_program *p = s->program;
  bool same = s->sizes.is_packed && s->sizes.entry == entry;
  for (uint32_t i = 1; i < p->n_numbers; ++i) {
    same &= s->sizes.packed_for[i] == s->sizes.known[i].max;
    s->sizes.packed_for[i] = s->sizes.known[i].max;
  }
  return same;
}

tenon_status tenon_grow_place(tenon_session *s, uint32_t entry, uint32_t time) {
  const tenon_program *p = s->program;
  uint64_t size = 0, thread = 0;
  size_t culprit[2] = {0, 0};
  bool had_unplaced = s->sizes.has_unplaced;
  if (time == 0 && s->grown) {
    grow_release(s, *grow_link_of(s));
    *grow_link_of(s) = (grow_link){NULL, 0};
  }
  if (time == 0 && grow_is_placed(s, entry) && !had_unplaced) return TENON_OK;
  s->sizes.is_packed = false;
  TENON_TRY(size_spans(s, entry, time, &thread));
  tenon_pack_again(s->sizes.spans, p->n_spans, s->sizes.work, &size);
  if (!tenon_pack_check_again(s->sizes.spans, p->n_spans, s->sizes.work,
                              culprit))
    return tenon_fail_bug(&s->report,
                          "the packer put '%s' and '%s' at one place",
                          p->spans[culprit[0]].name, p->spans[culprit[1]].name);
  TENON_TRY(grow_make_room(s, size, thread, time > 0 && grow_has_strings(p)));
  tenon_session_address(s);
  s->sizes.is_packed = time == 0;
  s->sizes.arena = size;
  s->sizes.entry = entry;
  return TENON_OK;
}
