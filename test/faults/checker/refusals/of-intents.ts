import type { IntentDocument } from '../documents.ts'
import type { Round } from '../round.ts'
import { referenceIn, shortCodeIn } from '../views/answers.ts'
import { failingPayment } from '../views/failing-amounts.ts'
import { lateMs } from '../views/requests.ts'
import { bodiesOf, mayHaveComeBy, type Reason, type Refusal } from './refusal.ts'

const intentOf = (round: Round, { call }: Refusal): IntentDocument | undefined =>
  round.intentOf.get(referenceIn(call) ?? '')

/** When it may have stopped to be PENDING, on the service's clock. */
function endOf({
  expiresAt,
  payment,
  cancellationReason,
  status,
  updatedAt,
  attempts,
}: IntentDocument): number {
  const failed = attempts.filter(({ outcome }) => outcome === 'failed').map(({ at }) => at)
  const closed = cancellationReason !== null || status === 'FAILED' ? updatedAt : expiresAt
  return Math.min(expiresAt, closed, payment?.paidAt ?? expiresAt, ...failed)
}

/** Whether somebody else was at it, or still was after their client had given up: a customer's form, or another write. */
const isContested = ({ calls }: Round, intent: IntentDocument, { call, span }: Refusal): boolean =>
  calls.some(
    ({ what, path, idempotencyKey, began, ended }) =>
      ((what === 'pay.confirm' && shortCodeIn(path) === intent.shortCode) ||
        ((what === 'cancel' || what === 'simulate') &&
          path.includes(intent.referenceNumber) &&
          idempotencyKey !== call.idempotencyKey)) &&
      began <= span.to &&
      ended + lateMs >= span.from,
  )

/** It was paid, cancelled, expired or out of order by then, or somebody was paying it. */
export const notPending: Reason = (round, refusal) => {
  const intent = intentOf(round, refusal)
  if (intent === undefined) return true
  const isPaying = refusal.call.what === 'simulate' && isContested(round, intent, refusal)
  return isPaying || mayHaveComeBy(round, endOf(intent), refusal.span)
}

/** It changed in that very moment. */
export const changed: Reason = (round, refusal) => {
  const intent = intentOf(round, refusal)
  if (intent === undefined) return true
  return isContested(round, intent, refusal) || mayHaveComeBy(round, endOf(intent), refusal.span)
}

/** A simulation fails as it was asked to, or by its amount; what was cleaned away since nobody can tell. */
export const failedAsAsked: Reason = (round, refusal) => {
  const intent = intentOf(round, refusal)
  if (intent === undefined) return true
  return bodiesOf<{ outcome: string; amount: number }>(refusal).some(
    ({ outcome = 'success', amount = intent.amount }) => outcome !== 'success' || amount === failingPayment,
  )
}
