; Two warpgroups: the first gives registers to the second and arrives at named
; barrier 3, where the second waits; both meet at the barrier of their cluster.
target triple = "nvptx64-nvidia-cuda"

@word = internal addrspace(3) global [2 x i32] undef, align 4

define ptx_kernel void @warpgroups(ptr addrspace(1) %out) "nvvm.maxntid"="256,1,1" {
  call void @llvm.nvvm.griddepcontrol.wait()
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %rank = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %isFirst = icmp eq i32 %tid, 0
  %isLast = icmp eq i32 %tid, 255
  %isProducer = icmp ult i32 %tid, 128
  br i1 %isProducer, label %producer, label %consumer

producer:
  call void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32 24)
  br i1 %isFirst, label %write, label %written

write:
  store i32 7, ptr addrspace(3) @word, align 4
  br label %written

written:
  call void asm sideeffect "bar.arrive $0, $1;", "r,r"(i32 3, i32 256)
  br label %meet

consumer:
  call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 256)
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 3, i32 256) ; wait
  %value = load i32, ptr addrspace(3) @word, align 4
  br i1 %isLast, label %answer, label %meet

answer:
  %sum = add i32 %value, %rank
  store i32 %sum, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @word, i32 1), align 4
  br label %meet

meet:
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned() ; cluster
  %answered = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @word, i32 1), align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %answered, ptr addrspace(1) %to, align 4
  call void @llvm.nvvm.griddepcontrol.launch.dependents()
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
declare void @llvm.nvvm.griddepcontrol.wait()
declare void @llvm.nvvm.griddepcontrol.launch.dependents()
declare void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32)
declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cluster.arrive.aligned()
declare void @llvm.nvvm.barrier.cluster.wait.aligned()
