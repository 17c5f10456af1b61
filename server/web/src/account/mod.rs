//! Accounts: signing in and out, creating the first administrator, and the visitor's own account.

mod own;
mod set_up;
mod sign_in;

use maud::{Markup, html};

pub(super) use self::{
    own::{change_password, own, sign_out, sign_out_everywhere},
    set_up::{set_up, set_up_page},
    sign_in::{ask_again, sign_in, sign_in_page},
};

/// Renders a password field; `autocomplete` tells password managers which password it is.
fn password_field(label: &str, name: &str, autocomplete: &str) -> Markup {
    html! {
        label.field { span { (label) }
            input type="password" name=(name) autocomplete=(autocomplete) required;
        }
    }
}
