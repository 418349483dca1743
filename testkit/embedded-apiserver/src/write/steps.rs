//! The order of a write, for all that create or change an object: the table of the [module above](super) as code.

use std::sync::Arc;

use http::{Response, StatusCode};

use super::delete::is_namespace;
use super::fields::FieldValidation;
use super::managers;
use super::patch::Patch;
use super::status_part::{self, Part};
use super::update::{check_name, check_version, is_released};
use super::{Object, builtin, create, custom, dry_run, input, metadata, scale, validate, warnings};
use crate::api::Api;
use crate::body::Body;
use crate::managed::keep_times;
use crate::read::object_answer;
use crate::request::{Accept, Form, Request, Target, Verb};
use crate::status::ApiError;
use crate::storage::{Content, Expected, Stored};

/// How a request says what is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Post,
    Put,
    Patch(Patch),
    Apply,
}

/// What the request for a write says beside the object.
pub(super) struct Head {
    pub(super) method: Method,
    pub(super) validation: FieldValidation,
    pub(super) dry_run: bool,
    form: Form,
    /// The object is written by its Scale.
    is_scale: bool,
}

/// An object that is there when a write begins.
pub(super) struct Old {
    /// As it is stored.
    stored: Stored,
    /// As clients see it.
    pub(super) current: Stored,
    pub(super) object: Object,
}

/// Computes the new object from the one that is there. Called again if another write came in between, with its object.
pub(super) type Change<'a> = &'a dyn Fn(&Old) -> Result<Object, ApiError>;

/// Computes the new object where there is none.
pub(super) type Creation<'a> = &'a dyn Fn() -> Result<Object, ApiError>;

/// Whether the object has to be there, and how the new one is computed.
#[derive(Clone, Copy)]
pub(super) enum Asked<'a> {
    /// It must not be there.
    New(Creation<'a>),
    /// It has to be there.
    Changed(Change<'a>),
    NewOrChanged(Creation<'a>, Change<'a>),
}

/// A write. What POST, PUT, PATCH, apply patches and writes of a Scale differ in is here, and all else is their common order.
pub(super) struct Write<'a> {
    pub(super) target: &'a Target,
    pub(super) request: &'a Request,
    pub(super) part: Part,
    pub(super) dry_run: bool,
    /// Who owns what is written. `None` if the new object says that itself.
    pub(super) manager: Option<String>,
    /// The new object is known only now, from a patch: nobody has looked at its metadata yet.
    pub(super) is_patch: bool,
    pub(super) asked: Asked<'a>,
}

/// The outcome of a write.
pub(super) struct Written {
    pub(super) stored: Stored,
    /// The object before; `None` if it was created.
    before: Option<Object>,
    /// The object as the client wants it.
    wanted: Object,
}

impl Head {
    pub(super) fn read(api: &Api, target: &Target, request: &Request) -> Result<Self, ApiError> {
        let verb = target.verb;
        let is_scale = target.subresource.as_deref() == Some("scale");
        let options = match verb {
            Verb::Create => "CreateOptions",
            Verb::Update => "UpdateOptions",
            _ => "PatchOptions",
        };
        let is_applied = verb == Verb::Patch && request.media_type() == managers::APPLY;
        if is_applied {
            api.expect_managers()?;
        }
        let form = if is_scale { Form::Whole } else { Accept::negotiate(&request.headers, verb)? };
        let method = match verb {
            Verb::Create => Method::Post,
            Verb::Update => Method::Put,
            _ if is_applied => Method::Apply,
            _ => Method::Patch(Patch::of(request, &target.resource)?),
        };
        managers::check_manager(request, options)?;
        let dry_run = dry_run(&request.query, options)?;
        if matches!(method, Method::Post | Method::Put) {
            input::expect_json(request)?;
        }
        let validation =
            if is_scale { FieldValidation::Ignore } else { FieldValidation::of(&request.query, options)? };
        Ok(Self { method, validation, dry_run, form, is_scale })
    }
}

impl<'a> Write<'a> {
    /// The write that a request asks for.
    pub(super) fn of(head: &Head, target: &'a Target, request: &'a Request, asked: Asked<'a>) -> Self {
        let by_patch = matches!(head.method, Method::Patch(_) | Method::Apply);
        let names_owners = head.is_scale || head.method == Method::Apply;
        Self {
            target,
            request,
            part: if head.is_scale { Part::Main } else { Part::of(target.subresource.as_deref()) },
            dry_run: head.dry_run,
            manager: (!names_owners).then(|| managers::manager_of(request)),
            is_patch: by_patch && !head.is_scale,
            asked,
        }
    }

    /// A write that the server makes itself, or because of a request for something else. It belongs to nobody.
    pub(super) fn of_nobody(
        target: &'a Target,
        request: &'a Request,
        part: Part,
        dry_run: bool,
        asked: Asked<'a>,
    ) -> Self {
        Self { target, request, part, dry_run, manager: None, is_patch: false, asked }
    }
}

impl Old {
    fn of(stored: Stored, write: &Write<'_>) -> Result<Self, ApiError> {
        let current = stored.seen_as(&write.target.resource).into_owned();
        let object = current.to_object()?;
        Ok(Self { stored, current, object })
    }
}

impl Api {
    /// Carries out the write that a request asks for, and answers.
    pub(super) fn answer_write(&self, head: &Head, write: &Write<'_>) -> Result<Response<Body>, ApiError> {
        let Written { stored, before, wanted } = self.carry_out(write)?;
        let resource = &write.target.resource;
        warnings::finalizers(write.request, resource, before.as_ref(), &wanted);
        if head.is_scale {
            return scale::answer(resource, &stored);
        }
        let code = if before.is_some() { StatusCode::OK } else { StatusCode::CREATED };
        Ok(object_answer(code, &stored, resource, head.form))
    }

    /// Changes the object if it is there, and creates it if not, as far as the write is for that.
    pub(super) fn carry_out(&self, write: &Write<'_>) -> Result<Written, ApiError> {
        let (create, change) = match write.asked {
            Asked::New(create) => return self.add(write, create),
            Asked::Changed(change) => return self.change(write, change),
            Asked::NewOrChanged(create, change) => (create, change),
        };
        loop {
            match self.change(write, change) {
                Err(error) if error.reason == "NotFound" => {}
                changed => return changed,
            }
            match self.add(write, create) {
                Err(error) if error.reason == "AlreadyExists" => {}
                created => return created,
            }
        }
    }

    fn change(&self, write: &Write<'_>, change: Change<'_>) -> Result<Written, ApiError> {
        let _alone = self.definition_lock(&write.target.resource);
        loop {
            let old = Old::of(self.stored(write.target)?, write)?;
            let mut wanted = change(&old)?;
            write.check_patched(&mut wanted)?;
            let new = self.succeed(write, &old, wanted.clone())?;
            if let Some(stored) = self.settle(write, Some(&old), new)? {
                return Ok(Written { stored, before: Some(old.object), wanted });
            }
            let name = old.current.content.name();
            tracing::trace!(name, "changed by somebody else meanwhile, trying again");
        }
    }

    fn add(&self, write: &Write<'_>, create: Creation<'_>) -> Result<Written, ApiError> {
        let resource = &write.target.resource;
        let _alone = self.definition_lock(resource);
        let mut wanted = create()?;
        write.check_patched(&mut wanted)?;
        if matches!(write.asked, Asked::NewOrChanged(..)) {
            // What is created has no version to be compared.
            metadata::metadata_mut(&mut wanted).remove("resourceVersion");
        }
        if write.is_patch {
            create::check_no_uid(write.target, &wanted)?;
        }
        let begun = self.begin(write.target, wanted.clone())?;
        let is_made_up = create::has_no_name(&begun);
        for attempt in 1.. {
            let mut new = begun.clone();
            if is_made_up {
                self.make_up_name(&mut new);
            }
            // What the real server sets in a job or a pod belongs to nobody.
            let is_late = builtin::is_completed_late(resource);
            if !is_late {
                builtin::prepare_create(resource, &mut new);
            }
            self.track_write(write, None, &mut new);
            if is_late {
                builtin::prepare_create(resource, &mut new);
            }
            match self.settle(write, None, new) {
                Err(error) if is_made_up && error.reason == "AlreadyExists" => {
                    if attempt == create::ATTEMPTS {
                        return Err(create::no_unique_name(error));
                    }
                }
                Ok(Some(stored)) => return Ok(Written { stored, before: None, wanted }),
                // Nothing that is not there is changed by others.
                Ok(None) => {}
                Err(error) => return Err(error),
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Makes what a client wants the successor of the old object.
    fn succeed(&self, write: &Write<'_>, old: &Old, mut wanted: Object) -> Result<Object, ApiError> {
        let resource = &write.target.resource;
        self.track_write(write, Some(&old.object), &mut wanted);
        check_version(resource, &old.current, &wanted)?;
        let managed = managers::managers(&wanted);
        let mut new = status_part::combine(resource, write.part, &old.object, wanted);
        metadata::inherit(&old.object, &mut new);
        managers::set_managers(&mut new, managed);
        builtin::prepare_update(resource, write.part, &old.object, &mut new);
        Ok(new)
    }

    fn track_write(&self, write: &Write<'_>, old: Option<&Object>, new: &mut Object) {
        if let Some(manager) = &write.manager {
            let subresource = write.target.subresource.as_deref().unwrap_or_default();
            self.track(&write.target.resource, subresource, manager, old, new);
        }
    }

    /// Validates, completes and stores the new object. `None` if another write came in between.
    fn settle(
        &self,
        write: &Write<'_>,
        old: Option<&Old>,
        mut new: Object,
    ) -> Result<Option<Stored>, ApiError> {
        let resource = &write.target.resource;
        let before = old.map(|old| &old.object);
        let found = match before {
            None => validate::create(resource, &new),
            Some(before) => validate::update(resource, before, &new),
        };
        // Warnings are about what is as before.
        custom::validate(&|warning| write.request.warn(warning), resource, write.part, before, &new, found)?;
        match before {
            None => {
                // The finalizer of a namespace, and the label with its name if that was made up: nobody owns them.
                self.begin_namespace(resource, &mut new);
                self.expect_absent(write, &new)?;
            }
            Some(before) if write.part == Part::Main => {
                metadata::count_generation(resource, before, &mut new);
            }
            Some(_) => {}
        }
        if write.part == Part::Main {
            self.accept_definition(resource, before, &mut new)?;
        }
        custom::complete(resource, &mut new);
        if let Some(before) = before {
            keep_times(before, &mut new);
        }
        self.store(write, old, new)
    }

    fn store(
        &self,
        write: &Write<'_>,
        old: Option<&Old>,
        mut new: Object,
    ) -> Result<Option<Stored>, ApiError> {
        let resource = &write.target.resource;
        let key = match old {
            Some(old) => old.current.content.key.to_string(),
            None => create::key(write.target, &new),
        };
        let link = metadata::metadata_mut(&mut new).remove(metadata::SELF_LINK);
        let content = Content::written_as(resource, &key, &new);
        validate::storable(&new, &content)?;
        let goes = old.is_some() && is_released(resource, &new);
        let version = old.map_or_else(|| create::version(&new), |old| old.current.version);
        let unstored = |content| {
            let content = match link {
                None => content,
                Some(link) => {
                    metadata::metadata_mut(&mut new).insert(metadata::SELF_LINK.to_owned(), link);
                    Content::written_as(resource, &key, &new)
                }
            };
            Stored { version, content: Arc::new(content) }
        };
        if write.dry_run {
            return Ok(Some(unstored(content).seen_as(resource).into_owned()));
        }
        let Some(old) = old else { return self.store_new(write.target, content).map(Some) };
        if !goes && content.is_same_as(&old.stored.content) {
            return Ok(Some(old.current.clone()));
        }
        if goes {
            // This removed the last finalizer. Watches see the deletion of the stored object; the client gets the object
            // that it sent.
            if self.storage.remove(&resource.storage_id(), &key, version).is_err() {
                return Ok(None);
            }
            self.after_removal(resource, &old.current);
            return Ok(Some(unstored(content)));
        }
        let written = self.storage.write(&resource.storage_id(), content, Expected::Version(version));
        let Ok(stored) = written else { return Ok(None) };
        if write.part == Part::Main {
            self.serve_definition(resource, &stored);
        }
        if is_namespace(resource) {
            // The finalizer that this write removed may have been the last thing that kept it.
            self.finalise_namespace(old.current.content.name());
        }
        Ok(Some(stored.seen_as(resource).into_owned()))
    }
}

impl Write<'_> {
    /// The checks of an object that a patch has made. Those of one that is sent as a whole come before it is known whether the
    /// object is there.
    fn check_patched(&self, wanted: &mut Object) -> Result<(), ApiError> {
        if !self.is_patch {
            return Ok(());
        }
        warnings::remove_duplicate_owners(self.request, wanted, true);
        create::place(self.target, wanted)?;
        check_name(self.target, wanted)
    }
}
