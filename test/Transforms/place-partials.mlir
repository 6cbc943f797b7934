// RUN: quack-opt %s --quack-tv-place-partials | FileCheck %s
// RUN: quack-opt %s --quack-tv-place-partials --quack-tv-place-partials | FileCheck %s

// Each sum has its place in a partial, at a multiple of 16 bytes; the kernel after that
// has a warp for every 8 partials, at most 32.


#plan = #quack_tv.plan<threads = 64, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, partials = 100>
#tile = #quack_tv.layout<warp = [2:128], lane = [32:4], value = [4:1]>
#row = #quack_tv.layout<warp = [2:1], lane = [32:0]>
// CHECK: #[[$FOLD:.*]] = #quack_tv.plan<threads = 512, threads_per_row = 512, rows_per_thread = 1, cluster = 1, vector = 4, ctas_per_sm = 0, partials = 100>
// CHECK: #[[$LAST:.*]] = #quack_tv.plan<threads = 1024,{{.*}} partials = 16384>
// CHECK-LABEL: quack_tv.kernel @sums
// CHECK-SAME: workspace 1040 next @sums_fold
quack_tv.kernel @sums(%x: memref<?x100xf32> in row, %t: memref<?xf32> in scalar,
                      %a: memref<100xbf16> out columns, %n: memref<f32> out single,
                      %b: memref<100xf32> out columns) plan #plan {
  %v = quack_tv.load %x : memref<?x100xf32> -> tensor<2x128xf32, #tile>
  %s = quack_tv.load %t : memref<?xf32> -> tensor<2x1xf32, #row>
  // CHECK: accumulate %{{.*}}, %a at 0 :
  quack_tv.accumulate %v, %a : tensor<2x128xf32, #tile>, memref<100xbf16>
  // CHECK: accumulate %{{.*}}, %n at 512 :
  quack_tv.accumulate %s, %n : tensor<2x1xf32, #row>, memref<f32>
  // CHECK: accumulate %{{.*}}, %b at 528 :
  quack_tv.accumulate %v, %b : tensor<2x128xf32, #tile>, memref<100xf32>
}
// CHECK-LABEL: quack_tv.kernel @sums_fold
// CHECK-SAME: plan #[[$FOLD]] workspace 1040
// CHECK-NEXT: fold %a of 100 at 0 : memref<100xbf16>
// CHECK-NEXT: fold %n of 100 at 512 : memref<f32>
// CHECK-NEXT: fold %b of 100 at 528 : memref<100xf32>
// CHECK-NEXT: }

// CHECK-LABEL: quack_tv.kernel @many
// CHECK-LABEL: quack_tv.kernel @many_fold
// CHECK-SAME: plan #[[$LAST]]
quack_tv.kernel @many(%x: memref<?x100xf32> in row, %a: memref<100xf32> out columns)
    plan #quack_tv.plan<threads = 64, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, partials = 16384> {
  %v = quack_tv.load %x : memref<?x100xf32> -> tensor<2x128xf32, #tile>
  quack_tv.accumulate %v, %a : tensor<2x128xf32, #tile>, memref<100xf32>
}
