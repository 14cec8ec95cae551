; Each thread stores the result of assembly that gets its number.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @assembly(ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %value = call i32 asm sideeffect "ASM", "CONSTRAINTS"(i32 %tid)
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %value, ptr addrspace(1) %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
