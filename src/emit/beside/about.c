// How: each word is checked against the form that all formats take, so that no
// packager has to escape it; what is missing is made up when it is asked for.
#include <string.h>

#include "base/chars.h"
#include "base/label.h"
#include "emit/beside/layout.h"

#define MOST 200u

static bool about_is_of(char c, const char *more) {
  return tenon_char_is_letter(c) || tenon_char_is_digit(c) ||
         (c && strchr(more, c));
}

static bool about_all_of(const char *text, const char *more) {
  for (; *text; ++text)
    if (!about_is_of(*text, more)) return false;
  return true;
}

static bool is_license(const char *text) {
  return about_all_of(text, "-.+() ");
}

static bool is_url(const char *text) {
  const char *rest = tenon_text_starts(text, "https://")  ? text + 8
                     : tenon_text_starts(text, "http://") ? text + 7
                                                          : "";
  return *rest && about_all_of(rest, "-._~:/?#[]@!$&()*+,;=%");
}

static bool is_author(const char *text) {
  return !strpbrk(text, "\"\\'`$%");
}

// Three numbers.
static bool is_version(const char *text) {
  int dots = 0;
  for (const char *c = text; *c; ++c) {
    bool is_edge = c == text || c[-1] == '.';
    if (*c == '.' ? is_edge : *c < '0' || *c > '9') return false;
    if (*c == '0' && is_edge && c[1] >= '0' && c[1] <= '9') return false;
    dots += *c == '.';
  }
  return dots == 2 && text[strlen(text) - 1] != '.';
}

static const struct {
  const char *key, *form;
  bool (*is_right)(const char *text);
} words[] = {
    [TENON_PACKAGE_LICENSE] = {"license", "an expression of SPDX, as MIT",
                               is_license},
    [TENON_PACKAGE_URL] = {"url", "https://...", is_url},
    [TENON_PACKAGE_AUTHOR] = {"author", "a name without quotes, '$' and '%'",
                              is_author},
    [TENON_PACKAGE_VERSION] = {"version", "three numbers, as 1.0.2",
                               is_version},
};
#define WORDS (sizeof words / sizeof *words)

static tenon_status about_read_word(tenon_layout *l, const char *text) {
  const tenon_report *report = l->e->report;
  const char *equals = strchr(text, '=');
  size_t size = equals ? (size_t)(equals - text) : strlen(text), i = 1;
  char shown[TENON_LABEL];
  tenon_label_make(shown, tenon_text_of(text));
  while (i < WORDS && !tenon_text_is((tenon_text){text, size}, words[i].key))
    ++i;
  if (!equals || i == WORDS)
    return tenon_fail(report, TENON_BAD_ARGUMENT, "emit-about", NULL,
                      "a package has 'license=', 'url=', 'author=' and "
                      "'version=', found '%s'",
                      shown);
  const char *value = equals + 1;
  if (!*value || strlen(value) > MOST ||
      tenon_text_show(NULL, 0, value) != strlen(value) ||
      !words[i].is_right(value))
    return tenon_fail(report, TENON_BAD_ARGUMENT, "emit-about", NULL,
                      "'%s' of a package: expected %s, of at most %u bytes, "
                      "found '%s'",
                      words[i].key, words[i].form, MOST, shown + size + 1);
  l->about[i] = value;
  return TENON_OK;
}

tenon_status tenon_layout_read_about(tenon_layout *l) {
  const char *const *list = l->e->options.about;
  for (; list && *list; ++list)
    TENON_TRY(about_read_word(l, *list));
  return TENON_OK;
}

const char *tenon_layout_about(tenon_layout *l, uint32_t what) {
  static const char *const made_up[] = {
      [TENON_PACKAGE_LICENSE] = "LicenseRef-Unspecified",
      [TENON_PACKAGE_URL] = "https://example.com/",
      [TENON_PACKAGE_AUTHOR] = "unknown",
      [TENON_PACKAGE_VERSION] = "0.1.0",
  };
  if (what == 0 || what >= WORDS) return "unknown";
  if (l->about[what]) return l->about[what];
  l->is_made_up[what] = true;
  return made_up[what];
}

// Not of the version, which begins somewhere.
void tenon_layout_warn(const tenon_layout *l) {
  tenon_labels list = {.size = 0};
  for (size_t i = 1; i < TENON_PACKAGE_VERSION; ++i)
    if (l->is_made_up[i]) tenon_labels_add(&list, words[i].key);
  if (list.count)
    tenon_warn(l->e->report, "emit-about", NULL,
               "package '%s' wants to know its %s: made up; say "
               "'--package-about license=MIT' and so on",
               l->e->package->name, tenon_labels_text(&list));
}
