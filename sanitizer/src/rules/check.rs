//! Checks: what a rule demands of a match beyond its expression.

use std::ops::Range;

use recall_kit_evidence::keys::key;
use recall_kit_evidence::people::{accounts, mailboxes, persons, users};
use recall_kit_evidence::places::{addresses, hosts, machines, sites};
use recall_kit_evidence::secrets::chosen::{codes, told};
use recall_kit_evidence::secrets::{checksum, chosen, value};
use recall_kit_evidence::text::{head, tail};
use recall_kit_evidence::words::message;

use crate::rules::rule::Check;

/// How much of the text around a span its check may read, in bytes.
const CONTEXT: usize = 320;

/// Returns whether a match at `span` passes a check.
pub(super) fn holds(check: Check, text: &str, span: &Range<usize>, matched: &str) -> bool {
    let before = tail(text.get(..span.start).unwrap_or_default(), CONTEXT);
    let after = head(text.get(span.end..).unwrap_or_default(), CONTEXT);
    match check {
        Check::Any => true,
        Check::Value => !value::is_placeholder(matched) && !value::is_reference(matched),
        Check::Opaque => value::is_opaque(matched, 8),
        Check::Password => value::is_password(matched, true),
        Check::Chosen => value::is_password(matched, false),
        Check::KeyMaterial => value::has_key_material(matched),
        Check::Card => checksum::is_card(matched),
        Check::Iban => checksum::is_iban(matched),
        Check::ChineseId => checksum::is_chinese_id(matched),
        Check::Ssn => checksum::is_ssn(matched),
        Check::Cpf => checksum::is_cpf(matched),
        Check::Dni => checksum::is_dni(matched),
        Check::Identity => persons::is_identity(matched),
        Check::Address => persons::is_address(matched),
        Check::Ipv4 => addresses::is_private_ipv4(before, matched, after),
        Check::Ipv6 => addresses::is_private_ipv6(before, matched, after),
        Check::Mac => addresses::is_device_mac(before, matched, after),
        Check::Email => mailboxes::is_email(before, matched, after),
        Check::UrlHost => hosts::is_private_in_url(before, matched, after),
        Check::BareHost => hosts::is_private_alone(before, matched, after),
        Check::KeyedHost => {
            !sites::is_manifest_page(before, matched) && hosts::is_private_keyed(matched, after)
        }
        Check::PortHost => hosts::is_private_with_port(before, matched),
        Check::Machine => machines::is_private(before, matched),
        Check::PortMachine => machines::is_private_with_port(before, matched, after),
        Check::User => users::is_user(matched),
        Check::Name => persons::is_name(matched),
        Check::Person => persons::is_person(matched),
        Check::Login => persons::is_login(matched),
        Check::Account => accounts::is_account(matched) && !message::is_predicate(matched),
        Check::UrlUser => {
            persons::is_url_user(matched, after.split(['\n', ' ']).next().unwrap_or_default())
        }
        Check::ChineseMobile => persons::is_chinese_mobile(before, matched, after),
        Check::Phone => persons::is_phone(before, matched, after),
        Check::Strong => value::is_password(matched, true) && chosen::is_no_word(matched),
        Check::Phrase => {
            chosen::is_said_phrase(matched)
                || value::is_password(matched, true) && chosen::is_no_word(matched)
        }
        Check::Code => checksum::is_varied(matched) && !codes::names_another(before),
        Check::NamedMachine => machines::is_named(before, matched),
        Check::Realm => hosts::is_private_keyed(&matched.to_ascii_lowercase(), after),
        Check::Domain => ![
            "DOMAIN",
            "WORKGROUP",
            "AUTHORITY",
            "BUILTIN",
            "EXAMPLE",
            "CONTOSO",
            "MYDOMAIN",
            "SERVICE",
            "AZUREAD",
            "OFFICE",
            "COMPANY",
        ]
        .contains(&matched),
        Check::Doer => {
            accounts::is_account(matched)
                && !message::is_predicate(matched)
                && accounts::is_no_word(matched)
        }
        Check::Tenant => {
            matched.contains('.') && !value::is_placeholder(matched) && !accounts::is_role(matched)
        }
        Check::Bucket => !matched.split('-').next().is_some_and(|first| {
            accounts::is_role(first) || value::is_placeholder(first) || first == "company"
        }),
        Check::Chat => {
            accounts::is_account(&matched.to_ascii_lowercase())
                && matched.len() >= 5
                && matched.bytes().any(|b| b.is_ascii_lowercase())
                && matched
                    .bytes()
                    .skip(1)
                    .any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        }
        Check::Parts => matched
            .split([';', '^', ','])
            .map(str::trim)
            .all(|part| part.is_empty() || persons::is_person(part)),
        Check::CodeBehind => {
            checksum::is_varied(matched) && codes::is_behind_its_name(before, matched, after)
        }
        Check::CodeBefore => {
            checksum::is_varied(matched) && codes::is_before_its_name(before, matched, after)
        }
        Check::Told => told::is_told(before, matched, after),
        Check::ToldFirst => told::is_value(matched),
        Check::ToldToken => told::is_told_token(before, matched, after),
        Check::CodeEntered => {
            checksum::is_varied(matched) && codes::is_entered(before, matched, after)
        }
        Check::CodeCame => checksum::is_varied(matched) && codes::came(before, matched, after),
        Check::CodeLettered => codes::is_lettered(before, matched, after),
        Check::MachineMarked => machines::is_marked(before, matched),
        Check::AccountInCapitals => accounts::is_in_capitals(matched),
        Check::MachineServing => machines::is_serving(before, matched),
        Check::FullName => persons::is_full_name(before, matched),
        Check::Named => persons::is_person(matched) && !persons::is_word_for_people(matched),
        Check::Recovery => {
            checksum::is_varied(matched) && matched.bytes().any(|b| b.is_ascii_digit())
        }
        Check::Beside => {
            accounts::is_account(matched)
                && key::meaning(matched).is_none()
                && !message::is_predicate(matched)
                && !follows_replaced_user(before)
        }
        Check::ToldQuoted => told::is_told_in_quotes(before, matched),
    }
}

/// `ssh USER exec`: `USER` stands for a name that was found, and does not announce one.
fn follows_replaced_user(before: &str) -> bool {
    let statement = ["CREATE ", "ALTER ", "DROP "];
    before
        .trim_end_matches([' ', '"', '\''])
        .strip_suffix("USER")
        .is_some_and(|before| {
            !before.ends_with(char::is_alphabetic)
                && !statement.iter().any(|verb| before.ends_with(verb))
        })
}
