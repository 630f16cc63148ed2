// How: a model is read and compiled once, each with its time; then it runs for
// about a second without anybody watching, and a few times more with an
// observer for the table of steps.
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

typedef struct bench {
  cli *c;
  double load_ms, compile_ms, session_ms;
  cli_call call;
  bench_times times;
  bench_steps steps;
} bench;

static int bench_verb_report(const bench *b) {
  cli *c = b->c;
  tenon_program_stats s = {0};
  s.struct_size = sizeof s;
  tenon_program_measure(b->call.p, &s);
  const bench_times *t = &b->times;
  double median = (double)t->median / 1e3;
  // At the sizes of this input; a program without a step has no run to ask.
  uint64_t macs = b->steps.count ? b->steps.macs : s.macs;
  uint64_t arena = b->steps.arena ? b->steps.arena : s.arena;
  // A model is read again to be compiled, which that time has.
  const double first_run = (double)t->first / 1e3;
  const double first_ms = (b->compile_ms > 0 ? b->compile_ms : b->load_ms) +
                          b->session_ms + first_run / 1e3;
  double rate = median > 0 ? (double)macs / median / 1e3 : 0;
  if (c->json) {
    cli_printf(c,
               "{\"threads\": %d, \"runs\": %zu,\n  \"min_us\": %.3f, "
               "\"median_us\": %.3f, \"p90_us\": %.3f, \"p99_us\": %.3f, "
               "\"max_us\": %.3f,\n  \"first_ms\": %.3f, "
               "\"first_run_us\": %.3f, \"load_ms\": %.3f, \"compile_ms\": "
               "%.3f,\n  \"arena\": %llu, \"arena_bound\": %llu, \"state\": "
               "%llu, \"constants\": %llu, \"packed\": %llu, \"macs\": "
               "%llu,\n",
               cli_threads(c), t->count, (double)t->least / 1e3, median,
               (double)t->p90 / 1e3, (double)t->p99 / 1e3,
               (double)t->most / 1e3, first_ms, first_run, b->load_ms,
               b->compile_ms, (unsigned long long)arena,
               (unsigned long long)s.arena_bound, (unsigned long long)s.state,
               (unsigned long long)s.constants, (unsigned long long)s.packed,
               (unsigned long long)macs);
    int code = bench_print_steps(c, &b->steps);
    cli_printf(c, "}");
    return code;
  }
  cli_printf(c,
             "run        %.2f us median, %.2f us at best, of %zu; %d "
             "thread%s\n",
             median, (double)t->least / 1e3, t->count, cli_threads(c),
             cli_threads(c) == 1 ? "" : "s");
  cli_printf(c,
             "           90 %% within %.2f us, 99 %% within %.2f us, all "
             "within %.2f us\n",
             (double)t->p90 / 1e3, (double)t->p99 / 1e3, (double)t->most / 1e3);
  cli_printf(c, "load       %.2f ms\ncompile    %.2f ms\n", b->load_ms,
             b->compile_ms);
  cli_printf(c,
             "first      %.2f ms to the first result, %.2f us of them a run\n",
             first_ms, first_run);
  if (arena != s.arena)
    cli_put(c, "arena      $ bytes at these sizes\n", arena);
  else
    cli_put(c, "arena      $ bytes; no packing needs less than $\n", arena,
            s.arena_bound);
  cli_put(c, "constants  $ bytes, $ of them packed\n", s.constants, s.packed);
  cli_printf(c, "MACs       %llu, %.2f GMAC/s\n", (unsigned long long)macs,
             rate);
  return bench_print_steps(c, &b->steps);
}

static int run_bench(bench *b, const tenon_program *p) {
  cli_session s = {0};
  cli *c = b->c;
  cli_call *call = &b->call;
  // What is computed does not matter: inputs that nobody gives are random.
  c->has_random = true;
  int code = cli_call_open(c, p, call);
  if (code == 0) code = cli_call_fill(call);
  const uint64_t begin = tenon_os_clock();
  if (code == 0) code = cli_session_open(c, p, cli_threads(c), NULL, NULL, &s);
  if (code == 0) code = cli_session_place(&s, call);
  b->session_ms = (double)(tenon_os_clock() - begin) / 1e6;
  if (code == 0) code = bench_runs(s.session, call, &b->times);
  if (code == 0) code = bench_measure_steps(call, &b->steps);
  cli_session_close(&s);
  return code ? code : bench_verb_report(b);
}

static void free_bench(bench *b) {
  cli_call_close(&b->call);
  bench_times_free(&b->times);
  bench_steps_free(&b->steps);
}

// Of this machine's threads alone is known what they did and when.
static int check_timeline(cli *c, const char *what) {
  if (!c->trace && !c->flame) return 0;
  return cli_fail(c, CLI_USAGE, "cli-usage",
                  "'--%s' is for a model that runs on this machine, not for %s",
                  c->trace ? "trace" : "flame", what);
}

static int bench_model(cli *c) {
  cli_model model;
  tenon_program *p = NULL;
  tenon_module *m = NULL;
  bench b = {.c = c};
  uint64_t begin = tenon_os_clock();
  const struct tenon_target_desc *target = NULL;
  int code = cli_model_open(c, c->args.data[0], &model);
  if (code) return code;
  code = cli_machine_find(c, model.context, &target);
  model.keeps_open = !c->machine && c->inputs.count > 0 && !c->has_random;
  if (code == 0 && c->machine) code = check_timeline(c, "an emulated core");
  if (code == 0 && c->machine) code = cli_machine_ready(c);
  if (code) {
    cli_model_close(&model);
    return code;
  }
  bool is_saved = tenon_program_is_saved(model.file.data, model.file.size);
  if (!is_saved) {
    code = cli_model_read(c, &model, &m);
    tenon_module_destroy(m);
    b.load_ms = (double)(tenon_os_clock() - begin) / 1e6;
    begin = tenon_os_clock();
  }
  if (code == 0) code = cli_model_compile(c, &model, NULL, 0, &p);
  // A program file is loaded; nothing of it is compiled.
  *(is_saved ? &b.load_ms : &b.compile_ms) =
      (double)(tenon_os_clock() - begin) / 1e6;
  if (code == 0 && c->machine) {
    code = bench_emulated(c, p);
  } else if (code == 0) {
    code = run_bench(&b, p);
    free_bench(&b);
  }
  tenon_program_destroy(p);
  cli_model_close(&model);
  return code;
}

int cmd_bench(cli *c) {
  tenon_context *cx = NULL;
  tenon_registered op;
  const char *nearest = NULL;
  const char *name = c->args.data[0];
  int code = cli_check_runs(c, 1000000);
  if (code) return code;
  if (cli_is_file(name) || !strstr(name, "::")) return bench_model(c);
  code = check_timeline(c, "an operator");
  if (code == 0) code = cli_context(c, &cx);
  if (code) return code;
  if (tenon_context_find(cx, TENON_REGISTRY_OPS, name, &op, &nearest))
    code = bench_op(c, cx, &op);
  else
    code = cli_fail(c, CLI_NO, "ops-unknown",
                    "no operator '%s' is registered%s%s%s", name,
                    TENON_DID_YOU_MEAN(nearest));
  tenon_context_destroy(cx);
  return code;
}
