// How: what is wrong with the spans is said here; the packer takes what makes
// sense. What it made is checked by a function that shares nothing with it.
#include "base/heap.h"
#include "core/report.h"
#include "program/pack/pack.h"

static tenon_status pack_checked(const tenon_report *report,
                                 const tenon_pack_options *o, tenon_span *spans,
                                 size_t n, tenon_packing *out) {
  const char *why = NULL;
  size_t culprit[2] = {0, 0};
  const char *doing = "packing";
  if (!tenon_pack_valid(spans, n, &o->allocator, &culprit[0], &why))
    return why ? tenon_fail(report, TENON_BAD_ARGUMENT, "pack-span", NULL,
                            "span %zu: %s", culprit[0], why)
               : tenon_fail_memory(report, doing);
  if (!tenon_pack_with(o, spans, n, &o->allocator, out))
    return tenon_fail_memory(report, doing);
  if (tenon_pack_check(spans, n, &o->allocator, culprit)) return TENON_OK;
  if (culprit[0] == n) return tenon_fail_memory(report, doing);
  if (spans[culprit[0]].is_fixed && spans[culprit[1]].is_fixed)
    return tenon_fail(report, TENON_BAD_ARGUMENT, "pack-span", NULL,
                      "spans %zu and %zu are fixed at one place", culprit[0],
                      culprit[1]);
  return tenon_fail_bug(report, "the packer put spans %zu and %zu at one place",
                        culprit[0], culprit[1]);
}

tenon_status tenon_pack_spans(const tenon_pack_options *options,
                              tenon_span *spans, size_t n, tenon_packing *out) {
  tenon_pack_options o = {.struct_size = sizeof o};
  tenon_report report = {{NULL, NULL}};
  if (options && !tenon_admit(&o, sizeof o, options)) {
    report.sink = options->diag;
    return tenon_fail(&report, TENON_BAD_ARGUMENT, "pack-options", NULL,
                      "the options of packing have a size of %u bytes",
                      options->struct_size);
  }
  report.sink = o.diag;
  if (!o.allocator.resize) o.allocator = tenon_heap();
  if (o.flags & ~(uint32_t)TENON_PACK_QUICK)
    return tenon_fail(&report, TENON_BAD_ARGUMENT, "pack-options", NULL,
                      "unknown flags 0x%x in the options of packing", o.flags);
  return pack_checked(&report, &o, spans, n, out);
}
