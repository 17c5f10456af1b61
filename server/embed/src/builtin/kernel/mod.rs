//! The int8 matrix product, in the fastest implementation for this processor.
//!
//! Weights are int8 with one scale per output, activations int8 with one scale for every 128 values of a token
//! (W8A8); sums inside such a group are exact int32. The activations have groups because a few components of the
//! model's states are twenty times larger than the rest: one scale per token would cost the others most of their
//! precision.
//!
//! [`Kernel`] is chosen once, when the model is loaded, and determines the layout of the weights.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use super::blocks::dequantise;
use super::math::quantise;
use super::model_file::{BLOCK, BLOCK_BYTES, ModelError};

/// The number of values of a token that share a scale; divides every width of the model.
pub(super) const GROUP: usize = 128;
/// The number of outputs that the portable product computes together.
const ROWS: usize = 4;

/// An implementation that the running processor supports.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kernel {
    /// AVX-512 with the int8 dot product instructions.
    #[cfg(target_arch = "x86_64")]
    Vnni(avx512::Vnni),
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    /// Compiled for the target, without detected features.
    Portable,
}

/// A computation that is compiled once for every instruction set.
///
/// `run` and all functions that it calls must be `#[inline(always)]`: only code that is inlined into
/// [`Kernel::run`] uses the kernel's instructions.
pub(super) trait Operation {
    /// The result of the computation.
    type Output;
    /// Runs the computation.
    fn run(self) -> Self::Output;
}

impl Kernel {
    /// Returns every kernel that this processor supports, the fastest first.
    pub(super) fn available() -> Vec<Self> {
        let mut kernels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            kernels.extend(avx512::Vnni::detect().map(Self::Vnni));
            kernels.extend(avx2::Avx2::detect().map(Self::Avx2));
        }
        kernels.push(Self::Portable);
        kernels
    }

    /// Returns the fastest kernel that this processor supports.
    pub(super) fn best() -> Self {
        Self::available().first().copied().unwrap_or(Self::Portable)
    }

    /// Runs an operation compiled for this kernel's instruction set.
    pub(super) fn run<O: Operation>(self, operation: O) -> O::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Vnni(vnni) => vnni.run(operation),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.run(operation),
            Self::Portable => operation.run(),
        }
    }
}

/// Token vectors rounded to int8, (tokens, `width`).
#[derive(Debug, Default)]
pub(super) struct Activations {
    width: usize,
    values: Vec<i8>,
    /// The value of one quantisation step, (tokens, groups).
    scales: Vec<f32>,
}

impl Activations {
    /// Quantises the rows of `source`, (tokens, `width`), and replaces the previous contents.
    #[inline(always)]
    pub(super) fn fill(&mut self, source: &[f32], width: usize) {
        self.width = width;
        self.values.resize(source.len(), 0);
        self.scales.clear();
        let groups = self.values.chunks_exact_mut(GROUP);
        let scales = source.chunks_exact(GROUP).zip(groups);
        self.scales
            .extend(scales.map(|(from, to)| quantise(from, to)));
    }

    /// Returns the values and scales of each token.
    fn rows(&self) -> impl Iterator<Item = (&[i8], &[f32])> {
        let scales = self.scales.chunks_exact(self.width / GROUP);
        self.values.chunks_exact(self.width).zip(scales)
    }

    fn tokens(&self) -> usize {
        self.values.len() / self.width
    }
}

/// A linear layer: int8 weights, one scale and one bias per output.
#[derive(Debug)]
pub(super) struct Matrix {
    inputs: usize,
    outputs: usize,
    kernel: Kernel,
    /// In the kernel's own layout.
    weights: Vec<u8>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

impl Matrix {
    /// Requantises 4-bit rows to int8, with one scale per row and one row per bias.
    ///
    /// # Errors
    /// [`ModelError::Damaged`] if a scale is not a finite number.
    pub(super) fn new(
        kernel: Kernel,
        blocks: &[u8],
        bias: Vec<f32>,
        inputs: usize,
    ) -> Result<Self, ModelError> {
        let (rows, scales) = kernel.run(Requantise { blocks, inputs });
        if !scales.iter().all(|scale| scale.is_finite()) {
            return Err(ModelError::Damaged {
                detail: "a weight is not finite".to_owned(),
            });
        }
        let weights = match kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Vnni(_) => avx512::pack(&rows, inputs),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(_) => avx2::pack(&rows, inputs),
            Kernel::Portable => rows,
        };
        Ok(Self {
            inputs,
            outputs: bias.len(),
            kernel,
            weights,
            scales,
            bias,
        })
    }

    /// Returns the number of values in one row of the product.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Computes weights × activations + bias into `out`, resized to (tokens, outputs).
    pub(super) fn product(&self, activations: &Activations, out: &mut Vec<f32>) {
        out.resize(activations.tokens() * self.outputs, 0.0);
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Vnni(vnni) => vnni.product(self, activations, out),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(avx2) => avx2.product(self, activations, out),
            Kernel::Portable => self.row_product(activations, out),
        }
    }

    /// Computes the product over row-major weights.
    fn row_product(&self, activations: &Activations, out: &mut [f32]) {
        let rows = self.weights.chunks_exact(ROWS * self.inputs);
        let scales = self.scales.as_chunks::<ROWS>().0.iter();
        let biases = self.bias.as_chunks::<ROWS>().0.iter();
        for (block, ((rows, scales), biases)) in rows.zip(scales).zip(biases).enumerate() {
            let tokens = activations.rows().zip(out.chunks_exact_mut(self.outputs));
            for ((values, steps), out) in tokens {
                let out = out.as_chunks_mut::<ROWS>().0.get_mut(block);
                let rows = rows.chunks_exact(self.inputs);
                let parts = rows.zip(scales).zip(biases);
                for (out, ((row, scale), bias)) in out.into_iter().flatten().zip(parts) {
                    *out = dot(values, row, steps) * scale + bias;
                }
            }
        }
    }
}

struct Requantise<'a> {
    blocks: &'a [u8],
    inputs: usize,
}

impl Operation for Requantise<'_> {
    type Output = (Vec<u8>, Vec<f32>);

    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut row = vec![0.0; self.inputs];
        let mut rounded = vec![0i8; self.inputs];
        let mut weights = Vec::with_capacity(self.blocks.len() / BLOCK_BYTES * BLOCK);
        let mut scales = Vec::new();
        for blocks in self.blocks.chunks_exact(self.inputs / BLOCK * BLOCK_BYTES) {
            dequantise(blocks, &mut row);
            scales.push(quantise(&row, &mut rounded));
            weights.extend(rounded.iter().map(|&weight| weight.cast_unsigned()));
        }
        (weights, scales)
    }
}

/// Returns the dot product of one token, whose groups have these scales, with one row of weights.
fn dot(values: &[i8], row: &[u8], scales: &[f32]) -> f32 {
    let groups = values.chunks_exact(GROUP).zip(row.chunks_exact(GROUP));
    let sums = groups.map(|(values, weights)| {
        let products = values.iter().zip(weights);
        products
            .map(|(&a, &w)| i32::from(a) * i32::from(w.cast_signed()))
            .sum::<i32>()
    });
    sums.zip(scales)
        .map(|(sum, scale)| sum as f32 * scale)
        .sum()
}

/// Rearranges row-major weights into panels of `outputs` rows: for every `STEP` inputs, the weights of the first
/// output, of the second and so on, so that a vector holds one number per output.
#[cfg(target_arch = "x86_64")]
fn interleave<const STEP: usize>(rows: &[u8], inputs: usize, outputs: usize) -> Vec<u8> {
    let mut weights = vec![0; rows.len()];
    let panels = weights.chunks_exact_mut(outputs * inputs);
    for (rows, panel) in rows.chunks_exact(outputs * inputs).zip(panels) {
        for (output, row) in rows.chunks_exact(inputs).enumerate() {
            let steps = panel.chunks_exact_mut(outputs * STEP);
            for (weights, step) in row.as_chunks::<STEP>().0.iter().zip(steps) {
                if let Some(place) = step.as_chunks_mut::<STEP>().0.get_mut(output) {
                    *place = *weights;
                }
            }
        }
    }
    weights
}
