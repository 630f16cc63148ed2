// program/order/order_search.c - an order of steps whose peak is low.
//
// How: the order that is given comes first; where it meets the bound there is
// nothing to look for. Then narrow beams, the exact search with half of the
// steps, and wider beams with what is left.
#include <string.h>

#include "program/order/order_work.h"

static bool order_search_search(tenon_orderer *o, uint64_t effort,
                                uint64_t *bound) {
  o->limit = effort / 4;
  if (!tenon_order_beam(o, 1)) return false;
  if (o->best > o->floor && !tenon_order_beam(o, 8)) return false;
  o->limit = o->steps + effort / 2;
  if (o->best > o->floor && !tenon_order_exact(o, bound)) return false;
  for (uint32_t width = 32;
       o->best > *bound && o->steps < effort && width <= 1024; width *= 4) {
    o->limit = effort;
    if (!tenon_order_beam(o, width)) return false;
  }
  return true;
}

bool tenon_order_search(tenon_arena *arena, const tenon_order_problem *problem,
                        uint64_t effort, tenon_ordering *out) {
  tenon_orderer o;
  memset(out, 0, sizeof *out);
  if (!tenon_order_open(&o, problem, arena)) return false;
  o.floor = tenon_order_ends(problem);
  for (uint32_t i = 0; i < problem->n; ++i)
    o.best_order[i] = i;
  if (!tenon_order_peak(&o, o.best_order, &o.best) || !tenon_order_bound(&o))
    return false;
  out->given = o.best;
  out->bound = o.floor;
  if (effort && o.best > o.floor &&
      !order_search_search(&o, effort, &out->bound))
    return false;
  out->peak = o.best;
  out->is_optimal = o.best <= out->bound;
  out->order = o.best_order;
  out->steps = o.steps;
  return true;
}
