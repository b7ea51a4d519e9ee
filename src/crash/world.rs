//! The world outside the pages, its troubles, and the pages as a platform.

use super::{Disk, STARTED, step};
use crate::core::error::{Error, ErrorCode, NOT_JSON, Operation, Source};
use crate::core::failure::Failure;
use crate::core::options::{Address, Options, Value};
use crate::http::Call;
use crate::http::config::{BASE_URL, CLIENT_ID, CONNECT_URL, Config};
use crate::platform::Platform;
use pos_connect_protocol::decode::Fault;
use serde::de::DeserializeOwned;
use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

thread_local! {
    static CONFIG: &'static Config = Box::leak(Box::new(checked()));
}

/// What goes wrong; once, if it is not the service's will.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Trouble {
    Nothing,
    RequestLost,
    AnswerLost,
    AnswerCut,
    FailedAfterwards,
    /// The call comes too soon.
    RateLimited,
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

    fn ended(&self) -> &() {
        &()
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
        if goes_wrong(Trouble::RateLimited) {
            return Err(refusal(429, ErrorCode::RateLimited).into());
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
fn config() -> &'static Config {
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
        (&BASE_URL, Value::Url(url("relay.example"))),
        (&CONNECT_URL, Value::Url(url("auth.example"))),
        (&CLIENT_ID, "till".into()),
    ]
    .into_iter()
    .collect();
    Config::new(&options).unwrap()
}

/// Reads a body as the browser does.
fn read<B: DeserializeOwned, T>(
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
