import type { Check } from '../round.ts'
import { auditComplete } from './audit-complete.ts'
import { cleanUpBounded } from './clean-up-bounded.ts'
import { codeUnique } from './code-unique.ts'
import { createExists } from './create-exists.ts'
import { deliveryCounted, deliveryDelivered } from './delivery-counted.ts'
import { deliveryPaced } from './delivery-paced.ts'
import { deliverySigned } from './delivery-signed.ts'
import { eventExact } from './event-exact.ts'
import { eventReported } from './event-reported.ts'
import { eventsComplete } from './events-complete.ts'
import { expiryPrompt } from './expiry-prompt.ts'
import { importWhole } from './import-whole.ts'
import { keyOnce, keyReplayed } from './key-once.ts'
import { ledgerExact } from './ledger-exact.ts'
import { listExact } from './list-exact.ts'
import { orderExact } from './order-exact.ts'
import { logCalm, processLives, quietReached, roundEnded } from './quiet-reached.ts'
import { readForward } from './read-forward.ts'
import { referenceUnique } from './reference-unique.ts'
import { refundBounded } from './refund-bounded.ts'
import { replayExact } from './replay-exact.ts'
import { refusalDue, responseSound } from './response-sound.ts'
import { rightKept } from './right-kept.ts'
import { secretKept } from './secret-kept.ts'
import { stockBalances } from './stock-balances.ts'
import { tenantApart } from './tenant-apart.ts'
import { transitionLegal } from './transition-legal.ts'
import { providerBalances, walletBalances } from './wallet-balances.ts'

/** Every promise that a round proves, by name. */
export const promises = {
  'round.ended': roundEnded,
  'create.exists': createExists,
  'key.once': keyOnce,
  'key.replayed': keyReplayed,
  'transition.legal': transitionLegal,
  'read.forward': readForward,
  'list.exact': listExact,
  'event.exact': eventExact,
  'event.reported': eventReported,
  'events.complete': eventsComplete,
  'delivery.delivered': deliveryDelivered,
  'delivery.counted': deliveryCounted,
  'delivery.paced': deliveryPaced,
  'delivery.signed': deliverySigned,
  'replay.exact': replayExact,
  'code.unique': codeUnique,
  'reference.unique': referenceUnique,
  'refund.bounded': refundBounded,
  'ledger.exact': ledgerExact,
  'wallet.balances': walletBalances,
  'provider.balances': providerBalances,
  'stock.balances': stockBalances,
  'order.exact': orderExact,
  'import.whole': importWhole,
  'tenant.apart': tenantApart,
  'expiry.prompt': expiryPrompt,
  'audit.complete': auditComplete,
  'secret.kept': secretKept,
  'response.sound': responseSound,
  'refusal.due': refusalDue,
  'right.kept': rightKept,
  'quiet.reached': quietReached,
  'clean-up.bounded': cleanUpBounded,
  'process.lives': processLives,
  'log.calm': logCalm,
} as const satisfies Record<string, Check>
export type PromiseName = keyof typeof promises
