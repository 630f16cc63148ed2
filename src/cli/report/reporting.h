// cli/report/reporting.h - what the files of `tenon report` hand to each other.
//
// The page is the files of page/ with one JSON document in it. Each part of the
// document is null where it is not known: a model that cannot be compiled has a
// graph and reasons, and no plan.
#ifndef TENON_CLI_REPORT_H
#define TENON_CLI_REPORT_H

#include <jansson.h>

#include "cli/cli.h"

// A graph in few bytes: operators, types, modules and lines are indices of
// `texts`, in which each stands once.
typedef struct report_texts {
  json_t *list, *index;
  bool has_failed;  // out of memory
} report_texts;

// `text` is the outline of a module (TENON_FORMAT_OUTLINE). Null: out of
// memory.
json_t *report_graph(const tenon_buf *text, report_texts *texts);

// Who describes the operators of a graph: adds to `owners` those of plugins,
// and to `docs` the first sentence of each.
void report_owners(const tenon_context *cx, const json_t *graph,
                   const report_texts *texts, json_t *owners, json_t *docs);

// Times of runs and of steps, as `tenon bench`; --runs.
int report_time(cli *c, const tenon_program *p, json_t **out);

// Every value beside that of the reference kernels, and outputs beside those of
// --case. `reference` is compiled with them from the same model.
int report_accuracy(cli *c, const tenon_program *p,
                    const tenon_program *reference, json_t **out);

// What --compare names, as `collect` makes it, beside which it is shown. *out
// is null where it cannot be made; the exit code.
int report_compare(cli *c, int (*collect)(cli *other, json_t **data),
                   json_t **out);

void report_page(const json_t *data, tenon_buf *out);

#endif  // TENON_CLI_REPORT_H
