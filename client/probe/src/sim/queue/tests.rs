use std::sync::Arc;

use super::super::catalog::open;
use super::*;

fn queue(scheduler: Scheduler, depth: usize) -> CommandQueue {
    let mut model = open("ibm-9zx").unwrap().model().clone();
    model.read_cache.segments = 0;
    CommandQueue::new(Engine::new(Arc::new(model)), scheduler, depth)
}

/// Blocks far from each other, in an order that a good scheduler does not keep.
fn scattered() -> Vec<Request> {
    (0..64_u64).map(|at| Request::read(at * 2_654_435_761 % 16_000_000, 8)).collect()
}

fn serve_all(queue: &mut CommandQueue, requests: &[Request]) -> Vec<ServedCommand> {
    let mut completions = Vec::new();
    for request in requests {
        if queue.submit(0.0, *request).is_none() {
            completions.extend(queue.complete_next());
            queue.submit(0.0, *request).unwrap();
        }
    }
    completions.extend(std::iter::from_fn(|| queue.complete_next()));
    completions
}

#[test]
fn first_come_is_first_served() {
    let ids: Vec<u64> = serve_all(&mut queue(Scheduler::Fifo, 8), &scattered()).iter().map(|done| done.id).collect();
    assert_eq!(ids, (0..64).collect::<Vec<_>>());
}

#[test]
fn shortest_positioning_first_serves_every_request_once_and_sooner() {
    let fifo = serve_all(&mut queue(Scheduler::Fifo, 16), &scattered());
    let sptf = serve_all(&mut queue(Scheduler::Sptf, 16), &scattered());
    let mut ids: Vec<u64> = sptf.iter().map(|done| done.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..64).collect::<Vec<_>>());
    let ends = [&fifo, &sptf].map(|all| all.last().unwrap().end_ns);
    assert!(ends[1] < ends[0] * 0.75, "{ends:?}");
}

#[test]
fn a_deeper_queue_gives_shortest_positioning_more_to_choose_from() {
    let ends =
        [1, 4, 32].map(|depth| serve_all(&mut queue(Scheduler::Sptf, depth), &scattered()).last().unwrap().end_ns);
    assert!(ends[0] > ends[1] && ends[1] > ends[2], "{ends:?}");
}

#[test]
fn a_full_queue_takes_nothing() {
    let mut queue = queue(Scheduler::Fifo, 2);
    let taken: Vec<bool> = (0..3).map(|at| queue.submit(0.0, Request::read(at, 1)).is_some()).collect();
    assert_eq!(taken, [true, true, false]);
}

#[test]
fn a_request_is_not_served_before_it_has_come() {
    let mut queue = queue(Scheduler::Sptf, 4);
    queue.submit(9e9, Request::read(0, 1)).unwrap();
    assert!(queue.complete_next().unwrap().end_ns > 9e9);
    assert_eq!(queue.complete_next(), None);
}
