// How: whole characters are copied until the room ends; whatever a terminal
// might obey, and whatever is no UTF-8, becomes a question mark.
#include "base/label.h"

#include <stdio.h>

#include "base/show.h"

void tenon_label_make(char label[TENON_LABEL], tenon_text name) {
  static const char ellipsis[] = "...";
  size_t limit = TENON_LABEL - sizeof ellipsis, used = 0;
  for (size_t i = 0; i < name.size;) {
    size_t n = tenon_text_shown(name.data + i, name.size - i);
    if (used + (n ? n : 1) > limit) {
      memcpy(label + used, ellipsis, sizeof ellipsis);
      return;
    }
    if (n == 0) label[used++] = '?';
    memcpy(label + used, name.data + i, n);
    used += n;
    i += n ? n : 1;
  }
  label[used] = 0;
}

// Room that "and N more" needs.
#define TAIL 32

void tenon_labels_add(tenon_labels *l, const char *name) {
  char label[TENON_LABEL];
  if (!name) return;
  ++l->count;
  if (l->shown + 1 < l->count ||
      l->size + TENON_LABEL + 4 + TAIL > sizeof l->text)
    return;
  tenon_label_make(label, tenon_text_of(name));
  l->size += (size_t)snprintf(l->text + l->size, sizeof l->text - l->size,
                              "%s'%s'", l->shown ? ", " : "", label);
  ++l->shown;
}

const char *tenon_labels_text(tenon_labels *l) {
  if (l->count == 0) return "none";
  if (l->shown < l->count)
    (void)snprintf(l->text + l->size, sizeof l->text - l->size, " and %zu more",
                   l->count - l->shown);
  return l->text;
}
