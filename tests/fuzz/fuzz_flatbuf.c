// Any bytes as a .tflite: they are refused with one report, or everything that
// the schema knows of can be read.
#include <stdlib.h>
#include <string.h>

#include "read/tflite/tflite_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t seen;  // so that no read is dropped

static void look_at_table(const tenon_fb_table *t);

static void look_at_vector(const tenon_fb_vector *v) {
  for (uint32_t i = 0; i < v->count; ++i) {
    tenon_fb_table item = tenon_fb_item(v, i);
    seen += (uint64_t)tenon_fb_item_int(v, i);
    seen += tenon_fb_item_float(v, i) > 0;
    if (item.type) look_at_table(&item);
  }
}

static void look_at_table(const tenon_fb_table *t) {
  if (tenon_fb_table_bytes(t).size < 4) abort();
  for (int slot = 0; t->type->fields[slot]; ++slot) {
    tenon_text text = tenon_fb_text(t, slot);
    tenon_bytes bytes = tenon_fb_data(t, slot);
    tenon_fb_vector list = tenon_fb_list(t, slot);
    tenon_fb_table child = tenon_fb_child(t, slot);
    seen += (uint64_t)tenon_fb_int(t, slot, 1);
    seen += tenon_fb_float(t, slot, 1) > 0;
    for (size_t i = 0; i < text.size; ++i)
      seen += (unsigned char)text.data[i];
    if (text.data && text.data[text.size] != 0) abort();
    if (bytes.size > 0) seen += bytes.data[bytes.size - 1];
    if (t->type->fields[slot] != 'D') look_at_vector(&list);
    if (child.type) look_at_table(&child);
  }
}

static void count(void *self, const tenon_diag *diag) {
  const tenon_place *p = diag->place;
  if (!p || !p->where || p->offset + p->size < p->offset) abort();
  ++*(int *)self;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int n = 0;
  tenon_report report = {{&n, count}};
  tenon_tflite file;
  tenon_bytes bytes = {data, size};
  memset(&file, 0, sizeof file);
  tenon_status status = tenon_tflite_open(&file, bytes, &report, "input");
  if (n != (status != TENON_OK)) abort();
  if (status == TENON_OK) look_at_table(&file.model);
  return 0;
}
