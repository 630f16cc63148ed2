// How: info, print, opt and explain read a module and let the library print it;
// only the format and the place of the output are decided here.
#include <stdlib.h>
#include <string.h>

#include "cli/flag/flags.h"

// Collects a text and then puts it into a file or onto standard output, so that
// a command that fails writes nothing.
typedef tenon_status print_fn(void *self, tenon_module *m,
                              tenon_write_fn *write, void *write_self);

// A program file has a plan and no operators to show.
static int describe_program(cli *c, const cli_model *model) {
  tenon_buf b = {0};
  if (strcmp(c->verb->name, "info") != 0)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "'%s' is a program that was compiled already: 'tenon %s' "
                    "takes a model; 'tenon plan' shows the steps",
                    model->name, c->verb->name);
  const char *flag = cli_planning_flag(c);
  if (flag)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "'%s' is a program that was compiled already: '--%s' is "
                    "for a model",
                    model->name, flag);
  int code = cli_exit(tenon_program_describe(
      model->context, model->file.data, model->file.size, model->name,
      c->json ? TENON_FORMAT_JSON : TENON_FORMAT_TEXT, cli_collect, &b));
  if (code == 0) code = cli_deliver(c, c->output, &b);
  tenon_buf_deinit(&b);
  return code;
}

// `keep`: the report is delivered although the status says no.
static int with_module(cli *c, print_fn *print, void *self, bool keep) {
  cli_model model;
  tenon_module *m = NULL;
  tenon_buf b = {0};
  int code = cli_model_open(c, c->args.data[0], &model);
  if (code) return code;
  if (tenon_program_is_saved(model.file.data, model.file.size)) {
    code = describe_program(c, &model);
    cli_model_close(&model);
    return code;
  }
  // What will happen is what a plan would do; the others show the file.
  code = strcmp(c->verb->name, "explain") == 0
             ? cli_model_read_planned(c, &model, &m)
             : cli_model_read(c, &model, &m);
  if (code == 0 && c->entry) code = cli_exit(tenon_module_keep(m, c->entry));
  if (code == 0 && c->target)
    code = cli_exit(tenon_module_set_target(m, c->target));
  if (code == 0) {
    code = cli_exit(print(self, m, cli_collect, &b));
    if (code == 0 || keep) {
      int delivered = b.size ? cli_deliver(c, c->output, &b) : 0;
      if (code == 0) code = delivered;
    }
  }
  tenon_buf_deinit(&b);
  tenon_module_destroy(m);
  cli_model_close(&model);
  return code;
}

static tenon_status inspect_verb_print_info(void *self, tenon_module *m,
                                            tenon_write_fn *write,
                                            void *write_self) {
  const cli *c = (const cli *)self;
  return tenon_module_info(m, c->json ? TENON_FORMAT_JSON : TENON_FORMAT_TEXT,
                           write, write_self);
}

int cmd_info(cli *c) {
  return with_module(c, inspect_verb_print_info, c, false);
}

static tenon_status print_explain(void *self, tenon_module *m,
                                  tenon_write_fn *write, void *write_self) {
  const cli *c = (const cli *)self;
  return tenon_module_explain(
      m, c->json ? TENON_FORMAT_JSON : TENON_FORMAT_TEXT,
      c->inexact ? TENON_COMPILE_INEXACT : 0u, write, write_self);
}

static tenon_status inspect_verb_print_rules(void *self, tenon_module *m,
                                             tenon_write_fn *write,
                                             void *write_self) {
  const cli *c = (const cli *)self;
  return tenon_project_apply(c->read_project, m, write, write_self);
}

int cmd_explain(cli *c) {
  if (c->rules && !c->read_project)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "'--rules' needs '--project tenon.yaml', which has them");
  if (c->rules && c->json)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "'--rules' and '--json' exclude each other");
  if (c->rules) return with_module(c, inspect_verb_print_rules, c, false);
  return with_module(c, print_explain, c, true);
}

typedef struct printing {
  cli *c;
  uint32_t format;
} printing;

static tenon_status print_module(void *self, tenon_module *m,
                                 tenon_write_fn *write, void *write_self) {
  const printing *p = (const printing *)self;
  return tenon_module_print(m, p->format, write, write_self);
}

int cmd_print(cli *c) {
  static const struct {
    const char *name;
    uint32_t format;
  } formats[] = {{"text", TENON_FORMAT_TEXT},
                 {"json", TENON_FORMAT_JSON},
                 {"dot", TENON_FORMAT_DOT},
                 {"mermaid", TENON_FORMAT_MERMAID}};
  const char *name = c->format ? c->format : c->json ? "json" : "text";
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    if (strcmp(formats[i].name, name) == 0) {
      printing p = {c, formats[i].format};
      c->sink->is_text = p.format != TENON_FORMAT_JSON;
      return with_module(c, print_module, &p, false);
    }
  return cli_fail(c, CLI_USAGE, "cli-format",
                  "'--format' expects text, json, dot or mermaid, found '%s'",
                  name);
}

static tenon_status trace_opt(void *self, const tenon_module *m,
                              const char *pass, bool after) {
  cli *c = (cli *)self;
  const cli_list *list = after ? &c->print_after : &c->print_before;
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->data[i], "*") == 0 || strcmp(list->data[i], pass) == 0) {
      cli_printf(c, "# %s %s\n", after ? "after" : "before", pass);
      return tenon_module_print(m, TENON_FORMAT_TEXT, cli_write, c);
    }
  return TENON_OK;
}

static tenon_status transform_and_print(void *self, tenon_module *m,
                                        tenon_write_fn *write,
                                        void *write_self) {
  cli *c = (cli *)self;
  char *pipeline = NULL;
  int code = cli_pipeline(c, &pipeline);
  if (code) return code == CLI_NO_MEMORY ? TENON_NO_MEMORY : (tenon_status)code;
  tenon_status status = trace_opt(c, m, "read", true);
  if (status == TENON_OK)
    status = tenon_module_transform(m, pipeline, trace_opt, c);
  free(pipeline);
  if (status == TENON_OK)
    status = tenon_module_print(
        m, c->json ? TENON_FORMAT_JSON : TENON_FORMAT_TEXT, write, write_self);
  return status;
}

int cmd_opt(cli *c) {
  return with_module(c, transform_and_print, c, false);
}
