//===- QuackTVEnums.td - fields of plans -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices that a plan makes, in a file of their own since the enum
// generators take all enums of a file.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TV_ENUMS_TD
#define QUACK_TV_ENUMS_TD

include "mlir/IR/EnumAttr.td"

class QuackTV_Enum<string cppName, string doc, list<I32EnumAttrCase> cases>
    : I32EnumAttr<cppName, doc, cases> {
  let cppNamespace = "::quack::tv";
  let genSpecializedAttr = 0;
}

def QuackTV_Hold : QuackTV_Enum<"Hold", "Where an operand's row waits between passes", [
    I32EnumAttrCase<"registers", 0>, I32EnumAttrCase<"packed", 1>,
    I32EnumAttrCase<"async", 2>, I32EnumAttrCase<"bulk", 3>,
    I32EnumAttrCase<"reload", 4>]>;

def QuackTV_LoadPolicy : QuackTV_Enum<"LoadPolicy", "Cache policy of a global load", [
    I32EnumAttrCase<"cached", 0>, I32EnumAttrCase<"no_allocate", 1>,
    I32EnumAttrCase<"evict_first", 2>, I32EnumAttrCase<"evict_last", 3>]>;

def QuackTV_StorePolicy : QuackTV_Enum<"StorePolicy", "Cache policy of a global store", [
    I32EnumAttrCase<"write_back", 0>, I32EnumAttrCase<"streaming", 1>,
    I32EnumAttrCase<"skip_l1", 2>]>;

def QuackTV_Exchange : QuackTV_Enum<"Exchange", "Whose partials travel through the cluster", [
    I32EnumAttrCase<"warps", 0>, I32EnumAttrCase<"ctas", 1>]>;

def QuackTV_Alignment : QuackTV_Enum<"Alignment", "Where rows and weights may start", [
    I32EnumAttrCase<"vector", 0>, I32EnumAttrCase<"element", 1>]>;

#endif // QUACK_TV_ENUMS_TD
