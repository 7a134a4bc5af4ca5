import { type Call, callApi, callApiBriefly } from './call-api.ts'
import { type Stage, writeHeaders } from './stage.ts'
import { must } from './wait-for.ts'

/** A payment intent as far as the show needs it. */
export interface Asked {
  reference: string
  /** 6 digits. */
  code: string
  payUrl: string
}

interface Order {
  /** Centimes; left out where the customer chooses. */
  amount?: number
  amountType?: 'OPEN'
  label: string
  metadata: Record<string, string>
}

/** The merchant asks for a payment, over HTTP. */
export const askForPayment = async (stage: Stage, order: Order): Promise<Asked> =>
  checked(order, await callApi(201, callFor(stage, order)))

/** The same, shown in a few lines. */
export const askAgain = async (stage: Stage, order: Order): Promise<Asked> =>
  checked(
    order,
    await callApiBriefly(201, callFor(stage, order), ['referenceNumber', 'code', 'payUrl', 'status']),
  )

const callFor = ({ service, key }: Stage, order: Order): Call => ({
  origin: service.origin,
  method: 'POST',
  path: '/dev/intents',
  headers: { ...writeHeaders(key), 'Content-Type': 'application/json' },
  body: order,
})

function checked(order: Order, intent: Record<string, unknown>): Asked {
  const { referenceNumber, amount, status, sandbox, code, payUrl } = intent
  must(status === 'PENDING' && sandbox === true, 'it is a PENDING test intent')
  must(amount === (order.amount ?? null), 'it is for the amount asked, or for none yet')
  must(/^\d{6}$/.test(String(code)), 'its payment code has 6 digits')
  return { reference: String(referenceNumber), code: String(code), payUrl: String(payUrl) }
}
