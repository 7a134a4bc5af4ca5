import type { Model } from 'mongoose'
import type { Deps } from '../deps.ts'
import { type Batcher, createBatcher, unhurriedRestMs } from '../mongo/batching/batcher.ts'
import { pastMongoose } from '../mongo/collection.ts'
import type { ApiKey, StoredSecret } from './api-key.ts'

/** A secret that is to rest on another pepper than the one under which it was found. */
export interface KeyMove {
  keyId: string
  /** The hash under which the key is stored. */
  from: string
  to: string
  pepper: string
  at: Date
}

/**
 * Longer than it takes to start every process anew: while some have exchanged the two SECRET_KEYs and some have not, each would
 * move a key that the other has just moved. So it moves once, and back only when the exchange itself is taken back.
 */
const stayMs = 3_600_000

/**
 * Lets the secret of a key that somebody has just shown rest on the current SECRET_KEY, so that the previous one may go some day. Nobody
 * waits for it, and a failure is forgotten: the next use tries again.
 */
export function moveToCurrent(
  deps: Pick<Deps, 'batchers' | 'secrets' | 'now'>,
  { keyId, secret, hash: to }: { keyId: string; secret: StoredSecret; hash: string },
  until: number,
): void {
  const [pepper] = deps.secrets.keyIds
  const at = deps.now()
  if (secret.pepper === pepper) return
  if (secret.movedAt !== undefined && at.getTime() - secret.movedAt.getTime() < stayMs) return
  deps.batchers.moveKey({ keyId, from: secret.hash, to, pepper, at }, until).catch(() => undefined)
}

/** The batcher of moves. A thousand requests with one key at once are one write. */
export const createMoveBatcher = (ApiKey: Model<ApiKey>): Batcher<KeyMove, void> =>
  createBatcher(
    500,
    async (moves) => {
      const byHash = new Map(moves.map((move) => [move.from, move]))
      await pastMongoose(ApiKey).bulkWrite([...byHash.values()].map(asWrite), { ordered: false })
      return moves.map(() => undefined)
    },
    unhurriedRestMs,
  )

/** Whoever moved or rotated it meanwhile has put another hash there, and that stays. */
const asWrite = ({ keyId, from, to, pepper, at }: KeyMove) => ({
  updateOne: {
    filter: { _id: keyId, 'secrets.hash': from },
    update: {
      $set: {
        'secrets.$.hash': to,
        'secrets.$.pepper': pepper,
        'secrets.$.movedAt': at,
      },
    },
  },
})
