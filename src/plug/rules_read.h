// plug/rules_read.h - lowerings and passes in YAML, as descriptors.
//
//   lowerings:
//   - op: acme::gain              what is replaced; or `schema`, which
//   describes
//     when: $relu == false        it too; or `from`, a pattern
//     to: |
//       %g = const $x.dtype {$gain}
//       %y = core::mul(%x, %g)
//       return %y
//   passes:
//   - name: gate
//     after: functional
//     rewrites: [...]             as lowerings, or with `from`, a pattern
//
// docs/lowering.md says what each key means. What stays is copied into the
// context.
#ifndef TENON_PLUG_RULES_READ_H
#define TENON_PLUG_RULES_READ_H

#include "conf/yaml.h"
#include "reg/context.h"

// Keys of a map that tenon_rules_read takes; other parts of a plugin in YAML
// have others.
#define TENON_RULES_KEYS "lowerings", "passes"

// Adds a plugin with what `root` has under these keys. All faults are reported.
tenon_status tenon_rules_read(tenon_context *cx, const char *path,
                              const tenon_yaml *root);

#endif  // TENON_PLUG_RULES_READ_H
