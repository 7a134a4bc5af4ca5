import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import type { Resource } from '../limits/limit.ts'
import { createShare } from '../limits/share.ts'
import { unavailable } from '../platform/errors.ts'

/**
 * How many checks of one kind may be running or waiting. The last one then waits for about 0.4 s if two of its kind run
 * at a time, or about 0.8 s if only one does, because a hash takes about 15 ms.
 */
const maxOfKind = 52
/** How many checks of one owner may be running or waiting. Even three owners together cannot use up those of a kind. */
export const fairShare = 16

export const hashLimits = (atOnceOf: (kind: string) => number) =>
  ({
    // Two hashes need 38 MiB, and half of libuv's thread pool.
    hashes: {
      what: 'Slow hashes of passwords and PINs at a time',
      total: 2,
      parts: [{ owner: 'kind of secret', max: atOnceOf, range: '1 to 2' }],
      gets: 'a wait of up to 1 s',
    },
    checks: {
      what: 'Checks of passwords and PINs that run or wait',
      total: Number.POSITIVE_INFINITY,
      parts: [
        { owner: 'kind of secret', max: maxOfKind },
        { owner: 'account, or business', max: fairShare },
      ],
      gets: 'the page asks to try again',
    },
  }) satisfies Record<string, Resource>

/** Longer than any queue of checks. */
const maxWaitMs = 60_000

/**
 * Returns whether a secret matches a hash, or null if this owner or all owners together have too many checks running or
 * waiting. Without a hash, the check does the same work and returns false.
 */
export type SlowCheck = (owner: string, slowHash: string | null, secret: string) => Promise<boolean | null>

/** Does all slow hashing in a process, and computes at most two hashes at a time across all purposes. */
export type SlowHash = ReturnType<typeof createSlowHash>

/**
 * By default, `memoryKib` is 19 MiB, which OWASP recommends with 2 passes for argon2id, the library's default
 * algorithm. A hash then takes about 15 ms. A stored hash contains its own cost.
 */
export function createSlowHash(memoryKib: number) {
  const cost = { memoryCost: memoryKib, timeCost: 2, parallelism: 1 }
  /** Takes as long to check as a new hash, but matches no known secret. */
  const hashOfNothing = `$argon2id$v=19$m=${memoryKib},t=2,p=1$${bare(16)}$${bare(32)}`
  /** How many checks of each kind of secret run at a time. */
  const kinds: number[] = []
  const share = createShare(hashLimits((kind) => kinds[Number(kind)] ?? 0))

  async function whenFree<T>(owners: string[], work: () => Promise<T>): Promise<T> {
    const held = await share.take(owners, { hashes: 1 }, maxWaitMs)
    if (held === null) throw unavailable()
    return work().finally(held.free)
  }

  /**
   * Creates the function that checks one kind of secret, at most `atOnce` at a time. Each kind has a queue of its own,
   * so that a flood of one hardly delays the others, and makes none of them fail.
   */
  function createCheck(atOnce = 2): SlowCheck {
    const kind = String(kinds.push(atOnce) - 1)
    return async (owner, slowHash, secret) => {
      const owners = [kind, `${kind} ${owner}`]
      const held = share.takeNow(owners, { checks: 1 })
      if (held === null) return null
      return whenFree(owners, () => verify(slowHash ?? hashOfNothing, secret)).finally(held.free)
    }
  }

  const ofMaking = String(kinds.push(2) - 1)
  /** Hashes a password or PIN for storage. The call waits as long as necessary, because only operators use it. */
  const make = (secret: string): Promise<string> => whenFree([ofMaking], () => hash(secret, cost))
  return { make, createCheck, used: share.used }
}

const bare = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '')
