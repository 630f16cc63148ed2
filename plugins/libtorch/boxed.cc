// boxed.cc - calls of torch's dispatcher with arguments of every type, in C++.
//
// torch's C interface has no form for Scalars, and some more (stable.c); the
// dispatcher itself takes a stack of boxed values. This file is no part of
// Tenon's build: boxed.sh compiles it against the headers of the torch that is
// there, and serves that version only. It is found when the plugin is loaded.
//
// How: arguments go by name, and torch's own schema is asked about each, so
// that a torch whose operator differs from Tenon's table refuses, or fills in
// its default, and never reads a value as something else. Nothing is thrown
// out of here.
#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <torch/headeronly/version.h>

#include <cstdio>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "value.h"

namespace {

// --- arguments ---------------------------------------------------------------

at::Tensor lend(const value_tensor &t) {
  auto rank = static_cast<size_t>(t.rank);
  return at::from_blob(
      t.data, at::IntArrayRef(t.sizes, rank), at::IntArrayRef(t.strides, rank),
      at::TensorOptions().dtype(static_cast<at::ScalarType>(t.dtype)));
}

at::Scalar number(const value &v) {
  if (v.kind == VALUE_FLOAT) return v.as.f;
  if (v.kind == VALUE_BOOL) return v.as.i != 0;
  if (v.kind == VALUE_COMPLEX)
    return c10::complex<double>(v.as.c[0], v.as.c[1]);
  return v.as.i;
}

template <class T, class Get>
c10::IValue list(const value &v, Get get) {
  c10::List<T> out;
  out.reserve(v.count);
  for (size_t i = 0; i < v.count; ++i) out.push_back(get(v.as.list[i]));
  return out;
}

c10::IValue box_list(const value &v) {
  auto tensor = [](const value &e) { return lend(*e.as.tensor); };
  auto optional = [](const value &e) {
    return e.kind == VALUE_NONE ? std::optional<at::Tensor>()
                                : lend(*e.as.tensor);
  };
  switch (v.kind) {
    case VALUE_TENSOR:
      return v.may_lack ? list<std::optional<at::Tensor>>(v, optional)
                        : list<at::Tensor>(v, tensor);
    case VALUE_INT:
      return list<int64_t>(v, [](const value &e) { return e.as.i; });
    case VALUE_FLOAT:
      return list<double>(v, [](const value &e) { return e.as.f; });
    case VALUE_BOOL:
      return list<bool>(v, [](const value &e) { return e.as.i != 0; });
    case VALUE_NUMBER:
      return list<at::Scalar>(v, number);
    default:
      TORCH_CHECK(false, "a list of kind ", v.kind, " is not known");
  }
}

c10::IValue box(const value &v) {
  if (v.is_list) return box_list(v);
  if (v.is_wrapped) return at::native::wrapped_scalar_tensor(number(v));
  switch (v.kind) {
    case VALUE_TENSOR:
      return lend(*v.as.tensor);
    case VALUE_INT:
      return v.as.i;
    case VALUE_FLOAT:
      return v.as.f;
    case VALUE_COMPLEX:
      return c10::complex<double>(v.as.c[0], v.as.c[1]);
    case VALUE_BOOL:
      return v.as.i != 0;
    case VALUE_STR:
      return std::string(v.as.s);
    case VALUE_DEVICE:
      return c10::Device(c10::kCPU);
    default:
      return {};
  }
}

// --- results -----------------------------------------------------------------

// What results point to; what stands in a deque stays where it is.
struct held {
  std::deque<at::Tensor> tensors;
  std::deque<value_tensor> views;
  std::deque<std::vector<value>> lists;
};

// A tensor may only say that it is conjugate or negative: its elements are
// wanted.
value keep_tensor(held &h, const at::Tensor &given) {
  value out = {};
  if (!given.defined()) return out;
  TORCH_CHECK(given.layout() == at::kStrided && given.device().is_cpu() &&
                  !given.is_quantized(),
              "a result is no plain tensor of the processor");
  h.tensors.push_back(given.resolve_conj().resolve_neg());
  const at::Tensor &t = h.tensors.back();
  h.views.push_back({t.data_ptr(), t.sizes().data(), t.strides().data(),
                     t.dim(), static_cast<int32_t>(t.scalar_type())});
  out.kind = VALUE_TENSOR;
  out.as.tensor = &h.views.back();
  return out;
}

value unbox(held &h, const c10::IValue &v) {
  value out = {};
  if (v.isTensor()) return keep_tensor(h, v.toTensor());
  if (v.isNone()) return out;
  if (v.isBool()) {
    out.kind = VALUE_BOOL;
    out.as.i = v.toBool() ? 1 : 0;
  } else if (v.isDouble()) {
    out.kind = VALUE_FLOAT;
    out.as.f = v.toDouble();
  } else if (v.isInt()) {
    out.kind = VALUE_INT;
    out.as.i = v.toInt();
  } else if (v.isTensorList()) {
    h.lists.emplace_back();
    std::vector<value> &elements = h.lists.back();
    for (const at::Tensor &t : v.toTensorVector())
      elements.push_back(keep_tensor(h, t));
    out.kind = VALUE_TENSOR;
    out.is_list = true;
    out.count = elements.size();
    out.as.list = elements.data();
  } else {
    TORCH_CHECK(false, "a result is a ", v.tagKind());
  }
  return out;
}

// --- the call ----------------------------------------------------------------

// Each argument of torch's own schema: what the program gives under that name,
// or the default.
torch::jit::Stack arrange(const c10::FunctionSchema &schema,
                          const value_call &c) {
  torch::jit::Stack stack;
  std::unordered_map<std::string, c10::IValue> given;
  for (size_t i = 0; i < c.n_arguments; ++i)
    given.emplace(c.names[i], box(c.arguments[i]));
  for (const c10::Argument &a : schema.arguments()) {
    auto found = given.find(a.name());
    if (found == given.end()) {
      TORCH_CHECK(a.default_value(), "it wants an argument '", a.name(), "'");
      stack.push_back(*a.default_value());
      continue;
    }
    const c10::IValue &v = found->second;
    // A Scalar may be a truth value, which is no number to a schema.
    bool is_truth =
        v.isBool() && c10::NumberType::get()->isSubtypeOf(*a.type());
    TORCH_CHECK(is_truth || v.type()->isSubtypeOf(*a.type()), "its argument '",
                a.name(), "' is a ", a.type()->str(), ", not a ",
                v.type()->str());
    stack.push_back(v);
    given.erase(found);
  }
  TORCH_CHECK(given.empty(), "it has no argument '",
              given.empty() ? "" : given.begin()->first, "'");
  return stack;
}

void run(value_call *c) {
  at::NoGradGuard no_gradients;
  c10::OperatorHandle op =
      c10::Dispatcher::singleton().findSchemaOrThrow(c->name, c->overload);
  torch::jit::Stack stack = arrange(op.schema(), *c);
  op.callBoxed(stack);
  TORCH_CHECK(stack.size() == c->n_results, "it has ", stack.size(),
              " results, and ", c->n_results, " by the program's schema");
  auto h = std::make_unique<held>();
  for (size_t i = 0; i < stack.size(); ++i)
    c->results[i] = unbox(*h, stack[i]);
  c->held = h.release();
}

bool call(value_call *c) {
  const char *text = "something was thrown that is no exception";
  c->held = nullptr;
  try {
    run(c);
    return true;
  } catch (const c10::Error &e) {
    std::snprintf(c->error, c->error_size, "%s", e.what_without_backtrace());
    return false;
  } catch (const std::exception &e) {
    std::snprintf(c->error, c->error_size, "%s", e.what());
    return false;
  } catch (...) {
    std::snprintf(c->error, c->error_size, "%s", text);
    return false;
  }
}

void release(void *kept) {
  delete static_cast<held *>(kept);
}

const value_caller boxed = {call, release, TORCH_ABI_VERSION};

}  // namespace

extern "C" __attribute__((visibility("default"))) const value_caller *
VALUE_BOXED_ENTRY() {
  return &boxed;
}
