import { byFormat, type Recall } from '../idempotency/recall.ts'
import type { Intent } from './intent.ts'
import { presentCreated } from './present.ts'

/** What the first response is computed from. No transition changes these fields. */
const createdFields = {
  referenceNumber: 1,
  shortCode: 1,
  code: 1,
  codeExpiresAt: 1,
  amount: 1,
  amountType: 1,
  label: 1,
  sandbox: 1,
  metadata: 1,
  expiresAt: 1,
  createdAt: 1,
  payBase: 1,
  responseFormat: 1,
} as const satisfies { [Field in keyof Intent]?: 1 }

type CreatedIntent = Pick<Intent, keyof typeof createdFields>

/** The format of new intents. */
export const responseFormat = 1

/** The data of the first response to the create of this intent, whatever happened to the intent since. */
export const createdResponse = byFormat<CreatedIntent>({
  1: (intent) => presentCreated(intent, intent.payBase),
})

export const recallIntent: Recall = {
  kind: 'computed',
  async find({ Intent }, effectId) {
    const intent = await Intent.findById(effectId, createdFields).lean<CreatedIntent | null>()
    return intent === null ? null : createdResponse(intent)
  },
}
