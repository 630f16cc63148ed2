// exec/kept_strings.c - the bytes that states of strings point to.
//
// How: what a run leaves in such a state points into its inputs, its arena or
// the constants. Behind every run, also one that failed, all that the states
// point to is copied into one block of `grow`. The block before stays until the
// next run begins, since outputs may point there.
#include <string.h>

#include "base/size.h"
#include "exec/run_sizes.h"

static bool is_of_strings(const tenon_session *s, uint32_t state,
                          tenon_string **list, size_t *count) {
  const tenon_program_tensor *t =
      &s->program->tensors[s->program->states[state].tensor];
  if (t->dtype != TENON_STR) return false;
  *list = (tenon_string *)tenon_session_data(s, t);
  *count = (size_t)(t->size / sizeof **list);
  return true;
}

static bool is_kept(const tenon_session *s, const tenon_string *text) {
  const uintptr_t at = (uintptr_t)text->at.data,
                  from = (uintptr_t)s->strings.now;
  return text->size == 0 || (from && at >= from && at - from < s->strings.size);
}

static void strings_release(tenon_session *s, void **block, size_t *size) {
  tenon_grow_give(s, *block, *size);
  *block = NULL;
  *size = 0;
}

void tenon_strings_clear(void *data, uint64_t size) {
  tenon_string *list = (tenon_string *)data;
  for (size_t i = 0; i < (size_t)(size / sizeof *list); ++i) {
    list[i].size = 0;
    list[i].at.data = "";
  }
}

// In memory of this entry point, and none that comes with strings.
static bool is_emptied(const tenon_session *s, const tenon_program_tensor *t) {
  const struct tenon_program *p = s->program;
  if (t->dtype != TENON_STR) return false;
  if (t->slot.place == TENON_IN_CALLER) {
    const tenon_program_port *port = &p->ports[t->slot.index];
    return port->is_output && port->entry == (uint32_t)s->entry;
  }
  return t->slot.place == TENON_IN_ARENA &&
         (p->n_numbers == 0 || t->span == 0 ||
          p->spans[t->span - 1].entry == (uint32_t)s->entry);
}

tenon_status tenon_strings_empty(tenon_session *s) {
  const struct tenon_program *p = s->program;
  for (uint32_t i = 0; i < p->n_tensors; ++i) {
    if (!is_emptied(s, &p->tensors[i])) continue;
    TENON_TRY(tenon_sizes_tensor(s, &p->tensors[i]));
    tenon_strings_clear(tenon_session_data(s, &p->tensors[i]),
                        tenon_session_size(s, &p->tensors[i]));
  }
  return TENON_OK;
}

tenon_status tenon_strings_check(const tenon_session *s) {
  const struct tenon_program *p = s->program;
  for (uint32_t i = 0; !s->grow && i < p->n_states; ++i)
    if (p->tensors[p->states[i].tensor].dtype == TENON_STR)
      return tenon_fail(&s->report, TENON_BAD_ARGUMENT, "session-memory", NULL,
                        "state '%s' holds strings, whose bytes a session keeps "
                        "in memory of its own; give it `grow`",
                        p->states[i].name);
  return TENON_OK;
}

void tenon_strings_begin(tenon_session *s) {
  strings_release(s, &s->strings.before, &s->strings.size_before);
}

// What lies elsewhere is gone with the run.
static tenon_status strings_lose(tenon_session *s) {
  tenon_string *list = NULL;
  size_t count = 0;
  for (uint32_t i = 0; i < s->program->n_states; ++i)
    for (size_t k = 0; is_of_strings(s, i, &list, &count) && k < count; ++k)
      if (!is_kept(s, &list[k])) {
        list[k].size = 0;
        list[k].at.data = "";
      }
  return tenon_fail_memory(&s->report, "keeping the strings of states");
}

tenon_status tenon_strings_keep(tenon_session *s) {
  tenon_string *list = NULL;
  size_t count = 0, size = 0;
  bool is_new = false;
  for (uint32_t i = 0; i < s->program->n_states; ++i)
    for (size_t k = 0; is_of_strings(s, i, &list, &count) && k < count; ++k) {
      is_new |= !is_kept(s, &list[k]);
      if (list[k].size > SIZE_MAX ||
          !tenon_size_add(size, (size_t)list[k].size, &size))
        return strings_lose(s);
    }
  if (!is_new) return TENON_OK;
  char *block = (char *)tenon_grow_take(s, size), *to = block;
  if (!block) return strings_lose(s);
  for (uint32_t i = 0; i < s->program->n_states; ++i)
    for (size_t k = 0; is_of_strings(s, i, &list, &count) && k < count; ++k) {
      if (list[k].size == 0) {
        list[k].at.data = "";
        continue;
      }
      memcpy(to, list[k].at.data, (size_t)list[k].size);
      list[k].at.data = to;
      to += list[k].size;
    }
  // Of two runs without a beginning between them the later one's counts.
  strings_release(s, &s->strings.before, &s->strings.size_before);
  s->strings.before = s->strings.now;
  s->strings.size_before = s->strings.size;
  s->strings.now = block;
  s->strings.size = size;
  return TENON_OK;
}

void tenon_strings_free(tenon_session *s) {
  strings_release(s, &s->strings.before, &s->strings.size_before);
  strings_release(s, &s->strings.now, &s->strings.size);
}
