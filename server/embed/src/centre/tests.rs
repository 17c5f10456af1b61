//! The means fit the model, and vectors come out normalised.

use super::{CENTRES, DIMENSIONS, Kind, MEANS, centred, normalized};

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

#[test]
fn the_means_are_two_of_the_models_size() {
    assert_eq!(CENTRES.len(), 2 * 4 * DIMENSIONS);
    for mean in &*MEANS {
        assert_eq!(mean.len(), DIMENSIONS);
        // A mean of vectors of length 1 is shorter, and long where they lie in a cone.
        assert!((0.5..1.0).contains(&length(mean)), "{}", length(mean));
    }
}

#[test]
fn the_mean_itself_says_nothing_and_the_rest_has_length_one() {
    let [_, record] = &*MEANS;
    let nothing = centred(Kind::Record, record.clone());
    assert_eq!(length(&nothing), 0.0);
    let mut other = record.clone();
    other.swap(0, 1);
    assert!((length(&centred(Kind::Record, other)) - 1.0).abs() < 1e-6);
    assert_eq!(normalized(vec![3.0, 4.0]), [0.6, 0.8]);
}
