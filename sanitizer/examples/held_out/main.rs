//! Scores the sanitizer on texts nobody has seen: `held_out [SEED] [TEXTS]`.
//!
//! Prints for each kind how many secrets went, and of harmless texts how many came back changed, with
//! the frames of what went wrong.

#![allow(clippy::print_stdout, missing_docs)]

mod dice;
mod frames;
mod harmless;
mod sample;
mod values;

fn main() -> Result<(), std::num::ParseIntError> {
    let mut args = std::env::args().skip(1);
    let seed = args.next().map_or(Ok(1), |seed| seed.parse())?;
    let count = args.next().map_or(Ok(20_000), |count| count.parse())?;
    let scores = sample::scores(seed, count);
    println!("{:24} {:>7} {:>7}  {:>7}", "kind", "texts", "right", "%");
    for (kind, score) in &scores {
        let kind = match *kind {
            sample::HARMLESS => "harmless, unchanged",
            kind => kind,
        };
        let share = 100.0 * score.right as f64 / score.texts as f64;
        println!("{kind:24} {:7} {:7}  {share:7.2}", score.texts, score.right);
        for (frame, wrong) in &score.wrong {
            println!("{:26}{wrong:5} wrong in {frame}", "");
        }
    }
    Ok(())
}
