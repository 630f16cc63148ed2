// How: a file goes to the library as it is; of a folder every .npy is a weight,
// named as the file without its suffix.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static bool is_npy(const char *name) {
  return cli_ends_with(name, ".npy") && strlen(name) > 4;
}

static int add_npy(cli *c, const char *folder, const char *file,
                   tenon_weights *w) {
  cli_tensor t;
  char *path = cli_join(folder, file);
  char *name = strdup(file);
  int code = path && name ? 0 : CLI_NO_MEMORY;
  if (code == 0) name[strlen(name) - 4] = 0;
  if (code == 0 && !cli_npy_read(c, path, &t)) code = TENON_IO;
  if (code == 0) {
    code = cli_exit(tenon_weights_add(w, name, &t.view));
    cli_tensor_free(&t);
  }
  free(name);
  free(path);
  return code;
}

static int given_weights_add_folder(cli *c, const char *folder,
                                    tenon_weights *w) {
  cli_list names = {0};
  size_t n = 0;
  int code = cli_list_folder(c, folder, &names) ? 0 : TENON_IO;
  for (size_t i = 0; code == 0 && i < names.count; ++i) {
    if (!is_npy(names.data[i])) continue;
    code = add_npy(c, folder, names.data[i], w);
    ++n;
  }
  cli_list_drop(&names);
  if (code == 0 && n == 0)
    code =
        cli_fail(c, TENON_IO, "cli-file", "there is no .npy in '%s'", folder);
  return code;
}

int cli_weights_open(cli *c, cli_model *m) {
  const char *path = c->weights;
  if (!path) return 0;
  cli_progress(c, "reading the weights");
  bool is_folder = cli_is_folder(path);
  if (!is_folder && !cli_map_file(c, path, &m->weights_file)) return TENON_IO;
  const char *slash = strrchr(path, '/');
  int code = cli_exit(
      tenon_weights_read(m->context, m->weights_file.data, m->weights_file.size,
                         slash && slash[1] ? slash + 1 : path, &m->weights));
  return code == 0 && is_folder ? given_weights_add_folder(c, path, m->weights)
                                : code;
}
