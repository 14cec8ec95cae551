; One warp multiplies 16 x 8 floats by 8 x 8, rounded to tf32: the fragments of
; mma.m16n8k8 as the PTX ISA has them.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @product(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %group = lshr i32 %lane, 2
  %in.group = and i32 %lane, 3
  %a.row = shl i32 %group, 3
  %a.first = add i32 %a.row, %in.group
  %a0.place = add i32 %a.first, 0
  %a0.at = getelementptr float, ptr addrspace(1) %a, i32 %a0.place
  %a0.value = load float, ptr addrspace(1) %a0.at
  %a0 = call i32 @llvm.nvvm.f2tf32.rna(float %a0.value)
  %a1.place = add i32 %a.first, 64
  %a1.at = getelementptr float, ptr addrspace(1) %a, i32 %a1.place
  %a1.value = load float, ptr addrspace(1) %a1.at
  %a1 = call i32 @llvm.nvvm.f2tf32.rna(float %a1.value)
  %a2.place = add i32 %a.first, 4
  %a2.at = getelementptr float, ptr addrspace(1) %a, i32 %a2.place
  %a2.value = load float, ptr addrspace(1) %a2.at
  %a2 = call i32 @llvm.nvvm.f2tf32.rna(float %a2.value)
  %a3.place = add i32 %a.first, 68
  %a3.at = getelementptr float, ptr addrspace(1) %a, i32 %a3.place
  %a3.value = load float, ptr addrspace(1) %a3.at
  %a3 = call i32 @llvm.nvvm.f2tf32.rna(float %a3.value)
  %b.row = shl i32 %in.group, 3
  %b.first = add i32 %b.row, %group
  %b0.place = add i32 %b.first, 0
  %b0.at = getelementptr float, ptr addrspace(1) %b, i32 %b0.place
  %b0.value = load float, ptr addrspace(1) %b0.at
  %b0 = call i32 @llvm.nvvm.f2tf32.rna(float %b0.value)
  %b1.place = add i32 %b.first, 32
  %b1.at = getelementptr float, ptr addrspace(1) %b, i32 %b1.place
  %b1.value = load float, ptr addrspace(1) %b1.at
  %b1 = call i32 @llvm.nvvm.f2tf32.rna(float %b1.value)
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %b0, i32 %b1, float 1.0, float 1.0, float 1.0, float 1.0)
  %columns = shl i32 %in.group, 1
  %d.first = add i32 %a.row, %columns
  %d0 = extractvalue { float, float, float, float } %d, 0
  %d0.place = add i32 %d.first, 0
  %d0.at = getelementptr float, ptr addrspace(1) %out, i32 %d0.place
  store float %d0, ptr addrspace(1) %d0.at
  %d1 = extractvalue { float, float, float, float } %d, 1
  %d1.place = add i32 %d.first, 1
  %d1.at = getelementptr float, ptr addrspace(1) %out, i32 %d1.place
  store float %d1, ptr addrspace(1) %d1.at
  %d2 = extractvalue { float, float, float, float } %d, 2
  %d2.place = add i32 %d.first, 64
  %d2.at = getelementptr float, ptr addrspace(1) %out, i32 %d2.place
  store float %d2, ptr addrspace(1) %d2.at
  %d3 = extractvalue { float, float, float, float } %d, 3
  %d3.place = add i32 %d.first, 65
  %d3.at = getelementptr float, ptr addrspace(1) %out, i32 %d3.place
  store float %d3, ptr addrspace(1) %d3.at
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.f2tf32.rna(float)
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32, i32, i32, i32, i32, i32, float, float, float, float)
