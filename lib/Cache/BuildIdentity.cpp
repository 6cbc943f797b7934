//===- lib/Cache/BuildIdentity.cpp - which build runs -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker's build id, from the notes of the loaded object (ELF gABI, "Note
// Section"; ld's --build-id).
//
//===----------------------------------------------------------------------===//

#include "quack/Cache/CacheKey.h"
#include "quack/Support/FileIdentity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <link.h>

using namespace llvm;
using namespace quack;

namespace {
struct Search {
  uintptr_t address = 0;
  bool isFound = false;
  std::string file;    ///< of the object; empty of the program itself
  std::string buildId; ///< empty if it has none
};
} // namespace

/// Returns the build id among `notes`; empty if there is none. Notes that are aligned to 8, of
/// properties, have sizes that are multiples of 8: they take no other place.
static std::string findBuildId(StringRef notes) {
  constexpr uint64_t alignment = 4;
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    // Notes lie aligned in memory.
    const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(notes.data());
    uint64_t description = alignTo(sizeof(*note) + note->n_namesz, alignment);
    uint64_t end = description + note->n_descsz;
    if (end > notes.size())
      break;
    if (note->n_type == NT_GNU_BUILD_ID &&
        notes.substr(sizeof(*note), note->n_namesz) == StringRef("GNU", 4))
      return toHex(notes.slice(description, end), /*LowerCase=*/true);
    notes = notes.drop_front(std::min<uint64_t>(alignTo(end, alignment), notes.size()));
  }
  return "";
}

/// Looks at one loaded object; returns not 0 when it is the one, which ends the walk.
static int visit(dl_phdr_info *object, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  ArrayRef<ElfW(Phdr)> segments(object->dlpi_phdr, object->dlpi_phnum);
  search.isFound = any_of(segments, [&](const ElfW(Phdr) &segment) {
    uintptr_t start = object->dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && search.address >= start &&
           search.address - start < segment.p_memsz;
  });
  if (!search.isFound)
    return 0;
  search.file = object->dlpi_name;
  for (const ElfW(Phdr) &segment : segments)
    if (segment.p_type == PT_NOTE && search.buildId.empty())
      search.buildId = findBuildId(
          StringRef(reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr),
                    segment.p_memsz));
  return 1;
}

std::string quack::buildIdentityOf(const void *address) {
  Search search;
  search.address = reinterpret_cast<uintptr_t>(address);
  dl_iterate_phdr(visit, &search);
  if (!search.isFound || !search.buildId.empty())
    return search.buildId;
  return fileIdentity(search.file.empty() ? "/proc/self/exe" : search.file);
}
