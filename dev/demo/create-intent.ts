import { type Call, callApi, callApiBriefly } from './call-api.ts'
import { type Stage, writeHeaders } from './stage.ts'
import { must } from './wait-for.ts'

/** The fields of an intent that the show uses. */
export interface CreatedIntent {
  reference: string
  /** The payment code of 6 digits. */
  code: string
  payUrl: string
}

interface Order {
  /** In centimes. Left out if the customer chooses the amount. */
  amount?: number
  amountType?: 'OPEN'
  label: string
  metadata: Record<string, string>
}

/** Creates an intent over HTTP, and shows the request and the response. */
export const createIntent = async (stage: Stage, order: Order): Promise<CreatedIntent> =>
  checked(order, await callApi(201, callFor(stage, order)))

/** Creates an intent, and shows it in a few lines. */
export const createIntentBriefly = async (stage: Stage, order: Order): Promise<CreatedIntent> =>
  checked(order, await callApiBriefly(201, callFor(stage, order), ['referenceNumber', 'code', 'payUrl', 'status']))

const callFor = ({ service, key }: Stage, order: Order): Call => ({
  origin: service.origin,
  method: 'POST',
  path: '/dev/intents',
  headers: { ...writeHeaders(key), 'Content-Type': 'application/json' },
  body: order,
})

function checked(order: Order, intent: Record<string, unknown>): CreatedIntent {
  const { referenceNumber, amount, status, sandbox, code, payUrl } = intent
  must(status === 'PENDING' && sandbox === true, 'it is a PENDING test intent')
  must(amount === (order.amount ?? null), 'it has the requested amount, or none yet')
  must(/^\d{6}$/.test(String(code)), 'its payment code has 6 digits')
  return { reference: String(referenceNumber), code: String(code), payUrl: String(payUrl) }
}
