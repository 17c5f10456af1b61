//! Sends spans to an OpenTelemetry collector, over OTLP/HTTP.
//!
//! A bounded queue and a separate thread decouple requests from the collector. When the collector is
//! unreachable, spans are dropped and a warning is logged, at most once a minute.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use opentelemetry::{
    KeyValue,
    propagation::{Extractor, TextMapPropagator as _},
    trace::{TraceContextExt as _, TracerProvider as _},
};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{SdkTracerProvider, SpanLimits},
};
use recall_kit_settings::TelemetrySettings;
use tokio::runtime::Handle;
use tracing::{Metadata, Span, level_filters::LevelFilter};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::{Layer, Registry, filter::filter_fn};

use super::{TelemetryError, spans};

/// How long the collector may take for a batch.
const SEND_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the end of the program waits for the last batch.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Least time between two warnings about an unreachable collector.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);
const TRACES_PATH: &str = "/v1/traces";
const TRACE_PARENT: &str = "traceparent";

/// The exporter of traces; dropping it sends the remaining spans.
pub(super) struct Traces(SdkTracerProvider);

impl Drop for Traces {
    fn drop(&mut self) {
        // Failures to send have been logged already.
        self.0.shutdown_with_timeout(CLOSE_TIMEOUT).ok();
    }
}

/// Starts sending to an endpoint; needs a running runtime.
///
/// *Errors*: [`TelemetryError::Endpoint`] for an address that cannot be used.
pub(super) fn start(
    endpoint: &str,
    settings: &TelemetrySettings,
) -> Result<(Traces, Box<dyn Layer<Registry> + Send + Sync>), TelemetryError> {
    let refused = |why: String| TelemetryError::Endpoint {
        given: endpoint.to_owned(),
        why,
    };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(traces_url(endpoint).map_err(refused)?)
        .with_timeout(SEND_TIMEOUT)
        .with_http_client(Sender::new().map_err(|error| refused(error.to_string()))?)
        .build()
        .map_err(|error| refused(error.to_string()))?;
    let resource = Resource::builder()
        .with_service_name(settings.service_name.clone())
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource)
        .with_span_limits(SpanLimits::default())
        .build();
    let layer = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("recall-kit-server"))
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false);
    let spans = |metadata: &Metadata<'_>| metadata.is_span() && metadata.target() == spans::TARGET;
    let spans = filter_fn(spans).with_max_level_hint(LevelFilter::INFO);
    Ok((Traces(provider), layer.with_filter(spans).boxed()))
}

/// Completes a collector's address: one without a path gets the usual path.
fn traces_url(endpoint: &str) -> Result<String, String> {
    let url = reqwest::Url::parse(endpoint).map_err(|error| error.to_string())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("it must begin with http:// or https://".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "it must not contain credentials; set OTEL_EXPORTER_OTLP_HEADERS in the environment"
                .to_owned(),
        );
    }
    Ok(match url.path() {
        "/" => url.join(TRACES_PATH).map_err(|error| error.to_string())?,
        _ => url,
    }
    .to_string())
}

/// Makes a span a child of the one that a `traceparent` names; an invalid header counts as absent.
pub(super) fn place_below(span: &Span, trace_parent: Option<&str>) {
    struct Header<'a>(&'a str);
    impl Extractor for Header<'_> {
        fn get(&self, key: &str) -> Option<&str> {
            (key == TRACE_PARENT).then_some(self.0)
        }

        fn keys(&self) -> Vec<&str> {
            vec![TRACE_PARENT]
        }
    }
    if let Some(header) = trace_parent {
        let parent = TraceContextPropagator::new().extract(&Header(header));
        // Fails only for a span that is not recorded.
        span.set_parent(parent).ok();
    }
}

/// Returns a span's context as a `traceparent`. Source: W3C Trace Context, section 3.2.
pub(super) fn trace_parent(span: &Span) -> Option<String> {
    let context = span.context();
    let span = context.span().span_context().clone();
    let flags = span.trace_flags().to_u8();
    span.is_valid()
        .then(|| format!("00-{}-{}-{flags:02x}", span.trace_id(), span.span_id()))
}

/// The HTTP client of the exporter, whose thread is outside the runtime.
#[derive(Debug)]
struct Sender {
    client: reqwest::Client,
    runtime: Handle,
    warned: Mutex<Option<Instant>>,
}

impl Sender {
    fn new() -> reqwest::Result<Self> {
        Ok(Self {
            client: reqwest::Client::builder()
                .timeout(SEND_TIMEOUT)
                .redirect(reqwest::redirect::Policy::none())
                .build()?,
            runtime: Handle::current(),
            warned: Mutex::new(None),
        })
    }

    fn warn(&self, error: &str) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.is_none_or(|last| last.elapsed() >= WARNING_INTERVAL) {
            *warned = Some(Instant::now());
            tracing::warn!(
                error,
                "traces are dropped because the collector does not accept them"
            );
        }
    }
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sending = self.runtime.spawn(async move {
            let answer = client.execute(request.try_into()?).await?;
            let status = answer.status();
            let body = answer.bytes().await?;
            Ok::<_, reqwest::Error>((status, body))
        });
        let (status, body) = match sending.await? {
            Ok(answer) => answer,
            Err(error) => {
                let error = error.without_url();
                self.warn(&crate::chain(&error));
                return Err(error.into());
            }
        };
        if !status.is_success() {
            self.warn(status.as_str());
        }
        let mut response = Response::new(body);
        *response.status_mut() = status;
        Ok(response)
    }
}

#[cfg(test)]
mod tests;
