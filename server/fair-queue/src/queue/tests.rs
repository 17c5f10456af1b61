//! The order in which work is served.

#![allow(clippy::unwrap_used)]

use std::pin::Pin;

use futures::FutureExt as _;

use super::*;
use crate::flow::Voice;

type Waiting = Pin<Box<dyn Future<Output = Turn> + Send>>;

/// Waiting pieces of work, in the order of arrival.
#[derive(Default)]
struct Line(Vec<(&'static str, Waiting)>);

impl Line {
    /// Adds a piece of work of a flow with this name.
    fn wait(&mut self, queue: &FairQueue, flow: &'static str, urgency: Urgency, cost: u64) {
        let queue = queue.clone();
        let waiting = async move {
            queue
                .turn_for(Flow::new(&flow, Voice::default()), urgency, cost)
                .await
        };
        let mut waiting: Waiting = Box::pin(waiting);
        // The future was polled, so it is in the queue.
        assert!(waiting.as_mut().now_or_never().is_none(), "{flow} waits");
        self.0.push((flow, waiting));
    }

    /// Removes and returns the piece that got its turn, if there is one.
    fn served(&mut self) -> Option<(&'static str, Turn)> {
        let served = self
            .0
            .iter_mut()
            .enumerate()
            .find_map(|(at, (_, waiting))| {
                let turn = waiting.as_mut().now_or_never()?;
                Some((at, turn))
            });
        let (at, turn) = served?;
        let (flow, _) = self.0.remove(at);
        Some((flow, turn))
    }

    /// Frees a place, then each place that is given, and returns the order of the flows.
    fn order(&mut self, blocker: Turn) -> Vec<&'static str> {
        drop(blocker);
        let mut order = Vec::new();
        while let Some((flow, turn)) = self.served() {
            order.push(flow);
            drop(turn);
        }
        assert!(self.0.is_empty(), "somebody waits for ever");
        order
    }
}

fn blocker(queue: &FairQueue) -> Turn {
    let turn = queue.turn_for(Flow::default(), Urgency::Patient, 1);
    turn.now_or_never().expect("a place is free")
}

#[test]
fn urgent_work_overtakes_waiting_patient_work() {
    let queue = FairQueue::new(1);
    let (blocker, mut line) = (blocker(&queue), Line::default());
    for _ in 0..3 {
        line.wait(&queue, "record", Urgency::Patient, 100);
    }
    line.wait(&queue, "query", Urgency::Urgent, 1);
    let order = line.order(blocker);
    assert_eq!(order, ["query", "record", "record", "record"]);
}

#[test]
fn a_flow_with_much_work_does_not_delay_the_others() {
    for urgency in [Urgency::Urgent, Urgency::Patient] {
        let queue = FairQueue::new(1);
        let (blocker, mut line) = (blocker(&queue), Line::default());
        for _ in 0..33 {
            line.wait(&queue, "large", urgency, 100);
        }
        for _ in 0..3 {
            line.wait(&queue, "small", urgency, 100);
        }
        let order = line.order(blocker);
        let last = order.iter().rposition(|flow| *flow == "small").unwrap();
        assert!(last <= 6, "{urgency:?}: {order:?}");
        assert_eq!(order.len(), 36);
    }
}

#[test]
fn shares_are_by_cost_not_by_number() {
    let queue = FairQueue::new(1);
    let (blocker, mut line) = (blocker(&queue), Line::default());
    for _ in 0..10 {
        line.wait(&queue, "long", Urgency::Patient, 100);
        line.wait(&queue, "short", Urgency::Patient, 25);
    }
    let order = line.order(blocker);
    let long_ones = order[..10].iter().filter(|flow| **flow == "long").count();
    assert!((2..=3).contains(&long_ones), "{order:?}");
}

#[test]
fn an_idle_flow_gets_no_credit_and_a_busy_one_is_not_punished() {
    let queue = FairQueue::new(1);
    let (first, mut line) = (blocker(&queue), Line::default());
    for _ in 0..20 {
        line.wait(&queue, "busy", Urgency::Patient, 100);
    }
    assert_eq!(line.order(first).len(), 20);
    let (second, mut line) = (blocker(&queue), Line::default());
    for _ in 0..4 {
        line.wait(&queue, "idle", Urgency::Patient, 100);
        line.wait(&queue, "busy", Urgency::Patient, 100);
    }
    let order = line.order(second);
    let busy = order[..5].iter().filter(|flow| **flow == "busy").count();
    assert!((2..=3).contains(&busy), "{order:?}");
}

#[test]
fn a_flow_that_gives_up_uses_no_place_and_pays_nothing() {
    let queue = FairQueue::new(1);
    let (blocker, mut line) = (blocker(&queue), Line::default());
    for _ in 0..100 {
        line.wait(&queue, "hasty", Urgency::Urgent, 1_000);
    }
    line.0.clear();
    line.wait(&queue, "hasty", Urgency::Urgent, 1);
    line.wait(&queue, "other", Urgency::Urgent, 1);
    assert_eq!(line.order(blocker), ["hasty", "other"]);
    let mut state = queue.state();
    assert!(state.next().is_none());
    assert_eq!((state.urgent_now, state.patient_now), (0, 0));
}

#[test]
fn a_turn_whose_caller_is_gone_is_passed_on() {
    let queue = FairQueue::new(1);
    let (blocker, mut line) = (blocker(&queue), Line::default());
    line.wait(&queue, "gone", Urgency::Urgent, 1);
    line.wait(&queue, "here", Urgency::Urgent, 1);
    // The first one gets the place, but is dropped before it is polled.
    drop(blocker);
    drop(line.0.remove(0));
    assert_eq!(line.served().map(|(flow, _)| flow), Some("here"));
}

#[test]
fn urgent_work_does_not_starve_patient_work() {
    let queue = FairQueue::new(1);
    let (blocker, mut line) = (blocker(&queue), Line::default());
    line.wait(&queue, "record", Urgency::Patient, 1);
    for _ in 0..100 {
        line.wait(&queue, "query", Urgency::Urgent, 1);
    }
    let order = line.order(blocker);
    let record = order.iter().position(|flow| *flow == "record");
    assert_eq!(record, Some(URGENT_IN_A_ROW as usize));
}

#[tokio::test(start_paused = true)]
async fn one_place_is_reserved_after_urgent_work() {
    let queue = FairQueue::new(2);
    let patient = || queue.turn_for(Flow::default(), Urgency::Patient, 1);
    let (first, second) = (patient().await, patient().await);
    drop((first, second));
    drop(queue.turn_for(Flow::default(), Urgency::Urgent, 1).await);
    let first = patient().await;
    assert!(patient().now_or_never().is_none(), "the other is kept free");
    let urgent = queue.turn_for(Flow::default(), Urgency::Urgent, 1);
    drop(urgent.now_or_never().expect("it is free"));
    tokio::time::advance(RESERVED_FOR).await;
    let second = patient().now_or_never();
    assert!(second.is_some(), "no query came for long");
    drop(first);
}
