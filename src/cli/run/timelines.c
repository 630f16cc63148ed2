// How: room for a million events, of which the system gives what is written;
// the rest is never touched. What had no room is told.
#include <stdlib.h>

#include "cli/cli.h"
#include "tenon/trace.h"

#define ROOM ((size_t)1 << 20)

bool cli_timeline_open(cli *c) {
  tenon_timeline *t = (tenon_timeline *)calloc(1, sizeof *t);
  if (t) t->events = (tenon_timeline_event *)malloc(ROOM * sizeof *t->events);
  if (t) t->capacity = ROOM;
  c->timeline = t;
  if (t && t->events) return true;
  cli_timeline_close(c);
  (void)cli_fail(c, CLI_NO_MEMORY, "memory", "out of memory");
  return false;
}

void cli_timeline_close(cli *c) {
  if (c->timeline) free(c->timeline->events);
  free(c->timeline);
  c->timeline = NULL;
}

static int timelines_save(cli *c, const tenon_program *p, uint32_t format,
                          const char *path) {
  tenon_buf text = {0};
  int code = cli_exit(
      tenon_timeline_print(p, c->timeline, format, cli_collect, &text));
  if (code == 0) code = cli_deliver(c, path, &text);
  tenon_buf_deinit(&text);
  return code;
}

int cli_timeline_save(cli *c, const tenon_program *p, const char *trace,
                      const char *flame) {
  int code = 0;
  if (!c->timeline) return 0;
  if (c->timeline->dropped)
    cli_warn(c, "cli-trace",
             "%zu events had no room among %zu: later ones are missing",
             c->timeline->dropped, c->timeline->capacity);
  if (trace) code = timelines_save(c, p, TENON_FORMAT_JSON, trace);
  if (code == 0 && flame)
    code = timelines_save(
        c, p,
        cli_ends_with(flame, ".svg") ? TENON_FORMAT_SVG : TENON_FORMAT_TEXT,
        flame);
  return code;
}
