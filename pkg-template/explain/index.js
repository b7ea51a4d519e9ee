// What a cashier can do about an error, in the languages of the keypad. Nothing of the package is imported: only what
// an error says is read.

/** The codes that have a sentence of their own; the others have that of their `advice`. */
const SENTENCES = {
  later: ["rate_limited"],
  unfinished: ["not_finished"],
  interrupted: ["aborted", "destroyed"],
  stopped: ["closed", "cancelled", "wait_timeout", "integration_cancelled", "integration_expired"],
  account: ["other_account"],
  paper: ["ereceipt_not_enabled", "too_many_messages", "unknown_sealing_key"],
  storage: ["vault_failed"],
  outbox: ["outbox_full"],
  browser: ["unsupported_browser"],
};

const TEXTS = {
  en: {
    retry: "No connection right now. Try again in a moment.",
    connect: "This till is not connected. Connect the account again.",
    support: "Something is wrong with this till. Call support and give this code:",
    later: "Too many attempts. Wait a moment, then try again.",
    unfinished: "The account is not connected yet. Finish connecting it first.",
    interrupted: "This was interrupted. Try again.",
    stopped: "The account was not connected. You can start again.",
    account: "This till belongs to another account or store. Connect that one.",
    paper: "The text message can't be sent. Print the receipt.",
    storage: "This device can't save data. Free up space, or leave private mode.",
    outbox: "Too many orders are waiting to be sent. Check the list of orders.",
    browser: "This browser is too old. Update it.",
  },
  he: {
    retry: "אין חיבור כרגע. נסו שוב בעוד רגע.",
    connect: "הקופה לא מחוברת. חברו את החשבון מחדש.",
    support: "יש תקלה בקופה. התקשרו לתמיכה ומסרו את הקוד:",
    later: "יותר מדי ניסיונות. המתינו רגע ונסו שוב.",
    unfinished: "החשבון עדיין לא חובר. השלימו קודם את החיבור.",
    interrupted: "הפעולה נקטעה. נסו שוב.",
    stopped: "החשבון לא חובר. אפשר להתחיל מחדש.",
    account: "הקופה שייכת לחשבון אחר או לחנות אחרת. חברו אותה אליהם.",
    paper: "אי אפשר לשלוח את ההודעה. הדפיסו את הקבלה.",
    storage: "המכשיר לא יכול לשמור נתונים. פנו מקום אחסון, או צאו מגלישה פרטית.",
    outbox: "יותר מדי הזמנות ממתינות לשליחה. בדקו את רשימת ההזמנות.",
    browser: "הדפדפן ישן מדי. עדכנו אותו.",
  },
  ar: {
    retry: "لا يوجد اتصال الآن. حاول مرة أخرى بعد قليل.",
    connect: "نقطة البيع هذه غير مرتبطة. اربط الحساب من جديد.",
    support: "هناك خلل في نقطة البيع. اتصل بالدعم واذكر هذا الرمز:",
    later: "محاولات كثيرة جدًا. انتظر قليلًا ثم حاول مرة أخرى.",
    unfinished: "لم يكتمل ربط الحساب. أكمل الربط أولًا.",
    interrupted: "توقفت العملية. حاول مرة أخرى.",
    stopped: "لم يتم ربط الحساب. يمكنك البدء من جديد.",
    account: "نقطة البيع هذه تابعة لحساب أو متجر آخر. اربطها به.",
    paper: "تعذّر إرسال الرسالة النصية. اطبع الإيصال.",
    storage: "لا يستطيع هذا الجهاز حفظ البيانات. وفّر مساحة، أو اخرج من وضع التصفح الخاص.",
    outbox: "طلبات كثيرة جدًا بانتظار الإرسال. راجع قائمة الطلبات.",
    browser: "هذا المتصفح قديم جدًا. حدّثه.",
  },
  es: {
    retry: "Ahora no hay conexión. Inténtelo de nuevo en un momento.",
    connect: "Esta caja no está conectada. Conecte la cuenta de nuevo.",
    support: "Algo falla en esta caja. Llame a soporte e indique este código:",
    later: "Demasiados intentos. Espere un momento e inténtelo de nuevo.",
    unfinished: "La cuenta aún no está conectada. Termine primero de conectarla.",
    interrupted: "Se interrumpió la operación. Inténtelo de nuevo.",
    stopped: "La cuenta no se conectó. Puede empezar de nuevo.",
    account: "Esta caja pertenece a otra cuenta o tienda. Conéctela a esa.",
    paper: "No se puede enviar el mensaje. Imprima el recibo.",
    storage: "Este dispositivo no puede guardar datos. Libere espacio o salga del modo privado.",
    outbox: "Hay demasiados pedidos por enviar. Revise la lista de pedidos.",
    browser: "Este navegador es demasiado antiguo. Actualícelo.",
  },
};

function textsOf(locale) {
  const language = locale ?? globalThis.document?.documentElement.lang;
  return TEXTS[String(language || globalThis.navigator?.language).slice(0, 2).toLowerCase()] ?? TEXTS.en;
}

export function explain(error, locale) {
  const texts = textsOf(locale);
  const { code, advice, requestId, name } = Object(error);
  const own = Object.keys(SENTENCES).find((sentence) => SENTENCES[sentence].includes(code));
  const sentence = own ?? (["retry", "connect"].includes(advice) ? advice : "support");
  if (sentence !== "support") return texts[sentence];
  const reference = [code ?? name, requestId].filter(Boolean).join(" ") || "unknown";
  // Isolated from the writing around it, which may run from right to left.
  return `${texts.support} \u2068${reference}\u2069`;
}
