//===- tools/main.cpp - every tool's program --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool is a function, QUACK_TOOL_MAIN, that takes the command line and returns the exit
// status. The program around it is made twice: with the tool's object files and the shared
// LLVM, for daily work, and for the package with libquack_c.so, which has all tools inside.
//
// Loading the library must not register options of tools: they are members of what the
// function constructs.
//
//===----------------------------------------------------------------------===//

extern "C" int QUACK_TOOL_MAIN(int argc, char **argv);

int main(int argc, char **argv) { return QUACK_TOOL_MAIN(argc, argv); }
