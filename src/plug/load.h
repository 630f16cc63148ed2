// plug/load.h - loading plugins from shared libraries and from C source.
//
// In this order, before anything else of the image runs: look at the file
// (absent, folder, not a library, other machine), open it, find the entry
// point, then tenon_context_add_plugin. C source is compiled with the system
// compiler into the cache, keyed by its content, the compiler and the ABI; its
// text stays with the plugin as the source of its kernels. Opening an image
// runs its static constructors: loading a plugin is trusting it, which is why
// it is off by default.
#ifndef TENON_PLUG_LOAD_H
#define TENON_PLUG_LOAD_H

#include "base/text.h"
#include "reg/context.h"

tenon_status tenon_plug_load(tenon_context *cx, const char *path);
// YAML that is in memory; `name` stands for its path.
tenon_status tenon_plug_load_text(tenon_context *cx, const char *name,
                                  tenon_text text);

// The path of what was loaded from this file; null: nothing.
const char *tenon_plug_loaded(const tenon_context *cx, const uint64_t id[2]);
// That it is a library for this machine.
tenon_status tenon_plug_check_image(const tenon_context *cx, const char *path);

// Opens the image at `file` for the plugin that was named `path` and adds what
// it describes; `text` is that of its kernels, or null. If it is refused it is
// closed at once: another file may be there next time.
tenon_status tenon_plug_open(tenon_context *cx, const char *path,
                             const char *file, const uint64_t id[2],
                             const char *text);

// Notes that a file which is no image was loaded, so that it is once.
tenon_status tenon_plug_keep(tenon_context *cx, const char *path,
                             const uint64_t id[2]);

// Passes, readers and targets of the library itself (native.c).
extern const struct tenon_plugin tenon_native_plugin;

// The i-th operator set linked into this build; null behind the last. Whoever
// does not call it links none of them.
const struct tenon_plugin *tenon_builtin_plugin(size_t i);

#endif  // TENON_PLUG_LOAD_H
