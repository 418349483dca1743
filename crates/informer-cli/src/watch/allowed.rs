//! What the endpoint may show of objects.

use std::net::SocketAddr;

use informer_endpoint::{Digested, Endpoint, ObjectBrowser};
use kube_client::api::DynamicObject;
use kube_informer::SharedInformer;

use crate::args::WatchArgs;
use crate::failure::Failure;

/// The endpoint with the digests, which tell the names of all objects and ask for no token: where others can connect, only if
/// that was asked for.
pub(super) fn digests(
    endpoint: Endpoint,
    args: &WatchArgs,
    address: SocketAddr,
    informers: &[SharedInformer<DynamicObject>],
) -> Endpoint {
    if !args.digests && !address.ip().to_canonical().is_loopback() {
        return endpoint;
    }
    let digested: Vec<_> = informers.iter().map(Digested::new).collect();
    endpoint.digests(move || digested.clone())
}

/// The endpoint with the contents of objects, if the command line allows it.
pub(super) fn objects(
    endpoint: Endpoint,
    args: &WatchArgs,
    informers: &[SharedInformer<DynamicObject>],
) -> Result<Endpoint, Failure> {
    if !args.browse {
        return Ok(endpoint);
    }
    let objects = informers.iter().fold(ObjectBrowser::new(), ObjectBrowser::informer);
    let objects = match &args.token_file {
        Some(file) => {
            let token = std::fs::read_to_string(file);
            let token =
                token.map_err(|error| Failure::local(format!("cannot read {}: {error}", file.display())))?;
            objects.token(token.trim())
        }
        None => objects,
    };
    Ok(endpoint.objects(objects))
}
