// How: memory is that of the upper bounds. The numbers of the program lie in
// the instance as one array; the function of an entry gets the sizes of its
// inputs as arguments, checks their ranges, and evaluates what follows in the
// order of the numbers. A step that finds a size out evaluates again.
// Dimensions and attributes are built from the numbers where a call is built.
#include "emit/step/open.h"

#include <string.h>

#include "core/dtype.h"
#include "emit/idents.h"

bool tenon_emit_is_open(const tenon_emission *e) {
  return e->p->n_numbers > 0;
}

// --- what can be emitted ----------------------------------------------------

// The first leaf without a bound; 0: each has one.
static uint32_t find_culprit(const tenon_emission *e) {
  const struct tenon_program *p = e->p;
  for (uint32_t i = 1; i < p->n_numbers; ++i)
    if (p->numbers[i].op == 0 && p->numbers[i].kind == 0 &&
        p->numbers[i].max == INT64_MAX && p->numbers[i].most.symbol == 0 &&
        p->numbers[i].step == TENON_NO_INDEX)
      return i;
  for (uint32_t i = 1; i < p->n_numbers; ++i)
    if (p->numbers[i].op == 0 && p->numbers[i].kind == 0 &&
        p->numbers[i].max == INT64_MAX && p->numbers[i].most.symbol == 0)
      return i;
  return 0;
}

static tenon_status check_steps(const tenon_emission *e) {
  const struct tenon_program *p = e->p;
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *step = &p->steps[i];
    if (step->kind != TENON_STEP_KERNEL || !step->is_open) continue;
    const tenon_program_kernel *k = &p->kernels[step->kernel];
    bool calls_back = !k->desc->emit_template && k->desc->emit;
    bool cannot_write = step->n_decided > 0 && k->desc->emit_template;
    bool by_place = step->n_decided > 0 && !k->desc->user &&
                    (k->desc->flags & TENON_KERNEL_MEASURES_ALL) != 0;
    if (!calls_back && !cannot_write && !by_place) continue;
    return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-open-kernel",
                      step->place,
                      "'%s': kernel '%s' of plugin '%s' %s, which emitted C "
                      "with open sizes cannot do; fix them with --dim or "
                      "--shape",
                      step->op, k->symbol, k->owner,
                      calls_back     ? "has an emit function"
                      : cannot_write ? "finds out a size in a template"
                                     : "finds out sizes by their places");
  }
  return TENON_OK;
}

// Behind each round a session carries over what has another size now.
static tenon_status check_loops(const tenon_emission *e) {
  const struct tenon_program *p = e->p;
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *step = &p->steps[i];
    if (step->kind != TENON_STEP_WHILE || step->n_decided == 0) continue;
    return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-open-size",
                      step->place,
                      "the size '%s' changes from round to round of a loop, "
                      "which emitted C cannot do",
                      p->numbers[p->decided[step->decided]].name);
  }
  return TENON_OK;
}

tenon_status tenon_emit_check_open(const tenon_emission *e) {
  const struct tenon_program *p = e->p;
  if (!tenon_emit_is_open(e)) return TENON_OK;
  TENON_TRY(check_loops(e));
  // A number that is in no size needs no bound.
  uint32_t i = p->is_bounded ? 0 : find_culprit(e);
  if (i)
    return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-open-size", NULL,
                      "the size '%s' has no bound: compile with --dim "
                      "'%s=<=64', or with --dim %s=7, which fixes it",
                      p->numbers[i].name, p->numbers[i].name,
                      p->numbers[i].name);
  if (!p->is_bounded)
    return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-open-size", NULL,
                      "the bounds of the open sizes allow more than 1 GiB: "
                      "lower them, as with --dim '%s=<=64'",
                      p->numbers[1].name);
  return check_steps(e);
}

// --- expressions ------------------------------------------------------------

void tenon_emit_number(tenon_buf *out, tenon_dim d) {
  if (d.symbol == 0) {
    tenon_c_int(out, d.value);
    return;
  }
  tenon_put(out, "m->number[$]", d.symbol);
}

void tenon_emit_put_number(tenon_buf *out, const tenon_put_value *v) {
  tenon_emit_number(out, *(const tenon_dim *)v->as.p);
}

void tenon_emit_dims_of(tenon_emission *e, tenon_buf *out,
                        const tenon_program_tensor *t) {
  if (!t->sizes) {
    tenon_emit_ints(e, out, t->dims, t->rank);
    return;
  }
  tenon_buf_text(out, "(const int32_t[]){");
  for (int i = 0; i < t->rank; ++i) {
    tenon_put(out, "$$$", i ? ", " : "", t->sizes[i].symbol ? "(int32_t)" : "",
              tenon_as_number(&t->sizes[i]));
  }
  tenon_buf_char(out, '}');
}

// Fixed sizes are one factor, in front.
void tenon_emit_product(tenon_buf *out, const tenon_program_tensor *t,
                        int begin, int end) {
  int64_t fixed = 1;
  bool is_first = true;
  for (int i = begin; i < end; ++i)
    if (!t->sizes || !t->sizes[i].symbol)
      fixed *= t->sizes ? t->sizes[i].value : t->dims[i];
  if (fixed != 1) tenon_c_int(out, fixed);
  is_first = fixed == 1;
  for (int i = begin; i < end; ++i) {
    if (!t->sizes || !t->sizes[i].symbol) continue;
    tenon_put(out, "$$", !is_first ? " * " : "", tenon_as_number(&t->sizes[i]));
    is_first = false;
  }
  if (is_first) tenon_c_int(out, fixed);
}

void tenon_emit_put_bytes(tenon_buf *out, const tenon_put_value *v) {
  const tenon_program_tensor *t = (const tenon_program_tensor *)v->as.p;
  if (!t->sizes) {
    tenon_c_uint(out, t->size);
    return;
  }
  uint32_t bits = tenon_dtype_look(t->dtype)->bits;
  tenon_put(out, "(size_t)($", bits % 8 ? "(" : "");
  tenon_emit_product(out, t, 0, t->rank);
  if (bits % 8)
    tenon_buf_format(out, ") * %u + 7) / 8", (unsigned)bits);
  else
    tenon_buf_format(out, ") * %u", (unsigned)(bits / 8));
}

static void open_sizes_put_operand(tenon_buf *out, tenon_dim d) {
  if (d.symbol == 0)
    tenon_buf_format(out, "%.17g", tenon_dim_real_of(d.value));
  else
    tenon_emit_number(out, d);
}

// "@_fmul(@_real(m->n3), 0.3)": one function for each operation, so that no two
// are rounded as one.
static void put_real(const tenon_emission *e, tenon_buf *out,
                     const tenon_program_number *n) {
  tenon_dim_op op = (tenon_dim_op)n->op;
  const tenon_dim operands[] = {n->a, n->b};
  int count = op >= TENON_DIM_FADD && op <= TENON_DIM_FDIV ? 2 : 1;
  tenon_buf_format(out, "%s_%s(", e->prefix, tenon_dim_op_name(op));
  for (int i = 0; i < count; ++i) {
    bool is_bits = operands[i].symbol != 0 && op != TENON_DIM_FLOAT;
    if (i) tenon_buf_text(out, ", ");
    if (is_bits) tenon_buf_format(out, "%s_real(", e->prefix);
    open_sizes_put_operand(out, operands[i]);
    if (is_bits) tenon_buf_char(out, ')');
  }
  tenon_buf_char(out, ')');
}

static void put_expression(tenon_buf *out, const tenon_program_number *n) {
  static const char *const signs[] = {[TENON_DIM_ADD] = " + ",
                                      [TENON_DIM_SUB] = " - ",
                                      [TENON_DIM_MUL] = " * ",
                                      [TENON_DIM_MIN] = " < ",
                                      [TENON_DIM_MAX] = " > "};
  if (n->op == TENON_DIM_DIV || n->op == TENON_DIM_MOD) {
    tenon_put(out, "$$, $)", n->op == TENON_DIM_DIV ? "_div(" : "_mod(",
              tenon_as_number(&n->a), tenon_as_number(&n->b));
    return;
  }
  tenon_put(out, "$$$", tenon_as_number(&n->a), signs[n->op],
            tenon_as_number(&n->b));
  if (n->op != TENON_DIM_MIN && n->op != TENON_DIM_MAX) return;
  tenon_put(out, " ? $ : $", tenon_as_number(&n->a), tenon_as_number(&n->b));
}

// --- which numbers belong to an entry ---------------------------------------

// Those that anything printed refers to, or that such a one is made of.
static bool *open_sizes_find_used(const tenon_emission *e) {
  const struct tenon_program *p = e->p;
  tenon_arena *arena = (tenon_arena *)(uintptr_t)&e->arena;
  bool *used = tenon_arena_array(arena, bool, p->n_numbers);
  if (!used) return NULL;
  for (uint32_t i = 0; i < p->n_tensors; ++i)
    for (int d = 0; p->tensors[i].sizes && d < p->tensors[i].rank; ++d)
      used[p->tensors[i].sizes[d].symbol] = true;
  for (uint32_t i = 0; i < p->n_patches; ++i)
    used[p->patches[i].value.symbol] = true;
  for (uint32_t i = 0; i < p->n_guards; ++i)
    used[p->guards[i].a.symbol] = used[p->guards[i].b.symbol] = true;
  for (uint32_t i = p->n_numbers; i-- > 1;) {
    const tenon_program_number *n = &p->numbers[i];
    used[i] |= n->op == 0;
    if (!used[i]) continue;
    used[n->a.symbol] = used[n->b.symbol] = used[n->most.symbol] = true;
  }
  return used;
}

// Numbers that follow from the entry's sizes and from what steps find out.
static bool *find_known(const tenon_emission *e, uint32_t entry) {
  const struct tenon_program *p = e->p;
  tenon_arena *arena = (tenon_arena *)(uintptr_t)&e->arena;
  bool *known = tenon_arena_array(arena, bool, p->n_numbers);
  if (!known) return NULL;
  known[0] = true;
  for (uint32_t i = 0; i < e->entries[entry].n_sizes; ++i)
    known[e->entries[entry].sizes[i].number] = true;
  for (uint32_t i = 1; i < p->n_numbers; ++i) {
    const tenon_program_number *n = &p->numbers[i];
    if (n->op != 0)
      known[i] = known[n->a.symbol] && known[n->b.symbol];
    else if (n->step != TENON_NO_INDEX)
      known[i] = n->most.symbol == 0 || known[n->most.symbol];
  }
  return known;
}

// The last step that either number waits for; -1: none.
static int64_t waits_for(const tenon_emission *e, tenon_dim a, tenon_dim b) {
  const struct tenon_program *p = e->p;
  tenon_arena *arena = (tenon_arena *)(uintptr_t)&e->arena;
  bool *marks = tenon_arena_array(arena, bool, p->n_numbers);
  int64_t last = -1;
  if (!marks) return -1;
  marks[a.symbol] = marks[b.symbol] = true;
  tenon_numbers_spread(p, marks);
  for (uint32_t i = 1; i < p->n_numbers; ++i) {
    uint32_t step = p->numbers[i].step;
    if (!marks[i] || p->numbers[i].op != 0 || step == TENON_NO_INDEX) continue;
    if (last < 0 || p->steps[step].time > p->steps[last].time) last = step;
  }
  return last;
}

// --- functions --------------------------------------------------------------

static const char unfit_text[] =
    "static tenon_status @_unfit(tenon_fault *fault, const char *text,\n"
    "                            int64_t value0, int64_t value1) {\n"
    "  fault->text = text;\n"
    "  fault->value[0] = value0;\n"
    "  fault->value[1] = value1;\n"
    "  return TENON_BAD_INPUT;\n"
    "}\n\n";

static const char div_text[] =
    "// Rounded down; the divisor is not 0.\n"
    "static int64_t @_div(int64_t a, int64_t b) {\n"
    "  return a / b - (a % b != 0 && (a < 0) != (b < 0));\n"
    "}\n\n";

static const char mod_text[] =
    "static int64_t @_mod(int64_t a, int64_t b) {\n"
    "  int64_t rest = a % b;\n"
    "  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;\n"
    "}\n\n";

static const char real_text[] =
    "static double @_real(int64_t bits) {\n"
    "  double x;\n"
    "  (void)memcpy(&x, &bits, sizeof x);\n"
    "  return x;\n"
    "}\n\n";

// By operation; their results are bits, or rounded.
static const char *const op_texts[] = {
    [TENON_DIM_FLOAT] =
        "static int64_t @_float(int64_t value) {\n"
        "  return @_bits((double)value);\n"
        "}\n\n",
    [TENON_DIM_FADD] =
        "static int64_t @_fadd(double a, double b) {\n"
        "  return @_bits(a + b);\n"
        "}\n\n",
    [TENON_DIM_FMUL] =
        "static int64_t @_fmul(double a, double b) {\n"
        "  return @_bits(a * b);\n"
        "}\n\n",
    [TENON_DIM_FDIV] =
        "static int64_t @_fdiv(double a, double b) {\n"
        "  return @_bits(a / b);\n"
        "}\n\n",
    [TENON_DIM_FLOOR] =
        "static int64_t @_floor(double x) {\n"
        "  int64_t low = (int64_t)x;\n"
        "  return low - ((double)low > x);\n"
        "}\n\n",
    [TENON_DIM_ROUND] =
        "// Of two as near the even one.\n"
        "static int64_t @_round(double x) {\n"
        "  int64_t low = (int64_t)x;\n"
        "  low -= (double)low > x;\n"
        "  double rest = x - (double)low;\n"
        "  return low + (rest > 0.5 || (rest == 0.5 && low % 2 "
        "!= 0));\n"
        "}\n\n"};

static const char bits_text[] =
    "static int64_t @_bits(double x) {\n"
    "  int64_t bits = 0;\n"
    "  if (x != 0) (void)memcpy(&bits, &x, sizeof bits);\n"
    "  return bits;\n"
    "}\n\n";

static bool has_float(const tenon_emission *e) {
  for (uint32_t i = 1; i < e->p->n_numbers; ++i)
    if (e->p->numbers[i].kind == TENON_KIND_FLOAT) return true;
  return false;
}

static bool has_op(const tenon_emission *e, uint32_t op) {
  for (uint32_t i = 1; i < e->p->n_numbers; ++i)
    if (e->p->numbers[i].op == op) return true;
  return false;
}

// Whether a size can be out of its range, or break a condition.
static bool can_be_unfit(const tenon_emission *e) {
  for (uint32_t i = 1; i < e->p->n_numbers; ++i)
    if (e->p->numbers[i].op == 0 && e->p->numbers[i].kind == 0) return true;
  return e->p->n_guards > 0;
}

static void put_unfit(const tenon_emission *e, tenon_buf *out,
                      const char *indent) {
  tenon_emit_put(e, out, "$return @_unfit(fault, ", indent);
}

static void put_leaf(const tenon_emission *e, tenon_buf *out, uint32_t i) {
  const tenon_program_number *n = &e->p->numbers[i];
  tenon_put(out, "  if (step < 0) $ = $;  // $, at most\n",
            tenon_as_number(&(tenon_dim){0, i}),
            n->most.symbol != 0 ? tenon_as_number(&n->most)
                                : tenon_as_c_int(n->kind ? 0 : n->max),
            tenon_as_c_comment(n->name));
}

// A divisor that is 0, and what is no integer of 64 bits.
static void put_real_checks(const tenon_emission *e, tenon_buf *out,
                            const tenon_program_number *n) {
  bool rounds = n->op == TENON_DIM_FLOOR || n->op == TENON_DIM_ROUND;
  if (!rounds && (n->op != TENON_DIM_FDIV || n->b.symbol == 0)) return;
  tenon_buf_format(out, rounds ? "  if (!(%s_real(" : "  if (%s_real(",
                   e->prefix);
  tenon_emit_number(out, rounds ? n->a : n->b);
  if (rounds) {
    tenon_emit_put(e, out, ") > -9e18 && @_real($", tenon_as_number(&n->a));
  }
  tenon_buf_text(out, rounds ? ") < 9e18))\n" : ") == 0)\n");
  put_unfit(e, out, "    ");
  tenon_c_string(out, rounds ? "these sizes make a float that is no size"
                             : "these sizes make a division by zero");
  tenon_buf_text(out, ", 0, 0);\n");
}

static void open_sizes_put_value(const tenon_emission *e, tenon_buf *out,
                                 uint32_t i) {
  const tenon_program_number *n = &e->p->numbers[i];
  bool divides = n->op == TENON_DIM_DIV || n->op == TENON_DIM_MOD;
  if (divides && n->b.symbol != 0) {
    tenon_put(out, "  if ($ == 0)\n", tenon_as_number(&n->b));
    put_unfit(e, out, "    ");
    tenon_c_string(out, "these sizes make a division by zero");
    tenon_buf_text(out, ", 0, 0);\n");
  }
  put_real_checks(e, out, n);
  tenon_put(out, "  $ = $", tenon_as_number(&(tenon_dim){0, i}),
            divides ? e->prefix : "");
  if (tenon_dim_op_is_float((tenon_dim_op)n->op))
    put_real(e, out, n);
  else
    put_expression(out, n);
  tenon_put(out, ";  // $\n", tenon_as_c_comment(n->name));
}

// What is broken, and who states it.
static void put_stated(const tenon_emission *e, tenon_buf *out,
                       const char *what, const char *said_by) {
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  tenon_buf_text(&text, what);
  if (said_by && !e->is_stripped)
    tenon_buf_format(&text, "; stated by %s", said_by);
  tenon_c_string(out, text.data ? text.data : "");
  tenon_buf_deinit(&text);
}

static void open_sizes_put_guard(const tenon_emission *e, tenon_buf *out,
                                 const tenon_program_guard *g) {
  static const char *const signs[] = {NULL, " == ", " != ", " < ", " <= "};
  int64_t step = waits_for(e, g->a, g->b);
  tenon_put(out, "  if (step == $ && !($$$))\n", tenon_as_c_int(step),
            tenon_as_number(&g->a), signs[g->relation], tenon_as_number(&g->b));
  put_unfit(e, out, "    ");
  put_stated(e, out, g->text, g->said_by);
  tenon_put(out, ", $, $);\n", tenon_as_number(&g->a), tenon_as_number(&g->b));
}

static void open_sizes_put_sizes(tenon_emission *e, tenon_buf *out,
                                 uint32_t entry) {
  const struct tenon_program *p = e->p;
  const bool *known = find_known(e, entry), *used = open_sizes_find_used(e);
  if (!known || !used) return;
  tenon_emit_put(e, out, "static tenon_status @_sizes$", entry);
  tenon_emit_text(e, out, "(@ *m, tenon_fault *fault, int32_t step) {\n");
  size_t before = out->size;
  for (uint32_t i = 1; i < p->n_numbers; ++i) {
    if (!known[i] || !used[i]) continue;
    if (p->numbers[i].op != 0)
      open_sizes_put_value(e, out, i);
    else if (p->numbers[i].step != TENON_NO_INDEX)
      put_leaf(e, out, i);
  }
  for (uint32_t i = 0; i < p->n_guards; ++i)
    if (known[p->guards[i].a.symbol] && known[p->guards[i].b.symbol])
      open_sizes_put_guard(e, out, &p->guards[i]);
  const char *text = out->data && !out->failed ? out->data + before : "";
  bool has_fault = strstr(text, "fault") != NULL;
  bool has_step = strstr(text, "step") != NULL;
  bool has_m = strstr(text, "m->") != NULL;
  tenon_put(out,
            "$$$  return TENON_OK;\n"
            "}\n"
            "\n",
            !has_m ? "  (void)m;\n" : "", !has_fault ? "  (void)fault;\n" : "",
            !has_step ? "  (void)step;\n" : "");
}

void tenon_emit_sizes(tenon_emission *e, tenon_buf *out) {
  if (!tenon_emit_is_open(e)) return;
  if (can_be_unfit(e)) tenon_emit_text(e, out, unfit_text);
  if (has_float(e)) tenon_emit_text(e, out, real_text);
  bool has_bits = false;
  for (int op = TENON_DIM_FLOAT; op <= TENON_DIM_FDIV; ++op)
    has_bits |= has_op(e, (uint32_t)op);
  if (has_bits) tenon_emit_text(e, out, bits_text);
  for (int op = TENON_DIM_FLOAT; op <= TENON_DIM_ROUND; ++op)
    if (has_op(e, (uint32_t)op)) tenon_emit_text(e, out, op_texts[op]);
  if (has_op(e, TENON_DIM_DIV)) tenon_emit_text(e, out, div_text);
  if (has_op(e, TENON_DIM_MOD)) tenon_emit_text(e, out, mod_text);
  tenon_buf_text(out,
                 "// What follows from the sizes of a run, or from what "
                 "a step has found out.\n");
  for (uint32_t i = 0; i < e->p->n_entries; ++i)
    open_sizes_put_sizes(e, out, i);
}

// Behind the beginning of a run.
void tenon_emit_take_sizes(tenon_emission *e, tenon_buf *out, uint32_t entry) {
  const tenon_entry_names *names = &e->entries[entry];
  if (!tenon_emit_is_open(e)) return;
  for (uint32_t i = 0; i < names->n_sizes; ++i) {
    const tenon_program_number *n = &e->p->numbers[names->sizes[i].number];
    const char *parameter = names->sizes[i].parameter;
    tenon_buf text;
    tenon_buf_init(&text, e->allocator);
    tenon_buf_format(&text, "the size '%s' is %lld to %lld, not {0}", n->name,
                     (long long)n->min, (long long)n->max);
    tenon_emit_put(e, out,
                   "  if ($ < $ || $ > $)\n    status = @_unfit(&fault, ",
                   parameter, n->min, parameter, n->max);
    put_stated(e, out, text.data ? text.data : "", n->said_by);
    tenon_put(out, ", $, 0);\n  $ = $;\n", parameter,
              tenon_as_number(&(tenon_dim){0, names->sizes[i].number}),
              parameter);
    tenon_buf_deinit(&text);
  }
  tenon_emit_put(
      e, out,
      "  if (status == TENON_OK) status = @_sizes$(m, &fault, -1);\n"
      "  if (status != TENON_OK) return @_finish(m, status, &fault);\n",
      entry);
}

// --- what a step finds out --------------------------------------------------

static bool is_in(const struct tenon_program *p, uint32_t block,
                  uint32_t step) {
  const tenon_block *b = &p->blocks[block];
  for (uint32_t i = 0; i < b->count; ++i) {
    uint32_t index = p->order[b->first + i];
    if (index == step) return true;
    for (int k = 0; k < 2; ++k)
      if (p->steps[index].blocks[k] != TENON_NO_INDEX &&
          is_in(p, p->steps[index].blocks[k], step))
        return true;
  }
  return false;
}

// Behind the kernel, whose status is in `status`.
void tenon_emit_found(tenon_emission *e, tenon_buf *out, uint32_t index) {
  const struct tenon_program *p = e->p;
  const tenon_step *step = &p->steps[index];
  uint32_t entry = 0;
  while (entry + 1 < p->n_entries && !is_in(p, p->entries[entry].block, index))
    ++entry;
  tenon_buf_text(out, "  if (status != TENON_OK) return status;\n");
  for (uint32_t i = 0; i < step->n_decided; ++i) {
    uint32_t number = p->decided[step->decided + i];
    const tenon_program_number *n = &p->numbers[number];
    if (n->kind == 0) {
      tenon_put(out, "  if (sizes[$] < $ || sizes[$] > $)\n", i,
                tenon_as_c_int(n->min), i,
                n->most.symbol != 0 ? tenon_as_number(&n->most)
                                    : tenon_as_c_int(n->max));
      put_unfit(e, out, "    ");
      tenon_buf text;
      tenon_buf_init(&text, e->allocator);
      tenon_buf_format(&text, "the size '%s' cannot be {0}", n->name);
      tenon_c_string(out, text.data ? text.data : "");
      tenon_buf_deinit(&text);
      tenon_buf_format(out, ", sizes[%u], 0);\n", (unsigned)i);
    }
    tenon_put(out, "  $ = sizes[$];  // $\n",
              tenon_as_number(&(tenon_dim){0, number}), i,
              tenon_as_c_comment(n->name));
  }
  tenon_emit_put(e, out, "  status = @_sizes$(m, fault, $);\n", entry, index);
}

// --- attributes -------------------------------------------------------------

static const tenon_program_patch *find_patch(const struct tenon_program *p,
                                             const tenon_program_attrs *a,
                                             uint32_t offset,
                                             uint32_t element) {
  for (uint32_t i = 0; i < a->n_patches; ++i) {
    const tenon_program_patch *patch = &p->patches[a->patch + i];
    if (patch->offset == offset && patch->element == element) return patch;
  }
  return NULL;
}

bool tenon_emit_is_patched(const tenon_emission *e,
                           const tenon_program_attrs *a, const void *at) {
  uint32_t offset = (uint32_t)((const char *)at - (const char *)a->bound);
  for (uint32_t i = 0; i < a->n_patches; ++i)
    if (e->p->patches[a->patch + i].offset == offset) return true;
  return false;
}

static void open_sizes_put_patch(const tenon_emission *e, tenon_buf *out,
                                 const tenon_program_patch *patch) {
  uint32_t kind =
      patch->value.symbol ? e->p->numbers[patch->value.symbol].kind : 0;
  bool wants_float =
      patch->kind == TENON_KIND_FLOAT || patch->kind == TENON_KIND_OPT_FLOAT;
  if (kind == TENON_KIND_FLOAT) {
    tenon_emit_put(e, out, "@_real($)", tenon_as_number(&patch->value));
    return;
  }
  if (wants_float) tenon_buf_text(out, "(double)");
  tenon_emit_number(out, patch->value);
  bool wants_bool =
      patch->kind == TENON_KIND_BOOL || patch->kind == TENON_KIND_OPT_BOOL;
  if (wants_bool) tenon_buf_text(out, " != 0");
}

static void open_sizes_put_scalar(const tenon_emission *e, tenon_buf *out,
                                  const tenon_program_patch *patch) {
  uint32_t kind =
      patch->value.symbol ? e->p->numbers[patch->value.symbol].kind : 0;
  tenon_buf_text(out, kind == TENON_KIND_FLOAT  ? "{TENON_KIND_FLOAT, {.f = "
                      : kind == TENON_KIND_BOOL ? "{TENON_KIND_BOOL, {.i = "
                                                : "{TENON_KIND_INT, {.i = ");
  open_sizes_put_patch(e, out, patch);
  tenon_buf_text(out, "}}");
}

// A list with some of its elements found out in a run.
static void open_sizes_put_list(tenon_emission *e, tenon_buf *out,
                                const tenon_program_attrs *a, uint32_t offset,
                                const tenon_attr_view *v) {
  size_t count = 0;
  (void)tenon_emit_is_list(v, &count);
  tenon_buf_text(out, "{(const int64_t[]){");
  for (size_t i = 0; i < count; ++i) {
    const tenon_program_patch *patch = find_patch(e->p, a, offset, (uint32_t)i);
    if (i) tenon_buf_text(out, ", ");
    if (patch)
      open_sizes_put_patch(e, out, patch);
    else
      tenon_c_int(out, tenon_emit_element(v, i).as.i);
  }
  tenon_put(out, "}, $}", count);
}

void tenon_emit_open_value(tenon_emission *e, tenon_buf *out,
                           const tenon_program_attrs *a,
                           const tenon_attr_view *v) {
  uint32_t offset = (uint32_t)((const char *)v->at - (const char *)a->bound);
  const tenon_program_patch *patch = find_patch(e->p, a, offset, 0);
  if (v->kind == TENON_KIND_INTS) {
    open_sizes_put_list(e, out, a, offset, v);
  } else if (v->kind == TENON_KIND_SCALAR) {
    open_sizes_put_scalar(e, out, patch);
  } else {
    bool is_optional = v->kind == TENON_KIND_OPT_INT ||
                       v->kind == TENON_KIND_OPT_FLOAT ||
                       v->kind == TENON_KIND_OPT_BOOL;
    if (is_optional) tenon_buf_char(out, '{');
    open_sizes_put_patch(e, out, patch);
    if (is_optional) tenon_buf_text(out, ", true}");
  }
}
