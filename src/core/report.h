// core/report.h - the only source of failure.
//
// A failure is made in one way: tenon_fail formats the message, hands it to the
// sink, and returns the code, so that code and message cannot part. Nothing is
// stored between calls and nothing is allocated: threads may fail at the same
// time, and running out of memory can be reported. `return TENON_<code>` stands
// nowhere else (tools/check_style.py), but in kernels, which have no sink.
//
// Ids are stable and documented in docs/errors.md: "<area>-<what>".
#ifndef TENON_CORE_REPORT_H
#define TENON_CORE_REPORT_H

#include <stdarg.h>

#include "tenon/diag.h"

// Where reports go and from which file the places come. Embedded in the context
// (file null) and in each module (file: its name). Read-only while in use.
typedef struct tenon_report {
  tenon_diag_sink sink;  // report null: dropped
} tenon_report;

// Messages longer than this are cut with an ellipsis.
#define TENON_MESSAGE_SIZE 512

// `place` may be null: nothing to say about where. Returns `status`.
tenon_status tenon_fail(const tenon_report *report, tenon_status status,
                        const char *id, const tenon_place *place,
                        const char *fmt, ...) TENON_PRINTF(5, 6);
tenon_status tenon_vfail(const tenon_report *report, tenon_status status,
                         const char *id, const tenon_place *place,
                         const tenon_diag *notes, const char *fmt,
                         va_list args);
// With notes, which the caller chains on its stack (severity TENON_NOTE).
tenon_status tenon_fail_notes(const tenon_report *report, tenon_status status,
                              const char *id, const tenon_place *place,
                              const tenon_diag *notes, const char *fmt, ...)
    TENON_PRINTF(6, 7);
// A note: `place` null: that of what it belongs to.
TENON_INLINE tenon_diag tenon_note_of(const char *id, const char *message,
                                      const tenon_place *place) {
  const tenon_diag note = {sizeof note, TENON_NOTE, id, message, place, NULL};
  return note;
}
// "out of memory while <doing>" as TENON_NO_MEMORY, id "memory".
tenon_status tenon_fail_memory(const tenon_report *report, const char *doing);
// A defect of this library: id "bug", TENON_BUG.
tenon_status tenon_fail_bug(const tenon_report *report, const char *fmt, ...)
    TENON_PRINTF(2, 3);

void tenon_warn(const tenon_report *report, const char *id,
                const tenon_place *place, const char *fmt, ...)
    TENON_PRINTF(4, 5);
void tenon_note(const tenon_report *report, const char *id,
                const tenon_place *place, const char *fmt, ...)
    TENON_PRINTF(4, 5);

#endif  // TENON_CORE_REPORT_H
