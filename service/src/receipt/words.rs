//! What a receipt and its message say.

use crate::language::Language;

/// The words of one language; `{}` stands for the store's name.
pub(crate) struct Words {
    pub(super) title: &'static str,
    pub(super) number: &'static str,
    pub(super) date: &'static str,
    pub(super) item: &'static str,
    pub(super) quantity: &'static str,
    pub(super) amount: &'static str,
    pub(super) tax_included: &'static str,
    pub(super) tax_added: &'static str,
    pub(super) total: &'static str,
    pub(super) gone_heading: &'static str,
    pub(super) gone_text: &'static str,
    /// The text message; the link follows it.
    pub(crate) message: &'static str,
}

pub(crate) fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Hebrew => &HEBREW,
        Language::Arabic => &ARABIC,
    }
}

const ENGLISH: Words = Words {
    title: "Receipt",
    number: "Order",
    date: "Date",
    item: "Item",
    quantity: "Quantity",
    amount: "Amount",
    tax_included: "Tax included",
    tax_added: "Tax",
    total: "Total",
    gone_heading: "There is no receipt here",
    gone_text: "The link is not complete, or its time is over. Ask the store for another copy.",
    message: "Your receipt from {}:",
};

const HEBREW: Words = Words {
    title: "קבלה",
    number: "הזמנה",
    date: "תאריך",
    item: "פריט",
    quantity: "כמות",
    amount: "סכום",
    tax_included: "כולל מע״מ",
    tax_added: "מע״מ",
    total: "סה״כ",
    gone_heading: "אין כאן קבלה",
    gone_text: "הקישור אינו שלם, או שתוקפו פג. אפשר לבקש עותק נוסף בחנות.",
    message: "הקבלה שלך מאת {}:",
};

const ARABIC: Words = Words {
    title: "إيصال",
    number: "الطلب",
    date: "التاريخ",
    item: "الصنف",
    quantity: "الكمية",
    amount: "المبلغ",
    tax_included: "شامل الضريبة",
    tax_added: "الضريبة",
    total: "المجموع",
    gone_heading: "لا يوجد إيصال هنا",
    gone_text: "الرابط غير كامل أو انتهت صلاحيته. اطلبوا من المتجر نسخة أخرى.",
    message: "إيصالك من {}:",
};
