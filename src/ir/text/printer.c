// ir/text/printer.c - from a module to what was printed of it.
#include "ir/text/printer.h"

#include "ir/graph_link.h"

void tenon_printer_flush(tenon_printer *p, size_t least) {
  if (p->holds || p->out.size < least || p->out.failed || p->out.size == 0)
    return;
  if (p->status == TENON_OK)
    p->status = p->write(p->self, NULL, p->out.data, p->out.size);
  tenon_buf_clear(&p->out);
}

tenon_status tenon_printer_run(tenon_printer *p,
                               void (*print_all)(tenon_printer *p)) {
  const tenon_allocator allocator = p->m->arena.allocator;
  tenon_arena_init(&p->arena, allocator);
  tenon_buf_init(&p->out, allocator);
  tenon_buf_init(&p->work, allocator);
  bool is_ready = tenon_printer_start_names(p);
  is_ready = tenon_printer_start_symbols(p) && is_ready;
  if (is_ready) print_all(p);
  p->holds = false;
  tenon_printer_flush(p, 0);
  bool has_failed = !is_ready || p->out.failed || p->arena.failed;
  tenon_printer_end_symbols(p);
  tenon_printer_end_names(p);
  tenon_buf_deinit(&p->work);
  tenon_buf_deinit(&p->out);
  tenon_arena_deinit(&p->arena);
  if (p->status != TENON_OK) return p->status;
  return has_failed ? tenon_fail_memory(&p->m->report, "printing a module")
                    : TENON_OK;
}

const tenon_place *tenon_printer_next_place(const tenon_printer *p,
                                            tenon_loc loc, uint32_t *i) {
  const tenon_locs *locs = &p->m->locs;
  if (p->flags & TENON_PRINT_NO_PLACES) return NULL;
  if (loc == 0 || loc >= locs->count) return NULL;
  const tenon_loc_entry *entry = &locs->entries[loc];
  const tenon_loc *parts = entry->n_parts > 0 ? entry->parts : &loc;
  const uint32_t n = entry->n_parts > 0 ? entry->n_parts : 1;
  while (*i < n) {
    const tenon_place *place = &locs->entries[parts[(*i)++]].place;
    if (!tenon_place_is_implied(place)) return place;
  }
  return NULL;
}
