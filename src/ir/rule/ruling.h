// ir/rule/ruling.h - what the files that serve rules share.
//
// rule.c admits rules and runs them, rule_expr.c computes what stands where
// text IR has a number, rule_check.c looks at statements whose operands have no
// types yet, rule_match.c finds a pattern in a graph. They are the host of the
// parser of such a text.
#ifndef TENON_IR_RULING_H
#define TENON_IR_RULING_H

#include "core/attr.h"
#include "ir/rewrite/rewriting.h"
#include "ir/rule/rule.h"
#include "ir/text/parser.h"

// Statements of a pattern, and nodes that commute in one.
#define TENON_RULE_NODES 16
#define TENON_RULE_SWAPS 6

// ---------------------------------------------------------------------------
// A rule
// ---------------------------------------------------------------------------

// A value of a pattern: what `%x` in it stands for.
typedef struct tenon_rule_slot {
  const char *name;
  int node;                      // whose result it is; -1: an input, or a
  uint32_t result;               // constant, which then
  const tenon_tensor *constant;  // has this value
} tenon_rule_slot;

// An attribute that a pattern names. One that it does not name has its default.
typedef struct tenon_rule_arg {
  tenon_arg value;      // of a literal, with the attribute's name
  const char *capture;  // `$d`: takes any, by this name; "_": by none
} tenon_rule_arg;

typedef struct tenon_rule_node {
  const char *op;
  const uint32_t *in;      // slots; TENON_RULE_ABSENT
  const uint16_t *bounds;  // of lists, as in tenon_node; or null
  const tenon_rule_arg *args;
  uint32_t n_in, n_groups, n_out, n_args;
  bool commutes;
} tenon_rule_node;
#define TENON_RULE_ABSENT UINT32_MAX

typedef struct tenon_rule {
  const char *file;   // in messages
  const char *title;  // "lowering 'acme gain to mul'"
  const char *op;
  const char *text, *when, *from;
  tenon_lowering_lines lines;
  // The pattern, once operators are known; without one, no nodes.
  const tenon_rule_node *nodes;
  const tenon_rule_slot *slots;
  uint32_t n_nodes, n_slots, n_results;  // results of the last node
} tenon_rule;

// ---------------------------------------------------------------------------
// A text at work
// ---------------------------------------------------------------------------

typedef enum tenon_rule_part {
  TENON_RULE_WHEN,
  TENON_RULE_FROM,
  TENON_RULE_TEXT
} tenon_rule_part;

// A name that `%name` and `$name` may stand for.
typedef struct tenon_rule_name {
  const char *name;
  bool is_operand;
  bool is_list;              // a Tensor[]
  bool is_inner;             // goes with the pattern: only `$` knows it
  tenon_value *const *list;  // its operands; null entries absent
  uint32_t n;
  const tenon_arg *arg;  // of an attribute; null: not known yet
} tenon_rule_name;

typedef struct tenon_ruling {
  const tenon_rule *rule;
  tenon_rule_part part;
  tenon_rewriting *rw;   // null: only looked at
  bool knows_names;      // the operator and all others are known
  bool is_soft;          // what cannot be computed is unknown, not an error
  const char *fault;     // the first that has no value whatever the sizes are,
  tenon_token fault_at;  // and where: an error if nothing else decides
  bool has_list;         // the present statement has operands without number
  TENON_VEC(tenon_rule_name) names;
  const tenon_type *result;  // of what is replaced; null: not known
  tenon_graph *graph;        // where statements go
  tenon_value *const *returned;
  uint32_t n_returned;
  tenon_token returned_at;
  // A pattern while it is read.
  TENON_VEC(tenon_rule_node) nodes;
  TENON_VEC(tenon_rule_slot) slots;
} tenon_ruling;

// What an expression gives.
typedef enum tenon_rule_kind {
  TENON_RULE_UNKNOWN,
  TENON_RULE_NONE,
  TENON_RULE_BOOL,   // dim.value
  TENON_RULE_INT,    // dim
  TENON_RULE_FLOAT,  // real
  TENON_RULE_STR,
  TENON_RULE_DTYPE,  // dim.value
  TENON_RULE_LIST,
  TENON_RULE_VALUE  // an operand that is there
} tenon_rule_kind;

typedef struct tenon_rule_value {
  tenon_rule_kind kind;
  tenon_dim dim;
  double real;
  const char *text;
  const struct tenon_rule_value *items;
  size_t count;
} tenon_rule_value;

// ---------------------------------------------------------------------------
// What the parser asks (tenon_parser_host)
// ---------------------------------------------------------------------------

// Attributes whose value is not known yet have this kind.
enum { TENON_RULE_ANY = 0xffff };

bool tenon_rule_expression(tenon_parser *p, tenon_rule_value *out);
bool tenon_rule_attribute(tenon_parser *p, tenon_arg *out);  // behind the `=`
bool tenon_rule_size(tenon_parser *p, tenon_dim *out);       // at a `$`
bool tenon_rule_dtype(tenon_parser *p, tenon_dtype *out);    // at a `$`
bool tenon_rule_element(tenon_parser *p, tenon_dtype dtype, void *data,
                        size_t i);  // at a `$`
// A name in the text that is not defined: an input of a pattern.
bool tenon_rule_is_open(const tenon_parser *p);
bool tenon_rule_input(tenon_parser *p, const tenon_token *at, const char *name,
                      const char *key, tenon_value **out);
// A statement that is not built; `out` receives a stand-in for each result.
bool tenon_rule_statement(tenon_parser *p, const tenon_statement_at *at,
                          const tenon_node_spec *spec, tenon_value **out);
bool tenon_rule_constant(tenon_parser *p, tenon_value *v);
bool tenon_rule_return(tenon_parser *p, const tenon_token *at,
                       tenon_value *const *values, uint32_t n);

tenon_rule_value tenon_rule_unknown(void);
tenon_rule_value tenon_rule_bool(bool value);
tenon_rule_value tenon_rule_int(tenon_dim dim);  // unknown: TENON_UNKNOWN
tenon_rule_value tenon_rule_float(double real);
// What cannot be computed: unknown, or an error where a number is needed.
bool tenon_rule_cannot(tenon_parser *p, const tenon_token *at,
                       tenon_rule_value *out, const char *why);
// The same, of arithmetic that has no value. A condition that does not hold
// only because of it must not pass for one that does not hold.
bool tenon_rule_faulty(tenon_parser *p, const tenon_token *at,
                       tenon_rule_value *out, const char *why);
// At a `$`: the name, its member, what it stands for.
bool tenon_rule_name_value(tenon_parser *p, tenon_rule_value *out);
bool tenon_rule_to_arg(tenon_parser *p, const tenon_token *at,
                       const tenon_rule_value *v, tenon_arg *out);

const tenon_rule_name *tenon_rule_find(const tenon_ruling *r, const char *name,
                                       size_t size);

// ---------------------------------------------------------------------------
// Patterns
// ---------------------------------------------------------------------------

// Whether the pattern ends in the node that is rewritten; then its names are
// added to those of `r`. Memory comes from `arena`, which latches failure.
bool tenon_rule_matches(tenon_ruling *r, tenon_arena *arena);
// What was read as a pattern becomes the rule's.
tenon_status tenon_rule_keep_pattern(tenon_parser *p, tenon_context *cx,
                                     tenon_rule *rule);

#endif  // TENON_IR_RULING_H
