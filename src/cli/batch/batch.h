// cli/batch/batch.h - what the files of `tenon batch` hand to each other.
//
// Several processes may work on one batch, on one machine or on several that
// share a file system: mpirun or another launcher tells each its number, and
// what has been done is seen in the folder of the outputs. They never talk.
#ifndef TENON_CLI_BATCH_H
#define TENON_CLI_BATCH_H

#include "cli/cli.h"

typedef struct batch_item {
  char *path;  // a .npz, a .npy, or a folder with in<i>.npy
  char *name;  // of its output, without ".npz"
} batch_item;

typedef struct batch {
  cli *c;
  batch_item *items;
  size_t n_items;
  cli_rank rank;
  size_t done, there, failed, left;  // left: others have begun them
} batch;

// What --inputs names, in order; two that would write one output are refused.
// The exit code.
int batch_list(batch *b);
void batch_free(batch *b);

// Takes an item for this process; false: another one of this run has it, or has
// just done it. What a run before has left behind is no claim.
bool batch_claim(const batch *b, const batch_item *item);
void batch_release(const batch *b, const batch_item *item);
// Its output: DIR/NAME.npz. In memory of its own; null: none.
char *batch_output(const batch *b, const batch_item *item);

#endif  // TENON_CLI_BATCH_H
