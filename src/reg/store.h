// reg/store.h - inside of the registry: what is kept while plugins are added.
//
// Every descriptor that was ever registered has a record; those that count have
// one in the sorted list of their kind too. Overriding, removing and taking
// back a plugin that was refused are nothing but moving records in and out of
// these lists, so none of them can leave something half done. Only files of
// reg/ include this.
#ifndef TENON_REG_STORE_H
#define TENON_REG_STORE_H

#include "base/vec.h"
#include "reg/context.h"

typedef struct tenon_record {
  uint32_t kind;     // tenon_registry_kind
  uint32_t index;    // in the order in which they were added
  const char *name;  // interned
  const tenon_owner *owner;
  const tenon_op *home;  // whose descriptor a kernel or lowering came in; or
                         // null
  union {
    tenon_op *op;
    tenon_kernel *kernel;
    tenon_lowering *lowering;
    const tenon_extension *extension;
  } as;
  bool overrides;   // its descriptor asks to replace another owner's
  bool is_live;     // stands in the list of its kind
  bool is_removed;  // by tenon_context_remove: never comes back
} tenon_record;

typedef TENON_VEC(tenon_record *) tenon_records;

// The text of a name, once per name; `owner` brought it first.
typedef struct tenon_source_record {
  const tenon_source *source;
  const tenon_owner *owner;
} tenon_source_record;

// A name by which custom operators of a .tflite find an operator.
typedef struct tenon_custom {
  const char *text;  // code, or key
  const tenon_op *op;
} tenon_custom;

enum { TENON_REGISTRY_KINDS = TENON_REGISTRY_CATALOGS + 1 };

struct tenon_registry {
  tenon_records all;                         // in order of registration
  tenon_records live[TENON_REGISTRY_KINDS];  // each sorted by name
  TENON_VEC(tenon_source_record) sources;    // sorted by name
  uint32_t n_owners;
  // From the freeze on.
  const tenon_op **ops;
  tenon_custom *codes, *keys;  // sorted by text
  size_t n_ops, n_codes;       // as many keys as codes
};

tenon_registry *tenon_registry_create(const tenon_allocator *allocator);
void tenon_registry_destroy(tenon_registry *r);

// The live record of this name; null: none.
tenon_record *tenon_store_find(const tenon_registry *r, uint32_t kind,
                               const char *name, size_t size);
// Appends to `all`; not live yet. Null when memory ran out.
tenon_record *tenon_store_add(tenon_context *cx, const tenon_record *record);
// One kernel function may serve several operators of its plugin: then its
// symbol has a record for each.
bool tenon_store_is_shared(const tenon_record *a, const tenon_record *b);
// Puts a record into its list, where no other of its name is live unless they
// share a kernel, or takes it out. Putting back what was taken out cannot fail.
bool tenon_store_set_live(tenon_registry *r, tenon_record *record,
                          bool is_live);
// An operator comes or goes with the kernels and the lowering that came in its
// descriptor.
bool tenon_store_set_op_live(tenon_registry *r, tenon_record *record,
                             bool is_live);
// Takes out everything registered after the first `count` records, and makes
// live again what that had replaced.
void tenon_store_rollback(tenon_registry *r, size_t count,
                          const tenon_owner *owner);
// What was hidden by `gone` and may count again.
void tenon_store_revive(tenon_registry *r, const tenon_record *gone);

const char *tenon_registry_kind_name(uint32_t kind);  // "operator", "kernel"
bool tenon_name_is_reserved(const char *set, size_t size);
// Whether the user allowed that this name be replaced: it is listed, or a
// wildcard that covers it is.
bool tenon_context_allows(const tenon_context *cx, const char *name);
// Whether `pattern` ("ns::name", "ns::name.*", "ns::*") covers an operator:
// 0 exactly, 1 every overload, 2 the whole set; -1 not.
int tenon_name_covers(const char *pattern, const char *name);
bool tenon_name_is_wildcard(const char *name);
// Brings a name as a user may type it into the form of the registry:
// "ns.name" to "ns::name", without ".default". False when it is too long.
bool tenon_name_normal(const char *text, char *out, size_t size);

// reg/admit/consent.c: that every name of `overrides` is there, and that no
// word of a kernel's `needs` is one of a known feature, misspelt.
tenon_status tenon_overrides_check(const tenon_context *cx);
tenon_status tenon_features_check(const tenon_context *cx);

// reg/freeze.c, reg/custom.c: build what only a frozen context has.
tenon_status tenon_registry_index(tenon_context *cx);
tenon_status tenon_registry_index_custom(tenon_context *cx);

#endif  // TENON_REG_STORE_H
