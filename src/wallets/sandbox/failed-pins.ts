import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import type { WalletAccount } from './account.ts'

type AttemptDeps = Pick<Models, 'WalletAccount'> & { now(): Date }

/**
 * The number of attempts before a wallet is locked. With this many attempts, a stranger has a chance of 1 in 2 000 of
 * guessing a PIN of 4 digits.
 */
const maxAttempts = 5
/** The count of attempts is reset once this much time has passed since the last attempt. */
const lockedMs = 15 * 60_000

/** Whether a wallet's PIN is locked. `lockEndsAt` is null if it is not. */
export interface PinState {
  wrongAttempts: number
  lockEndsAt: Date | null
}

/** Returns the state of a wallet's PIN at `now`. */
export function pinState({ pinAttempts }: Pick<WalletAccount, 'pinAttempts'>, now: Date): PinState {
  const { taken, wrong, lastTakenAt } = pinAttempts
  const resetAt = new Date(lastTakenAt.getTime() + lockedMs)
  if (resetAt <= now) return { wrongAttempts: 0, lockEndsAt: null }
  return { wrongAttempts: wrong, lockEndsAt: taken >= maxAttempts ? resetAt : null }
}

/**
 * One attempt, counted before the PIN is checked. `none-left` means that all attempts are taken, but some may still be
 * in progress. `locked` means that all attempts are taken and all of their PINs were wrong.
 */
export type PinAttempt = { state: 'taken'; round: number } | { state: 'none-left' } | { state: 'locked' }

/**
 * Takes one of a wallet's attempts in a single write, so that at most five PINs are checked per round, even if several
 * requests compete for the attempts.
 */
export async function claimAttempt(deps: AttemptDeps, accountId: string): Promise<PinAttempt> {
  const now = deps.now()
  const longAgo = new Date(now.getTime() - lockedMs)
  const isOld = { $lte: ['$pinAttempts.lastTakenAt', longAgo] }
  const account = await nativeCollection(deps.WalletAccount).findOneAndUpdate(
    {
      _id: accountId,
      $or: [{ 'pinAttempts.taken': { $lt: maxAttempts } }, { 'pinAttempts.lastTakenAt': { $lte: longAgo } }],
    },
    [
      {
        $set: {
          pinAttempts: {
            round: { $cond: [isOld, { $add: ['$pinAttempts.round', 1] }, '$pinAttempts.round'] },
            taken: { $cond: [isOld, 1, { $add: ['$pinAttempts.taken', 1] }] },
            wrong: { $cond: [isOld, 0, '$pinAttempts.wrong'] },
            lastTakenAt: now,
          },
        },
      },
    ],
    { returnDocument: 'after' },
  )
  if (account !== null) return { state: 'taken', round: account.pinAttempts.round }
  const full = await nativeCollection(deps.WalletAccount).findOne({ _id: accountId })
  return { state: (full?.pinAttempts.wrong ?? 0) >= maxAttempts ? 'locked' : 'none-left' }
}

const ofRound = (accountId: string, round: number) => ({ _id: accountId, 'pinAttempts.round': round })

/** Records that the PIN of a taken attempt was wrong, so that waiting orders can tell whether the wallet is locked. */
export async function countWrongPin(deps: AttemptDeps, accountId: string, round: number): Promise<void> {
  await nativeCollection(deps.WalletAccount).updateOne(ofRound(accountId, round), {
    $inc: { 'pinAttempts.wrong': 1 },
  })
}

/** Undoes the counting of an attempt whose PIN was not checked. */
export async function releaseAttempt(deps: AttemptDeps, accountId: string, round: number): Promise<void> {
  await nativeCollection(deps.WalletAccount).updateOne(ofRound(accountId, round), {
    $inc: { 'pinAttempts.taken': -1 },
  })
}

/** Resets the count of attempts after a correct PIN. */
export async function resetAttempts(deps: AttemptDeps, accountId: string, round: number): Promise<void> {
  await nativeCollection(deps.WalletAccount).updateOne(ofRound(accountId, round), {
    $set: { 'pinAttempts.taken': 0, 'pinAttempts.wrong': 0 },
    $inc: { 'pinAttempts.round': 1 },
  })
}
