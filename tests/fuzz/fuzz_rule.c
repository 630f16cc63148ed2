// Any texts as a lowering: condition, pattern and replacement, cut at lines of
// "---". They are refused with a reason, or they rewrite a model that verifies.
#include <stdlib.h>
#include <string.h>

#include "tenon/ext/pass.h"
#include "tenon/ext/plugin.h"
#include "tenon/tenon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char model[] =
    "module {\n"
    "  dim n = 1..8\n"
    "  %x = input f32[?n,4]\n"
    "  %c = const f32 {2.0}\n"
    "  %s = core::mul(%x, %c)\n"
    "  %y = fz::f(%s, none, [%x, %s]) [k=3, v=[1, 2]] : f32[?n,4]\n"
    "  return %y\n"
    "}\n";

static void count(void *self, const tenon_diag *diag) {
  if (!diag->message || !diag->message[0]) abort();
  if (diag->severity == TENON_ERROR) ++*(int *)self;
}

// Cuts one part off, up to a line "---".
static char *next_part(char **rest) {
  char *part = *rest, *end = part ? strstr(part, "---\n") : NULL;
  if (end) *end = 0;
  *rest = end ? end + 4 : NULL;
  return part && *part ? part : NULL;
}

static const tenon_op_desc op = {
    .struct_size = sizeof op,
    .flags = TENON_OP_PURE | TENON_OP_DECLARED,
    .schema =
        "fz::f(Tensor x, Tensor? b, Tensor[] more, int k=1, int[] v=[]) "
        "-> Tensor",
};

static void try_rule(const char *when, const char *from, const char *text) {
  static const tenon_pass_desc pass = {
      .struct_size = sizeof pass, .name = "fz", .doc = "x"};
  int errors = 0;
  tenon_lowering_desc rule = {.struct_size = sizeof rule,
                              .name = "fuzzed",
                              .op = "fz::f",
                              .pass = "fz",
                              .when = when,
                              .from = from,
                              .text = text ? text : ""};
  tenon_plugin plugin = {
      TENON_PLUGIN_HEADER,
      .name = "fz",
      .version = "1",
      .ops = (const tenon_op_desc *const[]){&op, NULL},
      .lowerings = (const tenon_lowering_desc *const[]){&rule, NULL},
      .passes = (const tenon_pass_desc *const[]){&pass, NULL}};
  tenon_context_options o = {.struct_size = sizeof o, .diag = {&errors, count}};
  tenon_context *cx = NULL;
  tenon_module *m = NULL;
  if (tenon_context_create(&o, &cx) != TENON_OK) abort();
  tenon_status status = tenon_context_add(cx, &plugin);
  if (status == TENON_OK) status = tenon_context_freeze(cx);
  if (status == TENON_OK)
    status = tenon_module_read(cx, model, sizeof model - 1, NULL, &m);
  if (status == TENON_OK) status = tenon_module_transform(m, "fz", NULL, NULL);
  if ((status == TENON_OK) != (errors == 0) || status == TENON_BUG) abort();
  tenon_module_destroy(m);
  tenon_context_destroy(cx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *copy = malloc(size + 1), *rest = copy;
  if (!copy || size > 1u << 14) {
    free(copy);
    return 0;
  }
  memcpy(copy, data, size);
  copy[size] = 0;
  const char *when = next_part(&rest), *from = next_part(&rest);
  try_rule(when, from, next_part(&rest));
  free(copy);
  return 0;
}
