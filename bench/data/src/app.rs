//! What the objects of one app have in common.

use crate::fill::mix;

/// A source of values that depend on the app and the place they are used at only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct App {
    seed: u64,
    number: u64,
}

const SERVICES: &[&str] = &[
    "checkout",
    "catalog",
    "payments",
    "search",
    "identity",
    "ledger",
    "gateway",
    "profile",
    "media",
    "orders",
    "pricing",
    "shipping",
    "inventory",
    "recommender",
    "billing",
    "mailer",
    "audit",
    "session",
    "frontend",
    "webhook",
    "exporter",
    "scheduler",
    "reports",
    "fraud",
    "tax",
    "returns",
    "wishlist",
    "geocoder",
    "translator",
    "loyalty",
];

const WORDS: &[&str] = &[
    "CACHE", "QUEUE", "DATABASE", "UPSTREAM", "RETRY", "TIMEOUT", "FEATURE", "REGION", "POOL", "BATCH",
    "TRACE", "METRICS", "SESSION", "TOKEN", "BUCKET", "TOPIC", "SHARD", "LIMIT", "WORKER", "REPLICA",
];

impl App {
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        Self { seed, number }
    }

    /// A number below `limit`.
    pub(crate) fn number(self, place: u64, limit: u64) -> u64 {
        mix(self.seed, self.number, 70_000 + place) % limit
    }

    pub(crate) fn pick<'a>(self, place: u64, from: &[&'a str]) -> &'a str {
        from[self.number(place, from.len() as u64) as usize]
    }

    pub(crate) fn hex(self, place: u64, digits: usize) -> String {
        let mut text: String = (0..4)
            .map(|part| format!("{:016x}", mix(self.seed, self.number, 80_000 + place * 4 + part)))
            .collect();
        text.truncate(digits);
        text
    }

    pub(crate) fn uuid(self, place: u64) -> String {
        let digits = self.hex(place, 32);
        format!(
            "{}-{}-4{}-a{}-{}",
            &digits[..8],
            &digits[8..12],
            &digits[13..16],
            &digits[17..20],
            &digits[20..]
        )
    }

    /// What it does.
    pub(crate) fn service(self) -> &'static str {
        self.pick(0, SERVICES)
    }

    /// What it is called.
    pub(crate) fn name(self) -> String {
        format!("{}-{}", self.service(), self.hex(1, 4))
    }

    /// The name of an environment variable.
    pub(crate) fn variable(self, place: u64) -> String {
        format!(
            "{}_{}_{}",
            self.pick(place, WORDS),
            self.pick(place + 1, WORDS),
            self.number(place + 2, 90) + 10
        )
    }

    /// The value of an environment variable: an address, a number, a switch, a key.
    pub(crate) fn value(self, place: u64) -> String {
        match self.number(place, 6) {
            0 => format!(
                "{}.{}.svc.cluster.local:{}",
                self.pick(place + 1, SERVICES),
                self.hex(place + 2, 6),
                1_024 + self.number(place + 3, 60_000)
            ),
            1 => format!("{}", self.number(place + 1, 100_000)),
            2 => ["true", "false"][self.number(place + 1, 2) as usize].to_owned(),
            3 => format!(
                "https://{}.example.com/{}/{}",
                self.hex(place + 1, 8),
                self.pick(place + 2, SERVICES),
                self.hex(place + 3, 12)
            ),
            4 => self.hex(place + 1, 24),
            _ => format!("{}ms", self.number(place + 1, 9_000) + 50),
        }
    }

    /// How many objects it has compared with the others: few are large, many small.
    pub(crate) fn weight(self) -> u64 {
        1 << self.number(2, 6)
    }
}
