// How: a signature maps names to tensors; an entry has a name for each operand
// of its graph, in the graph's order. The names of a tensor form a chain, found
// by the tensor's index, and operands take them off one by one: so the work is
// linear, and a tensor that is a result twice gets both its names.
#include "read/tflite/tflite_import.h"

// What a name of an operand counts for: many signatures may name one graph.
#define NAME_COST 16

// One side of an entry: inputs or outputs.
typedef struct side {
  tenon_import *im;
  const char *what;  // "input" or "output"
  tenon_place place;
  tenon_fb_vector maps;      // of the signature; none: tensors' names serve
  tenon_fb_vector operands;  // of the subgraph
  tenon_fb_vector tensors;
  tenon_map chains;    // tensor to its first map, plus 1
  uint32_t *next;      // per map the next of the same tensor, plus 1
  uint32_t n_foreign;  // maps of tensors that are not operands
} side;

static void tfl_entry_warn(const side *s, tenon_text name, int64_t tensor) {
  tenon_warn(&s->im->m->report, "tflite-signature", &s->place,
             "%s '%s' is not one of the subgraph (tensor %lld) and left out",
             s->what, tenon_import_label(s->im, 0, name), (long long)tensor);
}

static tenon_status tfl_entry_no_memory(const side *s) {
  return tenon_fail_memory(&s->im->m->report, "reading signatures");
}

// Every operand gets an empty chain, then every map goes into one.
static tenon_status make_chains(side *s) {
  s->next = tenon_arena_array(&s->im->scratch, uint32_t, s->maps.count);
  if (!s->next) return tfl_entry_no_memory(s);
  for (uint32_t i = 0; i < s->operands.count; ++i) {
    uint64_t tensor = (uint64_t)tenon_fb_item_int(&s->operands, i);
    if (!tenon_map_put(&s->chains, tensor, 0, NULL))
      return tfl_entry_no_memory(s);
  }
  for (uint32_t i = s->maps.count; i-- > 0;) {
    tenon_fb_table map = tenon_fb_item(&s->maps, i);
    int64_t tensor = tenon_fb_int(&map, MAP_TENSOR, 0);
    uint64_t *first = tenon_map_find(&s->chains, (uint64_t)tensor);
    if (!first && tensor >= s->tensors.count) {
      return tenon_fail(
          &s->im->m->report, TENON_BAD_MODEL, "tflite-signature", &s->place,
          "%s '%s' is tensor %lld of %u", s->what,
          tenon_import_label(s->im, 0, tenon_fb_text(&map, MAP_NAME)),
          (long long)tensor, (unsigned)s->tensors.count);
    }
    if (!first) {  // LiteRT finds out when somebody asks for it
      tfl_entry_warn(s, tenon_fb_text(&map, MAP_NAME), tensor);
      ++s->n_foreign;
      continue;
    }
    s->next[i] = (uint32_t)*first;
    *first = (uint64_t)i + 1;
  }
  return TENON_OK;
}

static tenon_text operand_name(side *s, uint32_t i, uint32_t *n_used) {
  uint64_t tensor = (uint64_t)tenon_fb_item_int(&s->operands, i);
  uint64_t *first = tenon_map_find(&s->chains, tensor);
  tenon_text name = {NULL, 0};
  if (first && *first > 0) {
    uint32_t map_index = (uint32_t)*first - 1;
    tenon_fb_table map = tenon_fb_item(&s->maps, map_index);
    *first = s->next[map_index];
    ++*n_used;
    name = tenon_fb_text(&map, MAP_NAME);
  }
  if (name.size > 0) return name;
  tenon_fb_table table = tenon_fb_item(&s->tensors, (uint32_t)tensor);
  return tenon_fb_text(&table, TENSOR_NAME);
}

static tenon_status name_operands(side *s, tenon_map *taken,
                                  const char **names) {
  uint32_t n_used = 0;
  for (uint32_t i = 0; i < s->operands.count; ++i) {
    char number[24];
    tenon_text name = operand_name(s, i, &n_used);
    const char *text = name.data;
    if (name.size == 0) {
      tenon_buf_clear(&s->im->text);
      tenon_buf_format(&s->im->text, "%s%u", s->what, (unsigned)i);
      if (s->im->text.failed) return tfl_entry_no_memory(s);
      memcpy(number, s->im->text.data, s->im->text.size + 1);
      text = number;
    }
    names[i] = tenon_import_unique(s->im, taken, text);
    if (!names[i]) return tenon_import_built(s->im);
  }
  n_used += s->n_foreign;
  if (n_used < s->maps.count) {
    tenon_warn(&s->im->m->report, "tflite-signature", &s->place,
               "%u names of %ss are of tensors that have one already",
               (unsigned)(s->maps.count - n_used), s->what);
  }
  return TENON_OK;
}

// One name per operand, none twice.
static tenon_status read_side(side *s, const char *const **out) {
  tenon_allocator allocator = s->im->cx->allocator;
  const char **names =
      tenon_arena_array(&s->im->scratch, const char *, s->operands.count);
  tenon_map taken;
  if (!names) return tfl_entry_no_memory(s);
  tenon_map_init(&taken, allocator);
  tenon_map_init(&s->chains, allocator);
  tenon_status status = make_chains(s);
  if (status == TENON_OK) status = name_operands(s, &taken, names);
  tenon_map_deinit(&s->chains);
  tenon_map_deinit(&taken);
  *out = names;
  return status;
}

// `signature` may be absent: then the entry is named by the tensors.
static tenon_status tfl_entry_read_entry(tenon_import *im, uint32_t subgraph,
                                         const tenon_fb_table *signature,
                                         const char *name,
                                         const tenon_place *place) {
  const char *const *inputs = NULL, *const *outputs = NULL;
  tenon_fb_table graph = tenon_fb_item(&im->file.subgraphs, subgraph);
  tenon_fb_vector tensors = tenon_fb_list(&graph, SUBGRAPH_TENSORS);
  side in = {.im = im,
             .what = "input",
             .place = *place,
             .maps = tenon_fb_list(signature, SIGNATURE_INPUTS),
             .operands = tenon_fb_list(&graph, SUBGRAPH_INPUTS),
             .tensors = tensors};
  side out = {.im = im,
              .what = "output",
              .place = *place,
              .maps = tenon_fb_list(signature, SIGNATURE_OUTPUTS),
              .operands = tenon_fb_list(&graph, SUBGRAPH_OUTPUTS),
              .tensors = tensors};
  uint64_t count = (uint64_t)in.operands.count + out.operands.count;
  TENON_TRY(tenon_import_spend(im, NAME_COST * count, place));
  TENON_TRY(read_side(&in, &inputs));
  TENON_TRY(read_side(&out, &outputs));
  const char *unique =
      tenon_import_unique(im, &im->names[TENON_IMPORT_ENTRIES], name);
  bool done = unique &&
              tenon_build_entry(im->m, unique, im->m->functions.data[subgraph],
                                inputs, outputs);
  return done ? TENON_OK : tenon_import_built(im);
}

// The signatures of subgraph 0, or all others.
static tenon_status read_signatures(tenon_import *im, bool of_first) {
  tenon_fb_vector all = tenon_fb_list(&im->file.model, MODEL_SIGNATURES);
  for (uint32_t i = 0; i < all.count; ++i) {
    tenon_fb_table signature = tenon_fb_item(&all, i);
    tenon_text key = tenon_fb_text(&signature, SIGNATURE_KEY);
    const tenon_place *place =
        tenon_import_table_place(im, "signature", i, &signature);
    int64_t subgraph = tenon_fb_int(&signature, SIGNATURE_SUBGRAPH, 0);
    if ((subgraph == 0) != of_first) continue;
    if (subgraph >= im->file.subgraphs.count) {
      return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-signature",
                        place, "is of subgraph %lld of %u", (long long)subgraph,
                        (unsigned)im->file.subgraphs.count);
    }
    tenon_arena_mark mark = tenon_arena_save(&im->scratch);
    TENON_TRY(tfl_entry_read_entry(im, (uint32_t)subgraph, &signature,
                                   key.size > 0 ? key.data : "main", place));
    tenon_arena_restore(&im->scratch, mark);
  }
  return TENON_OK;
}

// Subgraph 0 is what LiteRT runs where nobody names a signature: it is the
// first entry.
tenon_status tenon_import_entries(tenon_import *im) {
  if (im->signatures[0] == 0) {
    tenon_fb_table none = {&im->file.fb, NULL, 0};
    tenon_fb_table graph = tenon_fb_item(&im->file.subgraphs, 0);
    TENON_TRY(tfl_entry_read_entry(
        im, 0, &none, "main",
        tenon_import_table_place(im, "subgraph", 0, &graph)));
  }
  TENON_TRY(read_signatures(im, true));
  return read_signatures(im, false);
}

tenon_status tenon_import_metadata(tenon_import *im) {
  tenon_fb_vector all = tenon_fb_list(&im->file.model, MODEL_METADATA);
  for (uint32_t i = 0; i < all.count; ++i) {
    tenon_fb_table entry = tenon_fb_item(&all, i);
    tenon_text name = tenon_fb_text(&entry, METADATA_NAME);
    tenon_bytes data = {NULL, 0};
    const tenon_place *place =
        tenon_import_table_place(im, "metadata", i, &entry);
    TENON_TRY(tenon_tflite_buffer(
        &im->file, (uint64_t)tenon_fb_int(&entry, METADATA_BUFFER, 0), place,
        &data));
    tenon_metadata row = {name.data ? name.data : "", data.data, data.size};
    if (!tenon_vec_push(&im->m->metadata, row))
      return tenon_fail_memory(&im->m->report, "reading metadata");
  }
  return TENON_OK;
}
