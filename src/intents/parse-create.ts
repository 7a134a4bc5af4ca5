import {
  type CreateIntentBody,
  createLiveIntentBody,
  createTestIntentBody,
} from '../../schemas/create-intent.ts'
import type { Deps } from '../deps.ts'
import type { Intent } from './intent.ts'

/** What a merchant asks for in a create; the rest of the intent is the service's. */
export type IntentRequest = Pick<
  Intent,
  'amount' | 'amountType' | 'label' | 'metadata' | 'successUrl' | 'cancelUrl'
>

/** Judges the body of a create (SPEC 4.1) and keeps only what belongs to it. */
export function parseCreate(deps: Pick<Deps, 'validate'>, sandbox: boolean, body: unknown): IntentRequest {
  const schema = sandbox ? createTestIntentBody : createLiveIntentBody
  const asked = deps.validate<CreateIntentBody>(schema, body)
  return {
    amount: asked.amount ?? null,
    amountType: asked.amountType ?? 'FIXED',
    label: asked.label ?? null,
    metadata: Object.entries(asked.metadata ?? {}).map(([key, value]) => ({ key, value })),
    successUrl: asked.success_url ?? null,
    cancelUrl: asked.cancel_url ?? null,
  }
}
