// emit/text/text_parts.h - the texts of kernels, taken apart into what stands
// at file level: declarations, macros, conditionals.
//
// A module prints the parts that its steps lead to and no others, so a header
// of many functions costs what is called of it. What a text does that is not
// understood here (names put together by macros, directives) keeps more parts,
// never fewer.
#ifndef TENON_EMIT_TEXT_PARTS_H
#define TENON_EMIT_TEXT_PARTS_H

#include "base/vec.h"
#include "emit/emission.h"
#include "emit/text/clash.h"

typedef enum tenon_part_kind {
  TENON_PART_CODE = 0,  // functions, variables, calls of macros
  TENON_PART_TYPE,
  TENON_PART_MACRO,
  TENON_PART_LINE  // a conditional, or any other directive
} tenon_part_kind;

typedef struct tenon_part {
  size_t begin, body, end;  // in the texts; comments in front from `begin` on
  uint32_t piece;
  uint32_t group;          // 1 + the part that opens its conditional; 0: none
  uint32_t name, n_names;  // it defines
  uint32_t edge, n_edges;  // parts that it refers to
  uint32_t words;          // TENON_WORD_*, unless it is a type
  uint32_t most_in, most_out;  // operands and results that it may read
  uint8_t kind;                // tenon_part_kind
  bool is_root;                // printed whatever refers to it
  bool is_call;                // begins with the call of a macro
  bool is_pasting;
  bool is_used;
} tenon_part;

typedef struct tenon_part_chain {
  uint32_t part, next;  // 1 + the next entry of the name; 0: the last
} tenon_part_chain;

struct tenon_parts {
  TENON_VEC(tenon_emit_piece) pieces;
  TENON_VEC(tenon_part) list;
  TENON_VEC(const char *) names;
  TENON_VEC(uint32_t) edges;
  TENON_VEC(uint32_t) stack;
  TENON_VEC(tenon_part_chain) chain;
  tenon_map map;        // names to 1 + the first of their entries in `chain`
  tenon_map words_map;  // words to what they say
  uint32_t *stamps, stamp;  // of the parts
  tenon_emit_reads used;    // by all that is printed
};

// Cuts a piece into parts, without edges. False: memory ran out.
bool tenon_parts_cut(tenon_emission *e, uint32_t piece);

// Whether it declares tenon_tensor or tenon_call, of which emitted C has the
// members that are read; both as they are printed.
bool tenon_emit_is_call_type(const struct tenon_parts *p,
                             const tenon_part *part);
void tenon_emit_call_types(const tenon_emission *e, tenon_buf *out);

// --- tokens of C ------------------------------------------------------------

typedef struct tenon_c_scan {
  const char *p, *end;
  bool at_line;  // nothing but blanks since the line began
} tenon_c_scan;

typedef struct tenon_c_token {
  char kind;  // 'a' a word, '0' a number, '"' a literal, '#' a directive, '2'
              // a ##, or the character; 0: the end
  tenon_text text;
} tenon_c_token;

// With `lines` a directive is one token, with its continued lines; else its
// words are tokens.
tenon_c_token tenon_c_next(tenon_c_scan *s, bool lines);

#endif  // TENON_EMIT_TEXT_PARTS_H
