// reg/admit/refuse.c - a place made of the plugin's file and the descriptor's
// name.
#include "reg/admit/refuse.h"

#include <stdio.h>

tenon_status tenon_refuse(const tenon_subject *subject, tenon_status status,
                          const char *id, const char *remedy, const char *fmt,
                          ...) {
  const tenon_owner *owner = subject->owner;
  char where[256];
  tenon_place place = {.file = owner->origin ? owner->origin : owner->name,
                       .where = where};
  tenon_diag note = tenon_note_of(id, remedy, &place);
  va_list args;
  if (subject->name) {
    snprintf(where, sizeof where, "%s '%s'", subject->kind, subject->name);
  } else {
    snprintf(where, sizeof where, "%s", subject->kind);
  }
  va_start(args, fmt);
  status = tenon_vfail(&subject->cx->report, status, id, &place,
                       remedy ? &note : NULL, fmt, args);
  va_end(args);
  return status;
}
