// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this type can't be sent as an object: its serialize takes only one of tutti::byte_writer and tutti::byte_reader
#include <tutti/object/codec.hpp>

// Trivially copyable, so that it could travel as its bytes: but that isn't what it says.
struct person {
  int age = 0;
  void serialize(tutti::byte_writer& archive) const { archive(age); }
#if defined(TUTTI_MUST_BUILD)
  void serialize(tutti::byte_reader& archive) { archive(age); }
#endif
};

person wrong(const tutti::packed& bytes) { return tutti::unpack<person>(bytes); }
