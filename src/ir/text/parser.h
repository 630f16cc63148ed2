// ir/text/parser.h - what the files of the parser share.
//
// token.c cuts the text into tokens, one ahead; parse_type.c reads types, sizes
// and places, parse_name.c names, parse_data.c constants, parse_args.c
// attributes, parse_node.c statements and bodies, parse.c what stands in a
// module. Recursive descent
// without going back. Functions return false when they have failed, after the
// one report that a parse makes; time and memory are linear in the text.
#ifndef TENON_IR_PARSER_H
#define TENON_IR_PARSER_H

#include "base/buf.h"
#include "base/text.h"
#include "ir/build.h"
#include "ir/graph_link.h"
#include "ir/text/print.h"

typedef enum tenon_token_kind {
  TENON_TOKEN_END = 0,  // others are their character
  TENON_TOKEN_WORD = 256,
  TENON_TOKEN_NUMBER,  // without a sign
  TENON_TOKEN_STRING,
  TENON_TOKEN_ARROW,     // ->
  TENON_TOKEN_RANGE,     // ..
  TENON_TOKEN_ELLIPSIS,  // ...
  TENON_TOKEN_BAD
} tenon_token_kind;

typedef struct tenon_token {
  int kind;
  tenon_text text;        // a string with its quotes
  uint32_t line, column;  // from 1; columns are bytes
  bool is_first;          // of its line
  bool is_glued;          // nothing stands between it and the one before
} tenon_token;

typedef struct tenon_binding {
  const char *key;
  tenon_value *value;
} tenon_binding;

// An entry point whose function is not known until all is read.
typedef struct tenon_pending_entry {
  tenon_token at;
  const char *name;
  int64_t function;
  const char *const *inputs, *const *outputs;
  size_t n_inputs, n_outputs;
  const uint16_t *writes;
  size_t n_writes;
} tenon_pending_entry;

// Where a statement and what stands in it are, for messages.
typedef struct tenon_statement_at {
  tenon_token whole, op;
  const tenon_token *args;  // a token per attribute
} tenon_statement_at;

typedef struct tenon_parser tenon_parser;

// What a text means that is no module of its own: its names may stand for what
// is known elsewhere, and its statements go there (ir/rule/ruling.h).
typedef struct tenon_parser_host {
  // A failure in the name of the text; `where` says the line.
  bool (*fail)(tenon_parser *p, const char *where, const char *text);
  // The value of an attribute, behind the `=`.
  bool (*attribute)(tenon_parser *p, tenon_arg *out);
  // At a `$` that stands for one.
  bool (*size)(tenon_parser *p, tenon_dim *out);
  bool (*dtype)(tenon_parser *p, tenon_dtype *out);
  bool (*element)(tenon_parser *p, tenon_dtype dtype, void *data, size_t i);
  // Whether a name stands for a list of operands, and which.
  bool (*list)(tenon_parser *p, const char *name, tenon_value *const **out,
               uint32_t *n);
  // Whether names may be used that are not defined; what one of them stands
  // for.
  bool (*is_open)(const tenon_parser *p);
  bool (*input)(tenon_parser *p, const tenon_token *at, const char *name,
                const char *key, tenon_value **out);
  // A statement of `g`; *out are its results.
  bool (*statement)(tenon_parser *p, const tenon_statement_at *at,
                    tenon_node_spec *spec, tenon_graph *g, tenon_value ***out);
  bool (*constant)(tenon_parser *p, tenon_value *v);
  bool (*returns)(tenon_parser *p, const tenon_token *at, tenon_graph *g,
                  tenon_value *const *values, uint32_t n, tenon_loc loc);
  // The place of what begins at a token.
  bool (*place)(tenon_parser *p, const tenon_token *at, tenon_loc *out);
} tenon_parser_host;

struct tenon_parser {
  tenon_module *m;
  const char *file;  // in places of the text itself
  tenon_text text;
  size_t at;  // behind `token`
  uint32_t line;
  size_t line_begin;
  tenon_token token;  // the next one
  tenon_status status;
  tenon_arena arena;
  tenon_buf key;
  tenon_map scope;  // key of a name to its binding plus 1; 0: out of scope
  TENON_VEC(tenon_binding) bindings;
  tenon_map symbols;  // name to id * 2, plus 1 when its range was said
  TENON_VEC(tenon_pending_entry) entries;
  tenon_graph *body;                // of the short form
  bool has_returned;                // in the short form
  TENON_VEC(const char *) outputs;  // of the short form: null: as the value
  TENON_VEC(uint16_t) writes;       // of the short form: inputs
  size_t n_zeros;                   // bytes said to be zero so far
  const tenon_parser_host *host;    // of a text in another; else null
  struct tenon_ruling *ruling;      // its own
  bool is_sized_later;  // by a host: the constant's type has sizes that a node
                        // knows, and there is none yet
  uint32_t first_line, indent;  // where such a text begins in its file
};

// Tokens.
void tenon_parser_next(tenon_parser *p);
bool tenon_parser_is(const tenon_parser *p, int kind);
bool tenon_parser_is_word(const tenon_parser *p, const char *word);
bool tenon_parser_accept(tenon_parser *p, int kind);
bool tenon_parser_accept_word(tenon_parser *p, const char *word);
bool tenon_parser_expect(tenon_parser *p, int kind);
bool tenon_parser_fail(tenon_parser *p, const tenon_token *at, const char *fmt,
                       ...) TENON_PRINTF(3, 4);
bool tenon_parser_expected(tenon_parser *p, const char *what);
bool tenon_parser_memory(tenon_parser *p);
// After a builder that has reported.
bool tenon_parser_built(tenon_parser *p, bool done);
// Steps over a string and resolves its escapes, into the arena. A text ends in
// a zero and has none before.
bool tenon_parser_string(tenon_parser *p, const char **text, size_t *size);
bool tenon_parser_text(tenon_parser *p, const char **text);
// With a sign, "inf" and "nan" included where it is no integer.
bool tenon_parser_int(tenon_parser *p, int64_t *out);
bool tenon_parser_double(tenon_parser *p, double *out);
// The text of a number with its sign, or of a word.
bool tenon_parser_number(tenon_parser *p, tenon_text *out);
// The place of the text at a token; not printed.
tenon_loc tenon_parser_implied(tenon_parser *p, const tenon_token *at);

// Types, sizes, places.
bool tenon_parser_type(tenon_parser *p, tenon_type *out);
// Whether a word begins a size: min, max, floor...
bool tenon_parser_is_size_call(const tenon_parser *p);
bool tenon_parser_size(tenon_parser *p, tenon_dim *out);
bool tenon_parser_symbol(tenon_parser *p, tenon_dim *out);
bool tenon_parser_range(tenon_parser *p);
bool tenon_parser_guard(tenon_parser *p);
// `@...` if there is one, else what the token implies.
bool tenon_parser_place(tenon_parser *p, const tenon_token *at, tenon_loc *out);

// Data of a static type, in the module's arena; bytes in the arena of the
// parser. `*texts` instead of `*data` for strings.
bool tenon_parser_data(tenon_parser *p, const tenon_type *type,
                       const void **data, const tenon_text **texts);
bool tenon_parser_bytes(tenon_parser *p, const void **data, size_t *size);
bool tenon_parser_is_hex(const tenon_parser *p);

// A number that can be that of an input.
bool tenon_parser_input(tenon_parser *p, uint16_t *out);

// Attributes in brackets, ended by a null name, and where each of them stands.
bool tenon_parser_args(tenon_parser *p, const tenon_arg **out,
                       const tenon_token **places);

// Defines how an attribute that is a list of kind `list_kind` is made of
// `list`, of which element i is `item`; `member` is what tenon_arg calls such a
// list.
#define TENON_PARSER_LIST(name, source, T, list_kind, member, item)       \
  static bool name(tenon_parser *p, const source *list, tenon_arg *out) { \
    T *data = tenon_arena_array(&p->arena, T, list->count);               \
    if (!data) return tenon_parser_memory(p);                             \
    for (size_t i = 0; i < list->count; ++i)                              \
      data[i] = item;                                                     \
    out->kind = list_kind;                                                \
    out->as.member.data = data;                                           \
    out->as.member.count = list->count;                                   \
    return true;                                                          \
  }

// Before the text is set, and after all.
void tenon_parser_init(tenon_parser *p, tenon_allocator allocator);
void tenon_parser_deinit(tenon_parser *p);

// Names and bodies.
bool tenon_parser_name(tenon_parser *p, const char **name, const char **key);
bool tenon_parser_define(tenon_parser *p, const tenon_token *at,
                         const char *key, tenon_value *value);
void tenon_parser_leave(tenon_parser *p, size_t n_bindings);
bool tenon_parser_params(tenon_parser *p, tenon_graph *g);
bool tenon_parser_body(tenon_parser *p, tenon_graph *g);  // up to its `}`
// A statement of the short form, or `return`.
bool tenon_parser_statement(tenon_parser *p, tenon_graph *g, bool *is_end);
bool tenon_parser_constant(tenon_parser *p, const tenon_token *at,
                           const char *name, const char *key, bool is_item);

#endif  // TENON_IR_PARSER_H
