// How: the first bytes decide the format; then every file goes the same way:
// import, shapes, types, invariants. A module that fails on the way is
// destroyed here, so that callers see a whole one or none.
#include "read/read.h"

#include "ir/infer/infer.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "read/foreign.h"
#include "read/shapes.h"

// ---------------------------------------------------------------------------
// What the bytes are
// ---------------------------------------------------------------------------

static tenon_status refuse_format(const tenon_context *cx, const void *data,
                                  size_t size, const char *name) {
  const uint8_t *bytes = (const uint8_t *)data;
  uint64_t shown = size < 8 ? size : 8;
  tenon_place place = {name, "first bytes", NULL, 0, shown};
  if (size == 0) {
    return tenon_fail(
        &cx->report, TENON_BAD_MODEL, "read-format", &place,
        "expected a .tflite, a .pt2 or text IR, found an empty file");
  }
  tenon_foreign foreign = tenon_foreign_bytes(data, size, name);
  if (foreign.what) {
    tenon_diag note = tenon_note_of("read-format", foreign.remedy, NULL);
    return tenon_fail_notes(&cx->report, TENON_BAD_MODEL, "read-format", &place,
                            foreign.remedy ? &note : NULL,
                            "expected a .tflite, a .pt2 or text IR, found %s",
                            foreign.what);
  }
  if (size >= 8 && memcmp(bytes + 4, "TFL", 3) == 0) {
    return tenon_fail(&cx->report, TENON_BAD_MODEL, "read-format", &place,
                      "expected a .tflite with identifier 'TFL3', found byte "
                      "0x%02x for its last character",
                      bytes[7]);
  }
  uint8_t first[8] = {0};
  memcpy(first, bytes, (size_t)shown);
  return tenon_fail(
      &cx->report, TENON_BAD_MODEL, "read-format", &place,
      "expected a .tflite, a .pt2 or text IR, found %zu bytes that begin "
      "%02x %02x %02x %02x %02x %02x %02x %02x",
      size, first[0], first[1], first[2], first[3], first[4], first[5],
      first[6], first[7]);
}

static tenon_status refuse_weights(const tenon_context *cx,
                                   const tenon_read_options *options) {
  tenon_place place = {options->name, NULL, NULL, 0, 0};
  return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "weights-format", &place,
                    "weights can be given to a .pt2 only");
}

// Not where a plugin replaced the reader, or a customiser removed it.
static bool read_is_ours(const tenon_context *cx, const char *format) {
  return tenon_registry_is_native(cx, TENON_REGISTRY_READERS, format);
}

static tenon_status read_import(tenon_context *cx, const void *data,
                                size_t size, const tenon_read_options *options,
                                tenon_module **out) {
  if (options->weights && !tenon_pt2_recognise(data, size))
    return refuse_weights(cx, options);
  if (read_is_ours(cx, "tflite") && tenon_tflite_recognise(data, size))
    return tenon_tflite_read(cx, data, size, options, out);
  if (read_is_ours(cx, "pt2") && tenon_pt2_recognise(data, size))
    return tenon_pt2_read(cx, data, size, options, out);
  const tenon_extension *reader = NULL;
  TENON_TRY(tenon_plugin_recognise(cx, data, size, options->name, &reader));
  if (reader) return tenon_plugin_read(cx, reader, data, size, options, out);
  if (read_is_ours(cx, "json") && tenon_module_json_recognise(data, size))
    return tenon_module_json_read(cx, data, size, options, out);
  if (read_is_ours(cx, "text") && size > 0 && tenon_parse_recognise(data, size))
    return tenon_parse_module(cx, data, size, options->name, out);
  return refuse_format(cx, data, size, options->name);
}

// ---------------------------------------------------------------------------

static tenon_status check_options(const tenon_context *cx,
                                  const tenon_read_options *given,
                                  tenon_read_options *out) {
  *out = (tenon_read_options){.struct_size = (uint32_t)sizeof *out};
  if (given && !tenon_admit(out, sizeof *out, given)) {
    return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "options-size", NULL,
                      "options of %u bytes use members this library lacks",
                      (unsigned)given->struct_size);
  }
  if (out->flags &
      ~(uint32_t)(TENON_READ_STORED_SIZES | TENON_READ_CHECK_CRC)) {
    return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "options-flags", NULL,
                      "flags 0x%x are not known", (unsigned)out->flags);
  }
  if (!out->name) out->name = "model";
  return TENON_OK;
}

static tenon_status read_finish(tenon_module *m,
                                const tenon_read_options *options) {
  bool is_reshaped = false;
  TENON_TRY(tenon_shapes_apply(m, options, &is_reshaped));
  TENON_TRY(tenon_infer_module(m, is_reshaped));
  TENON_TRY(tenon_tflite_check(m, is_reshaped));
  return tenon_verify_module(m, NULL);
}

tenon_status tenon_read_module(tenon_context *cx, const void *data, size_t size,
                               const tenon_read_options *options,
                               tenon_module **out) {
  tenon_read_options all;
  tenon_module *m = NULL;
  *out = NULL;
  TENON_TRY(check_options(cx, options, &all));
  TENON_TRY(tenon_context_freeze(cx));
  TENON_TRY(read_import(cx, data, size, &all, &m));
  m->file = data;
  m->file_size = size;
  tenon_status status = read_finish(m, &all);
  if (status == TENON_OK) {
    *out = m;
  } else {
    tenon_module_release(m);
  }
  return status;
}
