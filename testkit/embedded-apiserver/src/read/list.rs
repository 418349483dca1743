//! LIST: as of which version, and which page.

use http::{Response, StatusCode};

use super::list_text::ListMetadata;
use super::token::ContinueToken;
use super::{ListText, json_answer};
use crate::api::Api;
use crate::body::Body;
use crate::request::{Accept, ListOptions, Request, Target, Verb, VersionMatch};
use crate::select::Selector;
use crate::status::ApiError;
use crate::storage::{Page, PageRequest, Stored};

const EXPIRED_TOKEN: &str = "The provided continue parameter is too old to display a consistent list result. You can \
                             start a new list without the continue parameter, or use the continue token in this \
                             response to retrieve the remainder of the results. Continuing with the provided token \
                             results in an inconsistent list - objects that were created, modified, or deleted \
                             between the time the first chunk was returned and now may show up in the list.";
const EXPIRED_VERSION: &str = "The resourceVersion for the provided list is too old.";

/// The items of a list and its metadata.
#[derive(Debug)]
pub(crate) struct Selected {
    pub(crate) items: Vec<Stored>,
    pub(crate) metadata: ListMetadata,
}

impl Api {
    /// Answers with a collection, or a page of it.
    pub(crate) async fn list(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        let form = Accept::negotiate(&request.headers, Verb::List)?;
        let options = ListOptions::parse(&request.query, Verb::List)?;
        let selected = self.select(target, &options).await?;
        let text = ListText::new(&target.resource, form, &selected.metadata, selected.items);
        Ok(json_answer(StatusCode::OK, text.into_body()))
    }

    /// The items of a list with these options.
    pub(crate) async fn select(&self, target: &Target, options: &ListOptions) -> Result<Selected, ApiError> {
        let selector = Selector::parse(&target.resource, options)?;
        let token = match options.continue_token.as_str() {
            "" => None,
            token => Some(ContinueToken::decode(token)?),
        };
        let version = options.version(Verb::List)?;
        let (at, limit) = match &token {
            Some(token) => {
                if version.is_some_and(|version| version > 0) {
                    let message = "specifying resource version is not allowed when using continue";
                    return Err(ApiError::bad_request(message));
                }
                (token.version(), options.limit)
            }
            None => self.version_and_limit(target, options, version).await?,
        };
        if let Some(at) = at {
            self.wait_for(at, &target.resource).await?;
        }
        let request = PageRequest {
            namespace: target.namespace.as_deref(),
            from: token.as_ref().map(ContinueToken::start),
            limit,
            keep: &|stored| stored.is_selected(&selector, &target.resource),
        };
        let page = self.storage.page(&target.resource.storage_id(), at, &request);
        let page = page.map_err(|_| match &token {
            Some(token) => ApiError::expired(EXPIRED_TOKEN).with_continue(token.at_latest().encode()),
            None => ApiError::expired(EXPIRED_VERSION),
        })?;
        Ok(selected(page, target, &selector))
    }

    /// The version to list at (`None` for the latest) and the limit (zero for none).
    async fn version_and_limit(
        &self,
        target: &Target,
        options: &ListOptions,
        version: Option<u64>,
    ) -> Result<(Option<u64>, usize), ApiError> {
        let limit = options.limit;
        Ok(match (version, options.version_match) {
            (None, _) => (None, limit),
            // Version 0 is answered from the watch cache, which ignores limits then.
            (Some(0), _) => (None, if target.resource.cached { 0 } else { limit }),
            (Some(version), Some(VersionMatch::Exact)) => (Some(version), limit),
            (Some(version), None) if limit > 0 => (Some(version), limit),
            (Some(version), None | Some(VersionMatch::NotOlderThan)) => {
                self.wait_for(version, &target.resource).await?;
                (None, limit)
            }
        })
    }
}

fn selected(page: Page, target: &Target, selector: &Selector) -> Selected {
    let mut metadata = ListMetadata { version: page.version, ..ListMetadata::default() };
    if let (true, Some(last)) = (page.more, page.items.last()) {
        let key = match &target.namespace {
            Some(_) => last.content.name(),
            None => &last.content.key,
        };
        metadata.token = ContinueToken::after(key, page.version).encode();
        metadata.remaining = selector.is_empty().then_some(page.remaining);
    }
    let items = Stored::all_seen_as(page.items, &target.resource);
    Selected { items, metadata }
}
