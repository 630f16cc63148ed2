// check_ref.c - fails where a condition is zero.
#include "kern/loop/select.h"

TENON_KERNEL(tenon_k_check_ref) {
  const tenon_check_attrs *a = (const tenon_check_attrs *)c->attrs;
  const ptrdiff_t n = (ptrdiff_t)tenon_count(&c->in[0]);
  const unsigned char *x = (const unsigned char *)c->in[0].data;
  for (ptrdiff_t i = 0; i < n; ++i)
    if (!x[i]) return tenon_call_fail(c, a->message, 0, 0);
  return TENON_OK;
}
