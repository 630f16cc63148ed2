// How: first the items of this process's own share, then those that no other
// has begun. An output appears whole under its name, so what is there is done:
// a batch that was stopped goes on where it was. An item that cannot be run is
// reported and passed over.
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"
#include "cli/data/npz.h"

typedef struct runner {
  batch *b;
  cli_call call;
  cli_session session;
} runner;

// The files of an item: one for all inputs, or in<i>.npy of a folder.
static int batch_verb_name_inputs(runner *r, const batch_item *item,
                                  char ***owned) {
  cli *c = r->b->c;
  bool is_folder = cli_is_folder(item->path);
  size_t n = is_folder || cli_ends_with(item->path, ".npz") ? r->call.n_in : 1;
  c->inputs.count = 0;
  *owned = (char **)calloc(n + 1, sizeof **owned);
  if (!*owned) return CLI_NO_MEMORY;
  for (size_t i = 0; i < n; ++i) {
    char name[32];
    snprintf(name, sizeof name, "in%zu.npy", i);
    (*owned)[i] = is_folder ? cli_join(item->path, name) : strdup(item->path);
    if (!(*owned)[i] || !cli_list_push(&c->inputs, (*owned)[i]))
      return CLI_NO_MEMORY;
  }
  return 0;
}

static int batch_verb_save(const cli_call *call, const char *path) {
  tenon_buf bytes = {0};
  int code = 0;
  if (!cli_npz_format(call->out_io, call->out, call->n_out, &bytes))
    code = cli_fail(call->c, TENON_UNSUPPORTED, "cli-output",
                    "the outputs cannot be written as '%s'", path);
  else if (!cli_write_file(call->c, path, bytes.data, bytes.size))
    code = TENON_IO;
  tenon_buf_deinit(&bytes);
  return code;
}

// States begin anew for each item: no output depends on what ran before.
static int run_item(runner *r, const batch_item *item, const char *path) {
  cli *c = r->b->c;
  cli_call *call = &r->call;
  char **owned = NULL;
  c->unread = 0;
  int code = batch_verb_name_inputs(r, item, &owned);
  memset(call->out, 0, (call->n_out + 1) * sizeof *call->out);
  if (code == 0) code = cli_call_fill(call);
  if (code == 0) code = cli_exit(tenon_session_reset(r->session.session));
  if (code == 0) code = cli_session_run(&r->session, call);
  if (code == 0) code = batch_verb_save(call, path);
  for (size_t i = 0; i < call->n_in; ++i)
    cli_tensor_free(&call->in[i]);
  c->inputs.count = 0;
  for (size_t i = 0; owned && owned[i]; ++i)
    free(owned[i]);
  free(owned);
  return code;
}

// Only what concerns all items ends the batch.
static int do_item(runner *r, const batch_item *item) {
  batch *b = r->b;
  char *path = batch_output(b, item);
  int code = path ? 0 : CLI_NO_MEMORY;
  bool is_there = path && cli_is_file(path);
  if (is_there) {
    ++b->there;
    batch_release(b, item);  // of whoever was stopped behind the output
  } else if (code == 0 && !batch_claim(b, item)) {
    ++b->left;
  } else if (code == 0) {
    code = run_item(r, item, path);
    batch_release(b, item);
    if (code == 0) {
      ++b->done;
    } else if (code != CLI_NO_MEMORY) {
      (void)cli_fail(b->c, code, "cli-batch", "'%s' was not run",
                     cli_shown(b->c, item->path));
      ++b->failed;
      code = 0;
    }
  }
  free(path);
  return code;
}

static int do_all(runner *r) {
  batch *b = r->b;
  int code = 0;
  for (size_t i = b->rank.rank; code == 0 && i < b->n_items;
       i += b->rank.size) {
    cli_progress(b->c, "running the batch");
    code = do_item(r, &b->items[i]);
  }
  // Of others: those without an output that nobody has begun.
  for (size_t i = 0; code == 0 && i < b->n_items; ++i) {
    if (i % b->rank.size == b->rank.rank) continue;
    char *path = batch_output(b, &b->items[i]);
    bool is_there = path && cli_is_file(path);
    free(path);
    if (!is_there) code = do_item(r, &b->items[i]);
  }
  return code;
}

static void batch_verb_report(const batch *b) {
  cli *c = b->c;
  if (c->json)
    cli_printf(c,
               "{\"rank\": %zu, \"ranks\": %zu, \"items\": %zu, \"done\": "
               "%zu, \"there\": %zu, \"failed\": %zu, \"left\": %zu}",
               b->rank.rank, b->rank.size, b->n_items, b->done, b->there,
               b->failed, b->left);
  else if (b->rank.size > 1)
    cli_printf(c,
               "rank %zu of %zu: of %zu inputs %zu done, %zu were there, %zu "
               "failed, %zu left to others\n",
               b->rank.rank, b->rank.size, b->n_items, b->done, b->there,
               b->failed, b->left);
  else
    cli_printf(c, "of %zu inputs %zu done, %zu were there, %zu failed\n",
               b->n_items, b->done, b->there, b->failed);
}

static int run_batch(batch *b) {
  cli *c = b->c;
  cli_model model;
  tenon_program *p = NULL;
  int code = cli_model_open(c, c->args.data[0], &model);
  if (code) return code;
  model.keeps_open = true;
  code = cli_model_compile(c, &model, NULL, 0, &p);
  if (code == 0) {
    runner r = {.b = b};
    code = cli_call_open(c, p, &r.call);
    if (code == 0)
      code = cli_session_open(c, p, cli_threads(c), NULL, NULL, &r.session);
    if (code == 0) code = do_all(&r);
    cli_session_close(&r.session);
    cli_call_close(&r.call);
  }
  if (code == 0) {
    batch_verb_report(b);
    code = b->failed ? CLI_NO : 0;
  }
  tenon_program_destroy(p);
  cli_model_close(&model);
  return code;
}

int cmd_batch(cli *c) {
  batch b = {.c = c};
  if (c->batch_inputs.count == 0 || !c->output)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "a batch has inputs and a folder for outputs: --inputs "
                    "FOLDER -o FOLDER");
  cli_rank_find(&b.rank);
  int code = cli_make_folder(c, c->output) ? batch_list(&b) : TENON_IO;
  if (code == 0) code = run_batch(&b);
  batch_free(&b);
  return code;
}
