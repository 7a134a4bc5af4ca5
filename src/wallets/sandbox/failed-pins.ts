import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'

type AttemptDeps = Pick<Models, 'WalletAccount'> & { now(): Date }

/** With this many attempts, a stranger guesses a 4-digit PIN with a probability of 1 in 2 000. */
const maxAttempts = 5
/** Measured from the last attempt. After this time the count is reset. */
const lockedMs = 15 * 60_000

/** One attempt, counted before the PIN is checked. `locked`: none is left, and all of them were wrong. */
export type PinAttempt = { state: 'taken'; round: number } | { state: 'none-left' } | { state: 'locked' }

/** Takes one attempt of a wallet in one write. So at most five PINs of a round are checked, even under concurrency. */
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

/** Records that a taken attempt was wrong. This tells waiting orders whether the wallet is locked. */
export async function countWrongPin(deps: AttemptDeps, accountId: string, round: number): Promise<void> {
  await nativeCollection(deps.WalletAccount).updateOne(ofRound(accountId, round), {
    $inc: { 'pinAttempts.wrong': 1 },
  })
}

/** Gives back an attempt that was counted although its PIN was not checked. */
export async function releaseAttempt(deps: AttemptDeps, accountId: string, round: number): Promise<void> {
  await nativeCollection(deps.WalletAccount).updateOne(ofRound(accountId, round), {
    $inc: { 'pinAttempts.taken': -1 },
  })
}

/** Resets the count after a right PIN. */
export async function resetAttempts(deps: AttemptDeps, accountId: string, round: number): Promise<void> {
  await nativeCollection(deps.WalletAccount).updateOne(ofRound(accountId, round), {
    $set: { 'pinAttempts.taken': 0, 'pinAttempts.wrong': 0 },
    $inc: { 'pinAttempts.round': 1 },
  })
}
