// How: in one pass over the file. All functions are made first, so that they
// have the indices that operators refer to them by; then each subgraph is
// filled in, and what its operators call before these: its tensors are read,
// its inputs become parameters, its operators nodes. What only makes sense
// together, the refused versions and the entries, comes last. Everything that
// lives for the import alone is in one arena.
#include "read/read.h"
#include "read/tflite/tflite_import.h"

// Slot of WhileOptions.
#define WHILE_BODY 1

// Amounts that may be read again although they are shared, per byte of the
// file, and for files of a few bytes.
#define BUDGET_FACTOR 4
#define BUDGET_FLOOR 65536

static tenon_status tflite_no_memory(const tenon_import *im) {
  return tenon_fail_memory(&im->m->report, "reading a .tflite");
}

// ---------------------------------------------------------------------------
// A subgraph
// ---------------------------------------------------------------------------

static tenon_status refuse_write(tenon_import_graph *g, uint32_t op,
                                 uint32_t tensor) {
  const tenon_import_tensor *t = &g->tensors[tensor];
  const tenon_report *report = &g->im->m->report;
  const char *label =
      tenon_import_label(g->im, 0, tenon_fb_text(&t->table, TENSOR_NAME));
  const tenon_place *place = tenon_import_operator_place(g, op, NULL);
  const char *what = t->is_input      ? "a graph input"
                     : t->is_variable ? "a variable"
                                      : "constant";
  return tenon_fail(report, TENON_BAD_MODEL, "tflite-graph", place,
                    "writes tensor %u (%s), which is %s", (unsigned)tensor,
                    label, what);
}

// Who writes what, before anything is read: so that reading too early can be
// told from reading what nobody writes.
static tenon_status find_producers(tenon_import_graph *g, uint32_t op) {
  tenon_fb_table table = tenon_fb_item(&g->operators, op);
  tenon_fb_vector outputs = tenon_fb_list(&table, OPERATOR_OUTPUTS);
  for (uint32_t i = 0; i < outputs.count; ++i) {
    int64_t tensor = tenon_fb_item_int(&outputs, i);
    if (tensor < 0 || tensor >= g->n_tensors) {
      return tenon_fail(&g->im->m->report, TENON_BAD_MODEL, "tflite-graph",
                        tenon_import_operator_place(g, op, NULL),
                        "writes tensor %lld of %u", (long long)tensor,
                        (unsigned)g->n_tensors);
    }
    tenon_import_tensor *t = &g->tensors[tensor];
    if (t->is_input || t->is_variable || t->is_constant)
      return refuse_write(g, op, (uint32_t)tensor);
    // Written again, it is another value for who reads it from then on.
    if (!t->producer) t->producer = op + 1;
  }
  return TENON_OK;
}

// LiteRT gives what the body of a loop returns to the body's inputs, one after
// the other: of an input that is returned further behind, it is the new value.
static void overtake(const tenon_import_graph *g, tenon_value **values) {
  for (uint32_t i = 0; i < g->outputs.count; ++i)
    for (uint32_t k = 0; k < i && k < g->inputs.count; ++k)
      if (tenon_fb_item_int(&g->outputs, i) == tenon_fb_item_int(&g->inputs, k))
        values[i] = values[k];
}

static tenon_status tflite_make_results(tenon_import_graph *g) {
  tenon_import *im = g->im;
  tenon_value **values =
      tenon_arena_array(&im->scratch, tenon_value *, g->outputs.count);
  if (!values) return tflite_no_memory(im);
  for (uint32_t i = 0; i < g->outputs.count; ++i) {
    TENON_TRY(tenon_import_use(g, tenon_fb_item_int(&g->outputs, i),
                               g->graph->loc, &values[i]));
  }
  if (im->is_body[g->index]) overtake(g, values);
  bool done =
      tenon_build_results(g->graph, values, g->outputs.count, g->graph->loc);
  return done ? TENON_OK : tenon_import_built(im);
}

static tenon_status tflite_read_subgraph(tenon_import *im, uint32_t index,
                                         tenon_graph *f,
                                         const tenon_called *by) {
  tenon_import_graph g = {.im = im, .index = index, .graph = f};
  g.table = tenon_fb_item(&im->file.subgraphs, index);
  g.inputs = tenon_fb_list(&g.table, SUBGRAPH_INPUTS);
  g.outputs = tenon_fb_list(&g.table, SUBGRAPH_OUTPUTS);
  g.operators = tenon_fb_list(&g.table, SUBGRAPH_OPERATORS);
  tenon_arena_mark mark = tenon_arena_save(&im->scratch);
  TENON_TRY(tenon_import_tensors(&g));
  TENON_TRY(tenon_import_params(&g, by));
  for (uint32_t i = 0; i < g.operators.count; ++i)
    TENON_TRY(find_producers(&g, i));
  for (uint32_t i = 0; i < g.operators.count; ++i)
    TENON_TRY(tenon_import_node(&g, i));
  TENON_TRY(tflite_make_results(&g));
  tenon_arena_restore(&im->scratch, mark);
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// The file
// ---------------------------------------------------------------------------

// The first signature of each subgraph.
static void index_signatures(tenon_import *im) {
  tenon_fb_vector all = tenon_fb_list(&im->file.model, MODEL_SIGNATURES);
  for (uint32_t i = all.count; i-- > 0;) {
    tenon_fb_table signature = tenon_fb_item(&all, i);
    int64_t subgraph = tenon_fb_int(&signature, SIGNATURE_SUBGRAPH, 0);
    if (subgraph < im->file.subgraphs.count) im->signatures[subgraph] = i + 1;
  }
}

// Which subgraphs are bodies of loops.
static void find_bodies(tenon_import *im, const tenon_fb_table *subgraph) {
  tenon_fb_vector operators = tenon_fb_list(subgraph, SUBGRAPH_OPERATORS);
  for (uint32_t i = 0; i < operators.count; ++i) {
    tenon_fb_table op = tenon_fb_item(&operators, i);
    tenon_fb_table options = tenon_fb_child(&op, OPERATOR_OPTIONS);
    if (!options.type || strcmp(options.type->name, "WhileOptions") != 0)
      continue;
    int64_t body = tenon_fb_int(&options, WHILE_BODY, 0);
    if (body >= 0 && body < im->file.subgraphs.count) im->is_body[body] = true;
  }
}

static tenon_status make_tables(tenon_import *im) {
  const tenon_tflite *f = &im->file;
  im->codes =
      tenon_arena_array(&im->scratch, tenon_import_code, f->codes.count);
  im->buffers =
      tenon_arena_array(&im->scratch, tenon_import_buffer, f->buffers.count);
  im->signatures =
      tenon_arena_array(&im->scratch, uint32_t, f->subgraphs.count);
  im->is_body = tenon_arena_array(&im->scratch, bool, f->subgraphs.count);
  im->progress = tenon_arena_array(&im->scratch, uint8_t, f->subgraphs.count);
  if (!im->codes || !im->buffers || !im->signatures || !im->is_body ||
      !im->progress)
    return tflite_no_memory(im);
  memset(im->codes, 0, f->codes.count * sizeof *im->codes);
  memset(im->buffers, 0, f->buffers.count * sizeof *im->buffers);
  memset(im->signatures, 0, f->subgraphs.count * sizeof *im->signatures);
  memset(im->is_body, 0, f->subgraphs.count * sizeof *im->is_body);
  memset(im->progress, 0, f->subgraphs.count);
  for (uint32_t i = 0; i < f->subgraphs.count; ++i) {
    tenon_fb_table subgraph = tenon_fb_item(&f->subgraphs, i);
    find_bodies(im, &subgraph);
  }
  index_signatures(im);
  return TENON_OK;
}

// Those that a run begins with first: they say what is passed to the others.
static tenon_status import_functions(tenon_import *im, bool are_entries) {
  const tenon_graph *f = NULL;
  for (uint32_t i = 0; i < im->file.subgraphs.count; ++i) {
    const bool is_entry = i == 0 || im->signatures[i] != 0;
    if (is_entry == are_entries && im->progress[i] == TENON_IMPORT_NOT_BEGUN)
      TENON_TRY(tenon_import_function(im, i, NULL, &f));
  }
  return TENON_OK;
}

static tenon_status import_file(tenon_import *im, tenon_bytes bytes) {
  tenon_module *m = im->m;
  TENON_TRY(tenon_tflite_open(&im->file, bytes, &m->report, m->name));
  TENON_TRY(make_tables(im));
  m->format = "tflite";
  m->description = tenon_fb_text(&im->file.model, MODEL_DESCRIPTION).data;
  im->budget = BUDGET_FLOOR;
  im->budget += bytes.size > UINT64_MAX / 8
                    ? bytes.size
                    : (uint64_t)bytes.size * BUDGET_FACTOR;
  TENON_TRY(tenon_import_metadata(im));
  for (uint32_t i = 0; i < im->file.subgraphs.count; ++i)
    TENON_TRY(tenon_import_make_function(im, i));
  TENON_TRY(import_functions(im, true));
  TENON_TRY(import_functions(im, false));
  TENON_TRY(tenon_import_check_calls(im));
  TENON_TRY(tenon_import_refuse(im));
  TENON_TRY(tenon_import_entries(im));
  return m->arena.failed ? tflite_no_memory(im) : TENON_OK;
}

bool tenon_tflite_recognise(const void *data, size_t size) {
  return tenon_fb_recognise(data, size, TENON_TFLITE_IDENTIFIER);
}

tenon_status tenon_tflite_read(tenon_context *cx, const void *data, size_t size,
                               const tenon_read_options *options,
                               tenon_module **out) {
  tenon_import im;
  tenon_bytes bytes = {(const uint8_t *)data, size};
  memset(&im, 0, sizeof im);
  *out = NULL;
  im.cx = cx;
  im.read_subgraph = tflite_read_subgraph;
  im.options = options;
  TENON_TRY(tenon_module_create(
      cx, options && options->name ? options->name : "model", &im.m));
  tenon_arena_init(&im.scratch, cx->allocator);
  tenon_vec_init(&im.refusals, cx->allocator);
  tenon_vec_init(&im.calls, cx->allocator);
  tenon_vec_init(&im.copies, cx->allocator);
  tenon_buf_init(&im.text, cx->allocator);
  for (size_t i = 0; i < sizeof im.names / sizeof *im.names; ++i)
    tenon_map_init(&im.names[i], cx->allocator);
  tenon_status status = import_file(&im, bytes);
  for (size_t i = 0; i < sizeof im.names / sizeof *im.names; ++i)
    tenon_map_deinit(&im.names[i]);
  tenon_buf_deinit(&im.text);
  tenon_vec_deinit(&im.calls);
  tenon_vec_deinit(&im.copies);
  tenon_vec_deinit(&im.refusals);
  tenon_arena_deinit(&im.scratch);
  if (status == TENON_OK) {
    *out = im.m;
  } else {
    tenon_module_release(im.m);
  }
  return status;
}
