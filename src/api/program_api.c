// api/program_api.c - programs to bytes and back.
#include "core/report.h"
#include "tnp/tnp.h"

static tenon_status check_flags(const tenon_report *report, uint32_t flags,
                                uint32_t known) {
  if ((flags & ~known) == 0) return TENON_OK;
  return tenon_fail(report, TENON_BAD_ARGUMENT, "options-flags", NULL,
                    "flags 0x%x that this library does not know",
                    (unsigned)flags);
}

tenon_status tenon_program_save(const tenon_program *p, uint32_t flags,
                                tenon_write_fn *write, void *self) {
  TENON_TRY(
      check_flags(&p->report, flags, TENON_SAVE_STRIP | TENON_SAVE_UNPACKED));
  return tenon_tnp_save(p, flags, write, self);
}

tenon_status tenon_program_load(tenon_context *cx, const void *data,
                                size_t size, const char *name, uint32_t flags,
                                tenon_program **out) {
  tenon_bytes file = {(const uint8_t *)data, size};
  *out = NULL;
  TENON_TRY(check_flags(&cx->report, flags, TENON_LOAD_BORROW));
  return tenon_tnp_load(cx, file, name, flags, out);
}

bool tenon_program_is_saved(const void *data, size_t size) {
  tenon_bytes file = {(const uint8_t *)data, size};
  return tenon_tnp_is(file);
}

tenon_status tenon_program_describe(tenon_context *cx, const void *data,
                                    size_t size, const char *name,
                                    uint32_t format, tenon_write_fn *write,
                                    void *self) {
  tenon_bytes file = {(const uint8_t *)data, size};
  return tenon_tnp_info(cx, file, name, format, write, self);
}
