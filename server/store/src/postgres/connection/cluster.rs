//! Connections to a cluster: finds the primary, also after a failover.

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

/// How long the pool tries to connect before the other hosts are asked whether one of them is the primary.
const ACQUIRE: Duration = Duration::from_secs(1);
/// How long a server may take to answer whether it accepts writes.
const PROBE: Duration = Duration::from_secs(2);
/// A connection that was idle for longer is tested before it is used.
const IDLE: Duration = Duration::from_secs(10);
/// How much longer than the statement timeout this server waits for an answer. It is only exceeded if the
/// database does not answer at all.
const BEYOND_STATEMENT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a transaction may be idle between two statements: a server that freezes in a transaction must
/// not block the writes of others.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(5);
/// How long connections are tested before reuse after one of them did not answer.
const DISTRUST: Duration = Duration::from_secs(60);

/// Which server of a cluster to connect to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The primary, which accepts writes.
    Primary,
    /// Any server; for reads that may return slightly older data.
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
    /// Held by the task that probes the hosts.
    probing: tokio::sync::Mutex<()>,
}

/// Which connections may be reused without a test.
#[derive(Debug)]
struct Trust {
    /// Older connections are not reused: their server may have become a standby.
    made_after: Mutex<Instant>,
    /// Until then every connection is tested before it goes back to the pool.
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

    fn set(field: &Mutex<Instant>, time: Instant) {
        *field.lock().unwrap_or_else(PoisonError::into_inner) = time;
    }
}

impl Cluster {
    /// Parses the address; connects when a connection is first needed.
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
                // After that the read is repeated on the primary.
                Role::Any => options.statement_timeout,
            },
            long_read_timeout: options.long_read_timeout.min(options.statement_timeout),
            trust,
            probing: tokio::sync::Mutex::default(),
        })
    }

    /// How long a call may wait for a connection.
    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// Starts counting the attempts of one call.
    pub(crate) fn tries(&self) -> Tries<'_> {
        Tries::new(self)
    }

    /// Returns a connection; finds the new primary first if necessary.
    ///
    /// *Errors*: that of the last attempt, after [`Self::patience`].
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

    /// Finds the reason if the pool only reports a timeout.
    async fn explained(&self, error: StoreError) -> StoreError {
        if !matches!(error, StoreError::Database(sqlx::Error::PoolTimedOut)) {
            return error;
        }
        // Only one of the waiting callers probes, so that a server without free connections gets few more.
        let Ok(_probing) = self.probing.try_lock() else {
            return error;
        };
        let host = self.pool.connect_options();
        let probe = async {
            let mut connection = host.connect().await?;
            is_standby(&mut connection).await
        };
        match tokio::time::timeout(PROBE, probe).await {
            Ok(Ok(true)) if self.role == Role::Primary => StoreError::NoPrimary,
            Ok(Err(reason)) => tls::explained(reason, &host),
            Ok(Ok(_)) => error,
            Err(_) => StoreError::NoAnswer(PROBE),
        }
    }

    /// Returns how the connection to the server is protected.
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

    /// Begins a read-only transaction with a particular command.
    pub(crate) async fn begin_read(&self, begin: impl SqlSafeStr) -> Result<Transaction> {
        let connection = self.connection().await?;
        Transaction::begin_with(connection, begin).await
    }

    /// Returns the command that begins a read of large parts of the database.
    pub(crate) fn long_read(&self) -> AssertSqlSafe<String> {
        let milliseconds = self.long_read_timeout.as_millis();
        AssertSqlSafe(format!(
            "begin read only; set local statement_timeout = {milliseconds}"
        ))
    }

    /// Commits a transaction. After an error other than a conflict it is unknown whether the transaction
    /// was committed.
    pub(crate) async fn commit(&self, transaction: Transaction) -> Result<()> {
        self.in_time(transaction.commit()).await
    }

    /// Limits the time for which work waits for a database that does not answer at all.
    ///
    /// *Errors*: [`StoreError::NoAnswer`], otherwise those of the work.
    pub(crate) async fn in_time<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        self.within(self.answer_within, work).await
    }

    /// Like [`Self::in_time`], with another limit.
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
            self.record_failure(error);
        }
        done
    }

    /// Marks connections as outdated or suspect after a failure.
    fn record_failure(&self, error: &StoreError) {
        if fault::of(error) == Fault::Away && !fault::is_busy(error) {
            Trust::set(&self.trust.made_after, Instant::now());
        }
        if matches!(error, StoreError::NoAnswer(_)) {
            Trust::set(&self.trust.suspect_until, Instant::now() + DISTRUST);
        }
    }

    /// Asks every host whether it accepts writes, and connects to the first that does from now on.
    pub(crate) async fn find_primary(&self) {
        if self.role == Role::Any || self.hosts.len() < 2 {
            return;
        }
        // Only one of the waiting callers probes the hosts.
        let Ok(_probing) = self.probing.try_lock() else {
            return;
        };
        let mut probes: futures::stream::FuturesUnordered<_> =
            self.hosts.iter().map(if_accepts_writes).collect();
        while let Some(probed) = futures::StreamExt::next(&mut probes).await {
            if let Some(host) = probed {
                self.pool.set_connect_options(host.clone());
                return;
            }
        }
    }

    /// Returns the pool, for the listener.
    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }

    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

/// Returns the host if it accepts writes.
async fn if_accepts_writes(host: &PgConnectOptions) -> Option<&PgConnectOptions> {
    let probe = async {
        let mut connection = host.connect().await?;
        let is_standby = is_standby(&mut connection).await;
        connection.close().await.ok();
        is_standby
    };
    match tokio::time::timeout(PROBE, probe).await {
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

/// Returns the pool's settings. Each new connection is prepared; one that leads to a standby although the
/// primary is needed is closed.
fn pool(role: Role, options: &StoreOptions, trust: &Arc<Trust>) -> PgPoolOptions {
    let milliseconds = options.statement_timeout.as_millis().to_string();
    let (before, after) = (Arc::clone(trust), Arc::clone(trust));
    // The listener permanently uses one connection to the primary.
    let listeners = u32::from(role == Role::Primary);
    PgPoolOptions::new()
        .max_connections(options.connections.saturating_add(listeners))
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
    .bind(IDLE_IN_TRANSACTION.as_millis().to_string())
    .fetch_one(connection)
    .await?;
    if role == Role::Primary && row.try_get(0)? {
        // The pool tries again, perhaps with another host by then.
        return Err(sqlx::Error::Configuration(
            "this server is a standby".into(),
        ));
    }
    Ok(())
}
