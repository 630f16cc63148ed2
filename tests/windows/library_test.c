// library_test.c - an application of libtenon.dll: reads a model, runs it,
// looks at the numbers, and finds that nothing but the API is exported. Prints
// what is wrong.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
// It goes first.
#include <windows.h>

#include "tenon/tenon.h"

static const char text[] =
    "module {\n"
    "  %x = input f32[4]\n"
    "  %y = core::mul(%x, %x) : f32[4]\n"
    "  return %y\n"
    "}\n";

enum { MEMORIES = 3 };

static void *aligned(void *block, size_t align) {
  return (void *)(((uintptr_t)block + align - 1) / align * align);
}

static int fail(const char *what) {
  printf("%s\n", what);
  return 1;
}

int main(void) {
  tenon_context *cx = NULL;
  tenon_module *m = NULL;
  tenon_program *p = NULL;
  tenon_session *s = NULL;
  float values[4] = {1, -2, 3, 0.5f}, results[4] = {0, 0, 0, 0};
  int32_t dims[1] = {4};
  tenon_tensor x = {
      .data = values, .dims = dims, .rank = 1, .dtype = TENON_F32};
  tenon_tensor y = {
      .data = results, .dims = dims, .rank = 1, .dtype = TENON_F32};
  HMODULE library = GetModuleHandleA("libtenon.dll");
  if (!library || GetProcAddress(library, "tenon_fail"))
    return fail("libtenon.dll is not there, or exports what is not its API");
  if (tenon_context_create(NULL, &cx) != TENON_OK ||
      tenon_module_read(cx, text, sizeof text - 1, NULL, &m) != TENON_OK)
    return fail("the model is not read");
  tenon_entry all = {.module = m};
  if (tenon_program_compile(&all, 1, NULL, &p) != TENON_OK)
    return fail("it is not compiled");
  tenon_memory need[MEMORIES];
  void *blocks[MEMORIES] = {NULL}, *memory[MEMORIES];
  size_t n = tenon_program_memory(p, 1, need, MEMORIES);
  for (size_t i = 0; i < n; ++i) {
    blocks[i] = malloc(need[i].size + need[i].align);
    memory[i] = aligned(blocks[i], need[i].align);
  }
  tenon_session_options o = {.struct_size = sizeof o, .memory = memory};
  if (tenon_session_init(p, &o, &s) != TENON_OK ||
      tenon_session_run(s, 0, &x, 1, &y, 1) != TENON_OK)
    return fail("it does not run");
  for (int i = 0; i < 4; ++i)
    if (results[i] != values[i] * values[i]) return fail("it is wrong");
  tenon_session_deinit(s);
  for (size_t i = 0; i < n; ++i)
    free(blocks[i]);
  tenon_program_destroy(p);
  tenon_module_destroy(m);
  tenon_context_destroy(cx);
  return 0;
}
