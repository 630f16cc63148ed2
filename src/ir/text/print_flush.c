// ir/text/print_flush.c - handing on what was printed.
#include "ir/text/printer.h"

void tenon_printer_flush(tenon_printer *p, size_t least) {
  if (p->holds || p->out.size < least || p->out.failed || p->out.size == 0)
    return;
  if (p->status == TENON_OK)
    p->status = p->write(p->self, NULL, p->out.data, p->out.size);
  tenon_buf_clear(&p->out);
}
