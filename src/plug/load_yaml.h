// plug/load_yaml.h - plugins in YAML.
//
// A list, or a map with `bindings`, binds kernels (plug/bindings.h). A map may
// also hold lowerings (plug/rules_read.h), and the plugin's name and version.
#ifndef TENON_PLUG_LOAD_YAML_H
#define TENON_PLUG_LOAD_YAML_H

#include "plug/bindings.h"
#include "tenon/tenon.h"

bool tenon_plug_is_yaml(const char *path);
// `id` is the identity of the file.
tenon_status tenon_plug_load_yaml(tenon_context *cx, const char *path,
                                  const uint64_t id[2]);
tenon_status tenon_plug_load_yaml_text(tenon_context *cx, const char *name,
                                       tenon_text text, const uint64_t id[2]);
// Reads the bindings of a file, or the text given for it, and writes their
// glue, for `tenon bind`.
tenon_status tenon_plug_glue(tenon_context *cx, const char *path,
                             const tenon_text *given, tenon_write_fn *write,
                             void *self);

#endif  // TENON_PLUG_LOAD_YAML_H
