// How: a state is met once per entry of its module, and made when it is met
// first. States of several modules are apart unless they were asked to be one;
// then they must agree.
#include <string.h>

#include "base/text.h"
#include "plan/banks/banks.h"
#include "plan/resolve/resolver.h"

bool tenon_resolve_io(tenon_resolver *r, const char *name, uint32_t tensor,
                      tenon_io *io) {
  const tenon_program_tensor *t = &r->tensors.data[tensor];
  int64_t *dims = tenon_arena_array(r->arena, int64_t, t->rank);
  if (!dims) return false;
  for (int i = 0; i < t->rank; ++i)
    dims[i] = t->sizes && t->sizes[i].symbol ? -1 : t->dims[i];
  io->name = tenon_arena_string(r->arena, name);
  io->dims = dims;
  io->quant = t->quant;
  io->dtype = t->dtype;
  io->rank = t->rank;
  io->flags = 0;
  return io->name != NULL;
}

static bool resolve_state_is_shared(const tenon_resolver *r, const char *name) {
  const char *const *shared = r->w->options->shared_states;
  for (; shared && *shared; ++shared)
    if (strcmp(*shared, "*") == 0 || strcmp(*shared, name) == 0) return true;
  return false;
}

static bool same_state(const tenon_state *a, const tenon_state *b) {
  size_t size = 0;
  if (!tenon_type_equals(&a->type, &b->type)) return false;
  if (!a->initial || !b->initial) return a->initial == b->initial;
  if (!tenon_type_size(&a->type, &size) || size == 0) return true;
  if (a->type.dtype != TENON_STR)
    return memcmp(a->initial->data, b->initial->data, size) == 0;
  const tenon_string *x = (const tenon_string *)a->initial->data;
  const tenon_string *y = (const tenon_string *)b->initial->data;
  bool same = true;
  for (size_t i = 0; same && i < size / sizeof *x; ++i)
    same = x[i].size == y[i].size &&
           (x[i].size == 0 ||
            memcmp(x[i].at.data, y[i].at.data, (size_t)x[i].size) == 0);
  return same;
}

uint64_t tenon_resolve_state_offset(const tenon_resolver *r,
                                    const tenon_state *s) {
  size_t found = 0;
  for (size_t i = 0; i < r->states.count; ++i) {
    const tenon_state *origin = r->state_origins.data[i];
    if (origin == s) found = i;
    if (origin == s) break;
    if (strcmp(origin->name, s->name) == 0 &&
        resolve_state_is_shared(r, s->name))
      found = i;
  }
  return r->tensors.data[r->states.data[found].tensor].slot.offset;
}

// The name in the program, in its arena; null when memory ran out.
static const char *resolve_state_name_of(tenon_resolver *r,
                                         const tenon_plan_entry *e,
                                         const tenon_state *s) {
  tenon_buf text;
  if (!e->prefix || resolve_state_is_shared(r, s->name))
    return tenon_arena_string(r->arena, s->name);
  tenon_buf_init(&text, r->w->report_allocator);
  tenon_buf_format(&text, "%s.%s", e->prefix, s->name);
  const char *name =
      text.failed ? NULL : tenon_arena_string(r->arena, text.data);
  tenon_buf_deinit(&text);
  return name;
}

// Whether the state is there; what is called like it must be it.
static tenon_status resolve_state_find(const tenon_resolver *r,
                                       const tenon_state *s, const char *name,
                                       bool *found) {
  *found = false;
  for (size_t i = 0; i < r->states.count && !*found; ++i) {
    const tenon_state *origin = r->state_origins.data[i];
    if (strcmp(r->states.data[i].name, name) != 0) continue;
    *found = origin == s ||
             (resolve_state_is_shared(r, s->name) && same_state(origin, s) &&
              strcmp(origin->name, s->name) == 0);
    if (!*found)
      return tenon_fail(r->w->report, TENON_CONFLICT, "plan-state", NULL,
                        "two modules of one program have a state '%s', of "
                        "different type or initial value",
                        name);
  }
  return TENON_OK;
}

tenon_status tenon_resolve_state(tenon_resolver *r, const tenon_plan_entry *e,
                                 const tenon_state *s, uint64_t *offset) {
  size_t size = 0;
  bool found = false;
  const char *name = resolve_state_name_of(r, e, s);
  if (!name) return tenon_plan_no_memory(r->w->report);
  TENON_TRY(resolve_state_find(r, s, name, &found));
  if (found) return TENON_OK;
  if (!tenon_type_size(&s->type, &size))
    return tenon_fail(r->w->report, TENON_UNSUPPORTED, "plan-open-state", NULL,
                      "state '%s' has an open size", name);
  tenon_program_tensor t = {0};
  t.slot.place = TENON_IN_STATE;
  t.slot.offset = r->w->banks.n ? tenon_banks_state_offset(r->w, s) : *offset;
  TENON_TRY(tenon_resolve_dims(r, NULL, &s->type, &t));
  t.quant = tenon_quant_copy(r->arena, s->type.quant);
  t.dtype = s->type.dtype;
  t.rank = s->type.rank;
  t.name = name;
  tenon_program_state state = {
      name, (uint32_t)r->tensors.count, TENON_NO_INDEX, {0}};
  bool ok = tenon_vec_push(&r->tensors, t) &&
            tenon_resolve_io(r, name, state.tensor, &state.io);
  if (ok && s->initial) {
    tenon_program_constant c = {.data = s->initial->data,
                                .size = size,
                                .align = 16,
                                .dtype = t.dtype,
                                .name = t.name};
    bool is_copied = !tenon_resolve_can_stay(r, c.data, size, 1);
    if (t.dtype == TENON_STR) {
      c.data = tenon_resolve_strings(r, c.data, size);
      c.align = 64;
      is_copied = false;
    }
    ok = (c.data || t.dtype != TENON_STR) &&
         tenon_resolve_constant(r, &c, is_copied, &state.initial);
  }
  if (!ok || !tenon_vec_push(&r->states, state) ||
      !tenon_vec_push(&r->state_origins, s))
    return tenon_plan_no_memory(r->w->report);
  uint64_t end = (t.slot.offset + size + 15) & ~(uint64_t)15;
  if (end > *offset) *offset = end;
  return TENON_OK;
}

tenon_status tenon_resolve_check_shared(const tenon_resolver *r) {
  const char *const *shared = r->w->options->shared_states;
  for (; shared && *shared; ++shared) {
    bool found = strcmp(*shared, "*") == 0;
    tenon_nearest near;
    tenon_nearest_init(&near, *shared);
    for (size_t i = 0; i < r->states.count; ++i) {
      const char *name = r->state_origins.data[i]->name;
      found = found || strcmp(name, *shared) == 0;
      tenon_nearest_feed(&near, name);
    }
    if (!found)
      return tenon_fail(r->w->report, TENON_BAD_ARGUMENT, "plan-share", NULL,
                        "no module has a state '%s' to be shared%s%s%s",
                        *shared, TENON_DID_YOU_MEAN(near.best));
  }
  return TENON_OK;
}
