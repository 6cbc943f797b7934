//===- lib/Host/LaunchSymbol.cpp - calls to the launcher --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's side of include/quack-c/Launch.h.
//
//===----------------------------------------------------------------------===//

#include "CallOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace quack;
using namespace quack::host;

/// The attribute of a function's argument that is the stream to launch on.
static constexpr StringLiteral streamAttribute = "quack.stream";

static LLVM::LLVMPointerType pointerType(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context);
}

/// int32_t launcher(void **state, const char *ptx, const char *metadata,
///                  const char *kernel, int64_t rows, const QuackArgument *arguments,
///                  int64_t count, void *stream)
static FunctionType launcherType(MLIRContext *context) {
  Builder b(context);
  Type pointer = pointerType(context), i64 = b.getI64Type();
  return b.getFunctionType({pointer, pointer, pointer, pointer, i64, pointer, i64, pointer},
                           {b.getI32Type()});
}

/// Adds an internal global of the text, which a 0 ends.
static LLVM::GlobalOp addText(ImplicitLocOpBuilder &b, StringRef name, std::string text) {
  text.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
  return LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                b.getStringAttr(text));
}

FailureOr<LauncherSymbols> host::addLauncher(ModuleOp module, StringRef launcher,
                                             const ModuleMetadata &metadata) {
  MLIRContext *context = module.getContext();
  auto b = ImplicitLocOpBuilder::atBlockBegin(module.getLoc(), module.getBody());
  FunctionType type = launcherType(context);
  if (launcher.empty())
    return module.emitError("the launcher must have a name");
  Operation *declared = module.lookupSymbol(launcher);
  if (!declared) {
    auto function = func::FuncOp::create(b, launcher, type);
    function.setPrivate();
  } else if (auto function = dyn_cast<func::FuncOp>(declared);
             !function || function.getFunctionType() != type) {
    return declared->emitError("'") << launcher << "' must be the launcher, a func.func of type " << type;
  }
  for (StringRef name : {"quack_kernels_state", "quack_kernels_ptx", "quack_kernels_metadata"})
    if (Operation *taken = module.lookupSymbol(name))
      return taken->emitError("'") << name
                                   << "' is the name of what calls of the launcher pass: "
                                      "rename it";
  Type pointer = pointerType(context);
  auto state = LLVM::GlobalOp::create(b, pointer, /*isConstant=*/false,
                                      LLVM::Linkage::Internal, "quack_kernels_state",
                                      Attribute());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(b.createBlock(&state.getInitializerRegion()));
    LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, pointer));
  }
  // Until quack-serialize-kernels has the text.
  auto ptx = LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                                    /*isConstant=*/true, LLVM::Linkage::External,
                                    "quack_kernels_ptx", Attribute());
  std::string json;
  llvm::raw_string_ostream(json) << metadata.toJSON();
  auto text = addText(b, "quack_kernels_metadata", std::move(json));
  auto reference = [](auto op) { return FlatSymbolRefAttr::get(op.getSymNameAttr()); };
  return LauncherSymbols{FlatSymbolRefAttr::get(context, launcher), reference(state),
                         reference(ptx), reference(text)};
}

/// Returns the global that holds the name of `kernel`.
static FailureOr<FlatSymbolRefAttr> nameOf(ModuleOp module, const KernelMetadata &kernel) {
  std::string global = "quack_name_" + kernel.name, text = kernel.name;
  text.push_back('\0');
  Operation *there = module.lookupSymbol(global);
  if (!there) {
    auto b = ImplicitLocOpBuilder::atBlockBegin(module.getLoc(), module.getBody());
    addText(b, global, kernel.name);
  } else if (auto made = dyn_cast<LLVM::GlobalOp>(there);
             !made || made.getValueAttr() != StringAttr::get(module.getContext(), text)) {
    return there->emitError("'") << global << "' is the name of what calls of the launcher "
                                              "pass: rename it";
  }
  return FlatSymbolRefAttr::get(module.getContext(), global);
}

/// Returns where arguments of `call` lie: at the start of its function, since the stack must
/// not grow with a loop around it; but iterations that run at once must not share them.
static Block *blockOfArguments(CallOp call) {
  Region *region = call->getParentRegion();
  while (!isa<FunctionOpInterface>(region->getParentOp()) &&
         !region->getParentOp()->hasTrait<OpTrait::HasParallelRegion>())
    region = region->getParentRegion();
  return &region->front();
}

/// Returns the stream that the function around `op` was given; else the null stream.
static FailureOr<Value> findStream(ImplicitLocOpBuilder &b, CallOp call) {
  auto function = call->getParentOfType<FunctionOpInterface>();
  Type pointer = pointerType(b.getContext());
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    if (!function.getArgAttr(index, streamAttribute))
      continue;
    Value argument = function.getArgument(index);
    if (argument.getType() != pointer)
      return function.emitError("the argument with '")
             << streamAttribute << "' must be an " << pointer << ", got "
             << argument.getType();
    return argument;
  }
  return Value(LLVM::ZeroOp::create(b, pointer));
}

/// Returns the bits of a scalar in the low bytes of an i64.
static Value bitsOf(ImplicitLocOpBuilder &b, Value scalar) {
  Type type = scalar.getType();
  auto bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  if (isa<FloatType>(type))
    scalar = arith::BitcastOp::create(b, bits, scalar);
  return b.createOrFold<arith::ExtUIOp>(b.getI64Type(), scalar);
}

LogicalResult host::lowerToLaunchSymbol(CallOp call, const ModuleMetadata &metadata,
                                        const LauncherSymbols &symbols) {
  ImplicitLocOpBuilder b(call.getLoc(), call);
  const KernelMetadata &kernel = *metadata.variantsOf(call.getKernel()).front();
  FailureOr<CallOperands> taken = CallOperands::create(b, call, kernel);
  if (failed(taken))
    return failure();
  FailureOr<Value> stream = findStream(b, call);
  if (failed(stream))
    return failure();
  Type i64 = b.getI64Type(), pointer = pointerType(b.getContext());
  int64_t count = taken->operands.size();
  Value arguments;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(blockOfArguments(call));
    arguments = LLVM::AllocaOp::create(b, pointer, i64, constant(b, 2 * count));
  }
  for (auto [index, operand] : llvm::enumerate(taken->operands)) {
    Value word = operand.value ? bitsOf(b, operand.value) : operand.address;
    Value stride = operand.value ? constant(b, 0) : operand.stride;
    for (auto [part, value] : {std::pair{0, word}, std::pair{1, stride}}) {
      Value place = LLVM::GEPOp::create(b, pointer, i64, arguments,
                                        LLVM::GEPArg(int32_t(2 * index + part)));
      LLVM::StoreOp::create(b, value, place);
    }
  }
  auto address = [&](FlatSymbolRefAttr symbol) {
    return LLVM::AddressOfOp::create(b, pointer, symbol).getResult();
  };
  FailureOr<FlatSymbolRefAttr> name = nameOf(call->getParentOfType<ModuleOp>(), kernel);
  if (failed(name))
    return failure();
  Value state = address(symbols.state), ptx = address(symbols.ptx),
        text = address(symbols.metadata), kernelName = address(*name),
        number = constant(b, count);
  Value status = func::CallOp::create(b, symbols.launcher, b.getI32Type(),
                                      ValueRange{state, ptx, text, kernelName, taken->rows,
                                                 arguments, number, *stream})
                     .getResult(0);
  Value zero = arith::ConstantIntOp::create(b, b.getI32Type(), 0);
  Value isGood = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, status, zero);
  assertThat(b, isGood, "quack.call of @" + call.getKernel() + " failed");
  call.erase();
  return success();
}
