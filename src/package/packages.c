// packages.c - the plugin, and its two plain layouts.
#include "package/package.h"

static const tenon_package_desc files = {
    .struct_size = sizeof files,
    .name = "files",
    .doc = "One .c, one .h and a README in a folder.",
};

static const tenon_package_desc single = {
    .struct_size = sizeof single,
    .flags = TENON_PACKAGE_SINGLE,
    .name = "single",
    .doc = "One .c file that holds the header.",
};

const tenon_plugin tenon_packages_plugin = {
    TENON_PLUGIN_HEADER,
    .name = "packages",
    .version = TENON_VERSION,
    .packages = (const tenon_package_desc *const[]){&files, &single,
#define PACKAGE(name) &tenon_package_##name,
#include "package/packages.def"
#undef PACKAGE
                                                    NULL},
};
