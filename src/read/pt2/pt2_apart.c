// How: each weight that the program names is looked for in what was given
// first. What does not fit is noted, and the import goes on with what the file
// has, so that all of it can be said at once; nobody sees the module then.
#include "read/pt2/pt2_import.h"

#define MOST_NOTES 24u

static tenon_status add_problem(tenon_pt2 *im, tenon_buf *text) {
  const char *copy = text->failed || !text->data
                         ? NULL
                         : tenon_arena_string(&im->scratch, text->data);
  tenon_buf_deinit(text);
  return copy && tenon_vec_push(&im->problems, copy) ? TENON_OK
                                                     : tenon_pt2_memory(im);
}

static tenon_status note_type(tenon_pt2 *im, const tenon_weight *given,
                              const tenon_type *type) {
  tenon_buf text;
  char label[TENON_LABEL];
  tenon_buf_init(&text, im->cx->allocator);
  tenon_label_make(label, tenon_text_of(given->name));
  tenon_buf_format(&text, "'%s' is ", label);
  tenon_type_print(&given->type, NULL, &text);
  tenon_buf_text(&text, ", the program has ");
  tenon_type_print(type, &im->m->symbols, &text);
  return add_problem(im, &text);
}

tenon_status tenon_pt2_apart_find(tenon_pt2 *im, const char *name,
                                  const tenon_type *type,
                                  const tenon_weight **out) {
  *out = NULL;
  if (!im->apart) return TENON_OK;
  const char *own = tenon_arena_string(&im->scratch, name);
  if (!own || !tenon_map_put_text(&im->met, own, 1, NULL) ||
      !tenon_vec_push(&im->wanted, own))
    return tenon_pt2_memory(im);
  const tenon_weight *given = tenon_weights_find(im->apart, name);
  if (!given) return TENON_OK;
  if (type && !tenon_weight_fits(given, type))
    return note_type(im, given, type);
  *out = given;
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// What is said
// ---------------------------------------------------------------------------

// Given, and not looked for by anybody.
static bool is_left_over(const tenon_pt2 *im, const tenon_weight *given) {
  return !tenon_map_find_text(&im->met, given->name);
}

// "BEFORE'name'BEHIND", and what is like it of those that were fed.
static tenon_status pt2_apart_note_name(tenon_pt2 *im, const char *before,
                                        const char *name, const char *behind,
                                        const tenon_nearest *near) {
  tenon_buf text;
  char label[TENON_LABEL];
  tenon_buf_init(&text, im->cx->allocator);
  tenon_label_make(label, tenon_text_of(name));
  tenon_buf_format(&text, "%s'%s'%s", before, label, behind);
  if (near->best) {
    tenon_label_make(label, tenon_text_of(near->best));
    tenon_buf_format(&text, "; did you mean '%s'?", label);
  }
  return add_problem(im, &text);
}

tenon_status tenon_pt2_apart_missing(tenon_pt2 *im, const char *name) {
  // One of another type has been noted.
  if (tenon_weights_find(im->apart, name)) return TENON_OK;
  tenon_nearest near;
  tenon_nearest_init(&near, name);
  for (size_t i = 0; i < im->apart->list.count; ++i)
    tenon_nearest_feed(&near, im->apart->list.data[i].name);
  return pt2_apart_note_name(im, "", name, " is missing", &near);
}

static tenon_status note_left_over(tenon_pt2 *im, const char *name) {
  tenon_nearest near;
  tenon_nearest_init(&near, name);
  for (size_t i = 0; i < im->wanted.count; ++i)
    tenon_nearest_feed(&near, im->wanted.data[i]);
  return pt2_apart_note_name(im, "the program has no weight ", name, "", &near);
}

static tenon_status pt2_apart_say(tenon_pt2 *im) {
  tenon_diag notes[MOST_NOTES];
  size_t n = im->problems.count;
  size_t shown = n < MOST_NOTES ? n : MOST_NOTES;
  memset(notes, 0, sizeof notes);
  for (size_t i = 0; i < shown; ++i) {
    notes[i].struct_size = (uint32_t)sizeof notes[i];
    notes[i].severity = TENON_NOTE;
    notes[i].id = "weights-fit";
    notes[i].message = im->problems.data[i];
    notes[i].next_note = i + 1 < shown ? &notes[i + 1] : NULL;
  }
  tenon_place place = {im->apart->keep->name, NULL, NULL, 0, 0};
  return tenon_fail_notes(
      &im->m->report, TENON_BAD_INPUT, "weights-fit", &place, notes,
      "the weights do not fit '%.80s': %zu of them%s", im->m->name, n,
      shown < n ? ", the first of which are" : "");
}

tenon_status tenon_pt2_apart_report(tenon_pt2 *im) {
  if (!im->apart) return TENON_OK;
  im->m->apart = im->apart->file;
  im->m->apart_size = im->apart->file_size;
  for (size_t i = 0; i < im->apart->list.count; ++i) {
    const tenon_weight *given = &im->apart->list.data[i];
    if (is_left_over(im, given)) TENON_TRY(note_left_over(im, given->name));
  }
  return im->problems.count ? pt2_apart_say(im) : TENON_OK;
}
