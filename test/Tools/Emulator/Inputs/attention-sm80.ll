; Softmax attention for sm_80, f16, head dimension 64: the kernel that the tests
; plant bugs into. A block of 4 warps computes 64 queries of one head; tiles have
; 16 keys. cp.async fills two stages of K and V, and zeros beyond the length.
; Rows of 128 bytes are swizzled: chunk c of row r is at c XOR r % 8.
;
; Shared memory: Q at 0, two stages of K at 8192 and of V at 12288.
target triple = "nvptx64-nvidia-cuda"

%f32x4 = type { float, float, float, float }
%i32x4 = type { i32, i32, i32, i32 }

@memory = external addrspace(3) global [0 x i8], align 1024

define ptx_kernel void @attention(ptr addrspace(1) %q, ptr addrspace(1) %k, ptr addrspace(1) %v, ptr addrspace(1) %out, i32 %length, float %scale) "nvvm.maxntid"="128,1,1" {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %head = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %lane = and i32 %tid, 31
  %warp = lshr i32 %tid, 5
  %wide.1 = zext i32 %head to i64
  %mul.1 = mul i32 %length, 128
  %wide.2 = zext i32 %mul.1 to i64
  %mul.2 = mul i64 %wide.1, %wide.2
  %at.1 = getelementptr i8, ptr addrspace(1) %q, i64 %mul.2
  %at.2 = getelementptr i8, ptr addrspace(1) %k, i64 %mul.2
  %at.3 = getelementptr i8, ptr addrspace(1) %v, i64 %mul.2
  %at.4 = getelementptr i8, ptr addrspace(1) %out, i64 %mul.2
  %query = mul i32 %block, 64
  %mul.4 = mul i32 %query, 128
  %wide.3 = zext i32 %mul.4 to i64
  %at.5 = getelementptr i8, ptr addrspace(1) %at.1, i64 %wide.3
  %add.1 = add i32 %length, 15
  %tiles = udiv i32 %add.1, 16
  %shr.2 = lshr i32 %tid, 3
  %and.2 = and i32 %tid, 7
  %and.3 = and i32 %shr.2, 7
  %xor.1 = xor i32 %and.2, %and.3
  %mul.5 = mul i32 %shr.2, 128
  %shl.1 = shl i32 %xor.1, 4
  %chunk = add i32 %mul.5, %shl.1
  %shl.2 = shl i32 %and.2, 4
  %add.3 = add i32 %mul.5, %shl.2
  %at.6 = getelementptr i8, ptr addrspace(3) @memory, i32 %chunk
  %wide.4 = zext i32 %add.3 to i64
  %at.7 = getelementptr i8, ptr addrspace(1) %at.5, i64 %wide.4
  %sub.1 = sub i32 %length, %query
  %sub.2 = sub i32 %sub.1, %shr.2
  %is.1 = icmp sgt i32 %sub.2, 0
  %chosen.1 = select i1 %is.1, i32 16, i32 0
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %at.6, ptr addrspace(1) %at.7, i32 %chosen.1)
  %is.2 = icmp sgt i32 %sub.2, 16
  %chosen.2 = select i1 %is.2, i32 16, i32 0
  %at.8 = getelementptr i8, ptr addrspace(3) %at.6, i32 2048
  %at.9 = getelementptr i8, ptr addrspace(1) %at.7, i32 2048
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %at.8, ptr addrspace(1) %at.9, i32 %chosen.2)
  %is.3 = icmp sgt i32 %sub.2, 32
  %chosen.3 = select i1 %is.3, i32 16, i32 0
  %at.10 = getelementptr i8, ptr addrspace(3) %at.6, i32 4096
  %at.11 = getelementptr i8, ptr addrspace(1) %at.7, i32 4096
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %at.10, ptr addrspace(1) %at.11, i32 %chosen.3)
  %is.4 = icmp sgt i32 %sub.2, 48
  %chosen.4 = select i1 %is.4, i32 16, i32 0
  %at.12 = getelementptr i8, ptr addrspace(3) %at.6, i32 6144
  %at.13 = getelementptr i8, ptr addrspace(1) %at.7, i32 6144
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %at.12, ptr addrspace(1) %at.13, i32 %chosen.4)
  %add.4 = add i32 %chunk, 8192
  %at.14 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.4
  %at.15 = getelementptr i8, ptr addrspace(1) %at.2, i64 %wide.4
  %sub.3 = sub i32 %length, %shr.2
  %is.5 = icmp sgt i32 %sub.3, 0
  %chosen.5 = select i1 %is.5, i32 16, i32 0
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %at.14, ptr addrspace(1) %at.15, i32 %chosen.5)
  call void @llvm.nvvm.cp.async.commit.group()
  %add.5 = add i32 %chunk, 12288
  %at.16 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.5
  %at.17 = getelementptr i8, ptr addrspace(1) %at.3, i64 %wide.4
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %at.16, ptr addrspace(1) %at.17, i32 %chosen.5)
  call void @llvm.nvvm.cp.async.commit.group()
  %and.4 = and i32 %lane, 15
  %shr.3 = lshr i32 %lane, 4
  %and.5 = and i32 %lane, 7
  %shl.3 = shl i32 %shr.3, 3
  %add.6 = add i32 %and.5, %shl.3
  %shr.4 = lshr i32 %lane, 3
  %and.6 = and i32 %shr.4, 1
  %mul.6 = mul i32 %warp, 16
  %add.7 = add i32 %mul.6, %and.4
  %mul.7 = mul i32 %add.7, 128
  %and.7 = and i32 %and.4, 7
  %xor.2 = xor i32 %shr.3, %and.7
  %shl.4 = shl i32 %xor.2, 4
  %add.8 = add i32 %shr.3, 2
  %xor.3 = xor i32 %add.8, %and.7
  %shl.5 = shl i32 %xor.3, 4
  %add.9 = add i32 %shr.3, 4
  %xor.4 = xor i32 %add.9, %and.7
  %shl.6 = shl i32 %xor.4, 4
  %add.10 = add i32 %shr.3, 6
  %xor.5 = xor i32 %add.10, %and.7
  %shl.7 = shl i32 %xor.5, 4
  %xor.6 = xor i32 %and.6, %and.5
  %shl.8 = shl i32 %xor.6, 4
  %add.11 = add i32 %and.6, 2
  %xor.7 = xor i32 %add.11, %and.5
  %shl.9 = shl i32 %xor.7, 4
  %add.12 = add i32 %and.6, 4
  %xor.8 = xor i32 %add.12, %and.5
  %shl.10 = shl i32 %xor.8, 4
  %add.13 = add i32 %and.6, 6
  %xor.9 = xor i32 %add.13, %and.5
  %shl.11 = shl i32 %xor.9, 4
  %mul.8 = mul i32 %add.6, 128
  %mul.9 = mul i32 %and.4, 128
  %shr.5 = lshr i32 %lane, 2
  br label %tile.head

tile.head:
  %index = phi i32 [ %add.14, %output ], [ 0, %entry ]
  %phi.2 = phi float [ %product9.0, %output ], [ 0.000000e+00, %entry ]
  %phi.3 = phi float [ %product9.1, %output ], [ 0.000000e+00, %entry ]
  %phi.4 = phi float [ %product9.2, %output ], [ 0.000000e+00, %entry ]
  %phi.5 = phi float [ %product9.3, %output ], [ 0.000000e+00, %entry ]
  %phi.6 = phi float [ %product10.0, %output ], [ 0.000000e+00, %entry ]
  %phi.7 = phi float [ %product10.1, %output ], [ 0.000000e+00, %entry ]
  %phi.8 = phi float [ %product10.2, %output ], [ 0.000000e+00, %entry ]
  %phi.9 = phi float [ %product10.3, %output ], [ 0.000000e+00, %entry ]
  %phi.10 = phi float [ %product11.0, %output ], [ 0.000000e+00, %entry ]
  %phi.11 = phi float [ %product11.1, %output ], [ 0.000000e+00, %entry ]
  %phi.12 = phi float [ %product11.2, %output ], [ 0.000000e+00, %entry ]
  %phi.13 = phi float [ %product11.3, %output ], [ 0.000000e+00, %entry ]
  %phi.14 = phi float [ %product12.0, %output ], [ 0.000000e+00, %entry ]
  %phi.15 = phi float [ %product12.1, %output ], [ 0.000000e+00, %entry ]
  %phi.16 = phi float [ %product12.2, %output ], [ 0.000000e+00, %entry ]
  %phi.17 = phi float [ %product12.3, %output ], [ 0.000000e+00, %entry ]
  %phi.18 = phi float [ %product13.0, %output ], [ 0.000000e+00, %entry ]
  %phi.19 = phi float [ %product13.1, %output ], [ 0.000000e+00, %entry ]
  %phi.20 = phi float [ %product13.2, %output ], [ 0.000000e+00, %entry ]
  %phi.21 = phi float [ %product13.3, %output ], [ 0.000000e+00, %entry ]
  %phi.22 = phi float [ %product14.0, %output ], [ 0.000000e+00, %entry ]
  %phi.23 = phi float [ %product14.1, %output ], [ 0.000000e+00, %entry ]
  %phi.24 = phi float [ %product14.2, %output ], [ 0.000000e+00, %entry ]
  %phi.25 = phi float [ %product14.3, %output ], [ 0.000000e+00, %entry ]
  %phi.26 = phi float [ %product15.0, %output ], [ 0.000000e+00, %entry ]
  %phi.27 = phi float [ %product15.1, %output ], [ 0.000000e+00, %entry ]
  %phi.28 = phi float [ %product15.2, %output ], [ 0.000000e+00, %entry ]
  %phi.29 = phi float [ %product15.3, %output ], [ 0.000000e+00, %entry ]
  %phi.30 = phi float [ %product16.0, %output ], [ 0.000000e+00, %entry ]
  %phi.31 = phi float [ %product16.1, %output ], [ 0.000000e+00, %entry ]
  %phi.32 = phi float [ %product16.2, %output ], [ 0.000000e+00, %entry ]
  %phi.33 = phi float [ %product16.3, %output ], [ 0.000000e+00, %entry ]
  %phi.34 = phi float [ %max.6, %output ], [ 0xFFF0000000000000, %entry ]
  %phi.35 = phi float [ %max.12, %output ], [ 0xFFF0000000000000, %entry ]
  %phi.36 = phi float [ %shifted.5, %output ], [ 0.000000e+00, %entry ]
  %phi.37 = phi float [ %shifted.10, %output ], [ 0.000000e+00, %entry ]
  %is.6 = icmp slt i32 %index, %tiles
  br i1 %is.6, label %tile, label %store

tile:
  ; All but the newest group, which is V, have arrived: K and, at first, Q.
  %stage = and i32 %index, 1
  %mul.10 = mul i32 %stage, 2048
  %xor.10 = xor i32 %stage, 1
  %mul.11 = mul i32 %xor.10, 2048
  %add.14 = add i32 %index, 1
  %hasNext = icmp ult i32 %add.14, %tiles
  call void @llvm.nvvm.cp.async.wait.group(i32 1)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %hasNext, label %copy.k, label %softmax

copy.k:
  ; The next K, into the other stage.
  %mul.12 = mul i32 %add.14, 2048
  %wide.5 = zext i32 %mul.12 to i64
  %at.18 = getelementptr i8, ptr addrspace(1) %at.2, i64 %wide.5
  %add.15 = add i32 %mul.11, 8192
  %mul.13 = mul i32 %add.14, 16
  %add.16 = add i32 %add.15, %chunk
  %at.19 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.16
  %at.20 = getelementptr i8, ptr addrspace(1) %at.18, i64 %wide.4
  %sub.4 = sub i32 %length, %mul.13
  %sub.5 = sub i32 %sub.4, %shr.2
  %is.8 = icmp sgt i32 %sub.5, 0
  %chosen.6 = select i1 %is.8, i32 16, i32 0
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %at.19, ptr addrspace(1) %at.20, i32 %chosen.6)
  br label %softmax

softmax:
  ; S = Q K^T; mask the keys beyond the length; maxima, exponentials and sums of rows.
  call void @llvm.nvvm.cp.async.commit.group()
  %add.17 = add i32 %mul.10, 8192
  %add.18 = add i32 %add.17, %mul.8
  %add.19 = add i32 %mul.7, %shl.4
  %at.21 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.19
  %fragment.1 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %at.21)
  %fragment1.0 = extractvalue %i32x4 %fragment.1, 0
  %fragment1.1 = extractvalue %i32x4 %fragment.1, 1
  %fragment1.2 = extractvalue %i32x4 %fragment.1, 2
  %fragment1.3 = extractvalue %i32x4 %fragment.1, 3
  %bits.1 = bitcast i32 %fragment1.0 to <2 x half>
  %bits.2 = bitcast i32 %fragment1.1 to <2 x half>
  %bits.3 = bitcast i32 %fragment1.2 to <2 x half>
  %bits.4 = bitcast i32 %fragment1.3 to <2 x half>
  %add.20 = add i32 %add.18, %shl.8
  %at.22 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.20
  %fragment.2 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %at.22)
  %fragment2.0 = extractvalue %i32x4 %fragment.2, 0
  %fragment2.1 = extractvalue %i32x4 %fragment.2, 1
  %fragment2.2 = extractvalue %i32x4 %fragment.2, 2
  %fragment2.3 = extractvalue %i32x4 %fragment.2, 3
  %bits.5 = bitcast i32 %fragment2.0 to <2 x half>
  %bits.6 = bitcast i32 %fragment2.1 to <2 x half>
  %bits.7 = bitcast i32 %fragment2.2 to <2 x half>
  %bits.8 = bitcast i32 %fragment2.3 to <2 x half>
  %product.1 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %bits.1, <2 x half> %bits.2, <2 x half> %bits.3, <2 x half> %bits.4, <2 x half> %bits.5, <2 x half> %bits.6, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00)
  %product1.0 = extractvalue %f32x4 %product.1, 0
  %product1.1 = extractvalue %f32x4 %product.1, 1
  %product1.2 = extractvalue %f32x4 %product.1, 2
  %product1.3 = extractvalue %f32x4 %product.1, 3
  %product.2 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %bits.1, <2 x half> %bits.2, <2 x half> %bits.3, <2 x half> %bits.4, <2 x half> %bits.7, <2 x half> %bits.8, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00)
  %product2.0 = extractvalue %f32x4 %product.2, 0
  %product2.1 = extractvalue %f32x4 %product.2, 1
  %product2.2 = extractvalue %f32x4 %product.2, 2
  %product2.3 = extractvalue %f32x4 %product.2, 3
  %add.21 = add i32 %mul.7, %shl.5
  %at.23 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.21
  %fragment.3 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %at.23)
  %fragment3.0 = extractvalue %i32x4 %fragment.3, 0
  %fragment3.1 = extractvalue %i32x4 %fragment.3, 1
  %fragment3.2 = extractvalue %i32x4 %fragment.3, 2
  %fragment3.3 = extractvalue %i32x4 %fragment.3, 3
  %bits.9 = bitcast i32 %fragment3.0 to <2 x half>
  %bits.10 = bitcast i32 %fragment3.1 to <2 x half>
  %bits.11 = bitcast i32 %fragment3.2 to <2 x half>
  %bits.12 = bitcast i32 %fragment3.3 to <2 x half>
  %add.22 = add i32 %add.18, %shl.9
  %at.24 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.22
  %fragment.4 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %at.24)
  %fragment4.0 = extractvalue %i32x4 %fragment.4, 0
  %fragment4.1 = extractvalue %i32x4 %fragment.4, 1
  %fragment4.2 = extractvalue %i32x4 %fragment.4, 2
  %fragment4.3 = extractvalue %i32x4 %fragment.4, 3
  %bits.13 = bitcast i32 %fragment4.0 to <2 x half>
  %bits.14 = bitcast i32 %fragment4.1 to <2 x half>
  %bits.15 = bitcast i32 %fragment4.2 to <2 x half>
  %bits.16 = bitcast i32 %fragment4.3 to <2 x half>
  %product.3 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %bits.9, <2 x half> %bits.10, <2 x half> %bits.11, <2 x half> %bits.12, <2 x half> %bits.13, <2 x half> %bits.14, float %product1.0, float %product1.1, float %product1.2, float %product1.3)
  %product3.0 = extractvalue %f32x4 %product.3, 0
  %product3.1 = extractvalue %f32x4 %product.3, 1
  %product3.2 = extractvalue %f32x4 %product.3, 2
  %product3.3 = extractvalue %f32x4 %product.3, 3
  %product.4 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %bits.9, <2 x half> %bits.10, <2 x half> %bits.11, <2 x half> %bits.12, <2 x half> %bits.15, <2 x half> %bits.16, float %product2.0, float %product2.1, float %product2.2, float %product2.3)
  %product4.0 = extractvalue %f32x4 %product.4, 0
  %product4.1 = extractvalue %f32x4 %product.4, 1
  %product4.2 = extractvalue %f32x4 %product.4, 2
  %product4.3 = extractvalue %f32x4 %product.4, 3
  %add.23 = add i32 %mul.7, %shl.6
  %at.25 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.23
  %fragment.5 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %at.25)
  %fragment5.0 = extractvalue %i32x4 %fragment.5, 0
  %fragment5.1 = extractvalue %i32x4 %fragment.5, 1
  %fragment5.2 = extractvalue %i32x4 %fragment.5, 2
  %fragment5.3 = extractvalue %i32x4 %fragment.5, 3
  %bits.17 = bitcast i32 %fragment5.0 to <2 x half>
  %bits.18 = bitcast i32 %fragment5.1 to <2 x half>
  %bits.19 = bitcast i32 %fragment5.2 to <2 x half>
  %bits.20 = bitcast i32 %fragment5.3 to <2 x half>
  %add.24 = add i32 %add.18, %shl.10
  %at.26 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.24
  %fragment.6 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %at.26)
  %fragment6.0 = extractvalue %i32x4 %fragment.6, 0
  %fragment6.1 = extractvalue %i32x4 %fragment.6, 1
  %fragment6.2 = extractvalue %i32x4 %fragment.6, 2
  %fragment6.3 = extractvalue %i32x4 %fragment.6, 3
  %bits.21 = bitcast i32 %fragment6.0 to <2 x half>
  %bits.22 = bitcast i32 %fragment6.1 to <2 x half>
  %bits.23 = bitcast i32 %fragment6.2 to <2 x half>
  %bits.24 = bitcast i32 %fragment6.3 to <2 x half>
  %product.5 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %bits.17, <2 x half> %bits.18, <2 x half> %bits.19, <2 x half> %bits.20, <2 x half> %bits.21, <2 x half> %bits.22, float %product3.0, float %product3.1, float %product3.2, float %product3.3)
  %product5.0 = extractvalue %f32x4 %product.5, 0
  %product5.1 = extractvalue %f32x4 %product.5, 1
  %product5.2 = extractvalue %f32x4 %product.5, 2
  %product5.3 = extractvalue %f32x4 %product.5, 3
  %product.6 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %bits.17, <2 x half> %bits.18, <2 x half> %bits.19, <2 x half> %bits.20, <2 x half> %bits.23, <2 x half> %bits.24, float %product4.0, float %product4.1, float %product4.2, float %product4.3)
  %product6.0 = extractvalue %f32x4 %product.6, 0
  %product6.1 = extractvalue %f32x4 %product.6, 1
  %product6.2 = extractvalue %f32x4 %product.6, 2
  %product6.3 = extractvalue %f32x4 %product.6, 3
  %add.25 = add i32 %mul.7, %shl.7
  %at.27 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.25
  %fragment.7 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %at.27)
  %fragment7.0 = extractvalue %i32x4 %fragment.7, 0
  %fragment7.1 = extractvalue %i32x4 %fragment.7, 1
  %fragment7.2 = extractvalue %i32x4 %fragment.7, 2
  %fragment7.3 = extractvalue %i32x4 %fragment.7, 3
  %bits.25 = bitcast i32 %fragment7.0 to <2 x half>
  %bits.26 = bitcast i32 %fragment7.1 to <2 x half>
  %bits.27 = bitcast i32 %fragment7.2 to <2 x half>
  %bits.28 = bitcast i32 %fragment7.3 to <2 x half>
  %add.26 = add i32 %add.18, %shl.11
  %at.28 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.26
  %fragment.8 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %at.28)
  %fragment8.0 = extractvalue %i32x4 %fragment.8, 0
  %fragment8.1 = extractvalue %i32x4 %fragment.8, 1
  %fragment8.2 = extractvalue %i32x4 %fragment.8, 2
  %fragment8.3 = extractvalue %i32x4 %fragment.8, 3
  %bits.29 = bitcast i32 %fragment8.0 to <2 x half>
  %bits.30 = bitcast i32 %fragment8.1 to <2 x half>
  %bits.31 = bitcast i32 %fragment8.2 to <2 x half>
  %bits.32 = bitcast i32 %fragment8.3 to <2 x half>
  %product.7 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %bits.25, <2 x half> %bits.26, <2 x half> %bits.27, <2 x half> %bits.28, <2 x half> %bits.29, <2 x half> %bits.30, float %product5.0, float %product5.1, float %product5.2, float %product5.3)
  %product7.0 = extractvalue %f32x4 %product.7, 0
  %product7.1 = extractvalue %f32x4 %product.7, 1
  %product7.2 = extractvalue %f32x4 %product.7, 2
  %product7.3 = extractvalue %f32x4 %product.7, 3
  %product.8 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %bits.25, <2 x half> %bits.26, <2 x half> %bits.27, <2 x half> %bits.28, <2 x half> %bits.31, <2 x half> %bits.32, float %product6.0, float %product6.1, float %product6.2, float %product6.3)
  %product8.0 = extractvalue %f32x4 %product.8, 0
  %product8.1 = extractvalue %f32x4 %product.8, 1
  %product8.2 = extractvalue %f32x4 %product.8, 2
  %product8.3 = extractvalue %f32x4 %product.8, 3
  %mul.14 = mul i32 %index, 16
  %and.9 = and i32 %lane, 3
  %shl.12 = shl i32 %and.9, 1
  %add.27 = add i32 %mul.14, %shl.12
  %sub.6 = sub i32 %length, %add.27
  %is.9 = icmp sgt i32 %sub.6, 0
  %chosen.7 = select i1 %is.9, float %product7.0, float 0xFFF0000000000000
  %chosen.8 = select i1 %is.9, float %product7.2, float 0xFFF0000000000000
  %is.10 = icmp sgt i32 %sub.6, 1
  %chosen.9 = select i1 %is.10, float %product7.1, float 0xFFF0000000000000
  %chosen.10 = select i1 %is.10, float %product7.3, float 0xFFF0000000000000
  %is.11 = icmp sgt i32 %sub.6, 8
  %chosen.11 = select i1 %is.11, float %product8.0, float 0xFFF0000000000000
  %chosen.12 = select i1 %is.11, float %product8.2, float 0xFFF0000000000000
  %is.12 = icmp sgt i32 %sub.6, 9
  %chosen.13 = select i1 %is.12, float %product8.1, float 0xFFF0000000000000
  %chosen.14 = select i1 %is.12, float %product8.3, float 0xFFF0000000000000
  %max.1 = call float @llvm.maxnum.f32(float %chosen.7, float %chosen.9)
  %max.2 = call float @llvm.maxnum.f32(float %max.1, float %chosen.11)
  %max.3 = call float @llvm.maxnum.f32(float %max.2, float %chosen.13)
  %shuffled.1 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %max.3, i32 1, i32 31)
  %max.4 = call float @llvm.maxnum.f32(float %max.3, float %shuffled.1)
  %shuffled.2 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %max.4, i32 2, i32 31)
  %max.5 = call float @llvm.maxnum.f32(float %max.4, float %shuffled.2)
  %max.6 = call float @llvm.maxnum.f32(float %phi.34, float %max.5)
  %difference.1 = fsub contract float %phi.34, %max.6
  %scaled.1 = fmul contract float %difference.1, %scale
  %exp.1 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %scaled.1)
  %negated.1 = fneg float %max.6
  %scaled.2 = fmul contract float %negated.1, %scale
  %shifted.1 = call float @llvm.fma.f32(float %chosen.7, float %scale, float %scaled.2)
  %exp.2 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %shifted.1)
  %shifted.2 = call float @llvm.fma.f32(float %chosen.9, float %scale, float %scaled.2)
  %exp.3 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %shifted.2)
  %sum.1 = fadd contract float %exp.2, %exp.3
  %shifted.3 = call float @llvm.fma.f32(float %chosen.11, float %scale, float %scaled.2)
  %exp.4 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %shifted.3)
  %sum.2 = fadd contract float %sum.1, %exp.4
  %shifted.4 = call float @llvm.fma.f32(float %chosen.13, float %scale, float %scaled.2)
  %exp.5 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %shifted.4)
  %sum.3 = fadd contract float %sum.2, %exp.5
  %shifted.5 = call float @llvm.fma.f32(float %phi.36, float %exp.1, float %sum.3)
  %max.7 = call float @llvm.maxnum.f32(float %chosen.8, float %chosen.10)
  %max.8 = call float @llvm.maxnum.f32(float %max.7, float %chosen.12)
  %max.9 = call float @llvm.maxnum.f32(float %max.8, float %chosen.14)
  %shuffled.3 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %max.9, i32 1, i32 31)
  %max.10 = call float @llvm.maxnum.f32(float %max.9, float %shuffled.3)
  %shuffled.4 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %max.10, i32 2, i32 31)
  %max.11 = call float @llvm.maxnum.f32(float %max.10, float %shuffled.4)
  %max.12 = call float @llvm.maxnum.f32(float %phi.35, float %max.11)
  %difference.2 = fsub contract float %phi.35, %max.12
  %scaled.3 = fmul contract float %difference.2, %scale
  %exp.6 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %scaled.3)
  %negated.2 = fneg float %max.12
  %scaled.4 = fmul contract float %negated.2, %scale
  %shifted.6 = call float @llvm.fma.f32(float %chosen.8, float %scale, float %scaled.4)
  %exp.7 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %shifted.6)
  %shifted.7 = call float @llvm.fma.f32(float %chosen.10, float %scale, float %scaled.4)
  %exp.8 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %shifted.7)
  %sum.4 = fadd contract float %exp.7, %exp.8
  %shifted.8 = call float @llvm.fma.f32(float %chosen.12, float %scale, float %scaled.4)
  %exp.9 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %shifted.8)
  %sum.5 = fadd contract float %sum.4, %exp.9
  %shifted.9 = call float @llvm.fma.f32(float %chosen.14, float %scale, float %scaled.4)
  %exp.10 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %shifted.9)
  %sum.6 = fadd contract float %sum.5, %exp.10
  %shifted.10 = call float @llvm.fma.f32(float %phi.37, float %exp.6, float %sum.6)
  %pair.1 = insertelement <2 x float> undef, float %exp.2, i32 0
  %pair.2 = insertelement <2 x float> %pair.1, float %exp.3, i32 1
  %packed.1 = fptrunc <2 x float> %pair.2 to <2 x half>
  %pair.3 = insertelement <2 x float> undef, float %exp.7, i32 0
  %pair.4 = insertelement <2 x float> %pair.3, float %exp.8, i32 1
  %packed.2 = fptrunc <2 x float> %pair.4 to <2 x half>
  %pair.5 = insertelement <2 x float> undef, float %exp.4, i32 0
  %pair.6 = insertelement <2 x float> %pair.5, float %exp.5, i32 1
  %packed.3 = fptrunc <2 x float> %pair.6 to <2 x half>
  %pair.7 = insertelement <2 x float> undef, float %exp.9, i32 0
  %pair.8 = insertelement <2 x float> %pair.7, float %exp.10, i32 1
  %packed.4 = fptrunc <2 x float> %pair.8 to <2 x half>
  %scaled.5 = fmul contract float %phi.2, %exp.1
  %scaled.6 = fmul contract float %phi.3, %exp.1
  %scaled.7 = fmul contract float %phi.4, %exp.6
  %scaled.8 = fmul contract float %phi.5, %exp.6
  %scaled.9 = fmul contract float %phi.6, %exp.1
  %scaled.10 = fmul contract float %phi.7, %exp.1
  %scaled.11 = fmul contract float %phi.8, %exp.6
  %scaled.12 = fmul contract float %phi.9, %exp.6
  %scaled.13 = fmul contract float %phi.10, %exp.1
  %scaled.14 = fmul contract float %phi.11, %exp.1
  %scaled.15 = fmul contract float %phi.12, %exp.6
  %scaled.16 = fmul contract float %phi.13, %exp.6
  %scaled.17 = fmul contract float %phi.14, %exp.1
  %scaled.18 = fmul contract float %phi.15, %exp.1
  %scaled.19 = fmul contract float %phi.16, %exp.6
  %scaled.20 = fmul contract float %phi.17, %exp.6
  %scaled.21 = fmul contract float %phi.18, %exp.1
  %scaled.22 = fmul contract float %phi.19, %exp.1
  %scaled.23 = fmul contract float %phi.20, %exp.6
  %scaled.24 = fmul contract float %phi.21, %exp.6
  %scaled.25 = fmul contract float %phi.22, %exp.1
  %scaled.26 = fmul contract float %phi.23, %exp.1
  %scaled.27 = fmul contract float %phi.24, %exp.6
  %scaled.28 = fmul contract float %phi.25, %exp.6
  %scaled.29 = fmul contract float %phi.26, %exp.1
  %scaled.30 = fmul contract float %phi.27, %exp.1
  %scaled.31 = fmul contract float %phi.28, %exp.6
  %scaled.32 = fmul contract float %phi.29, %exp.6
  %scaled.33 = fmul contract float %phi.30, %exp.1
  %scaled.34 = fmul contract float %phi.31, %exp.1
  %scaled.35 = fmul contract float %phi.32, %exp.6
  %scaled.36 = fmul contract float %phi.33, %exp.6
  call void @llvm.nvvm.cp.async.wait.group(i32 1)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %hasNext, label %copy.v, label %output

copy.v:
  ; The next V, into the other stage.
  %mul.15 = mul i32 %add.14, 2048
  %wide.6 = zext i32 %mul.15 to i64
  %at.29 = getelementptr i8, ptr addrspace(1) %at.3, i64 %wide.6
  %add.28 = add i32 %mul.11, 12288
  %mul.16 = mul i32 %add.14, 16
  %add.29 = add i32 %add.28, %chunk
  %at.30 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.29
  %at.31 = getelementptr i8, ptr addrspace(1) %at.29, i64 %wide.4
  %sub.7 = sub i32 %length, %mul.16
  %sub.8 = sub i32 %sub.7, %shr.2
  %is.13 = icmp sgt i32 %sub.8, 0
  %chosen.15 = select i1 %is.13, i32 16, i32 0
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %at.30, ptr addrspace(1) %at.31, i32 %chosen.15)
  br label %output

output:
  ; O += P V.
  call void @llvm.nvvm.cp.async.commit.group()
  %add.30 = add i32 %mul.10, 12288
  %add.31 = add i32 %add.30, %mul.9
  %add.32 = add i32 %add.31, %shl.4
  %at.32 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.32
  %fragment.9 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %at.32)
  %fragment9.0 = extractvalue %i32x4 %fragment.9, 0
  %fragment9.1 = extractvalue %i32x4 %fragment.9, 1
  %fragment9.2 = extractvalue %i32x4 %fragment.9, 2
  %fragment9.3 = extractvalue %i32x4 %fragment.9, 3
  %bits.33 = bitcast i32 %fragment9.0 to <2 x half>
  %bits.34 = bitcast i32 %fragment9.1 to <2 x half>
  %bits.35 = bitcast i32 %fragment9.2 to <2 x half>
  %bits.36 = bitcast i32 %fragment9.3 to <2 x half>
  %product.9 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %packed.1, <2 x half> %packed.2, <2 x half> %packed.3, <2 x half> %packed.4, <2 x half> %bits.33, <2 x half> %bits.34, float %scaled.5, float %scaled.6, float %scaled.7, float %scaled.8)
  %product9.0 = extractvalue %f32x4 %product.9, 0
  %product9.1 = extractvalue %f32x4 %product.9, 1
  %product9.2 = extractvalue %f32x4 %product.9, 2
  %product9.3 = extractvalue %f32x4 %product.9, 3
  %product.10 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %packed.1, <2 x half> %packed.2, <2 x half> %packed.3, <2 x half> %packed.4, <2 x half> %bits.35, <2 x half> %bits.36, float %scaled.9, float %scaled.10, float %scaled.11, float %scaled.12)
  %product10.0 = extractvalue %f32x4 %product.10, 0
  %product10.1 = extractvalue %f32x4 %product.10, 1
  %product10.2 = extractvalue %f32x4 %product.10, 2
  %product10.3 = extractvalue %f32x4 %product.10, 3
  %add.33 = add i32 %add.31, %shl.5
  %at.33 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.33
  %fragment.10 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %at.33)
  %fragment10.0 = extractvalue %i32x4 %fragment.10, 0
  %fragment10.1 = extractvalue %i32x4 %fragment.10, 1
  %fragment10.2 = extractvalue %i32x4 %fragment.10, 2
  %fragment10.3 = extractvalue %i32x4 %fragment.10, 3
  %bits.37 = bitcast i32 %fragment10.0 to <2 x half>
  %bits.38 = bitcast i32 %fragment10.1 to <2 x half>
  %bits.39 = bitcast i32 %fragment10.2 to <2 x half>
  %bits.40 = bitcast i32 %fragment10.3 to <2 x half>
  %product.11 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %packed.1, <2 x half> %packed.2, <2 x half> %packed.3, <2 x half> %packed.4, <2 x half> %bits.37, <2 x half> %bits.38, float %scaled.13, float %scaled.14, float %scaled.15, float %scaled.16)
  %product11.0 = extractvalue %f32x4 %product.11, 0
  %product11.1 = extractvalue %f32x4 %product.11, 1
  %product11.2 = extractvalue %f32x4 %product.11, 2
  %product11.3 = extractvalue %f32x4 %product.11, 3
  %product.12 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %packed.1, <2 x half> %packed.2, <2 x half> %packed.3, <2 x half> %packed.4, <2 x half> %bits.39, <2 x half> %bits.40, float %scaled.17, float %scaled.18, float %scaled.19, float %scaled.20)
  %product12.0 = extractvalue %f32x4 %product.12, 0
  %product12.1 = extractvalue %f32x4 %product.12, 1
  %product12.2 = extractvalue %f32x4 %product.12, 2
  %product12.3 = extractvalue %f32x4 %product.12, 3
  %add.34 = add i32 %add.31, %shl.6
  %at.34 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.34
  %fragment.11 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %at.34)
  %fragment11.0 = extractvalue %i32x4 %fragment.11, 0
  %fragment11.1 = extractvalue %i32x4 %fragment.11, 1
  %fragment11.2 = extractvalue %i32x4 %fragment.11, 2
  %fragment11.3 = extractvalue %i32x4 %fragment.11, 3
  %bits.41 = bitcast i32 %fragment11.0 to <2 x half>
  %bits.42 = bitcast i32 %fragment11.1 to <2 x half>
  %bits.43 = bitcast i32 %fragment11.2 to <2 x half>
  %bits.44 = bitcast i32 %fragment11.3 to <2 x half>
  %product.13 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %packed.1, <2 x half> %packed.2, <2 x half> %packed.3, <2 x half> %packed.4, <2 x half> %bits.41, <2 x half> %bits.42, float %scaled.21, float %scaled.22, float %scaled.23, float %scaled.24)
  %product13.0 = extractvalue %f32x4 %product.13, 0
  %product13.1 = extractvalue %f32x4 %product.13, 1
  %product13.2 = extractvalue %f32x4 %product.13, 2
  %product13.3 = extractvalue %f32x4 %product.13, 3
  %product.14 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %packed.1, <2 x half> %packed.2, <2 x half> %packed.3, <2 x half> %packed.4, <2 x half> %bits.43, <2 x half> %bits.44, float %scaled.25, float %scaled.26, float %scaled.27, float %scaled.28)
  %product14.0 = extractvalue %f32x4 %product.14, 0
  %product14.1 = extractvalue %f32x4 %product.14, 1
  %product14.2 = extractvalue %f32x4 %product.14, 2
  %product14.3 = extractvalue %f32x4 %product.14, 3
  %add.35 = add i32 %add.31, %shl.7
  %at.35 = getelementptr i8, ptr addrspace(3) @memory, i32 %add.35
  %fragment.12 = call %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %at.35)
  %fragment12.0 = extractvalue %i32x4 %fragment.12, 0
  %fragment12.1 = extractvalue %i32x4 %fragment.12, 1
  %fragment12.2 = extractvalue %i32x4 %fragment.12, 2
  %fragment12.3 = extractvalue %i32x4 %fragment.12, 3
  %bits.45 = bitcast i32 %fragment12.0 to <2 x half>
  %bits.46 = bitcast i32 %fragment12.1 to <2 x half>
  %bits.47 = bitcast i32 %fragment12.2 to <2 x half>
  %bits.48 = bitcast i32 %fragment12.3 to <2 x half>
  %product.15 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %packed.1, <2 x half> %packed.2, <2 x half> %packed.3, <2 x half> %packed.4, <2 x half> %bits.45, <2 x half> %bits.46, float %scaled.29, float %scaled.30, float %scaled.31, float %scaled.32)
  %product15.0 = extractvalue %f32x4 %product.15, 0
  %product15.1 = extractvalue %f32x4 %product.15, 1
  %product15.2 = extractvalue %f32x4 %product.15, 2
  %product15.3 = extractvalue %f32x4 %product.15, 3
  %product.16 = call %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %packed.1, <2 x half> %packed.2, <2 x half> %packed.3, <2 x half> %packed.4, <2 x half> %bits.47, <2 x half> %bits.48, float %scaled.33, float %scaled.34, float %scaled.35, float %scaled.36)
  %product16.0 = extractvalue %f32x4 %product.16, 0
  %product16.1 = extractvalue %f32x4 %product.16, 1
  %product16.2 = extractvalue %f32x4 %product.16, 2
  %product16.3 = extractvalue %f32x4 %product.16, 3
  br label %tile.head

store:
  ; Divide by the sums of rows, and store the rows below the length.
  %shuffled.5 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %phi.36, i32 1, i32 31)
  %sum.7 = fadd contract float %phi.36, %shuffled.5
  %shuffled.6 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %sum.7, i32 2, i32 31)
  %sum.8 = fadd contract float %sum.7, %shuffled.6
  %inverse.1 = call float @llvm.nvvm.rcp.approx.ftz.f(float %sum.8)
  %shuffled.7 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %phi.37, i32 1, i32 31)
  %sum.9 = fadd contract float %phi.37, %shuffled.7
  %shuffled.8 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %sum.9, i32 2, i32 31)
  %sum.10 = fadd contract float %sum.9, %shuffled.8
  %inverse.2 = call float @llvm.nvvm.rcp.approx.ftz.f(float %sum.10)
  %add.36 = add i32 %query, %mul.6
  %add.37 = add i32 %add.36, %shr.5
  %mul.17 = mul i32 %add.37, 128
  %and.10 = and i32 %lane, 3
  %shl.13 = shl i32 %and.10, 2
  %add.38 = add i32 %mul.17, %shl.13
  %wide.7 = zext i32 %add.38 to i64
  %at.36 = getelementptr i8, ptr addrspace(1) %at.4, i64 %wide.7
  %is.14 = icmp ult i32 %add.37, %length
  br i1 %is.14, label %store.low, label %store.low.end

store.low:
  %scaled.37 = fmul contract float %phi.2, %inverse.1
  %scaled.38 = fmul contract float %phi.3, %inverse.1
  %pair.9 = insertelement <2 x float> undef, float %scaled.37, i32 0
  %pair.10 = insertelement <2 x float> %pair.9, float %scaled.38, i32 1
  %packed.5 = fptrunc <2 x float> %pair.10 to <2 x half>
  store <2 x half> %packed.5, ptr addrspace(1) %at.36, align 4
  %scaled.39 = fmul contract float %phi.6, %inverse.1
  %scaled.40 = fmul contract float %phi.7, %inverse.1
  %pair.11 = insertelement <2 x float> undef, float %scaled.39, i32 0
  %pair.12 = insertelement <2 x float> %pair.11, float %scaled.40, i32 1
  %packed.6 = fptrunc <2 x float> %pair.12 to <2 x half>
  %at.37 = getelementptr i8, ptr addrspace(1) %at.36, i32 16
  store <2 x half> %packed.6, ptr addrspace(1) %at.37, align 4
  %scaled.41 = fmul contract float %phi.10, %inverse.1
  %scaled.42 = fmul contract float %phi.11, %inverse.1
  %pair.13 = insertelement <2 x float> undef, float %scaled.41, i32 0
  %pair.14 = insertelement <2 x float> %pair.13, float %scaled.42, i32 1
  %packed.7 = fptrunc <2 x float> %pair.14 to <2 x half>
  %at.38 = getelementptr i8, ptr addrspace(1) %at.36, i32 32
  store <2 x half> %packed.7, ptr addrspace(1) %at.38, align 4
  %scaled.43 = fmul contract float %phi.14, %inverse.1
  %scaled.44 = fmul contract float %phi.15, %inverse.1
  %pair.15 = insertelement <2 x float> undef, float %scaled.43, i32 0
  %pair.16 = insertelement <2 x float> %pair.15, float %scaled.44, i32 1
  %packed.8 = fptrunc <2 x float> %pair.16 to <2 x half>
  %at.39 = getelementptr i8, ptr addrspace(1) %at.36, i32 48
  store <2 x half> %packed.8, ptr addrspace(1) %at.39, align 4
  %scaled.45 = fmul contract float %phi.18, %inverse.1
  %scaled.46 = fmul contract float %phi.19, %inverse.1
  %pair.17 = insertelement <2 x float> undef, float %scaled.45, i32 0
  %pair.18 = insertelement <2 x float> %pair.17, float %scaled.46, i32 1
  %packed.9 = fptrunc <2 x float> %pair.18 to <2 x half>
  %at.40 = getelementptr i8, ptr addrspace(1) %at.36, i32 64
  store <2 x half> %packed.9, ptr addrspace(1) %at.40, align 4
  %scaled.47 = fmul contract float %phi.22, %inverse.1
  %scaled.48 = fmul contract float %phi.23, %inverse.1
  %pair.19 = insertelement <2 x float> undef, float %scaled.47, i32 0
  %pair.20 = insertelement <2 x float> %pair.19, float %scaled.48, i32 1
  %packed.10 = fptrunc <2 x float> %pair.20 to <2 x half>
  %at.41 = getelementptr i8, ptr addrspace(1) %at.36, i32 80
  store <2 x half> %packed.10, ptr addrspace(1) %at.41, align 4
  %scaled.49 = fmul contract float %phi.26, %inverse.1
  %scaled.50 = fmul contract float %phi.27, %inverse.1
  %pair.21 = insertelement <2 x float> undef, float %scaled.49, i32 0
  %pair.22 = insertelement <2 x float> %pair.21, float %scaled.50, i32 1
  %packed.11 = fptrunc <2 x float> %pair.22 to <2 x half>
  %at.42 = getelementptr i8, ptr addrspace(1) %at.36, i32 96
  store <2 x half> %packed.11, ptr addrspace(1) %at.42, align 4
  %scaled.51 = fmul contract float %phi.30, %inverse.1
  %scaled.52 = fmul contract float %phi.31, %inverse.1
  %pair.23 = insertelement <2 x float> undef, float %scaled.51, i32 0
  %pair.24 = insertelement <2 x float> %pair.23, float %scaled.52, i32 1
  %packed.12 = fptrunc <2 x float> %pair.24 to <2 x half>
  %at.43 = getelementptr i8, ptr addrspace(1) %at.36, i32 112
  store <2 x half> %packed.12, ptr addrspace(1) %at.43, align 4
  br label %store.low.end

store.low.end:
  %add.39 = add i32 %shr.5, 8
  %add.40 = add i32 %add.36, %add.39
  %mul.18 = mul i32 %add.40, 128
  %add.41 = add i32 %mul.18, %shl.13
  %wide.8 = zext i32 %add.41 to i64
  %at.44 = getelementptr i8, ptr addrspace(1) %at.4, i64 %wide.8
  %is.15 = icmp ult i32 %add.40, %length
  br i1 %is.15, label %store.high, label %end

store.high:
  %scaled.53 = fmul contract float %phi.4, %inverse.2
  %scaled.54 = fmul contract float %phi.5, %inverse.2
  %pair.25 = insertelement <2 x float> undef, float %scaled.53, i32 0
  %pair.26 = insertelement <2 x float> %pair.25, float %scaled.54, i32 1
  %packed.13 = fptrunc <2 x float> %pair.26 to <2 x half>
  store <2 x half> %packed.13, ptr addrspace(1) %at.44, align 4
  %scaled.55 = fmul contract float %phi.8, %inverse.2
  %scaled.56 = fmul contract float %phi.9, %inverse.2
  %pair.27 = insertelement <2 x float> undef, float %scaled.55, i32 0
  %pair.28 = insertelement <2 x float> %pair.27, float %scaled.56, i32 1
  %packed.14 = fptrunc <2 x float> %pair.28 to <2 x half>
  %at.45 = getelementptr i8, ptr addrspace(1) %at.44, i32 16
  store <2 x half> %packed.14, ptr addrspace(1) %at.45, align 4
  %scaled.57 = fmul contract float %phi.12, %inverse.2
  %scaled.58 = fmul contract float %phi.13, %inverse.2
  %pair.29 = insertelement <2 x float> undef, float %scaled.57, i32 0
  %pair.30 = insertelement <2 x float> %pair.29, float %scaled.58, i32 1
  %packed.15 = fptrunc <2 x float> %pair.30 to <2 x half>
  %at.46 = getelementptr i8, ptr addrspace(1) %at.44, i32 32
  store <2 x half> %packed.15, ptr addrspace(1) %at.46, align 4
  %scaled.59 = fmul contract float %phi.16, %inverse.2
  %scaled.60 = fmul contract float %phi.17, %inverse.2
  %pair.31 = insertelement <2 x float> undef, float %scaled.59, i32 0
  %pair.32 = insertelement <2 x float> %pair.31, float %scaled.60, i32 1
  %packed.16 = fptrunc <2 x float> %pair.32 to <2 x half>
  %at.47 = getelementptr i8, ptr addrspace(1) %at.44, i32 48
  store <2 x half> %packed.16, ptr addrspace(1) %at.47, align 4
  %scaled.61 = fmul contract float %phi.20, %inverse.2
  %scaled.62 = fmul contract float %phi.21, %inverse.2
  %pair.33 = insertelement <2 x float> undef, float %scaled.61, i32 0
  %pair.34 = insertelement <2 x float> %pair.33, float %scaled.62, i32 1
  %packed.17 = fptrunc <2 x float> %pair.34 to <2 x half>
  %at.48 = getelementptr i8, ptr addrspace(1) %at.44, i32 64
  store <2 x half> %packed.17, ptr addrspace(1) %at.48, align 4
  %scaled.63 = fmul contract float %phi.24, %inverse.2
  %scaled.64 = fmul contract float %phi.25, %inverse.2
  %pair.35 = insertelement <2 x float> undef, float %scaled.63, i32 0
  %pair.36 = insertelement <2 x float> %pair.35, float %scaled.64, i32 1
  %packed.18 = fptrunc <2 x float> %pair.36 to <2 x half>
  %at.49 = getelementptr i8, ptr addrspace(1) %at.44, i32 80
  store <2 x half> %packed.18, ptr addrspace(1) %at.49, align 4
  %scaled.65 = fmul contract float %phi.28, %inverse.2
  %scaled.66 = fmul contract float %phi.29, %inverse.2
  %pair.37 = insertelement <2 x float> undef, float %scaled.65, i32 0
  %pair.38 = insertelement <2 x float> %pair.37, float %scaled.66, i32 1
  %packed.19 = fptrunc <2 x float> %pair.38 to <2 x half>
  %at.50 = getelementptr i8, ptr addrspace(1) %at.44, i32 96
  store <2 x half> %packed.19, ptr addrspace(1) %at.50, align 4
  %scaled.67 = fmul contract float %phi.32, %inverse.2
  %scaled.68 = fmul contract float %phi.33, %inverse.2
  %pair.39 = insertelement <2 x float> undef, float %scaled.67, i32 0
  %pair.40 = insertelement <2 x float> %pair.39, float %scaled.68, i32 1
  %packed.20 = fptrunc <2 x float> %pair.40 to <2 x half>
  %at.51 = getelementptr i8, ptr addrspace(1) %at.44, i32 112
  store <2 x half> %packed.20, ptr addrspace(1) %at.51, align 4
  br label %end

end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) noalias, ptr addrspace(1) noalias, i32)
declare void @llvm.nvvm.cp.async.commit.group()
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare float @llvm.nvvm.rcp.approx.ftz.f(float)
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) captures(none))
declare %f32x4 @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare %i32x4 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) captures(none))
