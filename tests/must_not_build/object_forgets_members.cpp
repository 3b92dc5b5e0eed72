// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this type can't be sent as an object: it adds members to a base that knows nothing of them
#include <tutti/object/codec.hpp>

#include <string>

struct person {
  std::string name;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name);
  }
};

// The inherited serialize would leave the age behind.
struct aged_person : person {
  int age = 0;
#if defined(TUTTI_MUST_BUILD)
  template <class Archive>
  void serialize(Archive& archive) {
    archive(static_cast<person&>(*this), age);
  }
#endif
};

aged_person wrong(const tutti::packed& bytes) { return tutti::unpack<aged_person>(bytes); }
