//===- caller.cpp - Calls a kernel of a library with raw pointers ---------===//

#include <causal.h>

#include <iostream>

int main() {
  float q[8] = {}, k[8] = {}, v[8] = {7, 8, 9, 10}, o[8] = {};
  causal_raw_args args{};
  args.size = sizeof args;
  args.batch = args.query_len = args.kv_len = 1;
  args.Q = q;
  args.K = k;
  args.V = v;
  args.O = o;
  for (int64_t *strides : {args.Q_strides, args.K_strides, args.V_strides,
                           args.O_strides}) {
    strides[0] = 8;
    strides[1] = strides[2] = 4;
    strides[3] = 1;
  }
  attnc_status status = causal_raw(&args, nullptr);
  std::cout << "c++: " << attnc_status_text(status) << ", " << o[0] << ' '
            << o[3] << '\n';
}
