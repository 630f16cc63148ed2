// How: models are compiled as for a run, each with a context of its own, and
// kept until the library has looked at all of them. Files that would not change
// are left alone, so that nothing is built again for their sake.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

typedef struct selecting {
  cli_model *models;
  const tenon_program **programs;
  tenon_buf *texts;  // of manifests
  tenon_manifest *manifests;
  char *words;  // of --ops and --dtypes, cut at commas
  cli_list ops, dtypes;
  tenon_context *cx;
} selecting;

// "a,b" as a list that ends with null; `room` has as many bytes as the text.
static bool select_verb_split(const char *text, char **room, cli_list *out) {
  while (text && *text) {
    size_t n = strcspn(text, ",");
    if (n > 0) {
      memcpy(*room, text, n);
      (*room)[n] = 0;
      if (!cli_list_push(out, *room)) return false;
      *room += n + 1;
    }
    text += n + (text[n] == ',');
  }
  return cli_list_push(out, NULL);
}

static bool split_all(const cli *c, selecting *s) {
  size_t size =
      (c->ops ? strlen(c->ops) : 0) + (c->dtypes ? strlen(c->dtypes) : 0) + 2;
  s->words = (char *)malloc(size);
  char *room = s->words;
  return room && select_verb_split(c->ops, &room, &s->ops) &&
         select_verb_split(c->dtypes, &room, &s->dtypes);
}

static int read_manifests(cli *c, selecting *s) {
  for (size_t i = 0; i < c->manifests.count; ++i) {
    const char *path = c->manifests.data[i];
    if (!cli_read_file(c, path, &s->texts[i])) return TENON_IO;
    s->manifests[i] =
        (tenon_manifest){path, s->texts[i].data, s->texts[i].size};
  }
  return 0;
}

static int compile_models(cli *c, selecting *s) {
  int code = 0;
  for (size_t i = 0; code == 0 && i < c->models.count; ++i) {
    tenon_program *p = NULL;
    code = cli_model_open(c, c->models.data[i], &s->models[i]);
    if (code == 0)
      code =
          cli_model_compile(c, &s->models[i], NULL, TENON_COMPILE_SAVABLE, &p);
    s->programs[i] = p;
  }
  return code;
}

static bool select_verb_is_same(const char *path, const tenon_buf *content) {
  char piece[4096];
  size_t at = 0, n = 0;
  FILE *f = fopen(path, "rb");
  bool same = f != NULL;
  while (same && (n = fread(piece, 1, sizeof piece, f)) > 0) {
    same = n <= content->size - at && memcmp(piece, content->data + at, n) == 0;
    at += n;
  }
  if (f) fclose(f);
  return same && at == content->size;
}

// Leaves those to be written that would change.
static int select_verb_save(cli *c, cli_files *files) {
  size_t kept = 0;
  for (size_t i = 0; i < files->count; ++i) {
    struct cli_file *file = &files->data[i];
    char *path = cli_join(c->output, file->name);
    if (path && select_verb_is_same(path, &file->content)) {
      free(file->name);
      tenon_buf_deinit(&file->content);
    } else {
      files->data[kept++] = *file;
    }
    free(path);
  }
  files->count = kept;
  return cli_files_save(c, files, c->output) ? 0 : TENON_IO;
}

static int select_all(cli *c, selecting *s) {
  tenon_select_options o = {0};
  cli_files files = {0};
  tenon_buf list = {0};
  o.struct_size = sizeof o;
  o.ops = s->ops.data;
  o.dtypes = s->dtypes.data;
  o.target = c->target;
  o.programs = s->programs;
  o.n_programs = c->models.count;
  o.manifests = s->manifests;
  o.n_manifests = c->manifests.count;
  // Everything is there before anything is written.
  int code = cli_exit(tenon_selection_print(
      s->cx, &o, c->json ? TENON_FORMAT_JSON : TENON_FORMAT_TEXT, cli_collect,
      &list));
  if (code == 0 && c->output)
    code = cli_exit(tenon_selection_write(s->cx, &o, cli_files_write, &files));
  if (code == 0 && c->output) code = select_verb_save(c, &files);
  if (code == 0) code = cli_exit(cli_write(c, NULL, list.data, list.size));
  tenon_buf_deinit(&list);
  cli_files_free(&files);
  return code;
}

static bool select_verb_reserve(const cli *c, selecting *s) {
  size_t n = c->models.count + 1, m = c->manifests.count + 1;
  s->models = (cli_model *)calloc(n, sizeof *s->models);
  s->programs = (const tenon_program **)calloc(n, sizeof *s->programs);
  s->texts = (tenon_buf *)calloc(m, sizeof *s->texts);
  s->manifests = (tenon_manifest *)calloc(m, sizeof *s->manifests);
  return s->models && s->programs && s->texts && s->manifests &&
         split_all(c, s);
}

static void release(const cli *c, selecting *s) {
  for (size_t i = 0; s->models && s->programs && i < c->models.count; ++i) {
    tenon_program_destroy((tenon_program *)(uintptr_t)s->programs[i]);
    cli_model_close(&s->models[i]);
  }
  for (size_t i = 0; s->texts && i < c->manifests.count; ++i)
    tenon_buf_deinit(&s->texts[i]);
  tenon_context_destroy(s->cx);
  free(s->models);
  free(s->programs);
  free(s->texts);
  free(s->manifests);
  free(s->words);
  free(s->ops.data);
  free(s->dtypes.data);
}

int cmd_select(cli *c) {
  selecting s = {0};
  for (size_t i = 0; i < c->args.count; ++i)
    if (!cli_list_push(&c->models, c->args.data[i])) return CLI_NO_MEMORY;
  if (!c->ops && c->models.count == 0 && c->manifests.count == 0)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "expected --ops, --models or --manifest; 'tenon select "
                    "--help' has an example");
  if (c->dtypes && !c->ops && c->manifests.count == 0)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "'--dtypes' is of what '--ops' names; models say "
                    "themselves which types they need");
  int code = select_verb_reserve(c, &s) ? 0 : CLI_NO_MEMORY;
  if (code == 0) code = read_manifests(c, &s);
  if (code == 0) code = compile_models(c, &s);
  if (code == 0) code = cli_context(c, &s.cx);
  if (code == 0) code = select_all(c, &s);
  release(c, &s);
  return code;
}
