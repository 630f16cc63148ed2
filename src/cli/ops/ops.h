// cli/ops/ops.h - what the files of `tenon ops` hand to each other.
//
// A listing is all registered descriptors of a context, per kind; an ops_view
// is one operator with what belongs to it, whoever brought it. Texts point into
// the context or the signature.
#ifndef TENON_CLI_OPS_H
#define TENON_CLI_OPS_H

#include "cli/cli.h"
#include "tenon/ext/op.h"

typedef struct ops_list {
  tenon_registered *data;
  size_t count;
} ops_list;
// Everything of one kind; empty when there is none. False: out of memory.
bool ops_list_take(const tenon_context *cx, uint32_t kind, ops_list *out);

typedef struct ops_view {
  tenon_registered op;
  const tenon_op_desc *desc;
  const tenon_signature *signature;
  tenon_registered *kernels, *lowerings;  // also those of other plugins
  size_t n_kernels, n_lowerings;
} ops_view;
int ops_view_open(tenon_context *cx, const tenon_registered *op, ops_view *out);
void ops_view_close(ops_view *v);

// Drops what the library can read and print, and nothing else: thousands of
// names that only a question for one of them is about.
void ops_list_drop_declared(ops_list *list);

// Whether what is registered for `pattern` ("ns::name", "ns::name.*", "ns::*")
// serves the operator `name`.
bool ops_serves(const char *pattern, const char *name);
// The first line of a text, or all of it.
size_t ops_first_line(const char *text);
// The line of a descriptor in the C file it was loaded from; 0: not known.
long ops_line(const tenon_registered *r);
// What each stage takes from the descriptor, in words.
typedef struct ops_stage {
  const char *stage, *what;
} ops_stage;
#define OPS_STAGES 6
void ops_stages(const ops_view *v, ops_stage out[OPS_STAGES], char *versions,
                size_t size);
// What a kernel can do: "in place, ranges, packs, template".
void ops_kernel_traits(const tenon_kernel_desc *k, char *out, size_t size);

void ops_print_text(cli *c, const ops_view *v);
void ops_print_json(cli *c, const ops_view *v);
// The whole of docs/ops.md.
int ops_print_markdown(cli *c, tenon_context *cx);

#endif  // TENON_CLI_OPS_H
