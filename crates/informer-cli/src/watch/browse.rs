//! Whether the endpoint may show contents of objects.

use informer_endpoint::{Endpoint, Objects};
use kube_client::api::DynamicObject;
use kube_informer::SharedInformer;

use crate::args::WatchArgs;
use crate::failure::Failure;

/// The endpoint with what the command line allows.
pub(super) fn allowed(
    endpoint: Endpoint,
    args: &WatchArgs,
    informers: &[SharedInformer<DynamicObject>],
) -> Result<Endpoint, Failure> {
    if !args.browse {
        return Ok(endpoint);
    }
    let objects = informers.iter().fold(Objects::new(), Objects::informer);
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
