import { expireDue } from '../../src/intents/expire.ts'
import { queryDueWallets } from '../../src/intents/query-wallets.ts'
import { pollOutboxes } from '../../src/relay/relay.ts'
import { replayWork } from '../../src/replays/run.ts'
import { cleanUpWork } from '../../src/retention/clean-up.ts'
import { checkWork } from '../../src/verification/nightly-check.ts'
import { attemptDue } from '../../src/webhooks/attempts/attempt-due.ts'
import { finishPlans } from '../../src/webhooks/deliveries/requeue.ts'
import { reportFailures } from '../../src/webhooks/endpoints/report-failures.ts'
import type { Work } from '../../src/work/loop.ts'

export const works: readonly Work[] = [
  { name: 'outbox-relay', queue: 'outbox-relay', everyMs: 2_000, run: (deps) => pollOutboxes(deps) },
  // A lease lasts 10 s, `attemptDue` skips a delivery for another 0.5 s, and the next run follows within about 2 s. So
  // another worker takes over a dead worker's deliveries within 13 s.
  { name: 'webhook-delivery', queue: 'webhook-delivery', everyMs: 2_000, run: attemptDue },
  replayWork,
  { name: 'intent-expiry', queue: 'intent-expiry', everyMs: 2_000, run: (deps) => expireDue(deps) },
  { name: 'wallet-outcome', queue: 'wallet-outcome', everyMs: 2_000, run: queryDueWallets },
  { name: 'requeue-plans', queue: 'maintenance', everyMs: 6_000, run: finishPlans },
  { name: 'failing-endpoints', queue: 'maintenance', everyMs: 6_000, run: reportFailures },
  cleanUpWork,
  checkWork,
]
