import { before } from './point.ts'

const cleanUp = before('worker', 'src/retention/clean-up.ts')
const intents = before('worker', 'src/retention/remove-intents.ts')

/** Of the nightly clean-up: passed where something is old, so where the clocks went forward. */
export const cleanUpPoints = [
  cleanUp('clean-up.taken', 'await lease.renew({ pass })'),
  intents('clean-up.before-mark', 'const going = await mark('),
  intents('clean-up.marked', 'await removeMovements(cleaning, going)'),
  intents('clean-up.movements-gone', 'await removeDeliveriesOf(cleaning, referencesOf(going))'),
  intents('clean-up.deliveries-gone', 'const late = await undelivered('),
  before('worker', 'src/retention/remove-orders.ts')(
    'clean-up.before-orders-go',
    'const last = (await toldWhole(',
  ),
  cleanUp('clean-up.before-end', 'await lease.end({ completedFor'),
]
