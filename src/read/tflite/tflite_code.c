// How: a code is resolved once and kept in a table beside the file's, so that a
// thousand convolutions are looked up once. Builtin codes become names of the
// set by the schema's table; custom codes are looked up by the registry's rule.
// What nobody describes becomes an operator of this module alone.
#include "read/tflite/tflite_import.h"

// Notes behind the first of several refused versions.
#define MAX_NOTES 15

// "<set>::<name>" in the import's buffer; null when memory ran out.
static const char *qualify(tenon_import *im, const char *set, tenon_text name) {
  tenon_buf_clear(&im->text);
  tenon_buf_text(&im->text, set);
  tenon_buf_text(&im->text, "::");
  tenon_buf_add(&im->text, name.data, name.size);
  return im->text.failed ? NULL : im->text.data;
}

// An operator of this module without a descriptor.
static tenon_status use_unknown(tenon_import *im, tenon_import_code *code,
                                const char *name) {
  code->op = name ? tenon_module_unknown_op(im->m, name) : NULL;
  if (!code->op && name) return tenon_import_built(im);
  return code->op ? TENON_OK
                  : tenon_fail_memory(&im->m->report, "naming an operator");
}

static tenon_status refuse_version(tenon_import *im, tenon_import_code *code,
                                   const tenon_op *served) {
  tenon_import_refusal refusal = {code, served, 0, 0};
  if (!tenon_vec_push(&im->refusals, refusal))
    return tenon_fail_memory(&im->m->report, "reading operator codes");
  code->refusal = (uint32_t)im->refusals.count;
  return use_unknown(im, code, served->name);
}

static tenon_status resolve_builtin(tenon_import *im, tenon_import_code *code,
                                    int64_t number, const tenon_place *place) {
  code->row = tenon_tflite_look(number);
  if (number == TENON_TFLITE_PLACEHOLDER) code->row.name = NULL;
  if (number < 0 || number == TENON_TFLITE_PLACEHOLDER) {
    return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-opcode", place,
                      "operator code %lld stands for no operator",
                      (long long)number);
  }
  if (!code->row.name) {
    return tenon_fail(&im->m->report, TENON_UNSUPPORTED, "tflite-opcode", place,
                      "operator code %lld is newer than the schema that is "
                      "known; a newer version of Tenon may know it",
                      (long long)number);
  }
  tenon_text name = tenon_text_of(code->row.name);
  tenon_label_make(code->label, name);
  const char *full = qualify(im, TENON_TFLITE_SET, name);
  const tenon_op *op = full ? tenon_registry_find_op(im->cx, full) : NULL;
  if (!op) return use_unknown(im, code, full);
  uint32_t min = op->desc->version_min, max = op->desc->version_max;
  bool is_served =
      (min == 0 && max == 0) || (code->version >= min && code->version <= max);
  if (!is_served) return refuse_version(im, code, op);
  code->op = op;
  return TENON_OK;
}

static tenon_status check_custom(const tenon_import *im, tenon_text name,
                                 const tenon_place *place) {
  const char *what = NULL;
  if (!name.data || name.size == 0) {
    what = "is custom and has no custom_code, which names the operator";
  } else if (memchr(name.data, 0, name.size)) {
    what = "its custom_code has a zero byte in it";
  } else if (!tenon_text_is_utf8(name.data, name.size)) {
    what = "its custom_code is not UTF-8";
  }
  if (!what) return TENON_OK;
  return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-opcode", place,
                    "%s", what);
}

// An operator that two codes of the file find, one at least by its key, would
// compute as one what the file calls by two names.
static tenon_status check_one_code(tenon_import *im, const tenon_op *op,
                                   const tenon_import_code *code,
                                   tenon_text name, const tenon_place *place) {
  for (uint32_t i = 0; i < im->file.codes.count; ++i) {
    const tenon_import_code *other = &im->codes[i];
    if (other == code || other->op != op || !other->is_custom) continue;
    tenon_fb_table entry = tenon_fb_item(&im->file.codes, i);
    if (tenon_text_is(name, tenon_fb_text(&entry, CODE_CUSTOM).data)) continue;
    return tenon_fail(&im->m->report, TENON_CONFLICT, "tflite-custom", place,
                      "custom codes '%s' and '%s' of the file are both, by "
                      "their key, that of '%s'",
                      other->label, code->label, op->name);
  }
  return TENON_OK;
}

static tenon_status resolve_custom(tenon_import *im, tenon_import_code *code,
                                   tenon_text name, const tenon_place *place) {
  const tenon_op *op = NULL, *other = NULL;
  TENON_TRY(check_custom(im, name, place));
  code->is_custom = true;
  tenon_label_make(code->label, name);
  switch (tenon_registry_find_custom(im->cx, name.data, code->version, &op,
                                     &other)) {
    case TENON_CUSTOM_FOUND:
      TENON_TRY(check_one_code(im, op, code, name, place));
      code->op = op;
      return TENON_OK;
    case TENON_CUSTOM_VERSION:
      return refuse_version(im, code, op);
    case TENON_CUSTOM_AMBIGUOUS:
      return tenon_fail(&im->m->report, TENON_CONFLICT, "tflite-custom", place,
                        "custom code '%s' is by its key that of '%s' and of "
                        "'%s'",
                        code->label, op->name, other->name);
    default:
      return use_unknown(im, code, qualify(im, TENON_TFLITE_CUSTOM_SET, name));
  }
}

static tenon_status tfl_code_resolve(tenon_import *im, tenon_import_code *code,
                                     const tenon_fb_table *table,
                                     const tenon_place *place) {
  // Codes above 127 did not fit the first member; older files have only it.
  int64_t number = tenon_fb_int(table, CODE_BUILTIN, 0);
  int64_t deprecated = tenon_fb_int(table, CODE_DEPRECATED, 0);
  int64_t version = tenon_fb_int(table, CODE_VERSION, 1);
  if (deprecated > number) number = deprecated;
  if (version < 0) {
    return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-opcode", place,
                      "its version is %lld", (long long)version);
  }
  code->version = (uint32_t)version;
  if (number == TENON_TFLITE_CUSTOM)
    return resolve_custom(im, code, tenon_fb_text(table, CODE_CUSTOM), place);
  return resolve_builtin(im, code, number, place);
}

tenon_status tenon_import_resolve(tenon_import_graph *g, uint32_t op,
                                  const tenon_import_code **out,
                                  tenon_loc *loc) {
  tenon_import *im = g->im;
  tenon_fb_table table = tenon_fb_item(&g->operators, op);
  int64_t index = tenon_fb_int(&table, OPERATOR_CODE, 0);
  if (index >= im->file.codes.count) {
    return tenon_fail(&im->m->report, TENON_BAD_MODEL, "tflite-opcode",
                      tenon_import_operator_place(g, op, NULL),
                      "uses operator code %lld of %u", (long long)index,
                      (unsigned)im->file.codes.count);
  }
  tenon_import_code *code = &im->codes[index];
  if (!code->op) {
    tenon_fb_table entry = tenon_fb_item(&im->file.codes, (uint32_t)index);
    const tenon_place *place = tenon_import_operator_place(g, op, NULL);
    TENON_TRY(tfl_code_resolve(im, code, &entry, place));
  }
  *out = code;
  *loc = tenon_import_loc(im, tenon_import_operator_place(g, op, code->label));
  if (code->refusal) {
    tenon_import_refusal *refusal = &im->refusals.data[code->refusal - 1];
    if (refusal->count++ == 0) refusal->loc = *loc;
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Refused versions
// ---------------------------------------------------------------------------

// What is wrong with one; in the scratch arena.
static const char *spell_refusal(tenon_import *im,
                                 const tenon_import_refusal *r) {
  uint32_t min = r->served->desc->version_min;
  uint32_t max = r->served->desc->version_max;
  tenon_buf_clear(&im->text);
  tenon_buf_format(&im->text, "version %u of '%s' is not served, ",
                   (unsigned)r->code->version, r->code->label);
  if (min == max) {
    tenon_buf_format(&im->text, "only %u is", (unsigned)min);
  } else {
    tenon_buf_format(&im->text, "%u to %u are", (unsigned)min, (unsigned)max);
  }
  if (r->count > 1)
    tenon_buf_format(&im->text, " (%u operators)", (unsigned)r->count);
  if (im->text.failed) return "a version that is not served";
  const char *text =
      tenon_arena_text(&im->scratch, im->text.data, im->text.size);
  return text ? text : "a version that is not served";
}

static void add_note(tenon_diag *notes, size_t *n, const char *text,
                     const tenon_place *place) {
  tenon_diag *note = &notes[*n];
  *note = (tenon_diag){
      (uint32_t)sizeof *note, TENON_NOTE, "tflite-version", text, place, NULL};
  if (*n > 0) notes[*n - 1].next_note = note;
  ++*n;
}

tenon_status tenon_import_refuse(tenon_import *im) {
  tenon_diag notes[MAX_NOTES + 1];
  size_t n = 0;
  if (im->refusals.count == 0) return TENON_OK;
  const tenon_import_refusal *first = &im->refusals.data[0];
  const char *message = spell_refusal(im, first);
  for (size_t i = 1; i < im->refusals.count && n < MAX_NOTES; ++i) {
    const tenon_import_refusal *r = &im->refusals.data[i];
    add_note(notes, &n, spell_refusal(im, r),
             tenon_locs_place(&im->m->locs, r->loc));
  }
  if (im->refusals.count > MAX_NOTES + 1)
    add_note(notes, &n, "and more operators of the file likewise", NULL);
  return tenon_fail_notes(&im->m->report, TENON_UNSUPPORTED, "tflite-version",
                          tenon_locs_place(&im->m->locs, first->loc),
                          n > 0 ? notes : NULL, "%s", message);
}
