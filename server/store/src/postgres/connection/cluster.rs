//! Connections to a cluster: to the server that takes writes, wherever it is by now.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, PgPool, Postgres, Row,
    SqlSafeStr,
    pool::PoolConnection,
    postgres::{PgConnectOptions, PgPoolOptions},
};

use super::{
    fault::{self, Fault, Tries},
    hosts, tls,
    transaction::Transaction,
};
use crate::{DatabaseUrl, Encryption, Result, StoreError, StoreOptions};

/// How long the pool tries before it is looked whether another server took over.
const ACQUIRE: Duration = Duration::from_secs(1);
/// How long a server may take to say whether it takes writes.
const PROBE: Duration = Duration::from_secs(2);
/// A connection that was idle for longer is tried before it is used.
const IDLE: Duration = Duration::from_secs(10);
/// How much later than the database itself a statement is given up here: only a database that does
/// not answer at all comes so far.
const BEYOND_STATEMENT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a transaction may stand still between two statements: a server that freezes in it must
/// not keep the others from writing.
const STANDSTILL: Duration = Duration::from_secs(5);
/// How long connections are distrusted after one of them gave no answer.
const DISTRUST: Duration = Duration::from_secs(60);

/// Which server of a cluster is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The one that takes writes.
    Primary,
    /// Any; for what may be read a little late.
    Any,
}

/// Connections to a cluster.
pub(crate) struct Cluster {
    hosts: Vec<PgConnectOptions>,
    role: Role,
    pool: PgPool,
    patience: Duration,
    answer_within: Duration,
    long_read_timeout: Duration,
    trust: Arc<Trust>,
    /// Held by whoever looks for the primary.
    looking: tokio::sync::Mutex<()>,
}

/// Which connections are still to be trusted.
#[derive(Debug)]
struct Trust {
    /// Connections that are older lead to a server that may have become a standby.
    made_after: Mutex<Instant>,
    /// Until then every connection has to answer before it goes back.
    suspect_until: Mutex<Instant>,
}

impl Trust {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            made_after: Mutex::new(now),
            suspect_until: Mutex::new(now),
        }
    }

    fn is_outdated(&self, age: Duration) -> bool {
        let made_after = *self
            .made_after
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        age > made_after.elapsed()
    }

    fn is_suspect(&self) -> bool {
        let until = self
            .suspect_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Instant::now() < *until
    }

    fn set(place: &Mutex<Instant>, moment: Instant) {
        *place.lock().unwrap_or_else(PoisonError::into_inner) = moment;
    }
}

impl Cluster {
    /// Reads the address; connects when a connection is first needed.
    pub(crate) fn new(url: &DatabaseUrl, role: Role, options: &StoreOptions) -> Result<Self> {
        let hosts = hosts::of_url(url)?;
        let first = hosts.first().cloned();
        let first = first.ok_or_else(|| StoreError::Address(url.clone()))?;
        let trust = Arc::new(Trust::new());
        Ok(Self {
            pool: pool(role, options, &trust).connect_lazy_with(first),
            hosts,
            role,
            patience: options.patience,
            answer_within: match role {
                Role::Primary => options.statement_timeout + BEYOND_STATEMENT_TIMEOUT,
                // The primary answers then.
                Role::Any => options.statement_timeout,
            },
            long_read_timeout: options.long_read_timeout.min(options.statement_timeout),
            trust,
            looking: tokio::sync::Mutex::default(),
        })
    }

    /// How long a call may wait for a connection.
    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// Returns the tries of one call.
    pub(crate) fn tries(&self) -> Tries<'_> {
        Tries::new(self)
    }

    /// Returns a connection, also when another server has to be found first.
    ///
    /// *Errors*: what the last try said, after [`Self::patience`].
    pub(crate) async fn connection(&self) -> Result<PoolConnection<Postgres>> {
        let mut tries = self.tries();
        loop {
            let acquired = self.pool.acquire().await;
            match acquired.map_err(|error| tls::explained(error, &self.pool.connect_options())) {
                Err(error) if tries.again(&error).await => {}
                Err(error) => return Err(self.explained(error).await),
                acquired => return acquired,
            }
        }
    }

    /// Finds out why there is no connection, where the pool only says that there is none.
    async fn explained(&self, error: StoreError) -> StoreError {
        if !matches!(error, StoreError::Database(sqlx::Error::PoolTimedOut)) {
            return error;
        }
        // Of many who wait one asks: a server without room is asked for little.
        let Ok(_looking) = self.looking.try_lock() else {
            return error;
        };
        let host = self.pool.connect_options();
        let asked = async {
            let mut connection = host.connect().await?;
            is_standby(&mut connection).await
        };
        match tokio::time::timeout(PROBE, asked).await {
            Ok(Ok(true)) if self.role == Role::Primary => StoreError::NoPrimary,
            Ok(Err(reason)) => tls::explained(reason, &host),
            Ok(Ok(_)) => error,
            Err(_) => StoreError::NoAnswer(PROBE),
        }
    }

    /// Tells how the way to the server is protected.
    pub(crate) async fn encryption(&self) -> Result<Encryption> {
        let mut connection = self.connection().await?;
        tls::encryption(&mut connection, &self.pool.connect_options()).await
    }

    /// Begins a transaction.
    pub(crate) async fn begin(&self) -> Result<Transaction> {
        let mut tries = self.tries();
        loop {
            let begun = async {
                let connection = self.connection().await?;
                Transaction::begin(connection).await
            };
            match self.in_time(begun).await {
                Err(error) if tries.again(&error).await => {}
                other => return other,
            }
        }
    }

    /// Begins a transaction that only reads, by a command of its own.
    pub(crate) async fn begin_read(&self, begin: impl SqlSafeStr) -> Result<Transaction> {
        let connection = self.connection().await?;
        Transaction::begin_with(connection, begin).await
    }

    /// How a transaction begins that goes through much.
    pub(crate) fn long_read(&self) -> AssertSqlSafe<String> {
        let milliseconds = self.long_read_timeout.as_millis();
        AssertSqlSafe(format!(
            "begin read only; set local statement_timeout = {milliseconds}"
        ))
    }

    /// Commits a transaction. Of an error other than a conflict nobody knows whether it came before the
    /// commit or after it.
    pub(crate) async fn commit(&self, transaction: Transaction) -> Result<()> {
        self.in_time(transaction.commit()).await
    }

    /// Bounds how long a database that gives no answer at all is waited for.
    ///
    /// *Errors*: [`StoreError::NoAnswer`], else those of the work.
    pub(crate) async fn in_time<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        self.within(self.answer_within, work).await
    }

    /// The same with another bound.
    ///
    /// *Errors*: those of [`Self::in_time`].
    pub(crate) async fn within<T>(
        &self,
        bound: Duration,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let done = tokio::time::timeout(bound, work).await;
        let done = done.unwrap_or(Err(StoreError::NoAnswer(bound)));
        if let Err(error) = &done {
            self.note(error);
        }
        done
    }

    /// Draws conclusions about the connections from a failure.
    fn note(&self, error: &StoreError) {
        if fault::of(error) == Fault::Away && !fault::is_busy(error) {
            Trust::set(&self.trust.made_after, Instant::now());
        }
        if matches!(error, StoreError::NoAnswer(_)) {
            Trust::set(&self.trust.suspect_until, Instant::now() + DISTRUST);
        }
    }

    /// Asks every host whether it takes writes, and turns to the first that does.
    pub(crate) async fn look_for_primary(&self) {
        if self.role == Role::Any || self.hosts.len() < 2 {
            return;
        }
        // Of many who wait one looks.
        let Ok(_looking) = self.looking.try_lock() else {
            return;
        };
        let mut asked: futures::stream::FuturesUnordered<_> =
            self.hosts.iter().map(takes_writes).collect();
        while let Some(found) = futures::StreamExt::next(&mut asked).await {
            if let Some(host) = found {
                self.pool.set_connect_options(host.clone());
                return;
            }
        }
    }

    /// Returns the pool, for a listener.
    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }

    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

/// Returns a host that takes writes as the address of further connections.
async fn takes_writes(host: &PgConnectOptions) -> Option<&PgConnectOptions> {
    let asked = async {
        let mut connection = host.connect().await?;
        let is_standby = is_standby(&mut connection).await;
        connection.close().await.ok();
        is_standby
    };
    match tokio::time::timeout(PROBE, asked).await {
        Ok(Ok(false)) => Some(host),
        _ => None,
    }
}

async fn is_standby(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let row =
        sqlx::query("select pg_is_in_recovery() or current_setting('transaction_read_only')::bool")
            .fetch_one(connection)
            .await?;
    row.try_get(0)
}

/// Settings of the connections; each connection is prepared and, where it led to a standby instead of
/// the primary, given up.
fn pool(role: Role, options: &StoreOptions, trust: &Arc<Trust>) -> PgPoolOptions {
    let milliseconds = options.statement_timeout.as_millis().to_string();
    let (before, after) = (Arc::clone(trust), Arc::clone(trust));
    // One of the primary's is the listener's for good.
    let listening = u32::from(role == Role::Primary);
    PgPoolOptions::new()
        .max_connections(options.connections.saturating_add(listening))
        .acquire_timeout(ACQUIRE.min(options.patience))
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            let milliseconds = milliseconds.clone();
            Box::pin(async move { prepare(connection, role, &milliseconds).await })
        })
        .before_acquire(move |connection, about| {
            let trust = Arc::clone(&before);
            Box::pin(async move {
                if trust.is_outdated(about.age) {
                    return Ok(false);
                }
                match about.idle_for > IDLE {
                    true => answers(connection).await,
                    false => Ok(true),
                }
            })
        })
        .after_release(move |connection, _| {
            let trust = Arc::clone(&after);
            Box::pin(async move {
                match trust.is_suspect() {
                    true => answers(connection).await,
                    false => Ok(true),
                }
            })
        })
}

/// Whether a connection answers within a short time.
async fn answers(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    match tokio::time::timeout(PROBE, connection.ping()).await {
        Ok(answered) => answered.map(|()| true),
        Err(_) => Err(sqlx::Error::PoolTimedOut),
    }
}

async fn prepare(
    connection: &mut PgConnection,
    role: Role,
    milliseconds: &str,
) -> Result<(), sqlx::Error> {
    let row = sqlx::query(
        "select pg_is_in_recovery() or current_setting('transaction_read_only')::bool, \
         set_config('statement_timeout', $1, false), \
         set_config('idle_in_transaction_session_timeout', $2, false)",
    )
    .bind(milliseconds)
    .bind(STANDSTILL.as_millis().to_string())
    .fetch_one(connection)
    .await?;
    if role == Role::Primary && row.try_get(0)? {
        // The pool tries again, by then perhaps with another host.
        return Err(sqlx::Error::Configuration(
            "this server is a standby".into(),
        ));
    }
    Ok(())
}
