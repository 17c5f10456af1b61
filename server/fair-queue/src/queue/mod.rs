//! A fair queue: a limited number of places to run work in, shared among flows.
//!
//! Urgent work goes before patient work. Within each of the two, the flow that has been served the least is
//! next, so a flow with many pieces of work delays the others by no more than the piece that is running. The
//! caller specifies the cost of a piece.
//!
//! Source: Goyal, Vin and Cheng, "Start-time Fair Queuing" (1996).

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::oneshot, time::Instant};

use crate::flow::{self, Flow};

/// How long after urgent work one of several places stays reserved for urgent work, because more of it is
/// likely.
const RESERVED_FOR: Duration = Duration::from_secs(10);
/// After this many pieces of urgent work in a row, one patient piece is served, so that patient work is never
/// starved.
const URGENT_IN_A_ROW: u32 = 32;
/// After this many pieces of work, flows that need not be remembered are removed.
const TIDY_EVERY: u32 = 1_024;

/// Whether work can wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// A caller waits for the result.
    Urgent,
    /// It may take a while.
    Patient,
}

/// A limited number of places and the work that waits for one.
#[derive(Debug, Clone)]
pub struct FairQueue(Arc<Mutex<State>>);

/// A place to run work in; it is free again when this is dropped.
#[derive(Debug)]
pub struct Turn {
    queue: FairQueue,
    urgency: Urgency,
}

#[derive(Debug)]
struct State {
    places: usize,
    /// Places used by urgent work.
    urgent_now: usize,
    /// Places used by patient work.
    patient_now: usize,
    urgent: Waiting,
    patient: Waiting,
    /// Pieces of urgent work since the last patient one.
    urgent_in_a_row: u32,
    last_urgent: Option<Instant>,
}

/// Waiting work of one urgency.
#[derive(Debug, Default)]
struct Waiting {
    flows: HashMap<Flow, Line>,
    /// Flows with waiting work, sorted by the cost served so far and the arrival of their first piece.
    order: BTreeMap<(u64, u64), Flow>,
    /// The served cost, at that time, of the flow that was served last: no waiting flow has less.
    done: u64,
    arrivals: u64,
    served: u32,
}

/// One flow's waiting pieces of work, in the order of arrival.
#[derive(Debug, Default)]
struct Line {
    done: u64,
    pieces: VecDeque<Piece>,
}

#[derive(Debug)]
struct Piece {
    cost: u64,
    arrival: u64,
    turn: oneshot::Sender<Turn>,
}

impl FairQueue {
    /// Creates a queue that runs this many pieces of work at a time; at least one.
    pub fn new(places: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            places: places.max(1),
            urgent_now: 0,
            patient_now: 0,
            urgent: Waiting::default(),
            patient: Waiting::default(),
            urgent_in_a_row: 0,
            last_urgent: None,
        })))
    }

    /// Creates a queue that leaves half of the processor's cores to other work.
    pub fn of_half_the_cores() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(cores / 2)
    }

    /// Waits for a place to run a piece of this task's work; `cost` is in any unit that is the same for all work
    /// of the queue. Dropping the future leaves the queue.
    pub async fn turn(&self, urgency: Urgency, cost: u64) -> Turn {
        self.turn_for(flow::current(), urgency, cost).await
    }

    async fn turn_for(&self, flow: Flow, urgency: Urgency, cost: u64) -> Turn {
        let receiver = {
            let mut state = self.state();
            if state.start_at_once(flow, urgency, cost) {
                let queue = self.clone();
                return Turn { queue, urgency };
            }
            let (turn, receiver) = oneshot::channel();
            state.push(flow, urgency, cost, turn);
            receiver
        };
        self.serve();
        receiver
            .await
            .expect("a piece of work leaves the queue with its turn")
    }

    /// Gives the free places to waiting work.
    fn serve(&self) {
        loop {
            let next = self.state().next();
            let Some((urgency, sender)) = next else {
                return;
            };
            let queue = self.clone();
            // A caller that no longer waits drops the turn, which frees the place again.
            drop(sender.send(Turn { queue, urgency }));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let is_wanted = {
            let mut state = self.queue.state();
            state.leave(self.urgency);
            state.has_waiting()
        };
        if is_wanted {
            self.queue.serve();
        }
    }
}

impl State {
    fn has_waiting(&self) -> bool {
        !self.urgent.order.is_empty() || !self.patient.order.is_empty()
    }

    /// Takes a place for work without queueing it; returns whether there was one. Where work is waiting, new work
    /// has to queue.
    fn start_at_once(&mut self, flow: Flow, urgency: Urgency, cost: u64) -> bool {
        let running = self.urgent_now + self.patient_now;
        if running >= self.places || self.has_waiting() {
            return false;
        }
        let waiting = match urgency {
            Urgency::Urgent => {
                self.last_urgent = Some(Instant::now());
                &mut self.urgent
            }
            Urgency::Patient if self.patient_now < self.places_for_patient() => &mut self.patient,
            Urgency::Patient => return false,
        };
        waiting.charge(flow, cost);
        self.enter(urgency);
        true
    }

    fn push(&mut self, flow: Flow, urgency: Urgency, cost: u64, turn: oneshot::Sender<Turn>) {
        let waiting = match urgency {
            Urgency::Urgent => {
                self.last_urgent = Some(Instant::now());
                &mut self.urgent
            }
            Urgency::Patient => &mut self.patient,
        };
        waiting.push(flow, cost, turn);
    }

    /// Removes the next piece of work from the queue and takes a place for it.
    fn next(&mut self) -> Option<(Urgency, oneshot::Sender<Turn>)> {
        if self.urgent_now + self.patient_now >= self.places {
            return None;
        }
        let patient_may = self.patient_now < self.places_for_patient();
        let patient_is_due = self.urgent_in_a_row >= URGENT_IN_A_ROW;
        if patient_may
            && patient_is_due
            && let Some(turn) = self.patient.pop()
        {
            return Some(self.start(Urgency::Patient, turn));
        }
        if let Some(turn) = self.urgent.pop() {
            return Some(self.start(Urgency::Urgent, turn));
        }
        let turn = patient_may.then(|| self.patient.pop()).flatten()?;
        Some(self.start(Urgency::Patient, turn))
    }

    fn start(
        &mut self,
        urgency: Urgency,
        turn: oneshot::Sender<Turn>,
    ) -> (Urgency, oneshot::Sender<Turn>) {
        self.enter(urgency);
        (urgency, turn)
    }

    /// Counts work that begins to run.
    fn enter(&mut self, urgency: Urgency) {
        match urgency {
            Urgency::Urgent => {
                self.urgent_now += 1;
                self.urgent_in_a_row = self.urgent_in_a_row.saturating_add(1);
            }
            Urgency::Patient => {
                self.patient_now += 1;
                self.urgent_in_a_row = 0;
            }
        }
    }

    fn leave(&mut self, urgency: Urgency) {
        match urgency {
            Urgency::Urgent => self.urgent_now -= 1,
            Urgency::Patient => self.patient_now -= 1,
        }
    }

    /// Returns how many places patient work may use; at least one.
    fn places_for_patient(&self) -> usize {
        let is_recent = |last: Instant| last.elapsed() < RESERVED_FOR;
        match self.last_urgent.is_some_and(is_recent) {
            true => self.places.saturating_sub(1).max(1),
            false => self.places,
        }
    }
}

impl Waiting {
    fn push(&mut self, flow: Flow, cost: u64, turn: oneshot::Sender<Turn>) {
        let arrival = self.arrivals;
        self.arrivals += 1;
        let line = self.flows.entry(flow).or_default();
        if line.pieces.is_empty() {
            // A flow gets no credit for the time in which it had no work.
            line.done = line.done.max(self.done);
            self.order.insert((line.done, arrival), flow);
        }
        line.pieces.push_back(Piece {
            cost,
            arrival,
            turn,
        });
    }

    /// Charges a flow for work that runs without having waited.
    fn charge(&mut self, flow: Flow, cost: u64) {
        let line = self.flows.entry(flow).or_default();
        let done = line.done.max(self.done);
        self.done = done;
        line.done = done.saturating_add(cost.max(1));
        self.tidy();
    }

    /// Removes the next piece of work whose caller still waits for it.
    fn pop(&mut self) -> Option<oneshot::Sender<Turn>> {
        loop {
            let ((done, _), flow) = self.order.pop_first()?;
            let line = self.flows.get_mut(&flow)?;
            let piece = line.next_wanted();
            if let Some(piece) = &piece {
                self.done = self.done.max(done);
                line.done = done.saturating_add(piece.cost.max(1));
            }
            if let Some(front) = line.pieces.front() {
                self.order.insert((line.done, front.arrival), flow);
            }
            if let Some(piece) = piece {
                self.tidy();
                return Some(piece.turn);
            }
        }
    }

    /// Removes, from time to time, flows that are idle and have had no more than their share.
    fn tidy(&mut self) {
        self.served = self.served.wrapping_add(1);
        if self.served.is_multiple_of(TIDY_EVERY) {
            let done = self.done;
            self.flows
                .retain(|_, line| !line.pieces.is_empty() || line.done > done);
        }
    }
}

impl Line {
    fn next_wanted(&mut self) -> Option<Piece> {
        std::iter::from_fn(|| self.pieces.pop_front()).find(|piece| !piece.turn.is_closed())
    }
}

#[cfg(test)]
mod tests;
