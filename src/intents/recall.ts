import type { Recall } from '../idempotency/claim.ts'
import { type Intent, intents } from './intent.ts'

/** The sealed first response of the create with this effect id. */
export const recallIntent: Recall = {
  collection: intents.name,
  async find({ Intent }, effectId) {
    const intent = await Intent.findById(effectId, { answer: 1 }).lean<Pick<Intent, 'answer'> | null>()
    return intent?.answer ?? null
  },
}
