//! Filling holes.

use crate::hole::{Hole, Value};

/// Everything a hole may depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub(crate) seed: u64,
    pub(crate) object: u64,
    pub(crate) app: u64,
    /// Which object of its app it is.
    pub(crate) ordinal: u64,
    /// Who owns it, itself if nobody that is served does; and which of its app that is.
    pub(crate) owner: u64,
    pub(crate) owner_ordinal: u64,
    /// 0 as listed at first, otherwise the number of the event that made it.
    pub(crate) version: u64,
    pub(crate) resource_version: u64,
    pub(crate) namespace: u64,
    pub(crate) node: u64,
}

/// The first second of this world.
const DAWN: u64 = 1_750_000_000;

/// A number that looks random but depends on its arguments only.
pub(crate) fn mix(seed: u64, a: u64, b: u64) -> u64 {
    let mut x = seed
        ^ a.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ b.wrapping_add(1).wrapping_mul(0xd1b5_4a32_d192_ed03);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Identity {
    fn random(&self, place: u64) -> u64 {
        mix(self.seed, self.object, 1_000 + place)
    }

    fn created(&self, place: u64) -> u64 {
        DAWN + self.app * 7_321 + self.random(900) % 4_000 + place
    }

    fn changed(&self, place: u64) -> u64 {
        match self.version {
            0 => self.created(20 + place),
            version => DAWN + 12_000_000 + version % 5_000_000 + place,
        }
    }

    /// The microseconds of a time at a version.
    fn micros(&self, version: u64) -> u64 {
        mix(self.seed ^ version, self.object, 903) % 1_000_000
    }

    /// Four digits, the first of them no zero.
    fn count(&self) -> u64 {
        1_000 + (self.random(904) + self.version) % 9_000
    }

    /// Writes the value of a hole.
    pub(crate) fn fill(&self, hole: Hole, out: &mut [u8]) {
        let place = hole.place;
        match hole.value {
            Value::Hex => hex(out, |part| self.random(place * 8 + part)),
            Value::VersionHex => {
                hex(out, |part| mix(self.seed ^ self.version, self.object, 3_000 + place * 8 + part));
            }
            Value::Uuid => uuid(out, |part| self.random(500 + place * 8 + part)),
            Value::OwnerUuid => owner_uuid(self.seed, self.owner, out),
            Value::PodIp => address(out, self.random(901 + place * 10_000), b'.'),
            Value::VersionIp => address(out, mix(self.seed ^ self.version, self.object, 901 + place), b'.'),
            Value::HostIp => address(out, mix(self.seed, self.node + place, 902), b'.'),
            Value::Node => address(out, mix(self.seed, self.node + place, 902), b'-'),
            Value::Suffix => suffix(out, self.ordinal),
            Value::OwnerSuffix => suffix(out, self.owner_ordinal),
            Value::Namespace => decimal(out, self.namespace),
            Value::Time => time(out, self.created(place)),
            Value::VersionTime => time(out, self.changed(place)),
            Value::MicroTime => micro_time(out, self.created(place), self.micros(0)),
            Value::VersionMicroTime => micro_time(out, self.changed(place), self.micros(self.version)),
            Value::TimeVarint => varint(out, self.created(place)),
            Value::VersionTimeVarint => varint(out, self.changed(place)),
            Value::NanosVarint => varint(out, self.micros(0) * 1_000),
            Value::VersionNanosVarint => varint(out, self.micros(self.version) * 1_000),
            Value::Count => decimal(out, self.count()),
            Value::CountVarint => varint(out, self.count()),
            Value::ResourceVersion => decimal(out, self.resource_version),
            Value::Base64 => base64(out, |part| self.secret(place, part)),
            Value::Raw => raw(out, |part| self.secret(place, part)),
        }
    }

    /// Three bytes at a time, which are four digits of base64.
    fn secret(&self, place: u64, part: u64) -> u64 {
        mix(self.seed ^ self.version, self.object, (1 << 32) + (place << 24) + part)
    }
}

/// The UUID of an object that owns others.
pub(crate) fn owner_uuid(seed: u64, owner: u64, out: &mut [u8]) {
    uuid(out, |part| mix(seed, owner, 1_900 + part));
}

fn hex(out: &mut [u8], number: impl Fn(u64) -> u64) {
    for (part, digits) in (0..).zip(out.chunks_mut(16)) {
        let mut number = number(part);
        for digit in digits {
            *digit = b"0123456789abcdef"[(number & 15) as usize];
            number >>= 4;
        }
    }
}

fn uuid(out: &mut [u8], number: impl Fn(u64) -> u64) {
    let mut digits = [0; 32];
    hex(&mut digits, number);
    digits[12] = b'4';
    digits[16] = b'a';
    let mut at = 0;
    for (group, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        let start = at + group;
        out[start..start + length].copy_from_slice(&digits[at..at + length]);
        at += length;
        if group < 4 {
            out[at + group] = b'-';
        }
    }
}

/// `10.` and three numbers of three digits, so that all addresses are equally wide.
fn address(out: &mut [u8], number: u64, separator: u8) {
    out[0] = b'1';
    out[1] = b'0';
    for part in 0..3 {
        let start = 2 + part * 4;
        out[start] = separator;
        decimal(&mut out[start + 1..start + 4], 100 + (number >> (part * 16)) % 150);
    }
}

/// Five letters as in the names of pods; different for all ordinals up to 2^25.
fn suffix(out: &mut [u8], ordinal: u64) {
    let mut number = ordinal.wrapping_mul(0x2_c1b3_c6d5) & 0x1ff_ffff;
    for letter in out {
        *letter = b"bcdfghjklmnpqrstvwxz2456789aeiouy"[(number & 31) as usize];
        number >>= 5;
    }
}

fn decimal(out: &mut [u8], mut number: u64) {
    for digit in out.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// RFC 3339 in UTC to the second.
fn time(out: &mut [u8], seconds: u64) {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days to a date of the proleptic Gregorian calendar, years beginning in March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    out.copy_from_slice(b"0000-00-00T00:00:00Z");
    decimal(&mut out[0..4], year);
    decimal(&mut out[5..7], month);
    decimal(&mut out[8..10], day);
    decimal(&mut out[11..13], second / 3_600);
    decimal(&mut out[14..16], second / 60 % 60);
    decimal(&mut out[17..19], second % 60);
}

/// The same to the microsecond.
fn micro_time(out: &mut [u8], seconds: u64, micros: u64) {
    time(&mut out[..20], seconds);
    out[19] = b'.';
    decimal(&mut out[20..26], micros);
    out[26] = b'Z';
}

/// All bytes but the last have the upper bit, so a number may be wider than it needs to be.
fn varint(out: &mut [u8], mut number: u64) {
    let last = out.len() - 1;
    for (index, byte) in out.iter_mut().enumerate() {
        *byte = (number & 0x7f) as u8 | if index < last { 0x80 } else { 0 };
        number >>= 7;
    }
}

fn base64(out: &mut [u8], number: impl Fn(u64) -> u64) {
    for (part, digits) in (0..).zip(out.chunks_mut(4)) {
        let number = number(part) & 0xff_ffff;
        for (index, digit) in digits.iter_mut().enumerate() {
            let value = (number >> (18 - 6 * index)) & 63;
            *digit = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[value as usize];
        }
    }
}

fn raw(out: &mut [u8], number: impl Fn(u64) -> u64) {
    for (part, bytes) in (0..).zip(out.chunks_mut(3)) {
        let number = number(part);
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = (number >> (16 - 8 * index)) as u8;
        }
    }
}
