//! Dot products of one query with many rows of bytes, in the fastest implementation for this processor.
//!
//! All implementations are exact, so they return the same. ARM runs the portable one: there the program is
//! compiled for NEON, and the compiler uses it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

/// The number of values that are multiplied at once; rows are padded with zeros to a multiple.
pub(in super::super) const LANES: usize = 64;

/// An implementation that the running processor supports.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kernel {
    /// AVX-512 with the integer dot product instructions.
    #[cfg(target_arch = "x86_64")]
    Vnni(avx512::Vnni),
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    /// Compiled for the target, without detected features.
    Portable,
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

    /// Writes the dot product of the query with each row of signed bytes; the rows are as wide as the query.
    ///
    /// The sum of the query's absolute values, times 128, must not exceed 2^31.
    pub(super) fn products(
        self,
        query: &[[i16; LANES]],
        rows: &[[u8; LANES]],
        products: &mut [i32],
    ) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Vnni(vnni) => vnni.products(query, rows, products),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.products(query, rows, products),
            Self::Portable => portable(query, rows, products),
        }
    }
}

fn portable(query: &[[i16; LANES]], rows: &[[u8; LANES]], products: &mut [i32]) {
    for (row, product) in rows.chunks_exact(query.len()).zip(products) {
        let pairs = query.as_flattened().iter().zip(row.as_flattened());
        *product = pairs
            .map(|(q, r)| i32::from(*q) * i32::from(r.cast_signed()))
            .sum();
    }
}

#[cfg(test)]
mod tests;
