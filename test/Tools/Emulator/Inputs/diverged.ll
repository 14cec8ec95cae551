; Both halves of a warp multiply, but not by one instruction.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @diverged() {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isLow = icmp ult i32 %tid, 16
  br i1 %isLow, label %low, label %high

low:
  %a = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.f32.f32(<2 x half> zeroinitializer, <2 x half> zeroinitializer, <2 x half> zeroinitializer, float 0.0, float 0.0, float 0.0, float 0.0)
  br label %end

high:
  %b = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.f32.f32(<2 x half> zeroinitializer, <2 x half> zeroinitializer, <2 x half> zeroinitializer, float 0.0, float 0.0, float 0.0, float 0.0)
  br label %end

end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, float, float, float, float)
