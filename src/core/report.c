// core/report.c - a message on the stack, one call of the sink.
//
// Formatting is the C library's, into an array of fixed size, since a failure
// must be reportable when memory has run out. What does not fit ends in an
// ellipsis, cut between two characters of UTF-8. Names of a model are in it as
// they were in the file, so what may not be printed is escaped here, for all.
#include "core/report.h"

#include <stdio.h>
#include <string.h>

static const char ellipsis[] = "...";

static void failure_format(char *text, const char *fmt, va_list args) {
  int length = vsnprintf(text, TENON_MESSAGE_SIZE, fmt, args);
  if (length < 0) {  // no such argument in this locale: the format itself helps
    length = snprintf(text, TENON_MESSAGE_SIZE, "%s", fmt);
  }
  if (length < TENON_MESSAGE_SIZE) return;
  size_t end = TENON_MESSAGE_SIZE - sizeof ellipsis;
  while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
    --end;
  memcpy(text + end, ellipsis, sizeof ellipsis);
}

// Names in a message may be anything; escaped they may take more room.
static void failure_show(char *text, const char *given) {
  if (tenon_text_show(text, TENON_MESSAGE_SIZE, given) < TENON_MESSAGE_SIZE)
    return;
  (void)tenon_text_show(text, TENON_MESSAGE_SIZE - sizeof ellipsis + 1, given);
  memcpy(text + strlen(text), ellipsis, sizeof ellipsis);
}

static void failure_send(const tenon_report *report, uint32_t severity,
                         const char *id, const tenon_place *place,
                         const tenon_diag *notes, const char *fmt,
                         va_list args) {
  char given[TENON_MESSAGE_SIZE], text[TENON_MESSAGE_SIZE];
  if (!report || !report->sink.report) return;
  failure_format(given, fmt, args);
  failure_show(text, given);
  tenon_diag diag;
  memset(&diag, 0, sizeof diag);
  diag.struct_size = (uint32_t)sizeof diag;
  diag.severity = severity;
  diag.id = id;
  diag.message = text;
  diag.place = place;
  diag.next_note = notes;
  report->sink.report(report->sink.self, &diag);
}

tenon_status tenon_vfail(const tenon_report *report, tenon_status status,
                         const char *id, const tenon_place *place,
                         const tenon_diag *notes, const char *fmt,
                         va_list args) {
  failure_send(report, TENON_ERROR, id, place, notes, fmt, args);
  return status;
}

tenon_status tenon_fail(const tenon_report *report, tenon_status status,
                        const char *id, const tenon_place *place,
                        const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  status = tenon_vfail(report, status, id, place, NULL, fmt, args);
  va_end(args);
  return status;
}

tenon_status tenon_fail_notes(const tenon_report *report, tenon_status status,
                              const char *id, const tenon_place *place,
                              const tenon_diag *notes, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  status = tenon_vfail(report, status, id, place, notes, fmt, args);
  va_end(args);
  return status;
}

tenon_status tenon_fail_memory(const tenon_report *report, const char *doing) {
  return tenon_fail(report, TENON_NO_MEMORY, "memory", NULL,
                    "out of memory while %s", doing);
}

tenon_status tenon_fail_bug(const tenon_report *report, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  tenon_status status =
      tenon_vfail(report, TENON_BUG, "bug", NULL, NULL, fmt, args);
  va_end(args);
  return status;
}

void tenon_warn(const tenon_report *report, const char *id,
                const tenon_place *place, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  failure_send(report, TENON_WARNING, id, place, NULL, fmt, args);
  va_end(args);
}

void tenon_note(const tenon_report *report, const char *id,
                const tenon_place *place, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  failure_send(report, TENON_NOTE, id, place, NULL, fmt, args);
  va_end(args);
}
