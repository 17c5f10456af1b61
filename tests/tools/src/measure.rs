//! Times, and the best performance of the machine.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// The times of many runs of the same work, sorted.
pub struct Times(Vec<Duration>);

impl Times {
    /// Runs `work` for every item, until `limit` has passed.
    pub fn of<Item>(
        items: &[Item],
        limit: Duration,
        mut work: impl FnMut(&Item) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let start = Instant::now();
        let mut times = Vec::new();
        for item in items {
            let began = Instant::now();
            work(item)?;
            times.push(began.elapsed());
            if start.elapsed() > limit {
                break;
            }
        }
        times.sort_unstable();
        Ok(Self(times))
    }

    /// Uses times that were measured elsewhere.
    pub fn from(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// Returns the time in milliseconds that a share of the runs does not exceed.
    pub fn milliseconds(&self, share: f64) -> f64 {
        let at = ((self.0.len().max(1) - 1) as f64 * share).round() as usize;
        self.0.get(at).map_or(0.0, Duration::as_secs_f64) * 1e3
    }
}

/// Returns the milliseconds in which one thread reads this many bytes: the best of a few runs.
pub fn reading(bytes: usize) -> f64 {
    let numbers: Vec<u64> = (0..bytes as u64 / 8).collect();
    let best = (0..9).map(|_| {
        let began = Instant::now();
        let sum = numbers
            .as_chunks::<16>()
            .0
            .iter()
            .fold([0_u64; 16], |mut sums, chunk| {
                for (sum, number) in sums.iter_mut().zip(chunk) {
                    *sum ^= number;
                }
                sums
            });
        black_box(sum);
        began.elapsed()
    });
    best.min().unwrap_or_default().as_secs_f64() * 1e3
}
