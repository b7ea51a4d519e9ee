//! The languages of the connect frame, and which one a merchant reads.

use axum::http::HeaderMap;
use axum::http::header;

/// A language that the pages speak.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Language {
    English,
    Hebrew,
    Arabic,
}

impl Language {
    /// The one that was asked for by `lang`, else the browser's favorite among ours, else English.
    pub(super) fn choose(asked: Option<&str>, headers: &HeaderMap) -> Self {
        let accepted = headers
            .get(header::ACCEPT_LANGUAGE)
            .and_then(|value| value.to_str().ok());
        asked
            .and_then(Self::from_tag)
            .or_else(|| favorite(accepted?))
            .unwrap_or(Self::English)
    }

    fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next()?.trim().to_ascii_lowercase();
        match primary.as_str() {
            "en" => Some(Self::English),
            // "iw" is what Java and old Androids call Hebrew.
            "he" | "iw" => Some(Self::Hebrew),
            "ar" => Some(Self::Arabic),
            _ => None,
        }
    }

    /// For `lang` attributes.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Hebrew => "he",
            Self::Arabic => "ar",
        }
    }

    /// For `dir` attributes.
    pub(super) fn direction(self) -> &'static str {
        match self {
            Self::English => "ltr",
            Self::Hebrew | Self::Arabic => "rtl",
        }
    }

    /// Everything the pages say.
    pub(super) fn strings(self) -> &'static Strings {
        match self {
            Self::English => &ENGLISH,
            Self::Hebrew => &HEBREW,
            Self::Arabic => &ARABIC,
        }
    }
}

/// Reads `Accept-Language` (RFC 9110 §12.5.4).
fn favorite(accepted: &str) -> Option<Language> {
    let mut best = None;
    for range in accepted.split(',') {
        let (tag, weight) = range.split_once(';').unwrap_or((range, "q=1"));
        let weight: f32 = weight
            .trim()
            .strip_prefix("q=")
            .and_then(|weight| weight.parse().ok())
            .unwrap_or(0.0);
        if let Some(language) = Language::from_tag(tag.trim())
            && weight > best.map_or(0.0, |(_, best)| best)
        {
            best = Some((language, weight));
        }
    }
    best.map(|(language, _)| language)
}

/// The words of one language; `{}` stands for a name.
pub(super) struct Strings {
    pub(super) sign_in_heading: &'static str,
    pub(super) sign_in_lead: &'static str,
    pub(super) code: &'static str,
    pub(super) code_differs: &'static str,
    pub(super) email: &'static str,
    pub(super) password: &'static str,
    pub(super) sign_in: &'static str,
    pub(super) cancel: &'static str,
    pub(super) wrong_password: &'static str,
    pub(super) fill_both: &'static str,
    pub(super) too_many: &'static str,
    pub(super) form_used: &'static str,
    pub(super) consent_heading: &'static str,
    pub(super) signed_in_as: &'static str,
    pub(super) store: &'static str,
    pub(super) choose_store: &'static str,
    pub(super) asks: &'static str,
    pub(super) asks_profile: &'static str,
    pub(super) asks_customers: &'static str,
    pub(super) asks_orders: &'static str,
    pub(super) ereceipts: &'static str,
    pub(super) ereceipts_text: &'static str,
    pub(super) connect: &'static str,
    pub(super) finished_heading: &'static str,
    pub(super) finished_text: &'static str,
    pub(super) cancelled_heading: &'static str,
    pub(super) cancelled_text: &'static str,
    pub(super) link_heading: &'static str,
    pub(super) link_incomplete: &'static str,
    pub(super) link_unknown: &'static str,
    pub(super) vendor_unknown: &'static str,
    pub(super) foreign_form: &'static str,
    pub(super) expired_heading: &'static str,
    pub(super) expired_text: &'static str,
    pub(super) other_account_heading: &'static str,
    pub(super) other_account_text: &'static str,
}

const ENGLISH: Strings = Strings {
    sign_in_heading: "Connect {} to your account",
    sign_in_lead: "Sign in to the account your store belongs to.",
    code: "Your till shows the same number:",
    code_differs: "If it doesn't, close this page.",
    email: "Email",
    password: "Password",
    sign_in: "Sign in",
    cancel: "Cancel",
    wrong_password: "That email and password don't match. Check both and try again.",
    fill_both: "Enter your email and your password.",
    too_many: "Too many attempts. Try again in {} min.",
    form_used: "That page was already sent or was open too long, so nothing was changed. Please sign in again.",
    consent_heading: "Connect {}?",
    signed_in_as: "Signed in as {}",
    store: "Store",
    choose_store: "Choose the store to connect.",
    asks: "{} will be able to:",
    asks_profile: "Update this store's profile",
    asks_customers: "Send the store's customers list to your account",
    asks_orders: "Send the store's orders to your account",
    ereceipts: "e-receipts",
    ereceipts_text: "With every order, let shoppers choose a receipt by text message instead of paper.",
    connect: "Connect",
    finished_heading: "Connected",
    finished_text: "{} is connected. You can close this window and return to the till.",
    cancelled_heading: "Cancelled",
    cancelled_text: "{} was not connected. You can close this window and return to the till.",
    link_heading: "This page can't continue",
    link_incomplete: "Something is missing from the request. Go back to the till and start connecting again.",
    link_unknown: "This connection isn't known here. Go back to the till and start connecting again.",
    vendor_unknown: "The till's software isn't registered here. Ask its vendor for help.",
    foreign_form: "The form didn't come from this page. Go back to the till and start connecting again.",
    expired_heading: "Time is up",
    expired_text: "This connection wasn't completed in time. Go back to the till and start connecting again.",
    other_account_heading: "Another account is connecting",
    other_account_text: "Somebody has already signed in here with another account. To use yours, start connecting again from the till.",
};

const HEBREW: Strings = Strings {
    sign_in_heading: "חיבור {} לחשבון שלך",
    sign_in_lead: "יש להיכנס לחשבון שהחנות שייכת אליו.",
    code: "הקופה שלך מציגה את אותו המספר:",
    code_differs: "אם לא, יש לסגור את הדף.",
    email: "אימייל",
    password: "סיסמה",
    sign_in: "כניסה",
    cancel: "ביטול",
    wrong_password: "האימייל והסיסמה אינם תואמים. יש לבדוק את שניהם ולנסות שוב.",
    fill_both: "יש להזין אימייל וסיסמה.",
    too_many: "יותר מדי ניסיונות. אפשר לנסות שוב בעוד {} דק׳.",
    form_used: "הדף כבר נשלח או היה פתוח זמן רב מדי, ולכן דבר לא השתנה. יש להיכנס שוב.",
    consent_heading: "לחבר את {}?",
    signed_in_as: "מחובר בתור {}",
    store: "חנות",
    choose_store: "יש לבחור את החנות לחיבור.",
    asks: "{} יוכל:",
    asks_profile: "לעדכן את פרופיל החנות",
    asks_customers: "לשלוח את רשימת הלקוחות של החנות לחשבון שלך",
    asks_orders: "לשלוח את ההזמנות של החנות לחשבון שלך",
    ereceipts: "קבלות דיגיטליות",
    ereceipts_text: "בכל הזמנה הקונים יוכלו לבחור בקבלה במסרון במקום בנייר.",
    connect: "חיבור",
    finished_heading: "החיבור הושלם",
    finished_text: "{} מחובר. אפשר לסגור את החלון ולחזור לקופה.",
    cancelled_heading: "החיבור בוטל",
    cancelled_text: "{} לא חובר. אפשר לסגור את החלון ולחזור לקופה.",
    link_heading: "אי אפשר להמשיך בדף הזה",
    link_incomplete: "חסר משהו בבקשה. יש לחזור לקופה ולהתחיל שוב בחיבור.",
    link_unknown: "החיבור הזה אינו מוכר כאן. יש לחזור לקופה ולהתחיל שוב בחיבור.",
    vendor_unknown: "תוכנת הקופה אינה רשומה כאן. יש לפנות לספק התוכנה.",
    foreign_form: "הטופס לא נשלח מהדף הזה. יש לחזור לקופה ולהתחיל שוב בחיבור.",
    expired_heading: "הזמן תם",
    expired_text: "החיבור לא הושלם בזמן. יש לחזור לקופה ולהתחיל שוב בחיבור.",
    other_account_heading: "חשבון אחר כבר מתחבר",
    other_account_text: "מישהו כבר נכנס כאן עם חשבון אחר. כדי להשתמש בחשבון שלך, יש להתחיל שוב בחיבור מהקופה.",
};

const ARABIC: Strings = Strings {
    sign_in_heading: "ربط {} بحسابك",
    sign_in_lead: "سجّل الدخول إلى الحساب الذي يتبع له متجرك.",
    code: "تعرض نقطة البيع لديك الرقم نفسه:",
    code_differs: "إن لم يكن كذلك، فأغلق هذه الصفحة.",
    email: "البريد الإلكتروني",
    password: "كلمة المرور",
    sign_in: "تسجيل الدخول",
    cancel: "إلغاء",
    wrong_password: "البريد الإلكتروني وكلمة المرور غير متطابقين. تحقق منهما وحاول مرة أخرى.",
    fill_both: "أدخل بريدك الإلكتروني وكلمة المرور.",
    too_many: "محاولات كثيرة جدًا. حاول مرة أخرى بعد {} دقيقة.",
    form_used: "سبق إرسال هذه الصفحة أو بقيت مفتوحة مدة طويلة، فلم يتغير شيء. سجّل الدخول مرة أخرى.",
    consent_heading: "هل تريد ربط {}؟",
    signed_in_as: "تم تسجيل الدخول باسم {}",
    store: "المتجر",
    choose_store: "اختر المتجر المراد ربطه.",
    asks: "سيتمكن {} من:",
    asks_profile: "تحديث ملف هذا المتجر",
    asks_customers: "إرسال قائمة عملاء المتجر إلى حسابك",
    asks_orders: "إرسال طلبات المتجر إلى حسابك",
    ereceipts: "الإيصالات الإلكترونية",
    ereceipts_text: "مع كل طلب، يمكن للمتسوقين اختيار إيصال برسالة نصية بدلًا من الورق.",
    connect: "ربط",
    finished_heading: "تم الربط",
    finished_text: "تم ربط {}. يمكنك إغلاق هذه النافذة والعودة إلى نقطة البيع.",
    cancelled_heading: "تم الإلغاء",
    cancelled_text: "لم يتم ربط {}. يمكنك إغلاق هذه النافذة والعودة إلى نقطة البيع.",
    link_heading: "لا يمكن متابعة هذه الصفحة",
    link_incomplete: "هناك شيء ناقص في الطلب. عد إلى نقطة البيع وابدأ الربط من جديد.",
    link_unknown: "هذا الربط غير معروف هنا. عد إلى نقطة البيع وابدأ الربط من جديد.",
    vendor_unknown: "برنامج نقطة البيع غير مسجّل هنا. اطلب المساعدة من مزوّده.",
    foreign_form: "لم يُرسل النموذج من هذه الصفحة. عد إلى نقطة البيع وابدأ الربط من جديد.",
    expired_heading: "انتهى الوقت",
    expired_text: "لم يكتمل هذا الربط في الوقت المحدد. عد إلى نقطة البيع وابدأ الربط من جديد.",
    other_account_heading: "حساب آخر قيد الربط",
    other_account_text: "سبق أن سجّل شخص الدخول هنا بحساب آخر. لاستخدام حسابك، ابدأ الربط من جديد من نقطة البيع.",
};

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(asked: Option<&str>, accepted: &str) -> Language {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_LANGUAGE, accepted.parse().unwrap());
        Language::choose(asked, &headers)
    }

    #[test]
    fn the_parameter_wins_then_the_heaviest_range_then_english() {
        assert_eq!(choose(Some("he"), "ar"), Language::Hebrew);
        assert_eq!(choose(Some("iw-IL"), "ar"), Language::Hebrew);
        assert_eq!(choose(Some("fr"), "ar-EG"), Language::Arabic);
        assert_eq!(choose(None, "fr, en;q=0.7, he;q=0.9"), Language::Hebrew);
        assert_eq!(choose(None, "he;q=0, fr"), Language::English);
        assert_eq!(choose(None, "ar;q=x"), Language::English);
        assert_eq!(choose(None, ""), Language::English);
    }
}
