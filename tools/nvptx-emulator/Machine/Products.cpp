//===- Products.cpp - wgmma -----------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace attnc::nvptx;

static constexpr unsigned productRows = 64;

std::optional<ProductKind>
attnc::nvptx::parseProductKind(const std::string &text) {
  ProductKind kind;
  int end = 0;
  if (std::sscanf(text.c_str(), "m64n%uk16.f32.%n", &kind.columns, &end) != 1 ||
      end == 0 || kind.columns == 0 || kind.columns > 256 || kind.columns % 8)
    return std::nullopt;
  std::string types = text.substr(end);
  kind.isBf16 = types == "bf16.bf16";
  if (!kind.isBf16 && types != "f16.f16")
    return std::nullopt;
  return kind;
}

/// PTX ISA, figures of wgmma's fragments: where thread t of the warpgroup holds
/// register r of D.
static unsigned sumIndex(const ProductKind &kind, unsigned t, unsigned r) {
  unsigned row = 16 * (t / warpSize) + t % warpSize / 4 + 8 * (r >> 1 & 1);
  return row * kind.columns + 8 * (r / 4) + 2 * (t % 4) + (r & 1);
}

/// A signaling NaN: arithmetic makes it quiet, so that it names a register only
/// as long as nothing computes with it.
static uint64_t tagBits(uint32_t product, unsigned number) {
  return 0x7f800000u | product << 7 | number;
}

std::optional<Products::Tag> Products::tagOf(uint64_t slot) const {
  uint32_t bits = static_cast<uint32_t>(slot);
  Tag tag{bits >> 7 & 0x7fff, bits & 0x7f};
  if (bits >> 22 != 0x7f800000u >> 22 || !products.count(tag.product))
    return std::nullopt;
  return tag;
}

uint32_t Products::newId() {
  do {
    lastId = lastId % 0x7fff + 1;
  } while (products.count(lastId));
  return lastId;
}

/// Forgets the products whose results have all been read.
void Products::dropTied() {
  std::erase_if(products, [](const auto &entry) {
    const std::vector<bool> &tied = entry.second.tiedRegisters;
    return !tied.empty() &&
           std::find(tied.begin(), tied.end(), false) == tied.end();
  });
}

/// Of the reads of shared memory by the products of a group.
Epoch Products::epochOf(Machine &machine, unsigned warpgroup, uint32_t group) {
  auto [agent, isNew] = agents.emplace(warpgroup, 0);
  if (isNew)
    agent->second =
        machine.addAgent("wgmma of warpgroup " + std::to_string(warpgroup));
  return {agent->second, group + 1};
}

/// Accumulators are values, or the registers of a product in flight.
void Products::readAccumulators(Machine &machine, const Lanes &lanes,
                                Product &product) {
  unsigned registers = product.kind.registers();
  std::optional<Tag> first = tagOf(machine.arg(lanes[0], 0));
  product.sums.assign(productRows * product.kind.columns, 0);
  for (unsigned t = 0; t < warpgroupSize; ++t)
    for (unsigned r = 0; r < registers; ++r) {
      uint64_t slot = machine.arg(lanes[t], r);
      std::optional<Tag> tag = tagOf(slot);
      if (tag.has_value() != first.has_value() ||
          (tag && (tag->product != first->product || tag->number != r)))
        machine.fail("the accumulators of wgmma mix registers of a product in "
                     "flight with others",
                     lanes[t]);
      product.sums[sumIndex(product.kind, t, r)] = toFloat(slot);
    }
  if (!first)
    return;
  product.previous = first->product;
  Product &previous = products[first->product];
  if (!previous.tiedRegisters.empty())
    machine.fail("the accumulators of wgmma are copies from before its wait: "
                 "use the registers that inline assembly tied",
                 lanes[0]);
  if (previous.isChained || previous.kind.columns != product.kind.columns)
    machine.fail("the accumulators of wgmma are those of a product of another "
                 "shape, or that a later product has overwritten",
                 lanes[0]);
  previous.isChained = true;
}

/// The arguments are those of the instruction: accumulators, A, B, whether to
/// accumulate, the signs of A and B, and whether A (only in shared memory) and
/// B are transposed.
void Products::readOperands(Machine &machine, const Lanes &lanes,
                            Product &product) {
  unsigned next = product.kind.registers();
  uint64_t bitsA = machine.arg(lanes[0], next);
  unsigned widthA = product.hasDescriptorA ? 1 : 4;
  uint64_t bitsB = machine.arg(lanes[0], next + widthA);
  unsigned flags = next + widthA + 1;
  auto flag = [&](unsigned i) {
    return static_cast<int32_t>(machine.arg(lanes[0], flags + i));
  };
  product.scale = static_cast<float>(flag(1) * flag(2));
  if (product.scale != 1 && product.scale != -1)
    machine.fail("the signs of the factors of wgmma are 1 or -1", lanes[0]);
  int32_t transposeA = product.hasDescriptorA ? flag(3) : 0;
  int32_t transposeB = flag(product.hasDescriptorA ? 4 : 3);
  for (int32_t transpose : {transposeA, transposeB})
    if (transpose != 0 && transpose != 1)
      machine.fail("the transposition of a factor of wgmma is 0 or 1, not " +
                       std::to_string(transpose),
                   lanes[0]);
  product.a = MatrixDescriptor(bitsA, productRows, transposeA);
  product.b = MatrixDescriptor(bitsB, product.kind.columns, transposeB);
  for (unsigned lane : lanes)
    if (machine.arg(lane, next + widthA) != bitsB ||
        (product.hasDescriptorA && machine.arg(lane, next) != bitsA) ||
        static_cast<int32_t>(machine.arg(lane, flags)) != flag(0))
      machine.fail("the descriptors of wgmma differ between threads", lane);
  if (product.hasDescriptorA)
    return;
  product.fragmentA.resize(productRows * wgmmaDepth);
  for (unsigned t = 0; t < warpgroupSize; ++t)
    for (unsigned r = 0; r < 4; ++r)
      for (unsigned half = 0; half < 2; ++half) {
        unsigned row = 16 * (t / warpSize) + t % warpSize / 4 + 8 * (r & 1);
        unsigned depth = 2 * (t % 4) + 8 * (r >> 1) + half;
        product.fragmentA[row * wgmmaDepth + depth] = elementOf(
            machine.arg(lanes[t], next + r), half, product.kind.isBf16);
      }
}

/// Each thread of the warpgroup must be ordered after what the product reads.
void Products::checkReads(Machine &machine, const Lanes &lanes,
                          const Product &product) {
  Order order = machine.threads[lanes[0]].order;
  for (unsigned lane : lanes)
    order.meet(machine.threads[lane].order);
  Epoch epoch = epochOf(machine, product.warpgroup, product.group);
  Accessor accessor{epoch, order, true, false};
  auto check = [&](const MatrixDescriptor &matrix, const char *name) {
    if (auto error = matrix.check())
      machine.fail(std::string("the descriptor of ") + name +
                       " of wgmma is wrong: " + *error,
                   lanes[0]);
    for (unsigned chunk = 0; chunk < matrix.chunkCount(); ++chunk) {
      uint64_t address = machine.shared.getBase() + matrix.chunkAddress(chunk);
      machine.check(machine.shared.read(address, 16, accessor), lanes[0]);
    }
  };
  if (product.hasDescriptorA)
    check(product.a, "A");
  check(product.b, "B");
}

void Products::begin(Machine &machine, const Lanes &lanes) {
  const std::string &name = machine.threads[lanes[0]].call.name();
  const std::string prefix = "ptx.wgmma.ss."; // or rs
  Product product;
  product.kind = *parseProductKind(name.substr(prefix.size()));
  product.hasDescriptorA = name.starts_with(prefix);
  product.warpgroup = lanes[0] / warpgroupSize;
  product.group = machine.threads[lanes[0]].products.committed;
  unsigned registers = product.kind.registers();
  bool isAccumulating = static_cast<int32_t>(
      machine.arg(lanes[0], registers + (product.hasDescriptorA ? 2 : 5)));
  if (isAccumulating)
    readAccumulators(machine, lanes, product);
  else
    product.sums.assign(productRows * product.kind.columns, 0);
  readOperands(machine, lanes, product);
  bool needsFence = !product.previous || !product.hasDescriptorA;
  for (unsigned lane : lanes) {
    ProductGroups &groups = machine.threads[lane].products;
    if (groups.committed != product.group)
      machine.fail("threads of the warpgroup committed different groups", lane);
    if (needsFence && !groups.isFenced)
      machine.fail("wgmma.fence is missing between accesses of its registers "
                   "and wgmma",
                   lane);
    groups.isOpen = true;
  }
  checkReads(machine, lanes, product);
  dropTied();
  uint32_t id = newId();
  products.emplace(id, std::move(product));
  for (unsigned lane : lanes)
    for (unsigned r = 0; r < registers; ++r)
      machine.result(lane, r) = tagBits(id, r);
  machine.count("wgmma");
}

/// Reads a matrix as rows of 16.
static void readMatrix(Machine &machine, const MatrixDescriptor &matrix,
                       bool isBf16, std::vector<float> &values) {
  values.resize(matrix.chunkCount() * 8);
  for (unsigned chunk = 0; chunk < matrix.chunkCount(); ++chunk) {
    uint16_t bits[8];
    uint64_t address = machine.shared.getBase() + matrix.chunkAddress(chunk);
    std::memcpy(bits, reinterpret_cast<void *>(address), sizeof bits);
    for (unsigned i = 0; i < 8; ++i)
      values[matrix.rowOf(chunk, i) * wgmmaDepth + matrix.depthOf(chunk, i)] =
          elementOf(bits[i], 0, isBf16);
  }
}

void Products::compute(Machine &machine, Product &product) {
  if (product.isComputed)
    return;
  product.isComputed = true;
  if (product.previous) {
    Product &previous = products.at(product.previous);
    compute(machine, previous);
    product.sums = std::move(previous.sums);
    products.erase(product.previous);
  }
  std::vector<float> b;
  if (product.hasDescriptorA)
    readMatrix(machine, product.a, product.kind.isBf16, product.fragmentA);
  readMatrix(machine, product.b, product.kind.isBf16, b);
  unsigned columns = product.kind.columns;
  std::vector<float> column(columns);
  for (unsigned k = 0; k < wgmmaDepth; ++k) {
    for (unsigned j = 0; j < columns; ++j)
      column[j] = product.scale * b[j * wgmmaDepth + k];
    for (unsigned i = 0; i < productRows; ++i) {
      float factor = product.fragmentA[i * wgmmaDepth + k];
      float *row = &product.sums[i * columns];
      for (unsigned j = 0; j < columns; ++j)
        row[j] += factor * column[j];
    }
  }
}

void Products::progress(Machine &machine) {
  if (products.empty() || machine.random() % 4)
    return;
  auto product = products.begin();
  std::advance(product, machine.random() % products.size());
  compute(machine, product->second);
}

void Products::commit(Machine &machine) {
  ProductGroups &groups = machine.currentThread().products;
  ++groups.committed;
  groups.isOpen = false;
}

void Products::wait(Machine &machine, uint32_t count) {
  Thread &thread = machine.currentThread();
  ProductGroups &groups = thread.products;
  groups.isFenced = false;
  if (groups.committed <= count)
    return;
  uint32_t done = groups.committed - count;
  groups.waited = std::max(groups.waited, done);
  unsigned warpgroup = machine.current / warpgroupSize;
  thread.order.see(epochOf(machine, warpgroup, done - 1));
  std::vector<uint32_t> ids; // compute() erases products
  for (const auto &[id, product] : products)
    if (product.warpgroup == warpgroup && product.group < done)
      ids.push_back(id);
  for (uint32_t id : ids)
    if (auto product = products.find(id); product != products.end())
      compute(machine, product->second);
}

uint64_t Products::tie(Machine &machine, uint64_t slot) {
  std::optional<Tag> tag = tagOf(slot);
  if (!tag)
    return slot;
  Product &product = products.at(tag->product);
  if (product.isChained)
    machine.fail(
        "a register is tied whose product a later one has overwritten");
  unsigned number = machine.current % warpgroupSize;
  if (product.group >= machine.currentThread().products.waited ||
      product.warpgroup != machine.current / warpgroupSize)
    return slot; // still in flight
  product.tiedThreads.set(number);
  product.tiedRegisters.resize(warpgroupSize * product.kind.registers());
  product.tiedRegisters[number * product.kind.registers() + tag->number] = true;
  return fromFloat(product.sums[sumIndex(product.kind, number, tag->number)]);
}

void Products::checkExit(Machine &machine, unsigned thread) {
  const ProductGroups &groups = machine.threads[thread].products;
  if (groups.isOpen)
    machine.fail("a thread exits with wgmma that it did not commit", thread);
  if (groups.waited < groups.committed)
    machine.fail("a thread exits while wgmma is in flight: wgmma.wait_group is "
                 "missing",
                 thread);
  for (const auto &[id, product] : products)
    if (product.warpgroup == thread / warpgroupSize && !product.isChained &&
        !product.tiedThreads[thread % warpgroupSize])
      machine.fail("the results of wgmma were never read: no inline assembly "
                   "ties its registers after wgmma.wait_group",
                   thread);
}

/// wgmma.fence, .commit_group and .wait_group
void attnc::nvptx::executeProductGroup(Machine &machine, const Call &call) {
  const std::string &name = call.name();
  if (name.starts_with("wgmma.fence."))
    machine.currentThread().products.isFenced = true;
  else if (name.starts_with("wgmma.commit_group."))
    machine.products.commit(machine);
  else
    machine.products.wait(machine, call.arg32(0));
}
