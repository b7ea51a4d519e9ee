//! Runs Rust futures on the page's event loop. Not wasm-bindgen-futures: this is a third of its size, because here a task only ever waits for
//! a `Bell`, and the page is single-threaded, so that neither wakers nor a queue of our own are needed.

use super::js;
use super::listener::Callback;
use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// What a task runs.
pub type Job = Pin<Box<dyn Future<Output = ()>>>;

thread_local! {
    /// The task that is being polled.
    static CURRENT: RefCell<Option<Rc<Task>>> = const { RefCell::new(None) };
}

/// A future on its way.
pub struct Task {
    job: Cell<Option<Job>>,
    /// Polls the job. Holds this task, so that it lives until it is done.
    resume: RefCell<Option<Callback>>,
    is_due: Cell<bool>,
}

impl Task {
    /// Starts a job, in a microtask of its own.
    pub fn start(job: Job) {
        let task = Rc::new(Self {
            job: Cell::new(Some(job)),
            resume: RefCell::default(),
            is_due: Cell::new(false),
        });
        let own = task.clone();
        let resume = Callback::wrap(Box::new(move |_| own.poll()));
        task.resume.replace(Some(resume));
        task.wake();
    }

    /// The task that asks.
    pub fn current() -> Option<Rc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Polls the job soon; not at once, because whoever wakes it may hold a borrow.
    pub fn wake(&self) {
        if let Some(resume) = &*self.resume.borrow()
            && !self.is_due.replace(true)
        {
            let queued = js::call(&js::global(), "queueMicrotask", resume.as_ref(), js::NONE);
            // Not lost for good where a page has broken it for a moment.
            self.is_due.set(queued.is_ok());
        }
    }

    fn poll(self: &Rc<Self>) {
        self.is_due.set(false);
        let Some(mut job) = self.job.take() else {
            self.resume.take();
            return;
        };
        CURRENT.with(|current| current.replace(Some(self.clone())));
        let polled = job.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        CURRENT.with(RefCell::take);
        match polled {
            Poll::Pending => {
                self.job.replace(Some(job));
            }
            // Woken by its own last step: that call still comes, and must find somebody.
            Poll::Ready(()) if self.is_due.get() => {}
            Poll::Ready(()) => {
                self.resume.take();
            }
        }
    }
}
