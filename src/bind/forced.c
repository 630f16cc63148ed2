// How: what is asked for by name is looked up before anything is compiled, so
// that a slip is told and not without effect.
#include <stdio.h>
#include <string.h>

#include "bind/choose.h"
#include "core/report.h"
#include "program/program.h"
#include "reg/ordered.h"

static tenon_status unknown_op(const tenon_context *cx, const char *asked,
                               const char *name) {
  const char *near = tenon_registry_nearest_op(cx, name);
  return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "compile-kernel", NULL,
                    "kernel '%s': unknown operator '%s'%s%s%s", asked, name,
                    TENON_DID_YOU_MEAN(near));
}

static tenon_status unknown_kernel(const tenon_context *cx, const char *asked,
                                   const tenon_op *op, const char *symbol) {
  tenon_nearest near;
  char other[256] = "";
  tenon_nearest_init(&near, symbol);
  for (uint32_t i = 0; i < op->n_kernels; ++i)
    tenon_nearest_feed(&near, op->kernels[i]->desc->symbol);
  if (near.best)
    snprintf(other, sizeof other, "; did you mean '%s'?", near.best);
  else if (op->n_kernels > 0)
    snprintf(other, sizeof other, "; 'tenon ops %s' lists its %u", op->name,
             (unsigned)op->n_kernels);
  return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "compile-kernel", NULL,
                    "kernel '%s': '%s' has no kernel '%s'%s", asked, op->name,
                    symbol, other);
}

static tenon_status forced_check_one(const tenon_context *cx,
                                     const char *asked) {
  char name[256];
  const tenon_op *op = NULL;
  const char *equals = strchr(asked, '=');
  size_t size = equals ? (size_t)(equals - asked) : 0;
  if (size == 0 || size >= sizeof name)
    return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "compile-kernel", NULL,
                      "kernel '%s': expected OPERATOR=SYMBOL", asked);
  memcpy(name, asked, size);
  name[size] = 0;
  TENON_TRY(tenon_registry_get_op(cx, name, &op));
  if (!op || !op->desc) return unknown_op(cx, asked, name);
  for (uint32_t i = 0; i < op->n_kernels; ++i)
    if (strcmp(op->kernels[i]->desc->symbol, equals + 1) == 0) return TENON_OK;
  if (tenon_ordered_by_symbol(op, equals + 1)) return TENON_OK;
  return unknown_kernel(cx, asked, op, equals + 1);
}

tenon_status tenon_choose_check(const tenon_context *cx,
                                const char *const *forced) {
  for (; forced && *forced; ++forced)
    TENON_TRY(forced_check_one(cx, *forced));
  return TENON_OK;
}

void tenon_choose_tell_unused(const tenon_context *cx,
                              const char *const *forced,
                              const tenon_program *p) {
  for (; forced && *forced; ++forced) {
    const char *symbol = strchr(*forced, '=') + 1;
    size_t i = 0;
    while (i < p->n_kernels && strcmp(p->kernels[i].symbol, symbol) != 0)
      ++i;
    if (i == p->n_kernels)
      tenon_warn(&cx->report, "compile-kernel", NULL,
                 "kernel '%s': without effect, since the program calls no "
                 "'%.*s'",
                 *forced, (int)(symbol - 1 - *forced), *forced);
  }
}
