// How: what is said of several memories, and of what the caller has, against
// the tables that rely on it: a buffer in one memory alone, a memory of the
// caller used by the one entry point whose calls give it, a cold constant read
// by nothing but copies. An owner of a block is known from its steps and from
// the blocks that come before it.
#include <string.h>

#include "base/text.h"
#include "tnp/coder.h"

// --- several memories -------------------------------------------------------

// That of the last may be longer than the arena or the states: it has room
// behind what lies in it.
static bool tnp_memory_is_apart(uint64_t begin, uint64_t size, uint64_t *end) {
  if (size == 0) return true;
  if (begin % TENON_ARENA_LEAST || begin < *end || begin > SIZE_MAX / 4 ||
      size > SIZE_MAX / 4)
    return false;
  *end = begin + size;
  return true;
}

static const char *check_banks(const struct tenon_program *p) {
  uint64_t arena = 0, state = 0;
  for (uint32_t i = 0; i < p->n_banks; ++i) {
    const tenon_program_bank *m = &p->banks[i];
    if (!tenon_text_is_identifier(tenon_text_of(m->name)))
      return "a memory that C cannot name";
    if (m->is_cold && !m->is_rom) return "a cold memory that is written";
    if (m->is_prefetch && !m->is_cold)
      return "a memory that is asked ahead and not cold";
    if (m->align > TENON_ARENA_ALIGN || (m->align & (m->align - 1)))
      return "a memory of an odd alignment";
    if (m->is_rom && (m->arena || m->state))
      return "buffers in a memory that is not written";
    if (!tnp_memory_is_apart(m->base, m->arena, &arena) ||
        !tnp_memory_is_apart(m->state_base, m->state, &state))
      return "memories that overlap";
  }
  return NULL;
}

// [offset - low, offset + high) within one memory.
static bool lies_in_one(const struct tenon_program *p, bool is_state,
                        uint64_t offset, uint64_t low, uint64_t high) {
  uint64_t inner = 0;
  uint32_t bank = is_state ? tenon_program_state_bank_of(p, offset, &inner)
                           : tenon_program_bank_of(p, offset, &inner);
  uint64_t size = is_state ? p->banks[bank].state : p->banks[bank].arena;
  return inner <= size && inner >= low && high <= size - inner;
}

static const char *check_buffers(const struct tenon_program *p) {
  for (uint32_t i = 0; i < p->n_tensors; ++i) {
    const tenon_program_tensor *t = &p->tensors[i];
    uint64_t low = 0, high = 0;
    bool is_state = t->slot.place == TENON_IN_STATE;
    if (t->size == 0 || (!is_state && t->slot.place != TENON_IN_ARENA))
      continue;
    if (!tenon_tnp_extent(t, &low, &high) ||
        !lies_in_one(p, is_state, t->slot.offset, low, high))
      return "a tensor in two memories";
  }
  for (uint32_t i = 0; i < p->n_steps; ++i)
    if (p->steps[i].scratch_size && !lies_in_one(p, false, p->steps[i].scratch,
                                                 0, p->steps[i].scratch_size))
      return "scratch in two memories";
  for (uint32_t i = 0; i < p->n_spans; ++i)
    if (p->spans[i].bank >= p->n_banks || p->spans[i].rule > p->n_rules)
      return "a buffer in a memory that is not there";
  return NULL;
}

static const char *check_constants(const struct tenon_program *p) {
  for (uint32_t i = 0; i < p->n_constants; ++i) {
    const tenon_program_constant *c = &p->constants[i];
    if (c->bank > p->n_banks ||
        (c->is_cold &&
         (c->bank == 0 || c->is_packed || !p->banks[c->bank - 1].is_cold)) ||
        (tenon_program_is_resident(p, c) && c->is_packed))
      return "a constant in a memory that is not there";
  }
  // Images are written from front to back.
  for (uint32_t bank = 0; bank < p->n_banks; ++bank) {
    uint64_t end = 0, size = p->banks[bank].constants;
    for (uint32_t i = 0; i < p->n_constants; ++i) {
      const tenon_program_constant *c = &p->constants[i];
      if (c->bank != bank + 1 ||
          (!c->is_cold && !tenon_program_is_resident(p, c)))
        continue;
      if (c->image_offset < end || c->image_offset > size ||
          c->size > size - c->image_offset)
        return "an image of constants that overlap";
      end = c->image_offset + c->size;
    }
    bool is_image = p->banks[bank].is_cold || !p->banks[bank].is_rom;
    uint64_t align = p->banks[bank].is_rom ? 16 : TENON_ARENA_ALIGN;
    if (align < p->banks[bank].align) align = p->banks[bank].align;
    if (is_image && size > (end + align - 1) / align * align)
      return "an image that is longer than its constants";
  }
  return NULL;
}

static bool tnp_memory_is_cold(const struct tenon_program *p,
                               const tenon_program_tensor *t) {
  return t && t->slot.place == TENON_IN_CONSTANT &&
         p->constants[t->slot.index].is_cold;
}

// Whoever has it copies all of it to where the result lies.
static bool tnp_memory_is_staging(const struct tenon_program *p,
                                  const tenon_step *s) {
  if (s->kind != TENON_STEP_KERNEL || s->n_in != 1 || s->n_out != 1 ||
      strcmp(s->op, "core::copy") != 0)
    return false;
  const tenon_program_tensor *x = tenon_tnp_operand(p, s->in);
  const tenon_program_tensor *y = tenon_tnp_operand(p, s->out);
  return y && x->slot.offset == 0 && !x->strides && !y->strides &&
         p->constants[x->slot.index].size == x->size && y->size == x->size;
}

static const char *check_cold(const struct tenon_program *p) {
  const char *error = "a cold constant that is read where it lies";
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *s = &p->steps[i];
    for (uint32_t k = 0; k < (uint32_t)s->n_in + s->n_out; ++k) {
      uint32_t at = k < s->n_in ? s->in + k : s->out + k - s->n_in;
      if (tnp_memory_is_cold(p, tenon_tnp_operand(p, at)) &&
          (k >= s->n_in || !tnp_memory_is_staging(p, s)))
        return error;
    }
  }
  for (uint32_t i = 0; i < p->n_entries; ++i) {
    const tenon_program_entry *e = &p->entries[i];
    for (uint32_t k = 0; k < e->n_out; ++k)
      if (tnp_memory_is_cold(p, &p->tensors[e->out[k]])) return error;
    for (uint32_t k = 0; k < e->n_writes; ++k)
      if (tnp_memory_is_cold(p, &p->tensors[e->writes[k].tensor])) return error;
  }
  for (uint32_t i = 0; i < p->n_states; ++i)
    if (p->states[i].initial != TENON_NO_INDEX &&
        p->constants[p->states[i].initial].is_cold)
      return error;
  return NULL;
}

// What begins ahead writes while the step in front runs, and touches nothing of
// it.
static const char *check_ahead(const struct tenon_program *p,
                               const tenon_block *b, uint32_t at) {
  const tenon_step *s = &p->steps[p->order[b->first + at]], *before = NULL;
  for (uint32_t i = at; i > 0 && !before; --i) {
    const tenon_step *k = &p->steps[p->order[b->first + i - 1]];
    if (!tenon_program_prefetches(p, k)) before = k;
  }
  if (!tenon_program_prefetches(p, s) || !before ||
      before->kind != TENON_STEP_KERNEL ||
      tenon_tnp_meets(p, before, tenon_tnp_operand(p, s->out)))
    return "a constant that is copied while its place is in use";
  return NULL;
}

static const char *check_aheads(const struct tenon_program *p) {
  const char *error = NULL;
  uint32_t n = 0, found = 0;
  for (uint32_t i = 0; i < p->n_steps; ++i)
    n += p->steps[i].is_ahead;
  for (uint32_t k = 0; n && k < p->n_blocks && !error; ++k)
    for (uint32_t i = 0; i < p->blocks[k].count && !error; ++i) {
      if (!p->steps[p->order[p->blocks[k].first + i]].is_ahead) continue;
      ++found;
      error = check_ahead(p, &p->blocks[k], i);
    }
  return error || found >= n ? error : "a step ahead of nothing";
}

const char *tenon_tnp_banks(const struct tenon_program *p) {
  const char *error = check_constants(p);
  if (!error && p->n_banks > 0) error = check_banks(p);
  if (!error && p->n_banks > 0) error = check_buffers(p);
  if (!error) error = check_cold(p);
  return error ? error : check_aheads(p);
}

// --- what the caller has ----------------------------------------------------

enum { MOST_ALIGN = 4096 };

static const char *tnp_memory_check_port(const struct tenon_program *p,
                                         uint32_t index) {
  const tenon_program_port *port = &p->ports[index];
  if (port->entry >= p->n_entries) return "a port of no entry point";
  const tenon_program_entry *e = &p->entries[port->entry];
  if (port->index >= (port->is_output ? e->n_out : e->n_in) ||
      tenon_program_port_of(p, port->entry, port->index, port->is_output) !=
          index)
    return "a port of no input or output";
  const tenon_program_tensor *t =
      &p->tensors[port->is_output ? e->out[port->index] : e->in[port->index]];
  if (t->slot.offset != 0 || t->size != port->size)
    return "a port of another size";
  if (port->align == 0 || port->align > MOST_ALIGN ||
      (port->align & (port->align - 1)))
    return "a port at an odd address";
  for (uint32_t i = 0; !port->is_output && i < e->n_writes; ++i)
    if (e->writes[i].input == port->index)
      return "an input that is written and stays with the caller";
  return NULL;
}

// Of blocks: the entry whose ports their steps use, plus 1; 0: none.
static bool claim(const struct tenon_program *p, uint32_t *owner,
                  uint32_t tensor) {
  if (tensor == TENON_NO_INDEX ||
      p->tensors[tensor].slot.place != TENON_IN_CALLER)
    return true;
  uint32_t entry = p->ports[p->tensors[tensor].slot.index].entry + 1;
  if (*owner == 0) *owner = entry;
  return *owner == entry;
}

static bool claim_step(const struct tenon_program *p, const tenon_step *s,
                       const uint32_t *owners, uint32_t *owner) {
  bool ok = true;
  for (uint32_t i = 0; i < s->n_in; ++i)
    ok = ok && claim(p, owner, p->operands[s->in + i]);
  for (uint32_t i = 0; i < s->n_out; ++i)
    ok = ok && claim(p, owner, p->operands[s->out + i]);
  for (int i = 0; s->kind != TENON_STEP_KERNEL && i < 2; ++i) {
    uint32_t inner = owners[s->blocks[i]];
    if (inner && *owner == 0) *owner = inner;
    ok = ok && (inner == 0 || inner == *owner);
  }
  return ok;
}

static const char *check_owners(const struct tenon_program *p,
                                uint32_t *owners) {
  const char *error = "another entry point's inputs and outputs";
  for (uint32_t b = 0; b < p->n_blocks; ++b)
    for (uint32_t i = 0; i < p->blocks[b].count; ++i)
      if (!claim_step(p, &p->steps[p->order[p->blocks[b].first + i]], owners,
                      &owners[b]))
        return error;
  for (uint32_t i = 0; i < p->n_entries; ++i) {
    const tenon_program_entry *e = &p->entries[i];
    uint32_t owner = i + 1;
    bool ok = owners[e->block] == 0 || owners[e->block] == owner;
    for (uint32_t k = 0; k < e->n_in; ++k)
      ok = ok && (p->tensors[e->in[k]].slot.place != TENON_IN_CALLER ||
                  tenon_program_port_of(p, i, k, false) != TENON_NO_INDEX);
    for (uint32_t k = 0; k < e->n_out; ++k)
      ok = ok && claim(p, &owner, e->out[k]);
    for (uint32_t k = 0; k < e->n_writes; ++k)
      ok = ok && claim(p, &owner, e->writes[k].tensor);
    if (!ok) return error;
  }
  // A state is there before anybody calls.
  for (uint32_t i = 0; i < p->n_states; ++i)
    if (p->tensors[p->states[i].tensor].slot.place == TENON_IN_CALLER)
      return "a state that the caller has";
  return NULL;
}

const char *tenon_tnp_ports(struct tenon_program *p) {
  const char *error = NULL;
  for (uint32_t i = 0; i < p->n_ports && !error; ++i)
    error = tnp_memory_check_port(p, i);
  if (error || p->n_ports == 0) return error;
  uint32_t *owners = tenon_arena_array(&p->arena, uint32_t, p->n_blocks);
  return owners ? check_owners(p, owners) : NULL;
}
