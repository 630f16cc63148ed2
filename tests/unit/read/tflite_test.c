// Tests of the .tflite import, over the models of tests/models: what the good
// ones become, and that each of the others is refused as its row of index.tsv
// says. Where the folder of shared fixtures is there, over those as well.
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/schema/schema.h"
#include "ir/text/print.h"
#include "unit/read/models.h"

static tenon_status drop_text(void *self, const char *file, const char *text,
                              size_t size) {
  (void)file, (void)text;
  *(size_t *)self += size;
  return TENON_OK;
}

static void check_printable(world *w, size_t row) {
  size_t size = 0;
  tenon_status status = tenon_print_module(w->m, 0, drop_text, &size);
  CHECK(status == TENON_OK && size > 0, "row %zu: printed", row);
}

// ---------------------------------------------------------------------------
// All of them
// ---------------------------------------------------------------------------

static char *cell(char **line) {
  char *start = *line, *tab = strchr(start, '\t');
  *line = tab ? tab + 1 : start + strlen(start);
  if (tab) *tab = 0;
  return start;
}

static void check_row(world *w, char *line, size_t row) {
  const char *name = cell(&line);
  int status = atoi(cell(&line));
  const char *id = cell(&line), *text = cell(&line);
  world_load(w, TEST_MODELS, name, NULL);
  CHECK(w->status == status, "%s: status %d\n%s", name, w->status, w->log.text);
  CHECK(w->log.errors == (status != TENON_OK), "%s:\n%s", name, w->log.text);
  if (status == TENON_OK) {
    check_printable(w, row);
    return;
  }
  CHECK(w->m == NULL, "%s", name);
  CHECK_LOG(&w->log, id, text, row);
  CHECK(strstr(w->log.text, name), "%s: file in\n%s", name, w->log.text);
  CHECK(!strstr(w->log.text, ": -: "), "%s: place in\n%s", name, w->log.text);
  CHECK(w->place.offset + w->place.size <= w->size, "%s: bytes", name);
}

static void reads_or_refuses_each_model_as_the_index_says(void **state) {
  (void)state;
  size_t size = 0, row = 0;
  char *index = read_file(TEST_MODELS "/index.tsv", &size);
  world w;
  assert_non_null(index);
  world_open(&w, NULL);
  assert_int_equal(w.status, TENON_OK);
  for (char *line = strtok(index, "\n"); line; line = strtok(NULL, "\n"))
    check_row(&w, line, ++row);
  assert_true(row > 140);
  world_close(&w);
  free(index);
}

// ---------------------------------------------------------------------------
// What they become
// ---------------------------------------------------------------------------

static void load(world *w, const char *name) {
  world_load(w, TEST_MODELS, name, NULL);
  CHECK(w->status == TENON_OK, "%s: %s", name, w->log.text);
}

static const tenon_value *result(const world *w, uint32_t i) {
  return tenon_node_in(w->m->functions.data[0]->end, i);
}

static void keeps_types_and_quantisation(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "conv_int8");
  const tenon_node *n = node_at(&w, 0, 0);
  assert_string_equal(n->op->name, "tfl::CONV_2D");
  assert_int_equal(arg_of(n, "stride_w")->as.i, 1);
  const tenon_type *x = &tenon_node_in(n, 0)->type;
  const tenon_type *weights = &tenon_node_in(n, 1)->type;
  const tenon_type *bias = &tenon_node_in(n, 2)->type;
  assert_int_equal(x->dtype, TENON_S8);
  assert_int_equal(x->dims[3].value, 2);
  assert_int_equal(x->quant->zero[0], 3);
  assert_int_equal(weights->quant->channels, 3);
  assert_int_equal(weights->quant->axis, 0);
  assert_null(weights->quant->zero);
  assert_true(near((double)weights->quant->scale[2], 0.03, 1e-6));
  // The only dimension, whatever the file has for its number.
  assert_int_equal(bias->quant->axis, 0);
  assert_int_equal(bias->quant->channels, 3);
  // In place: the file has them aligned.
  const char *data = (const char *)tenon_node_in(n, 2)->constant->data;
  assert_true(data > w.data && data < w.data + w.size);
  assert_string_equal(tenon_node_place(n)->where, "subgraph 0, op 0 (CONV_2D)");
  assert_string_equal(tenon_node_place(n)->file, "conv_int8");
  assert_true(tenon_node_place(n)->size > 0);
  assert_string_equal(w.m->format, "tflite");
  assert_string_equal(w.m->description, "a test model");
  assert_int_equal(w.m->metadata.count, 1);
  assert_string_equal(w.m->metadata.data[0].key, "note");
  assert_memory_equal(w.m->metadata.data[0].data, "hello", 5);
  world_close(&w);
}

static void ignores_quantisation_that_means_nothing(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "quiet_quant");
  assert_null(result(&w, 0)->type.quant);
  assert_null(result(&w, 1)->type.quant);
  assert_int_equal(result(&w, 2)->type.quant->zero[0], 128);
  assert_int_equal(result(&w, 3)->type.dtype, TENON_S32);  // a handle
  world_close(&w);
}

static void keeps_constants_of_every_storage(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "constants");
  assert_memory_equal(result(&w, 0)->constant->data, "\x21\x03", 2);
  assert_memory_equal(result(&w, 1)->constant->data, "\0\1\1", 3);
  assert_memory_equal(result(&w, 2)->constant->data, "\1\0", 2);
  const tenon_text *texts = (const tenon_text *)result(&w, 3)->constant->data;
  assert_true(tenon_text_is(texts[0], "hi"));
  assert_true(tenon_text_is(texts[1], "you"));
  assert_int_equal(result(&w, 4)->kind, TENON_VALUE_CONSTANT);
  assert_int_equal(result(&w, 4)->type.dims[0].value, 0);
  assert_int_equal(result(&w, 5)->type.dtype, TENON_STR);
  double wide = 0;
  memcpy(&wide, result(&w, 6)->constant->data, sizeof wide);
  assert_true(near(wide, 2.5, 0));
  assert_int_equal((uintptr_t)result(&w, 6)->constant->data % 8, 0);
  // One copy for all tensors that share the buffer.
  assert_ptr_equal(result(&w, 9)->constant->data,
                   result(&w, 6)->constant->data);
  world_close(&w);
}

static void makes_sparse_constants_dense(void **state) {
  (void)state;
  static const int8_t rows[] = {5, 0, 0, 0, 0, 7}, block[] = {0, 0, 5, 0, 0, 7};
  world w;
  world_open(&w, NULL);
  load(&w, "sparse_used");
  assert_memory_equal(result(&w, 1)->constant->data, rows, sizeof rows);
  load(&w, "sparse_block_good");
  assert_memory_equal(result(&w, 1)->constant->data, block, sizeof block);
  world_close(&w);
}

// A file "w.bin" of so many floats: 0, 1, 2 ...
typedef struct beside {
  size_t count, calls;
  tenon_status status;
  float data[4];
} beside;

static tenon_status open_beside(void *self, const char *name, const void **data,
                                size_t *size) {
  beside *b = (beside *)self;
  assert_string_equal(name, "w.bin");
  ++b->calls;
  *data = b->data;
  *size = b->count * sizeof *b->data;
  return b->status;
}

static void reads_external_buffers(void **state) {
  (void)state;
  static const struct {
    size_t count;
    tenon_status given, want;
    const char *text;
  } rows[] = {
      {3, TENON_OK, TENON_OK, ""},
      {2, TENON_OK, TENON_BAD_MODEL, "8 bytes at 0x4 of 'w.bin', which has 8"},
      {3, TENON_IO, TENON_IO, "'w.bin', which cannot be read"}};
  world w;
  world_open(&w, NULL);
  EACH_ROW(i, rows) {
    beside b = {rows[i].count, 0, rows[i].given, {0, 1, 2, 3}};
    tenon_read_options o = {
        .struct_size = sizeof o, .beside = open_beside, .beside_self = &b};
    world_load(&w, TEST_MODELS, "external_slice", &o);
    CHECK(w.status == rows[i].want && b.calls == 1, "row %zu: %s", i,
          w.log.text);
    CHECK(strstr(w.log.text, rows[i].text), "row %zu: %s", i, w.log.text);
    if (w.status != TENON_OK) continue;
    const float *data = (const float *)result(&w, 1)->constant->data;
    assert_true(near((double)data[0], 1, 0) && near((double)data[1], 2, 0));
  }
  world_close(&w);
}

static void finds_what_lies_behind_the_flatbuffer(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "appended");
  assert_true(near(arg_of(node_at(&w, 0, 0), "gain")->as.f, 0.5, 0));
  const float *weights = (const float *)result(&w, 1)->constant->data;
  assert_true(near((double)weights[1], 2.5, 0));
  assert_int_equal(result(&w, 2)->type.dims[0].value, 0);
  world_close(&w);
}

static void names_open_sizes(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "open_sizes");
  static const struct {
    uint16_t param;
    int dim;
    const char *name;
    int64_t stored;
  } rows[] = {{0, 0, "batch_d0", 1},
              {0, 2, "batch_d2", 2},
              {1, 0, "serving_x_0_d0", 1},
              {2, 0, "t2_d0", 1},
              {3, 0, "t9lives9lives9lives9lives9lives9lives9liv_d0", 1}};
  const tenon_graph *g = w.m->functions.data[0];
  EACH_ROW(i, rows) {
    tenon_dim d = g->params[rows[i].param]->type.dims[rows[i].dim];
    const tenon_symbol *s = tenon_symbols_look(&w.m->symbols, d.symbol);
    CHECK(s != NULL, "row %zu", i);
    CHECK_TEXT(s->name, rows[i].name, i);
    CHECK(s->min == 1 && s->max == INT32_MAX, "row %zu", i);
    CHECK(s->stored == rows[i].stored, "row %zu", i);
  }
  assert_int_equal(g->params[0]->type.dims[1].value, 7);
  // A result of an operator that Tenon does not know keeps what the file says.
  const tenon_type *t = &result(&w, 0)->type;
  assert_int_not_equal(t->dims[0].symbol, 0);
  assert_int_equal(t->dims[1].value, 7);
  load(&w, "open_batch");
  assert_int_equal(result(&w, 0)->type.dims[0].symbol,
                   w.m->functions.data[0]->params[0]->type.dims[0].symbol);
  load(&w, "unknown_rank");
  assert_int_equal(result(&w, 0)->type.rank, 2);
  world_close(&w);
}

static void shows_odd_names_harmlessly(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "odd_names");
  const tenon_value *y = result(&w, 0);
  const char *where = tenon_locs_place(&w.m->locs, y->loc)->where;
  assert_string_equal(where, "subgraph 0, op 0 (RELU)");
  assert_string_equal(w.m->entries.data[0].inputs[0], "input0");
  assert_non_null(strchr(w.m->entries.data[0].outputs[0], 7));  // kept
  assert_string_equal(w.m->functions.data[0]->name, "main");
  assert_null(w.m->description);
  load(&w, "old_codes");
  assert_string_equal(node_at(&w, 0, 0)->op->name, "tfl::RELU");
  world_close(&w);
}

// ---------------------------------------------------------------------------
// Operators
// ---------------------------------------------------------------------------

static void reads_options_as_a_map(void **state) {
  (void)state;
  static const struct {
    const char *model, *op;
    double gain;
    int64_t relu;  // -1: has no such attribute
  } rows[] = {{"gain_map", "test::gain", 0.75, 1},
              {"gain_width_1", "test::gain", 0.75, 1},
              {"gain_width_2", "test::gain", 3, 0},
              {"gain_width_8", "test::gain", 0.75, 0},
              {"gain_nothing", "test::gain", 1, 0},
              {"gain_null", "test::gain", 1, 0},
              {"gain_by_key", "test::gain", 1, 0},
              {"gain_second", "test::gain2", 2, -1},
              {"options_unknown", "test::gain", 2, 0}};
  world w;
  world_open(&w, NULL);
  EACH_ROW(i, rows) {
    load(&w, rows[i].model);
    const tenon_node *n = node_at(&w, 0, 0);
    CHECK_TEXT(n->op->name, rows[i].op, i);
    CHECK(near(arg_of(n, "gain")->as.f, rows[i].gain, 0), "row %zu", i);
    if (rows[i].relu >= 0)
      CHECK(arg_of(n, "relu")->as.i == rows[i].relu, "row %zu", i);
  }
  assert_int_equal(w.log.warnings, 2);
  CHECK_LOG(&w.log, "tflite-option-unknown",
            "'test::gain' has no attribute 'colour'", 0);
  load(&w, "options_many_unknown");
  assert_int_equal(w.log.warnings, 9);
  CHECK_LOG(&w.log, "tflite-option-unknown", "more options are ignored", 0);
  world_close(&w);
}

static void converts_each_kind_of_option(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "kinds");
  const tenon_node *n = node_at(&w, 0, 0);
  assert_int_equal(arg_of(n, "i")->as.i, -5);
  assert_true(near(arg_of(n, "f")->as.f, 2, 0));
  assert_int_equal(arg_of(n, "b")->as.i, 1);
  assert_string_equal(arg_of(n, "s")->as.s, "text");
  assert_int_equal(arg_of(n, "ints")->as.ints.count, 3);
  assert_int_equal(arg_of(n, "ints")->as.ints.data[1], -2);
  assert_true(near(arg_of(n, "floats")->as.floats.data[1], 2.5, 0));
  assert_false(arg_of(n, "bools")->as.bools.data[1]);
  assert_int_equal(arg_of(n, "t")->as.i, TENON_F16);
  assert_true(near(arg_of(n, "scalar")->as.scalar.as.f, 2.5, 0));
  assert_int_equal(arg_of(n, "maybe")->as.i, 7);
  assert_int_equal(arg_of(n, "none")->kind, 0);
  assert_int_equal(arg_of(n, "pair")->as.ints.data[1], 5);
  load(&w, "kinds_typed");
  n = node_at(&w, 0, 0);
  assert_int_equal(arg_of(n, "t")->as.i, TENON_S8);
  assert_int_equal(arg_of(n, "pair")->as.ints.data[1], 9);
  assert_int_equal(arg_of(n, "ints")->as.ints.count, 0);
  assert_int_equal(arg_of(n, "scalar")->as.scalar.kind, TENON_KIND_BOOL);
  world_close(&w);
}

static void hands_bytes_to_the_reader_of_a_descriptor(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "raw");
  const tenon_node *n = node_at(&w, 0, 0);
  assert_int_equal(arg_of(n, "n")->as.i, 77);
  assert_int_equal(arg_of(n, "unset")->as.i, 0);
  assert_true(near(arg_of(n, "f")->as.f, 0.5, 0));  // the default
  assert_string_equal(arg_of(n, "s")->as.s, "s");
  load(&w, "raw_map");
  n = node_at(&w, 0, 0);
  assert_int_equal(arg_of(n, "n")->as.i, 5);
  assert_int_equal(arg_of(n, "unset")->as.i, 2);
  load(&w, "bare");
  n = node_at(&w, 0, 0);
  assert_int_equal(arg_of(n, "n")->as.i, 9);
  assert_string_equal(arg_of(n, "name")->as.s, "x");
  assert_int_equal(arg_of(n, "list")->as.ints.data[0], 3);
  assert_int_equal(arg_of(n, "t")->as.i, TENON_F16);
  load(&w, "bare_raw");
  assert_int_equal(arg_of(node_at(&w, 0, 0), "n")->as.i, 7);
  world_close(&w);
}

static void reads_floats_of_a_table(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "floats");
  const tenon_arg *a = arg_of(node_at(&w, 0, 0), "boundaries");
  assert_int_equal(a->as.floats.count, 2);
  assert_true(near(a->as.floats.data[1], 0.5, 0));
  world_close(&w);
}

static void divides_operands_among_arguments(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "lists");
  const tenon_node *n = node_at(&w, 0, 0);
  int first = 0;
  assert_int_equal(tenon_node_group(n, 0, &first), 2);
  assert_int_equal(tenon_node_group(n, 1, &first), 1);
  assert_int_equal(first, 2);
  assert_int_equal(n->n_out, 2);
  n = node_at(&w, 0, 1);
  assert_int_equal(tenon_node_group(n, 0, &first), 1);
  assert_int_equal(tenon_node_group(n, 1, &first), 1);
  assert_null(tenon_node_in(n, (uint32_t)first));
  world_close(&w);
}

static void makes_states_of_variables(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "states");
  assert_int_equal(w.m->states.count, 3);
  assert_string_equal(w.m->states.data[0].name, "memory");
  assert_string_equal(w.m->states.data[1].name, "memory_1");
  assert_string_equal(w.m->states.data[2].name, "state");
  assert_int_equal(w.m->states.data[0].type.dims[1].value, 4);
  const tenon_node *read = node_at(&w, 0, 0);
  assert_string_equal(read->op->name, "core::state_read");
  assert_string_equal(arg_of(read, "state")->as.s, "memory");
  // Read once, however often it is used.
  const tenon_node *first = node_at(&w, 0, 1), *third = node_at(&w, 0, 4);
  assert_string_equal(third->op->name, "test::state");
  assert_ptr_equal(tenon_node_in(first, 1), read->out[0]);
  assert_ptr_equal(tenon_node_in(third, 1), read->out[0]);
  world_close(&w);
}

static void keeps_operators_that_nobody_describes(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "unknown_ops");
  const tenon_node *custom = node_at(&w, 0, 0), *builtin = node_at(&w, 0, 1);
  assert_string_equal(custom->op->name, "custom::VendorThing");
  assert_null(custom->op->desc);
  assert_int_equal(custom->n_in, 2);
  assert_null(tenon_node_in(custom, 1));
  assert_int_equal(custom->opaque_size, 3);
  assert_memory_equal(custom->opaque, "\1\2\3", 3);
  assert_string_equal(builtin->op->name, "tfl::CONCAT_EMBEDDINGS");
  assert_true(builtin->opaque_size >= 8);
  // A code is never taken for a builtin's name.
  load(&w, "spelt_builtin");
  assert_string_equal(node_at(&w, 0, 0)->op->name, "custom::CONV_2D");
  assert_null(node_at(&w, 0, 0)->op->desc);
  world_close(&w);
}

static void lists_every_version_that_is_not_served(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  world_load(&w, TEST_MODELS, "version_many", NULL);
  assert_int_equal(w.status, TENON_UNSUPPORTED);
  assert_non_null(strstr(w.log.text, "version 4 of 'TestGain'"));
  assert_non_null(strstr(w.log.text, "and more operators"));
  assert_int_equal(w.log.errors, 1);
  world_close(&w);
}

static void makes_entries_of_signatures(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "no_signature");
  const tenon_entry_point *e = &w.m->entries.data[0];
  load(&w, "signatures");
  e = w.m->entries.data;
  assert_int_equal(w.m->entries.count, 3);
  assert_string_equal(e[0].name, "one");
  assert_string_equal(e[1].name, "one_1");
  assert_string_equal(e[2].name, "main");
  assert_string_equal(e[0].inputs[0], "a");  // in the order of the subgraph
  assert_string_equal(e[0].inputs[1], "b");
  assert_string_equal(e[0].outputs[0], "p");  // one tensor, both its names
  assert_string_equal(e[0].outputs[1], "q");
  assert_string_equal(e[0].outputs[2], "r");
  assert_string_equal(e[1].inputs[1], "x");  // not in the signature
  assert_string_equal(e[1].outputs[1], "output1");
  assert_string_equal(e[2].inputs[0], "same");
  assert_string_equal(e[2].inputs[1], "same_1");
  CHECK_LOG(&w.log, "tflite-signature", "1 names of outputs", 0);
  load(&w, "no_signature");
  e = w.m->entries.data;
  assert_int_equal(w.m->entries.count, 1);
  assert_string_equal(e[0].name, "main");
  assert_string_equal(e[0].inputs[1], "x_1");
  assert_string_equal(e[0].outputs[0], "output0");
  world_close(&w);
}

static void imports_all_subgraphs_in_order(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  load(&w, "branches");
  assert_int_equal(w.m->functions.count, 3);
  assert_string_equal(w.m->functions.data[1]->name, "branch");
  assert_string_equal(w.m->functions.data[2]->name, "branch_1");
  assert_int_equal(arg_of(node_at(&w, 0, 0), "else_subgraph_index")->as.i, 2);
  assert_string_equal(node_at(&w, 2, 0)->op->name, "tfl::TANH");
  load(&w, "nobody_calls");
  assert_string_equal(w.m->functions.data[3]->name, "subgraph3");
  world_close(&w);
}

// ---------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------

static bool read_with(const tenon_allocator *allocator, void *self) {
  world w;
  world_open(&w, allocator);
  if (w.status == TENON_OK) {
    world_load(&w, TEST_MODELS, (const char *)self, NULL);
    CHECK(w.status == TENON_OK || w.log.errors > 0, "%s: silent", w.log.text);
    CHECK((w.m != NULL) == (w.status == TENON_OK), "%s", w.log.text);
  }
  tenon_status status = w.status;
  if (w.cx) world_close(&w);
  return status == TENON_OK;
}

static void gives_back_all_memory_when_some_is_missing(void **state) {
  (void)state;
  static const char *const models[] = {
      "conv_int8",  "constants",  "kinds",    "bare",        "states",
      "signatures", "open_sizes", "branches", "unknown_ops", "sparse_used"};
  EACH_ROW(i, models) {
    char name[32];
    snprintf(name, sizeof name, "%s", models[i]);
    test_sweep(read_with, name);
  }
}

// ---------------------------------------------------------------------------
// Shared fixtures
// ---------------------------------------------------------------------------

// What is well formed and wants a file that nobody gives here.
static bool wants_file(const char *name) {
  return strcmp(name, "cnn_external_buffers") == 0;
}

static void reads_the_good_fixtures(void **state) {
  (void)state;
  DIR *folder = opendir(TEST_FIXTURES);
  world w;
  size_t n = 0;
  if (!folder) skip();
  world_open(&w, NULL);
  for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
    char path[1024];
    struct stat is;
    snprintf(path, sizeof path, TEST_FIXTURES "/%s/model.tflite", e->d_name);
    if (stat(path, &is) != 0) continue;
    snprintf(path, sizeof path, TEST_FIXTURES "/%s", e->d_name);
    world_load(&w, path, "model", NULL);
    tenon_status expected =
        wants_file(e->d_name) ? TENON_UNSUPPORTED : TENON_OK;
    CHECK(w.status == expected, "%s: %s", e->d_name, w.log.text);
    if (w.m) check_printable(&w, n);
    ++n;
  }
  closedir(folder);
  world_close(&w);
  assert_true(n > 50);
}

// Whether the module has a builtin operator that nobody describes: then rules
// that would refuse it are still to come.
static bool has_unknown_builtin(const tenon_module *m) {
  for (size_t i = 0; m && i < m->functions.count; ++i) {
    const tenon_node *n = m->functions.data[i]->first;
    for (; n; n = n->next) {
      if (!n->op->desc && strncmp(n->op->name, "tfl::", 5) == 0) return true;
    }
  }
  return false;
}

static bool is_sound(const char *name) {
  return strcmp(name, "c_unreferenced_deep") == 0 ||
         strcmp(name, "k_name_long") == 0;
}

static void check_bad_fixture(world *w, const char *name,
                              const tenon_heap_probe *probe) {
  world_load(w, TEST_FIXTURES "/bad", name, NULL);
  CHECK(probe->peak < (size_t)200 << 20, "%s: %zu bytes", name, probe->peak);
  if (is_sound(name) || has_unknown_builtin(w->m)) {
    CHECK(w->status == TENON_OK, "%s: %s", name, w->log.text);
    return;
  }
  CHECK(w->status == TENON_BAD_MODEL || w->status == TENON_UNSUPPORTED,
        "%s: status %d %s", name, w->status, w->log.text);
  CHECK(w->log.errors == 1, "%s: %s", name, w->log.text);
  CHECK(strstr(w->log.text, name), "%s: %s", name, w->log.text);
}

static void refuses_the_bad_fixtures(void **state) {
  (void)state;
  DIR *folder = opendir(TEST_FIXTURES "/bad");
  tenon_heap_probe probe = {.below = tenon_heap()};
  tenon_allocator allocator = tenon_heap_probed(&probe);
  world w;
  size_t n = 0;
  if (!folder) skip();
  world_open(&w, &allocator);
  for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
    char name[256];
    char *dot = strstr(e->d_name, ".tflite");
    if (!dot) continue;
    snprintf(name, sizeof name, "%.*s", (int)(dot - e->d_name), e->d_name);
    check_bad_fixture(&w, name, &probe);
    ++n;
  }
  closedir(folder);
  world_close(&w);
  assert_true(n > 100);
}

TEST_GROUP(tflite,
           cmocka_unit_test(reads_or_refuses_each_model_as_the_index_says),
           cmocka_unit_test(keeps_types_and_quantisation),
           cmocka_unit_test(ignores_quantisation_that_means_nothing),
           cmocka_unit_test(keeps_constants_of_every_storage),
           cmocka_unit_test(makes_sparse_constants_dense),
           cmocka_unit_test(reads_external_buffers),
           cmocka_unit_test(finds_what_lies_behind_the_flatbuffer),
           cmocka_unit_test(names_open_sizes),
           cmocka_unit_test(shows_odd_names_harmlessly),
           cmocka_unit_test(reads_options_as_a_map),
           cmocka_unit_test(converts_each_kind_of_option),
           cmocka_unit_test(hands_bytes_to_the_reader_of_a_descriptor),
           cmocka_unit_test(reads_floats_of_a_table),
           cmocka_unit_test(divides_operands_among_arguments),
           cmocka_unit_test(makes_states_of_variables),
           cmocka_unit_test(keeps_operators_that_nobody_describes),
           cmocka_unit_test(lists_every_version_that_is_not_served),
           cmocka_unit_test(makes_entries_of_signatures),
           cmocka_unit_test(imports_all_subgraphs_in_order),
           cmocka_unit_test(gives_back_all_memory_when_some_is_missing),
           cmocka_unit_test(reads_the_good_fixtures),
           cmocka_unit_test(refuses_the_bad_fixtures))
