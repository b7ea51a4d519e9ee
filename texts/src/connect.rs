//! The connect page. `{}` stands for a name, an email or minutes.

texts! {
    /// The connect page. `{}` stands for a name, an email or minutes.
    Connect {
        /// Heads the sign-in; the vendor's name.
        sign_in_heading SignInHeading "sign_in_heading",
        /// Below it; the vendor's name.
        sign_in_lead SignInLead "sign_in_lead",
        /// Above the four digits, where the page is in a window or on a phone.
        code Code "code",
        /// Below them.
        code_differs CodeDiffers "code_differs",
        /// Names the field.
        email Email "email",
        /// Names the field.
        password Password "password",
        /// Makes the password readable.
        show_password ShowPassword "show_password",
        /// A link of the operator's.
        forgot Forgot "forgot",
        /// A link of the operator's.
        help Help "help",
        /// Heard after the name of such a link.
        new_tab NewTab "new_tab",
        /// Stands for a logo without a name.
        logo Logo "logo",
        /// The button that signs in.
        sign_in SignIn "sign_in",
        /// The button that signs in with the operator's provider; the provider's name.
        sign_in_with SignInWith "sign_in_with",
        /// Heads the page that asks for a code, after the password.
        second_step_heading SecondStepHeading "second_step_heading",
        /// Below it.
        second_step_lead SecondStepLead "second_step_lead",
        /// Follows, where a passkey can be used.
        passkey_or PasskeyOr "passkey_or",
        /// The button that asks the browser for a passkey instead.
        passkey_use PasskeyUse "passkey_use",
        /// Above the fields, where the browser gives none.
        passkey_none PasskeyNone "passkey_none",
        /// Names the field.
        one_time_code OneTimeCode "one_time_code",
        /// On every page of test mode, and on its receipts.
        test_mode TestMode "test_mode",
        /// The button that connects nothing.
        cancel Cancel "cancel",
        /// Above the fields, after a wrong password.
        wrong_password WrongPassword "wrong_password",
        /// Above the field, after a code that does not count.
        wrong_code WrongCode "wrong_code",
        /// Likewise, after a passkey that does not count.
        wrong_passkey WrongPasskey "wrong_passkey",
        /// Above the field, where it is empty.
        no_code NoCode "no_code",
        /// Above the field for the password of who is signed in, where it is empty or another.
        own_password OwnPassword "own_password",
        /// Above the fields, where one is empty.
        fill_both FillBoth "fill_both",
        /// Above the fields, after too many attempts; minutes.
        too_many TooMany "too_many",
        /// Above the fields, where no password can be looked at now.
        busy Busy "busy",
        /// Above the fields, after a provider or its answer was refused.
        not_signed_in NotSignedIn "not_signed_in",
        /// Above the fields, where the provider does not answer.
        provider_away ProviderAway "provider_away",
        /// Above the fields, after a form that was sent twice or too late.
        form_used FormUsed "form_used",
        /// Above the fields, where the browser reaches nothing.
        offline Offline "offline",
        /// Heads the consent; the vendor's name.
        consent_heading ConsentHeading "consent_heading",
        /// Beside the account: the button that signs in another one.
        not_you NotYou "not_you",
        /// Names the choice of the store.
        store Store "store",
        /// Where none was chosen.
        choose_store ChooseStore "choose_store",
        /// Above the permissions; the vendor's name.
        asks Asks "asks",
        /// A permission.
        asks_profile AsksProfile "asks_profile",
        /// A permission.
        asks_customers AsksCustomers "asks_customers",
        /// A permission.
        asks_orders AsksOrders "asks_orders",
        /// Names the switch beside a connection.
        ereceipts Ereceipts "ereceipts",
        /// Asks whether tills offer them.
        ereceipts_offer EreceiptsOffer "ereceipts_offer",
        /// Below it.
        ereceipts_text EreceiptsText "ereceipts_text",
        /// An answer.
        yes Yes "yes",
        /// The other one.
        not_now NotNow "not_now",
        /// The button that connects.
        connect Connect "connect",
        /// Before the link to the list of connections.
        any_time AnyTime "any_time",
        /// Heads the end.
        finished_heading FinishedHeading "finished_heading",
        /// Below it; the vendor's name.
        finished_text FinishedText "finished_text",
        /// Heads the end without a connection.
        cancelled_heading CancelledHeading "cancelled_heading",
        /// Below it; the vendor's name.
        cancelled_text CancelledText "cancelled_text",
        /// Heads what cannot go on.
        link_heading LinkHeading "link_heading",
        /// Below it: the address lacks something.
        link_incomplete LinkIncomplete "link_incomplete",
        /// Below it: no such integration.
        link_unknown LinkUnknown "link_unknown",
        /// Below it: no such vendor.
        vendor_unknown VendorUnknown "vendor_unknown",
        /// Below it: the form came from elsewhere.
        foreign_form ForeignForm "foreign_form",
        /// Below it: a provider's answer in a browser that has not asked.
        other_browser OtherBrowser "other_browser",
        /// Heads the end of the time.
        expired_heading ExpiredHeading "expired_heading",
        /// Below it.
        expired_text ExpiredText "expired_text",
        /// Heads an integration of another account.
        other_account_heading OtherAccountHeading "other_account_heading",
        /// Below it.
        other_account_text OtherAccountText "other_account_text",
        /// Heads an account without a store.
        no_store_heading NoStoreHeading "no_store_heading",
        /// Below it.
        no_store_text NoStoreText "no_store_text",
        /// Heads the list of connections.
        connections_heading ConnectionsHeading "connections_heading",
        /// Below it, before signing in.
        connections_lead ConnectionsLead "connections_lead",
        /// In the place of an empty list.
        connections_none ConnectionsNone "connections_none",
        /// Before the time of a connection.
        since Since "since",
        /// Before the time when a till used it last.
        last_used LastUsed "last_used",
        /// Before what names it, where others are alike.
        id Id "id",
        /// The button beside a connection.
        disconnect Disconnect "disconnect",
        /// The button that does it; the store's name.
        disconnect_named DisconnectNamed "disconnect_named",
        /// What that means.
        disconnect_text DisconnectText "disconnect_text",
        /// After that; the store's name.
        disconnected Disconnected "disconnected",
        /// After the switch; the store's name.
        ereceipts_now_on EreceiptsNowOn "ereceipts_now_on",
        /// Likewise.
        ereceipts_now_off EreceiptsNowOff "ereceipts_now_off",
        /// Leaves the list of connections.
        sign_out SignOut "sign_out",
        /// Heads what is beside the password.
        second_factor SecondFactor "second_factor",
        /// Below it, where it is off.
        second_factor_is_off SecondFactorIsOff "second_factor_is_off",
        /// Below it, where it is on; how many recovery codes are left.
        second_factor_is_on SecondFactorIsOn "second_factor_is_on",
        /// Opens what can be done with it.
        second_factor_change SecondFactorChange "second_factor_change",
        /// After that.
        second_factor_now_off SecondFactorNowOff "second_factor_now_off",
        /// Above the code to scan.
        set_up_text SetUpText "set_up_text",
        /// Before the key.
        set_up_key SetUpKey "set_up_key",
        /// Names the field below.
        set_up_code SetUpCode "set_up_code",
        /// A button.
        turn_on TurnOn "turn_on",
        /// A button.
        turn_off TurnOff "turn_off",
        /// Heads the codes that work without a phone.
        recovery_codes RecoveryCodes "recovery_codes",
        /// Below it.
        recovery_codes_text RecoveryCodesText "recovery_codes_text",
        /// A button.
        recovery_codes_new RecoveryCodesNew "recovery_codes_new",
        /// The button that leaves them.
        recovery_codes_kept RecoveryCodesKept "recovery_codes_kept",
        /// Names the list of passkeys.
        passkeys Passkeys "passkeys",
        /// Before the number of one.
        passkey Passkey "passkey",
        /// Before the time.
        passkey_added PasskeyAdded "passkey_added",
        /// A button, and the heading of its page.
        passkey_add PasskeyAdd "passkey_add",
        /// Below the heading.
        passkey_text PasskeyText "passkey_text",
        /// After that.
        passkey_now_on PasskeyNowOn "passkey_now_on",
        /// After that, where it came to nothing.
        passkey_not_added PasskeyNotAdded "passkey_not_added",
        /// In the place of the button, where an account has as many as it may have.
        passkeys_full PasskeysFull "passkeys_full",
        /// A button.
        passkey_remove PasskeyRemove "passkey_remove",
        /// After that.
        passkey_now_off PasskeyNowOff "passkey_now_off",
    }
}
