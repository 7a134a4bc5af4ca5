import { currencyCode } from '../../schemas/currency.ts'
import { byFormat, type Recall } from '../idempotency/recall.ts'
import type { Intent } from './intent.ts'
import { metadataObject } from './metadata.ts'

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
} as const satisfies { [Field in keyof Intent]?: 1 }

type CreatedIntent = Pick<Intent, keyof typeof createdFields>

/** The version of the response format that is stored with each new intent. */
export const responseFormat = 1

/**
 * Returns the response data for the request that created this intent. The data is the same as in the first response,
 * even if the intent has changed since then.
 */
export const createdResponse = byFormat<CreatedIntent>({
  1: (intent) => presentCreated(intent, intent.payBase),
})

/**
 * Returns the response data for a create request (SPEC 4.1). All other responses that contain the intent begin with
 * these fields (present.ts).
 */
export const presentCreated = (
  intent: Omit<CreatedIntent, 'payBase' | 'responseFormat'>,
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

/** When a create request is retried, recomputes the first response from the stored intent. */
export const recallIntent: Recall = {
  kind: 'computed',
  async find({ Intent }, effectId) {
    const intent = await Intent.findById(effectId, createdFields).lean<CreatedIntent | null>()
    return intent === null ? null : createdResponse(intent)
  },
}
