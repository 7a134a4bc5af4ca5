import { pastMongoose } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'

type AttemptDeps = Pick<Models, 'WalletAccount'> & { now(): Date }

/** As a card's; with 4 digits, one stranger in 2 000 guesses it in this many. */
const maxAttempts = 5
/** Counted from the last try. A count that is so old begins anew. */
const lockedMs = 15 * 60_000

/** A try to give a PIN, counted before it is looked at. `locked`: none was left, and all of them were wrong. */
export type PinAttempt = { state: 'taken'; round: number } | { state: 'none-left' } | { state: 'locked' }

/** Takes one of a wallet's tries, in one write: however many come at once, no more than five of a round are ever looked at. */
export async function claimAttempt(deps: AttemptDeps, accountId: string): Promise<PinAttempt> {
  const now = deps.now()
  const longAgo = new Date(now.getTime() - lockedMs)
  const isOld = { $lte: ['$tries.lastTakenAt', longAgo] }
  const account = await pastMongoose(deps.WalletAccount).findOneAndUpdate(
    {
      _id: accountId,
      $or: [{ 'tries.taken': { $lt: maxAttempts } }, { 'tries.lastTakenAt': { $lte: longAgo } }],
    },
    [
      {
        $set: {
          tries: {
            round: { $cond: [isOld, { $add: ['$tries.round', 1] }, '$tries.round'] },
            taken: { $cond: [isOld, 1, { $add: ['$tries.taken', 1] }] },
            wrong: { $cond: [isOld, 0, '$tries.wrong'] },
            lastTakenAt: now,
          },
        },
      },
    ],
    { returnDocument: 'after' },
  )
  if (account !== null) return { state: 'taken', round: account.tries.round }
  const full = await pastMongoose(deps.WalletAccount).findOne({ _id: accountId })
  return { state: (full?.tries.wrong ?? 0) >= maxAttempts ? 'locked' : 'none-left' }
}

const ofRound = (accountId: string, round: number) => ({ _id: accountId, 'tries.round': round })

/** A wrong PIN, as whoever waits for a try wants to know. */
export async function countWrongPin(deps: AttemptDeps, accountId: string, round: number): Promise<void> {
  await pastMongoose(deps.WalletAccount).updateOne(ofRound(accountId, round), { $inc: { 'tries.wrong': 1 } })
}

/** A try that was not looked at. */
export async function releaseAttempt(deps: AttemptDeps, accountId: string, round: number): Promise<void> {
  await pastMongoose(deps.WalletAccount).updateOne(ofRound(accountId, round), { $inc: { 'tries.taken': -1 } })
}

/** After a right PIN the count begins anew. */
export async function resetAttempts(deps: AttemptDeps, accountId: string, round: number): Promise<void> {
  await pastMongoose(deps.WalletAccount).updateOne(ofRound(accountId, round), {
    $set: { 'tries.taken': 0, 'tries.wrong': 0 },
    $inc: { 'tries.round': 1 },
  })
}
