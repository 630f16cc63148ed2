// reg/admit/admit_extension.c - descriptors of passes, readers, targets,
// packages and catalogs.
//
// All but catalogs begin with the same four members, so a row of one table says
// what is left of a kind: its size, and what else must hold.
#include <string.h>

#include "base/text.h"
#include "reg/admit/admit.h"
#include "reg/catalog.h"
#include "reg/store.h"
#include "tenon/ext/package.h"
#include "tenon/ext/pass.h"
#include "tenon/ext/reader.h"
#include "tenon/ext/target.h"

// What they begin with.
typedef struct extension_head {
  uint32_t struct_size;
  uint32_t flags;
  const char *name;
  const char *doc;
} extension_head;

typedef union extension_desc {
  extension_head head;
  tenon_pass_desc pass;
  tenon_target_desc target;
  tenon_package_desc package;
  tenon_reader_desc reader;
} extension_desc;

static bool is_width(uint32_t bits) {
  return bits == 0 || bits == 16 || bits == 32 || bits == 64;
}

// "NAME=..." among words of that form.
static bool has_memory(const char *words, tenon_text name) {
  tenon_text rest = tenon_text_of(words), word, one;
  while (tenon_text_next(&rest, ' ', &word))
    if (tenon_text_next(&word, '=', &one) && one.size == name.size &&
        memcmp(one.data, name.data, name.size) == 0)
      return true;
  return false;
}

static tenon_status check_sections(const tenon_subject *s,
                                   const tenon_target_desc *d) {
  tenon_text rest = tenon_text_of(d->sections), word, name;
  while (tenon_text_next(&rest, ' ', &word)) {
    if (word.size == 0) continue;
    tenon_text all = word;
    if (tenon_text_next(&word, '=', &name) && word.size > 0 &&
        has_memory(d->memories, name))
      continue;
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-target",
                        "write MEMORY=SECTION, of a memory in .memories",
                        ".sections has '%.*s', which is of no memory",
                        (int)all.size, all.data);
  }
  return TENON_OK;
}

static tenon_status check_target(const tenon_subject *s,
                                 const extension_desc *d) {
  if (strcmp(d->target.name, "host") == 0 && !s->owner->is_builtin) {
    return tenon_refuse(
        s, TENON_CONFLICT, "plugin-name-taken", "choose another name",
        "'host' is this machine, which its processor describes");
  }
  if ((d->target.section && !strchr(d->target.section, '%')) ||
      (d->target.align && !strchr(d->target.align, '%')))
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-target",
                        "% stands for the name of a section, or for bytes",
                        ".section or .align has no %%");
  if (!is_width(d->target.pointer_bits) || !is_width(d->target.int_bits) ||
      !is_width(d->target.integer_bits) || !is_width(d->target.double_bits) ||
      d->target.double_bits == 16)
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-target", NULL,
                        ".pointer_bits, .int_bits and .integer_bits are 16, "
                        "32, 64, or 0 for not said, .double_bits is 32, 64 or "
                        "0");
  const uint64_t align = d->target.block_align;
  if (align != 0 && align != 16 && align != 32 && align != 64)
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-target", NULL,
                        ".block_align is 16, 32, 64, or 0 for 64");
  return check_sections(s, &d->target);
}

static tenon_status check_reader(const tenon_subject *s,
                                 const extension_desc *d) {
  if (d->reader.recognise && d->reader.read) return TENON_OK;
  if (s->owner->is_builtin) return TENON_OK;  // read/ has what it does
  return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-incomplete", NULL,
                      "a reader has .recognise and .read");
}

#define OVERRIDES(flag) flag, #flag
static const struct row {
  uint32_t kind;
  uint32_t overrides;  // the flag by which one replaces another
  const char *name;    // of that flag
  uint32_t flags;      // others that this library knows
  size_t size;
  tenon_status (*check)(const tenon_subject *, const extension_desc *);
} rows[] = {
    {TENON_REGISTRY_PASSES, OVERRIDES(TENON_PASS_OVERRIDES),
     TENON_PASS_OPTIONAL | TENON_PASS_ASKED, sizeof(tenon_pass_desc), NULL},
    {TENON_REGISTRY_READERS, OVERRIDES(TENON_READER_OVERRIDES), 0,
     sizeof(tenon_reader_desc), check_reader},
    {TENON_REGISTRY_TARGETS, OVERRIDES(TENON_TARGET_OVERRIDES), 0,
     sizeof(tenon_target_desc), check_target},
    {TENON_REGISTRY_PACKAGES, OVERRIDES(TENON_PACKAGE_OVERRIDES),
     TENON_PACKAGE_SINGLE, sizeof(tenon_package_desc), NULL},
};

static const struct row *row_of(uint32_t kind) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rows[i].kind == kind) return &rows[i];
  return NULL;
}

const char *tenon_extension_overrides(uint32_t kind, const tenon_extension *e,
                                      bool *overrides) {
  const struct row *row = row_of(kind);
  *overrides =
      row && (((const extension_head *)e->desc)->flags & row->overrides) != 0;
  return row ? row->name : NULL;
}

static tenon_status admit_catalog(tenon_context *cx, const tenon_owner *owner,
                                  const void *in, const tenon_extension **out) {
  const tenon_catalog *catalog = NULL;
  TENON_TRY(tenon_catalog_admit(cx, owner, in, &catalog));
  tenon_extension extension = {catalog->desc.set, &catalog->desc, owner};
  *out = tenon_arena_copy(&cx->arena, &extension, sizeof extension,
                          _Alignof(tenon_extension));
  return *out ? TENON_OK : tenon_fail_memory(&cx->report, "adding a catalog");
}

tenon_status tenon_admit_extension(tenon_context *cx, const tenon_owner *owner,
                                   uint32_t kind, const void *in,
                                   const tenon_extension **out) {
  if (kind == TENON_REGISTRY_CATALOGS) return admit_catalog(cx, owner, in, out);
  const struct row *row = row_of(kind);
  extension_desc desc;
  tenon_subject s = {cx, owner, tenon_registry_kind_name(kind), NULL};
  if (!row) return tenon_fail_bug(&cx->report, "an unknown kind");
  memset(&desc, 0, sizeof desc);
  TENON_TRY(tenon_admit_copy(&s, &desc, row->size, in));
  s.name = desc.head.name;
  bool has_name = tenon_admit_is_word(s.name);
  if (!has_name || !desc.head.doc || !*desc.head.doc) {
    return tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-incomplete",
                        "a name is one word; .doc is a sentence",
                        "the %s has %s", s.kind,
                        has_name ? "no documentation" : "no usable name");
  }
  TENON_TRY(
      tenon_admit_flags(&s, desc.head.flags, row->flags | row->overrides));
  if (row->check) TENON_TRY(row->check(&s, &desc));
  tenon_extension extension = {s.name, NULL, owner};
  extension.desc =
      tenon_arena_copy(&cx->arena, &desc, row->size, _Alignof(extension_desc));
  *out = tenon_arena_copy(&cx->arena, &extension, sizeof extension,
                          _Alignof(tenon_extension));
  return *out && extension.desc
             ? TENON_OK
             : tenon_fail_memory(&cx->report, "adding to a context");
}
