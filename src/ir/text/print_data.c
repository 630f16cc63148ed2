// ir/text/print_data.c - constants, exactly.
//
// Up to 16 elements are written one by one, if reading them back gives the same
// bytes; everything else as bytes. A constant of zeros only is written as that.

#include "ir/text/element_text.h"
#include "ir/text/printer.h"

#define MOST_ELEMENTS 16
#define LEAST_ZEROS 64  // bytes

void tenon_printer_hex(tenon_printer *p, const void *data, size_t size) {
  static const char digits[] = "0123456789abcdef";
  const unsigned char *bytes = data;
  char piece[256];
  tenon_buf_text(&p->out, "hex\"");
  for (size_t i = 0; i < size;) {
    size_t n = 0;
    for (; i < size && n < sizeof piece; ++i) {
      piece[n++] = digits[bytes[i] >> 4];
      piece[n++] = digits[bytes[i] & 15];
    }
    tenon_buf_add(&p->out, piece, n);
    tenon_printer_flush(p, 1u << 16);
  }
  tenon_buf_char(&p->out, '"');
}

void tenon_printer_bytes(tenon_printer *p, const void *data, size_t size) {
  bool is_text =
      tenon_text_is_utf8(data, size) && (size == 0 || !memchr(data, 0, size));
  if (is_text) {
    tenon_buf_quote(&p->out, data, size);
  } else {
    tenon_printer_hex(p, data, size);
  }
}

static void print_texts(tenon_printer *p, const tenon_string *texts, size_t n) {
  tenon_buf_char(&p->out, '{');
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) tenon_buf_text(&p->out, ", ");
    tenon_buf_quote(&p->out, texts[i].at.data, (size_t)texts[i].size);
    tenon_printer_flush(p, 1u << 16);
  }
  tenon_buf_char(&p->out, '}');
}

// Whether the list that starts at `begin` of the output reads back the same.
static bool print_data_print_list(tenon_printer *p, tenon_dtype dtype,
                                  const void *data, size_t count, size_t size) {
  unsigned char again[MOST_ELEMENTS * 8];
  memset(again, 0, sizeof again);
  tenon_buf_char(&p->out, '{');
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) tenon_buf_text(&p->out, ", ");
    size_t begin = p->out.size;
    tenon_element_print(dtype, data, i, &p->out);
    if (p->out.failed) return true;
    tenon_text text = {p->out.data + begin, p->out.size - begin};
    if (!tenon_element_read(dtype, text, again, i)) return false;
  }
  tenon_buf_char(&p->out, '}');
  return memcmp(again, data, size) == 0;
}

// Each byte is compared with the next one.
static bool print_data_is_zero(const unsigned char *data, size_t size) {
  return data[0] == 0 && memcmp(data, data + 1, size - 1) == 0;
}

static bool print_zeros(tenon_printer *p, const void *data, size_t size) {
  if (size < LEAST_ZEROS || size > TENON_TEXT_ZEROS - p->n_zeros) return false;
  if (!print_data_is_zero(data, size)) return false;
  p->n_zeros += size;
  tenon_buf_text(&p->out, "zeros");
  return true;
}

void tenon_printer_data(tenon_printer *p, const tenon_type *type,
                        const tenon_tensor *t) {
  uint64_t count = 0;
  size_t size = 0;
  if (!tenon_type_count(type, &count)) return;
  if (tenon_tensor_is_apart(t)) {
    tenon_buf_text(&p->out, "apart");
    return;
  }
  bool is_large = count > MOST_ELEMENTS;
  if (is_large && (p->flags & TENON_PRINT_ELIDE)) {
    tenon_buf_text(&p->out, "...");
    return;
  }
  if (t->dtype == TENON_STR) {
    print_texts(p, t->data, (size_t)count);
    return;
  }
  if (!tenon_type_size(type, &size)) return;
  if (print_zeros(p, t->data, size)) return;
  size_t begin = p->out.size;
  if (!is_large && tenon_element_has_text(t->dtype) && !p->out.failed) {
    if (print_data_print_list(p, t->dtype, t->data, (size_t)count, size))
      return;
    p->out.size = begin;
    p->out.data[begin] = 0;
  }
  tenon_printer_hex(p, t->data, size);
}
