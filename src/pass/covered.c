// How: nodes of one operator that fail for the same reason are a kind; the
// error has a note per kind, with how often and where. Both are bounded, since
// a model may have a hundred thousand nodes.
#include <string.h>

#include "pass/pass.h"

#define MOST_KINDS 64u   // notes
#define MOST_PLACES 16u  // in a note, beside the first
#define MOST_OPS 12u     // in the message

typedef struct kind {
  const tenon_node *first;
  const char *why;
  uint32_t count;
  tenon_buf places;  // of the further ones
} kind;

typedef struct report_run {
  const tenon_choice *choice;
  tenon_arena arena;
  TENON_VEC(kind) kinds;
  size_t nodes;
  tenon_module *m;
} report_run;

// What a vendor's compiler has left, by its custom code, and what of the format
// is not served, by its name; null: something else.
static const char *vendor_of(const char *op) {
  static const char *const known[][2] = {
#define VENDOR(code, what) {"custom::" code, what},
#define UNSERVED(name, what) {"*::" name, what},
#include "pass/vendor.def"
#undef UNSERVED
#undef VENDOR
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (tenon_text_glob(known[i][0], op)) return known[i][1];
  return NULL;
}

void tenon_pass_explain_uncovered(const tenon_choice *choice,
                                  const tenon_node *n, tenon_arena *scratch,
                                  tenon_buf *out) {
  const char *words = tenon_findings_against(choice->findings, n);
  const char *passed = tenon_findings_passed(choice->findings, n);
  const char *vendor = n->op->desc ? NULL : vendor_of(n->op->name);
  if (vendor) {
    tenon_buf_text(out, vendor);
    return;
  }
  // Of complex numbers a lowering says something else at best.
  if (words && !tenon_choose_lacks_complex(n)) {
    tenon_buf_text(out, words);
    tenon_choose_said(n, scratch, out);
  } else {
    tenon_choose_explain(choice, n, scratch, out);
  }
  if (passed && tenon_choose_lacks_complex(n)) tenon_buf_text(out, passed);
}

void tenon_pass_suggest(const tenon_context *cx, const char *op,
                        tenon_buf *out) {
  const char *nearest =
      vendor_of(op) ? NULL : tenon_registry_nearest_op(cx, op);
  if (nearest) tenon_buf_format(out, "; did you mean '%s'?", nearest);
}

static void add_place(kind *k, const tenon_node *n) {
  const tenon_place *place = tenon_node_place(n);
  if (!place->where || k->count > MOST_PLACES + 1) return;
  tenon_buf_format(&k->places, "%s%s", k->places.size ? "; " : "",
                   place->where);
}

static tenon_status covered_collect(void *self, tenon_node *n) {
  report_run *w = (report_run *)self;
  tenon_buf why;
  if (tenon_choose_covers(w->choice, n, &w->arena)) return TENON_OK;
  tenon_buf_init(&why, w->m->cx->allocator);
  tenon_pass_explain_uncovered(w->choice, n, &w->arena, &why);
  const char *text = why.data ? why.data : "";
  kind *found = NULL;
  for (size_t i = 0; !found && i < w->kinds.count; ++i) {
    kind *k = &w->kinds.data[i];
    if (k->first->op == n->op && strcmp(k->why, text) == 0) found = k;
  }
  ++w->nodes;
  bool ok = !why.failed;
  if (found) {
    ++found->count;
    add_place(found, n);
    ok = ok && !found->places.failed;
  } else if (ok) {
    kind fresh = {.first = n, .count = 1};
    fresh.why = tenon_arena_string(&w->arena, text);
    tenon_buf_init(&fresh.places, w->m->cx->allocator);
    ok = fresh.why && tenon_vec_push(&w->kinds, fresh);
  }
  tenon_buf_deinit(&why);
  return ok ? TENON_OK : tenon_fail_memory(&w->m->report, "listing operators");
}

// "'op': why", and how often and where else.
static const char *note_text(report_run *w, const kind *k) {
  tenon_buf text;
  tenon_buf_init(&text, w->m->cx->allocator);
  tenon_buf_format(&text, "'%s': %s", tenon_node_name(k->first), k->why);
  if (!k->first->op->desc)
    tenon_pass_suggest(w->m->cx, k->first->op->name, &text);
  if (k->count > 1) tenon_buf_format(&text, " (%u times", k->count);
  if (k->places.size) tenon_buf_format(&text, ", also %s", k->places.data);
  if (k->count > MOST_PLACES + 1) tenon_buf_text(&text, "; ...");
  if (k->count > 1) tenon_buf_char(&text, ')');
  const char *copy =
      text.failed ? NULL
                  : tenon_arena_string(&w->arena, text.data ? text.data : "");
  tenon_buf_deinit(&text);
  return copy;
}

static tenon_diag make_note(const char *message, const tenon_place *place,
                            const tenon_diag *next) {
  tenon_diag note =
      tenon_note_of("unsupported-op", message ? message : "", place);
  note.next_note = next;
  return note;
}

static const char *rest_text(report_run *w, size_t shown) {
  tenon_buf text;
  if (shown == w->kinds.count) return NULL;
  tenon_buf_init(&text, w->m->cx->allocator);
  tenon_buf_format(&text, "and %zu more kinds of failure, not listed",
                   w->kinds.count - shown);
  const char *copy = tenon_arena_string(&w->arena, text.data ? text.data : "");
  tenon_buf_deinit(&text);
  return copy;
}

// Chained from the first; null when memory ran out.
static const tenon_diag *make_notes(report_run *w) {
  static const char hint[] =
      "give an operator a kernel or a lowering in a plugin (--plugin); 'tenon "
      "new NAME' writes one to start from";
  size_t n = w->kinds.count < MOST_KINDS ? w->kinds.count : MOST_KINDS;
  tenon_diag *notes = tenon_arena_array(&w->arena, tenon_diag, n + 2);
  if (!notes) return NULL;
  for (size_t i = 0; i < n; ++i) {
    const kind *k = &w->kinds.data[i];
    notes[i] =
        make_note(note_text(w, k), tenon_node_place(k->first), &notes[i + 1]);
  }
  const char *rest = rest_text(w, n);
  if (rest) {
    notes[n] = make_note(rest, NULL, &notes[n + 1]);
    ++n;
  }
  notes[n] = make_note(hint, NULL, NULL);
  return w->arena.failed ? NULL : notes;
}

// "'a' (2), 'b' (1)", each operator once.
static size_t list_operators(const report_run *w, tenon_buf *out) {
  size_t listed = 0;
  for (size_t i = 0; i < w->kinds.count; ++i) {
    const tenon_op *op = w->kinds.data[i].first->op;
    uint32_t count = 0;
    bool is_first = true;
    for (size_t j = 0; j < w->kinds.count; ++j) {
      if (w->kinds.data[j].first->op != op) continue;
      is_first = is_first && j >= i;
      count += w->kinds.data[j].count;
    }
    if (!is_first) continue;
    if (listed++ < MOST_OPS)
      tenon_buf_format(out, "%s'%s' (%u)", listed > 1 ? ", " : "", op->name,
                       count);
  }
  if (listed > MOST_OPS)
    tenon_buf_format(out, ", and %zu more", listed - MOST_OPS);
  return listed;
}

static tenon_status report_all(report_run *w) {
  tenon_buf text;
  const tenon_diag *notes = make_notes(w);
  if (!notes) return tenon_fail_memory(&w->m->report, "listing operators");
  tenon_buf_init(&text, w->m->cx->allocator);
  size_t n_ops = list_operators(w, &text);
  tenon_status status = tenon_fail_notes(
      &w->m->report, TENON_UNSUPPORTED, "unsupported-op",
      tenon_node_place(w->kinds.data[0].first), notes,
      "%zu node%s of %zu operator%s %s not supported: %s", w->nodes,
      w->nodes == 1 ? "" : "s", n_ops, n_ops == 1 ? "" : "s",
      w->nodes == 1 ? "is" : "are", text.data ? text.data : "");
  tenon_buf_deinit(&text);
  return status;
}

tenon_status tenon_pass_check_covered(tenon_module *m,
                                      const tenon_choice *choice) {
  report_run w = {0};
  w.choice = choice;
  w.m = m;
  tenon_arena_init(&w.arena, m->cx->allocator);
  tenon_vec_init(&w.kinds, m->cx->allocator);
  tenon_status status = TENON_OK;
  for (size_t i = 0; status == TENON_OK && i < m->entries.count; ++i)
    status = tenon_graph_visit(m->entries.data[i].graph, covered_collect, &w);
  if (status == TENON_OK && w.nodes > 0) status = report_all(&w);
  for (size_t i = 0; i < w.kinds.count; ++i)
    tenon_buf_deinit(&w.kinds.data[i].places);
  tenon_vec_deinit(&w.kinds);
  tenon_arena_deinit(&w.arena);
  return status;
}
