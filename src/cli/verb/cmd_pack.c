// How: buffers from a file, through the library's packer, and back into a file;
// what is printed is the size beside what no packing undercuts.
#include "cli/verb/packing.h"

// Half a minute; whoever packs a file by hand has more time than a compiler.
#define EFFORT ((uint64_t)10000000000)

static void pack_verb_report(cli *c, const pack_file *f,
                             const tenon_packing *p) {
  unsigned long long size = p->size, bound = p->bound, steps = p->steps;
  if (c->json) {
    cli_put_json(
        c, "{'buffers': $, 'size': $, 'bound': $, 'optimal': $, 'steps': $}",
        f->n_rows, size, bound, p->is_optimal, steps);
    return;
  }
  cli_put(c, "buffers    $\nsize       $ bytes$\nbound      $ bytes", f->n_rows,
          size, p->is_optimal ? ", proved smallest" : "", bound);
  if (size > bound && bound > 0)
    cli_printf(c,
               ", %.2f %% below: no packing needs less; of sizes between "
               "nothing is proved",
               100 * (double)(size - bound) / (double)size);
  cli_printf(c, "\nsearch     %llu steps\n", steps);
}

static int pack_verb_deliver(cli *c, const pack_file *f,
                             const tenon_packing *p) {
  tenon_buf b = {0};
  int code = 0;
  if (c->has_capacity && p->size > (uint64_t)c->capacity)
    return cli_fail(
        c, TENON_NO_SPACE, "cli-capacity",
        "needs %llu bytes, %llu more than the capacity; %s",
        (unsigned long long)p->size,
        (unsigned long long)(p->size - (uint64_t)c->capacity),
        p->bound > (uint64_t)c->capacity
            ? "no packing fits"
            : "a longer search (--plan-effort) might find a packing that fits");
  if (c->output) {
    pack_print(f, &b);
    code = cli_deliver(c, c->output, &b);
  }
  if (code == 0) pack_verb_report(c, f, p);
  tenon_buf_deinit(&b);
  return code;
}

int cmd_pack(cli *c) {
  pack_file f;
  tenon_packing p = {0};
  int code = pack_read(c, c->args.data[0], &f);
  if (code == 0) {
    tenon_pack_options o = {.struct_size = sizeof o,
                            .capacity = (uint64_t)c->capacity,
                            .effort = c->effort ? (uint64_t)c->effort : EFFORT,
                            .diag = cli_sink_of(c->sink)};
    if (c->has_effort && c->effort == 0) o.flags = TENON_PACK_QUICK;
    cli_progress(c, "packing");
    code = cli_exit(tenon_pack_spans(&o, f.spans, f.n_spans, &p));
  }
  if (code == 0) code = pack_verb_deliver(c, &f, &p);
  pack_free(&f);
  return code;
}
