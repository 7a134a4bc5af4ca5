import type { OneAtATime } from '../../process/one-at-a-time.ts'
import { failingPayment } from '../magic-amounts.ts'
import type { KnownOutcome, PaymentOrder } from '../wallet.ts'
import { checkPin, type PinDeps, type PinVerdict, pretendToCheck } from './check-pin.ts'
import { findAccount, fixedOutcomeOf } from './find-account.ts'
import type { MovementDeps } from './finish.ts'
import { decideWithoutMoney, moveMoney } from './move-money.ts'

export type AuthoriseDeps = MovementDeps &
  PinDeps & { onePinAtATime: OneAtATime; oneMovementAtATime: OneAtATime }

const refusals: Record<Exclude<PinVerdict, 'right'>, KnownOutcome> = {
  wrong: { outcome: 'refused', reason: 'wrong_pin' },
  late: { outcome: 'not-executed' },
  locked: { outcome: 'refused', reason: 'wallet_locked' },
  busy: { outcome: 'not-executed' },
}

/** Takes a payment out of the wallet of its phone, if the PIN is right. Whatever comes of it is in the ledger before it is told. */
export async function authorise(
  deps: AuthoriseDeps,
  { key, amount, validUntil, businessId, phone, pin }: PaymentOrder,
): Promise<KnownOutcome> {
  const order = { key, kind: 'payment', amount, paymentKey: key, validUntil } as const
  const unpaid = (result: KnownOutcome) => decideWithoutMoney(deps, order, result)
  const pinOrder = { businessId, pin, validUntil }
  const account = await findAccount(deps, businessId, phone)
  if (account === null) return unpaid(refusals[await pretendToCheck(deps, pinOrder)])
  const habit = fixedOutcomeOf(account)
  if (habit?.outcome === 'refused') return unpaid(habit)
  const verdict = await deps.onePinAtATime(account._id, () => checkPin(deps, account, pinOrder))
  if (verdict !== 'right') return unpaid(refusals[verdict])
  if (habit !== null) return unpaid(habit)
  if (amount === failingPayment) return unpaid({ outcome: 'failed', reason: 'technical_error' })
  return deps.oneMovementAtATime(account._id, () => moveMoney(deps, account._id, order))
}
