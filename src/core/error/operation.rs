//! The calls, by the names that errors give them.

/// The call that failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Operation {
    /// Checking the options.
    Create,
    /// §4.1
    CreateIntegration,
    /// §4.3
    MountFrame,
    /// §4.2
    Status,
    /// §4.2, repeated
    WaitUntilDone,
    /// §4.4
    FetchTokens,
    /// `DELETE`, an extension
    Cancel,
    /// The whole flow
    Connect,
    /// §2.3
    ReceiptFor,
    /// A paid order, its receipt, and its print
    Charge,
    /// §2.3, by the element
    Ask,
    /// Registering the element
    DefineKeypad,
    /// Reading a phone number
    ParsePhone,
    /// Writing one that is typed
    FormatPhoneAsYouType,
    /// Finding what an earlier page left
    Resume,
    /// Reading the connection record
    Connection,
    /// Erasing what is kept
    Forget,
    /// The host has the tokens
    AcknowledgeTokens,
    /// The host is given the tokens
    PersistTokens,
    /// `PATCH /v1/store`, an extension
    UpdateStore,
    /// `GET /v1/store`, an extension
    GetStore,
    /// `POST /v1/customers`, an extension
    SendCustomers,
    /// `POST /v1/orders`, an extension
    SendOrder,
    /// `GET /v1/orders/{externalId}`, an extension
    GetOrder,
    /// Listing what waits in the outbox
    ListOrders,
    /// Sending a refused order once more
    RetryOrder,
    /// Erasing an order from the outbox
    DiscardOrder,
    /// Ending the connection for the merchant
    Disconnect,
}

impl Operation {
    /// The word in `PosConnectError.operation`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::CreateIntegration => "createIntegration",
            Self::MountFrame => "mountFrame",
            Self::Status => "status",
            Self::WaitUntilDone => "waitUntilDone",
            Self::FetchTokens => "fetchTokens",
            Self::Cancel => "cancel",
            Self::Connect => "connect",
            Self::ReceiptFor => "receiptFor",
            Self::Charge => "charge",
            Self::Ask => "ask",
            Self::DefineKeypad => "defineKeypad",
            Self::ParsePhone => "parsePhone",
            Self::FormatPhoneAsYouType => "formatPhoneAsYouType",
            Self::Resume => "resume",
            Self::Connection => "connection",
            Self::Forget => "forget",
            Self::AcknowledgeTokens => "acknowledgeTokens",
            Self::PersistTokens => "persistTokens",
            Self::UpdateStore => "store.update",
            Self::GetStore => "store.get",
            Self::SendCustomers => "customers.send",
            Self::SendOrder => "orders.send",
            Self::GetOrder => "orders.get",
            Self::ListOrders => "orders.list",
            Self::RetryOrder => "orders.retry",
            Self::DiscardOrder => "orders.discard",
            Self::Disconnect => "disconnect",
        }
    }

    /// Whether it is a call with the tokens, for a merchant who is connected (§1).
    pub const fn is_for_merchant(self) -> bool {
        matches!(
            self,
            Self::UpdateStore
                | Self::GetStore
                | Self::SendCustomers
                | Self::SendOrder
                | Self::GetOrder
        )
    }
}
