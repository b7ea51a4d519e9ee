import { useRef } from "react";
import type { ReceiptKeypad, ReceiptResult } from "pos-connect";
import type {} from "pos-connect/react";

export function Receipt({ orderId, onDone }: { orderId: string; onDone: (result: ReceiptResult) => void }) {
  const keypad = useRef<ReceiptKeypad>(null);
  const ask = async () => {
    if (keypad.current) onDone(await keypad.current.ask({ orderId, onSend: () => {} }));
  };
  return <>
    <button onClick={ask}>Receipt</button>
    <ereceipt-keypad ref={keypad} region="IL" locale="he" className="wide" />
  </>;
}

// @ts-expect-error: a region is a text
export const wrong = () => <ereceipt-keypad region={7} />;
