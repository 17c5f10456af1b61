//! Who is served when.

#![allow(clippy::unwrap_used)]

use std::pin::Pin;

use futures::FutureExt as _;

use super::*;
use crate::flow::Voice;

type Waiting = Pin<Box<dyn Future<Output = Turn> + Send>>;

/// Pieces of work that wait, in the order in which they came.
#[derive(Default)]
struct Line(Vec<(&'static str, Waiting)>);

impl Line {
    /// Lets a flow wait for a turn; its name is the flow's.
    fn wait(&mut self, queue: &FairQueue, flow: &'static str, urgency: Urgency, cost: u64) {
        let queue = queue.clone();
        let waiting = async move {
            queue
                .turn_of(Flow::new(&flow, Voice::default()), urgency, cost)
                .await
        };
        let mut waiting: Waiting = Box::pin(waiting);
        // From here on it is in the queue.
        assert!(waiting.as_mut().now_or_never().is_none(), "{flow} waits");
        self.0.push((flow, waiting));
    }

    /// Takes out the one that got its turn, if any did.
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

    /// Frees a place, and then each place that was given, and returns in which order.
    fn order(&mut self, held: Turn) -> Vec<&'static str> {
        drop(held);
        let mut order = Vec::new();
        while let Some((flow, turn)) = self.served() {
            order.push(flow);
            drop(turn);
        }
        assert!(self.0.is_empty(), "somebody waits for ever");
        order
    }
}

fn held(queue: &FairQueue) -> Turn {
    let turn = queue.turn_of(Flow::default(), Urgency::Patient, 1);
    turn.now_or_never().expect("a place is free")
}

#[test]
fn urgent_work_overtakes_what_waits() {
    let queue = FairQueue::new(1);
    let (held, mut line) = (held(&queue), Line::default());
    for _ in 0..3 {
        line.wait(&queue, "record", Urgency::Patient, 100);
    }
    line.wait(&queue, "query", Urgency::Urgent, 1);
    let order = line.order(held);
    assert_eq!(order, ["query", "record", "record", "record"]);
}

#[test]
fn a_flow_with_much_to_do_does_not_delay_the_others() {
    for urgency in [Urgency::Urgent, Urgency::Patient] {
        let queue = FairQueue::new(1);
        let (held, mut line) = (held(&queue), Line::default());
        for _ in 0..33 {
            line.wait(&queue, "large", urgency, 100);
        }
        for _ in 0..3 {
            line.wait(&queue, "small", urgency, 100);
        }
        let order = line.order(held);
        let last = order.iter().rposition(|flow| *flow == "small").unwrap();
        assert!(last <= 6, "{urgency:?}: {order:?}");
        assert_eq!(order.len(), 36);
    }
}

#[test]
fn shares_are_by_cost_not_by_number() {
    let queue = FairQueue::new(1);
    let (held, mut line) = (held(&queue), Line::default());
    for _ in 0..10 {
        line.wait(&queue, "long", Urgency::Patient, 100);
        line.wait(&queue, "short", Urgency::Patient, 25);
    }
    let order = line.order(held);
    let long_ones = order[..10].iter().filter(|flow| **flow == "long").count();
    assert!((2..=3).contains(&long_ones), "{order:?}");
}

#[test]
fn an_idle_flow_saves_nothing_up_and_a_busy_one_loses_nothing() {
    let queue = FairQueue::new(1);
    let (first, mut line) = (held(&queue), Line::default());
    for _ in 0..20 {
        line.wait(&queue, "busy", Urgency::Patient, 100);
    }
    assert_eq!(line.order(first).len(), 20);
    let (second, mut line) = (held(&queue), Line::default());
    for _ in 0..4 {
        line.wait(&queue, "idle", Urgency::Patient, 100);
        line.wait(&queue, "busy", Urgency::Patient, 100);
    }
    let order = line.order(second);
    let busy = order[..5].iter().filter(|flow| **flow == "busy").count();
    assert!((2..=3).contains(&busy), "{order:?}");
}

#[test]
fn a_flow_that_gives_up_takes_no_place_and_pays_nothing() {
    let queue = FairQueue::new(1);
    let (held, mut line) = (held(&queue), Line::default());
    for _ in 0..100 {
        line.wait(&queue, "hasty", Urgency::Urgent, 1_000);
    }
    line.0.clear();
    line.wait(&queue, "hasty", Urgency::Urgent, 1);
    line.wait(&queue, "other", Urgency::Urgent, 1);
    assert_eq!(line.order(held), ["hasty", "other"]);
    let mut state = queue.state();
    assert!(state.next().is_none());
    assert_eq!((state.urgent_now, state.patient_now), (0, 0));
}

#[test]
fn a_turn_that_nobody_takes_any_more_is_given_on() {
    let queue = FairQueue::new(1);
    let (held, mut line) = (held(&queue), Line::default());
    line.wait(&queue, "gone", Urgency::Urgent, 1);
    line.wait(&queue, "here", Urgency::Urgent, 1);
    // It is given to the first, who goes without having looked.
    drop(held);
    drop(line.0.remove(0));
    assert_eq!(line.served().map(|(flow, _)| flow), Some("here"));
}

#[test]
fn urgent_work_does_not_starve_the_rest() {
    let queue = FairQueue::new(1);
    let (held, mut line) = (held(&queue), Line::default());
    line.wait(&queue, "record", Urgency::Patient, 1);
    for _ in 0..100 {
        line.wait(&queue, "query", Urgency::Urgent, 1);
    }
    let order = line.order(held);
    let record = order.iter().position(|flow| *flow == "record");
    assert_eq!(record, Some(URGENT_IN_A_ROW as usize));
}

#[tokio::test(start_paused = true)]
async fn one_place_is_kept_free_where_there_was_urgent_work() {
    let queue = FairQueue::new(2);
    let patient = || queue.turn_of(Flow::default(), Urgency::Patient, 1);
    let (first, second) = (patient().await, patient().await);
    drop((first, second));
    drop(queue.turn_of(Flow::default(), Urgency::Urgent, 1).await);
    let first = patient().await;
    assert!(patient().now_or_never().is_none(), "the other is kept free");
    let urgent = queue.turn_of(Flow::default(), Urgency::Urgent, 1);
    drop(urgent.now_or_never().expect("it is free"));
    tokio::time::advance(KEPT_FREE).await;
    let second = patient().now_or_never();
    assert!(second.is_some(), "no query came for long");
    drop(first);
}
