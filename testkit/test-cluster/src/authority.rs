//! Certificate authorities and the certificates that they issue.

use anyhow::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};

/// An authority that issues certificates. A cluster accepts its client certificates if it is configured to
/// ([`Options::client_authorities`](crate::Options::client_authorities)).
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate with its key, both in PEM.
#[derive(Clone)]
pub struct Issued {
    /// The certificate.
    pub certificate_pem: String,
    /// The private key.
    pub key_pem: String,
}

impl Authority {
    /// A new authority. No cluster trusts it yet.
    pub fn new(name: &str) -> Result<Self> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?);
        issuer.map(Self).context("cannot make a certificate authority")
    }

    /// The certificate of the authority, which a server needs to verify the certificates that it issues.
    pub fn certificate_pem(&self) -> String {
        self.0.pem()
    }

    /// A client certificate for a user in no group.
    pub fn issue(&self, user: &str) -> Result<Issued> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, user);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.sign(&params)
    }

    /// A certificate for a server at this name or address.
    pub fn issue_for_server(&self, host: &str) -> Result<Issued> {
        let mut params = CertificateParams::new([host.to_owned()])?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.sign(&params)
    }

    fn sign(&self, params: &CertificateParams) -> Result<Issued> {
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.0).context("cannot issue a certificate")?;
        Ok(Issued { certificate_pem: certificate.pem(), key_pem: key.serialize_pem() })
    }
}

/// Does not show the keys.
impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}

/// Does not show the key.
impl std::fmt::Debug for Issued {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Issued").finish_non_exhaustive()
    }
}
