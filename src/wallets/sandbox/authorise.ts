import type { OneAtATime } from '../../process/one-at-a-time.ts'
import { failingPayment } from '../magic-amounts.ts'
import type { KnownOutcome, PaymentOrder } from '../wallet.ts'
import { checkPin, type PinDeps, type PinVerdict, pretendToCheck } from './check-pin.ts'
import { type FindDeps, findAccount, fixedOutcomeOf } from './find-account.ts'
import type { MovementDeps } from './finish.ts'
import { decideWithoutMoney, transfer } from './transfer.ts'

export type AuthoriseDeps = MovementDeps &
  PinDeps &
  FindDeps & { onePinAtATime: OneAtATime; oneMovementAtATime: OneAtATime }

const refusals: Record<Exclude<PinVerdict, 'right'>, KnownOutcome> = {
  wrong: { outcome: 'refused', reason: 'wrong_pin' },
  late: { outcome: 'not-executed' },
  locked: { outcome: 'refused', reason: 'wallet_locked' },
  busy: { outcome: 'not-executed' },
}

/**
 * Takes a payment from the wallet with the given phone number if the PIN is correct. The outcome is written to the
 * ledger before it is returned.
 */
export async function authorise(
  deps: AuthoriseDeps,
  { key, amount, fee, validUntil, businessId, phone, pin }: PaymentOrder,
): Promise<KnownOutcome> {
  const order = { key, kind: 'payment', amount, fee, paymentKey: key, validUntil } as const
  const unpaid = (result: KnownOutcome) => decideWithoutMoney(deps, order, result)
  const pinOrder = { businessId, pin, validUntil }
  const account = await findAccount(deps, businessId, phone)
  if (account === null) return unpaid(refusals[await pretendToCheck(deps, pinOrder)])
  const fixedOutcome = fixedOutcomeOf(account)
  if (fixedOutcome?.outcome === 'refused') return unpaid(fixedOutcome)
  const verdict = await deps.onePinAtATime(account._id, () => checkPin(deps, account, pinOrder))
  if (verdict !== 'right') return unpaid(refusals[verdict])
  if (fixedOutcome !== null) return unpaid(fixedOutcome)
  if (amount === failingPayment) return unpaid({ outcome: 'failed', reason: 'technical_error' })
  return deps.oneMovementAtATime(account._id, () => transfer(deps, account._id, order))
}
