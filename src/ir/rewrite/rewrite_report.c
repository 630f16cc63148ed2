// ir/rewrite/rewrite_report.c - what is said of a lowering at work.
//
// The first failure is reported at once, with the name of the lowering before
// the message, and decides the outcome whatever the lowering returns. To put
// that name before reports of the builder too, the sink of the module is
// exchanged while the lowering runs.
#include <stdio.h>
#include <string.h>

#include "ir/rewrite/rewriting.h"

// Of lowerings at work inside each other the first and the last are said: those
// between them would only push the cause out of the message.
void tenon_rewriting_report(void *self, const tenon_diag *diag) {
  tenon_rewriting *rw = self;
  const tenon_diag_sink *sink = &rw->outer.sink;
  char text[TENON_MESSAGE_SIZE];
  tenon_diag copy = *diag;
  if (!sink->report) return;
  // What a rule says of types that came from the file is about the file.
  if (diag->id && strncmp(diag->id, "infer-rule", sizeof "infer-rule") == 0)
    rw->is_rule = true;
  if (sink->report == tenon_rewriting_report && diag->severity == TENON_ERROR) {
    ((tenon_rewriting *)sink->self)->has_inner = true;
    if (rw->has_inner) {
      sink->report(sink->self, diag);
      return;
    }
  }
  int length = snprintf(text, sizeof text, "%s: %s", rw->title, diag->message);
  if (length >= (int)sizeof text)
    memcpy(text + sizeof text - 4, "...", sizeof "...");
  if (diag->severity == TENON_ERROR) copy.message = text;
  sink->report(sink->self, &copy);
}

// The first failure counts; later ones follow from it and are not reported.
tenon_status tenon_rewriting_fail(tenon_rewriting *rw, tenon_status status) {
  if (rw->failure == TENON_OK) rw->failure = status;
  return rw->failure;
}

// After a builder that returns nothing has reported.
tenon_status tenon_rewriting_built(tenon_rewriting *rw) {
  if (rw->failure == TENON_OK)
    rw->failure = rw->m->arena.failed ? TENON_NO_MEMORY
                  : rw->is_rule       ? TENON_BAD_MODEL
                                      : TENON_BAD_PLUGIN;
  return rw->failure;
}

// A failure of the lowering itself, in its own name.
tenon_status tenon_rewriting_blame(tenon_rewriting *rw, const char *fmt, ...) {
  va_list args;
  if (rw->failure != TENON_OK) return rw->failure;
  va_start(args, fmt);
  rw->failure = tenon_vfail(&rw->m->report, TENON_BAD_PLUGIN, "lower-build",
                            tenon_node_place(rw->node), NULL, fmt, args);
  va_end(args);
  return rw->failure;
}

tenon_status tenon_rewriting_refuse(tenon_rewriter *base, const char *fmt,
                                    ...) {
  tenon_rewriting *rw = (tenon_rewriting *)base;
  char text[TENON_MESSAGE_SIZE];
  va_list args;
  if (rw->failure != TENON_OK) return rw->failure;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  // A node that has been replaced already cannot be left as it is.
  if (rw->held && !rw->is_replaced) {
    snprintf(rw->held, TENON_REFUSAL_SIZE, "%s: %s", rw->title, text);
    rw->is_refused = true;
    rw->failure = TENON_UNSUPPORTED;
    return rw->failure;
  }
  rw->failure = tenon_fail(&rw->outer, TENON_UNSUPPORTED, "lower-fail",
                           tenon_node_place(rw->node), "'%s', %s: %s",
                           tenon_node_name(rw->node), rw->title, text);
  return rw->failure;
}

tenon_graph *tenon_rewriting_graph(const tenon_rewriting *rw) {
  return rw->open ? rw->open->graph : rw->node->graph;
}
