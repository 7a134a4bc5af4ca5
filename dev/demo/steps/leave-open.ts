import { type CreatedIntent, createIntentBriefly } from '../create-intent.ts'
import { explain, step } from '../screen.ts'
import type { Stage } from '../stage.ts'

/** Creates an intent that the viewer can pay. */
export function leaveOpen(stage: Stage): Promise<CreatedIntent> {
  step(16, 'A payment is left for you')
  explain('The merchant creates one more intent:')
  return createIntentBriefly(stage, { amount: 20_000, label: 'A kettle', metadata: { order: '1047' } })
}
