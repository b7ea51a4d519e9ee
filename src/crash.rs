//! A browser in memory whose page can be ended at every step: what is on its disk survives, and nothing else.

use crate::connect::platform::Platform;
use crate::core::Boxed;
use crate::core::error::{Error, ErrorCode, NOT_JSON, Operation, Source};
use crate::core::failure::Failure;
use crate::core::options::{Address, Options, Value};
use crate::http::Call;
use crate::http::config::{BASE_URL, CLIENT_ID, CONNECT_URL, Config};
use crate::vault::memory::Memory;
use crate::vault::mutex::Guard;
use crate::vault::storage::{Action, Found, Purpose, Range, Storage};
use pos_connect_protocol::decode::Fault;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// More steps than any page takes: it waits for what never comes.
const ENDLESS: usize = 10_000;

thread_local! {
    /// What the page that is polled now has started.
    static STARTED: RefCell<Vec<Boxed<'static, ()>>> = RefCell::default();
    static LETTERS: Cell<u32> = Cell::default();
    static CONFIG: &'static Config = Box::leak(Box::new(checked()));
}

/// Where a page can be ended: before and after whatever it asks of the world outside.
pub async fn step() {
    let mut is_over = false;
    poll_fn(|context| {
        if std::mem::replace(&mut is_over, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// A page and what it starts; over when all of that is.
pub async fn page<T>(main: impl Future<Output = T>) -> T {
    let mut main = pin!(main);
    let (mut value, mut tasks) = (None, Vec::new());
    poll_fn(|context| {
        if value.is_none()
            && let Poll::Ready(done) = main.as_mut().poll(context)
        {
            value = Some(done);
        }
        // One that is polled may start others.
        let mut place = 0;
        loop {
            tasks.append(&mut STARTED.take());
            match tasks.get_mut(place).map(|task| task.as_mut().poll(context)) {
                Some(Poll::Ready(())) => drop(tasks.remove(place)),
                Some(Poll::Pending) => place += 1,
                None => break,
            }
        }
        match value.take_if(|_| tasks.is_empty()) {
            Some(value) => Poll::Ready(value),
            None => Poll::Pending,
        }
    })
    .await
}

/// A page that ends after so many steps: its future is dropped. `None` if it was ended.
pub async fn ended<T>(main: impl Future<Output = T>, steps: usize) -> Option<T> {
    let mut main = Box::pin(Some(page(main)));
    let mut taken = 0;
    poll_fn(|context| {
        assert!(taken < ENDLESS, "the page never ends");
        let Some(running) = main.as_mut().as_pin_mut() else {
            return Poll::Ready(None);
        };
        if let Poll::Ready(value) = running.poll(context) {
            return Poll::Ready(Some(value));
        }
        taken += 1;
        if taken > steps {
            main.set(None);
            return Poll::Ready(None);
        }
        Poll::Pending
    })
    .await
}

/// Runs a page, and ends it after so many steps. `None` if it was ended.
pub fn run<T>(main: impl Future<Output = T>, steps: usize) -> Option<T> {
    let mut main = pin!(ended(main, steps));
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = main.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// Two pages side by side, and what became of the first one.
pub async fn both<T>(one: impl Future<Output = T>, other: impl Future<Output = ()>) -> T {
    let (mut one, mut other) = (pin!(one), pin!(page(other)));
    let (mut value, mut is_over) = (None, false);
    poll_fn(|context| {
        if value.is_none()
            && let Poll::Ready(done) = one.as_mut().poll(context)
        {
            value = Some(done);
        }
        is_over = is_over || other.as_mut().poll(context).is_ready();
        match value.take_if(|_| is_over) {
            Some(value) => Poll::Ready(value),
            None => Poll::Pending,
        }
    })
    .await
}

/// Calls `pages` with each way to end so many pages in a row, each at every step that it takes, and gives the number of
/// ways. `pages` says which of them were ended: the others took fewer steps.
pub fn end_everywhere(count: usize, pages: impl Fn(&[usize]) -> Vec<bool>) -> usize {
    let mut ways = 0;
    let mut ends = vec![0; count];
    'ways: loop {
        let was_ended = pages(&ends);
        ways += 1;
        // The last page that was ended is ended one step later; those after it begin anew.
        let mut last = count;
        loop {
            let Some(page) = last.checked_sub(1) else {
                break 'ways ways;
            };
            if was_ended[page] {
                ends[page] += 1;
                ends[last..].fill(0);
                continue 'ways;
            }
            last = page;
        }
    }
}

/// The disk of a browser, and the locks between its pages.
#[derive(Default)]
pub struct Disk {
    entries: Memory,
    /// What is done before the next action, if the page lives so long.
    later: RefCell<Vec<Action>>,
    /// The write that fails, as on a full disk: 1 is the next one, 0 is none.
    pub failing_write: Cell<u32>,
}

impl Disk {
    /// The page has ended, and with it what it has not begun to write; or the browser has begun it.
    pub fn page_ended(&self, is_begun: bool) {
        let later = self.later.take();
        if is_begun {
            later.into_iter().for_each(|action| {
                self.entries.perform(action);
            });
        }
    }

    /// Keeps an entry, as an earlier page did.
    pub fn put<T: Serialize>(&self, id: &str, kept: &T) {
        let (id, text) = (id.to_owned(), serde_json::to_string(kept).unwrap());
        self.entries.perform(Action::Write { id, text });
    }

    /// The texts of all entries.
    pub fn texts(&self) -> Vec<String> {
        let all = Action::Read(Range::Scope(String::new()), u32::MAX);
        let found = self.entries.perform(all).into_iter();
        found.filter_map(|found| found.text).collect()
    }
}

impl Storage for Disk {
    type Lock = Guard;

    fn scope(&self) -> &str {
        "scope "
    }

    async fn lock(&self, purpose: Purpose, id: &str) -> Result<Guard, Failure> {
        step().await;
        let guard = self.entries.mutex(purpose.name(id)).acquire().await;
        step().await;
        Ok(guard)
    }

    fn is_stolen(_: &Guard) -> bool {
        false
    }

    fn letters() -> Result<String, Failure> {
        let number = LETTERS.with(|letters| letters.replace(letters.get() + 1));
        Ok(format!("1-2-3-{number}"))
    }

    fn perform(&self, action: Action) -> Boxed<'_, Result<Vec<Found>, Failure>> {
        Box::pin(async move {
            step().await;
            self.page_ended(true);
            if matches!(action, Action::Write { .. } | Action::Replace { .. }) {
                let write = self.failing_write.get();
                self.failing_write.set(write.saturating_sub(1));
                if write == 1 {
                    return Err(Failure::new(ErrorCode::VaultFailed));
                }
            }
            let found = self.entries.perform(action);
            step().await;
            Ok(found)
        })
    }

    fn perform_later(&self, action: Action) {
        self.later.borrow_mut().push(action);
    }

    fn to_text<T: Serialize>(kept: &T) -> Result<String, Failure> {
        Ok(serde_json::to_string(kept).unwrap())
    }

    fn from_text<T: DeserializeOwned>(text: &str) -> Option<T> {
        serde_json::from_str(text).ok()
    }
}

/// What goes wrong; once, if it is not the service's will.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Trouble {
    Nothing,
    RequestLost,
    AnswerLost,
    AnswerCut,
    FailedAfterwards,
    /// Something on the way answers in the place of the service.
    Portal,
    HostThrows,
    HostThrowsAfterwards,
    /// The service never takes the second order.
    Refused,
    /// The service never takes an e-receipt.
    WithoutEreceipt,
    WriteFails(u32),
}

/// What answers the calls.
pub trait Service {
    /// What it does with a call, beside a trouble that is its will.
    fn answer(&self, call: Call, trouble: Trouble) -> Result<String, Error>;
}

/// The world outside the pages.
pub struct World<S> {
    pub disk: Rc<Disk>,
    pub trouble: Cell<Trouble>,
    /// The operation whose call meets the trouble of the network; `None`: whichever comes first.
    pub troubled: Cell<Option<Operation>>,
    /// Milliseconds of every clock.
    now: Cell<f64>,
    pub service: S,
}

impl<S> World<S> {
    pub fn new(trouble: Trouble, service: S) -> Self {
        let disk = Rc::new(Disk::default());
        if let Trouble::WriteFails(write) = trouble {
            disk.failing_write.set(write);
        }
        Self {
            disk,
            trouble: Cell::new(trouble),
            troubled: Cell::default(),
            now: Cell::default(),
            service,
        }
    }

    /// Whether that goes wrong now; not again.
    pub fn goes_wrong(&self, trouble: Trouble) -> bool {
        let is_it = self.trouble.get() == trouble;
        if is_it {
            self.trouble.set(Trouble::Nothing);
        }
        is_it
    }
}

/// A page of a browser in memory.
pub trait Page {
    type Service: Service;

    fn world(&self) -> &World<Self::Service>;
}

impl<P: Page> Platform for P {
    type Storage = Disk;
    type Cancel = ();
    type Listeners = ();

    fn storage(&self) -> &Disk {
        &self.world().disk
    }

    fn config(&self) -> &Config {
        config()
    }

    fn is_destroyed(&self) -> bool {
        false
    }

    fn check(_: &()) -> Result<(), Failure> {
        Ok(())
    }

    async fn race<T>(work: impl Future<Output = T>, _: &()) -> Result<T, Failure> {
        Ok(work.await)
    }

    async fn timeout<T>(&self, ms: f64, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        // What takes more than two steps takes longer than that.
        for _ in 0..2 {
            let polled = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
            if let Poll::Ready(value) = polled {
                return Some(value);
            }
            step().await;
        }
        let now = &self.world().now;
        now.set(now.get() + ms);
        None
    }

    fn start(work: impl Future<Output = ()> + 'static) {
        STARTED.with_borrow_mut(|started| started.push(Box::pin(work)));
    }

    fn on_wake(_: Rc<dyn Fn()>) {}

    async fn send(&self, call: Call, _: &()) -> Result<String, Failure> {
        let world = self.world();
        let is_met = world.troubled.get().is_none_or(|met| met == call.operation);
        let goes_wrong = |trouble| is_met && world.goes_wrong(trouble);
        step().await;
        if goes_wrong(Trouble::RequestLost) {
            return Err(Failure::new(ErrorCode::Network));
        }
        if goes_wrong(Trouble::Portal) {
            let mut error = Error::new(ErrorCode::Network);
            (error.status, error.source) = (Some(403), Some(Source::Intermediary));
            return Err(error.into());
        }
        let answer = world.service.answer(call, world.trouble.get());
        step().await;
        if goes_wrong(Trouble::AnswerLost) {
            return Err(Failure::new(ErrorCode::Network));
        }
        if goes_wrong(Trouble::FailedAfterwards) {
            return Err(Failure::new(ErrorCode::ServerError));
        }
        let mut body = answer?;
        if goes_wrong(Trouble::AnswerCut) {
            body.truncate(body.find("Café").unwrap_or(9));
        }
        Ok(body)
    }

    fn read<B: DeserializeOwned, T>(
        body: &str,
        reader: fn(B) -> Result<T, Fault>,
    ) -> Result<T, Failure> {
        read(body, reader)
    }

    fn now(&self) -> f64 {
        self.world().now.get()
    }

    fn uptime(&self) -> f64 {
        self.now()
    }

    fn random() -> f64 {
        0.5
    }

    fn is_online() -> bool {
        true
    }
}

/// What the service refuses.
pub fn refusal(status: u16, code: ErrorCode) -> Error {
    let mut error = Error::new(code);
    (error.status, error.source) = (Some(status), Some(Source::Service));
    error
}

/// Whom every page calls. It lives as long as the tests.
pub fn config() -> &'static Config {
    CONFIG.with(|config| *config)
}

fn checked() -> Config {
    let url = |hostname: &str| Address {
        href: ["https://", hostname, "/"].concat(),
        protocol: "https:".into(),
        hostname: hostname.into(),
        origin: ["https://", hostname].concat(),
        ..Address::default()
    };
    let options: Options = [
        (&BASE_URL, Value::from(url("relay.example"))),
        (&CONNECT_URL, url("auth.example").into()),
        (&CLIENT_ID, "till".into()),
    ]
    .into_iter()
    .collect();
    Config::new(&options).unwrap()
}

/// Reads a body as the browser does.
pub fn read<B: DeserializeOwned, T>(
    body: &str,
    reader: fn(B) -> Result<T, Fault>,
) -> Result<T, Failure> {
    let body = serde_json::from_str(body).map_err(|_| {
        let mut error = Error::new(ErrorCode::Protocol).detail(&[NOT_JSON]);
        error.source = Some(Source::Intermediary);
        error
    })?;
    reader(body).map_err(|_| Failure::new(ErrorCode::Protocol))
}
