//! Dot products of one query with many rows of bytes, in the best form this processor has.
//!
//! All forms are exact, so they return the same. The portable one is what ARM runs: NEON belongs
//! to what the program is compiled for there, and the compiler uses it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

/// Numbers that are multiplied at once; rows are filled up with zeros to a multiple.
pub(in super::super) const LANES: usize = 64;

/// An instruction set the running processor is known to have.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kernel {
    /// AVX-512 with the integer dot product instructions.
    #[cfg(target_arch = "x86_64")]
    Vnni(avx512::Vnni),
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    /// Whatever the program was compiled for.
    Portable,
}

impl Kernel {
    /// Every kernel this processor can run, the fastest first.
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

    /// The fastest kernel this processor can run.
    pub(super) fn best() -> Self {
        Self::available().first().copied().unwrap_or(Self::Portable)
    }

    /// Writes the product of the query with each row of signed bytes, which is as wide as the query.
    ///
    /// No sum of the query's absolute values times 128 may pass 2^31.
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
