import { setTimeout as pause } from 'node:timers/promises'
import type { Models } from '../../mongo/models.ts'
import type { SlowCheck } from '../../security/slow-hash.ts'
import type { PaymentOrder } from '../wallet.ts'
import type { WalletAccount } from './account.ts'
import { claimAttempt, countWrongPin, type PinAttempt, releaseAttempt, resetAttempts } from './failed-pins.ts'

export type PinDeps = Pick<Models, 'WalletAccount'> & { now(): Date; checkPin: SlowCheck }

/**
 * The result of a PIN check. `busy` means that too many PIN checks were waiting, and `late` means that the order's
 * deadline had passed. In both cases, the PIN was not checked.
 */
export type PinVerdict = 'right' | 'wrong' | 'locked' | 'busy' | 'late'

/**
 * The part of a payment order that a PIN check needs. The number of checks that may be running or waiting is limited
 * per business, and this check counts towards the limit of the business that is being paid.
 */
export type PinOrder = Pick<PaymentOrder, 'businessId' | 'pin' | 'validUntil'>

/** Checks a PIN, and counts this check as one of the wallet's attempts. */
export async function checkPin(
  deps: PinDeps,
  account: WalletAccount,
  { businessId, pin, validUntil }: PinOrder,
): Promise<PinVerdict> {
  if (deps.now() >= validUntil) return 'late'
  const attempt = await waitForAttempt(deps, account._id)
  if (attempt.state !== 'taken') return 'locked'
  const verdict = verdictOn(await deps.checkPin(businessId, account.pinHash, pin))
  await settle[verdict](deps, account._id, attempt.round)
  return verdict
}

const verdictOn = (fits: boolean | null): keyof typeof settle => {
  if (fits === null) return 'busy'
  return fits ? 'right' : 'wrong'
}

const settle = { right: resetAttempts, wrong: countWrongPin, busy: releaseAttempt } as const

/**
 * Handles a phone number without a wallet. This function does the same work as a real check, and returns `wrong` or
 * `busy` just like a real check. However, it never returns `locked`, so a stranger can still find out that the number
 * has no wallet.
 */
export const pretendToCheck = async (
  deps: Pick<PinDeps, 'checkPin'>,
  { businessId, pin }: PinOrder,
): Promise<'wrong' | 'busy'> => ((await deps.checkPin(businessId, null, pin)) === null ? 'busy' : 'wrong')

/**
 * The interval at which a waiting order checks whether an attempt has become available. The wait ends after 40 such
 * intervals, which is 2 s in total. A PIN check takes less than 2 s, unless its process has died.
 */
const waitStepMs = 50
const maxWaits = 40

/**
 * Takes an attempt. If all attempts are taken, waits for the checks that are still running, because a correct PIN in
 * one of them would reset the count.
 */
async function waitForAttempt(deps: PinDeps, accountId: string): Promise<PinAttempt> {
  let attempt = await claimAttempt(deps, accountId)
  for (let waits = 0; waits < maxWaits && attempt.state === 'none-left'; waits += 1) {
    await pause(waitStepMs)
    attempt = await claimAttempt(deps, accountId)
  }
  return attempt
}
