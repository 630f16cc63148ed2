// How: tables of first bytes and of members of archives. Three formats are
// messages of protobuf, which has no first bytes of its own: their first fields
// have to be those of the format, and the suffix of the file decides where they
// may be those of another.
#include "read/foreign.h"

#include "base/text.h"

#define EXPORT "torch.export.save(torch.export.export(module, args), 'm.pt2')"
#define OF_MODULE "export the module that it was made from in PyTorch: " EXPORT

static const char weights_remedy[] =
    "it has weights and no program: save the program with " EXPORT
    " and give these with --weights where they are others";
static const char keras_remedy[] =
    "tf.lite.TFLiteConverter.from_keras_model(tf.keras.models.load_model(F))"
    ".convert() gives a .tflite of it";
static const char onnx_remedy[] =
    "onnx2tf (a package of PyPI) writes a .tflite of it; or, in "
    "PyTorch, " EXPORT " of the module that it was made from";
static const char mlmodel_remedy[] =
    "nothing converts it back: " OF_MODULE ", or convert it from TensorFlow";
static const char graph_remedy[] =
    "tf.lite.TFLiteConverter.from_saved_model(DIR).convert() gives a .tflite "
    "of the folder it lies in; of a graph alone, "
    "tf.compat.v1.lite.TFLiteConverter.from_frozen_graph";

// --- first bytes ------------------------------------------------------------

static const struct {
  uint8_t at, size;
  const char *bytes;
  tenon_foreign is;
} signatures[] = {
    {0, 2, "\x1f\x8b", {"a gzip file", "unpack it first"}},
    {0,
     4,
     "\x7f"
     "ELF",
     {"an ELF image", NULL}},
    {0,
     8,
     "\x89HDF\r\n\x1a\n",
     {"an HDF5 file, as Keras writes (.h5)", keras_remedy}},
    {0,
     4,
     "GGUF",
     {"a GGUF file", "it has weights of llama.cpp and no program"}},
    {0,
     6,
     "\x93NUMPY",
     {"a NumPy array", "an input of 'tenon run' is given with --input"}},
    {0,
     2,
     "\x80\x02",
     {"a pickle, as torch.save wrote before torch 1.6 (.pth)", weights_remedy}},
    {0, 5, "%PDF-", {"a PDF document", NULL}},
    {4, 4, "ET12", {"an ExecuTorch program (.pte)", OF_MODULE}},
    {4, 4, "FT01", {"tensors of ExecuTorch (.ptd)", OF_MODULE}},
    {4, 4, "ORTM", {"a model of ONNX Runtime (.ort)", onnx_remedy}},
    {0, 1, "{", {"a JSON text", NULL}},
    {0, 1, "<", {"a text of markup", NULL}},
};

// A header of JSON behind its size.
static bool is_safetensors(const uint8_t *b, size_t size) {
  uint64_t header = 0;
  if (size < 10 || b[8] != '{') return false;
  for (int i = 7; i >= 0; --i)
    header = header << 8 | b[i];
  return header >= 2 && header <= size - 8;
}

// --- messages ---------------------------------------------------------------

// A varint at *at, which moves behind it.
static bool read_varint(const uint8_t *b, size_t size, size_t *at,
                        uint64_t *out) {
  *out = 0;
  for (int shift = 0; shift < 63 && *at < size; shift += 7) {
    uint8_t byte = b[(*at)++];
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// The content of a field with a length at *at, by its tag.
static bool read_piece(const uint8_t *b, size_t size, size_t *at, uint8_t tag,
                       tenon_text *out) {
  uint64_t n = 0;
  if (*at >= size || b[*at] != tag) return false;
  ++*at;
  if (!read_varint(b, size, at, &n) || n > size - *at) return false;
  *out = (tenon_text){(const char *)b + *at, (size_t)n};
  return true;
}

static bool is_printable(tenon_text t) {
  bool ok = t.size > 0;
  for (size_t i = 0; ok && i < t.size; ++i)
    ok = t.data[i] >= ' ' && t.data[i] <= '~';
  return ok;
}

// Field 1 is the version of each but the graph, whose nodes begin with their
// names.
static tenon_foreign find_message(const uint8_t *b, size_t size,
                                  const char *name) {
  static const tenon_foreign onnx = {"an ONNX model", onnx_remedy},
                             core_ml = {"a Core ML model (.mlmodel)",
                                        mlmodel_remedy},
                             graph = {"a graph of TensorFlow (.pb)",
                                      graph_remedy};
  const tenon_foreign none = {NULL, NULL};
  size_t at = 1;
  uint64_t version = 0;
  tenon_text piece, inner;
  if (size < 4) return none;
  if (b[0] == 0x0a) {
    at = 0;
    if (!read_piece(b, size, &at, 0x0a, &piece)) return none;
    size_t within = 0;
    return read_piece((const uint8_t *)piece.data, piece.size, &within, 0x0a,
                      &inner) &&
                   is_printable(inner)
               ? graph
               : none;
  }
  if (b[0] != 0x08 || !read_varint(b, size, &at, &version) || version < 1 ||
      version > 64 || at >= size)
    return none;
  if (tenon_text_ends(name, ".pb")) return graph;
  if (tenon_text_ends(name, ".mlmodel")) return core_ml;
  if (tenon_text_ends(name, ".onnx")) return onnx;
  if (b[at] == 0x12 && at + 2 < size && read_piece(b, size, &at, 0x12, &piece))
    return is_printable(piece) ? onnx : core_ml;
  // Without a producer: its domain, the graph, what operators it uses.
  return b[at] == 0x3a || b[at] == 0x42 || b[at] == 0x22 ? onnx : none;
}

tenon_foreign tenon_foreign_bytes(const void *data, size_t size,
                                  const char *name) {
  const uint8_t *b = (const uint8_t *)data;
  for (size_t i = 0; i < sizeof signatures / sizeof *signatures; ++i)
    if (size >= (size_t)signatures[i].at + signatures[i].size &&
        memcmp(b + signatures[i].at, signatures[i].bytes, signatures[i].size) ==
            0)
      return signatures[i].is;
  if (is_safetensors(b, size))
    return (tenon_foreign){"weights of safetensors", weights_remedy};
  return find_message(b, size, name ? name : "");
}

// --- archives ---------------------------------------------------------------

static const struct {
  const char *member;  // the end of a member's name
  tenon_foreign is;
} members[] = {
    // TorchScript has data.pkl, too.
    {"/constants.pkl", {"a TorchScript archive", OF_MODULE}},
    {"/data.pkl", {"a file of torch.save (.pt, .pth)", weights_remedy}},
    {"model.weights.h5", {"a Keras archive (.keras)", keras_remedy}},
    {".mlmodel", {"a Core ML package", mlmodel_remedy}},
    {".npy",
     {"an archive of NumPy arrays (.npz)",
      "an input of 'tenon run' is given with --input"}},
    {".onnx", {"an archive with an ONNX model", "unpack it first"}},
    {".tflite", {"an archive with a .tflite", "unpack it first"}},
};

tenon_foreign tenon_foreign_zip(const tenon_zip *zip) {
  for (size_t k = 0; k < sizeof members / sizeof *members; ++k)
    for (size_t i = 0; i < zip->count; ++i)
      if (tenon_text_ends(zip->members[i].name, members[k].member))
        return members[k].is;
  return (tenon_foreign){NULL, NULL};
}
