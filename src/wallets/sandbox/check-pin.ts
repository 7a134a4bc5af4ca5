import { setTimeout as pause } from 'node:timers/promises'
import type { Models } from '../../mongo/models.ts'
import type { SlowCheck } from '../../security/slow-hash.ts'
import type { PaymentOrder } from '../wallet.ts'
import type { WalletAccount } from './account.ts'
import { claimAttempt, countWrongPin, type PinAttempt, releaseAttempt, resetAttempts } from './failed-pins.ts'

export type PinDeps = Pick<Models, 'WalletAccount'> & { now(): Date; checkPin: SlowCheck }

/** `busy`: too many PINs are being looked at; this one was not, nor is one that is `late`. */
export type PinVerdict = 'right' | 'wrong' | 'locked' | 'busy' | 'late'

/** The part of a payment order that the PIN check needs. The check counts for the business that is paid. */
export type PinOrder = Pick<PaymentOrder, 'businessId' | 'pin' | 'validUntil'>

/** Looks at a PIN, as one of the wallet's counted tries, unless the order's time is up. */
export async function checkPin(
  deps: PinDeps,
  account: WalletAccount,
  { businessId, pin, validUntil }: PinOrder,
): Promise<PinVerdict> {
  if (deps.now() >= validUntil) return 'late'
  const tried = await waitForTry(deps, account._id)
  if (tried.state !== 'taken') return 'locked'
  const verdict = verdictOn(await deps.checkPin(businessId, account.pinHash, pin))
  await settle[verdict](deps, account._id, tried.round)
  return verdict
}

const verdictOn = (fits: boolean | null): keyof typeof settle => {
  if (fits === null) return 'busy'
  return fits ? 'right' : 'wrong'
}

const settle = { right: resetAttempts, wrong: countWrongPin, busy: releaseAttempt } as const

/** For a phone that has no wallet: the same work and the same word. It is never locked, so who has one here can be found out all the same. */
export const pretendToCheck = async (
  deps: Pick<PinDeps, 'checkPin'>,
  { businessId, pin }: PinOrder,
): Promise<'wrong' | 'busy'> => ((await deps.checkPin(businessId, null, pin)) === null ? 'busy' : 'wrong')

/** 2 s in all: longer than any process looks at a PIN, unless it died meanwhile. */
const lookEveryMs = 50
const maxLooks = 40

/** Tries that were taken and are not known to be wrong may be right, and then there are new ones: those who come on top wait. */
async function waitForTry(deps: PinDeps, accountId: string): Promise<PinAttempt> {
  let tried = await claimAttempt(deps, accountId)
  for (let look = 0; look < maxLooks && tried.state === 'none-left'; look += 1) {
    await pause(lookEveryMs)
    tried = await claimAttempt(deps, accountId)
  }
  return tried
}
