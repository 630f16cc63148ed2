// How: functions that an instance calls around its steps, where a macro asks
// for them, and what the test program does with them: cycles of each step, by
// the core's counter. Without the macro nothing of it is compiled.
#include "emit/emission.h"

static const char header_text[] =
    "#ifdef ^_HOOKS\n"
    "// What is called before and behind each step of this instance, with "
    "`user` "
    "and the\n"
    "// number of the step (^_STEP_TABLE says which that is); null: nothing. "
    "Not "
    "behind\n"
    "// a step that failed. @_init forgets both.\n"
    "typedef void @_hook(void *user, int32_t step);\n"
    "void @_set_hooks(@ *m, @_hook *before, @_hook *behind, void *user);\n"
    "#endif\n"
    "\n";

static const char members_text[] =
    "#ifdef ^_HOOKS\n"
    "  void (*hook_before)(void *user, int32_t step);\n"
    "  void (*hook_behind)(void *user, int32_t step);\n"
    "  void *hook_user;\n"
    "#endif\n";

static const char macros_text[] =
    "#ifdef ^_HOOKS\n"
    "#define ^_CALL_HOOK(m, hook, step) \\\n"
    "  do { \\\n"
    "    if ((m)->hook != NULL) (m)->hook((m)->hook_user, (step)); \\\n"
    "  } while (0)\n"
    "#else\n"
    "#define ^_CALL_HOOK(m, hook, step) ((void)0)\n"
    "#endif\n"
    "#define ^_BEFORE(m, step) ^_CALL_HOOK(m, hook_before, step)\n"
    "#define ^_BEHIND(m, step, name) \\\n"
    "  do { \\\n"
    "    ^_CALL_HOOK(m, hook_behind, step); \\\n"
    "    ^_ON_STEP(m, step, name); \\\n"
    "  } while (0)\n";

static const char functions_text[] =
    "#ifdef ^_HOOKS\n"
    "void @_set_hooks(@ *m, @_hook *before, @_hook *behind, void *user) {\n"
    "  m->hook_before = before;\n"
    "  m->hook_behind = behind;\n"
    "  m->hook_user = user;\n"
    "}\n"
    "#endif\n"
    "\n";

static const char init_text[] =
    "#ifdef ^_HOOKS\n"
    "  @_set_hooks(m, NULL, NULL, NULL);\n"
    "#endif\n";

// The counter of Armv7-M and Armv8-M is that of the DWT, where there is one;
// Armv8.1-M has it in the PMU.
static const char counter_text[] =
    "#if defined(^_HOOKS) && ^_STEPS > 0\n"
    "// ^_CYCLES() reads a counter, which goes on from 2^32 - 1 to 0.\n"
    "#ifndef ^_CYCLES\n"
    "#define ^_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))\n"
    "#if defined(__ARM_ARCH_8_1M_MAIN__)\n"
    "#define ^_CYCLES() ^_REGISTER(0xE000307Cu)\n"
    "static void @_count(void) {\n"
    "  ^_REGISTER(0xE000EDFCu) |= UINT32_C(1) << 24;\n"
    "  ^_REGISTER(0xE0003C00u) = UINT32_C(1) << 31;\n"
    "  ^_REGISTER(0xE0003E04u) |= 1;\n"
    "}\n"
    "#elif defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__) || \\\n"
    "    defined(__ARM_ARCH_8M_MAIN__)\n"
    "#define ^_CYCLES() ^_REGISTER(0xE0001004u)\n"
    "static void @_count(void) {\n"
    "  ^_REGISTER(0xE000EDFCu) |= UINT32_C(1) << 24;\n"
    "  ^_REGISTER(0xE0001000u) |= 1;\n"
    "}\n"
    "#else\n"
    "#define ^_CYCLES() UINT32_C(0)\n"
    "static void @_count(void) {}\n"
    "#endif\n"
    "#else\n"
    "static void @_count(void) {}\n"
    "#endif\n"
    "\n"
    "static uint32_t @_cycles[^_STEPS];\n"
    "\n"
    "static void @_before(void *user, int32_t step) {\n"
    "  uint32_t *cycles = (uint32_t *)user;\n"
    "  cycles[step] -= (uint32_t)^_CYCLES();\n"
    "}\n"
    "\n"
    "static void @_behind(void *user, int32_t step) {\n"
    "  uint32_t *cycles = (uint32_t *)user;\n"
    "  cycles[step] += (uint32_t)^_CYCLES();\n"
    "}\n"
    "\n"
    "static void @_put_cycles(void) {\n"
    "  double all = 0;\n"
    "  int32_t i;\n"
    "  for (i = 0; i < ^_STEPS; ++i) all += @_cycles[i];\n"
    "  if (!(all > 0)) {\n"
    "    ^_PUTS(\"cycles: no counter runs here; ^_CYCLES() can name "
    "one\\n\");\n"
    "    return;\n"
    "  }\n"
    "  for (i = 0; i < ^_STEPS; ++i) {\n"
    "    ^_PUTS(\"step \");\n"
    "    @_put((double)i);\n"
    "    ^_PUTS(\": \");\n"
    "    @_put((double)@_cycles[i]);\n"
    "    ^_PUTS(\" cycles\");\n"
    "#ifdef ^_STEP_TABLE\n"
    "    ^_PUTS(\", \");\n"
    "    ^_PUTS(@_steps[i].op);\n"
    "    ^_PUTS(\", \");\n"
    "    ^_PUTS(@_steps[i].origin);\n"
    "#endif\n"
    "    ^_PUTS(\"\\n\");\n"
    "  }\n"
    "}\n"
    "#endif\n"
    "\n";

void tenon_emit_hooks_header(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out, header_text);
}

void tenon_emit_hook_members(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out, members_text);
}

void tenon_emit_hook_macros(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out, macros_text);
}

void tenon_emit_hook_functions(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out, functions_text);
}

void tenon_emit_hooks_init(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out, init_text);
}

void tenon_emit_counter(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out, counter_text);
}
