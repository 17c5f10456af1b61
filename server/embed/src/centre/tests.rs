//! The means fit the model, and centred vectors are normalised.

use super::{CENTRES, DIMENSIONS, Kind, MEANS, centred, normalized};

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

#[test]
fn there_are_two_means_of_the_models_size() {
    assert_eq!(CENTRES.len(), 2 * 4 * DIMENSIONS);
    for mean in &*MEANS {
        assert_eq!(mean.len(), DIMENSIONS);
        // The mean of unit vectors is shorter than 1, but long if they lie in a cone.
        assert!((0.5..1.0).contains(&length(mean)), "{}", length(mean));
    }
}

#[test]
fn the_centred_mean_is_zero_and_other_vectors_have_length_one() {
    let [_, record] = &*MEANS;
    let nothing = centred(Kind::Record, record.clone());
    assert_eq!(length(&nothing), 0.0);
    let mut other = record.clone();
    other.swap(0, 1);
    assert!((length(&centred(Kind::Record, other)) - 1.0).abs() < 1e-6);
    assert_eq!(normalized(vec![3.0, 4.0]), [0.6, 0.8]);
}
