// Any text: the parser refuses it, or prints it to a text that it reads again
// and prints alike. What verifies is inferred and rewritten by the way.
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/heap.h"
#include "ir/infer/infer.h"
#include "ir/rule/rule.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "reg/context.h"
#include "tenon/ext/plugin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static tenon_status same_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static tenon_status flat_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_type y = *x;
  tenon_dim n = {1, 0};
  for (int i = 0; i < x->rank; ++i)
    n = c->api->dim(c, TENON_DIM_MUL, n, x->dims[i]);
  tenon_dim dims[] = {c->api->decided(c, n), c->api->size(c, "n", 0)};
  y.dims = dims;
  y.rank = 2;
  return tenon_infer_out(c, 0, &y);
}
static tenon_status twice_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_rw_operand(rw, node, 0);
  return tenon_rw_replace(
      rw, node, tenon_rw_op1(rw, "a::b", tenon_rw_op1(rw, "a::b", x)));
}

#define OP .struct_size = sizeof(tenon_op_desc), .flags = TENON_OP_DECLARED
static const tenon_op_desc ops[] = {
    {OP, .schema = "a::b(Tensor x) -> Tensor", .infer = same_infer},
    {OP, .schema = "a::c(Tensor x, SymInt n=2) -> Tensor", .infer = flat_infer},
    {OP, .schema = "a::d(Tensor x) -> Tensor", .lower = twice_lower},
    {OP, .schema =
             "a::e(Tensor?[] xs, Tensor(a!) y, Tensor? z=None, *, int[2] i=1,"
             " float f=1, Scalar s=2, bool[] b=[], str t=\"\", ScalarType? d="
             "None, float[] g=[], Scalar[] h=[]) -> (Tensor, Tensor[])"},
    {OP, .schema = "core::cond(Tensor pred, Tensor[] args) -> Tensor[]"},
    {OP, .schema = "core::while(Tensor[] args) -> Tensor[]"},
    {OP, .schema = "core::call(Tensor[] args, *, int function) -> Tensor[]"},
    {OP, .schema = "core::state_read(*, str state) -> Tensor"},
    {OP, .schema = "core::state_write(Tensor x, *, str state) -> ()"}};
static const tenon_plugin plugin = {
    TENON_PLUGIN_HEADER, .name = "fuzz", .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&ops[0], &ops[1], &ops[2], &ops[3],
                                          &ops[4], &ops[5], &ops[6], &ops[7],
                                          &ops[8], NULL}};

static int errors;
static void count_error(void *self, const tenon_diag *diag) {
  (void)self;
  errors += diag->severity == TENON_ERROR && diag->message[0] != 0;
}

static tenon_context *context(void) {
  static const tenon_plugin_origin origin = {NULL, NULL, true};
  tenon_context_options o = {.struct_size = sizeof o,
                             .diag = {NULL, count_error}};
  tenon_context *cx = NULL;
  if (tenon_context_init(&o, &cx) != TENON_OK) abort();
  cx->rules = &tenon_rule_texts;
  if (tenon_context_add_plugin(cx, &plugin, &origin) != TENON_OK ||
      tenon_context_freeze(cx) != TENON_OK)
    abort();
  return cx;
}

static tenon_status take(void *self, const char *file, const char *text,
                         size_t size) {
  (void)file;
  tenon_buf_add(self, text, size);
  return TENON_OK;
}

// Prints what reads; false when it does not.
static bool print(tenon_context *cx, const void *data, size_t size,
                  tenon_buf *out, bool is_first) {
  tenon_module *m = NULL;
  errors = 0;
  tenon_status status = tenon_parse_module(cx, data, size, "t", &m);
  if ((status == TENON_OK) != (errors == 0) || (m != NULL) != (errors == 0))
    abort();
  if (!m) return false;
  if (tenon_print_module(m, 0, take, out) != TENON_OK) abort();
  if (is_first && tenon_verify_module(m, NULL) == TENON_OK &&
      tenon_infer_module(m, size % 2) == TENON_OK) {
    tenon_buf other;
    tenon_buf_init(&other, tenon_heap());
    if (tenon_verify_module(m, NULL) == TENON_BUG ||
        tenon_print_module(m, 0, take, &other) != TENON_OK)
      abort();
    tenon_buf_deinit(&other);
  }
  tenon_module_release(m);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tenon_context *cx;
  tenon_buf once, twice;
  if (!cx) cx = context();
  (void)tenon_parse_recognise(data, size);
  tenon_buf_init(&once, tenon_heap());
  tenon_buf_init(&twice, tenon_heap());
  if (print(cx, data, size, &once, true)) {
    if (!print(cx, once.data, once.size, &twice, false)) abort();
    if (strcmp(once.data, twice.data) != 0) abort();
  }
  tenon_buf_deinit(&twice);
  tenon_buf_deinit(&once);
  return 0;
}
