// How: an operator keeps its name while a kernel of the target covers it; all
// others are replaced by their lowerings until only covered ones remain, or
// ones that nothing covers, which tenon_pass_check_covered reports together.
//
// Option `all=NAME`: lowers this operator even where a kernel covers it, which
// is how conformance tests compare the two.
#include <string.h>

#include "pass/rewrites.h"

typedef struct lowering_run {
  const tenon_choice *choice;
  tenon_arena scratch;
  char all[256];
} lowering_run;

static bool is_covered(void *self, const tenon_node *n) {
  lowering_run *w = (lowering_run *)self;
  if (w->all[0] && strcmp(w->all, tenon_node_name(n)) == 0) return false;
  if (!n->op->desc) return true;  // nobody knows it: nothing to try
  return tenon_choose_covers(w->choice, n, &w->scratch);
}

// Regions of covered nodes are walked by the driver all the same.
tenon_status tenon_pass_lower(tenon_module *m, const tenon_pass_run *run);
tenon_status tenon_pass_lower(tenon_module *m, const tenon_pass_run *run) {
  lowering_run w;
  w.choice = run->choice;
  w.all[0] = 0;
  (void)tenon_pass_option(run, "all", w.all, sizeof w.all);
  tenon_arena_init(&w.scratch, m->cx->allocator);
  tenon_status status = tenon_rewrites_apply(m, "lower", is_covered, NULL, &w);
  tenon_arena_deinit(&w.scratch);
  return status;
}

// --- what is left -----------------------------------------------------------

typedef struct row {
  const tenon_node *first;
  uint32_t count;
} row;

typedef struct report_run {
  const tenon_choice *choice;
  tenon_arena arena;
  TENON_VEC(row) rows;
  TENON_VEC(const tenon_node *) nodes;
  tenon_module *m;
} report_run;

static tenon_status collect(void *self, tenon_node *n) {
  report_run *w = (report_run *)self;
  if (tenon_choose_covers(w->choice, n, &w->arena)) return TENON_OK;
  bool ok = tenon_vec_push(&w->nodes, n);
  for (size_t i = 0; ok && i < w->rows.count; ++i)
    if (strcmp(w->rows.data[i].first->op->name, n->op->name) == 0) {
      ++w->rows.data[i].count;
      return TENON_OK;
    }
  row fresh = {n, 1};
  return ok && tenon_vec_push(&w->rows, fresh)
             ? TENON_OK
             : tenon_fail_memory(&w->m->report, "listing operators");
}

// One note per node, said in one error: which operator, where, why not.
static tenon_status report_all(report_run *w) {
  tenon_buf text;
  size_t n = w->nodes.count;
  tenon_diag *notes = tenon_arena_array(&w->arena, tenon_diag, n + 1);
  if (!notes) return tenon_fail_memory(&w->m->report, "listing operators");
  for (size_t i = 0; i < n; ++i) {
    const tenon_node *node = w->nodes.data[i];
    tenon_buf_init(&text, w->m->cx->allocator);
    tenon_buf_format(&text, "'%s': ", node->op->name);
    tenon_choose_explain(w->choice, node, &w->arena, &text);
    notes[i].struct_size = sizeof notes[i];
    notes[i].severity = TENON_NOTE;
    notes[i].id = "unsupported-op";
    notes[i].message =
        tenon_arena_string(&w->arena, text.data ? text.data : "");
    notes[i].place = tenon_node_place(node);
    notes[i].next_note = &notes[i + 1];
    tenon_buf_deinit(&text);
  }
  notes[n].struct_size = sizeof notes[n];
  notes[n].severity = TENON_NOTE;
  notes[n].id = "unsupported-op";
  notes[n].message =
      "give an operator a kernel or a lowering in a plugin (--plugin); 'tenon "
      "new NAME' writes one to start from";
  tenon_buf_init(&text, w->m->cx->allocator);
  for (size_t i = 0; i < w->rows.count; ++i)
    tenon_buf_format(&text, "%s'%s' (%u)", i ? ", " : "",
                     w->rows.data[i].first->op->name, w->rows.data[i].count);
  tenon_status status =
      tenon_fail_notes(&w->m->report, TENON_UNSUPPORTED, "unsupported-op",
                       tenon_node_place(w->nodes.data[0]), notes,
                       "%zu nodes of %zu operators are not supported: %s", n,
                       w->rows.count, text.data ? text.data : "");
  tenon_buf_deinit(&text);
  return status;
}

tenon_status tenon_pass_check_covered(tenon_module *m,
                                      const tenon_choice *choice) {
  report_run w = {0};
  w.choice = choice;
  w.m = m;
  tenon_arena_init(&w.arena, m->cx->allocator);
  tenon_vec_init(&w.rows, m->cx->allocator);
  tenon_vec_init(&w.nodes, m->cx->allocator);
  tenon_status status = TENON_OK;
  for (size_t i = 0; status == TENON_OK && i < m->entries.count; ++i)
    status = tenon_graph_visit(m->entries.data[i].graph, collect, &w);
  if (status == TENON_OK && w.nodes.count > 0) status = report_all(&w);
  tenon_vec_deinit(&w.rows);
  tenon_vec_deinit(&w.nodes);
  tenon_arena_deinit(&w.arena);
  return status;
}
