// Files of "NET1", a byte n, and n floats, little-endian: these are added to
// the input, and all is doubled.
#include "tenon/ext/reader.h"

#include "tenon/ext/plugin.h"

enum { BEGIN = 5, MOST = 255 };

static bool recognise(const void *data, size_t size) {
  const uint8_t *p = (const uint8_t *)data;
  return size >= 4 && p[0] == 'N' && p[1] == 'E' && p[2] == 'T' && p[3] == '1';
}

static tenon_status read(tenon_reading *r) {
  union {
    uint32_t bits;
    float value;
  } w[MOST];
  if (r->size < BEGIN) return r->api->fail(r, 4, "there is no count");
  const size_t n = r->data[4];
  if (r->size - BEGIN != 4 * n)
    return r->api->fail(r, BEGIN, "%zu floats are %zu bytes, found %zu", n,
                        4 * n, r->size - BEGIN);
  for (size_t i = 0; i < n; ++i) {
    const uint8_t *p = r->data + BEGIN + 4 * i;
    w[i].bits = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                (uint32_t)p[3] << 24;
  }
  const tenon_dim dims[] = {{(int64_t)n, 0}};
  const tenon_type type = {.dims = dims, .dtype = TENON_F32, .rank = 1};
  tenon_value *in[2], *sum, *y;
  in[0] = r->api->input(r, "x", &type);
  in[1] = r->api->constant(r, "w", &type, w, false);
  const tenon_build add = {.struct_size = sizeof add,
                           .n_in = 2,
                           .n_out = 1,
                           .op = "core::add",
                           .in = in,
                           .out = &sum};
  r->api->node(r, &add, NULL, "layer 0");
  const tenon_arg args[] = {tenon_arg_float("gain", 2), TENON_END_ARGS};
  const tenon_build gain = {.struct_size = sizeof gain,
                            .n_in = 1,
                            .n_out = 1,
                            .op = "acme::gain",
                            .args = args,
                            .in = &sum,
                            .out = &y};
  const char *const names[] = {"y"};
  TENON_TRY(r->api->output(r, "y", r->api->node(r, &gain, names, "layer 1")));
  return r->api->entry(r, "main");
}

static const tenon_reader_desc reader = {
    .struct_size = sizeof reader,
    .name = "stranger-net",
    .doc = "NET1, a count, floats.",
    .recognise = recognise,
    .read = read,
};
static const tenon_reader_desc *const readers[] = {&reader, NULL};

static const tenon_plugin plugin = {TENON_PLUGIN_HEADER,
                                    .name = "stranger_reader",
                                    .version = "1.0.0", .readers = readers};
TENON_PLUGIN_EXPORT(stranger_reader, plugin);
