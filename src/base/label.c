// How: whole characters are copied until the room ends; whatever a terminal
// might obey, and whatever is no UTF-8, becomes a question mark.
#include "base/label.h"

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
