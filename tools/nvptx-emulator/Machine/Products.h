//===- Products.h - wgmma -------------------------------------------------===//
//
// A product is in flight until a thread waits for its group. Until then its
// results are NaNs whose payload names the product and the register; inline
// assembly that ties these registers after the wait gets the values. Shared
// memory is read at the wait, or at a random time before.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_PRODUCTS_H
#define ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_PRODUCTS_H

#include "MatrixDescriptor.h"
#include "Operation.h"
#include "Order.h"

#include <bitset>
#include <map>
#include <optional>
#include <vector>

namespace attnc::nvptx {

/// The groups of products of a thread.
struct ProductGroups {
  uint32_t committed = 0, waited = 0;
  bool isOpen = false;   // products since the last commit
  bool isFenced = false; // by wgmma.fence, since the last wait
};

/// The shape and element type of m64nNk16.
struct ProductKind {
  unsigned columns = 0;
  bool isBf16 = false;

  unsigned registers() const { return columns / 2; }
};

/// "m64n128k16.f32.bf16.bf16"; nothing if the kind is not emulated.
std::optional<ProductKind> parseProductKind(const std::string &text);

struct Product {
  ProductKind kind;
  unsigned warpgroup = 0;
  uint32_t group = 0;
  bool hasDescriptorA = false;
  MatrixDescriptor a, b;
  std::vector<float> fragmentA; // 64 x 16, if it was in registers
  float scale = 1;              // of A * B: 1 or -1
  uint32_t previous = 0;        // the product that it accumulates onto, or 0
  bool isChained = false;       // another product accumulates onto it
  bool isComputed = false;
  std::vector<float> sums; // 64 x columns
  // Registers that inline assembly tied, of all threads, and these threads.
  std::vector<bool> tiedRegisters;
  std::bitset<128> tiedThreads;
};

class Products {
public:
  void reset() {
    products.clear();
    agents.clear();
  }

  /// The threads of a warpgroup execute wgmma.mma_async.
  void begin(Machine &machine, const Lanes &lanes);
  // By the current thread:
  void commit(Machine &machine);
  void wait(Machine &machine, uint32_t groups);
  /// The value of a register that inline assembly ties.
  uint64_t tie(Machine &machine, uint64_t slot);

  /// Computes a product early, sometimes.
  void progress(Machine &machine);
  void checkExit(Machine &machine, unsigned thread);

private:
  struct Tag {
    uint32_t product = 0;
    unsigned number = 0; // of the register
  };
  std::optional<Tag> tagOf(uint64_t slot) const;
  uint32_t newId();
  void dropTied();
  Epoch epochOf(Machine &machine, unsigned warpgroup, uint32_t group);
  void readAccumulators(Machine &machine, const Lanes &lanes, Product &product);
  void readOperands(Machine &machine, const Lanes &lanes, Product &product);
  void checkReads(Machine &machine, const Lanes &lanes, const Product &product);
  void compute(Machine &machine, Product &product);

  std::map<uint32_t, Product> products;
  std::map<unsigned, uint32_t> agents; // of warpgroups
  uint32_t lastId = 0;
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_MACHINE_PRODUCTS_H
