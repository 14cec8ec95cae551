; One warp multiplies a 16 x 16 tile of f16 by itself, columns 0 to 7.
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [512 x i8] undef, align 16

define ptx_kernel void @product(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bytes = shl i32 %lane, 4
  %from = getelementptr i8, ptr addrspace(1) %in, i32 %bytes
  %to = getelementptr i8, ptr addrspace(3) @tile, i32 %bytes
  %copied = load <8 x half>, ptr addrspace(1) %from, align 16
  store <8 x half> %copied, ptr addrspace(3) %to, align 16
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %row = and i32 %lane, 15
  %half = lshr i32 %lane, 4
  %rowBytes = shl i32 %row, 5
  %halfBytes = shl i32 %half, 4
  %offset = add i32 %rowBytes, %halfBytes
  %a.at = getelementptr i8, ptr addrspace(3) @tile, i32 %offset
  %a = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %a.at)
  %b.at = getelementptr i8, ptr addrspace(3) @tile, i32 %rowBytes
  %b = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %b.at)
  %a0 = extractvalue { i32, i32, i32, i32 } %a, 0
  %a1 = extractvalue { i32, i32, i32, i32 } %a, 1
  %a2 = extractvalue { i32, i32, i32, i32 } %a, 2
  %a3 = extractvalue { i32, i32, i32, i32 } %a, 3
  %b0 = extractvalue { i32, i32 } %b, 0
  %b1 = extractvalue { i32, i32 } %b, 1
  %a0v = bitcast i32 %a0 to <2 x half>
  %a1v = bitcast i32 %a1 to <2 x half>
  %a2v = bitcast i32 %a2 to <2 x half>
  %a3v = bitcast i32 %a3 to <2 x half>
  %b0v = bitcast i32 %b0 to <2 x half>
  %b1v = bitcast i32 %b1 to <2 x half>
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %a0v, <2 x half> %a1v, <2 x half> %a2v, <2 x half> %a3v, <2 x half> %b0v, <2 x half> %b1v, float 0.0, float 0.0, float 0.0, float 0.0)
  %d0 = extractvalue { float, float, float, float } %d, 0
  %d1 = extractvalue { float, float, float, float } %d, 1
  %d2 = extractvalue { float, float, float, float } %d, 2
  %d3 = extractvalue { float, float, float, float } %d, 3
  %group = lshr i32 %lane, 2
  %pair = and i32 %lane, 3
  %group8 = shl i32 %group, 3
  %pair2 = shl i32 %pair, 1
  %index = add i32 %group8, %pair2
  %low = getelementptr float, ptr addrspace(1) %out, i32 %index
  %low1 = getelementptr float, ptr addrspace(1) %low, i32 1
  %high = getelementptr float, ptr addrspace(1) %low, i32 64
  %high1 = getelementptr float, ptr addrspace(1) %high, i32 1
  store float %d0, ptr addrspace(1) %low, align 4
  store float %d1, ptr addrspace(1) %low1, align 4
  store float %d2, ptr addrspace(1) %high, align 4
  store float %d3, ptr addrspace(1) %high1, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3))
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float)
