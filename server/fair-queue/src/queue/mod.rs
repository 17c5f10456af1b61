//! A fair queue: a few places to work in, shared out among flows.
//!
//! Urgent work goes before the rest. Within each of the two, the flow that has had the least work
//! done comes next, so that a flow with much to do delays the others by no more than the piece that
//! is being worked on. The caller says what a piece costs.
//!
//! Source: Goyal, Vin and Cheng, "Start-time Fair Queuing" (1996).

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::oneshot, time::Instant};

use crate::flow::{self, Flow};

/// How long after urgent work one place stays closed to patient work, where there are several: more
/// urgent work is likely.
const KEPT_FREE: Duration = Duration::from_secs(10);
/// Pieces of urgent work in a row after which one patient piece is served, so that patient work
/// does not wait for ever.
const URGENT_IN_A_ROW: u32 = 32;
/// Pieces of work between two looks at which flows are still to be remembered.
const TIDY_EVERY: u32 = 1_024;

/// How long work may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// Somebody waits for the answer.
    Urgent,
    /// It may take a while.
    Patient,
}

/// Places to work in, and who waits for one.
#[derive(Debug, Clone)]
pub struct FairQueue(Arc<Mutex<State>>);

/// A place that was given; free again when dropped.
#[derive(Debug)]
pub struct Turn {
    queue: FairQueue,
    urgency: Urgency,
}

#[derive(Debug)]
struct State {
    places: usize,
    /// Places taken by urgent and by patient work.
    urgent_now: usize,
    patient_now: usize,
    urgent: Waiting,
    patient: Waiting,
    /// Pieces of urgent work since patient work was last done.
    urgent_in_a_row: u32,
    last_urgent: Option<Instant>,
}

/// Work of one urgency.
#[derive(Debug, Default)]
struct Waiting {
    flows: HashMap<Flow, Line>,
    /// Flows that wait, by the work they have had done and when their first piece came.
    order: BTreeMap<(u64, u64), Flow>,
    /// How much the flow that was served last had had done by then: no flow that waits has had less.
    done: u64,
    arrivals: u64,
    served: u32,
}

/// One flow's pieces of work, in the order in which they came.
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
    /// Makes a queue for so many pieces of work at once; at least one.
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

    /// Makes a queue whose work leaves half the processor's cores to everything else.
    pub fn of_half_the_cores() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(cores / 2)
    }

    /// Waits for a place to do this task's work in; `cost` is in any unit that is the same for all
    /// work of the queue. Dropping the future leaves the queue.
    pub async fn turn(&self, urgency: Urgency, cost: u64) -> Turn {
        self.turn_of(flow::current(), urgency, cost).await
    }

    async fn turn_of(&self, flow: Flow, urgency: Urgency, cost: u64) -> Turn {
        let (turn, given) = oneshot::channel();
        self.state().push(flow, urgency, cost, turn);
        self.serve();
        given
            .await
            .expect("a piece of work leaves the queue with its turn")
    }

    /// Gives out the places that are free.
    fn serve(&self) {
        loop {
            let next = self.state().next();
            let Some((urgency, given)) = next else { return };
            let queue = self.clone();
            // A caller that no longer waits drops the turn, which frees the place again.
            drop(given.send(Turn { queue, urgency }));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.queue.state().leave(self.urgency);
        self.queue.serve();
    }
}

impl State {
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

    /// Takes the piece of work that comes next out of the queue, and a place for it.
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
        (urgency, turn)
    }

    fn leave(&mut self, urgency: Urgency) {
        match urgency {
            Urgency::Urgent => self.urgent_now -= 1,
            Urgency::Patient => self.patient_now -= 1,
        }
    }

    /// Returns how many places patient work may have; never none.
    fn places_for_patient(&self) -> usize {
        let is_asked = |last: Instant| last.elapsed() < KEPT_FREE;
        match self.last_urgent.is_some_and(is_asked) {
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
            // What a flow did not use while it had nothing to do is not saved up.
            line.done = line.done.max(self.done);
            self.order.insert((line.done, arrival), flow);
        }
        line.pieces.push_back(Piece {
            cost,
            arrival,
            turn,
        });
    }

    /// Takes out the next piece of work that somebody still waits for.
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

    /// Forgets flows that have had no more than their share, now and then.
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
