// How: character by character. What may not be printed is written as its bytes,
// or in JSON as its code, of which those above U+FFFF are two.
#include "base/show.h"

#include <string.h>

#include "base/text.h"

// Characters of two bytes and more that nobody sees but a terminal or an editor
// obeys, first and last of each run: C1; marks, embeddings, overrides and
// isolates of direction, with the separators of lines; the mark of a byte
// order; annotations; tags.
static const uint32_t unseen[][2] = {
    {0x80, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f}, {0x2028, 0x202e},
    {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

// The character at the start of a text and its bytes; 0 if it is no UTF-8.
static size_t show_take(const char *data, size_t size, uint32_t *code) {
  const unsigned char *p = (const unsigned char *)data;
  size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
  if (n > size || !tenon_text_is_utf8(data, n)) return 0;
  *code = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));
  for (size_t i = 1; i < n; ++i)
    *code = *code << 6 | (p[i] & 0x3fu);
  return n;
}

static bool show_is_seen(uint32_t code) {
  if (code < 0x20 || code == 0x7f) return false;
  for (size_t i = 0; i < sizeof unseen / sizeof *unseen; ++i)
    if (code >= unseen[i][0] && code <= unseen[i][1]) return false;
  return true;
}

size_t tenon_text_shown(const char *data, size_t size) {
  uint32_t code = 0;
  // Of most texts every character, so it is asked first.
  if (size && data[0] >= 0x20 && data[0] < 0x7f) return 1;
  size_t n = show_take(data, size, &code);
  return n && show_is_seen(code) ? n : 0;
}

// What is written so far; `used` goes on counting when it is full.
typedef struct writing {
  char *to;
  size_t size, used;
  bool is_full;
} writing;

static void show_put(writing *w, const char *data, size_t n) {
  w->is_full = w->is_full || w->used >= w->size || n >= w->size - w->used;
  if (!w->is_full) {
    memcpy(w->to + w->used, data, n);
    w->to[w->used + n] = 0;
  }
  w->used += n;
}

// `mark` and the last `count` hexadecimal digits of a number.
static void put_hex(writing *w, char mark, uint32_t value, size_t count) {
  char text[6] = {'\\', mark};
  for (size_t i = 0; i < count; ++i)
    text[2 + i] = "0123456789abcdef"[value >> 4 * (count - 1 - i) & 15];
  show_put(w, text, 2 + count);
}

static void show_begin(writing *w) {
  if (w->size > 0) w->to[0] = 0;
}

size_t tenon_text_show(char *to, size_t size, const char *text) {
  writing w = {to, size, 0, false};
  size_t length = strlen(text);
  show_begin(&w);
  for (size_t i = 0; i < length;) {
    size_t n = tenon_text_shown(text + i, length - i);
    if (n)
      show_put(&w, text + i, n);
    else
      put_hex(&w, 'x', (unsigned char)text[i], 2);
    i += n ? n : 1;
  }
  return w.used;
}

static void show_put_json(writing *w, const char *data, size_t n,
                          uint32_t code) {
  static const char plain[] = "\"\\\n\t\r\b\f", escaped[] = "\"\\ntrbf";
  const char *found = code && code < 0x80 ? strchr(plain, (int)code) : NULL;
  if (n == 0) {
    show_put(w, "\xef\xbf\xbd", 3);
  } else if (found) {
    char pair[2] = {'\\', escaped[found - plain]};
    show_put(w, pair, 2);
  } else if (show_is_seen(code)) {
    show_put(w, data, n);
  } else if (code > 0xffff) {
    put_hex(w, 'u', 0xd800 + ((code - 0x10000) >> 10), 4);
    put_hex(w, 'u', 0xdc00 + ((code - 0x10000) & 0x3ff), 4);
  } else {
    put_hex(w, 'u', code, 4);
  }
}

size_t tenon_text_json(char *to, size_t size, const char *text) {
  writing w = {to, size, 0, false};
  size_t length = strlen(text);
  show_begin(&w);
  for (size_t i = 0; i < length;) {
    uint32_t code = 0;
    size_t n = show_take(text + i, length - i, &code);
    show_put_json(&w, text + i, n, code);
    i += n ? n : 1;
  }
  return w.used;
}
