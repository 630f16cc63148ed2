// How: names in a file may hold anything; what is shown is made harmless for a
// terminal first.
#include <stdio.h>

#include "read/tflite/tflite_import.h"
#include "read/unique.h"

const char *tenon_import_unique(tenon_import *im, tenon_map *taken,
                                const char *name) {
  const char *own = tenon_read_unique(&im->m->arena, taken, name);
  if (!own) (void)tenon_fail_memory(&im->m->report, "naming a value");
  return own;
}

const char *tenon_import_label(tenon_import *im, int slot, tenon_text name) {
  tenon_label_make(im->labels[slot], name);
  return im->labels[slot];
}

static const tenon_place *tfl_names_place_of(tenon_import *im,
                                             const tenon_fb_table *table) {
  im->place.file = im->m->name;
  im->place.where = im->where;
  im->place.origin = NULL;
  im->place.offset = table->at;
  im->place.size = tenon_fb_table_bytes(table).size;
  return &im->place;
}

const tenon_place *tenon_import_graph_place(const tenon_import_graph *g) {
  snprintf(g->im->where, sizeof g->im->where, "subgraph %u",
           (unsigned)g->index);
  return tfl_names_place_of(g->im, &g->table);
}

const tenon_place *tenon_import_tensor_place(const tenon_import_graph *g,
                                             uint32_t tensor) {
  char label[TENON_LABEL];
  const tenon_fb_table *table = &g->tensors[tensor].table;
  tenon_label_make(label, tenon_fb_text(table, TENSOR_NAME));
  snprintf(g->im->where, sizeof g->im->where, "subgraph %u, tensor %u (%s)",
           (unsigned)g->index, (unsigned)tensor, label);
  return tfl_names_place_of(g->im, table);
}

const tenon_place *tenon_import_operator_place(const tenon_import_graph *g,
                                               uint32_t op, const char *label) {
  tenon_fb_table table = tenon_fb_item(&g->operators, op);
  snprintf(g->im->where, sizeof g->im->where, "subgraph %u, op %u%s%s%s",
           (unsigned)g->index, (unsigned)op, label ? " (" : "",
           label ? label : "", label ? ")" : "");
  return tfl_names_place_of(g->im, &table);
}

const tenon_place *tenon_import_table_place(tenon_import *im, const char *what,
                                            uint32_t index,
                                            const tenon_fb_table *table) {
  snprintf(im->where, sizeof im->where, "%s %u", what, (unsigned)index);
  return tfl_names_place_of(im, table);
}

tenon_loc tenon_import_loc(tenon_import *im, const tenon_place *place) {
  return tenon_locs_add(&im->m->locs, place);
}

tenon_status tenon_import_spend(tenon_import *im, uint64_t amount,
                                const tenon_place *place) {
  if (amount > im->budget) {
    return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-buffer", place,
                      "the file refers to the same bytes too often");
  }
  im->budget -= amount;
  return TENON_OK;
}

tenon_status tenon_import_built(const tenon_import *im) {
  tenon_status status = im->m->arena.failed ? TENON_NO_MEMORY : TENON_BAD_MODEL;
  return status;
}
