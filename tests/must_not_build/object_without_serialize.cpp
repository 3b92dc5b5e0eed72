// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this type can't be sent as an object: it isn't trivially copyable and no container, optional, tuple or variant; give it serialize(archive) or tutti_serialize(archive, value)
#include <tutti/object/codec.hpp>

#include <string>

struct person {
  std::string name;
#if defined(TUTTI_MUST_BUILD)
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name);
  }
#endif
};

tutti::packed wrong(const person& value) { return tutti::pack(value); }
