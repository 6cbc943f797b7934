# Compile flags, the precompiled header and the two link modes, in one place.

# -fPIC everywhere: libraries, tools and the precompiled header must agree.
add_compile_options(-fPIC -fno-exceptions -fvisibility-inlines-hidden -Wall -Wextra
                    -Wno-unused-parameter -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives in LLVM's ADT headers under -O2.
  add_compile_options(-Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overread
                      -Wno-stringop-overflow -Wno-comment)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # `GCC ivdep`, and structured bindings in lambdas, which g++ takes in C++17.
  add_compile_options(-Wno-unknown-pragmas -Wno-c++20-extensions
                      -Wno-deprecated-declarations)
endif()
if(QUACK_WERROR)
  add_compile_options(-Werror)
endif()
if(QUACK_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer
                      -fno-sanitize=vptr)
  add_link_options(-fsanitize=address,undefined)
endif()
if(QUACK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined
                      -fno-sanitize=vptr -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
# By which the cache of compiled kernels tells this build from others (lib/Cache).
add_link_options(-Wl,--build-id)
if(LLVM_USE_LINKER)
  add_link_options(-fuse-ld=${LLVM_USE_LINKER})
endif()

# Headers have a folder of their own in the install tree: generated ones are there, too.
include(GNUInstallDirs)
# What is installed finds the LLVM and MLIR that it was linked to.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(QUACK_INSTALL_INCLUDE_DIR "${CMAKE_INSTALL_INCLUDEDIR}/quack")
set(QUACK_INSTALL_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/quack")

# What the compiler's libraries need of MLIR and LLVM.
set(QUACK_MLIR_ARCHIVES
  MLIROptLib MLIRArithDialect MLIRArithToLLVM MLIRArithTransforms
  MLIRControlFlowToLLVM MLIRConvertToLLVMInterface MLIRConvertToLLVMPass MLIRFuncDialect
  MLIRFuncInlinerExtension MLIRLinalgDialect MLIRTensorDialect
  MLIRBufferizationDialect MLIRBufferizationTransforms MLIRArithTransforms
  MLIRLinalgTransforms MLIRSCFTransforms MLIRTensorTransforms
  MLIRFuncToLLVM MLIRGPUDialect MLIRLLVMDialect MLIRMathDialect
  MLIRMathToLLVM MLIRMathTransforms MLIRMemRefDialect MLIRNVVMDialect
  MLIRNVVMToLLVM MLIRSCFDialect MLIRSCFToControlFlow MLIRVectorDialect
  MLIRVectorToLLVM MLIRVectorToLLVMPass MLIRTransforms
  MLIRReconcileUnrealizedCasts MLIRBuiltinToLLVMIRTranslation
  MLIRLLVMToLLVMIRTranslation MLIRNVVMToLLVMIRTranslation
  MLIRGPUToLLVMIRTranslation MLIRTargetLLVMIRExport MLIRUBDialect
  MLIRUBToLLVM MLIRLspServerLib MLIRDialectUtils MLIRExecutionEngineUtils)

llvm_map_components_to_libnames(QUACK_LLVM_ARCHIVES core support irreader
  bitreader bitwriter passes target nvptxcodegen nvptxdesc nvptxinfo ipo
  linker transformutils frontendopenmp targetparser remarks analysis)
# The imported targets of MLIR's archives name the shared LLVM. Both in one process abort at
# start (options registered twice), so it is taken out of every one of them.
get_property(quack_all_mlir GLOBAL PROPERTY MLIR_ALL_LIBS)
list(REMOVE_ITEM quack_all_mlir MLIR)
foreach(t ${quack_all_mlir} MLIROptLib MLIRMlirOptMain MLIRSupport MLIRExecutionEngineUtils)
  if(TARGET ${t})
    get_target_property(l ${t} INTERFACE_LINK_LIBRARIES)
    if(l)
      list(REMOVE_ITEM l LLVM "\$<LINK_ONLY:LLVM>")
      set_target_properties(${t} PROPERTIES INTERFACE_LINK_LIBRARIES "${l}")
    endif()
  endif()
endforeach()
# Whoever has LLVM inside has the compression that it needs, too.
find_library(QUACK_ZLIB_ARCHIVE NAMES libz.a REQUIRED DOC "zlib's static library")
get_target_property(l LLVMSupport INTERFACE_LINK_LIBRARIES)
list(TRANSFORM l REPLACE "^ZLIB::ZLIB$" "${QUACK_ZLIB_ARCHIVE}")
list(TRANSFORM l REPLACE "^zstd::libzstd_shared$" zstd::libzstd_static)
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${l}")

# Ordinary builds have both kinds of binaries. Tools, plugins and tests link the shared LLVM
# and MLIR, which is quick, and which plugins must have in common with who loads them. A
# target with the property QUACK_LLVM_INSIDE (quack_put_llvm_inside below), which is
# libquack_c.so, has the archives instead, with the same libraries of this project: what
# these name as LLVM and MLIR depends on who is linked.
if(QUACK_STATIC)
  set(QUACK_MLIR_LIBS ${QUACK_MLIR_ARCHIVES})
  set(QUACK_LLVM_LIBS ${QUACK_LLVM_ARCHIVES})
else()
  foreach(library MLIR LLVM)
    add_library(Quack${library}Archives INTERFACE)
    target_link_libraries(Quack${library}Archives INTERFACE ${QUACK_${library}_ARCHIVES})
    set(chosen "$<IF:$<BOOL:$<TARGET_PROPERTY:QUACK_LLVM_INSIDE>>,Quack${library}Archives,${library}>")
    set(QUACK_${library}_LIBS "$<BUILD_INTERFACE:${chosen}>" "$<INSTALL_INTERFACE:${library}>")
  endforeach()
endif()

# Whoever has LLVM inside needs nothing but the C library. As needed: libLLVMSupport.a names
# libz3, which nothing here calls.
set(QUACK_INSIDE_LINK_OPTIONS
  -Wl,--gc-sections -Wl,--as-needed -static-libstdc++ -static-libgcc)
if(QUACK_STATIC)
  add_link_options(${QUACK_INSIDE_LINK_OPTIONS})
  add_compile_options(-ffunction-sections -fdata-sections)
endif()

# quack_put_llvm_inside(<target>): links it to LLVM's and MLIR's archives.
function(quack_put_llvm_inside target)
  set_target_properties(${target} PROPERTIES QUACK_LLVM_INSIDE ON)
  target_link_options(${target} PRIVATE ${QUACK_INSIDE_LINK_OPTIONS})
  # Else an archive that is missing in the list would show when the library is loaded. What
  # sanitizers have is in the program.
  if(NOT QUACK_SANITIZE AND NOT QUACK_FUZZ)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
endfunction()

# One precompiled header serves every library and tool.
if(QUACK_PCH)
  file(WRITE "${CMAKE_BINARY_DIR}/pch.cpp" "")
  add_library(QuackPCH OBJECT "${CMAKE_BINARY_DIR}/pch.cpp")
  target_precompile_headers(QuackPCH PRIVATE
    "${CMAKE_SOURCE_DIR}/include/quack/Support/Precompiled.h")
  # The header's file has a gigabyte, which ccache would hash for each source that uses it
  # (seconds of each): it takes a sum of it from beside it instead (CCACHE_PCH_EXTSUM).
  set(pch "${CMAKE_BINARY_DIR}/CMakeFiles/QuackPCH.dir/cmake_pch.hxx.gch")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_custom_command(OUTPUT "${pch}.sum" DEPENDS QuackPCH "${pch}"
      COMMAND sha256sum "${pch}" > "${pch}.sum" VERBATIM)
    add_custom_target(QuackPCHSum DEPENDS "${pch}.sum")
  endif()
endif()

function(quack_use_pch target)
  if(QUACK_PCH)
    target_precompile_headers(${target} REUSE_FROM QuackPCH)
    if(TARGET QuackPCHSum)
      add_dependencies(${target} QuackPCHSum)
    endif()
  endif()
endfunction()

# quack_install_library(<name>): makes it part of the package that find_package(Quack)
# finds.
function(quack_install_library name)
  # Headers of C, which some of C++'s include, have no folder of C++'s.
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${QUACK_INSTALL_INCLUDE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${name} EXPORT QuackTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endfunction()

# quack_add_library(<name> <sources>... [DEPENDS <tblgen targets>...]
#                   [LINK <libraries>...]): a library over MLIR.
function(quack_add_library name)
  cmake_parse_arguments(arg "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  quack_use_pch(${name})
  add_dependencies(${name} QuackIncGen ${arg_DEPENDS})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  quack_install_library(${name})
endfunction()

# quack_add_tool(<name> <sources>... [LINK <libraries>...]): a program over MLIR, which no
# one installs.
function(quack_add_tool name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  quack_use_pch(${name})
  add_dependencies(${name} QuackIncGen)
  target_link_libraries(${name} PRIVATE ${arg_LINK} ${QUACK_MLIR_LIBS}
                        ${QUACK_LLVM_LIBS})
  quack_strip_static(${name})
endfunction()

function(quack_strip_static name)
  if(QUACK_STATIC)
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${CMAKE_STRIP} $<TARGET_FILE:${name}>)
  endif()
endfunction()

# quack_add_packaged_tool(<name> <function> [NO_MLIR] <sources>... [LINK <libraries>...]):
# a program for users. The sources define the function, which is its main (tools/main.cpp).
# It is three things:
#
#   QuackOptMain         the object files, of <function> quackOptMain; linked into
#   quack-opt            the program of this build, and of the install tree, and
#                        libquack_c.so, for
#   quack-opt-packaged   the program of the package, which links that: package/bin/quack-opt
#
# The target QuackPackage is all that the package has.
add_custom_target(QuackPackage)
function(quack_add_packaged_tool name function)
  cmake_parse_arguments(arg "NO_MLIR" "" "LINK" ${ARGN})
  string(REGEX REPLACE "^q" "Q" objects ${function})
  add_library(${objects} OBJECT ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${objects} PUBLIC ${arg_LINK} ${QUACK_LLVM_LIBS})
  if(NOT arg_NO_MLIR)
    quack_use_pch(${objects})
    add_dependencies(${objects} QuackIncGen)
    target_link_libraries(${objects} PUBLIC ${QUACK_MLIR_LIBS})
  endif()
  target_link_libraries(QuackC PRIVATE ${objects})

  foreach(program ${name} ${name}-packaged)
    add_executable(${program} "${CMAKE_SOURCE_DIR}/tools/main.cpp")
    target_compile_definitions(${program} PRIVATE QUACK_TOOL_MAIN=${function})
  endforeach()
  target_link_libraries(${name} PRIVATE ${objects})
  quack_strip_static(${name})
  install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  target_link_libraries(${name}-packaged PRIVATE QuackC)
  add_dependencies(QuackPackage ${name}-packaged)
  # Nothing of C++'s library is in it; it moves with libquack_c.so.
  target_link_options(${name}-packaged PRIVATE -Wl,--as-needed)
  set_target_properties(${name}-packaged PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/package/bin"
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}"
    INSTALL_RPATH_USE_LINK_PATH OFF)
  install(TARGETS ${name}-packaged RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    COMPONENT package EXCLUDE_FROM_ALL)
endfunction()
