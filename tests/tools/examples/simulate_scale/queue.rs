//! Calls that arrive at random, use the database and then wait for a replica: an open queueing network of
//! first-come-first-served stations, simulated event by event. The same seed gives the same times.

/// The share of the queries that a bound applies to.
pub(crate) const P99: f64 = 0.99;
/// The share of the calls at the beginning that only fill the queues.
const WARM_UP: f64 = 0.1;
/// The number of bisection steps after which the largest load is known to a thousandth.
const HALVINGS: usize = 10;

/// The processor time of one kind of work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Service {
    /// The mean in milliseconds.
    pub(crate) mean: f64,
    /// The standard deviation of its logarithm.
    pub(crate) spread: f64,
}

/// Replicas in front of one database, and the load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct System {
    pub(crate) replicas: usize,
    /// Cores of each replica.
    pub(crate) cores: usize,
    pub(crate) database_cores: usize,
    /// The cost of a query at its replica.
    pub(crate) query: Service,
    /// The cost of a query at the database.
    pub(crate) database_query: Service,
    /// The cost of a submission at the replica that accepts it, at each other replica, and at the database.
    pub(crate) submit: Service,
    pub(crate) intake: Service,
    pub(crate) insert: Service,
    /// Calls per second.
    pub(crate) queries: f64,
    pub(crate) submits: f64,
}

/// The response times of queries in milliseconds, sorted.
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// Returns the time within which a share of the queries is answered.
    pub(crate) fn within(&self, share: f64) -> f64 {
        let at = (self.0.len().saturating_sub(1) as f64 * share).round() as usize;
        self.0.get(at).copied().unwrap_or(f64::INFINITY)
    }

    /// Like [`Self::within`], for queries that wait for the slowest of several equal systems.
    pub(crate) fn slowest_within(&self, systems: usize, share: f64) -> f64 {
        self.within(share.powf(1.0 / systems as f64))
    }

    #[cfg(test)]
    pub(crate) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }
}

impl System {
    /// Returns the queries per second that a system of this kind cannot exceed.
    pub(crate) fn ceiling(&self) -> f64 {
        let by = |cores: usize, busy: f64, service: Service| {
            (cores as f64 * 1e3 - busy).max(0.0) / service.mean
        };
        let others = self.replicas.saturating_sub(1) as f64;
        let taking_in = self.submits * (self.submit.mean + others * self.intake.mean);
        let at_replicas = by(self.replicas * self.cores, taking_in, self.query);
        let inserting = self.submits * self.insert.mean;
        at_replicas.min(by(self.database_cores, inserting, self.database_query))
    }

    /// Simulates this many calls for each replica.
    pub(crate) fn run(&self, calls: usize, seed: u64) -> Times {
        let mut chance = Chance(seed);
        let mut database = Station::new(self.database_cores);
        let mut jobs: Vec<Vec<Job>> = vec![Vec::new(); self.replicas];
        let mut now = 0.0;
        for _ in 0..calls * self.replicas {
            now += chance.gap(self.queries + self.submits);
            let replica = chance.below(self.replicas);
            let is_query = chance.share() * (self.queries + self.submits) < self.queries;
            let service = if is_query {
                self.database_query
            } else {
                self.insert
            };
            let database_done = database.serve(now, chance.time(service));
            let mut add = |replica: usize, service, came| {
                let (at, takes) = (database_done, chance.time(service));
                jobs[replica].push(Job { at, takes, came });
            };
            if is_query {
                add(replica, self.query, Some(now));
            } else {
                for each in 0..self.replicas {
                    let service = if each == replica {
                        self.submit
                    } else {
                        self.intake
                    };
                    add(each, service, None);
                }
            }
        }
        let begin = now * WARM_UP;
        let times = jobs.into_iter().flat_map(|jobs| self.answers(jobs, begin));
        let mut times: Vec<f64> = times.collect();
        times.sort_unstable_by(f64::total_cmp);
        Times(times)
    }

    /// Simulates the jobs of a replica; returns the response times of queries that arrived after the beginning.
    fn answers(&self, mut jobs: Vec<Job>, begin: f64) -> Vec<f64> {
        jobs.sort_unstable_by(|a, b| a.at.total_cmp(&b.at));
        let mut replica = Station::new(self.cores);
        let times = jobs.into_iter().filter_map(|job| {
            let answered = replica.serve(job.at, job.takes);
            let came = job.came.filter(|came| *came >= begin)?;
            Some(answered - came)
        });
        times.collect()
    }

    /// Returns the maximum queries per second of which 99 % are answered within so many milliseconds.
    pub(crate) fn most_queries(&self, within: f64, calls: usize, seed: u64) -> f64 {
        let (mut least, mut most) = (0.0, self.ceiling());
        for _ in 0..HALVINGS {
            let queries = f64::midpoint(least, most);
            let times = Self { queries, ..*self }.run(calls, seed);
            if times.within(P99) <= within {
                least = queries;
            } else {
                most = queries;
            }
        }
        least
    }
}

/// A job of a replica.
#[derive(Debug, Clone, Copy)]
struct Job {
    at: f64,
    takes: f64,
    /// The arrival time of the query that waits for the job; `None` for submissions.
    came: Option<f64>,
}

/// Cores that serve jobs in order of arrival: the time at which each becomes free.
struct Station(Vec<f64>);

impl Station {
    fn new(cores: usize) -> Self {
        Self(vec![0.0; cores])
    }

    /// Returns the time at which a job that arrives now is done.
    fn serve(&mut self, now: f64, takes: f64) -> f64 {
        let free = self.0.iter_mut().min_by(|a, b| a.total_cmp(b));
        let free = free.expect("a station has a core");
        *free = free.max(now) + takes;
        *free
    }
}

/// A pseudo-random number generator (splitmix64).
struct Chance(u64);

impl Chance {
    /// Returns a number between 0 and 1, never 0.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((mixed ^ (mixed >> 31)) >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        ((1.0 - self.share()) * end as f64) as usize
    }

    /// Returns the milliseconds between two calls at this rate per second.
    fn gap(&mut self, per_second: f64) -> f64 {
        -self.share().ln() * 1e3 / per_second
    }

    /// Returns a log-normally distributed service time.
    fn time(&mut self, service: Service) -> f64 {
        let radius = (-2.0 * self.share().ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * self.share()).cos();
        service.mean * (service.spread * normal - service.spread.powi(2) / 2.0).exp()
    }
}
