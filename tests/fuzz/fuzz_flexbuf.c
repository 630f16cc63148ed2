// Any bytes as a FlexBuffer: they are refused, with a range inside of them, or
// every value can be read.
#include <stdlib.h>

#include "read/flexbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t seen;  // so that no read is dropped

static void look_at(const tenon_flex *v) {
  tenon_flex_kind kind = tenon_flex_look(v);
  tenon_text text = tenon_flex_text(v);
  seen += (uint64_t)tenon_flex_int(v) + (tenon_flex_float(v) > 0);
  seen += (unsigned char)*tenon_flex_kind_name(kind);
  for (size_t i = 0; i < text.size; ++i)
    seen += (unsigned char)text.data[i];
  if (kind == TENON_FLEX_STRING && text.data[text.size] != 0) abort();
  for (uint64_t i = 0; i < tenon_flex_count(v); ++i) {
    tenon_flex item = tenon_flex_item(v, i);
    if (kind == TENON_FLEX_MAP && !tenon_flex_key(v, i).data) abort();
    look_at(&item);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tenon_flex root;
  tenon_flex_error error = {NULL, 0, 0};
  tenon_bytes bytes = {data, size};
  if (tenon_flex_verify(bytes, &root, &error)) {
    look_at(&root);
  } else if (!error.text || error.at > size || error.size > size - error.at) {
    abort();
  }
  return 0;
}
