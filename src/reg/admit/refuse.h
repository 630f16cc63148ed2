// reg/admit/refuse.h - saying which descriptor of which plugin is refused, and
// why.
//
// The place of such a diagnostic is the plugin's file and the descriptor's
// name; a note says what its author or its user can do about it.
#ifndef TENON_REG_REFUSE_H
#define TENON_REG_REFUSE_H

#include "reg/context.h"

// What is being looked at. `name` may be null: not known yet.
typedef struct tenon_subject {
  const tenon_context *cx;
  const tenon_owner *owner;
  const char *kind;  // "operator", "kernel"
  const char *name;
} tenon_subject;

// Reports and returns `status`. `remedy` becomes a note; null: there is none.
tenon_status tenon_refuse(const tenon_subject *subject, tenon_status status,
                          const char *id, const char *remedy, const char *fmt,
                          ...) TENON_PRINTF(5, 6);

// An owner in a message: "plugin " TENON_OWNER, TENON_OWNER_ARGS(owner) gives
// "plugin 'acme' (./acme.so)".
#define TENON_OWNER "'%s'%s%s%s"
#define TENON_OWNER_ARGS(o)                                           \
  (o)->name, (o)->origin ? " (" : "", (o)->origin ? (o)->origin : "", \
      (o)->origin ? ")" : ""

#endif  // TENON_REG_REFUSE_H
