//! The forward pass: token ids in, one L2-normalised vector out (BERT, mean pooling).

use std::borrow::Cow;

use super::attention::Attention;
use super::blocks::dequantise;
use super::kernel::{Activations, Kernel, Matrix, Operation};
use super::math::{Norm, gelu, sum};
use super::model_file::{BLOCK, BLOCK_BYTES, ModelError, ModelFile};

/// The network's weights.
#[derive(Debug)]
pub(super) struct Encoder {
    hidden: usize,
    /// (vocabulary, hidden) in 4-bit blocks, read row by row in place in the file.
    words: Cow<'static, [u8]>,
    /// (positions, hidden), with the first token type added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    kernel: Kernel,
}

#[derive(Debug)]
struct Layer {
    /// Query, key and value of all heads side by side.
    projection: Matrix,
    attention_out: Matrix,
    attention_norm: Norm,
    widen: Matrix,
    narrow: Matrix,
    output_norm: Norm,
}

impl Encoder {
    /// Reads the weights from a file; `words` is the file's tensor `emb.word`.
    ///
    /// # Errors
    /// [`ModelError`] if a tensor is missing, has another size or is not finite.
    pub(super) fn new(
        file: &ModelFile<'_>,
        words: Cow<'static, [u8]>,
        kernel: Kernel,
    ) -> Result<Self, ModelError> {
        let shape = file.shape;
        let mut positions = file.floats("emb.pos", shape.positions * shape.hidden)?;
        let types = file.floats("emb.type", shape.types * shape.hidden)?;
        for row in positions.chunks_exact_mut(shape.hidden) {
            add(row, &types);
        }
        let layers = (0..shape.layers).map(|layer| Layer::new(file, layer, kernel));
        Ok(Self {
            hidden: shape.hidden,
            words,
            positions,
            norm: norm(file, "emb.ln")?,
            layers: layers.collect::<Result<_, _>>()?,
            kernel,
        })
    }

    /// Returns the longest input, in tokens.
    pub(super) fn limit(&self) -> usize {
        self.positions.len() / self.hidden
    }

    /// Returns the vector of a text given by its ids; ids after the limit are ignored.
    pub(super) fn embed(&self, ids: &[u32]) -> Vec<f32> {
        self.kernel.run(Forward { encoder: self, ids })
    }

    #[inline(always)]
    fn look_up(&self, ids: &[u32]) -> Vec<f32> {
        let row_bytes = self.hidden / BLOCK * BLOCK_BYTES;
        let tokens = ids.len().min(self.limit());
        let mut states = vec![0.0; tokens * self.hidden];
        let positions = self.positions.chunks_exact(self.hidden);
        let rows = states.chunks_exact_mut(self.hidden);
        for ((row, position), &id) in rows.zip(positions).zip(ids) {
            let start = id as usize * row_bytes;
            dequantise(
                self.words.get(start..start + row_bytes).unwrap_or_default(),
                row,
            );
            add(row, position);
            self.norm.apply(row);
        }
        states
    }
}

/// Buffers for the results between the matrices of a layer; reused by all layers.
#[derive(Debug, Default)]
struct Scratch {
    activations: Activations,
    projected: Vec<f32>,
    attention: Attention,
    context: Vec<f32>,
    wide: Vec<f32>,
    change: Vec<f32>,
}

impl Layer {
    fn new(file: &ModelFile<'_>, layer: usize, kernel: Kernel) -> Result<Self, ModelError> {
        let (hidden, wide) = (file.shape.hidden, file.shape.feed_forward);
        let matrix = |parts: &[&str], outputs: usize, inputs: usize| {
            let (mut blocks, mut bias) = (Vec::new(), Vec::new());
            for part in parts {
                blocks.extend(file.blocks(&format!("l{layer}.{part}.w"), outputs, inputs)?);
                bias.extend(file.floats(&format!("l{layer}.{part}.b"), outputs)?);
            }
            Matrix::new(kernel, &blocks, bias, inputs)
        };
        Ok(Self {
            projection: matrix(&["q", "k", "v"], hidden, hidden)?,
            attention_out: matrix(&["ao"], hidden, hidden)?,
            attention_norm: norm(file, &format!("l{layer}.aln"))?,
            widen: matrix(&["fi"], wide, hidden)?,
            narrow: matrix(&["fo"], hidden, wide)?,
            output_norm: norm(file, &format!("l{layer}.oln"))?,
        })
    }

    #[inline(always)]
    fn run(&self, states: &mut [f32], hidden: usize, scratch: &mut Scratch) {
        scratch.activations.fill(states, hidden);
        let projected = &mut scratch.projected;
        self.projection.product(&scratch.activations, projected);
        scratch.context.resize(states.len(), 0.0);
        let context = &mut scratch.context;
        scratch.attention.run(projected, hidden, context);
        scratch.activations.fill(context, hidden);
        let change = &mut scratch.change;
        self.attention_out.product(&scratch.activations, change);
        add_and_norm(states, change, &self.attention_norm);

        scratch.activations.fill(states, hidden);
        let wide = &mut scratch.wide;
        self.widen.product(&scratch.activations, wide);
        gelu(wide);
        scratch.activations.fill(wide, self.widen.outputs());
        self.narrow.product(&scratch.activations, change);
        add_and_norm(states, change, &self.output_norm);
    }
}

struct Forward<'a> {
    encoder: &'a Encoder,
    ids: &'a [u32],
}

impl Operation for Forward<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run(self) -> Vec<f32> {
        let hidden = self.encoder.hidden;
        let mut states = self.encoder.look_up(self.ids);
        let mut scratch = Scratch::default();
        for layer in &self.encoder.layers {
            layer.run(&mut states, hidden, &mut scratch);
        }
        let mut mean = vec![0.0; hidden];
        for row in states.chunks_exact(hidden) {
            add(&mut mean, row);
        }
        let length = sum(&mean, |x| x * x).sqrt();
        mean.iter_mut().for_each(|x| *x /= length);
        mean
    }
}

fn norm(file: &ModelFile<'_>, name: &str) -> Result<Norm, ModelError> {
    Ok(Norm {
        weight: file.floats(&format!("{name}.w"), file.shape.hidden)?,
        bias: file.floats(&format!("{name}.b"), file.shape.hidden)?,
        epsilon: file.epsilon,
    })
}

#[inline(always)]
fn add(row: &mut [f32], other: &[f32]) {
    for (x, y) in row.iter_mut().zip(other) {
        *x += y;
    }
}

#[inline(always)]
fn add_and_norm(states: &mut [f32], change: &[f32], norm: &Norm) {
    let width = norm.weight.len();
    for (row, change) in states
        .chunks_exact_mut(width)
        .zip(change.chunks_exact(width))
    {
        add(row, change);
        norm.apply(row);
    }
}
