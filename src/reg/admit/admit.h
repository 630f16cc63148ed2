// reg/admit/admit.h - admitting descriptors that another build compiled.
//
// Every versioned struct that comes in through a plugin passes here once:
// copied to full size by the rule of tenon_admit, its flags, kinds and required
// members checked, its schema parsed, its fields compared with the schema. What
// does not hold together is refused with its own diagnostic (both values and
// the remedy), before any callback of the plugin runs.
#ifndef TENON_REG_ADMIT_H
#define TENON_REG_ADMIT_H

#include "reg/admit/refuse.h"

// Checks magic, ABI, pointer and call sizes of a manifest and copies it.
// `where` names it in messages: a path, or null for what is linked in.
tenon_status tenon_admit_plugin(const tenon_context *cx, const char *where,
                                const struct tenon_plugin *in,
                                struct tenon_plugin *out);
// The copy has no kernels yet: they are admitted one by one, for `home`.
// All of it comes from `arena`.
tenon_status tenon_admit_op(const tenon_context *cx, tenon_arena *arena,
                            const tenon_owner *owner, const tenon_op_desc *in,
                            tenon_op_desc **out, const tenon_schema **schema);
// `home` is the operator in whose descriptor the kernel came, as the `index`-th
// of its list; null: it came on its own, and is compared with its operator when
// the context freezes.
tenon_status tenon_admit_kernel(tenon_context *cx, const tenon_owner *owner,
                                const tenon_op *home, size_t index,
                                const tenon_kernel_desc *in,
                                tenon_kernel **out);
tenon_status tenon_admit_lowering(tenon_context *cx, const tenon_owner *owner,
                                  const tenon_lowering_desc *in,
                                  tenon_lowering **out);
// A pass, a target, a package or a catalog (admit_extension.c).
tenon_status tenon_admit_extension(tenon_context *cx, const tenon_owner *owner,
                                   uint32_t kind, const void *in,
                                   const tenon_extension **out);
// Copies a text and those it uses, each once per context and name.
tenon_status tenon_admit_source(tenon_context *cx, const tenon_owner *owner,
                                const char *symbol, const tenon_source *in,
                                const tenon_source **out);

// The flag by which a pass, reader, target or package replaces another one of
// its name, in words, and whether this one has it; null: nothing of the kind
// does.
const char *tenon_extension_overrides(uint32_t kind, const tenon_extension *e,
                                      bool *overrides);

// Whether a kernel can serve this operator: number of operands and results,
// what is said of them by index, references of its template. `error` says why
// not.
#define TENON_ADMIT_ERROR 384
bool tenon_kernel_serves(const tenon_kernel *kernel, const tenon_schema *schema,
                         char error[TENON_ADMIT_ERROR]);

// The steps that every descriptor takes first: its size by the rule of
// tenon_admit, then its flags.
tenon_status tenon_admit_copy(const tenon_subject *subject, void *out,
                              size_t size, const void *in);
tenon_status tenon_admit_flags(const tenon_subject *subject, uint32_t flags,
                               uint32_t known);
// A name of something that is no operator: without blanks, ',' and ';'.
bool tenon_admit_is_word(const char *text);

#endif  // TENON_REG_ADMIT_H
