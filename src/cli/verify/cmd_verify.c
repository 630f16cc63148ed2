// How: find the cases and their sizes, compile a program per set of sizes, read
// the cases against it, take each way, and compare every value with its
// recording and with the first way. The ways run, emitted and threads must
// agree bit for bit.
#include <stdlib.h>
#include <string.h>

#include "cli/machine/machine.h"
#include "cli/verify/verifying.h"

#define MAX_WAYS 8

static int verify_verb_parse_ways(cli *c, char text[256],
                                  const char *names[MAX_WAYS], size_t *n) {
  static const char *const known[] = {"run", "emitted", "reference", "threads",
                                      "exact"};
  const char *list = c->ways ? c->ways : "run";
  if (strlen(list) >= 256)
    return cli_fail(c, CLI_USAGE, "verify-with", "'--with' is too long");
  strcpy(text, list);
  for (char *p = strtok(text, ","); p; p = strtok(NULL, ",")) {
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
      found = found || strcmp(known[i], p) == 0;
    if (!found || *n == MAX_WAYS)
      return cli_fail(
          c, CLI_USAGE, "verify-with",
          "'--with' expects run, emitted, reference, threads, exact; found "
          "'%s'",
          p);
    names[(*n)++] = p;
  }
  if (*n > 0) return 0;
  return cli_fail(c, CLI_USAGE, "verify-with", "'--with' names no way to run");
}

static int verify_verb_compare(verify_suite *s, cli_model *model,
                               const char *const names[MAX_WAYS], size_t n,
                               const verify_way *ways) {
  verify_report r = {s->c, 0, 0, SIZE_MAX, 0};
  int code = 0;
  if (s->c->json) cli_printf(s->c, "{\"rows\": [");
  for (size_t i = 0; i < n; ++i)
    verify_report_way(&r, s, &ways[i], &ways[0]);
  if (s->c->json)
    cli_printf(s->c,
               "],\n  \"compared\": %zu, \"disagreeing\": %zu, "
               "\"stepped\": %zu",
               r.rows, r.disagreeing, r.stepped);
  else if (r.stepped > 0)
    cli_printf(s->c, "%zu compared, %zu disagree, %zu within one step\n",
               r.rows, r.disagreeing, r.stepped);
  else
    cli_printf(s->c, "%zu compared, %zu disagree\n", r.rows, r.disagreeing);
  if (s->c->nodes || s->c->save_values)
    code = verify_nodes(s, model, names, n,
                        r.first_bad == SIZE_MAX ? 0 : r.first_bad);
  if (s->c->json) cli_printf(s->c, "}");
  return code ? code : r.disagreeing ? CLI_NO : 0;
}

static int run_ways(verify_suite *s, cli_model *model) {
  const char *names[MAX_WAYS];
  verify_way ways[MAX_WAYS];
  char text[256];
  size_t n = 0, taken = 0;
  int code = verify_verb_parse_ways(s->c, text, names, &n);
  memset(ways, 0, sizeof ways);
  for (size_t i = 0; code == 0 && i < n; ++i) {
    code = verify_way_run(s, model, names[i], &ways[i]);
    ++taken;
  }
  if (code == 0) code = verify_verb_compare(s, model, names, n, ways);
  for (size_t i = 0; i < taken; ++i)
    verify_way_free(s, &ways[i]);
  return code;
}

// The model itself and the folder it lies in.
static int locate(cli *c, const char *path, char **model, char **folder) {
  *model = *folder = NULL;
  if (cli_is_folder(path)) {
    static const char *const names[] = {"model.tflite", "model.pt2",
                                        "model.tenon"};
    *folder = strdup(path);
    for (size_t i = 0; i < 3 && !*model; ++i) {
      *model = cli_join(path, names[i]);
      if (*model && cli_is_file(*model)) break;
      free(*model);
      *model = NULL;
    }
    if (!*model)
      return cli_fail(c, TENON_IO, "verify-model",
                      "no model.tflite or model.pt2 in '%s'", path);
  } else {
    const char *slash = strrchr(path, '/');
    *model = strdup(path);
    *folder = strdup(slash ? path : ".");
    if (slash && *folder) (*folder)[slash - path] = 0;
  }
  return *model && *folder ? 0 : CLI_NO_MEMORY;
}

// With an emulated core, emitted C is for the target, and what it is compared
// with is computed here.
static int verify_verb_choose_machine(cli *c, const cli_model *model) {
  const struct tenon_target_desc *target = NULL;
  int code = cli_machine_find(c, model->context, &target);
  if (code || !c->machine) return code;
  if (!c->ways) c->ways = "emitted";
  if (!strstr(c->ways, "emitted")) {
    c->machine = NULL;
    return 0;
  }
  c->emulated = c->target;
  c->target = NULL;
  return cli_machine_ready(c);
}

// A program per set of sizes, and the cases of each. Kernels that are forced
// are those of the target.
static int read_groups(verify_suite *s, cli_model *model) {
  int code = 0;
  const cli_list forced = s->c->kernels;
  if (s->c->machine) memset(&s->c->kernels, 0, sizeof forced);
  for (size_t g = 0; code == 0 && g < s->n_groups; ++g) {
    verify_use_group(s, model, g);
    code = cli_model_compile(s->c, model, NULL, 0, &s->groups[g].program);
    for (size_t i = 0; code == 0 && i < s->count; ++i)
      if (s->cases[i].group == g)
        code = verify_case_read(s, s->groups[g].program, &s->cases[i]);
  }
  s->c->kernels = forced;
  return code;
}

int cmd_verify(cli *c) {
  cli_model model = {0};
  verify_suite suite = {0};
  char *path = NULL, *folder = NULL;
  c->divides_all = true;
  int code = locate(c, c->args.data[0], &path, &folder);
  if (code == 0) code = cli_model_open(c, path, &model);
  if (code == 0) code = verify_verb_choose_machine(c, &model);
  if (code == 0) code = verify_suite_find(c, &model, folder, &suite);
  if (code == 0) code = read_groups(&suite, &model);
  if (code == 0) code = run_ways(&suite, &model);
  verify_suite_free(&suite);
  model.requests = NULL;
  cli_model_close(&model);
  free(path);
  free(folder);
  return code;
}
