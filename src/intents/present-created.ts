import { currencyCode } from '../../schemas/currency.ts'
import type { Deps } from '../deps.ts'
import { unavailable } from '../errors.ts'
import { effectOf, type Result, type WriteRequest } from '../idempotency/request.ts'
import { isFresh } from '../idempotency/response.ts'
import { type Intent, metadataObject } from './intent.ts'

/** The fields from which the response to a create request is computed. No transition changes these fields. */
const createdFields = {
  businessId: 1,
  referenceNumber: 1,
  shortCode: 1,
  code: 1,
  codeExpiresAt: 1,
  amount: 1,
  amountType: 1,
  label: 1,
  merchantReference: 1,
  sandbox: 1,
  metadata: 1,
  expiresAt: 1,
  createdAt: 1,
  payBase: 1,
  responseFormat: 1,
  requestKey: 1,
} as const satisfies { [Field in keyof Intent]?: 1 }

type CreatedIntent = Pick<Intent, keyof typeof createdFields>

/** The version of the response format that is stored with each new intent. */
export const responseFormat = 1

/**
 * Returns the response data for the request that created this intent, in the format with the number that the intent
 * stores: the same bytes as the first response, even if the intent has changed since then. A released format must never
 * change. Throws SERVICE_UNAVAILABLE if a later version of the service created the intent, in a format of its own.
 */
export function createdResponse(intent: CreatedIntent): Record<string, unknown> {
  if (intent.responseFormat !== responseFormat) throw unavailable()
  return presentCreated(intent, intent.payBase)
}

/**
 * Returns the response data for a create request (SPEC 4.1). All other responses that contain the intent begin with
 * these fields (present.ts).
 */
export const presentCreated = (
  intent: Omit<CreatedIntent, 'payBase' | 'responseFormat' | 'requestKey'>,
  payBase: string,
): Record<string, unknown> => ({
  referenceNumber: intent.referenceNumber,
  shortCode: intent.shortCode,
  code: intent.code,
  codeExpiresAt: intent.codeExpiresAt,
  codeUrl: codeUrlOf(payBase, intent),
  payUrl: payUrlOf(payBase, intent),
  amount: intent.amountType === 'OPEN' ? null : intent.amount,
  amountType: intent.amountType,
  currency: currencyCode,
  label: intent.label,
  merchantReference: intent.merchantReference,
  status: 'PENDING',
  sandbox: intent.sandbox,
  metadata: metadataObject(intent),
  expiresAt: intent.expiresAt,
  createdAt: intent.createdAt,
})

/** Returns the URL of the payment's page. */
export const payUrlOf = (payBase: string, { shortCode }: Pick<Intent, 'shortCode'>): string =>
  `${payBase}/p/${shortCode}`

/** Returns the URL of the page where the payment's code is entered. */
export const codeUrlOf = (payBase: string, { sandbox, businessId }: Pick<Intent, 'sandbox' | 'businessId'>): string =>
  sandbox ? `${payBase}/sandbox/${businessId}` : `${payBase}/`

/** Finds the intent that an earlier request with the same key has created, and computes its first response. */
export async function findCreated(
  { Intent }: Pick<Deps, 'Intent'>,
  { key, arrivedAt }: Pick<WriteRequest, 'key' | 'arrivedAt'>,
): Promise<Result | null> {
  const intent = await Intent.findOne({ 'requestKey.key': key }, createdFields).lean<CreatedIntent | null>()
  return intent?.requestKey && isFresh(intent.requestKey, arrivedAt)
    ? effectOf(intent.requestKey, createdResponse(intent), true)
    : null
}
