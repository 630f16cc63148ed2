// pt2_listing.c - a .pt2 or a file of torch.save as a file of weights: all its
// tensors by name.
#include "read/pt2/pt2_import.h"

typedef struct listing {
  tenon_pt2 im;  // first: a visitor gets its address
  tenon_weights *w;
} listing;

static tenon_status listing_list_one(listing *l, const tenon_json *at,
                                     const char *name) {
  tenon_pt2_weight *found = NULL;
  tenon_weight weight = {.name = name};
  TENON_TRY(tenon_pt2_weight_find(&l->im, at, name, false, NULL, &found));
  if (found->is_apart) return TENON_OK;
  TENON_TRY(tenon_pt2_weight_data(&l->im, found, &weight.bytes));
  weight.type = found->type;
  return tenon_weights_put(l->w, &weight);
}

static tenon_status list_pickled(listing *l, const tenon_state_dict *dict) {
  tenon_json nowhere = {0};
  for (size_t i = 0; dict->root && i + 1 < dict->root->count; i += 2) {
    const tenon_pickle_value *key = dict->root->items[i];
    const tenon_pickle_value *value = dict->root->items[i + 1];
    if (key->kind == TENON_PICKLE_TEXT && value->kind == TENON_PICKLE_TENSOR) {
      TENON_TRY(listing_list_one(l, &nowhere, key->text));
      continue;
    }
    char label[TENON_LABEL] = "";
    if (key->kind == TENON_PICKLE_TEXT)
      tenon_label_make(label, tenon_text_of(key->text));
    tenon_place place = {l->im.m->name, label, NULL, 0, 0};
    return tenon_fail(&l->im.m->report, TENON_BAD_MODEL, "weights-file", &place,
                      "expected a dictionary of names and tensors");
  }
  return TENON_OK;
}

static tenon_status list_program(tenon_pt2 *im) {
  listing *l = (listing *)(void *)im;
  tenon_json_doc *const docs[] = {&im->weights, &im->constants};
  for (int k = 0; k < 2; ++k) {
    TENON_TRY(list_pickled(l, &im->pickled[k]));
    if (!docs[k]->root) continue;
    const char *name = NULL;
    json_t *value = NULL;
    tenon_json root = tenon_json_root(docs[k]);
    tenon_json config = tenon_json_get(&root, "config");
    json_t *items = json_object_get(docs[k]->root, "config");
    json_object_foreach(items, name, value)
        TENON_TRY(listing_list_one(l, &config, name));
  }
  return TENON_OK;
}

// A .pt2 has no data.pkl in its folder, a file of torch.save nothing else.
static bool is_saved(const tenon_zip *zip) {
  for (size_t i = 0; i < zip->count; ++i) {
    const char *slash = strchr(zip->members[i].name, '/');
    if (slash && strcmp(slash + 1, "data.pkl") == 0) return true;
  }
  return false;
}

static bool has_tensors(const tenon_pickle_value *value) {
  bool has = value->kind == TENON_PICKLE_DICT && value->count > 0;
  for (size_t i = 1; has && i < value->count; i += 2)
    has = value->items[i]->kind == TENON_PICKLE_TENSOR;
  return has;
}

// Beside the weights a checkpoint has what training left: then they are the one
// dictionary of tensors that its own dictionary holds.
static tenon_status find_weights(listing *l) {
  const tenon_pickle_value *root = l->im.pickled[0].root, *found = NULL;
  const char *names[2] = {"", ""};
  size_t n = 0;
  for (size_t i = 0; i + 1 < root->count; i += 2) {
    const tenon_pickle_value *value = root->items[i + 1];
    if (value->kind == TENON_PICKLE_TENSOR) return TENON_OK;
    if (!has_tensors(value)) continue;
    const tenon_pickle_value *key = root->items[i];
    if (n < 2) names[n] = key->kind == TENON_PICKLE_TEXT ? key->text : "";
    found = value;
    ++n;
  }
  if (n == 1) l->im.pickled[0].root = found;
  if (n < 2) return TENON_OK;
  char a[TENON_LABEL], b[TENON_LABEL];
  tenon_label_make(a, tenon_text_of(names[0]));
  tenon_label_make(b, tenon_text_of(names[1]));
  tenon_place place = {l->im.m->name, NULL, NULL, 0, 0};
  return tenon_fail(&l->im.m->report, TENON_BAD_MODEL, "weights-file", &place,
                    "holds %zu dictionaries of tensors, '%s' and '%s' among "
                    "them: save the one that is meant",
                    n, a, b);
}

static tenon_status list_saved(listing *l, tenon_bytes bytes) {
  tenon_pt2 *im = &l->im;
  tenon_status status =
      tenon_state_dict_open(&im->pickled[0], bytes, 0, &im->m->arena,
                            &im->m->report, im->m->name, "data.pkl");
  im->zip.bytes = bytes;
  if (status == TENON_OK) status = tenon_zip_check(&im->pickled[0].zip);
  if (status == TENON_OK) status = find_weights(l);
  if (status == TENON_OK) status = list_pickled(l, &im->pickled[0]);
  tenon_state_dict_deinit(&im->pickled[0]);
  return status;
}

// Whether torch.save made the file, and not torch.export.save.
static tenon_status is_of_save(const tenon_weights *w, tenon_bytes bytes,
                               bool *is) {
  tenon_zip zip;
  *is = tenon_state_dict_is_legacy(bytes);
  if (*is) return TENON_OK;
  tenon_status status = tenon_zip_open(&zip, bytes, 0, &w->keep->arena,
                                       &w->keep->report, w->keep->name);
  *is = status == TENON_OK && is_saved(&zip);
  tenon_zip_deinit(&zip);
  return status;
}

tenon_status tenon_pt2_weights_read(tenon_weights *w, tenon_bytes bytes) {
  listing l;
  bool has_pickle = false;
  memset(&l, 0, sizeof l);
  l.w = w;
  TENON_TRY(is_of_save(w, bytes, &has_pickle));
  tenon_pt2_init(&l.im, w->keep);
  tenon_status status =
      has_pickle ? list_saved(&l, bytes)
                 : tenon_pt2_archive(&l.im, bytes, false, list_program);
  tenon_pt2_deinit(&l.im);
  return status;
}
