; Each thread adds 1 to a counter, waits until all threads have done so, and
; stores what it read.
target triple = "nvptx64-nvidia-cuda"

@counter = internal addrspace(3) global i32 undef, align 4

define ptx_kernel void @spin(ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isFirst = icmp eq i32 %tid, 0
  br i1 %isFirst, label %clear, label %start

clear:
  store i32 0, ptr addrspace(3) @counter, align 4
  br label %start

start:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %old = atomicrmw add ptr addrspace(3) @counter, i32 1 syncscope("block") release, align 4
  br label %wait

wait:
  %seen = load atomic i32, ptr addrspace(3) @counter syncscope("block") acquire, align 4
  %isComplete = icmp eq i32 %seen, 64
  br i1 %isComplete, label %end, label %wait

end:
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %seen, ptr addrspace(1) %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
