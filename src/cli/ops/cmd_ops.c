// How: the context is asked for its lists; --kind chooses one, NAME one
// operator or several by a wildcard.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/ops/ops.h"
#include "tenon/ext/package.h"
#include "tenon/ext/pass.h"
#include "tenon/ext/target.h"

typedef struct row {
  const char *name, *owner, *note;
  const char *file;  // null: part of this build
  long line;         // 0: not known
} row;

typedef struct listing {
  cli *c;
  const char *only;  // a name, or what names begin with before a '*'; or null
  bool is_part;      // `only` may stand anywhere in a name, in either case
  const char *kind;  // said in front of each row; or null
  size_t count;
} listing;

static bool has_part(const char *name, const char *part) {
  size_t n = strlen(part);
  for (; *name; ++name)
    if (strncasecmp(name, part, n) == 0) return true;
  return false;
}

// Of "acme::gain relu", an attribute, or "acme::gain (a.yaml, line 2)", a
// lowering, the operator is enough.
static bool ops_verb_is_wanted(const listing *l, const char *name) {
  size_t n = l->only ? strlen(l->only) : 0;
  if (n == 0) return true;
  if (l->is_part) return has_part(name, l->only);
  if (strncmp(name, l->only, n) == 0 && name[n] == ' ' && strstr(name, "::"))
    return true;
  return l->only[n - 1] == '*' ? strncmp(name, l->only, n - 1) == 0
                               : strcmp(name, l->only) == 0;
}

static void ops_verb_put_row(listing *l, const row *r) {
  cli *c = l->c;
  if (!ops_verb_is_wanted(l, r->name)) return;
  size_t i = l->count++;
  if (!c->json) {
    if (l->kind) cli_printf(c, "%-12s ", l->kind);
    cli_printf(c, "%-28s %-16s %.*s", r->name, r->owner,
               (int)ops_first_line(r->note), r->note ? r->note : "");
    if (r->file) cli_printf(c, "  %s", r->file);
    if (r->line) cli_printf(c, ":%ld", r->line);
    cli_printf(c, "\n");
    return;
  }
  cli_printf(c, "%s\n    {", i ? "," : "");
  if (l->kind) cli_printf(c, "\"kind\": \"%s\", ", l->kind);
  cli_put_json(c, "'name': $, 'plugin': $, 'note': $, 'file': $, 'line': $}",
               r->name, r->owner, r->note ? r->note : "", r->file, r->line);
}

// --- lists ------------------------------------------------------------------

typedef struct kind {
  const char *name;
  uint32_t registry;  // 0: derived from the operators
} kind;

static const kind kinds[] = {{"ops", TENON_REGISTRY_OPS},
                             {"kernels", TENON_REGISTRY_KERNELS},
                             {"lowerings", TENON_REGISTRY_LOWERINGS},
                             {"passes", TENON_REGISTRY_PASSES},
                             {"attrs", 0},
                             {"readers", TENON_REGISTRY_READERS},
                             {"targets", TENON_REGISTRY_TARGETS},
                             {"packagers", TENON_REGISTRY_PACKAGES},
                             {"namespaces", 0},
                             {NULL, 0}};

// Passes, readers, targets and packagers begin alike; the others have notes of
// their own.
static const char *doc_of(const tenon_registered *r) {
  struct head {
    uint32_t struct_size, flags;
    const char *name, *doc;
  };
  return ((const struct head *)r->desc)->doc;
}

static const char *note_of(const tenon_registered *r) {
  switch (r->kind) {
    case TENON_REGISTRY_OPS:
      return ((const tenon_op_desc *)r->desc)->doc;
    case TENON_REGISTRY_KERNELS:
    case TENON_REGISTRY_LOWERINGS:
      return r->op;
    case TENON_REGISTRY_PASSES:
      return ((const tenon_pass_desc *)r->desc)->doc;
    case TENON_REGISTRY_TARGETS:
      return ((const tenon_target_desc *)r->desc)->doc;
    case TENON_REGISTRY_PACKAGES:
      return ((const tenon_package_desc *)r->desc)->doc;
    default:
      return doc_of(r);
  }
}

static int list_registry(listing *l, const tenon_context *cx, const kind *k) {
  ops_list all;
  if (!ops_list_take(cx, k->registry, &all)) return CLI_NO_MEMORY;
  ops_list_drop_declared(&all);
  for (size_t i = 0; i < all.count; ++i) {
    const tenon_registered *d = &all.data[i];
    row r = {d->name, d->owner, note_of(d), d->origin, ops_line(d)};
    // Those of this build stand in front, in their order.
    if (d->kind != TENON_REGISTRY_PASSES || !d->is_builtin)
      ops_verb_put_row(l, &r);
  }
  free(all.data);
  return 0;
}

// "computes equal things once; optional", and the options of it.
static void list_passes(listing *l, const tenon_context *cx) {
  tenon_pass_info p;
  tenon_registered found;
  for (size_t i = 0; tenon_builtin_pass(i, &p); ++i) {
    char note[400];
    if (!tenon_context_find(cx, TENON_REGISTRY_PASSES, p.name, &found, NULL) ||
        !found.is_builtin)
      continue;  // a plugin has it
    snprintf(note, sizeof note, "%s; %s%s%s", p.doc,
             !p.is_default   ? "where it is named"
             : p.is_optional ? "by default"
                             : "always",
             p.options ? "; options " : "", p.options ? p.options : "");
    row r = {p.name, "tenon", note, NULL, 0};
    ops_verb_put_row(l, &r);
  }
}

// Every attribute once per operator that has it.
static int list_attrs(listing *l, tenon_context *cx) {
  ops_list all;
  int code = 0;
  if (!ops_list_take(cx, TENON_REGISTRY_OPS, &all)) return CLI_NO_MEMORY;
  ops_list_drop_declared(&all);
  for (size_t i = 0; code == 0 && i < all.count; ++i) {
    const tenon_signature *s = NULL;
    const tenon_op_desc *d = (const tenon_op_desc *)all.data[i].desc;
    code = cli_exit(tenon_signature_read(cx, d->schema, &s));
    for (size_t k = 0; code == 0 && k < s->n_args; ++k) {
      char name[256];
      if (s->args[k].flags & TENON_ARGUMENT_TENSOR) continue;
      snprintf(name, sizeof name, "%s %s", all.data[i].name, s->args[k].name);
      row r = {name, all.data[i].owner, s->args[k].type, all.data[i].origin,
               ops_line(&all.data[i])};
      ops_verb_put_row(l, &r);
    }
    tenon_signature_destroy(s);
  }
  free(all.data);
  return code;
}

static bool is_reserved(const char *set) {
  for (size_t i = 0; tenon_reserved_set(i); ++i)
    if (strcmp(tenon_reserved_set(i), set) == 0) return true;
  return false;
}

// Reserved ones that have no operators yet stand behind the others.
static void list_reserved(listing *l, const ops_list *all) {
  const char *set = NULL;
  for (size_t i = 0; (set = tenon_reserved_set(i)) != NULL; ++i) {
    bool has_any = false;
    size_t size = strlen(set);
    for (size_t k = 0; k < all->count; ++k)
      has_any = has_any || (strncmp(all->data[k].name, set, size) == 0 &&
                            all->data[k].name[size] == ':');
    row r = {set, "tenon", "reserved, no operators", NULL, 0};
    if (!has_any) ops_verb_put_row(l, &r);
  }
}

static int list_namespaces(listing *l, const tenon_context *cx) {
  ops_list all;
  if (!ops_list_take(cx, TENON_REGISTRY_OPS, &all)) return CLI_NO_MEMORY;
  for (size_t i = 0; i < all.count;) {
    char name[128], note[64];
    size_t size = strcspn(all.data[i].name, ":"), first = i;
    while (i < all.count &&
           strncmp(all.data[i].name, all.data[first].name, size + 1) == 0)
      ++i;
    snprintf(name, sizeof name, "%.*s", (int)size, all.data[first].name);
    snprintf(note, sizeof note, "%s%zu operators",
             is_reserved(name) ? "reserved, " : "", i - first);
    row r = {name, all.data[first].owner, note, NULL, 0};
    ops_verb_put_row(l, &r);
  }
  list_reserved(l, &all);
  free(all.data);
  return 0;
}

static int list_rows(listing *l, tenon_context *cx, const kind *k) {
  if (k->registry == TENON_REGISTRY_PASSES) list_passes(l, cx);
  if (k->registry) return list_registry(l, cx, k);
  return strcmp(k->name, "namespaces") == 0 ? list_namespaces(l, cx)
                                            : list_attrs(l, cx);
}

static int ops_verb_unknown(cli *c, const char *what, const char *name,
                            const char *nearest) {
  return cli_fail(c, CLI_NO, "ops-unknown", "no %s '%s' is registered%s%s%s",
                  what, name, TENON_DID_YOU_MEAN(nearest));
}

// All of a kind, or those of a name or pattern.
static int list_kind(cli *c, tenon_context *cx, const char *name,
                     const char *only) {
  for (const kind *k = kinds; k->name; ++k) {
    listing l = {.c = c, .only = only};
    const char *nearest = NULL;
    tenon_registered found;
    if (strcmp(k->name, name) != 0) continue;
    if (c->json) cli_printf(c, "{\"kind\": \"%s\", \"rows\": [", name);
    int code = list_rows(&l, cx, k);
    if (code == 0 && l.count == 0 && only && !strpbrk(only, "*:")) {
      l.is_part = true;
      code = list_rows(&l, cx, k);
    }
    if (c->json) cli_printf(c, "]}");
    if (code || l.count || !only) return code;
    if (k->registry)
      (void)tenon_context_find(cx, k->registry, only, &found, &nearest);
    return ops_verb_unknown(c, name, only, nearest);
  }
  return cli_fail(c, CLI_USAGE, "cli-kind",
                  "'--kind' expects ops, kernels, lowerings, passes, attrs, "
                  "readers, targets, packagers or namespaces, found '%s'",
                  name);
}

// What is no operator and bears this name, with its kind in front.
static int list_named(cli *c, tenon_context *cx, const char *name, size_t *n) {
  int code = 0;
  listing l = {.c = c, .only = name};
  for (const kind *k = kinds; code == 0 && k->name; ++k) {
    bool is_other =
        strcmp(k->name, "attrs") == 0 || strcmp(k->name, "ops") == 0;
    l.kind = k->name;
    if (!is_other) code = list_rows(&l, cx, k);
  }
  // A name without a set may be part of an operator's.
  l.kind = "ops";
  l.is_part = true;
  if (code == 0 && l.count == 0 && !strpbrk(name, "*:"))
    code = list_rows(&l, cx, &kinds[0]);
  *n += l.count;
  return code;
}

// --- one operator -----------------------------------------------------------

// "ns.name.overload" as "ns::name.overload".
static void normalise(const char *name, char *out, size_t size) {
  const char *dot = strchr(name, '.');
  if (strstr(name, "::") || !dot)
    snprintf(out, size, "%s", name);
  else
    snprintf(out, size, "%.*s::%s", (int)(dot - name), name, dot + 1);
}

static int show_op(cli *c, tenon_context *cx, const tenon_registered *op,
                   size_t i) {
  ops_view v;
  int code = ops_view_open(cx, op, &v);
  if (code) return code;
  if (i) cli_printf(c, c->json ? ",\n" : "\n");
  if (c->json)
    ops_print_json(c, &v);
  else
    ops_print_text(c, &v);
  ops_view_close(&v);
  return 0;
}

static int show_matching(cli *c, tenon_context *cx, const char *pattern,
                         size_t *n) {
  ops_list all;
  int code = 0;
  if (!ops_list_take(cx, TENON_REGISTRY_OPS, &all)) return CLI_NO_MEMORY;
  if (strcmp(pattern, "*") == 0) ops_list_drop_declared(&all);
  for (size_t i = 0; code == 0 && i < all.count; ++i)
    if (ops_serves(pattern, all.data[i].name))
      code = show_op(c, cx, &all.data[i], (*n)++);
  free(all.data);
  return code;
}

static int show_name(cli *c, tenon_context *cx, const char *given) {
  char name[512];
  size_t n = 0;
  int code = 0;
  const char *nearest = NULL;
  tenon_registered found;
  normalise(given, name, sizeof name);
  if (c->json) cli_printf(c, "{\"ops\": [\n");
  if (strchr(name, '*'))
    code = show_matching(c, cx, name, &n);
  else if (tenon_context_find(cx, TENON_REGISTRY_OPS, name, &found, &nearest))
    code = show_op(c, cx, &found, n++);
  // The symbol of a kernel shows the operator it serves.
  else if (tenon_context_find(cx, TENON_REGISTRY_KERNELS, given, &found,
                              NULL) &&
           found.op)
    code = show_matching(c, cx, found.op, &n);
  if (c->json) cli_printf(c, "], \"others\": [");
  if (code == 0 && n == 0) code = list_named(c, cx, given, &n);
  if (c->json) cli_printf(c, "]}");
  return code || n ? code : ops_verb_unknown(c, "operator", given, nearest);
}

static int show_key(cli *c) {
  char key[512];
  if (tenon_custom_key(c->key, key, sizeof key) >= sizeof key)
    return cli_fail(c, CLI_USAGE, "cli-value", "'--key' is too long");
  if (c->json)
    cli_put_json(c, "{'key': $}", key);
  else
    cli_printf(c, "%s\n", key);
  return 0;
}

int cmd_ops(cli *c) {
  tenon_context *cx = NULL;
  if (c->args.count > 1)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "expected one name at most, found %zu", c->args.count);
  if (c->has_key) return show_key(c);
  if (c->json_schema) return cli_project_schema(c);
  if (c->markdown && c->json)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "'--markdown' and '--json' exclude each other");
  int code = cli_context(c, &cx);
  if (code) return code;
  if (c->args.count && !c->kind)
    code = show_name(c, cx, c->args.data[0]);
  else if (c->markdown)
    code = ops_print_markdown(c, cx);
  else if (c->json && !c->kind)
    code = show_name(c, cx, "*");
  else
    code = list_kind(c, cx, c->kind ? c->kind : "ops",
                     c->args.count ? c->args.data[0] : NULL);
  tenon_context_destroy(cx);
  return code;
}
