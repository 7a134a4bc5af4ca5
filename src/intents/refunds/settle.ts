import type { Deps } from '../../deps.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import type { Intent, Refund } from '../intent.ts'
import { nudgeRelay } from '../nudge-relay.ts'
import { transition } from '../transition.ts'
import { releaseRefund } from './under-way.ts'

/**
 * Ends a PENDING refund by what became of it at the wallet, in one write: the money went back (REFUNDED, and the event), or nothing
 * changed and what was set aside is free again. Happens once, however often it is called; null when it was not PENDING any more.
 */
export async function settleRefund(
  deps: Deps,
  intent: Intent,
  refund: Refund,
  outcome: KnownOutcome,
): Promise<Intent | null> {
  const settled =
    outcome.outcome === 'done'
      ? await transition(deps, intent, {
          move: 'refund',
          effectId: null,
          guard: { refunds: { $elemMatch: { id: refund.id, status: 'PENDING' } } },
          lists: { $set: { 'refunds.$.status': 'SUCCEEDED' }, $unset: { 'refunds.$.askAt': 1 } },
          told: { refund },
        })
      : await releaseRefund(deps, intent, refund)
  if (settled === null) {
    if (outcome.outcome === 'done') await tellIfAstray(deps, intent, refund)
    return null
  }
  nudgeRelay(deps, settled)
  const { referenceNumber } = intent
  deps.log.info({ referenceNumber, refundId: refund.id, ...outcome }, 'refund.settled')
  return settled
}

/** Money that the wallet gave back although it had told that it never would: the merchant does not know, so somebody must. */
async function tellIfAstray(deps: Deps, { _id, referenceNumber }: Intent, refund: Refund): Promise<void> {
  const { id: refundId } = refund
  if ((await deps.Intent.exists({ _id, 'refunds.id': refundId })) !== null) return
  deps.log.error({ referenceNumber, refundId }, 'refund.astray')
}
