// exec/kernel_fault.c - what a kernel says when it fails, with the numbers in
// it.
#include "exec/session_state.h"

// "{0}" and "{1}" stand for the numbers. The text is the kernel's own.
static void fault_expand(const tenon_fault *f, char *out, size_t size) {
  const char *p = f->text ? f->text : "no reason given";
  size_t at = 0;
  while (*p && at + 24 < size) {
    if (p[0] == '{' && (p[1] == '0' || p[1] == '1') && p[2] == '}') {
      int64_t v = f->value[p[1] - '0'];
      uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
      char digits[24];
      int n = 0;
      do {
        digits[n++] = (char)('0' + u % 10);
        u /= 10;
      } while (u);
      if (v < 0) out[at++] = '-';
      while (n > 0)
        out[at++] = digits[--n];
      p += 3;
    } else {
      out[at++] = *p++;
    }
  }
  out[at] = 0;
}

tenon_status tenon_session_explain(const tenon_session *s,
                                   const tenon_step *step, tenon_status status,
                                   const tenon_fault *fault) {
  const tenon_program_kernel *k = &s->program->kernels[step->kernel];
  char text[TENON_MESSAGE_SIZE];
  fault_expand(fault, text, sizeof text);
  return tenon_fail(&s->report, status, "run-kernel", step->place,
                    "'%s', kernel '%s' of plugin '%s': %s", step->op, k->symbol,
                    k->owner, text);
}
