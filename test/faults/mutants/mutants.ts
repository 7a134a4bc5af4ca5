import { type Mutant, plain } from './mutant.ts'
import { deliveryMutants } from './plants/deliveries.ts'
import { eventMutants } from './plants/events.ts'
import { idempotencyMutants } from './plants/idempotency.ts'
import { intentMutants } from './plants/intents.ts'
import { limitMutants } from './plants/limits.ts'
import { moneyMutants } from './plants/money.ts'
import { storeMutants } from './plants/store.ts'
import { trustMutants } from './plants/trust.ts'

/** All planted bugs. */
export const mutants: readonly Mutant[] = [
  idempotencyMutants,
  intentMutants,
  moneyMutants,
  deliveryMutants,
  eventMutants,
  storeMutants,
  trustMutants,
  limitMutants,
].flatMap((bugs) => Object.entries(bugs).map(([name, bug]) => ({ name, focus: plain, ...bug })))

/** A varied selection of bugs. `--mutants` without names plants these. */
export const quickChoice: readonly string[] = [
  'replay-runs-again replay-as-it-is-now event-after-the-write status-unguarded',
  'expiry-late code-released-early refund-again money-kept lease-untokened',
  'attempt-counted-twice body-of-today lease-missing outbox-emptied-whole slot-kept',
  'tenant-unfiltered audit-after-the-act write-unsafe own-clock cleaned-early',
  'logged-after-emptying next-past-unread replay-again replay-half',
].flatMap((names) => names.split(' '))
