//! The receipt and its text message. `{}` stands for the account's name, or a day.

texts! {
    /// The receipt and its text message. `{}` stands for the account's name, or a day.
    Receipt {
        /// Heads the receipt.
        title Title "title",
        /// Before the order's number.
        number Number "number",
        /// Before the number of the order that this one refunds.
        refund_of RefundOf "refund_of",
        /// Heads a column.
        item Item "item",
        /// Before a quantity without a price of one.
        quantity Quantity "quantity",
        /// Heads a column.
        amount Amount "amount",
        /// Names the sum without tax.
        subtotal Subtotal "subtotal",
        /// Names the tax that is part of the prices.
        tax_included TaxIncluded "tax_included",
        /// Names the tax that is added.
        tax_added TaxAdded "tax_added",
        /// Names the sum.
        total Total "total",
        /// Names how it was paid.
        payment Payment "payment",
        /// A way to pay.
        cash Cash "cash",
        /// A way to pay.
        card Card "card",
        /// Below the sum.
        thanks Thanks "thanks",
        /// Before the store's phone number and website.
        questions Questions "questions",
        /// At the end: the last day on which the link works.
        until Until "until",
        /// A button below the receipt.
        print Print "print",
        /// Keeps the page as a file.
        save Save "save",
        /// Hands the link to another program, where the browser can.
        share Share "share",
        /// Heads the page without a receipt.
        gone_heading GoneHeading "gone_heading",
        /// Below it.
        gone_text GoneText "gone_text",
        /// Heads the page of a scanned link, as long as the order is on its way.
        waiting_heading WaitingHeading "waiting_heading",
        /// Below it.
        waiting_text WaitingText "waiting_text",
        /// A link below that.
        look_again LookAgain "look_again",
        /// The text message; the account's name. The link follows it.
        message Message "message",
    }
}
