// dense.c - a file format of one's own: a chain of dense layers.
//
//   "DNS1", the number of layers, then of each: inputs, outputs, 1 for a relu
//   behind it, outputs times inputs weights and as many biases as outputs.
//   Numbers are 32-bit, little-endian; weights and biases are floats.
//
//   tenon verify net.dense --plugin plugins/formats/dense.c --case case0
//
// What the file holds is not trusted: every number is checked before it is
// used, and no byte behind the end is read.
#include <string.h>

#include "tenon/ext/plugin.h"
#include "tenon/ext/reader.h"

typedef struct cursor {
  tenon_reading *r;
  size_t at;
} cursor;

static tenon_status number(cursor *c, uint32_t *out) {
  const uint8_t *p = c->r->data + c->at;
  if (c->r->size - c->at < 4)
    return c->r->api->fail(c->r, c->at, "the file ends in a number");
  *out = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
         (uint32_t)p[3] << 24;
  c->at += 4;
  return TENON_OK;
}

// Floats of the file as they lie there; rows of one column where n_in is 0.
static tenon_status floats(cursor *c, const char *name, uint32_t n_out,
                           uint32_t n_in, tenon_value **out) {
  uint64_t size = 4 * (uint64_t)n_out * (n_in ? n_in : 1);
  tenon_dim dims[2] = {{n_out, 0}, {n_in, 0}};
  tenon_type type = {dims, NULL, TENON_F32, n_in ? 2 : 1, 0};
  if (c->r->size - c->at < size)
    return c->r->api->fail(c->r, c->at, "the file ends in the floats of %s",
                           name);
  *out = c->r->api->constant(c->r, name, &type, c->r->data + c->at, true);
  c->at += (size_t)size;
  return TENON_OK;
}

static tenon_value *node(tenon_reading *r, const char *op, tenon_value **in,
                         uint32_t n_in, const char *where) {
  tenon_value *out = NULL;
  tenon_build b = {.struct_size = sizeof b,
                   .n_in = n_in,
                   .n_out = 1,
                   .op = op,
                   .in = in,
                   .out = &out};
  return r->api->node(r, &b, NULL, where);
}

static tenon_status layer(cursor *c, uint32_t *width, tenon_value **x) {
  uint32_t n_in = 0, n_out = 0, relu = 0;
  tenon_value *in[3] = {*x, NULL, NULL};
  TENON_TRY(number(c, &n_in));
  TENON_TRY(number(c, &n_out));
  TENON_TRY(number(c, &relu));
  if (n_in == 0 || n_out == 0 || n_in > 65536 || n_out > 65536 || relu > 1)
    return c->r->api->fail(c->r, c->at - 12, "a layer of %u by %u", n_in,
                           n_out);
  if (*x && *width != n_in)
    return c->r->api->fail(c->r, c->at - 12, "a layer takes %u, not %u", n_in,
                           *width);
  if (!*x) {
    tenon_dim dims[2] = {c->r->api->open(c->r, "batch", 1, TENON_UNKNOWN),
                         {n_in, 0}};
    tenon_type type = {dims, NULL, TENON_F32, 2, 0};
    in[0] = c->r->api->input(c->r, "x", &type);
  }
  TENON_TRY(floats(c, "weights", n_out, n_in, &in[1]));
  TENON_TRY(floats(c, "bias", n_out, 0, &in[2]));
  *x = node(c->r, "aten::linear", in, 3, "dense");
  if (relu) *x = node(c->r, "aten::relu", x, 1, "relu");
  *width = n_out;
  return TENON_OK;
}

static bool recognise(const void *data, size_t size) {
  return size >= 8 && memcmp(data, "DNS1", 4) == 0;
}

static tenon_status read(tenon_reading *r) {
  cursor c = {r, 4};
  uint32_t n = 0, width = 0;
  tenon_value *x = NULL;
  TENON_TRY(number(&c, &n));
  if (n == 0 || n > 1000) return r->api->fail(r, 4, "%u layers", n);
  for (uint32_t i = 0; i < n; ++i)
    TENON_TRY(layer(&c, &width, &x));
  if (c.at != r->size) return r->api->fail(r, c.at, "bytes behind the end");
  TENON_TRY(r->api->output(r, "y", x));
  return r->api->entry(r, "main");
}

static const tenon_reader_desc dense = {
    .struct_size = sizeof(tenon_reader_desc),
    .name = "dense",
    .doc = "A chain of dense layers, .dense.",
    .recognise = recognise,
    .read = read,
};

static const tenon_plugin dense_format = {
    TENON_PLUGIN_HEADER,
    .name = "dense_format",
    .version = "1.0.0",
    .readers = (const tenon_reader_desc *const[]){&dense, NULL},
};
TENON_PLUGIN_EXPORT(dense_format, dense_format);
