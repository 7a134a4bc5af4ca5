import { type Asked, askAgain } from '../ask-for-payment.ts'
import { step, tell } from '../screen.ts'
import type { Stage } from '../stage.ts'

/** One more intent, for whoever is watching. */
export function leaveOpen(stage: Stage): Promise<Asked> {
  step(15, 'A payment is left for you')
  tell('The merchant asks once more:')
  return askAgain(stage, { amount: 20_000, label: 'A kettle', metadata: { order: '1047' } })
}
