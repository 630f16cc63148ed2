// plug/yaml_schema.h - schemas of operators in plugins in YAML.
#ifndef TENON_PLUG_YAML_SCHEMA_H
#define TENON_PLUG_YAML_SCHEMA_H

#include "conf/yaml.h"
#include "core/schema/schema.h"
#include "reg/context.h"

// Parses the text of `at`. Without a set, the operator is one of `set`, as in
// ExecuTorch's files; null: it needs one. A failure has the place in the file.
tenon_status tenon_yaml_schema(const tenon_context *cx, tenon_arena *arena,
                               const tenon_yaml *at, const char *set,
                               const char *id, tenon_schema **out);

#endif  // TENON_PLUG_YAML_SCHEMA_H
