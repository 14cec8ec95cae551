// RUN: attnc-opt %s --pass-pipeline="builtin.module(cse,canonicalize)" | FileCheck %s
// CHECK-COUNT-1: arith.divsi
// CHECK-NOT: arith.divsi
func.func @careful(%a: i32, %b: i32) -> (i32, i32) {
  %0 = arith.divsi %a, %b : i32
  %1 = arith.divsi %a, %b : i32
  return %0, %1 : i32, i32
}
