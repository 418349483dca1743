//! DELETE of a collection.

use http::{Response, StatusCode};

use super::delete::DeleteOptions;
use crate::api::Api;
use crate::body::Body;
use crate::read::{ListText, json_answer};
use crate::request::{Form, ListOptions, Request, Target, Verb};
use crate::status::ApiError;
use crate::storage::Stored;

impl Api {
    /// Deletes the objects that a list with these options has, one by one, and answers with that list.
    pub(crate) async fn delete_collection(
        &self,
        target: &Target,
        request: &Request,
    ) -> Result<Response<Body>, ApiError> {
        let list_options = ListOptions::parse(&request.query, Verb::DeleteCollection)?;
        let options = DeleteOptions::read(request)?;
        options.warn(&target.resource, request);
        let selected = self.select(target, &list_options).await?;
        for stored in &selected.items {
            self.delete_selected(target, stored, &options)?;
        }
        let text = ListText::new(&target.resource, Form::Whole, &selected.metadata, selected.items);
        Ok(json_answer(StatusCode::OK, text.into_body()))
    }

    /// Deletes one object of a collection. It is no error if it is gone already.
    pub(super) fn delete_selected(
        &self,
        target: &Target,
        stored: &Stored,
        options: &DeleteOptions,
    ) -> Result<(), ApiError> {
        let namespace = Some(stored.content.namespace()).filter(|namespace| !namespace.is_empty());
        let one = Target {
            verb: Verb::Delete,
            namespace: namespace.map(str::to_owned),
            name: Some(stored.content.name().to_owned()),
            ..target.clone()
        };
        match self.delete_object(&one, options) {
            Err(error) if error.code != 404 => Err(error),
            _ => Ok(()),
        }
    }
}
