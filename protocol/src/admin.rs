//! What the admin API adds to the wire (extension): a back office of the operator's proves itself by a key in
//! `Authorization: Bearer`, and each key has scopes.

use crate::problem::problem_codes;
use crate::word::words;

words! {
    /// What an admin key may do. None includes another.
    Scope;
    /// List vendors.
    VendorsRead = "vendors:read";
    /// Add vendors, rotate their secrets, replace their origins, disable and enable them.
    VendorsWrite = "vendors:write";
    /// List accounts.
    AccountsRead = "accounts:read";
    /// Add accounts, give them passwords and countries, end two-step sign-in, disable and enable them.
    AccountsWrite = "accounts:write";
    /// List token sets.
    TokenSetsRead = "token-sets:read";
    /// Revoke token sets.
    TokenSetsWrite = "token-sets:write";
    /// Erase orders and customers, and free order numbers.
    OrdersWrite = "orders:write";
    /// List messages that were not delivered.
    MessagesRead = "messages:read";
    /// Try such messages again, or give them up.
    MessagesWrite = "messages:write";
    /// Read the audit.
    AuditRead = "audit:read";
}

problem_codes! {
    /// Why the admin API refused a call, beside the reasons that the service has everywhere.
    AdminProblemCode;
    /// RFC 6750 §3.1. The rule names the scope.
    InsufficientScope = "insufficient_scope", 403, "The key does not have the scope that this call needs.";
    VendorNotFound = "vendor_not_found", 404, "There is no such vendor.";
    AccountNotFound = "account_not_found", 404,
        "There is no such account, or it has nothing that the call could change.";
    StoreNotFound = "store_not_found", 404, "There is no such store.";
    MessageNotFound = "message_not_found", 404, "No undelivered message has this ID.";
    VendorExists = "vendor_exists", 409, "There is already a vendor with this ID.";
    AccountExists = "account_exists", 409, "There is already an account with this email.";
    /// A relay may still use the older secret.
    RotationUnderway = "rotation_underway", 409, "Two secrets work; `endOlder` ends the older one.";
}
