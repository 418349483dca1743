use test_cluster::Authority;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{HandshakeKind, ServerConfig};

use super::super::told::told;
use super::*;

/// A server in memory that tells how each handshake went, and says one byte.
fn server(authority: &Authority) -> (Connector, mpsc::UnboundedReceiver<HandshakeKind>) {
    let issued = authority.issue_for_server("localhost").unwrap();
    let chain = vec![CertificateDer::from_pem_slice(issued.certificate_pem.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(issued.key_pem.as_bytes()).unwrap();
    let mut config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let (sender, kinds) = mpsc::unbounded_channel();
    let connect = move |_: Uri| {
        let (ours, theirs) = tokio::io::duplex(16 << 10);
        tokio::spawn(serve(acceptor.clone(), theirs, sender.clone()));
        async { Ok::<_, BoxError>(TokioIo::new(ours)) }
    };
    (boxed(tower::service_fn(connect)), kinds)
}

async fn serve(acceptor: TlsAcceptor, theirs: DuplexStream, kinds: mpsc::UnboundedSender<HandshakeKind>) {
    let mut stream = acceptor.accept(theirs).await.unwrap();
    kinds.send(stream.get_ref().1.handshake_kind().unwrap()).unwrap();
    stream.write_all(b"!").await.unwrap();
    stream.flush().await.unwrap();
    // Until the client is done.
    stream.read_exact(&mut [0]).await.ok();
}

#[tokio::test]
async fn d18_a_tls_session_is_taken_up_again_also_for_the_other_protocol() {
    let authority = Authority::new("authority").unwrap();
    let (connector, mut kinds) = server(&authority);
    let mut config = Config::new(Uri::from_static("https://localhost:6443"));
    let root = CertificateDer::from_pem_slice(authority.certificate_pem().as_bytes()).unwrap();
    config.root_cert = Some(vec![root.to_vec()]);
    let connector = ServerConnector::new(&config, connector).unwrap();

    let mut handshake = async |offer, expected| {
        let (socket, protocol) = connector.clone().connect(offer).await.unwrap();
        assert_eq!(protocol, expected);
        // What a session is taken up with comes after the handshake.
        TokioIo::new(socket).read_exact(&mut [0]).await.unwrap();
        kinds.recv().await.unwrap()
    };
    assert_eq!(handshake(Offer::Both, Protocol::Http2).await, HandshakeKind::Full);
    assert_eq!(handshake(Offer::Both, Protocol::Http2).await, HandshakeKind::Resumed);
    assert_eq!(handshake(Offer::Http1Only, Protocol::Http1).await, HandshakeKind::Resumed);
}

#[tokio::test]
async fn a_server_that_leaves_without_a_word_is_told_of_without_a_link_to_a_manual() {
    let authority = Authority::new("authority").unwrap();
    let (connector, _kinds) = server(&authority);
    let mut config = Config::new(Uri::from_static("https://localhost:6443"));
    let root = CertificateDer::from_pem_slice(authority.certificate_pem().as_bytes()).unwrap();
    config.root_cert = Some(vec![root.to_vec()]);
    let connector = ServerConnector::new(&config, connector).unwrap();
    let mut socket = TokioIo::new(connector.connect(Offer::Both).await.unwrap().0);
    socket.read_exact(&mut [0]).await.unwrap();
    // The server is done with it, and does not say so in TLS.
    socket.write_all(b"?").await.unwrap();
    socket.flush().await.unwrap();
    let error = socket.read_exact(&mut [0]).await.unwrap_err();
    assert_eq!(told(&error), "peer closed connection without sending TLS close_notify");
}
