// How: --rounding, --no-pass and --pass-option become rules, in which the later
// wins; the library knows the passes. What --stripe and --remat ask for stands
// at the end.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// "NAME.KEY=V"; the name ends at the last point before the `=`.
static int option_rule(cli *c, const char *text, tenon_pass_rule *rule) {
  const char *equals = strchr(text, '='), *dot = NULL;
  for (const char *p = text; equals && p < equals; ++p)
    if (*p == '.') dot = p;
  if (!dot || dot == text || dot + 1 == equals || strchr(text, ' '))
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "'--pass-option' expects PASS.KEY=V, found '%s'", text);
  size_t size = (size_t)(dot - text);
  char *name = (char *)malloc(strlen(text) + 1);
  if (!name) return CLI_NO_MEMORY;
  memcpy(name, text, size);
  name[size] = 0;
  rule->name = name;
  rule->options = dot + 1;
  rule->enabled = -1;
  return 0;
}

static int switch_rule(const char *name, int32_t enabled,
                       tenon_pass_rule *rule) {
  rule->name = strdup(name);
  rule->enabled = enabled;
  return rule->name ? 0 : CLI_NO_MEMORY;
}

// "on NAME", "off NAME" or "NAME.KEY=V".
static int project_rule(cli *c, const char *text, tenon_pass_rule *rule) {
  if (strncmp(text, "on ", 3) == 0) return switch_rule(text + 3, 1, rule);
  if (strncmp(text, "off ", 4) == 0) return switch_rule(text + 4, 0, rule);
  return option_rule(c, text, rule);
}

// The pipeline, with --stripe and --remat behind it.
static int add_trades(cli *c, tenon_buf *out) {
  tenon_pipeline_options o = {.struct_size = sizeof o, .pipeline = c->passes};
  char stripe[64] = "";
  if (!c->has_stripe && !c->remat) return 0;
  int code = cli_exit(tenon_context_pipeline(c->context, &o, cli_collect, out));
  if (code) return code;
  if (c->has_stripe)
    snprintf(stripe, sizeof stripe, ",stripe[target=%.40s]", c->stripe);
  tenon_put(out, "$$", stripe, c->remat ? ",remat" : "");
  return out->failed ? CLI_NO_MEMORY : 0;
}

// Whether a pipeline, "fold,lower[all=a;b]", has a pass of that name.
static bool has_pass(const char *pipeline, const char *name) {
  size_t size = strlen(name), depth = 0;
  bool begins = true;
  for (const char *p = pipeline; *p; ++p) {
    if (begins && strncmp(p, name, size) == 0 &&
        (!p[size] || p[size] == ',' || p[size] == '['))
      return true;
    depth += *p == '[';
    depth -= *p == ']' && depth > 0;
    begins = *p == ',' && depth == 0;
  }
  return false;
}

// A module is printed around passes that there are.
static int check_printed(cli *c, bool is_after, const char *pipeline) {
  const cli_list *names = is_after ? &c->print_after : &c->print_before;
  for (size_t i = 0; i < names->count; ++i) {
    const char *name = names->data[i];
    if (strcmp(name, "*") == 0 || (is_after && strcmp(name, "read") == 0) ||
        has_pass(pipeline, name))
      continue;
    return cli_fail(c, CLI_USAGE, "pass-unknown",
                    "'--print-%s' names '%s', which the pipeline has not; it "
                    "is %s%s",
                    is_after ? "after" : "before", name,
                    is_after ? "read," : "", pipeline);
  }
  return 0;
}

// --rounding switches a pass on, or off where the project file has it on.
static int find_rounding(cli *c, bool *is_rule, bool *is_on) {
  *is_on = c->has_rounding && strcmp(c->rounding, "tflm") == 0;
  *is_rule = *is_on;
  if (c->has_rounding && !*is_on && strcmp(c->rounding, "litert") != 0)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "'--rounding' expects 'litert' or 'tflm', found '%s'",
                    c->rounding);
  for (size_t i = 0; c->has_rounding && i < c->pass_rules.count; ++i)
    *is_rule |= strcmp(c->pass_rules.data[i], "on tflm") == 0;
  return 0;
}

int cli_pipeline(cli *c, char **out) {
  bool has_rounding, is_tflm;
  *out = NULL;
  int told = find_rounding(c, &has_rounding, &is_tflm);
  if (told) return told;
  size_t n = c->pass_rules.count + c->no_passes.count + c->pass_options.count +
             has_rounding;
  size_t first = 0;
  tenon_pass_rule *rules = (tenon_pass_rule *)calloc(n + 1, sizeof *rules);
  tenon_buf b = {0}, base = {0};
  int code = rules ? add_trades(c, &base) : CLI_NO_MEMORY;
  // Those of the project file come first, so that flags win.
  for (; code == 0 && first < c->pass_rules.count; ++first)
    code = project_rule(c, c->pass_rules.data[first], &rules[first]);
  if (code == 0 && has_rounding)
    code = switch_rule("tflm", is_tflm, &rules[first++]);
  for (size_t i = 0; code == 0 && i < c->no_passes.count; ++i)
    code = switch_rule(c->no_passes.data[i], 0, &rules[first++]);
  for (size_t i = 0; code == 0 && i < c->pass_options.count; ++i)
    code = option_rule(c, c->pass_options.data[i], &rules[first++]);
  tenon_pipeline_options o = {.struct_size = sizeof o,
                              .n_rules = (uint32_t)n,
                              .pipeline = base.data ? base.data : c->passes,
                              .rules = rules};
  if (code == 0)
    code = cli_exit(tenon_context_pipeline(c->context, &o, cli_collect, &b));
  tenon_buf_text(&b, "");  // also where it is empty
  if (code == 0 && b.failed) code = CLI_NO_MEMORY;
  if (code == 0) code = check_printed(c, false, b.data);
  if (code == 0) code = check_printed(c, true, b.data);
  for (size_t i = 0; rules && i < n; ++i)
    free((void *)(uintptr_t)rules[i].name);
  free(rules);
  tenon_buf_deinit(&base);
  if (code == 0)
    *out = b.data;
  else
    tenon_buf_deinit(&b);
  return code;
}
