// RUN: attnc-opt %s --attn-mask-ranges --verify-diagnostics

!Q = tensor<?x2x1x?x8xf32, #attn.dims<batch, 2, 1, query_len, 8>>
!K = tensor<?x2x?x8xf32, #attn.dims<batch, 2, kv_len, 8>>
!L = tensor<?x2x1x?xf32, #attn.dims<batch, 2, 1, query_len>>

func.func @says_what_it_found(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-remark@below {{1 segment of keys, computed by 3 operations [mask]}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %o : !Q
}

func.func @says_what_it_did_not_understand(%q: !Q, %k: !K, %v: !K) -> !Q {
  // expected-remark@below {{1 segment of keys, computed by 1 operation; 1 condition is not solved by segments [mask]}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !K, !K) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %p = arith.muli %i, %j : index
    %n = attn.size "kv_len"
    // expected-note@below {{this is not a comparison of sums of positions}}
    %c = arith.cmpi ult, %p, %n : index
    attn.yield %c : i1
  }
  return %o : !Q
}

!U = tensor<?x2x?x8xf32>

func.func @needs_a_name(%q: !Q, %k: !U, %v: !U) -> !Q {
  // expected-remark@below {{no ranges: the number of keys has no name [mask]}}
  %o, %lse = attn.kernel ins(%q, %k, %v : !Q, !U, !U) -> (!Q, !L)
    normalize #attn.norm<shift = max, weight = exp, divide = sum>
    attributes {scale = 1.0 : f64, probabilities = f32}
  score {
  ^bb0(%x: f32, %b: index, %h: index, %g: index, %i: index, %j: index):
    attn.yield %x : f32
  } mask {
  ^bb0(%b: index, %h: index, %g: index, %i: index, %j: index):
    %c = arith.cmpi sle, %j, %i : index
    attn.yield %c : i1
  }
  return %o : !Q
}
