// How: a folder given as a model is told by a file that it must have; what to
// do with it is said once.
#include <stdlib.h>

#include "cli/cli.h"

static const struct {
  const char *member, *is, *remedy;
} folders[] = {
    {"saved_model.pb", "a SavedModel of TensorFlow",
     "tf.lite.TFLiteConverter.from_saved_model(DIR).convert() gives a .tflite"},
    {"Data/com.apple.CoreML", "a Core ML package",
     "nothing converts it back: export the module that it was made from in "
     "PyTorch with torch.export.save, or convert it from TensorFlow"},
    {"archive_format", "an unpacked .pt2", "give the archive itself"},
    {"model.safetensors", "weights with a configuration, as Hugging Face has",
     "load it in PyTorch and save the program: "
     "torch.export.save(torch.export.export(module, args), 'm.pt2')"},
    {"pytorch_model.bin", "weights with a configuration, as Hugging Face has",
     "load it in PyTorch and save the program: "
     "torch.export.save(torch.export.export(module, args), 'm.pt2')"},
    {"model.onnx", "a folder with an ONNX model",
     "onnx2tf (a package of PyPI) writes a .tflite of it"},
    {"model.json", "a model of TensorFlow.js, as it seems",
     "tensorflowjs_converter turns it into a SavedModel, and "
     "tf.lite.TFLiteConverter that into a .tflite"},
    {"model.tflite", "a folder with a .tflite", "give DIR/model.tflite"},
    {"model.pt2", "a folder with a .pt2", "give DIR/model.pt2"},
};

int cli_refuse_folder(cli *c, const char *path) {
  for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
    char *inner = cli_join(path, folders[i].member);
    bool is_it = inner && (cli_is_file(inner) || cli_is_folder(inner));
    free(inner);
    if (is_it)
      return cli_fail(
          c, TENON_IO, "cli-file",
          "expected a .tflite, a .pt2 or text IR; '%s' is a folder, "
          "%s: %s",
          path, folders[i].is, folders[i].remedy);
  }
  return cli_fail(c, TENON_IO, "cli-file",
                  "expected a .tflite, a .pt2 or text IR; '%s' is a folder",
                  path);
}
