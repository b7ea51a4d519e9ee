// What the customer's display says. The keypad has its own words.
import { formatMoney } from "./money.js";

const words = {
  en: {
    welcome: "Welcome",
    order: "Your order",
    tax: "Tax",
    total: "Total",
    items: "Items: #",
    paid: "Paid {amount} · Order {number}",
    refunded: "Refunded {amount} · Order {number}",
    change: "Change {amount}",
    thanks: "Thank you!",
    sent: "Your receipt is on its way to #.",
    printed: "Please take your receipt.",
    none: "See you soon.",
    back: "Back",
  },
  he: {
    welcome: "ברוכים הבאים",
    order: "ההזמנה שלכם",
    tax: "מס",
    total: "סה״כ",
    items: "פריטים: #",
    paid: "שולם {amount} · הזמנה {number}",
    refunded: "זוכה {amount} · הזמנה {number}",
    change: "עודף {amount}",
    thanks: "תודה!",
    sent: "הקבלה בדרך אל #.",
    printed: "הקבלה מודפסת עבורכם.",
    none: "להתראות.",
    back: "חזרה",
  },
  ar: {
    welcome: "أهلًا وسهلًا",
    order: "طلبك",
    tax: "الضريبة",
    total: "المجموع",
    items: "العناصر: #",
    paid: "تم دفع {amount} · الطلب {number}",
    refunded: "تم رد {amount} · الطلب {number}",
    change: "الباقي {amount}",
    thanks: "شكرًا لك!",
    sent: "الإيصال في طريقه إلى #.",
    printed: "تفضّل إيصالك المطبوع.",
    none: "إلى اللقاء.",
    back: "رجوع",
  },
  es: {
    welcome: "Le damos la bienvenida",
    order: "Su pedido",
    tax: "Impuesto",
    total: "Total",
    items: "Artículos: #",
    paid: "Pagado {amount} · Pedido {number}",
    refunded: "Reembolsado {amount} · Pedido {number}",
    change: "Cambio {amount}",
    thanks: "¡Gracias!",
    sent: "Su recibo va en camino a #.",
    printed: "Aquí tiene su recibo impreso.",
    none: "Hasta pronto.",
    back: "Volver",
  },
};

export const languages = Object.keys(words);

export const wordsIn = (locale) => words[locale] ?? words.en;

export const directionOf = (locale) => (["he", "ar"].includes(locale) ? "rtl" : "ltr");

/** The language that the shopper has chosen on the keypad, if its result says so. */
export const chosenIn = ({ consent, locale = consent?.locale }) => locale;

// Whatever the direction of the text around it.
const isolated = (text) => `\u2066${text}\u2069`;

/** The end of a number. */
export const masked = (end) => isolated(`•••• ${end}`);

/** Which order it is about, for whoever is asked, and what the cashier gives back, whose own line the keypad covers. */
export function paidIn(locale, { number, total, payment: { given } = {} }) {
  const { paid, refunded, change } = wordsIn(locale);
  const money = (text, amount) => text.replace("{amount}", isolated(formatMoney(amount)));
  const order = money(total < 0 ? refunded : paid, Math.abs(total)).replace("{number}", isolated(number));
  return given > total ? `${order} · ${money(change, given - total)}` : order;
}
