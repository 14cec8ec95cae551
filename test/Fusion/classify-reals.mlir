// Masks of reals: each comparison at the ends that its operands have in a tile.
// RUN: attnc-opt %s --attn-mask-ranges --attn-classify-tiles | FileCheck %s

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>
!S = tensor<2xf32, #attn.dims<2>>

// CHECK-LABEL: func.func @factor_of_the_key
// CHECK:      } classify {
// CHECK-NEXT: ^bb0(%{{.*}}, %{{.*}}, %{{.*}}, %[[Q0:.*]]: index, %[[Q1:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK:      %[[QLAST:.*]] = arith.addi %[[Q1]], %{{.*}} : index
// CHECK-NEXT: %[[QLAST64:.*]] = arith.index_cast %[[QLAST]] : index to i64
// CHECK-NEXT: %[[QMOST:.*]] = arith.sitofp %[[QLAST64]] : i64 to f32
// CHECK-NEXT: %[[K064:.*]] = arith.index_cast %[[K0]] : index to i64
// CHECK-NEXT: %[[KLEAST:.*]] = arith.sitofp %[[K064]] : i64 to f32
// CHECK:      %[[LEAST:.*]] = arith.mulf %[[KLEAST]], %[[HALF:.*]] : f32
// CHECK-NEXT: %[[SOME:.*]] = arith.cmpf oge, %[[QMOST]], %[[LEAST]] : f32
// CHECK:      %[[MOST:.*]] = arith.mulf %{{.*}}, %[[HALF]] : f32
// CHECK-NEXT: %[[ALL:.*]] = arith.cmpf oge, %{{.*}}, %[[MOST]] : f32
// CHECK:      %[[PARTIAL:.*]] = arith.select %[[SOME]], %{{.*}}, %{{.*}} : index
// CHECK:      %[[CLASS:.*]] = arith.select %[[ALL]], %{{.*}}, %[[PARTIAL]] : index
// CHECK-NEXT: attn.yield %[[CLASS]] : index

func.func @factor_of_the_key(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %half = arith.constant 5.000000e-01 : f32
    %ji = arith.index_cast %j : index to i64
    %jf = arith.sitofp %ji : i64 to f32
    %ii = arith.index_cast %i : index to i64
    %if = arith.sitofp %ii : i64 to f32
    %m = arith.mulf %jf, %half : f32
    %c = arith.cmpf ole, %m, %if : f32
    attn.yield %c : i1
  }
  return %o : !Q
}

// A factor that only the call knows may be negative, infinite or no number: the
// ends in both orders, and nothing is decided unless they are finite.
// CHECK-LABEL: func.func @number_of_the_call
// CHECK:      } classify {
// CHECK:      %[[SLOPE:.*]] = attn.read %{{.*}}[%{{.*}}] : tensor<2xf32, #attn.dims<2>> -> f32
// CHECK:      %[[A:.*]] = arith.mulf %{{.*}}, %[[SLOPE]] : f32
// CHECK:      %[[B:.*]] = arith.mulf %{{.*}}, %[[SLOPE]] : f32
// CHECK:      %[[LEAST:.*]] = arith.minimumf %[[A]], %[[B]] : f32
// CHECK:      %[[MOST:.*]] = arith.maximumf %[[A]], %[[B]] : f32
// CHECK:      %[[BELOW:.*]] = arith.cmpf oge, %{{.*}}, %[[MOST]] : f32
// CHECK:      %[[ABOVE:.*]] = arith.cmpf oge, %[[MOST]], %{{.*}} : f32
// CHECK:      %[[FINITE:.*]] = arith.andi %[[BELOW]], %[[ABOVE]] : i1
// CHECK:      %[[SOUND:.*]] = arith.andi %{{.*}}, %[[FINITE]] : i1
// CHECK:      %[[UNSOUND:.*]] = arith.xori %[[SOUND]], %{{.*}} : i1
// CHECK:      %[[SOME:.*]] = arith.cmpf oge, %{{.*}}, %[[LEAST]] : f32
// CHECK-NEXT: arith.ori %[[UNSOUND]], %[[SOME]] : i1
// CHECK:      %[[ALL:.*]] = arith.cmpf oge, %{{.*}}, %[[MOST]] : f32
// CHECK-NEXT: arith.andi %[[SOUND]], %[[ALL]] : i1

func.func @number_of_the_call(%q: !Q, %k: !K, %v: !K, %s: !S) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %slope = attn.read %s[%h] : !S -> f32
    %ji = arith.index_cast %j : index to i64
    %jf = arith.sitofp %ji : i64 to f32
    %ii = arith.index_cast %i : index to i64
    %if = arith.sitofp %ii : i64 to f32
    %m = arith.mulf %jf, %slope : f32
    %c = arith.cmpf ole, %m, %if : f32
    attn.yield %c : i1
  }
  return %o : !Q
}

// A product of places is at its least and greatest at the ends, if sizes are
// such that it does not overflow; else every tile is partial.
// CHECK-LABEL: func.func @product_of_places
// CHECK:      } classify {
// CHECK-NEXT: ^bb0(%{{.*}}, %{{.*}}, %{{.*}}, %[[Q0:.*]]: index, %[[Q1:.*]]: index, %[[K0:.*]]: index, %[[K1:.*]]: index):
// CHECK:      %[[SMALL:.*]] = arith.cmpi sge, %{{.*}}, %c-268435456 : index
// CHECK:      %[[Q:.*]] = arith.minsi %[[Q0]], %c1073741824 : index
// CHECK-NEXT: %[[K:.*]] = arith.minsi %[[K0]], %c1073741824 : index
// CHECK-NEXT: %[[LEAST:.*]] = arith.muli %[[Q]], %[[K]] : index
// CHECK:      %[[MOST:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK:      %[[FULL:.*]] = arith.cmpi sge, %{{.*}}, %c-99 : index
// CHECK:      arith.andi %{{.*}}, %[[FULL]] : i1

func.func @product_of_places(%q: !Q, %k: !K, %v: !K) -> !Q {
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c100 = arith.constant 100 : index
    %p = arith.muli %i, %j : index
    %c = arith.cmpi slt, %p, %c100 : index
    attn.yield %c : i1
  }
  return %o : !Q
}
