//! The proxy on the way is what does not work.

use anyhow::Result;
use kube_client::Config;
use tokio::net::TcpListener;

use crate::support::failure::{first_failure, pods};
use crate::support::forward::{Admits, Forward};

/// Behind the proxies here nobody is ever asked.
fn through(scheme: &str, proxy: std::net::SocketAddr) -> Result<Config> {
    let mut config = Config::new("https://127.0.0.1:6443".parse()?);
    config.proxy_url = Some(format!("{scheme}://{proxy}").parse()?);
    Ok(config)
}

/// Checks both texts: what every proxy here has in common, what is said of this one, and what to do.
async fn assert(config: Config, said: &str, advice: &str) -> Result<()> {
    let scheme = config.proxy_url.as_ref().and_then(|url| url.scheme_str()).unwrap_or_default();
    let text = format!(
        "no answer from https://127.0.0.1:6443 through the proxy {scheme}://127.0.0.1:3128: cannot connect: \
         {said}; {advice}"
    );
    first_failure(config, &pods()).await?.assert(
        &format!("cannot list pods in namespace \"default\": {text}"),
        &format!("pods not synced after 10ms; namespace \"default\" is unreachable: {text}"),
    )
}

const NOT_LET_THROUGH: &str = "the proxy does not connect to the server: have it allow that, or do without it (proxy-url \
                               in the kubeconfig, HTTPS_PROXY, NO_PROXY)";
const NOT_THERE: &str =
    "check the proxy's address (proxy-url in the kubeconfig, or HTTPS_PROXY) and that it is running";
const WHO_IS_IT: &str =
    "the proxy wants a user and password: put them into its address, as in http://user:password@proxy";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_that_refuses() -> Result<()> {
    let proxy = Forward::http(Admits::Nobody).await?;
    let config = through("http", proxy.address())?;
    assert(config, "tunnel error: unsuccessful", NOT_LET_THROUGH).await?;
    assert_eq!(proxy.asked()[0], "127.0.0.1:6443");
    let proxy = Forward::socks5(Admits::Nobody).await?;
    let config = through("socks5", proxy.address())?;
    assert(config, "SOCKS error: connection not allowed", NOT_LET_THROUGH).await?;
    assert_eq!(proxy.asked()[0], "127.0.0.1:6443");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_that_asks_who_it_is() -> Result<()> {
    let proxy = Forward::http(Admits::WhoIsKnown).await?;
    let config = through("http", proxy.address())?;
    assert(config, "tunnel error: proxy authorization required", WHO_IS_IT).await?;
    let proxy = Forward::socks5(Admits::WhoIsKnown).await?;
    let config = through("socks5", proxy.address())?;
    assert(config, "SOCKS error: server does not support user/pass authentication", WHO_IS_IT).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_that_is_not_there() -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let nobody = listener.local_addr()?;
    drop(listener);
    let said = "tunnel error: failed to create underlying connection: tcp connect error: Connection refused (os error 111)";
    assert(through("http", nobody)?, said, NOT_THERE).await?;
    let said = "SOCKS error: failed to create underlying connection";
    assert(through("socks5", nobody)?, said, NOT_THERE).await
}
