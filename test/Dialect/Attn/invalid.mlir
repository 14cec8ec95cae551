// Each function violates the constraint of AttnOps.td that it is named after.
// RUN: attnc-opt %s --split-input-file --verify-diagnostics

func.func @view_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.view' op labels 'a->b' have different letters on the two sides}}
  %y = attn.view "a->b" %x : tensor<4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @view_c1_bracket(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.view' op labels '(a->a' have a bracket that is empty or not closed}}
  %y = attn.view "(a->a" %x : tensor<4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @view_c1_twice(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@below {{'attn.view' op labels 'aa->aa' have a side that is not a list of distinct letters a-z}}
  %y = attn.view "aa->aa" %x : tensor<4x4xf32> -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @view_c1_arrow(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.view' op labels 'a' need one '->', as in "b(hg)qd->bhgqd"}}
  %y = attn.view "a" %x : tensor<4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @view_c2(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error@below {{'attn.view' op source has 1 axes, the labels name 2}}
  %y = attn.view "ab->ab" %x : tensor<4xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

func.func @view_c3(%x: tensor<4xf32>) -> tensor<4xbf16> {
  // expected-error@below {{'attn.view' op changes the element type from 'f32' to 'bf16'}}
  %y = attn.view "a->a" %x : tensor<4xf32> -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

func.func @view_c4(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error@below {{'attn.view' op axis 'a' has size 4 : i64 in the source and 6 : i64 in the result}}
  %y = attn.view "ab->ba" %x : tensor<4x6xf32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @view_c5(%x: tensor<16xf32>) -> tensor<8x3xf32> {
  // expected-error@below {{'attn.view' op axis '(ab)' has size 16, its letters have 24 together}}
  %y = attn.view "(ab)->ab" %x : tensor<16xf32> -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}

// -----

func.func @contract_c1(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@below {{'attn.contract' op '1b' in labels '1b,bc->ac' is not a list of distinct letters a-z}}
  %y = attn.contract "1b,bc->ac" (%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @contract_c1_operands(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@below {{'attn.contract' op labels 'ab->ab' name 1 operands, expected 2}}
  %y = attn.contract "ab->ab" (%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @contract_c2(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@below {{'attn.contract' op the left operand has 2 axes, its labels 'a' name 1}}
  %y = attn.contract "a,bc->bc" (%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @contract_c3(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@below {{'attn.contract' op letter 'd' of the result is in no operand}}
  %y = attn.contract "ab,bc->ad" (%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @contract_c4(%q: tensor<?x64xf32, #attn.dims<query_len, 64>>, %k: tensor<?x80xf32, #attn.dims<kv_len, 80>>) -> tensor<?x?xf32, #attn.dims<query_len, kv_len>> {
  // expected-error@below {{'attn.contract' op axis 'd' is 80 in the right operand, but 64 before}}
  %s = attn.contract "qd,kd->qk" (%q, %k) : (tensor<?x64xf32, #attn.dims<query_len, 64>>, tensor<?x80xf32, #attn.dims<kv_len, 80>>) -> tensor<?x?xf32, #attn.dims<query_len, kv_len>>
  return %s : tensor<?x?xf32, #attn.dims<query_len, kv_len>>
}

// -----

func.func @contract_c4_names(%q: tensor<?x64xf32, #attn.dims<query_len, 64>>, %k: tensor<?x64xf32, #attn.dims<kv_len, 64>>) -> tensor<?x?xf32, #attn.dims<query_len, query_len>> {
  // expected-error@below {{'attn.contract' op axis 'k' is query_len in the result, but kv_len before}}
  %s = attn.contract "qd,kd->qk" (%q, %k) : (tensor<?x64xf32, #attn.dims<query_len, 64>>, tensor<?x64xf32, #attn.dims<kv_len, 64>>) -> tensor<?x?xf32, #attn.dims<query_len, query_len>>
  return %s : tensor<?x?xf32, #attn.dims<query_len, query_len>>
}

// -----

func.func @contract_c5(%x: tensor<4x4xf32>, %m: tensor<4x4xi1>) -> tensor<4x4xf32> {
  // expected-error@below {{'attn.contract' op labels 'az' of the mask are not letters of the operands}}
  %y = attn.contract "ab,bc->ac" (%x, %x) where "az" (%m) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi1>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @contract_c6(%w: tensor<2x3x4x8xf32>, %k: tensor<5x2x8xf32>) -> tensor<5x2x4xf32> {
  // expected-error@below {{'attn.contract' op sums over letter 'g', which only the left operand has; expected attn.reduce for that sum, or the letter in the result}}
  %y = attn.contract "hgcd,nhd->nhc" (%w, %k) : (tensor<2x3x4x8xf32>, tensor<5x2x8xf32>) -> tensor<5x2x4xf32>
  return %y : tensor<5x2x4xf32>
}

// -----

func.func @contract_c6_right(%x: tensor<4xf32>, %y: tensor<4x5xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.contract' op sums over letter 'b', which only the right operand has; expected attn.reduce for that sum, or the letter in the result}}
  %z = attn.contract "a,ab->a" (%x, %y) : (tensor<4xf32>, tensor<4x5xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

func.func @map_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.map' op labels 'a,a->a' name 2 inputs, there are 1}}
  %y = attn.map "a,a->a" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%s: f32, %a: index):
    attn.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @map_c2(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.map' op input 0 has 2 axes, its labels 'a' name 1}}
  %y = attn.map "a->a" (%x) : (tensor<4x4xf32>) -> tensor<4xf32> {
  ^bb0(%s: f32, %a: index):
    attn.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @map_c3(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.map' op letter 'b' of input 0 is not in the result}}
  %y = attn.map "ab->a" (%x) : (tensor<4x4xf32>) -> tensor<4xf32> {
  ^bb0(%s: f32, %a: index):
    attn.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @map_c4(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error@below {{'attn.map' op axis 'a' is 5 in the result, but 4 before}}
  %y = attn.map "a->a" (%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%s: f32, %a: index):
    attn.yield %s : f32
  }
  return %y : tensor<5xf32>
}

// -----

func.func @map_c5(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // expected-error@below {{'attn.map' op its region has block arguments ('bf16', 'index'), expected ('f32', 'index')}}
  %y = attn.map "a->a" (%x) : (tensor<4xbf16>) -> tensor<4xbf16> {
  ^bb0(%s: bf16, %a: index):
    %z = arith.constant 0.0 : f32
    attn.yield %z : f32
  }
  return %y : tensor<4xbf16>
}

// -----

func.func @map_c6(%x: tensor<4xf64>) -> tensor<4xf32> {
  // expected-error@below {{'attn.map' op its region yields 'f32', expected 'f64'}}
  %y = attn.map "a->a" (%x) : (tensor<4xf64>) -> tensor<4xf32> {
  ^bb0(%s: f64, %a: index):
    %z = arith.constant 0.0 : f32
    attn.yield %z : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @map_c7_effects(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.map' op its region holds 'func.call'; a formula has pure arith and math ops, attn.size and attn.read only}}
  %y = attn.map "a->a" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%s: f32, %a: index):
    // expected-note@below {{the op}}
    func.call @effect() : () -> ()
    attn.yield %s : f32
  }
  return %y : tensor<4xf32>
}
func.func private @effect()

// -----

func.func @map_c7_capture(%x: tensor<4xf32>, %c: f32) -> tensor<4xf32> {
  // expected-error@below {{'attn.map' op its region uses a scalar from outside; compute it in the region, or read it with attn.read}}
  %y = attn.map "a->a" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%s: f32, %a: index):
    // expected-note@below {{used here}}
    %z = arith.mulf %s, %c : f32
    attn.yield %z : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @map_c7_vector(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.map' op its region computes a value of type 'vector<2xf32>'; a formula computes scalars}}
  %y = attn.map "a->a" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%s: f32, %a: index):
    %z = arith.constant dense<0.0> : vector<2xf32>
    attn.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @map_c8() -> tensor<?xf32> {
  // expected-error@below {{'attn.map' op axis 0 of the result is dynamic and has no name; write its size in #attn.dims}}
  %y = attn.map "->a" () : () -> tensor<?xf32> {
  ^bb0(%a: index):
    %z = arith.constant 0.0 : f32
    attn.yield %z : f32
  }
  return %y : tensor<?xf32>
}

// -----

func.func @mask_c1() -> tensor<4x5xi1> {
  // expected-error@below {{'attn.mask' op 'qq' is not a list of distinct letters a-z}}
  %m = attn.mask "qq" : tensor<4x5xi1> {
  ^bb0(%q: index, %k: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %m : tensor<4x5xi1>
}

// -----

func.func @mask_c2() -> tensor<4x?xi1> {
  // expected-error@below {{'attn.mask' op axis 1 of the result is dynamic and has no name; write its size in #attn.dims}}
  %m = attn.mask "qk" : tensor<4x?xi1> {
  ^bb0(%q: index, %k: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %m : tensor<4x?xi1>
}

// -----

func.func @mask_c3() -> tensor<4x5xi1> {
  // expected-error@below {{'attn.mask' op its region has block arguments ('index'), expected ('index', 'index')}}
  %m = attn.mask "qk" : tensor<4x5xi1> {
  ^bb0(%q: index):
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %m : tensor<4x5xi1>
}

// -----

func.func @mask_c4() -> tensor<4x5xi1> {
  // expected-error@below {{'attn.mask' op its region yields 'index', expected 'i1'}}
  %m = attn.mask "qk" : tensor<4x5xi1> {
  ^bb0(%q: index, %k: index):
    attn.yield %q : index
  }
  return %m : tensor<4x5xi1>
}

// -----

func.func @mask_c5() -> tensor<4x5xi1> {
  // expected-error@below {{'attn.mask' op its region holds 'attn.mask'; a formula has pure arith and math ops, attn.size and attn.read only}}
  %m = attn.mask "qk" : tensor<4x5xi1> {
  ^bb0(%q: index, %k: index):
    // expected-note@below {{the op}}
    %n = attn.mask "" : tensor<i1> {
      %c = arith.constant true
      attn.yield %c : i1
    }
    %c = arith.constant true
    attn.yield %c : i1
  }
  return %m : tensor<4x5xi1>
}

// -----

func.func @normalize_c1(%s: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@below {{'attn.normalize' op 'qQ' is not a list of distinct letters a-z}}
  %p, %l = attn.normalize "qQ" over "q" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>)
  return %p : tensor<4x5xf32>
}

// -----

func.func @normalize_c2(%s: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@below {{'attn.normalize' op 'over' must be one letter of 'qk', got 'j'}}
  %p, %l = attn.normalize "qk" over "j" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>)
  return %p : tensor<4x5xf32>
}

// -----

func.func @normalize_c3(%s: tensor<4x5xf32>, %m: tensor<4x6xi1>) -> tensor<4x5xf32> {
  // expected-error@below {{'attn.normalize' op axis 'k' is 6 in the mask, but 5 before}}
  %p, %l = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) where (%m) : (tensor<4x5xf32>, tensor<4x6xi1>) -> (tensor<4x5xf32>, tensor<4xf32>)
  return %p : tensor<4x5xf32>
}

// -----

func.func @normalize_c4(%s: tensor<4x5xf64>) -> tensor<4x5xf64> {
  // expected-error@below {{'attn.normalize' op lse must have the element type 'f64', got 'f32'}}
  %p, %l = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (tensor<4x5xf64>) -> (tensor<4x5xf64>, tensor<4xf32>)
  return %p : tensor<4x5xf64>
}

// -----

func.func @normalize_c5(%s: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@below {{'attn.normalize' op 'init' has block arguments ('index', 'index'), expected ('index')}}
  %p, %l = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>) init {
  ^bb0(%q: index, %k: index):
    %z = arith.constant 0.0 : f32
    attn.yield %z : f32
  }
  return %p : tensor<4x5xf32>
}

// -----

func.func @normalize_c6(%s: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@below {{'attn.normalize' op 'init' yields 'f64', expected 'f32'}}
  %p, %l = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>) init {
  ^bb0(%q: index):
    %z = arith.constant 0.0 : f64
    attn.yield %z : f64
  }
  return %p : tensor<4x5xf32>
}

// -----

func.func @normalize_c7(%s: tensor<4x5xf32>, %sink: f32) -> tensor<4x5xf32> {
  // expected-error@below {{'attn.normalize' op 'init' uses a scalar from outside; compute it in the region, or read it with attn.read}}
  %p, %l = attn.normalize "qk" over "k" #attn.norm<shift = max, weight = exp, divide = sum> (%s) : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>) init {
  ^bb0(%q: index):
    // expected-note@below {{used here}}
    attn.yield %sink : f32
  }
  return %p : tensor<4x5xf32>
}

// -----

func.func @normalize_c8(%s: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@below {{'attn.normalize' op 'init' is a part of the sum, but #attn.norm<shift = none, weight = identity, divide = none> does not divide by it}}
  %p, %l = attn.normalize "qk" over "k" #attn.norm<shift = none, weight = identity, divide = none> (%s) : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>) init {
  ^bb0(%q: index):
    %one = arith.constant 1.0 : f32
    attn.yield %one : f32
  }
  return %p : tensor<4x5xf32>
}

// -----

func.func @reduce_c1(%s: tensor<4x5xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.reduce' op 'qq' is not a list of distinct letters a-z}}
  %r = attn.reduce "qq" over "k" #attn.row<sum> (%s) : (tensor<4x5xf32>) -> (tensor<4xf32>)
  return %r : tensor<4xf32>
}

// -----

func.func @reduce_c2(%s: tensor<4x5xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.reduce' op 'over' must be one letter of 'qk', got 'h'}}
  %r = attn.reduce "qk" over "h" #attn.row<sum> (%s) : (tensor<4x5xf32>) -> (tensor<4xf32>)
  return %r : tensor<4xf32>
}

// -----

func.func @reduce_c3(%s: tensor<4x5xf32>, %m: tensor<4x6xi1>) -> tensor<4xf32> {
  // expected-error@below {{'attn.reduce' op axis 'k' is 6 in the mask, but 5 before}}
  %r = attn.reduce "qk" over "k" #attn.row<sum> (%s) where (%m) : (tensor<4x5xf32>, tensor<4x6xi1>) -> (tensor<4xf32>)
  return %r : tensor<4xf32>
}

// -----

func.func @reduce_c4(%s: tensor<4x5xf32>) -> tensor<4xf32> {
  // expected-error@below {{'attn.reduce' op #attn.row<sum> has no key}}
  %r, %k = attn.reduce "qk" over "k" #attn.row<sum> (%s) : (tensor<4x5xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %r : tensor<4xf32>
}

// -----

func.func @size_c1() -> index {
  // expected-error@below {{'attn.size' op needs the name of a size}}
  %n = attn.size ""
  return %n : index
}

// -----

func.func @read_c1(%t: tensor<4x4xf32>, %i: index) -> f32 {
  // expected-error@below {{'attn.read' op has 1 indices, the tensor has 2 axes}}
  %x = attn.read %t[%i] : tensor<4x4xf32> -> f32
  return %x : f32
}

// -----

func.func @read_c2(%t: tensor<4xi32>, %i: index) -> f32 {
  // expected-error@below {{'attn.read' op reads 'i32' as 'f32', expected index}}
  %x = attn.read %t[%i] : tensor<4xi32> -> f32
  return %x : f32
}

// -----

func.func @yield_outside(%x: f32) {
  // expected-error@below {{'attn.yield' op expects parent op to be one of 'attn.map, attn.mask, attn.normalize, attn.kernel'}}
  attn.yield %x : f32
}

// -----

func.func @table_min_c1(%t: tensor<4x4xi32>, %i: index) -> index {
  // expected-error@below {{'attn.table_min' op has 1 first places, the table has 2 axes}}
  %x = attn.table_min %t[%i] to [%i] : tensor<4x4xi32>
  return %x : index
}

// -----

func.func @table_max_c1(%t: tensor<4x4xi32>, %i: index) -> index {
  // expected-error@below {{'attn.table_max' op has 1 first places, the table has 2 axes}}
  %x = attn.table_max %t[%i] to [%i] : tensor<4x4xi32>
  return %x : index
}

// -----

func.func @lower_bound_c1(%t: tensor<4x4xi32>, %i: index) -> index {
  // expected-error@below {{'attn.lower_bound' op has 2 indices of a row, the table has 2 axes}}
  %x = attn.lower_bound %t[%i, %i], %i : tensor<4x4xi32>
  return %x : index
}
