//! The decoded forms of one record.

use std::any::{Any, TypeId};
use std::sync::{Arc, Weak};

use informer_wire::ObjectKey;
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::cache::{DecodedCache, Part};
use super::{AnyDecoded, let_go};
use crate::object::origin::Origin;

/// So many versions of an object may come and go unread before it counts as cold.
const PATIENCE: u8 = 3;

/// How often a form that is read is passed over before it has to go.
const HEAT: u8 = 3;

/// What is read so often while it is among those decoded last is hot. More than a program has handlers: those read each version
/// once, and then nobody does.
const OFTEN: u8 = 16;

/// The decoded forms of one record, one for each type that it was decoded into. While there are none it takes one word and
/// a lock.
#[derive(Default)]
pub(crate) struct DecodedSlot(Mutex<Option<Box<Forms>>>);

/// What a read of a hot object needs is in one place.
#[derive(Default)]
#[repr(C)]
struct Forms {
    /// Made at ingestion in `decoded` mode, and kept as long as the record.
    pinned: Option<AnyDecoded>,
    /// Those that users were given: nearly always one.
    given: SmallVec<[Form; 1]>,
    /// Types that it does not decode into and for which that has been reported.
    reported: Vec<TypeId>,
    /// The object is read again and again: a new form goes to the protected part at once. Falls with every version that
    /// nobody reads twice.
    hot: u8,
    /// A form was found when it was asked for.
    found: bool,
    /// The cache has the record on its list of those whose forms users hold.
    listed: bool,
}

struct Form {
    of: TypeId,
    held: Held,
    /// How many bytes it is taken to need.
    bytes: usize,
    /// How often it was read in the part where it is, in the protected part less how often it was passed over.
    heat: u8,
    /// When it left the cache, in bytes decoded by then: the memory of what was read is the record itself.
    left: Option<u64>,
}

enum Held {
    /// By the cache, in this part of it.
    Kept(Part, AnyDecoded),
    /// Perhaps by users. A `Weak` keeps the memory of its value allocated even after the value was dropped, so dead ones are
    /// looked for.
    Lent(Weak<dyn Any + Send + Sync>),
    /// By nobody.
    Gone,
}

/// What became of a newly decoded form that was offered.
pub(super) struct Offer<T> {
    /// The one to use: the new one, or that of another thread that was faster.
    pub(super) value: Arc<T>,
    /// Whether the record had been decoded into this type before.
    pub(super) again: bool,
    /// Whether the form before would still be there if what was decoded last were kept longer.
    pub(super) early: bool,
    pub(super) place: Place,
}

/// Where a newly decoded form is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Kept(Part),
    /// Only its users hold it.
    Lent {
        /// The cache has to put the record on its list of these.
        list: bool,
    },
    /// Another thread's is used instead.
    Lost,
}

/// What becomes of a form for which there is no room where it is.
pub(super) enum Leave {
    /// It moves to the end of the protected part.
    Protected,
    /// It is let go; the caller drops it without a lock, because dropping it runs the user's code.
    Out {
        value: AnyDecoded,
        /// Users hold it, and the cache has to put the record on its list of these.
        list: bool,
        /// Nobody asked for it again.
        unread: bool,
    },
    /// There is no such form.
    Nothing,
}

impl DecodedSlot {
    pub(crate) fn pinned(value: AnyDecoded) -> Self {
        Self(Mutex::new(Some(Box::new(Forms { pinned: Some(value), ..Forms::default() }))))
    }

    pub(super) fn find<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.0.lock().as_mut()?.find()
    }

    /// Takes in a new form, of which the cache says where it belongs: `now` is how many bytes have been decoded by now.
    pub(super) fn offer<T: Send + Sync + 'static>(
        &self,
        value: Arc<T>,
        bytes: usize,
        cache: &DecodedCache,
        now: u64,
    ) -> Offer<T> {
        let mut slot = self.0.lock();
        let forms = slot.get_or_insert_default();
        let of = TypeId::of::<T>();
        if let Some(found) = forms.find::<T>() {
            // The slot is unlocked before the new value is dropped, because dropping it runs the user's code.
            drop(slot);
            return Offer { value: found, again: false, early: false, place: Place::Lost };
        }
        let old = forms.given.iter().position(|form| form.of == of).map(|at| forms.given.swap_remove(at));
        let again = old.is_some();
        let ago = old.and_then(|form| form.left).map(|left| now.saturating_sub(left));
        if cache.remembers(ago) {
            forms.hot = PATIENCE;
        }
        let part = cache.place(bytes, forms.hot > 0);
        let shared: AnyDecoded = value.clone();
        let (held, place) = match part {
            Some(part) => (Held::Kept(part, shared), Place::Kept(part)),
            None => {
                let list = !std::mem::replace(&mut forms.listed, true);
                (Held::Lent(Arc::downgrade(&shared)), Place::Lent { list })
            }
        };
        let left = part.is_none().then_some(now);
        forms.given.push(Form { of, held, bytes, heat: 0, left });
        Offer { value, again, early: cache.left_early(ago), place }
    }

    /// The form is the oldest in a part that is full.
    pub(super) fn leave(&self, of: TypeId, from: Part, spare: bool, now: u64) -> Leave {
        let mut slot = self.0.lock();
        let Some(forms) = slot.as_mut() else { return Leave::Nothing };
        let Forms { given, hot, listed, .. } = &mut **forms;
        let Some(form) = given.iter_mut().find(|form| form.of == of) else { return Leave::Nothing };
        match (&mut form.held, from) {
            (Held::Kept(part @ Part::Probation, _), Part::Probation) if *hot > 0 || form.heat >= OFTEN => {
                *part = Part::Protected;
                form.heat = 0;
                *hot = PATIENCE;
                return Leave::Protected;
            }
            (Held::Kept(Part::Protected, _), Part::Protected) if spare && form.heat > 0 => {
                form.heat -= 1;
                return Leave::Protected;
            }
            (Held::Kept(part, _), from) if *part == from => {}
            _ => return Leave::Nothing,
        }
        if from == Part::Protected {
            *hot = 0;
        }
        form.left = Some(now);
        let unread = form.heat == 0;
        let Held::Kept(_, value) = std::mem::replace(&mut form.held, Held::Gone) else {
            return Leave::Nothing;
        };
        // Nobody can ask for it meanwhile: that needs the lock.
        let lent = Arc::strong_count(&value) > 1;
        if lent {
            form.held = Held::Lent(Arc::downgrade(&value));
        }
        Leave::Out { value, list: lent && !std::mem::replace(listed, true), unread }
    }

    /// It is so long ago that a form left that this need not be remembered.
    pub(super) fn forget(&self, left: u64) {
        let mut slot = self.0.lock();
        let Some(forms) = slot.as_mut() else { return };
        forms.given.retain(|form| !matches!(form.held, Held::Gone) || form.left != Some(left));
        forms.given.shrink_to_fit();
        if forms.is_blank() {
            *slot = None;
        }
    }

    /// The slot of the next version of the object: as hot as this one, if this one was read more than once.
    pub(crate) fn bequeath(&self, next: &Self) {
        let hot = {
            let slot = self.0.lock();
            let Some(forms) = slot.as_ref() else { return };
            if forms.found { forms.hot } else { forms.hot.saturating_sub(1) }
        };
        if hot > 0 {
            next.0.lock().get_or_insert_default().hot = hot;
        }
    }

    /// Whether the caller has to report that the record does not decode into this type. True once for each type.
    pub(crate) fn report_failure<T: 'static>(&self) -> bool {
        let mut slot = self.0.lock();
        let reported = &mut slot.get_or_insert_default().reported;
        let first = !reported.contains(&TypeId::of::<T>());
        if first {
            reported.push(TypeId::of::<T>());
        }
        first
    }

    /// Frees the memory of forms that users no longer hold; returns whether some are lent still.
    pub(super) fn prune(&self, cache: &DecodedCache, now: u64) -> bool {
        let mut slot = self.0.lock();
        let Some(forms) = slot.as_mut() else { return false };
        let Forms { given, listed, .. } = &mut **forms;
        *listed = false;
        given.retain(|form| {
            let Held::Lent(value) = &form.held else { return true };
            if value.strong_count() > 0 {
                *listed = true;
                return true;
            }
            form.held = Held::Gone;
            cache.remembers(form.left.map(|left| now.saturating_sub(left)))
        });
        if forms.is_blank() {
            *slot = None;
            return false;
        }
        forms.listed
    }

    /// The record is being dropped: what the cache keeps of it goes with it.
    pub(crate) fn release(&mut self, key: &ObjectKey, origin: &Origin) {
        let Some(forms) = self.0.get_mut().take() else { return };
        let Forms { given, pinned, .. } = *forms;
        for form in given {
            if let Held::Kept(part, value) = form.held {
                origin.cache.released(origin, part, form.bytes);
                let_go(value, key, origin);
            }
        }
        if let Some(pinned) = pinned {
            let_go(pinned, key, origin);
        }
    }

    #[cfg(test)]
    pub(super) fn is_lent_or_kept(&self) -> bool {
        let slot = self.0.lock();
        slot.as_ref().is_some_and(|forms| forms.given.iter().any(|form| !matches!(form.held, Held::Gone)))
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().is_none()
    }
}

impl Forms {
    /// Whether nothing is lost with it.
    fn is_blank(&self) -> bool {
        self.pinned.is_none() && self.given.is_empty() && self.reported.is_empty() && self.hot == 0
    }

    fn find<T: Send + Sync + 'static>(&mut self) -> Option<Arc<T>> {
        if let Some(pinned) = &self.pinned
            && let Ok(found) = pinned.clone().downcast::<T>()
        {
            return Some(found);
        }
        let wanted = TypeId::of::<T>();
        let form = self.given.iter_mut().find(|form| form.of == wanted)?;
        let value = match &form.held {
            Held::Kept(part, value) => {
                let most = if *part == Part::Protected { HEAT } else { OFTEN };
                form.heat = (form.heat + 1).min(most);
                value.clone()
            }
            Held::Lent(value) => value.upgrade()?,
            Held::Gone => return None,
        };
        self.found = true;
        value.downcast().ok()
    }
}
