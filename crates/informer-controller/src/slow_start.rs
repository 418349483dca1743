//! Many writes of which the first may show that none will succeed.

use std::error::Error;
use std::fmt;
use std::future::Future;

use futures::future::join_all;

/// Does something so many times: once, then twice at the same time, four times, and so on, until it fails. So a quota that
/// allows no more pods costs one request, and not one for each pod, and a server that is well gets them in a few rounds.
///
/// The function gets the numbers from 0.
///
/// ```
/// use informer_controller::slow_start;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let allowed = 5;
/// let create = async |number| if number < allowed { Ok(()) } else { Err("quota exceeded") };
/// let stopped = slow_start(100, create).await.unwrap_err();
/// assert_eq!((stopped.done, stopped.error), (5, "quota exceeded"));
/// # }
/// ```
pub async fn slow_start<F, R, E>(count: usize, mut function: F) -> Result<(), SlowStartError<E>>
where
    F: FnMut(usize) -> R,
    R: Future<Output = Result<(), E>>,
{
    let (mut begun, mut batch) = (0, 1);
    while begun < count {
        let end = count.min(begun + batch);
        let results = join_all((begun..end).map(&mut function)).await;
        let succeeded = results.iter().filter(|result| result.is_ok()).count();
        if let Some(error) = results.into_iter().find_map(Result::err) {
            return Err(SlowStartError { done: begun + succeeded, error });
        }
        (begun, batch) = (end, batch * 2);
    }
    Ok(())
}

/// Not all of it was done.
#[derive(Debug)]
#[non_exhaustive]
pub struct SlowStartError<E> {
    /// How many succeeded.
    pub done: usize,
    /// The first failure.
    pub error: E,
}

impl<E> fmt::Display for SlowStartError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stopped after {} that succeeded", self.done)
    }
}

impl<E: Error + 'static> Error for SlowStartError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.error)
    }
}

#[cfg(test)]
mod tests;
