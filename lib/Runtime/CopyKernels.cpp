//===- CopyKernels.cpp - plain copies and reads ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written as PTX: 16-byte accesses, all loads of a thread before its first
// store, one grid over all pieces.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/CopyKernels.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace quack;

/// Returns the PTX of one kernel. One that only reads stores where the XOR of
/// what it read is one certain number, so that nothing can be left out.
static std::string kernelText(const CopyKernel &kernel) {
  int pieces = kernel.piecesPerThread;
  std::string text = formatv(R"(
.visible .entry {0}(.param .u64 p_from, .param .u64 p_to, .param .u64 p_n) {{
  .reg .pred %p<{1}>;
  .reg .b32 %r<{2}>, %thread, %threads, %block, %stride, %x;
  .reg .b64 %from, %to, %n, %i, %step, %offset, %a<{1}>, %b<{1}>;
  ld.param.u64 %from, [p_from];
  ld.param.u64 %to, [p_to];
  ld.param.u64 %n, [p_n];
  cvta.to.global.u64 %from, %from;
  cvta.to.global.u64 %to, %to;
  mov.u32 %thread, %tid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %block, %ctaid.x;
  mul.lo.u32 %stride, %threads, {1};
  mul.wide.u32 %i, %block, %stride;
  cvt.u64.u32 %step, %thread;
  add.u64 %i, %i, %step;
  cvt.u64.u32 %step, %threads;
)",
                             kernel.name, pieces, 4 * pieces);
  for (int k = 0; k < pieces; ++k)
    text += formatv(R"(
  setp.lt.u64 %p{0}, %i, %n;
  shl.b64 %offset, %i, 4;
  add.u64 %a{0}, %from, %offset;
  add.u64 %b{0}, %to, %offset;
  add.u64 %i, %i, %step;
  mov.b32 %r{1}, 0; mov.b32 %r{2}, 0; mov.b32 %r{3}, 0; mov.b32 %r{4}, 0;
)",
                    k, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
  for (int k = 0; k < pieces; ++k)
    text += formatv("  @%p{0} ld.global.v4.b32 {{%r{1}, %r{2}, %r{3}, %r{4}}, "
                    "[%a{0}];\n",
                    k, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
  for (int k = 0; !kernel.isRead && k < pieces; ++k)
    text +=
        formatv("  @%p{0} st.global{5}.v4.b32 [%b{0}], "
                "{{%r{1}, %r{2}, %r{3}, %r{4}};\n",
                k, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3, kernel.storeSuffix);
  if (kernel.isRead) {
    text += "  mov.b32 %x, 0;\n";
    for (int r = 0; r < 4 * pieces; ++r)
      text += formatv("  xor.b32 %x, %x, %r{0};\n", r);
    text += "  setp.eq.u32 %p0, %x, 0x7fc12345;\n"
            "  @%p0 st.global.b32 [%to], %x;\n";
  }
  return text + "  ret;\n}\n";
}

std::vector<CopyKernel> quack::getCopyKernels() {
  std::vector<CopyKernel> kernels;
  for (int pieces : {1, 2, 4}) {
    kernels.push_back({formatv("copy_{0}_plain", pieces), pieces, "", false});
    kernels.push_back({formatv("copy_{0}_cs", pieces), pieces, ".cs", false});
  }
  for (int pieces : {2, 4, 8})
    kernels.push_back({formatv("read_{0}", pieces), pieces, "", true});
  return kernels;
}

std::string quack::getCopyKernelsPTX() {
  std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n";
  for (const CopyKernel &kernel : getCopyKernels())
    text += kernelText(kernel);
  return text;
}
