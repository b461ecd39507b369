//! Vectors of three.

/// `a - b`
pub fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

/// `a + scale * b`
pub fn along(a: [f32; 3], scale: f32, b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|axis| a[axis] + scale * b[axis])
}

/// The scalar product.
pub fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The vector product.
pub fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The length.
pub fn length(a: [f32; 3]) -> f32 {
    dot(a, a).sqrt()
}

/// The vector of length 1 in this direction.
pub fn unit(a: [f32; 3]) -> [f32; 3] {
    a.map(|x| x / length(a))
}
