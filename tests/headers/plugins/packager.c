// Headers in include/, sources in src/, and a Makefile that builds the
// self-test.
#include "tenon/ext/package.h"

#include "tenon/ext/plugin.h"

static tenon_status lay_out(tenon_packaging *p) {
  const tenon_package_file *f;
  for (size_t i = 0; (f = p->api->file(p, i)) != NULL; ++i) {
    const char *folder = f->role == TENON_PACKAGE_HEADER   ? "include/"
                         : f->role == TENON_PACKAGE_MANUAL ? ""
                                                           : "src/";
    const char *path = p->api->format(p, "%s%s", folder, f->name);
    if (!path) return TENON_NO_MEMORY;
    TENON_TRY(p->api->place(p, i, path));
  }
  TENON_TRY(p->api->building(p, "`make` builds `selftest`.\n"));
  return p->api->add(
      p, "Makefile",
      p->api->format(
          p,
          "selftest: $(wildcard src/*.c)\n\t$(CC) %s -Iinclude -o $@ $^ -lm\n",
          p->api->cflags(p)));
}

static const tenon_package_desc package = {
    .struct_size = sizeof package,
    .name = "stranger-make",
    .doc = "A Makefile.",
    .lay_out = lay_out,
};
static const tenon_package_desc *const packages[] = {&package, NULL};

static const tenon_plugin plugin = {TENON_PLUGIN_HEADER,
                                    .name = "stranger_packager",
                                    .version = "1.0.0", .packages = packages};
TENON_PLUGIN_EXPORT(stranger_packager, plugin);
