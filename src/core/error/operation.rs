//! The calls, by the names that errors give them.

use crate::core::named_enum::named_enum;

named_enum! {
    /// The call that failed.
    Operation {
        /// Checking the options.
        Create = "create",
        /// §4.1
        CreateIntegration = "createIntegration",
        /// §4.3
        MountFrame = "mountFrame",
        /// §4.2
        Status = "status",
        /// §4.2, repeated
        WaitUntilDone = "waitUntilDone",
        /// §4.4
        FetchTokens = "fetchTokens",
        /// `DELETE`, an extension
        Cancel = "cancel",
        /// The whole flow
        Connect = "connect",
        /// §2.3
        ReceiptFor = "receiptFor",
        /// A paid order, its receipt, and its print
        Charge = "charge",
        /// §2.3, by the element
        Ask = "ask",
        /// Registering the element
        DefineKeypad = "defineKeypad",
        /// Reading a phone number
        ParsePhone = "parsePhone",
        /// Writing one that is typed
        FormatPhoneAsYouType = "formatPhoneAsYouType",
        /// Finding what an earlier page left
        Resume = "resume",
        /// Reading the connection record
        Connection = "connection",
        /// Erasing what is kept
        Forget = "forget",
        /// The host has the tokens
        AcknowledgeTokens = "acknowledgeTokens",
        /// The host is given the tokens
        PersistTokens = "persistTokens",
        /// `PATCH /v1/store`, an extension
        UpdateStore = "store.update",
        /// `GET /v1/store`, an extension
        GetStore = "store.get",
        /// `POST /v1/customers`, an extension
        SendCustomers = "customers.send",
        /// `POST /v1/orders`, an extension
        SendOrder = "orders.send",
        /// `GET /v1/orders/{externalId}`, an extension
        GetOrder = "orders.get",
        /// Listing what waits in the outbox
        ListOrders = "orders.list",
        /// Sending a refused order once more
        RetryOrder = "orders.retry",
        /// Erasing an order from the outbox
        DiscardOrder = "orders.discard",
        /// Ending the connection for the merchant
        Disconnect = "disconnect",
    }
}

impl Operation {
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
