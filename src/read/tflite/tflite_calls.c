// How: which members of which tables are subgraphs is a fact of the schema, so
// references are checked for every operator, known or not: that the subgraph is
// there, that inputs and outputs are as many as the operator has, and that none
// leads back to where it came from. The last is shown by taking away, again and
// again, subgraphs that nobody left refers to; linear in subgraphs and
// references.
#include "read/tflite/tflite_import.h"

enum { RESULTS_SAME, RESULTS_ONE, RESULTS_ANY };

typedef struct call_row {
  const char *options;  // name of the table
  uint8_t slot, first, results;
} call_row;

static const call_row rows[] = {
#define CALL(options, slot, first, results) \
  {#options, slot, first, RESULTS_##results},
#include "read/tflite/tflite_calls.def"
#undef CALL
};

// The operator that refers to a subgraph.
typedef struct caller {
  tenon_import_graph *g;
  uint32_t n_in, n_out;
  tenon_loc loc;
} caller;

static tenon_status called_fail(const caller *c, const char *what,
                                int64_t subgraph, uint32_t expected,
                                uint32_t found) {
  return tenon_fail(&c->g->im->m->report, TENON_BAD_MODEL, "tflite-call",
                    tenon_locs_place(&c->g->im->m->locs, c->loc),
                    "subgraph %lld has %u %s, expected %u", (long long)subgraph,
                    (unsigned)found, what, (unsigned)expected);
}

static tenon_status called_check_call(const caller *c, const call_row *row,
                                      int64_t subgraph) {
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
  return TENON_OK;
}

tenon_status tenon_import_calls(tenon_import_graph *g,
                                const tenon_fb_type *type,
                                const tenon_fb_table *options,
                                const tenon_node_spec *spec) {
  caller c = {g, spec->n_in, spec->n_out, spec->loc};
  for (size_t i = 0; type && i < sizeof rows / sizeof *rows; ++i) {
    const call_row *row = &rows[i];
    if (strcmp(type->name, row->options) != 0) continue;
    tenon_fb_vector list = tenon_fb_list(options, row->slot);
    if (list.at == 0) {
      int64_t subgraph = tenon_fb_int(options, row->slot, 0);
      TENON_TRY(called_check_call(&c, row, subgraph));
    }
    for (uint32_t k = 0; k < list.count; ++k)
      TENON_TRY(called_check_call(&c, row, tenon_fb_item_int(&list, k)));
  }
  return TENON_OK;
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
