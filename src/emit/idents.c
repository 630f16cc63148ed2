// How: one pass that maps each byte to a letter, a digit or an underscore, then
// a search in a list of words. The list is long rather than clever: a model
// named "exp.tflite" must not become a type that hides a function of <math.h>.
#include "emit/idents.h"
#include "base/chars.h"

#include <string.h>

#include "base/text.h"

// Each list begins and ends with a blank.
static const char keywords[] =
    " auto break case char const continue default do double else enum extern "
    "float for goto if inline int long register restrict return short signed "
    "sizeof static struct switch typedef union unsigned void volatile while "
    "alignas alignof and and_eq asm atomic_cancel atomic_commit "
    "atomic_noexcept bitand bitor bool catch char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const_cast consteval constexpr "
    "constinit decltype delete dynamic_cast explicit export false friend "
    "mutable namespace new noexcept not not_eq nullptr operator or or_eq "
    "private protected public reflexpr reinterpret_cast requires "
    "static_assert static_cast synchronized template this thread_local throw "
    "true try typeid typename typeof typeof_unqual using virtual wchar_t xor "
    "xor_eq ";
static const char macros[] =
    " arm assert complex errno far huge i386 imaginary linux mips near "
    "noreturn null offsetof pixel signbit stderr stdin stdout sun unix vector "
    "interface small ";
static const char functions[] =
    " abort abs accept access acos acosh alarm alloca asctime asin asinh atan "
    "atan2 atanh atexit atof atoi atol atoll bcmp bcopy bind brk bsearch bzero "
    "calloc cbrt ceil chdir chmod chown clearerr clock close connect copysign "
    "cos cosh creat ctime daemon difftime div drem dup dup2 environ erf erfc "
    "errno execve exit exp exp10 exp2 expm1 fabs fclose fcntl fdim feof ferror "
    "fflush ffs fgetc fgets floor fma fmax fmin fmod fopen fork fprintf fputc "
    "fputs fread free freopen frexp fscanf fseek fsync ftell fwrite gamma getc "
    "getchar getenv gets gmtime hypot ilogb index ioctl isalnum isalpha "
    "isatty isdigit j0 j1 jn kill labs ldexp ldiv lgamma link listen llabs "
    "lldiv llrint llround localtime log log10 log1p log2 logb longjmp lrint "
    "lround lseek main malloc memchr memcmp memcpy memmove memset mktime mmap "
    "modf nan nearbyint nextafter nice open pause perror pipe poll pow pow10 "
    "printf putc putchar puts qsort raise rand random read realloc recv "
    "remainder remove remquo rename rewind rindex rint round sbrk scalb scalbn "
    "scanf select send setbuf setjmp setvbuf shutdown signal signgam "
    "significand sin sinh sleep snprintf socket sprintf sqrt srand srandom "
    "sscanf stat strcat strchr strcmp strcoll strcpy strcspn strerror strftime "
    "strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod "
    "strtof strtok strtol strtoll strtoul strxfrm swab sync sysconf system tan "
    "tanh tgamma time times tmpfile tmpnam trunc umask uname ungetc unlink "
    "usleep va_arg va_copy va_end va_start vfork vprintf vsnprintf vsprintf "
    "wait write y0 y1 yn ";

static bool ident_has_word(const char *list, const char *word) {
  size_t size = strlen(word);
  for (const char *p = strstr(list, word); p; p = strstr(p + 1, word))
    if (p[-1] == ' ' && p[size] == ' ') return true;
  return false;
}

bool tenon_ident_is_reserved(const char *name) {
  // Types of the standard headers, too: a parameter of that name would hide the
  // type of the next one.
  return ident_has_word(keywords, name) || ident_has_word(macros, name) ||
         ident_has_word(functions, name) || tenon_text_ends(name, "_t");
}

bool tenon_ident_is_valid(const char *name) {
  if (!tenon_char_is_letter(*name) && *name != '_') return false;
  if (*name == '_' || strstr(name, "__")) return false;  // the compiler's
  for (const char *p = name; *p; ++p)
    if (!tenon_char_is_letter(*p) && !tenon_char_is_digit(*p) && *p != '_')
      return false;
  return strlen(name) <= TENON_IDENT_MOST;
}

const char *tenon_ident_clean(tenon_arena *arena, const char *text,
                              const char *fallback) {
  char name[TENON_IDENT_MOST + 1];
  size_t at = 0;
  for (const char *p = text; *p && at < TENON_IDENT_MOST; ++p) {
    bool is_plain = tenon_char_is_letter(*p) || tenon_char_is_digit(*p);
    if (at == 0 && tenon_char_is_digit(*p)) {
      size_t size = strlen(fallback);
      memcpy(name, fallback, size);
      at = size;
    }
    if (is_plain) {
      name[at++] = tenon_char_lower(*p);
    } else if (at > 0 && name[at - 1] != '_') {
      name[at++] = '_';
    }
  }
  while (at > 0 && name[at - 1] == '_')
    --at;
  return at ? tenon_arena_text(arena, name, at)
            : tenon_arena_string(arena, fallback);
}

const char *tenon_ident_take(tenon_map *taken, tenon_arena *arena,
                             const char *name) {
  const char *found = name;
  for (unsigned n = 2; found; ++n) {
    bool added = false;
    if (!tenon_map_put_text(taken, found, 0, &added)) return NULL;
    if (added) return found;
    char digits[16];
    size_t at = sizeof digits;
    digits[--at] = 0;
    for (unsigned u = n; u; u /= 10)
      digits[--at] = (char)('0' + u % 10);
    const char *const parts[] = {name, "_", digits + at, NULL};
    found = tenon_ident_join(arena, parts);
  }
  return NULL;
}

const char *tenon_ident_join(tenon_arena *arena, const char *const *parts) {
  size_t size = 0;
  for (size_t i = 0; parts[i]; ++i)
    size += strlen(parts[i]);
  char *all = (char *)tenon_arena_alloc(arena, size + 1, 1);
  if (!all) return NULL;
  char *at = all;
  for (size_t i = 0; parts[i]; ++i) {
    size_t n = strlen(parts[i]);
    memcpy(at, parts[i], n);
    at += n;
  }
  *at = 0;
  return all;
}

const char *tenon_ident_upper(tenon_arena *arena, const char *name) {
  char *upper = name ? tenon_arena_string(arena, name) : NULL;
  for (char *p = upper; p && *p; ++p)
    if (*p >= 'a' && *p <= 'z') *p = (char)(*p - 'a' + 'A');
  return upper;
}
