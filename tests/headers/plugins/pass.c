// Takes out acme::gain by the number of its option.
#include "tenon/ext/pass.h"

#include "tenon/ext/plugin.h"

static bool is_same(const char *a, const char *b) {
  while (*a && *a == *b)
    ++a, ++b;
  return *a == *b;
}

static tenon_status drop(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_arg *gain = rw->api->arg(rw, node, "gain");
  const double *unit = (const double *)rw->api->user(rw);
  if (!is_same(rw->api->op(rw, node), "acme::gain") || !gain ||
      gain->as.f != *unit)
    return TENON_OK;
  return tenon_rw_replace(rw, node, tenon_rw_operand(rw, node, 0));
}

static tenon_status run(tenon_pass_context *c) {
  const char *on = c->api->option(c, "on");
  if (!on || (!is_same(on, "0") && !is_same(on, "1")))
    return c->api->fail(c, "'on' is 0 or 1, not '%s'", on ? on : "");
  return is_same(on, "1") ? c->api->each(c, drop) : TENON_OK;
}

static const double unit = 1.0;
static const tenon_pass_desc pass = {
    .struct_size = sizeof pass,
    .flags = TENON_PASS_OPTIONAL,
    .name = "stranger_drop",
    .doc = "Takes out gains of 1.",
    .after = "canonicalise",
    .options = "on=1",
    .run = run,
    .user = &unit,
};
static const tenon_pass_desc *const passes[] = {&pass, NULL};

static const tenon_plugin plugin = {TENON_PLUGIN_HEADER,
                                    .name = "stranger_pass", .version = "1.0.0",
                                    .passes = passes};
TENON_PLUGIN_EXPORT(stranger_pass, plugin);
