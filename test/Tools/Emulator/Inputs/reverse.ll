; Each thread copies 16 bytes to shared memory asynchronously; then thread t
; stores element 255 - t of the first half of the input.
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [1024 x i8] undef, align 16

define ptx_kernel void @reverse(ptr addrspace(1) %in, ptr addrspace(1) %out) "nvvm.maxntid"="64" {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bytes = shl i32 %tid, 4
  %from = getelementptr i8, ptr addrspace(1) %in, i32 %bytes
  %to = getelementptr i8, ptr addrspace(3) @tile, i32 %bytes
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to, ptr addrspace(1) %from)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 0) ; wait
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; barrier
  %last = sub i32 255, %tid
  %element = getelementptr float, ptr addrspace(3) @tile, i32 %last
  %value = load float, ptr addrspace(3) %element, align 4
  %result = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %value, ptr addrspace(1) %result, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32 immarg)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
