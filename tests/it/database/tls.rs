//! TLS to PostgreSQL: every connection is encrypted and verified as the address demands, or refused with a
//! message.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use recall_kit_tests::{Home, Launch, Server, experience, within_deadline};
use recall_kit_tests_postgres::Cluster;

/// A certificate authority, and the certificate of a server at 127.0.0.1 with its key; all as PEM.
struct Signed {
    authority: String,
    certificate: String,
    key: String,
}

fn signed() -> Signed {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    let certificate = server.signed_by(&key, &authority).unwrap();
    Signed {
        authority: authority.pem(),
        certificate: certificate.pem(),
        key: key.serialize_pem(),
    }
}

/// A cluster that requires TLS, and the folder with the certificate of its authority.
fn cluster() -> (Cluster, Home) {
    let signed = signed();
    let files = Home::new();
    files.write("root.pem", &signed.authority);
    (
        Cluster::demanding_tls(&signed.certificate, &signed.key),
        files,
    )
}

fn verified(url: &str, files: &Home) -> String {
    let root = files.path().join("root.pem");
    format!("{url}?sslmode=verify-full&sslrootcert={}", root.display())
}

async fn doctor(url: &str) -> String {
    let doctor = Launch::new(&Home::with_database(url))
        .run_command("doctor")
        .await;
    doctor.expect_code(0).to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_connection_is_encrypted_and_verified() {
    let (primary, files) = cluster();
    let database = primary.database();
    let url = verified(&primary.url(&database), &files);
    let homes = [(); 3].map(|()| Home::with_database(&url));
    let first = Server::start(&homes[0]).await;
    let standby = primary.standby();
    let copy = verified(&standby.url(&database), &files);
    let second = Launch::new(&homes[1]).args(&["--read-database", &copy]);
    let second = second.start().await;
    for (writer, reader) in [(&first, &second), (&second, &first)] {
        let word = format!("word{}", writer.port());
        let id = writer.wire.submit(experience(&word)).await;
        let found = reader.wire.query(&word).await;
        assert_eq!(found["experiences"][0]["id"], id.as_str(), "{found}");
    }
    // Both servers listen for notifications over encrypted connections.
    let listening = "select count(*) from pg_stat_activity join pg_stat_ssl using (pid) \
        where ssl and query ilike 'listen%'";
    let both = async { while primary.sql(&database, listening) != "2" {} };
    within_deadline("both to listen", both).await;
    let reading = "select count(*) > 0 from pg_stat_activity \
        where application_name = 'recall-kit-server'";
    assert_eq!(standby.sql(&database, reading), "t");
    let checked = "encrypted, the certificate's authority and name checked";
    let doctor = Launch::new(&homes[2]).env("RECALL_KIT_DATABASE__READ_URL", &copy);
    let doctor = doctor.run_command("doctor").await;
    for server in ["to the database", "to the standby"] {
        let line = format!("network   {server}: {checked}");
        assert!(doctor.expect_code(0).contains(&line), "{doctor:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_untrusted_database_server_is_refused_with_a_message() {
    let (cluster, files) = cluster();
    let plain = Cluster::start();
    files.write("other.pem", signed().authority);
    files.write("empty.pem", "");
    let url = cluster.url(&cluster.database());
    let file = |name: &str| files.path().join(name).display().to_string();
    let named = |host: &str| verified(&url.replace("127.0.0.1", host), &files);
    let with = |parameters: &str, name: &str| format!("{url}?{parameters}{}", file(name));
    let unencrypted = plain.url(&plain.database());
    for (address, expected) in [
        (
            with("sslmode=verify-full&sslrootcert=", "other.pem"),
            "is not trusted; name the file of the authority",
        ),
        // As with other PostgreSQL clients: an authority in the address means that the certificate is verified.
        (
            with("sslmode=require&sslrootcert=", "other.pem"),
            "is not trusted; name the file of the authority",
        ),
        (
            format!("{url}?sslmode=verify-full"),
            "is not trusted; name the file of the authority",
        ),
        (
            named("localhost"),
            "the certificate of the database server localhost is not valid for that name",
        ),
        (
            format!("{url}?sslmode=disable"),
            "set sslmode=verify-full in the address instead of sslmode=disable",
        ),
        (
            with("sslmode=verify-ca&sslrootcert=", "missing.pem"),
            "missing.pem, which the address of the database names as sslrootcert",
        ),
        (
            with("sslmode=verify-ca&sslrootcert=", "empty.pem"),
            "empty.pem, which the address of the database names as sslrootcert, holds no certificate",
        ),
        (
            verified(&unencrypted, &files),
            "does not speak TLS, which the address demands",
        ),
    ] {
        let refused = Launch::new(&Home::with_database(&address)).run().await;
        refused.expect_code(1);
        assert!(refused.stderr.contains(expected), "{address}: {refused:?}");
    }
    // The database for reading is verified in the same way.
    let home = Home::with_database(&unencrypted);
    let refused = Launch::new(&home).args(&["--read-database", &named("localhost")]);
    let refused = refused.run().await;
    assert!(
        refused.stderr.contains("is not valid for that name"),
        "{refused:?}"
    );
    for (address, expected) in [
        (
            named("localhost").replace("verify-full", "verify-ca"),
            "authority checked, its name not",
        ),
        (format!("{url}?sslmode=require"), "was not checked"),
        (format!("{url}?sslmode=allow"), "was not checked"),
        (url, "was not checked"),
        (unencrypted, "not encrypted"),
    ] {
        let report = doctor(&address).await;
        assert!(report.contains(expected), "{address}: {report}");
    }
}
