// How: whole characters are copied until the room ends; whatever a terminal
// might obey, and whatever is no UTF-8, becomes a question mark.
#include "base/label.h"

// Bytes of the character at `data`: valid UTF-8 and no control character; 0 if
// it is not to be shown.
static size_t shown(const char *data, size_t size) {
  unsigned char lead = (unsigned char)data[0];
  size_t n = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0x20 || lead == 0x7f) return 0;
  if (n > size || !tenon_text_is_utf8(data, n)) return 0;
  if (lead == 0xc2 && (unsigned char)data[1] < 0xa0) return 0;
  return n;
}

void tenon_label_make(char label[TENON_LABEL], tenon_text name) {
  static const char ellipsis[] = "...";
  size_t limit = TENON_LABEL - sizeof ellipsis, used = 0;
  for (size_t i = 0; i < name.size;) {
    size_t n = shown(name.data + i, name.size - i);
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
