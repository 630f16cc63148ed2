// tenon/base.h - types every other public header may assume.
//
// Depends on nothing but freestanding C11 headers, so that a kernel file may
// include it and still be copied verbatim into emitted C.
#ifndef TENON_BASE_H
#define TENON_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TENON_EXTERN_C extern "C"
#else
#define TENON_EXTERN_C extern
#endif

#if defined(__GNUC__)
#define TENON_NODISCARD __attribute__((warn_unused_result))
#if defined(__MINGW32__) && !defined(__clang__)
// C11's printf, not that of Windows.
#define TENON_PRINTF(fmt, args) __attribute__((format(gnu_printf, fmt, args)))
#else
#define TENON_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#endif
#if defined(_WIN32)
#define TENON_EXPORT __declspec(dllexport)
#else
#define TENON_EXPORT __attribute__((visibility("default")))
#endif
#define TENON_INLINE static inline __attribute__((unused))
#else
#define TENON_NODISCARD
#define TENON_PRINTF(fmt, args)
#define TENON_EXPORT __declspec(dllexport)
#define TENON_INLINE static inline
#endif

// TENON_INLINE is for every helper whose text may end up in emitted C, where a
// compiler would complain of those that nobody calls. Functions of the library
// are hidden unless declared with TENON_API.
#define TENON_API TENON_EXPORT

// What the caller should do next. What happened, and where in the model, is in
// the diagnostics that came with it: no function returns a failure without
// having reported at least one error (tests/fault checks this on every path).
typedef int32_t tenon_status;
enum {
  TENON_OK = 0,
  TENON_NO_MEMORY = 1,     // nothing was made; an object being changed may only
                           // be destroyed
  TENON_BAD_ARGUMENT = 2,  // the calling program is wrong
  TENON_BAD_MODEL = 3,     // the file or graph is malformed
  TENON_UNSUPPORTED =
      4,                 // well formed, but no op, kernel or lowering covers it
  TENON_NO_SPACE = 5,    // a caller-provided buffer is too small
  TENON_CONFLICT = 6,    // a name or slot is already taken
  TENON_BAD_PLUGIN = 7,  // wrong magic, ABI, or an incomplete descriptor
  TENON_IO = 8,
  TENON_BUG = 9,        // an invariant of this library is broken; please report
  TENON_BAD_INPUT = 10  // values or shapes of a run break what the model asks
};

#define TENON_TRY(expr)                                  \
  do {                                                   \
    tenon_status tenon_status_ = (expr);                 \
    if (tenon_status_ != TENON_OK) return tenon_status_; \
  } while (0)

// Admits a struct that another build may have compiled against a shorter or a
// longer version of the same declaration. Every versioned public struct starts
// with `struct_size`; zero must always mean "as before this field existed".
//   shorter: the tail of *dst is zeroed;
//   longer:  admitted only if the tail the reader does not know is all zero.
// Bits and enumerators that the reader does not know are refused by whoever
// reads the member: they are the other half of "uses what we do not have".
TENON_INLINE bool tenon_admit(void *dst, size_t dst_size, const void *src) {
  const unsigned char *s = (const unsigned char *)src;
  unsigned char *d = (unsigned char *)dst;
  uint32_t src_size = *(const uint32_t *)src;
  if (src_size < sizeof(uint32_t) || src_size > 4096) return false;
  for (size_t i = 0; i < dst_size; ++i)
    d[i] = i < src_size ? s[i] : 0;
  for (size_t i = dst_size; i < src_size; ++i) {
    if (s[i] != 0) return false;
  }
  *(uint32_t *)dst = (uint32_t)dst_size;
  return true;
}

// The same rule in the other direction: a method table of an older library is
// shorter. Wrappers of methods added after 1.0 ask this before they call.
#define TENON_HAS(table, method)                                      \
  ((table)->struct_size >=                                            \
   (size_t)((const char *)&(table)->method - (const char *)(table)) + \
       sizeof((table)->method))

#ifdef __cplusplus
#define TENON_STATIC_ASSERT static_assert
#else
#define TENON_STATIC_ASSERT _Static_assert
#endif
#define TENON_NO_TAIL_PADDING(T, last)                                         \
  TENON_STATIC_ASSERT(sizeof(T) == offsetof(T, last) + sizeof(((T *)0)->last), \
                      #T " must not end in padding")

#endif  // TENON_BASE_H
