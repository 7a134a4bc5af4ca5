import { openBusinessBatchers } from '../businesses/key-batchers.ts'
import type { AppendListener } from '../chains/append.ts'
import { openEventLog } from '../events/log.ts'
import { openResponseBatchers } from '../idempotency/request.ts'
import { openIntentBatchers } from '../intents/find.ts'
import { openLedger } from '../ledger/book.ts'
import type { Transactions } from '../mongo/transaction.ts'
import type { Models } from '../platform/deps.ts'
import type { Log } from '../platform/log.ts'
import { openRelayBatchers } from '../relay/relay.ts'
import { openWebhookBatchers } from '../webhooks/attempts/attempt.ts'

export const openBatchers = (
  models: Models & { transactions: Transactions },
  now: () => Date,
  log: Log,
  onStored?: AppendListener,
) => ({
  ...openResponseBatchers(models),
  ...openBusinessBatchers(models),
  ...openIntentBatchers(models, now),
  ...openWebhookBatchers(models, now),
  ...openRelayBatchers(models),
  ...openLedger(models, now, log, onStored),
  ...openEventLog(models, now, onStored),
})
