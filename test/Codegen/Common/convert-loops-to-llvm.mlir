// RUN: attnc-opt %s --convert-loops-to-llvm | FileCheck %s

// Branches, arithmetic and vectors are converted together.
// CHECK-LABEL: llvm.func @sum(
// CHECK:         llvm.br
// CHECK:         llvm.icmp "slt"
// CHECK:         llvm.cond_br
// CHECK:         llvm.intr.fmuladd
// CHECK:         llvm.shufflevector
// CHECK:         "llvm.intr.vector.reduce.fadd"
// CHECK-NOT:     {{(arith|math|vector|cf)\.}}
func.func @sum(%x: vector<8xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  cf.br ^head(%c0, %x : index, vector<8xf32>)
^head(%i: index, %s: vector<8xf32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %next = vector.fma %s, %x, %x : vector<8xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %next : index, vector<8xf32>)
^end:
  %half = vector.extract_strided_slice %s {offsets = [4], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
  %all = vector.reduction <add>, %half, %zero : vector<4xf32> into f32
  return %all : f32
}

// Attributes of functions reach LLVM.
// CHECK-LABEL: llvm.func @apart(
// CHECK-SAME:    passthrough = ["noinline"]
func.func @apart() attributes {passthrough = ["noinline"]} {
  return
}
