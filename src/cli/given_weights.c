// How: a file goes to the library as it is; of a folder every .npy is a weight,
// named as the file without its suffix.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static int is_npy(const struct dirent *entry) {
  return cli_ends_with(entry->d_name, ".npy") && strlen(entry->d_name) > 4;
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

static int add_folder(cli *c, const char *folder, tenon_weights *w) {
  struct dirent **list = NULL;
  int n = scandir(folder, &list, is_npy, alphasort);
  int code =
      n < 0 ? cli_fail(c, TENON_IO, "cli-file", "cannot read '%s'", folder) : 0;
  if (n == 0)
    code =
        cli_fail(c, TENON_IO, "cli-file", "there is no .npy in '%s'", folder);
  for (int i = 0; i < n; ++i) {
    if (code == 0) code = add_npy(c, folder, list[i]->d_name, w);
    free(list[i]);
  }
  free(list);
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
  return code == 0 && is_folder ? add_folder(c, path, m->weights) : code;
}
