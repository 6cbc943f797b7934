// RUN: quack-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{unknown chip 'sm_80', expected sm_90 or sm_90a}}
gpu.module @target_c1_chip [#quack_tv.target<chip = "sm_80", ptx = 83>] {
}

// -----

// expected-error @below {{unknown or too old PTX version 78, expected 80, 81, 82, 83, 84, 85, 86, 87, 88 or 90}}
gpu.module @target_c2_version [#quack_tv.target<chip = "sm_90", ptx = 78>] {
}
