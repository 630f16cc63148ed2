// How: which members of which tables are subgraphs is a fact of the schema, so
// references are checked for every operator, known or not: that the subgraph is
// there, that inputs and outputs are as many as the operator has, and that none
// leads back to where it came from. The last is shown by taking away, again and
// again, subgraphs that nobody left refers to; linear in subgraphs and
// references. What a described operator names is imported here, so that its
// results are known before the operator's.
#include "read/tflite/tflite_import.h"

const tenon_call_row tenon_call_rows[TENON_CALL_ROWS] = {
#define CALL(options, slot, first, results) \
  {#options, slot, first, RESULTS_##results},
#include "read/tflite/tflite_calls.def"
#undef CALL
};

// The operator that refers to a subgraph.
typedef struct caller {
  tenon_import_graph *g;
  const tenon_node_spec *spec;
  uint32_t n_in, n_out;
  tenon_loc loc;
  const tenon_type **given;  // per result, of what its functions return
  bool *is_apart;            // per result: they do not agree
  bool is_loop;
} caller;

static tenon_status called_fail(const caller *c, const char *what,
                                int64_t subgraph, uint32_t expected,
                                uint32_t found) {
  return tenon_fail(&c->g->im->m->report, TENON_BAD_MODEL, "tflite-call",
                    tenon_locs_place(&c->g->im->m->locs, c->loc),
                    "subgraph %lld has %u %s, expected %u", (long long)subgraph,
                    (unsigned)found, what, (unsigned)expected);
}

// What a function returns; of a loop only what came with the same sizes.
static void called_take_results(caller *c, const tenon_graph *f) {
  for (uint32_t i = 0; i < c->n_out; ++i) {
    const tenon_value *v = tenon_node_in(f->end, i);
    const tenon_value *x = c->is_loop ? c->spec->in[i] : NULL;
    const tenon_type *t = c->given[i];
    if (c->is_loop && (!x || x->type.rank != v->type.rank ||
                       !tenon_type_same_shape(&x->type, &v->type)))
      c->is_apart[i] = true;
    if (t && (t->rank != v->type.rank || !tenon_type_same_shape(t, &v->type)))
      c->is_apart[i] = true;
    c->given[i] = &v->type;
  }
}

// Whether the same operator has a condition.
static bool called_is_loop(const tenon_call_row *row) {
  for (size_t i = 0; i < TENON_CALL_ROWS; ++i)
    if (tenon_call_rows[i].results == RESULTS_ONE &&
        strcmp(tenon_call_rows[i].options, row->options) == 0)
      return true;
  return false;
}

// Imports what a described operator calls.
static tenon_status called_import(caller *c, const tenon_call_row *row,
                                  uint32_t item, uint32_t subgraph) {
  tenon_import *im = c->g->im;
  const tenon_node_spec *spec = c->spec;
  const tenon_called by = {spec->in + row->first, spec->n_in - row->first,
                           c->loc, called_is_loop(row)};
  const tenon_graph *f = NULL;
  TENON_TRY(tenon_import_function(im, subgraph, &by, &f));
  if (!f) return TENON_OK;  // circles are said later
  if (f->index != subgraph) {
    tenon_import_callee_row *r =
        tenon_arena_array(&im->scratch, tenon_import_callee_row, 1);
    if (!r) return tenon_fail_memory(&im->m->report, "reading an operator");
    *r = (tenon_import_callee_row){c->g->callees, row->slot, item, f->index};
    c->g->callees = r;
  }
  c->is_loop = by.is_loop;
  if (row->results == RESULTS_SAME) called_take_results(c, f);
  return TENON_OK;
}

static tenon_status called_check_call(caller *c, const tenon_call_row *row,
                                      uint32_t item, int64_t subgraph) {
  tenon_import *im = c->g->im;
  uint32_t n_subgraphs = im->file.subgraphs.count;
  if (subgraph < 0 || subgraph >= n_subgraphs) {
    return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-call",
                      tenon_locs_place(&im->m->locs, c->loc),
                      "refers to subgraph %lld of %u", (long long)subgraph,
                      (unsigned)n_subgraphs);
  }
  tenon_import_call call = {c->g->index, (uint32_t)subgraph, c->loc};
  if (!tenon_vec_push(&im->calls, call))
    return tenon_fail_memory(&im->m->report, "reading an operator");
  if (row->results == RESULTS_ANY) return TENON_OK;
  tenon_fb_table table = tenon_fb_item(&im->file.subgraphs, (uint32_t)subgraph);
  uint32_t n_in = tenon_fb_list(&table, SUBGRAPH_INPUTS).count;
  uint32_t n_out = tenon_fb_list(&table, SUBGRAPH_OUTPUTS).count;
  uint32_t given = c->n_in > row->first ? c->n_in - row->first : 0;
  uint32_t wanted = row->results == RESULTS_ONE ? 1 : c->n_out;
  if (n_in != given) return called_fail(c, "inputs", subgraph, given, n_in);
  if (n_out != wanted)
    return called_fail(c, "outputs", subgraph, wanted, n_out);
  if (!c->spec->op->desc) return TENON_OK;
  return called_import(c, row, item, (uint32_t)subgraph);
}

static tenon_status called_check_row(caller *c, const tenon_call_row *row,
                                     const tenon_fb_table *options) {
  tenon_fb_vector list = tenon_fb_list(options, row->slot);
  if (list.at == 0)
    return called_check_call(c, row, 0, tenon_fb_int(options, row->slot, 0));
  for (uint32_t k = 0; k < list.count; ++k)
    TENON_TRY(called_check_call(c, row, k, tenon_fb_item_int(&list, k)));
  return TENON_OK;
}

// LiteRT's results have the ranks and sizes of what the functions return,
// whatever the file says of them.
static tenon_status called_type_results(const caller *c,
                                        tenon_node_spec *spec) {
  tenon_arena *scratch = &c->g->im->scratch;
  const tenon_type **types =
      tenon_arena_array(scratch, const tenon_type *, c->n_out);
  tenon_type *own = tenon_arena_array(scratch, tenon_type, c->n_out);
  if (!types || !own)
    return tenon_fail_memory(&c->g->im->m->report, "reading an operator");
  for (uint32_t i = 0; i < c->n_out; ++i) {
    const tenon_type *t = spec->types ? spec->types[i] : NULL;
    types[i] = t;
    // Where branches differ, which is said later, either serves.
    const bool is_open = t && (t->flags & TENON_TYPE_UNRANKED) && !c->is_loop;
    if (!t || !c->given[i] || (c->is_apart[i] && !is_open) ||
        t->dtype != c->given[i]->dtype)
      continue;
    own[i] = *c->given[i];
    own[i].quant = t->quant;
    own[i].flags = 0;
    types[i] = &own[i];
  }
  spec->types = types;
  return TENON_OK;
}

tenon_status tenon_import_calls(tenon_import_graph *g,
                                const tenon_fb_type *type,
                                const tenon_fb_table *options,
                                tenon_node_spec *spec) {
  tenon_arena *scratch = &g->im->scratch;
  caller c = {g, spec, spec->n_in, spec->n_out, spec->loc, NULL, NULL, false};
  bool is_any = false;
  g->callees = NULL;
  for (size_t i = 0; type && i < TENON_CALL_ROWS; ++i) {
    if (strcmp(type->name, tenon_call_rows[i].options) != 0) continue;
    if (!is_any) {
      c.given = tenon_arena_array(scratch, const tenon_type *, c.n_out);
      c.is_apart = tenon_arena_array(scratch, bool, c.n_out);
      if (!c.given || !c.is_apart)
        return tenon_fail_memory(&g->im->m->report, "reading an operator");
      memset(c.given, 0, c.n_out * sizeof *c.given);
      memset(c.is_apart, 0, c.n_out * sizeof *c.is_apart);
      is_any = true;
    }
    TENON_TRY(called_check_row(&c, &tenon_call_rows[i], options));
  }
  return is_any && spec->op->desc ? called_type_results(&c, spec) : TENON_OK;
}

// Calls sorted by caller: those of subgraph i are order[first[i]] up to
// order[first[i + 1]].
typedef struct call_order {
  uint32_t *first, *order;
  uint32_t *left;   // calls to it that are not taken away yet
  uint32_t *queue;  // subgraphs that nobody left calls
} call_order;

static bool make_order(tenon_import *im, call_order *o) {
  uint32_t n = im->file.subgraphs.count;
  const tenon_import_call *calls = im->calls.data;
  o->first = tenon_arena_array(&im->scratch, uint32_t, (size_t)n + 1);
  o->order = tenon_arena_array(&im->scratch, uint32_t, im->calls.count);
  o->left = tenon_arena_array(&im->scratch, uint32_t, n);
  o->queue = tenon_arena_array(&im->scratch, uint32_t, n);
  if (!o->first || !o->order || !o->left || !o->queue) return false;
  memset(o->first, 0, ((size_t)n + 1) * sizeof *o->first);
  memset(o->left, 0, n * sizeof *o->left);
  for (size_t i = 0; i < im->calls.count; ++i) {
    ++o->first[calls[i].from + 1];
    ++o->left[calls[i].to];
  }
  for (uint32_t i = 0; i < n; ++i)
    o->first[i + 1] += o->first[i];
  // Filled from the back, which moves each start to where it belongs.
  memcpy(o->queue, o->first + 1, n * sizeof *o->queue);
  for (size_t i = im->calls.count; i-- > 0;)
    o->order[--o->queue[calls[i].from]] = (uint32_t)i;
  return true;
}

// How many subgraphs can be taken away.
static uint32_t called_take_away(const tenon_import *im, const call_order *o) {
  uint32_t n = im->file.subgraphs.count, taken = 0, known = 0;
  for (uint32_t i = 0; i < n; ++i) {
    if (o->left[i] == 0) o->queue[known++] = i;
  }
  for (; taken < known; ++taken) {
    uint32_t from = o->queue[taken];
    for (uint32_t k = o->first[from]; k < o->first[from + 1]; ++k) {
      uint32_t to = im->calls.data[o->order[k]].to;
      if (--o->left[to] == 0) o->queue[known++] = to;
    }
  }
  return taken;
}

tenon_status tenon_import_check_calls(tenon_import *im) {
  call_order o;
  if (im->calls.count == 0) return TENON_OK;
  if (!make_order(im, &o))
    return tenon_fail_memory(&im->m->report, "reading subgraphs");
  if (called_take_away(im, &o) == im->file.subgraphs.count) return TENON_OK;
  for (size_t i = 0; i < im->calls.count; ++i) {
    const tenon_import_call *call = &im->calls.data[i];
    if (o.left[call->from] == 0 || o.left[call->to] == 0) continue;
    return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-call",
                      tenon_locs_place(&im->m->locs, call->loc),
                      "refers to subgraph %u, which leads back to subgraph %u",
                      (unsigned)call->to, (unsigned)call->from);
  }
  return TENON_OK;
}
