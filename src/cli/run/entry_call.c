// How: arrays as long as the entry's lists, all at once, so that a run in the
// middle of a command needs no memory of the command's own.
#include <stdlib.h>

#include "cli/cli.h"

int cli_threads(const cli *c) {
  return c->has_threads ? (int)c->threads : 1;
}

int cli_check_runs(cli *c, int most) {
  if (!c->has_runs || (c->runs >= 1 && c->runs <= most)) return 0;
  return cli_fail(c, CLI_USAGE, "cli-value",
                  "'--runs' expects 1 to %d, found %lld", most,
                  (long long)c->runs);
}

int cli_call_open(cli *c, const tenon_program *p, cli_call *out) {
  *out = (cli_call){.c = c, .p = p, .entry = cli_entry(c, p)};
  if (out->entry < 0) return CLI_USAGE;
  out->in_io = cli_io_list(p, out->entry, TENON_IO_INPUTS, &out->n_in);
  out->out_io = cli_io_list(p, out->entry, TENON_IO_OUTPUTS, &out->n_out);
  out->in = (cli_tensor *)calloc(out->n_in + 1, sizeof *out->in);
  out->views = (tenon_tensor *)calloc(out->n_in + 1, sizeof *out->views);
  out->out = (tenon_tensor *)calloc(out->n_out + 1, sizeof *out->out);
  return out->in_io && out->out_io && out->in && out->views && out->out
             ? 0
             : CLI_NO_MEMORY;
}

int cli_call_fill(cli_call *call) {
  int code = cli_inputs(call->c, call->p, call->entry, call->in);
  for (size_t i = 0; code == 0 && i < call->n_in; ++i)
    call->views[i] = call->in[i].view;
  return code;
}

void cli_call_close(cli_call *call) {
  for (size_t i = 0; call->in && i < call->n_in; ++i)
    cli_tensor_free(&call->in[i]);
  free(call->in_io);
  free(call->out_io);
  free(call->in);
  free(call->views);
  free(call->out);
}
