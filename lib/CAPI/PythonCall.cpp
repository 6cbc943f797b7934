//===- lib/CAPI/PythonCall.cpp - calls with Python's objects ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever is unusual is left to the way through Python, which has the words
// for it.
//
//===----------------------------------------------------------------------===//

#include "PythonCall.h"

#include "Functions.h"

#include "llvm/ADT/SmallVector.h"

#include <dlfcn.h>

using namespace quack;

//===----------------------------------------------------------------------===//
// What is used of others
//===----------------------------------------------------------------------===//

namespace {
/// DLPack's DLManagedTensorVersioned.
struct ManagedTensor {
  struct {
    uint32_t major, minor;
  } version;
  void *context;
  void (*deleter)(ManagedTensor *self);
  uint64_t flags;
  QuackTensor tensor;
};

/// DLPack's DLPackExchangeAPI (dlpack.h, versions 1.x from 1.2 on).
struct ExchangeAPI {
  struct {
    uint32_t major, minor;
  } version;
  const void *olderAPI;
  int (*allocate)(QuackTensor *prototype, ManagedTensor **result, void *errorContext,
                  void (*setError)(void *errorContext, const char *kind,
                                   const char *message));
  void *managedTensorFromObject, *managedTensorToObject;
  int (*tensorFromObject)(void *object, QuackTensor *tensor);
  int (*currentStream)(int32_t deviceType, int32_t device, void **stream);
};

/// CPython's stable ABI, as far as it is used.
struct Python {
  long (*tupleSize)(void *) = nullptr;
  void *(*tupleItem)(void *, long) = nullptr; ///< borrowed
  void *(*typeOf)(void *) = nullptr;          ///< a new reference
  int (*isSubtype)(void *, void *) = nullptr;
  void (*decrementReference)(void *) = nullptr;
  double (*floatOf)(void *) = nullptr;
  long long (*integerOf)(void *) = nullptr;
  void *(*error)() = nullptr;
  void (*clearError)() = nullptr;
  void *none = nullptr;
  bool isThere = false;

  Python() {
    isThere = find(tupleSize, "PyTuple_Size") && find(tupleItem, "PyTuple_GetItem") &&
              find(typeOf, "PyObject_Type") && find(isSubtype, "PyType_IsSubtype") &&
              find(decrementReference, "Py_DecRef") &&
              find(floatOf, "PyFloat_AsDouble") && find(integerOf, "PyLong_AsLongLong") &&
              find(error, "PyErr_Occurred") && find(clearError, "PyErr_Clear") &&
              find(none, "_Py_NoneStruct");
  }
  template <typename T> bool find(T *&entry, const char *name) {
    entry = reinterpret_cast<T *>(dlsym(RTLD_DEFAULT, name));
    return entry;
  }
};
} // namespace

static const Python &python() {
  static const Python python;
  return python;
}

/// Returns what `type` offers; null if that is not enough.
static const ExchangeAPI *exchangeOf(const QuackTensorType &type) {
  auto *api = static_cast<const ExchangeAPI *>(type.exchangeAPI);
  bool isEnough = api && api->version.major == 1 && api->tensorFromObject &&
                  api->currentStream && api->allocate && python().isThere;
  return isEnough ? api : nullptr;
}

int quackPythonCanCall(const QuackTensorType *type) {
  return type && exchangeOf(*type) ? 1 : 0;
}

namespace {
/// Memory of the framework on a device, which is free again in the order of its current
/// stream.
class Workspace {
public:
  Workspace(const ExchangeAPI &exchange, const QuackTensor *model)
      : exchange(exchange), model(model) {}
  Workspace(const Workspace &) = delete;
  ~Workspace() {
    if (memory && memory->deleter)
      memory->deleter(memory);
  }

  /// Returns its address; 0 if the framework has no such memory.
  uint64_t allocate(int64_t bytes) {
    QuackTensor prototype = {};
    prototype.device = model->device;
    prototype.dimensions = 1;
    prototype.type.code = QUACK_TYPE_INT;
    prototype.type.bits = 8;
    prototype.type.lanes = 1;
    prototype.shape = &bytes;
    auto ignore = [](void *, const char *, const char *) {};
    if (exchange.allocate(&prototype, &memory, nullptr, ignore)) {
      memory = nullptr;
      python().clearError();
      return 0;
    }
    return reinterpret_cast<uint64_t>(memory->tensor.data) + memory->tensor.byteOffset;
  }

private:
  const ExchangeAPI &exchange;
  const QuackTensor *model;
  ManagedTensor *memory = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool isOfType(void *object, void *type) {
  void *own = python().typeOf(object);
  bool isIt = own == type || python().isSubtype(own, type);
  // Not the last reference: the object has one.
  python().decrementReference(own);
  return isIt;
}

/// Reads a number; false, without an exception, if the object is none.
static bool readNumber(const jit::Operand &operand, void *object,
                       jit::CallArgument &argument) {
  if (operand.metadata.type.front() == 'i')
    argument.integer = python().integerOf(object);
  else
    argument.number = python().floatOf(object);
  bool isMinusOne = argument.integer == -1 || argument.number == -1.0;
  if (!isMinusOne || !python().error())
    return true;
  python().clearError();
  return false;
}

int quackPythonCall(const QuackFunction *function, const QuackTensorType *type,
                    void *tuple) {
  const ExchangeAPI *exchange = exchangeOf(*type);
  llvm::ArrayRef<jit::Operand> operands = function->function->signature().operands;
  if (!exchange || python().tupleSize(tuple) != long(operands.size()))
    return 1;
  llvm::SmallVector<QuackTensor, 16> tensors(operands.size());
  llvm::SmallVector<jit::CallArgument, 16> arguments(operands.size());
  const QuackTensor *first = nullptr;
  for (size_t i = 0; i < operands.size(); ++i) {
    void *object = python().tupleItem(tuple, long(i));
    if (object == python().none)
      continue;
    arguments[i].isGiven = true;
    if (operands[i].isValue()) {
      if (!readNumber(operands[i], object, arguments[i]))
        return 1;
      continue;
    }
    if (!isOfType(object, type->type))
      return 1;
    if (exchange->tensorFromObject(object, &tensors[i])) {
      python().clearError();
      return 1;
    }
    arguments[i].tensor = &tensors[i];
    first = first ? first : &tensors[i];
  }
  jit::Call call;
  if (!first || exchange->currentStream(first->device.type, first->device.id, &call.stream)) {
    python().clearError();
    return 1;
  }
  Workspace workspace(*exchange, first);
  llvm::Expected<bool> called = function->function->tryCall(
      arguments, call, [&](int64_t bytes) { return workspace.allocate(bytes); });
  if (called)
    return *called ? 0 : 1;
  llvm::consumeError(called.takeError());
  return 1;
}
