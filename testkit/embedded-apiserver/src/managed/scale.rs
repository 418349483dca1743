//! The managers of a `Scale`, which are those of the number of replicas of the object that is scaled.

use super::element::Element;
use super::entries::Managed;
use super::set::Set;
use super::updater::Owned;

/// The version of all Scales.
const VERSION: &str = "autoscaling/v1";

/// Where an object has its number of replicas, by apiVersion: `None` for a version that is not served, and nothing for one
/// that cannot be scaled.
pub(crate) type Paths<'a> = &'a dyn Fn(&str) -> Option<Vec<Element>>;

/// The path that a definition writes as `.spec.replicas`.
pub(crate) fn path(text: &str) -> Vec<Element> {
    text.split('.').filter(|name| !name.is_empty()).map(Element::field).collect()
}

fn replicas() -> Vec<Element> {
    path(".spec.replicas")
}

/// The managers that the Scale of an object has.
pub(crate) fn of_scale(object: &Managed, paths: Paths<'_>) -> Managed {
    let mut scale = Managed::default();
    for (manager, owned) in &object.managers {
        if paths(&owned.version).is_none_or(|path| !owned.set.has(&path)) {
            continue;
        }
        let mut set = Set::default();
        set.insert(&replicas());
        let owned = Owned { set, version: VERSION.to_owned(), applied: owned.applied };
        scale.managers.insert(manager.clone(), owned);
        if let Some(time) = object.times.get(manager) {
            scale.times.insert(manager.clone(), time.clone());
        }
    }
    scale
}

/// The managers that the object has after those of its Scale have changed. `version` is that of the object.
pub(crate) fn of_object(object: &Managed, mut scale: Managed, version: &str, paths: Paths<'_>) -> Managed {
    let mut merged = Managed::default();
    for (manager, owned) in &object.managers {
        let Some(path) = paths(&owned.version) else { continue };
        let mut owned = owned.clone();
        if owned.set.has(&path) && scale.managers.remove(manager).is_none() {
            // Somebody else has it now.
            let mut lost = Set::default();
            lost.insert(&path);
            owned.set = owned.set.difference(&lost);
            if owned.set.is_empty() {
                continue;
            }
        }
        merged.managers.insert(manager.clone(), owned);
        if let Some(time) = object.times.get(manager) {
            merged.times.insert(manager.clone(), time.clone());
        }
    }
    for (manager, owned) in scale.managers.into_iter().filter(|(_, owned)| owned.set.has(&replicas())) {
        let mut set = Set::default();
        set.insert(&paths(version).unwrap_or_default());
        merged.managers.insert(manager.clone(), Owned { set, version: version.to_owned(), ..owned });
        // Sic: the real server looks for the time of a new manager among those of the object, and finds none.
        if let Some(time) = object.times.get(&manager) {
            merged.times.insert(manager, time.clone());
        }
    }
    merged
}
