// How: a stack, a stack of marks, and a memo, as the format has them. Each
// operation makes at most one value, so time and memory are linear in the
// bytes. A call is a row of the list of names: it takes a tuple apart and puts
// a tensor, a storage or an empty dictionary in its place.
#include "read/weights/pickle.h"

#include "base/label.h"
#include "base/text.h"
#include "base/vec.h"
#include "core/dtype.h"

enum {
  DOES_NOTHING,
  DOES_DICT,
  DOES_TENSOR,
  DOES_TENSOR_OF_TYPE,
  DOES_PARAMETER,
  DOES_STORAGE,
  DOES_SIZE,
  DOES_OTHER
};

static const struct allowed {
  const char *module, *name;
  uint8_t does;
  tenon_dtype dtype;
} allowed[] = {
    {"collections", "OrderedDict", DOES_DICT, 0},
    {"torch._utils", "_rebuild_tensor_v2", DOES_TENSOR, 0},
    {"torch._utils", "_rebuild_tensor_v3", DOES_TENSOR_OF_TYPE, 0},
    {"torch._utils", "_rebuild_parameter", DOES_PARAMETER, 0},
    {"torch._utils", "_rebuild_parameter_with_state", DOES_PARAMETER, 0},
    {"torch", "FloatStorage", DOES_STORAGE, TENON_F32},
    {"torch", "DoubleStorage", DOES_STORAGE, TENON_F64},
    {"torch", "HalfStorage", DOES_STORAGE, TENON_F16},
    {"torch", "BFloat16Storage", DOES_STORAGE, TENON_BF16},
    {"torch", "LongStorage", DOES_STORAGE, TENON_S64},
    {"torch", "IntStorage", DOES_STORAGE, TENON_S32},
    {"torch", "ShortStorage", DOES_STORAGE, TENON_S16},
    {"torch", "CharStorage", DOES_STORAGE, TENON_S8},
    {"torch", "ByteStorage", DOES_STORAGE, TENON_U8},
    {"torch", "BoolStorage", DOES_STORAGE, TENON_BOOL},
    {"torch", "ComplexFloatStorage", DOES_STORAGE, TENON_C64},
    {"torch", "ComplexDoubleStorage", DOES_STORAGE, TENON_C128},
    {"torch.storage", "UntypedStorage", DOES_STORAGE, 0},
    {"torch", "UntypedStorage", DOES_STORAGE, 0},
    {"torch", "device", DOES_OTHER, 0},
    {"torch", "Size", DOES_SIZE, 0},
};

typedef struct parser {
  tenon_bytes bytes;
  uint64_t base, at;  // of the operation that runs
  uint64_t next;
  tenon_arena *arena;
  const tenon_report *report;
  const char *file, *where;
  TENON_VEC(tenon_pickle_value *) stack;
  TENON_VEC(size_t) marks;
  TENON_VEC(tenon_pickle_value *) memo;
  const tenon_pickle_value *storages;
} parser;

#define pickle_fail(p, ...)                                    \
  tenon_fail((p)->report, TENON_BAD_MODEL, "read-pickle",      \
             &(const tenon_place){(p)->file, (p)->where, NULL, \
                                  (p)->base + (p)->at, 0},     \
             __VA_ARGS__)

static tenon_status pickle_no_memory(const parser *p) {
  return tenon_fail_memory(p->report, "reading a pickle");
}

// ---------------------------------------------------------------------------
// The stack
// ---------------------------------------------------------------------------

static tenon_status pickle_push(parser *p, tenon_pickle_value *v) {
  return v && tenon_vec_push(&p->stack, v) ? TENON_OK : pickle_no_memory(p);
}

static tenon_pickle_value *pickle_make(parser *p, tenon_pickle_kind kind) {
  tenon_pickle_value *v = tenon_arena_new(p->arena, tenon_pickle_value);
  if (v) v->kind = kind;
  return v;
}

static size_t bottom(const parser *p) {
  return p->marks.count ? p->marks.data[p->marks.count - 1] : 0;
}

static tenon_status pickle_pop(parser *p, tenon_pickle_value **out) {
  if (p->stack.count <= bottom(p))
    return pickle_fail(p, "takes from an empty stack");
  *out = tenon_vec_pop(&p->stack);
  return TENON_OK;
}

// Items above the last mark, which goes.
static tenon_status pop_mark(parser *p, size_t *from) {
  if (p->marks.count == 0) return pickle_fail(p, "a mark is missing");
  *from = tenon_vec_pop(&p->marks);
  return TENON_OK;
}

static tenon_status add_items(parser *p, tenon_pickle_value *list,
                              tenon_pickle_value *const *items, size_t n) {
  if (list->capacity - list->count < n) {
    size_t capacity = (list->count + n) * 2;
    tenon_pickle_value **data =
        tenon_arena_array(p->arena, tenon_pickle_value *, capacity);
    if (!data) return pickle_no_memory(p);
    if (list->count > 0) memcpy(data, list->items, list->count * sizeof(*data));
    list->items = data;
    list->capacity = capacity;
  }
  if (n > 0) memcpy(list->items + list->count, items, n * sizeof *items);
  list->count += n;
  return TENON_OK;
}

static tenon_status push_list(parser *p, size_t from) {
  tenon_pickle_value *v = pickle_make(p, TENON_PICKLE_LIST);
  if (!v) return pickle_no_memory(p);
  if (from < bottom(p) || from > p->stack.count)
    return pickle_fail(p, "takes from an empty stack");
  size_t n = p->stack.count - from;
  if (n > 0) TENON_TRY(add_items(p, v, p->stack.data + from, n));
  p->stack.count = from;
  return pickle_push(p, v);
}

// Moves what is above `from` into the list or dictionary below it.
static tenon_status pickle_extend(parser *p, size_t from,
                                  tenon_pickle_kind kind) {
  if (from <= bottom(p) || from > p->stack.count)
    return pickle_fail(p, "takes from an empty stack");
  size_t n = p->stack.count - from;
  tenon_pickle_value *to = p->stack.data[from - 1];
  if (to->kind != kind || (kind == TENON_PICKLE_DICT && n % 2 != 0))
    return pickle_fail(p, "adds to what is no %s",
                       kind == TENON_PICKLE_DICT ? "dictionary" : "list");
  if (n > 0) TENON_TRY(add_items(p, to, p->stack.data + from, n));
  p->stack.count = from;
  return TENON_OK;
}

static tenon_status memorise(parser *p, uint64_t index) {
  if (p->stack.count <= bottom(p))
    return pickle_fail(p, "takes from an empty stack");
  if (index >= TENON_PICKLE_MEMO) return pickle_fail(p, "remembers too much");
  while (p->memo.count <= index)
    if (!tenon_vec_push(&p->memo, NULL)) return pickle_no_memory(p);
  p->memo.data[index] = p->stack.data[p->stack.count - 1];
  return TENON_OK;
}

static tenon_status recall(parser *p, uint64_t index) {
  if (index >= p->memo.count || !p->memo.data[index])
    return pickle_fail(p, "item %llu was not remembered",
                       (unsigned long long)index);
  return pickle_push(p, p->memo.data[index]);
}

// ---------------------------------------------------------------------------
// Numbers and text
// ---------------------------------------------------------------------------

// An unsigned number of `size` bytes behind the operation.
static tenon_status pickle_take(parser *p, int size, uint64_t *out) {
  *out = 0;
  if (!tenon_bytes_has(p->bytes, p->next, (uint64_t)size))
    return pickle_fail(p, "is cut");
  for (int i = 0; i < size; ++i)
    *out |= (uint64_t)p->bytes.data[p->next + (uint64_t)i] << (8 * i);
  p->next += (uint64_t)size;
  return TENON_OK;
}

static tenon_status push_int(parser *p, int64_t value) {
  tenon_pickle_value *v = pickle_make(p, TENON_PICKLE_INT);
  if (v) v->i = value;
  return pickle_push(p, v);
}

// Bytes, or a number of more than 64 bits: nothing that a tensor is made of.
static tenon_status push_bytes(parser *p, uint64_t size) {
  if (!tenon_bytes_has(p->bytes, p->next, size))
    return pickle_fail(p, "is cut");
  p->next += size;
  return pickle_push(p, pickle_make(p, TENON_PICKLE_OTHER));
}

// Two's complement of as many bytes as the first one says.
static tenon_status push_long(parser *p) {
  uint64_t n = 0, value = 0;
  TENON_TRY(pickle_take(p, 1, &n));
  if (n > 8) return push_bytes(p, n);
  TENON_TRY(pickle_take(p, (int)n, &value));
  if (n > 0 && n < 8 && value >> (8 * n - 1)) value |= UINT64_MAX << (8 * n);
  return push_int(p, (int64_t)value);
}

static tenon_status push_float(parser *p) {
  uint64_t bits = 0, swapped = 0;
  TENON_TRY(pickle_take(p, 8, &bits));
  for (int i = 0; i < 8; ++i)
    swapped |= (bits >> (8 * i) & 0xff) << (56 - 8 * i);
  tenon_pickle_value *v = pickle_make(p, TENON_PICKLE_FLOAT);
  if (v) memcpy(&v->f, &swapped, sizeof v->f);
  return pickle_push(p, v);
}

static tenon_status take_text(parser *p, uint64_t size, const char **out) {
  tenon_bytes text;
  if (!tenon_bytes_slice(p->bytes, p->next, size, &text))
    return pickle_fail(p, "is cut");
  p->next += size;
  if (memchr(text.data, 0, text.size))
    return pickle_fail(p, "a text with a zero");
  *out = tenon_arena_text(p->arena, (const char *)text.data, text.size);
  return *out ? TENON_OK : pickle_no_memory(p);
}

static tenon_status push_text(parser *p, int size_bytes) {
  uint64_t size = 0;
  tenon_pickle_value *v = pickle_make(p, TENON_PICKLE_TEXT);
  TENON_TRY(pickle_take(p, size_bytes, &size));
  if (!v) return pickle_no_memory(p);
  TENON_TRY(take_text(p, size, &v->text));
  return pickle_push(p, v);
}

// ---------------------------------------------------------------------------
// Names and calls
// ---------------------------------------------------------------------------

// A tensor of a class of its own is pickled by the first name; torchao's are.
static tenon_status refuse_name(const parser *p, const char *module,
                                const char *name) {
  const tenon_diag remedy = tenon_note_of(
      "read-pickle",
      "a tensor of a class of its own, as torchao's quantised weights: "
      "'torchao.utils.unwrap_tensor_subclass(model)' before "
      "torch.export.export, or run_decompositions() behind it, makes plain "
      "tensors",
      NULL);
  const bool is_class = strcmp(module, "torch._tensor") == 0 &&
                        strcmp(name, "_rebuild_from_type_v2") == 0;
  const tenon_place place = {p->file, p->where, NULL, p->base + p->at, 0};
  char a[TENON_LABEL], b[TENON_LABEL];
  tenon_label_make(a, tenon_text_of(module));
  tenon_label_make(b, tenon_text_of(name));
  return tenon_fail_notes(p->report, TENON_BAD_MODEL, "read-pickle", &place,
                          is_class ? &remedy : NULL,
                          "refers to '%s.%s', which is not part of a tensor; "
                          "nothing was called",
                          a, b);
}

static tenon_status push_name(parser *p, const char *module, const char *name) {
  tenon_pickle_value *v = pickle_make(p, TENON_PICKLE_NAME);
  if (!v) return pickle_no_memory(p);
  v->text = name;
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; ++i) {
    if (strcmp(allowed[i].module, module) != 0 ||
        strcmp(allowed[i].name, name) != 0)
      continue;
    v->does = allowed[i].does;
    v->dtype = allowed[i].dtype;
    return pickle_push(p, v);
  }
  if (strcmp(module, "torch") == 0) {
    v->dtype = tenon_dtype_find(tenon_text_of(name));
    const tenon_dtype_info *info = tenon_dtype_look(v->dtype);
    if (info && strcmp(info->torch, name) == 0) return pickle_push(p, v);
  }
  return refuse_name(p, module, name);
}

static tenon_status take_line(parser *p, const char **out) {
  const uint8_t *from = p->bytes.data + p->next;
  const uint8_t *end = memchr(from, '\n', p->bytes.size - (size_t)p->next);
  if (!end) return pickle_fail(p, "is cut");
  TENON_TRY(take_text(p, (uint64_t)(end - from), out));
  ++p->next;
  return TENON_OK;
}

static tenon_status read_global(parser *p) {
  const char *module = NULL, *name = NULL;
  TENON_TRY(take_line(p, &module));
  TENON_TRY(take_line(p, &name));
  return push_name(p, module, name);
}

static tenon_status stack_global(parser *p) {
  tenon_pickle_value *module = NULL, *name = NULL;
  TENON_TRY(pickle_pop(p, &name));
  TENON_TRY(pickle_pop(p, &module));
  if (module->kind != TENON_PICKLE_TEXT || name->kind != TENON_PICKLE_TEXT)
    return pickle_fail(p, "a name that is no text");
  return push_name(p, module->text, name->text);
}

static bool is_ints(const tenon_pickle_value *v) {
  bool ok = v->kind == TENON_PICKLE_LIST;
  for (size_t i = 0; ok && i < v->count; ++i)
    ok = v->items[i]->kind == TENON_PICKLE_INT;
  return ok;
}

// Whether the metadata say that the elements are others than those stored.
static bool is_lazy(const tenon_pickle_value *v) {
  bool is = false;
  for (size_t i = 0; v->kind == TENON_PICKLE_DICT && i + 1 < v->count; i += 2) {
    const tenon_pickle_value *key = v->items[i];
    bool is_bit =
        key->kind == TENON_PICKLE_TEXT &&
        (strcmp(key->text, "neg") == 0 || strcmp(key->text, "conj") == 0);
    is |= is_bit && v->items[i + 1]->i != 0;
  }
  return is;
}

static tenon_status pickle_make_tensor(parser *p,
                                       const tenon_pickle_value *args,
                                       bool has_type) {
  size_t least = has_type ? 7 : 4;
  tenon_pickle_value *v = pickle_make(p, TENON_PICKLE_TENSOR);
  if (!v) return pickle_no_memory(p);
  if (args->count < least || args->items[0]->kind != TENON_PICKLE_STORAGE ||
      args->items[1]->kind != TENON_PICKLE_INT || !is_ints(args->items[2]) ||
      !is_ints(args->items[3]))
    return pickle_fail(p, "a tensor that is none");
  v->storage = args->items[0];
  v->i = args->items[1]->i;
  v->sizes = args->items[2];
  v->strides = args->items[3];
  v->dtype = has_type ? args->items[6]->dtype : v->storage->dtype;
  size_t metadata = has_type ? 7 : 6;
  if (args->count > metadata && is_lazy(args->items[metadata]))
    return pickle_fail(p, "a tensor that is still to be negated or conjugated");
  if (v->dtype == 0) return pickle_fail(p, "a tensor without an element type");
  return pickle_push(p, v);
}

// Empty, or of a list of pairs.
static tenon_status make_dict(parser *p, const tenon_pickle_value *args) {
  tenon_pickle_value *v = pickle_make(p, TENON_PICKLE_DICT);
  if (!v) return pickle_no_memory(p);
  const tenon_pickle_value *list = args->count > 0 ? args->items[0] : args;
  if (args->count > 1 || list->kind != TENON_PICKLE_LIST)
    return pickle_fail(p, "a dictionary that is none");
  for (size_t i = 0; i < list->count; ++i) {
    const tenon_pickle_value *pair = list->items[i];
    if (pair->kind != TENON_PICKLE_LIST || pair->count != 2)
      return pickle_fail(p, "a dictionary that is none");
    TENON_TRY(add_items(p, v, pair->items, 2));
  }
  return pickle_push(p, v);
}

static tenon_status pickle_reduce(parser *p) {
  tenon_pickle_value *args = NULL, *callee = NULL;
  TENON_TRY(pickle_pop(p, &args));
  TENON_TRY(pickle_pop(p, &callee));
  if (callee->kind != TENON_PICKLE_NAME || args->kind != TENON_PICKLE_LIST)
    return pickle_fail(p, "calls what cannot be called");
  switch (callee->does) {
    case DOES_DICT:
      return make_dict(p, args);
    case DOES_TENSOR:
    case DOES_TENSOR_OF_TYPE:
      return pickle_make_tensor(p, args, callee->does == DOES_TENSOR_OF_TYPE);
    case DOES_PARAMETER:
      if (args->count < 1 || args->items[0]->kind != TENON_PICKLE_TENSOR)
        return pickle_fail(p, "a parameter that is no tensor");
      return pickle_push(p, args->items[0]);
    case DOES_SIZE:
      if (args->count == 1 && is_ints(args->items[0]))
        return pickle_push(p, args->items[0]);
      return pickle_fail(p, "a size that is none");
    case DOES_OTHER:
      return pickle_push(p, pickle_make(p, TENON_PICKLE_OTHER));
    default:
      return pickle_fail(p, "calls '%s', which is no function", callee->text);
  }
}

// ('storage', class, key, location, count); older ones have a sixth, the place
// in another storage or None.
static tenon_status find_storage(parser *p) {
  tenon_pickle_value *id = NULL, *v = pickle_make(p, TENON_PICKLE_STORAGE);
  TENON_TRY(pickle_pop(p, &id));
  if (!v) return pickle_no_memory(p);
  if (id->kind != TENON_PICKLE_LIST || id->count < 3 ||
      id->items[0]->kind != TENON_PICKLE_TEXT ||
      strcmp(id->items[0]->text, "storage") != 0 ||
      id->items[1]->kind != TENON_PICKLE_NAME ||
      id->items[1]->does != DOES_STORAGE ||
      id->items[2]->kind != TENON_PICKLE_TEXT)
    return pickle_fail(p, "data that are no storage");
  if (id->count > 5 && id->items[5]->kind != TENON_PICKLE_NONE)
    return pickle_fail(p, "a storage that is a part of another");
  v->storage = p->storages;
  p->storages = v;
  v->dtype = id->items[1]->dtype;
  v->text = id->items[2]->text;
  return pickle_push(p, v);
}

// ---------------------------------------------------------------------------
// Operations
// ---------------------------------------------------------------------------

static tenon_status take_and(parser *p, int size,
                             tenon_status (*then)(parser *, uint64_t)) {
  uint64_t index = 0;
  TENON_TRY(pickle_take(p, size, &index));
  return then(p, index);
}

static tenon_status push_dict(parser *p, size_t from) {
  tenon_pickle_value *v = pickle_make(p, TENON_PICKLE_DICT);
  size_t n = p->stack.count - from;
  if (!v) return pickle_no_memory(p);
  if (n % 2 != 0) return pickle_fail(p, "adds to what is no dictionary");
  if (n > 0) TENON_TRY(add_items(p, v, p->stack.data + from, n));
  p->stack.count = from;
  return pickle_push(p, v);
}

// A set has no tensors to name: its items go.
static tenon_status fill_set(parser *p) {
  size_t from = 0;
  TENON_TRY(pop_mark(p, &from));
  if (from <= bottom(p) || p->stack.data[from - 1]->kind != TENON_PICKLE_OTHER)
    return pickle_fail(p, "adds to what is no set");
  p->stack.count = from;
  return TENON_OK;
}

static tenon_status marked(parser *p, uint8_t op) {
  size_t from = 0;
  TENON_TRY(pop_mark(p, &from));
  if (op == 't' || op == 'l') return push_list(p, from);
  if (op == 'd') return push_dict(p, from);
  return pickle_extend(p, from,
                       op == 'u' ? TENON_PICKLE_DICT : TENON_PICKLE_LIST);
}

static tenon_status run_build(parser *p, uint8_t op) {
  tenon_pickle_value *dropped = NULL;
  size_t n = p->stack.count;
  switch (op) {
    case '(':
      return tenon_vec_push(&p->marks, n) ? TENON_OK : pickle_no_memory(p);
    case '}':
      return pickle_push(p, pickle_make(p, TENON_PICKLE_DICT));
    case ']':
    case ')':
      return pickle_push(p, pickle_make(p, TENON_PICKLE_LIST));
    case 't':
    case 'l':
    case 'd':
    case 'u':
    case 'e':
      return marked(p, op);
    case 0x8f:
      return pickle_push(p, pickle_make(p, TENON_PICKLE_OTHER));
    case 0x90:
      return fill_set(p);
    case 's':
      return n < 2 ? pickle_fail(p, "takes from an empty stack")
                   : pickle_extend(p, n - 2, TENON_PICKLE_DICT);
    case 'a':
      return n < 1 ? pickle_fail(p, "takes from an empty stack")
                   : pickle_extend(p, n - 1, TENON_PICKLE_LIST);
    case 0x85:
    case 0x86:
    case 0x87:
      return n < (size_t)(op - 0x84)
                 ? pickle_fail(p, "takes from an empty stack")
                 : push_list(p, n - (size_t)(op - 0x84));
    case 'b':  // a state, which nothing here has
    case '0':
      return pickle_pop(p, &dropped);
    default:
      return pickle_fail(p, "operation 0x%02x is not one of a tensor's",
                         (unsigned)op);
  }
}

static tenon_status pickle_run(parser *p, uint8_t op) {
  uint64_t value = 0;
  switch (op) {
    case 0x80:  // protocol
      return pickle_take(p, 1, &value);
    case 0x95:  // frame
      return pickle_take(p, 8, &value);
    case 'c':
      return read_global(p);
    case 0x93:
      return stack_global(p);
    case 'R':
      return pickle_reduce(p);
    case 'Q':
      return find_storage(p);
    case 'q':
      return take_and(p, 1, memorise);
    case 'r':
      return take_and(p, 4, memorise);
    case 0x94:
      return memorise(p, p->memo.count);
    case 'h':
      return take_and(p, 1, recall);
    case 'j':
      return take_and(p, 4, recall);
    case 'X':
      return push_text(p, 4);
    case 0x8c:
      return push_text(p, 1);
    case 0x8d:
      return push_text(p, 8);
    case 'C':
      return take_and(p, 1, push_bytes);
    case 'B':
      return take_and(p, 4, push_bytes);
    case 'K':
      TENON_TRY(pickle_take(p, 1, &value));
      return push_int(p, (int64_t)value);
    case 'M':
      TENON_TRY(pickle_take(p, 2, &value));
      return push_int(p, (int64_t)value);
    case 'J':
      TENON_TRY(pickle_take(p, 4, &value));
      return push_int(p, (int32_t)(uint32_t)value);
    case 0x8a:
      return push_long(p);
    case 'G':
      return push_float(p);
    case 0x88:
    case 0x89:
      return push_int(p, op == 0x88);
    case 'N':
      return pickle_push(p, pickle_make(p, TENON_PICKLE_NONE));
    default:
      return run_build(p, op);
  }
}

static tenon_status pickle_run_all(parser *p, tenon_pickle *out) {
  for (;;) {
    uint8_t op = 0;
    p->at = p->next;
    if (!tenon_bytes_u8(p->bytes, p->next++, &op))
      return pickle_fail(p, "is cut");
    if (op == '.') break;
    TENON_TRY(pickle_run(p, op));
  }
  if (p->stack.count != 1 || p->marks.count != 0)
    return pickle_fail(p, "ends with %zu values", p->stack.count);
  *out = (tenon_pickle){p->stack.data[0], p->storages, p->next};
  return TENON_OK;
}

tenon_status tenon_pickle_parse(tenon_bytes bytes, uint64_t base,
                                tenon_arena *arena, const tenon_report *report,
                                const char *file, const char *where,
                                tenon_pickle *out) {
  parser p = {.bytes = bytes,
              .base = base,
              .arena = arena,
              .report = report,
              .file = file,
              .where = where};
  tenon_vec_init(&p.stack, arena->allocator);
  tenon_vec_init(&p.marks, arena->allocator);
  tenon_vec_init(&p.memo, arena->allocator);
  tenon_status status = pickle_run_all(&p, out);
  tenon_vec_deinit(&p.memo);
  tenon_vec_deinit(&p.marks);
  tenon_vec_deinit(&p.stack);
  return status;
}

const tenon_pickle_value *tenon_pickle_get(const tenon_pickle_value *dict,
                                           const char *key) {
  size_t n = dict && dict->kind == TENON_PICKLE_DICT ? dict->count : 0;
  for (size_t i = n; i >= 2; i -= 2) {
    const tenon_pickle_value *name = dict->items[i - 2];
    if (name->kind == TENON_PICKLE_TEXT && strcmp(name->text, key) == 0)
      return dict->items[i - 1];
  }
  return NULL;
}
