// How: of a graph that a branch, a loop or a scan calls torch writes types that
// know nothing of an autocast inside, which casts all the same when the program
// runs; so it does of all graphs when it exports with strict=True. There its
// casts are made here, from PyTorch's lists for the CPU, and what is stated to
// be f32 has the type that operands are promoted to, from the first product
// that is stated to be what autocast does not make it. Elsewhere the file's
// types are those after casting, which lowerings honour.
#include <ctype.h>

#include "core/dtype.h"
#include "read/pt2/pt2_import.h"

// Round their operands to the type of the autocast.
static const char narrow[] =
    "conv1d conv2d conv3d bmm mm linalg_vecdot baddbmm addmm "
    "_addmm_activation addbmm linear matmul conv_tbc conv_transpose1d "
    "conv_transpose2d conv_transpose3d prelu scaled_dot_product_attention";

// Widen their operands to f32.
static const char wide[] =
    "avg_pool3d binary_cross_entropy grid_sampler prod quantile nanquantile "
    "stft cdist grid_sampler_2d grid_sampler_3d trace cholesky "
    "cholesky_inverse cholesky_solve inverse lu_solve orgqr ormqr pinverse "
    "max_pool3d max_unpool2d max_unpool3d adaptive_avg_pool3d "
    "reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d "
    "replication_pad3d mse_loss cosine_embedding_loss nll_loss nll_loss2d "
    "hinge_embedding_loss poisson_nll_loss smooth_l1_loss "
    "cross_entropy_loss l1_loss huber_loss margin_ranking_loss "
    "soft_margin_loss triplet_margin_loss multi_margin_loss ctc_loss kl_div "
    "multilabel_margin_loss multilabel_margin_loss_forward "
    "binary_cross_entropy_with_logits fake_quantize_per_tensor_affine geqrf "
    "_lu_with_info qr svd triangular_solve fractional_max_pool2d "
    "fractional_max_pool3d adaptive_max_pool3d";

// Made of others that round; their own words say nothing of where.
static const char composed[] =
    "einsum tensordot chain_matmul linalg_multi_dot lstm gru rnn_tanh "
    "rnn_relu inner lstm_cell gru_cell rnn_tanh_cell kron bilinear "
    "rnn_relu_cell linalg_matmul _native_multi_head_attention";

static bool is_torchs(const tenon_op *op) {
  return op->schema && strcmp(op->schema->set, "aten") == 0;
}

static bool autocast_is_listed(const tenon_op *op, const char *words) {
  return is_torchs(op) && tenon_schema_is_among(op->schema, words);
}

// All of linalg's and fft's that are not above.
static bool is_wide(const tenon_op *op) {
  return autocast_is_listed(op, wide) ||
         (is_torchs(op) && (strncmp(op->schema->base, "fft_", 4) == 0 ||
                            strncmp(op->schema->base, "linalg_", 7) == 0));
}

// ---------------------------------------------------------------------------
// Which graphs
// ---------------------------------------------------------------------------

static tenon_json autocast_argument(const tenon_pt2_node *n, size_t i,
                                    tenon_json *input) {
  *input = tenon_json_item(&n->inputs, i);
  return tenon_json_get(input, "arg");
}

// (device, dtype, enabled, cache, graph, operands...).
static tenon_status autocast_enter(tenon_pt2_scope *s,
                                   const tenon_pt2_node *n) {
  const char *tag = NULL, *device = NULL;
  bool is_enabled = true;
  tenon_json store[3], value, device_arg = autocast_argument(n, 0, &store[0]);
  tenon_json dtype_arg = autocast_argument(n, 1, &store[1]);
  tenon_json enabled_arg = autocast_argument(n, 2, &store[2]);
  tenon_json device_at = tenon_json_get(&device_arg, "as_string");
  TENON_TRY(tenon_json_text(&device_at, &device));
  TENON_TRY(
      tenon_json_bool(tenon_json_at(&enabled_arg, "as_bool"), &is_enabled));
  s->autocast = 0;
  if (!is_enabled) return TENON_OK;
  // Of tensors elsewhere nobody knows more than the file states.
  if (strcmp(device, "cpu") != 0 && !s->is_called) return TENON_OK;
  if (strcmp(device, "cpu") != 0)
    return tenon_json_fail(
        &device_at, TENON_UNSUPPORTED, "pt2-autocast",
        "in a graph that a branch, a loop or a scan calls, autocast of another "
        "device than cpu is not supported");
  s->is_retyped |= s->is_called;
  TENON_TRY(tenon_json_tag(&dtype_arg, &tag, &value));
  s->autocast = TENON_BF16;
  return strcmp(tag, "as_none") == 0 ? TENON_OK
                                     : tenon_pt2_dtype(&value, &s->autocast);
}

// Its graph runs where the call stands.
static bool is_wrapper(const tenon_op *op) {
  return tenon_op_is(op, "higher_order::wrap_with_set_grad_enabled") ||
         tenon_op_is(op, "higher_order::wrap_with_autocast") ||
         tenon_op_is(op, "higher_order::invoke_subgraph");
}

tenon_status tenon_pt2_autocast_scope(tenon_pt2_scope *s,
                                      const tenon_pt2_scope *outer,
                                      const tenon_pt2_node *n) {
  s->autocast = outer->autocast;
  s->is_retyped = outer->is_retyped;
  s->is_called = outer->is_called || !is_wrapper(n->op);
  return tenon_op_is(n->op, "higher_order::wrap_with_autocast")
             ? autocast_enter(s, n)
             : TENON_OK;
}

// ---------------------------------------------------------------------------
// Casts
// ---------------------------------------------------------------------------

static tenon_status cast(tenon_pt2_node *n, tenon_dtype to, tenon_value **v) {
  tenon_type type = (*v)->type;
  tenon_arg args[] = {{"dtype", TENON_KIND_DTYPE, {0}}, TENON_END_ARGS};
  args[0].as.i = type.dtype = to;
  return tenon_pt2_convert(n->scope, "core::cast", args, &type, n->loc, v);
}

// Have the type of their first operand where the others are wider.
static const char norms[] = "layer_norm batch_norm group_norm";

// So do they, but not all of their results, or not on every way.
static const char mixed_norms[] =
    "native_layer_norm rms_norm native_group_norm";

static tenon_status autocast_refuse(const tenon_pt2_node *n) {
  return tenon_json_fail(
      &n->json, TENON_UNSUPPORTED, "pt2-autocast",
      "'%s' under autocast: the file does not state its casts", n->op->name);
}

static bool is_rounded(tenon_dtype t) {
  return t == TENON_F32 || t == TENON_F16 || t == TENON_BF16;
}

// Whether two operands of an einsum have a letter that the result lacks, so
// that it is a product of matrices: "ij,jk->ik".
static bool contracts(const char *equation) {
  const char *arrow = strstr(equation, "->");
  const size_t n = arrow ? (size_t)(arrow - equation) : strlen(equation);
  for (size_t i = 0; i < n; ++i) {
    const char *comma = (const char *)memchr(equation + i, ',', n - i);
    size_t next = comma ? (size_t)(comma - equation) : n;
    if (isalpha((unsigned char)equation[i]) &&
        memchr(equation + next, equation[i], n - next) &&
        !(arrow && strchr(arrow, equation[i])))
      return true;
  }
  return false;
}

// What is a product of matrices, whatever its operands.
static bool autocast_is_product(const tenon_pt2_node *n) {
  static const char others[] = "tensordot linalg_matmul";
  static const char equations[] = "einsum";
  tenon_pt2 *im = n->scope->im;
  if (autocast_is_listed(n->op, narrow) || autocast_is_listed(n->op, others))
    return true;
  if (!autocast_is_listed(n->op, equations)) return false;
  for (size_t i = 0; i < im->args.count; ++i)
    if (im->args.data[i].kind == TENON_KIND_STR)
      return contracts(im->args.data[i].as.s);
  return false;
}

// One that is stated to be what autocast does not make it.
static bool knows_nothing(const tenon_pt2_node *n,
                          const tenon_type *const *types, size_t count) {
  if (!autocast_is_product(n)) return false;
  for (size_t i = 0; i < count; ++i)
    if (types[i] && is_rounded(types[i]->dtype) &&
        types[i]->dtype != n->scope->autocast)
      return true;
  return false;
}

tenon_status tenon_pt2_autocast(tenon_pt2_node *n,
                                const tenon_type *const *types, size_t count) {
  tenon_pt2 *im = n->scope->im;
  tenon_dtype to = n->scope->autocast;
  if (!to) return TENON_OK;
  bool is_narrow = autocast_is_listed(n->op, narrow);
  bool is_composed = autocast_is_listed(n->op, composed);
  if (!is_narrow && !is_composed && !is_wide(n->op)) return TENON_OK;
  n->scope->is_retyped |= knows_nothing(n, types, count);
  if (!n->scope->is_retyped) return TENON_OK;
  if (is_composed) return autocast_refuse(n);
  if (!is_narrow) to = TENON_F32;
  for (size_t i = 0; i < im->in.count; ++i) {
    tenon_value **v = &im->in.data[i];
    tenon_dtype has = *v ? (*v)->type.dtype : 0;
    if (is_rounded(has) && has != to) TENON_TRY(cast(n, to, v));
  }
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Types
// ---------------------------------------------------------------------------

// Of floats that have dimensions; 0: there are none. *is_mixed: they differ.
static tenon_dtype autocast_promote(const tenon_pt2 *im, bool *is_mixed) {
  tenon_dtype to = 0;
  *is_mixed = false;
  for (size_t i = 0; i < im->in.count; ++i) {
    const tenon_type *t = im->in.data[i] ? &im->in.data[i]->type : NULL;
    if (!t || t->rank == 0 || t->dtype == to) continue;
    if (t->dtype == TENON_F64) return TENON_F64;
    if (!is_rounded(t->dtype)) continue;
    *is_mixed |= to != 0;
    to = to == 0 ? t->dtype : TENON_F32;
  }
  return to;
}

static bool says_type(const tenon_pt2 *im) {
  for (size_t i = 0; i < im->args.count; ++i)
    if (im->args.data[i].kind == TENON_KIND_DTYPE) return true;
  return false;
}

tenon_status tenon_pt2_autocast_types(tenon_pt2_node *n,
                                      const tenon_type **types, size_t count) {
  tenon_pt2 *im = n->scope->im;
  bool is_mixed = false;
  if (!n->scope->is_retyped || n->n_graphs > 0 || says_type(im))
    return TENON_OK;
  tenon_dtype to = autocast_promote(im, &is_mixed);
  if (is_mixed && autocast_is_listed(n->op, mixed_norms))
    return autocast_refuse(n);
  if (is_mixed && autocast_is_listed(n->op, norms))
    to = im->in.data[0]->type.dtype;
  if (to != TENON_F16 && to != TENON_BF16) return TENON_OK;
  for (size_t i = 0; i < count; ++i) {
    if (!types[i] || types[i]->dtype != TENON_F32) continue;
    tenon_type *own = tenon_arena_copy(&im->scratch, types[i], sizeof *own,
                                       _Alignof(tenon_type));
    if (!own) return tenon_pt2_memory(im);
    own->dtype = to;
    types[i] = own;
  }
  return TENON_OK;
}

// What goes into a graph and leaves it is as the file states it: graphs around
// know nothing of casts. Of wrappers they do.
static tenon_status autocast_check(const tenon_pt2_node *n, const char *verb,
                                   const tenon_value *value,
                                   const tenon_type *stated) {
  if (!value || value->type.dtype == stated->dtype) return TENON_OK;
  return tenon_json_fail(&n->json, TENON_UNSUPPORTED, "pt2-autocast",
                         "under autocast a graph of '%s' %s '%s' of %s, which "
                         "the file states to be %s",
                         n->op->name, verb, value->name ? value->name : "",
                         tenon_dtype_name(value->type.dtype),
                         tenon_dtype_name(stated->dtype));
}

tenon_status tenon_pt2_autocast_params(const tenon_pt2_scope *s,
                                       const tenon_pt2_node *n) {
  const tenon_node *node = s->graph->parent;
  // The condition of a branch is no parameter.
  uint32_t n_params = s->graph->n_params;
  uint32_t first = node->n_in > n_params ? node->n_in - n_params : 0;
  if (!s->is_retyped) return TENON_OK;
  for (uint32_t i = 0; i < n_params && first + i < node->n_in; ++i) {
    const tenon_value *value = node->in[first + i].value;
    tenon_type *type = &s->graph->params[i]->type;
    if (!is_wrapper(n->op)) TENON_TRY(autocast_check(n, "takes", value, type));
    if (value && is_rounded(type->dtype)) type->dtype = value->type.dtype;
  }
  return TENON_OK;
}

tenon_status tenon_pt2_autocast_ends(const tenon_pt2_scope *s,
                                     const tenon_pt2_node *n) {
  const tenon_node *node = s->graph->parent;
  const tenon_node *end = s->graph->end;
  if (!s->is_retyped) return TENON_OK;
  n->scope->is_retyped |= is_wrapper(n->op);
  for (uint32_t i = 0; i < end->n_in && end->n_in == node->n_out; ++i) {
    const tenon_value *value = end->in[i].value;
    tenon_type *type = &node->out[i]->type;
    if (!is_wrapper(n->op)) TENON_TRY(autocast_check(n, "gives", value, type));
    if (value && is_rounded(type->dtype)) type->dtype = value->type.dtype;
  }
  return TENON_OK;
}
