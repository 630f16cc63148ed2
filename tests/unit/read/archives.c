#include "unit/read/archives.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put(uint8_t **data, size_t *size, size_t *capacity,
                const void *from, size_t n) {
  if (*capacity - *size < n) {
    *capacity = (*size + n) * 2;
    *data = (uint8_t *)realloc(*data, *capacity);
    if (!*data) abort();
  }
  if (n > 0) memcpy(*data + *size, from, n);
  *size += n;
}

static void file(archive *a, const void *from, size_t n) {
  put(&a->data, &a->size, &a->capacity, from, n);
}

static void number(uint8_t *to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    to[i] = (uint8_t)(value >> (8 * i));
}

static void add(archive *a, const char *name, const void *data, size_t size,
                const void *packed, size_t packed_size, int method) {
  uint8_t local[30] = {'P', 'K', 3, 4}, entry[46] = {'P', 'K', 1, 2};
  uint8_t extra[68] = {'F', 'B'};
  size_t length = strlen(name), header = a->size;
  size_t gap = (64 - (header + 30 + length + 4) % 64) % 64;
  uint32_t crc = (uint32_t)crc32(0, (const Bytef *)data, (uInt)size);
  number(local + 6, 0x0808, 2);  // sizes stand in the directory alone
  number(local + 8, (uint64_t)method, 2);
  number(local + 26, length, 2);
  number(local + 28, gap + 4, 2);
  number(extra + 2, gap, 2);
  file(a, local, sizeof local);
  file(a, name, length);
  file(a, extra, gap + 4);
  file(a, packed, packed_size);
  number(entry + 8, 0x0808, 2);
  number(entry + 10, (uint64_t)method, 2);
  number(entry + 16, crc, 4);
  number(entry + 20, packed_size, 4);
  number(entry + 24, size, 4);
  number(entry + 28, length, 2);
  number(entry + 42, header, 4);
  put(&a->directory, &a->directory_size, &a->directory_capacity, entry,
      sizeof entry);
  put(&a->directory, &a->directory_size, &a->directory_capacity, name, length);
  ++a->count;
}

void archive_add(archive *a, const char *name, const void *data, size_t size) {
  add(a, name, data, size, data, size, 0);
}

void archive_deflate(archive *a, const char *name, const void *data,
                     size_t size) {
  z_stream s = {0};
  uLong bound = compressBound((uLong)size) + 64;
  uint8_t *packed = (uint8_t *)malloc(bound);
  if (!packed || deflateInit2(&s, 9, Z_DEFLATED, -MAX_WBITS, 8,
                              Z_DEFAULT_STRATEGY) != Z_OK)
    abort();
  s.next_in = (z_const Bytef *)(uintptr_t)data;
  s.avail_in = (uInt)size;
  s.next_out = packed;
  s.avail_out = (uInt)bound;
  if (deflate(&s, Z_FINISH) != Z_STREAM_END) abort();
  add(a, name, data, size, packed, bound - s.avail_out, 8);
  (void)deflateEnd(&s);
  free(packed);
}

static void end_wide(archive *a, size_t at) {
  uint8_t end[56] = {'P', 'K', 6, 6}, locator[20] = {'P', 'K', 6, 7};
  size_t here = a->size;
  number(end + 4, 44, 8);
  number(end + 24, a->count, 8);
  number(end + 32, a->count, 8);
  number(end + 40, a->directory_size, 8);
  number(end + 48, at, 8);
  file(a, end, sizeof end);
  number(locator + 8, here, 8);
  number(locator + 16, 1, 4);
  file(a, locator, sizeof locator);
}

void archive_end(archive *a) {
  uint8_t end[22] = {'P', 'K', 5, 6};
  size_t at = a->size;
  file(a, a->directory, a->directory_size);
  if (a->is_wide) end_wide(a, at);
  number(end + 8, a->count, 2);
  number(end + 10, a->count, 2);
  number(end + 12, a->directory_size, 4);
  number(end + 16, at, 4);
  file(a, end, sizeof end);
}

void archive_free(archive *a) {
  free(a->data);
  free(a->directory);
  memset(a, 0, sizeof *a);
}

// ---------------------------------------------------------------------------
// A program
// ---------------------------------------------------------------------------

#define SYMBOL                                                   \
  "{\"as_expr\": {\"expr_str\": \"Symbol('s77', positive=True, " \
  "integer=True)\", \"hint\": {\"as_int\": 2}}}"
#define META(sizes, strides)                                      \
  "{\"dtype\": 7, \"sizes\": [" sizes                             \
  "], \"requires_grad\": false, \"device\": {\"type\": \"cpu\", " \
  "\"index\": null}, \"strides\": [" strides                      \
  "], \"storage_offset\": {\"as_int\": 0}, \"layout\": 7}"
#define TWO "{\"as_int\": 2}"
#define ONE "{\"as_int\": 1}"

const char program_text[] =
    "{\"graph_module\": {\"graph\": {"
    "\"inputs\": [{\"as_tensor\": {\"name\": \"p_w\"}}, "
    "{\"as_tensor\": {\"name\": \"x\"}}],"
    "\"outputs\": [{\"as_tensor\": {\"name\": \"view\"}}],"
    "\"nodes\": ["
    "{\"target\": \"torch.ops.aten.add.Tensor\", \"inputs\": ["
    "{\"name\": \"self\", \"arg\": {\"as_tensor\": {\"name\": \"x\"}}, "
    "\"kind\": 1},"
    "{\"name\": \"other\", \"arg\": {\"as_tensor\": {\"name\": \"p_w\"}}, "
    "\"kind\": 1},"
    "{\"name\": \"alpha\", \"arg\": {\"as_int\": 2}, \"kind\": 2}],"
    "\"outputs\": [{\"as_tensor\": {\"name\": \"add\"}}],"
    "\"metadata\": {\"stack_trace\": \"  File \\\"/home/me/net.py\\\", line "
    "7, in forward\\n    return x\", \"nn_module_stack\": "
    "\"L__self__,,net.M;L__self___fc,fc,torch.nn.Linear\"}, \"name\": "
    "\"add\"},"
    "{\"target\": \"torch.ops.aten.sym_size.int\", \"inputs\": ["
    "{\"name\": \"self\", \"arg\": {\"as_tensor\": {\"name\": \"x\"}}},"
    "{\"name\": \"dim\", \"arg\": {\"as_int\": 0}}],"
    "\"outputs\": [{\"as_sym_int\": {\"as_name\": \"sym_size\"}}],"
    "\"metadata\": {}},"
    "{\"target\": \"_operator.mul\", \"inputs\": ["
    "{\"name\": \"a\", \"arg\": {\"as_sym_int\": {\"as_name\": "
    "\"sym_size\"}}},{\"name\": \"b\", \"arg\": {\"as_int\": 2}}],"
    "\"outputs\": [{\"as_sym_int\": {\"as_name\": \"mul\"}}],"
    "\"metadata\": {}},"
    "{\"target\": \"torch.ops.aten.view.default\", \"inputs\": ["
    "{\"name\": \"self\", \"arg\": {\"as_tensor\": {\"name\": \"add\"}}},"
    "{\"name\": \"size\", \"arg\": {\"as_sym_ints\": [{\"as_name\": "
    "\"mul\"}]}}],"
    "\"outputs\": [{\"as_tensor\": {\"name\": \"view\"}}],"
    "\"metadata\": {}}],"
    "\"tensor_values\": {\"p_w\": " META(TWO, ONE) ", \"x\": " META(
        SYMBOL ", " TWO, TWO ", " ONE) ", \"add\": " META(SYMBOL ", " TWO,
                                                          TWO
                                                          ", " ONE) ", "
    "\"view\": " META(
        "{\"as_expr\": {\"expr_str\": \"Mul(Integer(2), Symbol('s77', "
        "positive=True, integer=True))\", \"hint\": null}}",
        ONE) "},"
    "\"sym_int_values\": {\"sym_size\": " SYMBOL
    ", \"mul\": {\"as_expr\": {\"expr_str\": \"2*s77\"}}},"
    "\"sym_bool_values\": {}, \"sym_float_values\": {}},"
    "\"signature\": {\"input_specs\": [{\"parameter\": {\"arg\": {\"name\": "
    "\"p_w\"}, \"parameter_name\": \"w\"}},"
    "{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"x\"}}}}],"
    "\"output_specs\": [{\"user_output\": {\"arg\": {\"as_tensor\": "
    "{\"name\": \"view\"}}}}]}},"
    "\"range_constraints\": {\"s77\": {\"min_val\": 2, \"max_val\": 64}},"
    "\"schema_version\": {\"major\": 8, \"minor\": 20}}";

const char weights_text[] =
    "{\"config\": {\"w\": {\"path_name\": \"weight_0\", \"is_param\": true, "
    "\"use_pickle\": false, \"tensor_meta\": " META(TWO, ONE) "}}}";

void archive_program(archive *a, const char *program, const char *weights) {
  const float w[2] = {1.5f, -2.0f};
  archive_program_of(a, program, weights, w, sizeof w);
}

void archive_program_of(archive *a, const char *program, const char *weights,
                        const void *data, size_t size) {
  memset(a, 0, sizeof *a);
  a->is_wide = true;
  archive_add(a, "net/archive_format", "pt2", 3);
  archive_add(a, "net/archive_version", "0", 1);
  archive_add(a, "net/byteorder", "little", 6);
  archive_add(a, "net/data/weights/weight_0", data, size);
  archive_add(a, "net/data/weights/model_weights_config.json", weights,
              strlen(weights));
  archive_add(a, "net/models/model.json", program, strlen(program));
  archive_end(a);
}
