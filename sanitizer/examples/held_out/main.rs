//! Scores the sanitizer on texts nobody has seen: `held_out [SEED] [TEXTS]` on what machines make,
//! `held_out chosen SET [SEED] [TEXTS] [frames|wrong|all]` on what people choose; the sets are `tuning`, `development`,
//! `development_2`, `development_3`, `development_4`, `development_5` and `reported`.
//!
//! Prints for each kind how many texts came out right; `frames` also prints the frames of what went wrong (of
//! `tuning` always), `wrong` the texts that came out wrong, `all` every text.

#![allow(clippy::print_stdout, missing_docs)]

mod chosen;
mod dice;
mod frames;
mod harmless;
mod sample;
mod values;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).peekable();
    if args.next_if(|arg| arg == "chosen").is_some() {
        return score_chosen(args);
    }
    let seed = args.next().map_or(Ok(1), |seed| seed.parse())?;
    let count = args.next().map_or(Ok(20_000), |count| count.parse())?;
    let scores = sample::scores(seed, count);
    heading();
    for (kind, score) in &scores {
        let kind = match *kind {
            sample::HARMLESS => "harmless, unchanged",
            kind => kind,
        };
        line(kind, score.texts, score.right);
        for (frame, wrong) in &score.wrong {
            println!("{:36}{wrong:5} wrong in {frame}", "");
        }
    }
    Ok(())
}

/// How much is shown of what went wrong; each shows what the one before it shows, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Kinds,
    Frames,
    Wrong,
    All,
}

/// Scores what people choose.
fn score_chosen(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let set: chosen::Set = args
        .next()
        .ok_or("which set: tuning, development, development_2, development_3, development_4, development_5 or reported?")?
        .parse()?;
    let seed = args.next().map_or(Ok(1), |seed| seed.parse())?;
    let count = args.next().map_or(Ok(20_000), |count| count.parse())?;
    let shown = match args.next().as_deref() {
        // Nobody should learn the frames of the set that is reported by asking for its figures.
        None if set == chosen::Set::Reported => Shown::Kinds,
        None | Some("frames") => Shown::Frames,
        Some("wrong") => Shown::Wrong,
        Some("all") => Shown::All,
        Some(other) => return Err(format!("{other:?} is none of frames, wrong, all").into()),
    };
    let tables = chosen::Tables::of(set);
    let scores = chosen::scores(&tables, seed, count, |sample, clean, wrong| {
        if shown == Shown::All || shown == Shown::Wrong && wrong.is_some() {
            let wrong = wrong.unwrap_or("right");
            println!("{wrong}: {}, {}", sample.frame.kind, sample.frame.label);
            println!("  {:?}\n  {clean:?}", sample.text);
        }
    });
    heading();
    for (kind, score) in &scores {
        line(kind, score.texts, score.right);
        if shown >= Shown::Frames {
            worst_frames(score);
        }
    }
    Ok(())
}

fn worst_frames(score: &chosen::Score) {
    const WORST: usize = 12;
    let mut wrong: Vec<_> = score.wrong.iter().collect();
    wrong.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (frame, count) in wrong.iter().take(WORST) {
        println!("{:36}{count:5} {frame}", "");
    }
    if wrong.len() > WORST {
        let count: usize = wrong[WORST..].iter().map(|(_, count)| **count).sum();
        let frames = wrong.len() - WORST;
        println!("{:36}{count:5} in {frames} other frames", "");
    }
}

fn heading() {
    println!("{:34} {:>7} {:>7}  {:>7}", "kind", "texts", "right", "%");
}

fn line(kind: &str, texts: usize, right: usize) {
    let share = 100.0 * right as f64 / texts as f64;
    println!("{kind:34} {texts:7} {right:7}  {share:7.2}");
}
