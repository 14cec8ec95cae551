; Each block writes 64 numbers to global memory and reads them in reverse.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @exchange(ptr addrspace(1) %numbers, ptr addrspace(1) %out, ptr addrspace(1) %counter) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl i32 %block, 6 ; first
  %index = add i32 %first, %tid
  %to = getelementptr i32, ptr addrspace(1) %numbers, i32 %index
  store i32 %index, ptr addrspace(1) %to, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; barrier
  %mirror = sub i32 63, %tid
  %index.read = add i32 %first, %mirror ; read
  %from = getelementptr i32, ptr addrspace(1) %numbers, i32 %index.read
  %number = load i32, ptr addrspace(1) %from, align 4
  %result = getelementptr i32, ptr addrspace(1) %out, i32 %index
  store i32 %number, ptr addrspace(1) %result, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
