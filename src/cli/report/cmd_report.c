// How: the model is read once for each thing that is shown of it, since
// explaining and compiling change it; what cannot be compiled is shown with the
// reasons. The page is written when all parts are there.
#include <stdlib.h>
#include <string.h>

#include "cli/report/reporting.h"

typedef struct report {
  cli *c;
  cli_model model;
  json_t *data;
  report_texts texts;
  bool has_failed;  // a part is missing for want of memory
} report;

static bool report_verb_set(report *r, const char *key, json_t *value) {
  bool ok = json_object_set_new(r->data, key, value ? value : json_null()) == 0;
  r->has_failed |= !ok;
  return ok;
}

typedef tenon_status print_fn(tenon_module *m, tenon_write_fn *write,
                              void *self);

static tenon_status print_outline(tenon_module *m, tenon_write_fn *write,
                                  void *self) {
  return tenon_module_print(m, TENON_FORMAT_OUTLINE, write, self);
}

static tenon_status report_verb_print_info(tenon_module *m,
                                           tenon_write_fn *write, void *self) {
  return tenon_module_info(m, TENON_FORMAT_JSON, write, self);
}

// A report of a module that is read anew.
static int report_verb_print(report *r, print_fn *call, tenon_buf *out) {
  tenon_module *m = NULL;
  int code = cli_model_read_planned(r->c, &r->model, &m);
  if (code == 0) code = cli_exit(call(m, cli_collect, out));
  tenon_module_destroy(m);
  return code;
}

static int report_verb_add_json(report *r, const char *key,
                                const tenon_buf *b) {
  json_t *value = b->size ? json_loadb(b->data, b->size, 0, NULL) : NULL;
  return report_verb_set(r, key, value) ? 0 : CLI_NO_MEMORY;
}

static int report_verb_add_read(report *r) {
  tenon_buf b = {0};
  int code = report_verb_print(r, report_verb_print_info, &b);
  if (code == 0) code = report_verb_add_json(r, "info", &b);
  b.size = 0;
  if (code == 0) code = report_verb_print(r, print_outline, &b);
  json_t *graph = code == 0 ? report_graph(&b, &r->texts) : NULL;
  if (code == 0 && !graph) code = CLI_NO_MEMORY;
  json_t *owners = json_object(), *docs = json_object();
  if (code == 0)
    report_owners(r->model.context, graph, &r->texts, owners, docs);
  bool ok = report_verb_set(r, "owners", owners) &&
            report_verb_set(r, "docs", docs) &&
            report_verb_set(r, "source", graph);
  tenon_buf_deinit(&b);
  return code ? code : ok ? 0 : CLI_NO_MEMORY;
}

// What is not supported is part of the report: only other failures end it.
static int add_explained(report *r) {
  cli *c = r->c;
  tenon_buf b = {0};
  tenon_module *m = NULL;
  int code = cli_model_read_planned(c, &r->model, &m);
  if (code == 0 && c->target)
    code = cli_exit(tenon_module_set_target(m, c->target));
  if (code == 0) {
    c->sink->is_muted = true;
    code = cli_exit(tenon_module_explain(
        m, TENON_FORMAT_JSON, c->inexact ? TENON_COMPILE_INEXACT : 0u,
        cli_collect, &b));
    c->sink->is_muted = false;
    if (code == TENON_UNSUPPORTED) code = 0;
  }
  if (code == 0) code = report_verb_add_json(r, "explain", &b);
  tenon_module_destroy(m);
  tenon_buf_deinit(&b);
  return code;
}

// The graph as the plan has it: behind the last pass.
static int add_lowered(report *r) {
  cli *c = r->c;
  tenon_buf b = {0};
  tenon_module *m = NULL;
  char *pipeline = NULL;
  int code = cli_model_read_planned(c, &r->model, &m);
  if (code == 0 && c->target)
    code = cli_exit(tenon_module_set_target(m, c->target));
  if (code == 0) code = cli_pipeline(c, &pipeline);
  if (code == 0)
    code = cli_exit(tenon_module_transform(m, pipeline, NULL, NULL));
  if (code == 0) code = cli_exit(print_outline(m, cli_collect, &b));
  json_t *graph = code == 0 ? report_graph(&b, &r->texts) : NULL;
  free(pipeline);
  tenon_module_destroy(m);
  tenon_buf_deinit(&b);
  if (graph) report_verb_set(r, "lowered", graph);
  return code;
}

static int add_plan(report *r, const tenon_program *p) {
  tenon_buf b = {0};
  int code =
      cli_exit(tenon_program_print(p, TENON_FORMAT_JSON, 0, cli_collect, &b));
  if (code == 0) code = report_verb_add_json(r, "plan", &b);
  tenon_buf_deinit(&b);
  return code;
}

// Inputs of a recorded case, where none is given.
static int use_case(cli *c, tenon_buf *names) {
  for (int i = 0; c->cases.count && c->inputs.count == 0 && i < 1000; ++i) {
    char name[32];
    snprintf(name, sizeof name, "in%d.npy", i);
    char *path = cli_join(c->cases.data[0], name);
    bool is_there = path && cli_is_file(path);
    if (is_there) tenon_buf_add(names, path, strlen(path) + 1);
    free(path);
    if (names->failed) return CLI_NO_MEMORY;
    if (!is_there) break;
  }
  for (size_t at = 0; at < names->size; at += strlen(names->data + at) + 1)
    if (!cli_list_push(&c->inputs, names->data + at)) return CLI_NO_MEMORY;
  if (c->cases.count && c->inputs.count == 0)
    return cli_fail(c, TENON_IO, "cli-file", "no in0.npy in '%s'",
                    c->cases.data[0]);
  return 0;
}

static int add_runs(report *r, const tenon_program *p) {
  cli *c = r->c;
  json_t *time = NULL, *accuracy = NULL;
  tenon_program *reference = NULL;
  bool is_saved =
      tenon_program_is_saved(r->model.file.data, r->model.file.size);
  bool compares =
      !is_saved && (c->cases.count || c->inputs.count || c->has_random);
  bool measures = c->has_runs;
  int code = 0;
  if (measures || compares) c->has_random = true;
  if (measures) code = report_time(c, p, &time);
  if (code == 0 && compares) {
    bool inexact = c->inexact;
    c->inexact = false;
    code = cli_model_compile(c, &r->model, NULL, TENON_COMPILE_REFERENCE,
                             &reference);
    c->inexact = inexact;
    if (code == 0) code = report_accuracy(c, p, reference, &accuracy);
    tenon_program_destroy(reference);
  }
  if (time) report_verb_set(r, "time", time);
  if (accuracy) report_verb_set(r, "accuracy", accuracy);
  return code;
}

// A model that does not compile: what was said last is shown, and told.
static int add_compiled(report *r) {
  cli *c = r->c;
  tenon_program *p = NULL;
  tenon_buf names = {0};
  int code = use_case(c, &names);
  if (code == 0) {
    c->sink->is_muted = true;
    c->sink->muted[0] = 0;
    code = cli_model_compile(c, &r->model, NULL, 0, &p);
    c->sink->is_muted = false;
    if (code == TENON_UNSUPPORTED || code == TENON_NO_SPACE) {
      report_verb_set(r, "failures", json_pack("[s]", c->sink->muted));
      cli_warn(c, "report-partial", "the report has no plan: %s",
               c->sink->muted);
      tenon_buf_deinit(&names);
      return 0;
    }
    // Once more, to be told in full.
    if (code) code = cli_model_compile(c, &r->model, NULL, 0, &p);
  }
  if (code == 0) code = add_plan(r, p);
  if (code == 0) code = add_lowered(r);
  if (code == 0) code = add_runs(r, p);
  tenon_program_destroy(p);
  tenon_buf_deinit(&names);
  return code;
}

static int write_page(report *r) {
  cli *c = r->c;
  tenon_buf page = {0};
  report_page(r->data, &page);
  int code = page.failed ? CLI_NO_MEMORY : 0;
  if (code == 0 && (c->output || !c->json))
    code = cli_deliver(c, c->output, &page);
  if (code == 0 && c->json) {
    char *text = json_dumps(r->data, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (text) cli_printf(c, "%s", text);
    if (!text) code = CLI_NO_MEMORY;
    free(text);
  }
  tenon_buf_deinit(&page);
  return code;
}

// All of it but the page; `data` is there, whatever the code.
static int report_verb_collect(report *r) {
  static const char *const unknown[] = {"source", "lowered",  "explain", "plan",
                                        "time",   "accuracy", "other"};
  r->data = json_object();
  r->texts = (report_texts){json_array(), json_object(), false};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i)
    report_verb_set(r, unknown[i], NULL);
  report_verb_set(r, "version", json_string(tenon_version()));
  report_verb_set(r, "name", json_string(r->model.name));
  report_verb_set(r, "failures", json_array());
  int code = report_verb_add_read(r);
  if (code == 0) code = add_explained(r);
  if (code == 0) code = add_compiled(r);
  const char *format = json_string_value(
      json_object_get(json_object_get(r->data, "info"), "format"));
  report_verb_set(r, "format", json_string(format ? format : ""));
  report_verb_set(r, "texts", json_incref(r->texts.list));
  if (code == 0 && r->has_failed) code = CLI_NO_MEMORY;
  json_decref(r->texts.list);
  json_decref(r->texts.index);
  return code;
}

static int open_model(report *r) {
  cli *c = r->c;
  int code = cli_model_open(c, c->args.data[0], &r->model);
  if (code) return code;
  if (tenon_program_is_saved(r->model.file.data, r->model.file.size))
    code = cli_fail(c, CLI_USAGE, "cli-usage",
                    "'%s' is a program that was compiled already: 'tenon "
                    "report' takes a model",
                    r->model.name);
  r->model.keeps_open = c->inputs.count > 0 && !c->has_random;
  if (code) cli_model_close(&r->model);
  return code;
}

// Of the other model: graphs are shown of one alone, and need most bytes.
static int collect_other(cli *other, json_t **data) {
  report r = {.c = other};
  int code = open_model(&r);
  if (code) return code;
  code = report_verb_collect(&r);
  json_object_del(r.data, "lowered");
  json_object_del(r.data, "explain");
  cli_model_close(&r.model);
  *data = r.data;
  return code;
}

static int report_verb_make(report *r) {
  cli *c = r->c;
  json_t *other = NULL;
  int code = report_verb_collect(r);
  if (code == 0 && c->compare) code = report_compare(c, collect_other, &other);
  if (other) {
    json_object_set_new(other, "label", json_string(c->compare));
    report_verb_set(r, "other", other);
  }
  if (code == 0 && r->has_failed) code = CLI_NO_MEMORY;
  if (code == 0) code = write_page(r);
  json_decref(r->data);
  return code;
}

int cmd_report(cli *c) {
  report r = {.c = c};
  int code = cli_check_runs(c, 1000000);
  if (code == 0) code = open_model(&r);
  if (code) return code;
  code = report_verb_make(&r);
  cli_model_close(&r.model);
  return code;
}
