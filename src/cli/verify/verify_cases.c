// How: the folders are listed first, then sorted by k and, within one k, by the
// order of the signatures. Cases that ask for the same sizes get one program;
// a session's consecutive runs have one anyway.
#include <stdlib.h>
#include <string.h>

#include "cli/verify/verifying.h"

static bool add_case(verify_suite *s, char *path, const char *entry) {
  verify_case *v = path ? (verify_case *)cli_add(&s->cases, &s->count) : NULL;
  if (!v) {
    free(path);
    return false;
  }
  v->path = path;
  v->entry_name = entry;
  v->k = -1;
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/')
    path[--n] = 0;
  const char *slash = strrchr(path, '/');
  v->label = slash ? slash + 1 : path;
  if (strncmp(v->label, "case", 4) == 0 && v->label[4] >= '0' &&
      v->label[4] <= '9')
    v->k = strtol(v->label + 4, NULL, 10);
  return true;
}

static bool is_case_name(const char *name) {
  if (strncmp(name, "case", 4) != 0 || !name[4]) return false;
  return strspn(name + 4, "0123456789") == strlen(name + 4);
}

// Every case<k> in a folder. `entry` null: to be found out.
static bool list_cases(verify_suite *s, const char *folder, const char *entry) {
  cli_list names = {0};
  bool ok = !cli_is_folder(folder) || cli_list_folder(s->c, folder, &names);
  for (size_t i = 0; ok && i < names.count; ++i) {
    if (!is_case_name(names.data[i])) continue;
    char *path = cli_join(folder, names.data[i]);
    if (path && !cli_is_folder(path)) {
      free(path);
      continue;
    }
    ok = add_case(s, path, entry);
  }
  cli_list_drop(&names);
  return ok;
}

static bool discover(verify_suite *s, const char *folder) {
  bool ok = list_cases(s, folder, NULL);
  for (size_t i = 0; ok && i < verify_frame_count(s->frame); ++i) {
    const char *name = verify_frame_name(s->frame, i);
    char *inner = cli_join(folder, name ? name : "");
    ok = inner && list_cases(s, inner, name);
    free(inner);
  }
  return ok;
}

// "--case DIR" or "--case ENTRY=DIR".
static int add_named(verify_suite *s, const char *text) {
  const char *equals = strchr(text, '=');
  const char *entry = NULL;
  if (equals && !cli_is_folder(text)) {
    int i = verify_frame_find(s->frame, text, (size_t)(equals - text));
    if (i < 0) {
      tenon_labels names = {.size = 0};
      for (size_t k = 0; k < verify_frame_count(s->frame); ++k)
        tenon_labels_add(&names, verify_frame_name(s->frame, k));
      return cli_fail(s->c, CLI_USAGE, "verify-entry",
                      "no entry point '%.*s' for --case %s; there are %s",
                      (int)(equals - text), text, text,
                      tenon_labels_text(&names));
    }
    entry = verify_frame_name(s->frame, (size_t)i);
    text = equals + 1;
  }
  if (!cli_is_folder(text))
    return cli_fail(s->c, TENON_IO, "verify-case", "no folder '%s'", text);
  return add_case(s, strdup(text), entry) ? 0 : CLI_NO_MEMORY;
}

// As given; else the folder above, then meta.json, then the default.
static int case_list_find_entry(verify_suite *s, verify_case *v) {
  const char *name = v->entry_name ? v->entry_name : s->c->entry;
  int found = -1;
  if (!name) {
    const char *end = v->label > v->path ? v->label - 1 : v->path;
    const char *begin = end;
    while (begin > v->path && begin[-1] != '/')
      --begin;
    found = verify_frame_find(s->frame, begin, (size_t)(end - begin));
  }
  if (!name && found < 0) name = verify_meta_entry(s->meta, v->k);
  if (name) found = verify_frame_find(s->frame, name, strlen(name));
  if (!name && found < 0) found = 0;
  if (found < 0 || verify_frame_count(s->frame) == 0)
    return cli_fail(s->c, CLI_USAGE, "verify-entry",
                    "'%s': the model has no entry point '%s'", v->path,
                    name ? name : "");
  v->entry_name = verify_frame_name(s->frame, (size_t)found);
  return 0;
}

static size_t case_list_order_of(const verify_suite *s, const verify_case *v) {
  size_t order = verify_meta_order(s->meta, v->entry_name);
  if (order != SIZE_MAX) return order;
  // Entries that no list of signatures names come behind, in their own order.
  return 100000 + (size_t)verify_frame_find(s->frame, v->entry_name,
                                            strlen(v->entry_name));
}

static bool case_list_precedes(const verify_suite *s, const verify_case *a,
                               const verify_case *b) {
  if (a->k != b->k) return a->k < b->k;
  size_t m = case_list_order_of(s, a), n = case_list_order_of(s, b);
  return m != n ? m < n : strcmp(a->path, b->path) < 0;
}

// By insertion: there are a handful.
static void sort_cases(verify_suite *s) {
  for (size_t i = 1; i < s->count; ++i) {
    verify_case held = s->cases[i];
    size_t at = i;
    for (; at > 0 && case_list_precedes(s, &held, &s->cases[at - 1]); --at)
      s->cases[at] = s->cases[at - 1];
    s->cases[at] = held;
  }
}

// --- groups -----------------------------------------------------------------

static bool has(const cli_list *list, const char *text) {
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->data[i], text) == 0) return true;
  return false;
}

static bool case_list_is_same(const cli_list *a, const cli_list *b) {
  bool same = a->count == b->count;
  for (size_t i = 0; same && i < a->count; ++i)
    same = has(b, a->data[i]);
  return same;
}

static void free_list(cli_list *list) {
  for (size_t i = 0; i < list->count; ++i)
    free((void *)(uintptr_t)list->data[i]);
  free(list->data);
  memset(list, 0, sizeof *list);
}

// Takes over the texts.
static bool merge(cli_list *into, cli_list *from) {
  bool ok = true;
  for (size_t i = 0; i < from->count; ++i) {
    if (ok && !has(into, from->data[i])) {
      ok = cli_list_push(into, from->data[i]);
      if (ok) continue;
    }
    free((void *)(uintptr_t)from->data[i]);
  }
  free(from->data);
  memset(from, 0, sizeof *from);
  return ok;
}

// Whether two lists ask one input for two shapes.
static bool is_contrary(const cli_list *a, const cli_list *b) {
  for (size_t i = 0; i < a->count; ++i)
    for (size_t k = 0; k < b->count; ++k) {
      const char *x = a->data[i], *y = b->data[k];
      size_t n = (size_t)(strrchr(x, '=') - x) + 1;
      if (strncmp(x, y, n) == 0 && strcmp(x, y) != 0 && !strchr(y + n, '='))
        return true;
    }
  return false;
}

static int put_in_group(verify_suite *s, verify_case *v) {
  cli_list requests = {0};
  int code = verify_frame_requests(s, v, &requests);
  for (size_t g = 0; code == 0 && g < s->n_groups; ++g) {
    bool fits =
        s->is_stateful || case_list_is_same(&s->groups[g].requests, &requests);
    if (!fits) continue;
    v->group = g;
    s->groups[g].is_open |= is_contrary(&s->groups[g].requests, &requests);
    return merge(&s->groups[g].requests, &requests) ? 0 : CLI_NO_MEMORY;
  }
  v->group = s->n_groups;
  verify_group *added =
      code ? NULL : (verify_group *)cli_add(&s->groups, &s->n_groups);
  if (added)
    added->requests = requests;
  else
    free_list(&requests);
  return added ? 0 : code ? code : CLI_NO_MEMORY;
}

int verify_suite_find(cli *c, cli_model *model, const char *folder,
                      verify_suite *out) {
  memset(out, 0, sizeof *out);
  out->c = c;
  int code = verify_meta_read(c, folder, &out->meta);
  if (code == 0) code = verify_frame_read(c, model, &out->frame);
  if (code) return code;
  out->is_stateful = c->stateful || verify_meta_stateful(out->meta);
  for (size_t i = 0; code == 0 && i < c->cases.count; ++i)
    code = add_named(out, c->cases.data[i]);
  if (code == 0 && c->cases.count == 0 && !discover(out, folder))
    code = CLI_NO_MEMORY;
  if (code == 0 && out->count == 0)
    code = cli_fail(c, TENON_IO, "verify-none",
                    "no case: give --case DIR, or put case0, case1, ... into "
                    "'%s'",
                    folder);
  for (size_t i = 0; code == 0 && i < out->count; ++i)
    code = case_list_find_entry(out, &out->cases[i]);
  if (code == 0 && c->cases.count == 0) sort_cases(out);
  for (size_t i = 0; code == 0 && i < out->count; ++i)
    code = put_in_group(out, &out->cases[i]);
  return code;
}

static void free_case(verify_case *v) {
  for (size_t k = 0; v->in && k < v->n_in; ++k)
    cli_tensor_free(&v->in[k]);
  for (size_t k = 0; v->checks && k < v->n_checks; ++k) {
    cli_tensor_free(&v->checks[k].want);
    free(v->checks[k].label);
  }
  free(v->in);
  free(v->checks);
  free(v->in_io);
  free(v->in_files);
  free(v->path);
}

void verify_suite_free(verify_suite *s) {
  for (size_t i = 0; i < s->count; ++i)
    free_case(&s->cases[i]);
  for (size_t i = 0; i < s->n_groups; ++i) {
    free_list(&s->groups[i].requests);
    tenon_program_destroy(s->groups[i].program);
  }
  free(s->cases);
  free(s->groups);
  verify_frame_free(s->frame);
  verify_meta_free(s->meta);
}
