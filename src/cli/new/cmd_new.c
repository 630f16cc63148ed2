// How: the operator comes from a schema or from a model; the text of the plugin
// is made in memory and written last, so a file is there whole or not at all. A
// file that is there already is left alone.
#include <stdlib.h>
#include <string.h>

#include "cli/new/new.h"

static bool make_names(cli *c, new_spec *spec) {
  const tenon_signature *s = spec->signature;
  for (size_t i = 0; tenon_reserved_set(i); ++i)
    if (strcmp(tenon_reserved_set(i), s->set) == 0) {
      (void)cli_fail(c, CLI_USAGE, "new-name",
                     "the set '%s' is reserved; take one of your own", s->set);
      return false;
    }
  int n = snprintf(spec->id, sizeof spec->id, "%s_%s%s%s", s->set, s->base,
                   s->overload[0] ? "_" : "", s->overload);
  if (n < 0 || (size_t)n >= sizeof spec->id) {
    (void)cli_fail(c, CLI_USAGE, "new-name", "the name is too long");
    return false;
  }
  snprintf(spec->file, sizeof spec->file, "%s.c", spec->id);
  return true;
}

// "-o" names a .c file or a folder, which is made; without it, here.
static char *output_path(cli *c, const new_spec *spec) {
  if (!c->output) return cli_join(".", spec->file);
  if (cli_ends_with(c->output, ".c")) return strdup(c->output);
  if (!cli_make_folder(c, c->output)) return NULL;
  return cli_join(c->output, spec->file);
}

static int new_verb_deliver(cli *c, const char *path, const tenon_buf *text) {
  tenon_buf there = {0};
  if (!cli_is_file(path)) return cli_deliver(c, path, text);
  if (!cli_read_file(c, path, &there)) return TENON_IO;
  bool is_same = there.size == text->size &&
                 memcmp(there.data, text->data, text->size) == 0;
  tenon_buf_deinit(&there);
  if (is_same) return 0;
  return cli_fail(c, TENON_CONFLICT, "new-exists",
                  "'%s' is there already; move it away or give another -o",
                  path);
}

static void new_verb_report(cli *c, const new_spec *spec, const char *path) {
  const char *shown = strncmp(path, "./", 2) == 0 ? path + 2 : path;
  if (!c->json) {
    cli_printf(c, "%s\n  %s\n  next: tenon check %s\n", shown,
               spec->signature->text, shown);
    return;
  }
  cli_put_json(c, "{'file': $, 'schema': $}", shown, spec->signature->text);
}

static int write_plugin(cli *c, new_spec *spec) {
  new_plan plan;
  tenon_buf text = {0};
  if (!make_names(c, spec)) return CLI_USAGE;
  if (!new_plan_make(c, spec, &plan)) return TENON_UNSUPPORTED;
  new_plugin_write(&plan, &text);
  int code = text.failed ? CLI_NO_MEMORY : 0;
  char *path = code ? NULL : output_path(c, spec);
  if (code == 0) code = path ? new_verb_deliver(c, path, &text) : TENON_IO;
  if (code == 0) new_verb_report(c, spec, path);
  free(path);
  tenon_buf_deinit(&text);
  return code;
}

static int check_name(cli *c, const tenon_signature *s) {
  const char *name = c->args.data[0];
  size_t n = strlen(s->name);
  bool is_same =
      strcmp(s->name, name) == 0 ||
      (strncmp(s->name, name, n) == 0 && strcmp(name + n, ".default") == 0);
  if (is_same) return 0;
  return cli_fail(c, CLI_USAGE, "new-name",
                  "the schema is that of '%s', not of '%s'", s->name, name);
}

// The set that a registered operator of this name has is refused early: the
// plugin could not be loaded beside it.
static int check_free(cli *c, const tenon_context *cx, const char *name) {
  tenon_registered found;
  if (!tenon_context_find(cx, TENON_REGISTRY_OPS, name, &found, NULL)) return 0;
  return cli_fail(c, TENON_CONFLICT, "new-name",
                  "'%s' is registered already, by %s", name, found.owner);
}

static int new_verb_make(cli *c, tenon_context *cx, const char *schema,
                         new_spec *spec) {
  int code = cli_exit(tenon_signature_read(cx, schema, &spec->signature));
  if (code == 0 && c->schema) code = check_name(c, spec->signature);
  if (code == 0) code = check_free(c, cx, spec->signature->name);
  if (code == 0) code = write_plugin(c, spec);
  tenon_signature_destroy(spec->signature);
  return code;
}

// Its source is only looked at, by a script that needs no torch.
static int make_from_python(cli *c, tenon_context *cx) {
  static char script[] =
#include "cli/new_schema.inc"
      ;
  const char *python = getenv("PYTHON") ? getenv("PYTHON") : "python3";
  const char *const argv[] = {python, "-", c->from, c->args.data[0], NULL};
  const tenon_buf input = {.data = script, .size = sizeof script - 1};
  tenon_buf schema = {0}, errors = {0};
  new_spec spec = {0};
  int status = 0, code = TENON_IO;
  if (!cli_read_file(c, c->from, &schema)) return TENON_IO;
  tenon_buf_deinit(&schema);
  if (cli_run(c, argv, &input, &schema, &errors, &status)) {
    size_t n = errors.data ? strcspn(errors.data, "\n") : 0;
    if (status == 0 && schema.size > 0) {
      schema.data[strcspn(schema.data, "\n")] = 0;
      code = new_verb_make(c, cx, schema.data, &spec);
    } else {
      code = cli_fail(c, CLI_USAGE, "new-python", "'%s': %.*s", c->from, (int)n,
                      errors.data ? errors.data : "");
    }
  }
  tenon_buf_deinit(&schema);
  tenon_buf_deinit(&errors);
  return code;
}

static int make_from_model(cli *c, tenon_context *cx) {
  new_spec spec = {0};
  new_model model = {0};
  if (cli_ends_with(c->from, ".py")) return make_from_python(c, cx);
  int code = new_model_read(c, cx, c->args.data[0], c->from, &model, &spec);
  if (code == 0) code = new_verb_make(c, cx, model.schema.data, &spec);
  new_model_free(&model);
  return code;
}

int cmd_new(cli *c) {
  tenon_context *cx = NULL;
  new_spec spec = {0};
  // A schema is a name too: of the operator that it describes.
  bool is_schema = !c->schema && !c->from && strchr(c->args.data[0], '(');
  if (!is_schema && (c->schema != NULL) == (c->from != NULL))
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "expected either --schema or --from, or a schema as NAME");
  const char *schema = is_schema ? c->args.data[0] : c->schema;
  int code = cli_context(c, &cx);
  if (code) return code;
  code = c->from ? make_from_model(c, cx) : new_verb_make(c, cx, schema, &spec);
  tenon_context_destroy(cx);
  return code;
}
