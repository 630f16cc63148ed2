// How: what a model says lies beside it is mapped from the model's folder, and
// stays mapped as long as the model does.
#include <stdlib.h>

#include "cli/cli.h"

struct cli_beside {
  cli_beside *next;
  cli_mapped file;
};

tenon_status cli_beside_open(void *self, const char *name, const void **data,
                             size_t *size) {
  cli_folder *folder = (cli_folder *)self;
  char *path = cli_join(folder->path, name);
  cli_beside *one = (cli_beside *)calloc(1, sizeof *one);
  tenon_status status = path && one ? TENON_OK : TENON_NO_MEMORY;
  // Of what is not there the reader says which tensor wants it.
  if (status == TENON_OK && !cli_is_file(path))
    status = TENON_BAD_MODEL;
  else if (status == TENON_OK && !cli_map_file(folder->c, path, &one->file))
    status = TENON_IO;
  free(path);
  if (status != TENON_OK) {
    free(one);
    return status;
  }
  one->next = folder->files;
  folder->files = one;
  *data = one->file.data;
  *size = one->file.size;
  return TENON_OK;
}

void cli_folder_close(cli_folder *folder) {
  while (folder->files) {
    cli_beside *one = folder->files;
    folder->files = one->next;
    cli_unmap_file(&one->file);
    free(one);
  }
  free(folder->path);
  folder->path = NULL;
}
