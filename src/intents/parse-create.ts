import { createLiveIntentBody, createTestIntentBody } from '../../schemas/create-intent.ts'
import type { Deps } from '../deps.ts'
import type { Intent } from './intent.ts'

/** The fields of a new intent that come from the merchant's request. The service sets all other fields. */
export type IntentRequest = Pick<
  Intent,
  'amount' | 'amountType' | 'label' | 'merchantReference' | 'metadata' | 'successUrl' | 'cancelUrl'
>

/**
 * Validates the body of a create request (SPEC 4.1) and returns the fields of the intent that come from the request.
 */
export function parseCreate(deps: Pick<Deps, 'validate'>, sandbox: boolean, body: unknown): IntentRequest {
  const schema = sandbox ? createTestIntentBody : createLiveIntentBody
  const valid = deps.validate(schema, body)
  return {
    amount: valid.amount ?? null,
    amountType: valid.amountType ?? 'FIXED',
    label: valid.label ?? null,
    merchantReference: valid.merchantReference ?? null,
    metadata: Object.entries(valid.metadata ?? {}).map(([key, value]) => ({ key, value })),
    successUrl: valid.success_url ?? null,
    cancelUrl: valid.cancel_url ?? null,
  }
}
