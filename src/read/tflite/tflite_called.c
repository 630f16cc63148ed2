// How: a subgraph is imported when an operator first names it, and its
// parameters get the ranks and sizes of what that operator passes, as LiteRT
// resizes the inputs of a subgraph that it runs. Who passes others later gets a
// function of its own, of the same subgraph.
#include "read/tflite/tflite_import.h"

// Functions within functions. What is deeper has the types of the file.
#define MAX_NESTED 128
// What an operator or a tensor of a subgraph counts for that is read again.
#define AGAIN_COST 32

// The type of a parameter that is declared so, for a value that is passed. A
// size that a run decides leaves a number that is declared, and a loop an open
// size, which it may find out anew in each round (tflite_passed.c).
static bool called_take(tenon_import *im, const tenon_type *declared,
                        bool is_ranked, bool is_loop, const tenon_value *v,
                        tenon_type *out) {
  *out = *declared;
  if (!v || v->type.dtype != declared->dtype) return true;
  const bool is_same_rank = is_ranked && declared->rank == v->type.rank;
  if (declared->quant && declared->quant->channels > 1 && !is_same_rank)
    return true;
  tenon_dim *dims = tenon_arena_array(&im->scratch, tenon_dim, TENON_MAX_RANK);
  if (!dims) return false;
  out->rank = v->type.rank;
  out->dims = dims;
  for (int k = 0; k < out->rank; ++k) {
    const bool is_open = declared->dims[k].symbol != 0;
    const bool is_kept =
        is_same_rank && (is_open ? is_loop : v->type.dims[k].symbol != 0);
    dims[k] = is_kept ? declared->dims[k] : v->type.dims[k];
  }
  return true;
}

// A number or rank that is not as the file has it: what the file says of the
// subgraph's other tensors follows from it.
static bool called_is_resized(const tenon_type *declared, bool is_ranked,
                              const tenon_type *t) {
  if (declared->rank != t->rank) return is_ranked;
  for (int k = 0; k < t->rank; ++k)
    if (!declared->dims[k].symbol &&
        !tenon_dim_equals(declared->dims[k], t->dims[k]))
      return true;
  return false;
}

tenon_status tenon_import_params(tenon_import_graph *g,
                                 const tenon_called *by) {
  for (uint32_t i = 0; i < g->inputs.count; ++i) {
    uint32_t tensor = (uint32_t)tenon_fb_item_int(&g->inputs, i);
    tenon_import_tensor *t = &g->tensors[tensor];
    const tenon_place *place = tenon_import_tensor_place(g, tensor);
    tenon_loc loc = tenon_import_loc(g->im, place);
    const tenon_value *v = by && i < by->n_in ? by->in[i] : NULL;
    tenon_type type;
    if (!called_take(g->im, &t->type, !t->has_unknown_rank, by && by->is_loop,
                     v, &type))
      return tenon_fail_memory(&g->im->m->report, "reading a subgraph");
    g->is_resized |= called_is_resized(&t->type, !t->has_unknown_rank, &type);
    t->type = type;
    t->value = tenon_build_param(
        g->graph, tenon_fb_text(&t->table, TENSOR_NAME).data, &t->type, loc);
    if (!t->value) return tenon_import_built(g->im);
  }
  return TENON_OK;
}

// Whether a function that has been imported takes what is passed as it is.
static bool called_fits(const tenon_graph *f, const tenon_called *by) {
  for (uint32_t i = 0; i < f->n_params && i < by->n_in; ++i) {
    const tenon_type *t = &f->params[i]->type;
    const tenon_value *v = by->in[i];
    if (!v || v->type.dtype != t->dtype) continue;
    if (t->rank != v->type.rank) return false;
    for (int k = 0; k < t->rank; ++k)
      if (!tenon_dim_equals(t->dims[k], v->type.dims[k]) &&
          (t->dims[k].symbol ? !by->is_loop : !v->type.dims[k].symbol))
        return false;
  }
  return true;
}

static bool called_has_variables(const tenon_import *im, uint32_t subgraph) {
  tenon_fb_table table = tenon_fb_item(&im->file.subgraphs, subgraph);
  tenon_fb_vector tensors = tenon_fb_list(&table, SUBGRAPH_TENSORS);
  for (uint32_t i = 0; i < tensors.count; ++i) {
    tenon_fb_table t = tenon_fb_item(&tensors, i);
    if (tenon_fb_int(&t, TENSOR_IS_VARIABLE, 0)) return true;
  }
  return false;
}

tenon_status tenon_import_make_function(tenon_import *im, uint32_t index) {
  tenon_import_graph g = {.im = im, .index = index};
  g.table = tenon_fb_item(&im->file.subgraphs, index);
  tenon_text given = tenon_fb_text(&g.table, SUBGRAPH_NAME);
  const char *name = given.data;
  tenon_buf fallback;
  tenon_buf_init(&fallback, im->cx->allocator);
  if (given.size == 0) {
    if (index == 0) tenon_buf_text(&fallback, "main");
    if (index > 0) tenon_buf_format(&fallback, "subgraph%u", (unsigned)index);
    name = fallback.failed ? NULL : fallback.data;
  }
  const char *unique =
      name ? tenon_import_unique(im, &im->names[TENON_IMPORT_FUNCTIONS], name)
           : NULL;
  tenon_buf_deinit(&fallback);
  if (!name) return tenon_fail_memory(&im->m->report, "reading a subgraph");
  tenon_loc loc = tenon_import_loc(im, tenon_import_graph_place(&g));
  bool done = unique && tenon_build_function(im->m, unique, loc);
  return done ? TENON_OK : tenon_import_built(im);
}

// A function of a subgraph that another one is of already.
static tenon_status called_make_again(tenon_import *im, uint32_t subgraph,
                                      const tenon_called *by,
                                      tenon_graph **out) {
  const tenon_place *place = tenon_locs_place(&im->m->locs, by->loc);
  tenon_fb_table table = tenon_fb_item(&im->file.subgraphs, subgraph);
  const uint64_t size = tenon_fb_list(&table, SUBGRAPH_TENSORS).count +
                        tenon_fb_list(&table, SUBGRAPH_OPERATORS).count + 1;
  if (called_has_variables(im, subgraph))
    return tenon_fail(&im->m->report, TENON_UNSUPPORTED, "tflite-call", place,
                      "passes subgraph %u, which has variables, other sizes "
                      "than another operator does, which is not supported",
                      (unsigned)subgraph);
  if (AGAIN_COST * size > im->budget)
    return tenon_fail(
        &im->m->report, TENON_UNSUPPORTED, "tflite-call", place,
        "passes subgraph %u yet other sizes: more functions of so "
        "small a file are not supported",
        (unsigned)subgraph);
  TENON_TRY(tenon_import_spend(im, AGAIN_COST * size, place));
  TENON_TRY(tenon_import_make_function(im, subgraph));
  *out = im->m->functions.data[im->m->functions.count - 1];
  tenon_import_copy copy = {subgraph, *out};
  return tenon_vec_push(&im->copies, copy)
             ? TENON_OK
             : tenon_fail_memory(&im->m->report, "reading a subgraph");
}

// Null: nobody has been given such sizes yet.
static tenon_graph *called_find(const tenon_import *im, uint32_t subgraph,
                                const tenon_called *by) {
  tenon_graph *first = im->m->functions.data[subgraph];
  if (called_fits(first, by)) return first;
  for (size_t i = 0; i < im->copies.count; ++i)
    if (im->copies.data[i].subgraph == subgraph &&
        called_fits(im->copies.data[i].graph, by))
      return im->copies.data[i].graph;
  return NULL;
}

tenon_status tenon_import_function(tenon_import *im, uint32_t subgraph,
                                   const tenon_called *by,
                                   const tenon_graph **out) {
  tenon_graph *f = im->m->functions.data[subgraph];
  *out = NULL;
  if (im->progress[subgraph] == TENON_IMPORT_BEGUN ||
      im->n_nested == MAX_NESTED)
    return TENON_OK;
  if (im->progress[subgraph] == TENON_IMPORT_DONE) {
    *out = by ? called_find(im, subgraph, by) : f;
    if (*out) return TENON_OK;
    TENON_TRY(called_make_again(im, subgraph, by, &f));
  }
  ++im->n_nested;
  im->progress[subgraph] = TENON_IMPORT_BEGUN;
  TENON_TRY(im->read_subgraph(im, subgraph, f, by));
  im->progress[subgraph] = TENON_IMPORT_DONE;
  --im->n_nested;
  *out = f;
  return TENON_OK;
}

int64_t tenon_import_callee(const tenon_import_graph *g, int slot,
                            uint32_t item, int64_t subgraph) {
  for (const tenon_import_callee_row *r = g->callees; r; r = r->next)
    if (r->slot == slot && r->item == item) return r->function;
  return subgraph;
}
