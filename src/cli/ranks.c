// How: launchers tell a process what it is in its environment; none is linked.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const struct {
  const char *rank, *size, *run;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE"},
    {"PMI_RANK", "PMI_SIZE", "PMI_PORT"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID"},
};

// A number from 0 on; -1: it is none.
static int64_t cli_rank_number(const char *text) {
  char *end = NULL;
  long long v = text && *text ? strtoll(text, &end, 10) : -1;
  return end && !*end && v >= 0 && v <= INT32_MAX ? v : -1;
}

void cli_rank_find(cli_rank *out) {
  memset(out, 0, sizeof *out);
  out->size = 1;
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; ++i) {
    int64_t rank = cli_rank_number(getenv(launchers[i].rank));
    int64_t size = cli_rank_number(getenv(launchers[i].size));
    const char *run = getenv(launchers[i].run);
    if (rank < 0 || size < 1 || rank >= size) continue;
    out->is_launched = true;
    out->rank = (size_t)rank;
    out->size = (size_t)size;
    snprintf(out->run, sizeof out->run, "%s", run ? run : "");
    break;
  }
  if (!out->run[0])
    snprintf(out->run, sizeof out->run, "process %llu",
             (unsigned long long)tenon_os_process());
}

const char *cli_ranked(cli *c, const char *word) {
  static const char mark[] = "{rank}";
  cli_rank rank;
  const char *at = strstr(word, mark);
  if (!at) return word;
  cli_rank_find(&rank);
  if (!rank.is_launched) return word;
  tenon_buf text = {0};
  for (; at; at = strstr(word, mark)) {
    tenon_buf_add(&text, word, (size_t)(at - word));
    tenon_put(&text, "$", rank.rank);
    word = at + sizeof mark - 1;
  }
  tenon_buf_text(&text, word);
  if (!text.failed && cli_list_push(&c->shown, text.data)) return text.data;
  tenon_buf_deinit(&text);
  (void)cli_fail(c, CLI_NO_MEMORY, "memory", "out of memory");
  return NULL;
}
