// How: a memory is NAME=SIZE and words behind it, as NAME=SIZE:rom:align=32, a
// rule PATTERN=NAME or PATTERN=NAME@OFFSET, with a kind before the pattern
// where that matters.
#include "base/text.h"
#include "plan/banks/banks.h"

static tenon_status bank_read_refuse(const tenon_planner *w, const char *what,
                                     tenon_text found, const char *expected) {
  return tenon_fail(w->report, TENON_BAD_ARGUMENT, "plan-memory-text",
                    w->banks.place, "%s '%.*s': expected %s", what,
                    (int)found.size, found.data, expected);
}

static bool bank_read_size(tenon_text t, uint64_t *out) {
  static const struct {
    char letter;
    int shift;
  } units[] = {{'K', 10}, {'M', 20}, {'G', 30}};
  int shift = 0;
  int64_t value = 0;
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
    if (t.size > 1 && (t.data[t.size - 1] == units[i].letter ||
                       t.data[t.size - 1] == units[i].letter + ('a' - 'A'))) {
      shift = units[i].shift;
      --t.size;
      break;
    }
  if (!tenon_text_int(t, &value) || value < 0 ||
      value > (INT64_MAX >> 2) >> shift)
    return false;
  *out = (uint64_t)value << shift;
  return true;
}

static const char *copy(tenon_planner *w, tenon_text t) {
  return tenon_arena_text(&w->program->arena, t.data, t.size);
}

// "align=32"
static bool read_align(tenon_text word, uint32_t *align) {
  static const char key[] = "align=";
  size_t n = sizeof key - 1;
  int64_t value = 0;
  if (word.size <= n || memcmp(word.data, key, n) != 0) return false;
  word.data += n;
  word.size -= n;
  if (*align || !tenon_text_int(word, &value) || value < 1 ||
      value > TENON_ARENA_ALIGN || (value & (value - 1)))
    return false;
  *align = (uint32_t)value;
  return true;
}

static tenon_status bank_read_words(const tenon_planner *w,
                                    tenon_program_bank *bank, tenon_text text,
                                    tenon_text rest) {
  tenon_text word;
  bool is_ram = false;
  while (tenon_text_next(&rest, ':', &word)) {
    bool is_known = true;
    if (tenon_text_is(word, "ram"))
      is_ram = true;
    else if (tenon_text_is(word, "rom"))
      bank->is_rom = true;
    else if (tenon_text_is(word, "cold"))
      bank->is_cold = bank->is_rom = true;
    else if (tenon_text_is(word, "prefetch"))
      bank->is_prefetch = true;
    else
      is_known = read_align(word, &bank->align);
    if (!is_known)
      return bank_read_refuse(
          w, "memory", text,
          "NAME=SIZE, and behind it any of ':ram', ':rom', ':cold', "
          "':prefetch' and ':align=N', N a power of two up to 64");
  }
  if (is_ram && bank->is_rom)
    return bank_read_refuse(w, "memory", text,
                            "one of 'ram', 'rom' and 'cold'");
  if (bank->is_prefetch && !bank->is_cold)
    return bank_read_refuse(
        w, "memory", text,
        "'cold' where 'prefetch' is: from others nothing is copied");
  return TENON_OK;
}

static tenon_status read_bank(tenon_planner *w, tenon_banks *b,
                              tenon_text text) {
  tenon_program_bank *bank = &b->list[b->n];
  tenon_text rest = text, name, size;
  const char *form =
      "NAME=SIZE, NAME=SIZE:rom or NAME=SIZE:cold, as dtcm=64K; 'any': no "
      "limit";
  if (!tenon_text_next(&rest, '=', &name) || name.size == 0 ||
      !tenon_text_next(&rest, ':', &size))
    return bank_read_refuse(w, "memory", text, form);
  TENON_TRY(bank_read_words(w, bank, text, rest));
  if (tenon_text_is(size, "any"))
    bank->capacity = UINT64_MAX;
  else if (!bank_read_size(size, &bank->capacity))
    return bank_read_refuse(w, "memory", text, form);
  // Part of macros of emitted C.
  if (!tenon_text_is_identifier(name))
    return bank_read_refuse(w, "memory", text, "a name that C can have");
  bank->name = copy(w, name);
  if (!bank->name) return tenon_plan_no_memory(w->report);
  for (uint32_t i = 0; i < b->n; ++i)
    if (tenon_text_distance(b->list[i].name, bank->name, 1) == 0)
      return bank_read_refuse(w, "memory", text,
                              "another name: there is one of this");
  ++b->n;
  return TENON_OK;
}

static tenon_status find_bank(tenon_planner *w, const tenon_banks *b,
                              tenon_text name, tenon_text rule,
                              uint32_t *index) {
  tenon_nearest near;
  const char *given = copy(w, name);
  if (!given) return tenon_plan_no_memory(w->report);
  tenon_nearest_init(&near, given);
  for (*index = 0; *index < b->n; ++*index) {
    if (tenon_text_is(name, b->list[*index].name)) return TENON_OK;
    tenon_nearest_feed(&near, b->list[*index].name);
  }
  if (!near.best)
    return bank_read_refuse(w, "place", rule,
                            "the name of a memory behind '='");
  return tenon_fail(w->report, TENON_BAD_ARGUMENT, "plan-memory-text",
                    w->banks.place,
                    "place '%.*s': expected the name of a memory behind '='; "
                    "did you mean '%s'?",
                    (int)rule.size, rule.data, near.best);
}

static uint32_t read_kind(tenon_text *pattern) {
  static const struct {
    const char *name;
    uint32_t kinds;
  } kinds[] = {{"input", TENON_PLACE_INPUT},
               {"output", TENON_PLACE_OUTPUT},
               {"scratch", TENON_PLACE_SCRATCH | TENON_PLACE_STEP},
               {"value", TENON_PLACE_VALUE},
               {"state", TENON_PLACE_STATE},
               {"constant", TENON_PLACE_CONSTANT}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    size_t size = strlen(kinds[i].name);
    if (pattern->size <= size || pattern->data[size] != ':' ||
        memcmp(pattern->data, kinds[i].name, size) != 0)
      continue;
    pattern->data += size + 1;
    pattern->size -= size + 1;
    return kinds[i].kinds;
  }
  return ~(uint32_t)TENON_PLACE_STEP;
}

// The last '=' and the '@' behind it: names of tensors may have both.
static tenon_status read_rule(tenon_planner *w, tenon_banks *b,
                              const char *text) {
  tenon_bank_rule *rule = &b->rules[b->n_rules];
  tenon_text all = tenon_text_of(text), pattern = all, name, at = {NULL, 0};
  const char *equals = strrchr(text, '=');
  const char *form = "PATTERN=MEMORY or PATTERN=MEMORY@OFFSET";
  if (!equals || equals == text) return bank_read_refuse(w, "place", all, form);
  pattern.size = (size_t)(equals - text);
  name = tenon_text_of(equals + 1);
  const char *mark = strchr(equals, '@');
  if (mark) {
    name.size = (size_t)(mark - equals - 1);
    at = tenon_text_of(mark + 1);
    rule->is_fixed = true;
    if (!bank_read_size(at, &rule->offset))
      return bank_read_refuse(w, "place", all, form);
  }
  TENON_TRY(find_bank(w, b, name, all, &rule->bank));
  rule->kinds = read_kind(&pattern);
  if (rule->is_fixed && b->list[rule->bank].is_rom)
    return bank_read_refuse(w, "place", all,
                            "a memory that can be written before '@'");
  if (rule->is_fixed && rule->kinds == TENON_PLACE_STATE)
    return bank_read_refuse(w, "place", all,
                            "no '@': states lie one behind the other");
  if (rule->is_fixed && rule->kinds == TENON_PLACE_CONSTANT)
    return bank_read_refuse(w, "place", all,
                            "no '@': constants lie one behind the other");
  if (rule->is_fixed && b->list[rule->bank].align &&
      rule->offset % b->list[rule->bank].align)
    return bank_read_refuse(w, "place", all,
                            "a multiple of the memory's alignment behind '@'");
  rule->place = w->banks.place;
  rule->pattern = copy(w, pattern);
  if (!rule->pattern) return tenon_plan_no_memory(w->report);
  ++b->n_rules;
  return TENON_OK;
}

static size_t bank_read_count(const char *const *list) {
  size_t n = 0;
  while (list && list[n])
    ++n;
  return n;
}

static tenon_status bank_read_all(tenon_planner *w, tenon_banks *b,
                                  const char *const *memories,
                                  const char *words) {
  tenon_text rest = tenon_text_of(words), word;
  for (size_t i = 0; memories && memories[i]; ++i)
    TENON_TRY(read_bank(w, b, tenon_text_of(memories[i])));
  while (!memories && tenon_text_next(&rest, ' ', &word))
    if (word.size > 0) TENON_TRY(read_bank(w, b, word));
  for (uint32_t i = 0; i < b->n; ++i)
    if (!b->list[i].is_rom) return TENON_OK;
  if (b->n == 0) return TENON_OK;
  return bank_read_refuse(w, "memories", tenon_text_of(b->list[0].name),
                          "one among them that is not rom");
}

// What project files say of the modules, behind what the options say.
static bool is_first_of_module(const tenon_planner *w, size_t i) {
  for (size_t k = 0; k < i; ++k)
    if (w->entries[k].entry->module == w->entries[i].entry->module)
      return false;
  return true;
}

static const tenon_wish *wishes_of(const tenon_planner *w, size_t i) {
  return is_first_of_module(w, i) ? w->entries[i].entry->module->wishes : NULL;
}

static size_t count_wishes(const tenon_planner *w, const tenon_wish **first) {
  size_t n = 0;
  *first = NULL;
  for (size_t i = 0; i < w->n_entries; ++i)
    for (const tenon_wish *one = wishes_of(w, i); one; one = one->next) {
      if (!*first) *first = one;
      ++n;
    }
  return n;
}

static tenon_status read_wishes(tenon_planner *w, tenon_banks *b,
                                const char **texts) {
  for (size_t i = 0; i < w->n_entries; ++i)
    for (const tenon_wish *one = wishes_of(w, i); one; one = one->next) {
      b->place = &one->place;
      TENON_TRY(read_rule(w, b, one->text));
      texts[b->n_rules - 1] = copy(w, tenon_text_of(one->text));
      if (!texts[b->n_rules - 1]) return tenon_plan_no_memory(w->report);
    }
  b->place = NULL;
  return TENON_OK;
}

tenon_status tenon_banks_read(tenon_planner *w, tenon_banks *out) {
  const tenon_plan_options *o = w->options;
  const char *words = w->choice->target->memories;
  struct tenon_program *p = w->program;
  size_t n_rules = bank_read_count(o->places), n = bank_read_count(o->memories);
  memset(out, 0, sizeof *out);
  const tenon_wish *wish = NULL;
  size_t n_wishes = count_wishes(w, &wish);
  if (n == 0 && !words) {
    if (n_wishes)
      tenon_warn(w->report, "plan-place-unused", &wish->place,
                 "nothing is placed by '%s': there are no memories",
                 wish->text);
    if (n_rules == 0) return TENON_OK;
    return bank_read_refuse(w, "place", tenon_text_of(o->places[0]),
                            "memories to place it in; say which there are");
  }
  if (words && strlen(words) > n) n = strlen(words);
  out->list = tenon_arena_array(&p->arena, tenon_program_bank, n);
  size_t most = n_rules + n_wishes + 1;
  out->rules = tenon_arena_array(w->arena, tenon_bank_rule, most);
  const char **texts = tenon_arena_array(&p->arena, const char *, most);
  if (!out->list || !out->rules || !texts)
    return tenon_plan_no_memory(w->report);
  TENON_TRY(bank_read_all(w, out, o->memories, words));
  for (size_t i = 0; i < n_rules; ++i) {
    TENON_TRY(read_rule(w, out, o->places[i]));
    texts[i] = copy(w, tenon_text_of(o->places[i]));
    if (!texts[i]) return tenon_plan_no_memory(w->report);
  }
  TENON_TRY(read_wishes(w, out, texts));
  p->banks = out->list;
  p->n_banks = out->n;
  p->rules = texts;
  p->n_rules = out->n_rules;
  return TENON_OK;
}
