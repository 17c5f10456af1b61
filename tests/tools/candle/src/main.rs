//! The built-in model compared with candle's BERT in f32, in one run and on one thread.
//!
//! Both process the same numbers of tokens: a query of 17 tokens and a record of 73. candle's weights are
//! random, with the model's shapes: the time of a forward pass does not depend on their values. The built-in
//! model's times include its tokenizer and the switch to its thread; candle's do not.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use candle_core::{DType, Device, Tensor};
use candle_nn::{VarBuilder, VarMap};
use candle_transformers::models::bert::{BertModel, Config};
use recall_kit_embed::{BuiltinEmbedder, Embedder as _};

/// Measured rounds. Each has one pass of the built-in model and one of candle's, so that other load on the
/// machine affects both.
const ROUNDS: usize = 200;
const WARM_UP: usize = 10;

struct Text {
    name: &'static str,
    tokens: usize,
    text: &'static str,
}

/// The token counts include the prefixes `query: ` and `passage: ` and the start and end tokens.
const TEXTS: [Text; 2] = [
    Text {
        name: "query",
        tokens: 17,
        text: "用户遇到了React useState不更新的问题",
    },
    Text {
        name: "record",
        tokens: 73,
        text: RECORD,
    },
];

const RECORD: &str = "React useState does not update the state. The new value is shown only after \
    the next click, as the handler has closed over the value of an earlier render. Pass a function \
    to the setter, so that it gets the newest value, and move what depends on it into an effect \
    with the state among its dependencies.";

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    // candle would otherwise split one pass among all cores.
    // SAFETY: nothing else runs yet, so no other thread reads the environment at the same time.
    unsafe { std::env::set_var("RAYON_NUM_THREADS", "1") };
    let ours = BuiltinEmbedder::new();
    let theirs = candle()?;
    println!("one thread, medians of {ROUNDS}");
    for Text { name, tokens, text } in TEXTS {
        let ids = vec![5_u32; tokens];
        let ids = Tensor::new(&ids[..], &Device::Cpu)?.unsqueeze(0)?;
        let types = ids.zeros_like()?;
        let mut times = (Vec::new(), Vec::new());
        for round in 0..WARM_UP + ROUNDS {
            let started = Instant::now();
            let vector = match name {
                "query" => ours.embed_query(text).await?,
                _ => ours.embed_record(text).await?,
            };
            let our_time = started.elapsed();
            let started = Instant::now();
            let mean = theirs.forward(&ids, &types, None)?.mean(1)?;
            let their_time = started.elapsed();
            anyhow::ensure!(
                mean.dims2()?.1 == vector.len(),
                "vectors of different sizes"
            );
            if round >= WARM_UP {
                times.0.push(our_time);
                times.1.push(their_time);
            }
        }
        let (ours, theirs) = (median(times.0)?, median(times.1)?);
        println!(
            "{name}, {tokens} tokens: {:.2} ms; candle f32 {:.2} ms, {:.1} times as long",
            milliseconds(ours),
            milliseconds(theirs),
            theirs.as_secs_f64() / ours.as_secs_f64(),
        );
    }
    Ok(())
}

/// Returns a model with the shapes of multilingual-e5-small and the built-in model's vocabulary.
fn candle() -> anyhow::Result<BertModel> {
    let config: Config = serde_json::from_value(serde_json::json!({
        "vocab_size": 91_549, "hidden_size": 384, "num_hidden_layers": 12,
        "num_attention_heads": 12, "intermediate_size": 1536, "hidden_act": "gelu",
        "hidden_dropout_prob": 0.0, "max_position_embeddings": 512, "type_vocab_size": 2,
        "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0,
        "position_embedding_type": "absolute", "use_cache": false, "classifier_dropout": null,
        "model_type": "bert"
    }))?;
    let weights = VarMap::new();
    let weights = VarBuilder::from_varmap(&weights, DType::F32, &Device::Cpu);
    Ok(BertModel::load(weights, &config)?)
}

fn median(mut times: Vec<Duration>) -> anyhow::Result<Duration> {
    times.sort_unstable();
    times
        .get(times.len() / 2)
        .copied()
        .context("no pass was timed")
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
