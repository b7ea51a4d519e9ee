//! Vendors that create integrations and leave most of them alone.

use crate::dice::Dice;
use crate::http::{Line, Message, query};
use crate::merchant::consent_at;
use crate::programs::{Merchant, Vendor};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use workbench::Result;

const THREADS: u64 = 4;
/// Of a hundred integrations. A password takes as long as hundreds of other calls.
const CONNECTED: u64 = 2;
const CANCELLED: u64 = 30;
const INTEGRATION: &str = "/v1/auth/integration";

#[derive(Default)]
pub struct Counts {
    pub created: AtomicU64,
    pub left: AtomicU64,
    pub cancelled: AtomicU64,
    pub connected: AtomicU64,
    /// By the clock: what the merchant was about to do had expired.
    pub cut_off: AtomicU64,
    wrong: Mutex<Option<String>>,
}

/// Until they are ended.
pub struct Lives {
    counts: Arc<Counts>,
    pace: Arc<Pace>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Pace {
    is_over: AtomicBool,
    /// Between two integrations of one thread, in microseconds.
    apart: AtomicU64,
}

impl Lives {
    pub fn start(
        service: SocketAddr,
        vendor: &Vendor,
        merchant: &Merchant,
        seed: u64,
    ) -> Result<Self> {
        let (counts, pace) = (Arc::new(Counts::default()), Arc::new(Pace::default()));
        let threads = (0..THREADS).map(|number| {
            let (counts, pace) = (counts.clone(), pace.clone());
            let mut caller = Caller {
                service,
                line: Line::new(service),
                vendor: vendor.clone(),
                merchant: merchant.clone(),
                dice: Dice::new(seed, &number.to_string()),
            };
            thread::spawn(move || {
                while !pace.is_over.load(Ordering::Relaxed) {
                    let begun = Instant::now();
                    if let Err(error) = caller.life(&counts) {
                        counts.note(error);
                    }
                    let apart = Duration::from_micros(pace.apart.load(Ordering::Relaxed));
                    thread::sleep(apart.saturating_sub(begun.elapsed()));
                }
            })
        });
        Ok(Self {
            threads: threads.collect(),
            counts,
            pace,
        })
    }

    pub fn begun(&self) -> u64 {
        self.counts.created.load(Ordering::Relaxed)
    }

    /// No more than so many a second, from now on.
    pub fn pace(&self, per_second: f64) {
        let apart = THREADS as f64 * 1e6 / per_second.max(1.0);
        self.pace.apart.store(apart as u64, Ordering::Relaxed);
    }

    pub fn end(self) -> Arc<Counts> {
        self.pace.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads {
            if thread.join().is_err() {
                self.counts.note("a caller broke off".to_owned());
            }
        }
        self.counts
    }
}

impl Counts {
    fn note(&self, error: String) {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        wrong.get_or_insert(error);
    }

    /// What went wrong first; or that what should have been done was not.
    pub fn fault(&self) -> Option<String> {
        let wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let connected = of(&self.connected);
        let too_few = || format!("only {connected} were connected");
        wrong
            .clone()
            .or_else(|| (connected == 0 || connected < of(&self.cut_off)).then(too_few))
    }
}

struct Caller {
    service: SocketAddr,
    line: Line,
    vendor: Vendor,
    merchant: Merchant,
    dice: Dice,
}

impl Caller {
    fn life(&mut self, counts: &Counts) -> Result<()> {
        let add = |count: &AtomicU64| {
            count.fetch_add(1, Ordering::Relaxed);
        };
        let created = self.ask("POST", INTEGRATION, &[], &[200])?;
        let token = created["integrationToken"].as_str().unwrap_or_default();
        let about = [("integration_token", token)];
        add(&counts.created);
        self.ask("GET", INTEGRATION, &about, &[200])?;
        match self.dice.below(100) {
            chosen if chosen < CONNECTED => match self.connect(token)? {
                true => add(&counts.connected),
                false => add(&counts.cut_off),
            },
            chosen if chosen < CONNECTED + CANCELLED => {
                // Expired is as good.
                self.ask("DELETE", INTEGRATION, &about, &[204])?;
                add(&counts.cancelled);
            }
            _ => add(&counts.left),
        }
        Ok(())
    }

    /// False if the time went by meanwhile.
    fn connect(&mut self, token: &str) -> Result<bool> {
        let Vendor { id, secret } = self.vendor.clone();
        if consent_at(self.service, &self.merchant, &id, token, false).is_err() {
            return Ok(false);
        }
        let path = format!("{INTEGRATION}/token");
        let tokens = self.ask("GET", &path, &[("integration_token", token)], &[200, 409])?;
        let Some(refresh) = tokens["refreshToken"].as_str() else {
            return Ok(false);
        };
        let request = Message::request("POST", "/v1/auth/token").form(&[
            ("client_id", &id),
            ("client_secret", &secret),
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh),
        ]);
        // 400: the refresh token has expired.
        let pair = self.line.expect(&request, &[200, 400])?;
        Ok(pair.json()["access_token"].is_string())
    }

    fn ask(
        &mut self,
        method: &str,
        path: &str,
        more: &[(&str, &str)],
        expected: &[u16],
    ) -> Result<Value> {
        let keys = [
            ("client_id", &*self.vendor.id),
            ("client_secret", &self.vendor.secret),
        ];
        let target = format!("{path}?{}", query(&[&keys, more].concat()));
        let request = Message::request(method, &target);
        self.line
            .expect(&request, expected)
            .map(|answer| answer.json())
    }
}
