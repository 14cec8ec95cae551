//===- DescribeJson.cpp - What an object says of itself -------------------===//
//
// Keys in a fixed order, no date, no path: the same input gives the same bytes.
// Tests: test/Unit/Emit/HeaderTest.cpp
//
//===----------------------------------------------------------------------===//

#include "attnc/Emit/Object.h"

#include "Abi/entry.h"

#include "attnc/Support/Version.h"

#include "llvm/Support/JSON.h"

using namespace attnc;
using namespace llvm;

// JSON is UTF-8; a spec may hold any bytes.
static std::string utf8(StringRef text) {
  return json::isUTF8(text) ? text.str() : json::fixUTF8(text);
}

std::string attnc::describeJson(const Interface &function,
                                ArrayRef<std::string> targets) {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream json(stream);
  json.object([&] {
    json.attribute("name", function.name);
    json.attribute("title", utf8(function.title));
    json.attribute("compiler", ("attnc " + getVersion()).str());
    json.attribute("abi", ATTNC_ABI);
    json.attributeArray("targets", [&] {
      for (const std::string &target : targets)
        json.value(target);
    });
    json.attributeArray("kernels", [&] {
      for (const std::string &kernel : function.kernels)
        json.value(utf8(kernel));
    });
    if (llvm::any_of(function.tensors, [](auto &t) { return t.inout; }))
      json.attributeArray("inout", [&] {
        for (const InterfaceTensor &tensor : function.tensors)
          if (tensor.inout)
            json.value(tensor.name);
      });
    if (!function.packing().empty())
      json.attributeObject("packed_by", [&] {
        for (const InterfaceTensor &tensor : function.tensors)
          if (!tensor.packedBy.empty())
            json.attribute(tensor.name, tensor.packedBy);
      });
    json.attribute("spec", utf8(function.spec));
  });
  return text;
}
