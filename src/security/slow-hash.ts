import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { divideLimits, type LimitedResource } from '../limits/limit.ts'
import { createShare } from '../limits/share.ts'
import { unavailable } from '../platform/errors.ts'

/** A hash takes about 15 ms, so the last one in the queue waits up to 0.8 s. */
const maxOfKind = 52
/** Even three owners together can't use up all checks of one kind. */
export const checksPerOwner = 16

export const slowHashLimits = (atOnceOf: (kind: string) => number) =>
  ({
    // Two hashes need 38 MiB and half of libuv's thread pool.
    hashes: {
      what: 'Concurrent slow hashes of passwords and PINs',
      total: 2,
      parts: [{ owner: 'kind of secret', max: atOnceOf, range: '1 to 2' }],
      gets: 'a wait of up to 1 s',
    },
    checks: {
      what: 'Password and PIN checks that are running or waiting',
      parts: [
        { owner: 'kind of secret', max: maxOfKind },
        { owner: 'account, or business', max: checksPerOwner },
      ],
      gets: 'the page asks to try again',
    },
  }) satisfies Record<string, LimitedResource>

const maxWaitMs = 60_000

/** Resolves to null if too many checks are already running or waiting. */
export type CheckSlowHash = (
  owner: string,
  slowHash: string | null,
  secret: string,
) => Promise<boolean | null>

export type SlowHash = ReturnType<typeof createSlowHash>

/** OWASP recommends 19 MiB and 2 passes for argon2id. */
export function createSlowHash(memoryKib: number, processes = 1) {
  const cost = { memoryCost: memoryKib, timeCost: 2, parallelism: 1 }
  /** Checking this takes as long as checking a real hash. */
  const hashOfNothing = `$argon2id$v=19$m=${memoryKib},t=2,p=1$${bare(16)}$${bare(32)}`
  const kinds: number[] = []
  const share = createShare(
    divideLimits(
      slowHashLimits((kind) => kinds[Number(kind)] ?? 0),
      processes,
    ),
  )

  async function whenFree<T>(owners: string[], work: () => Promise<T>): Promise<T> {
    const held = await share.take(owners, { hashes: 1 }, maxWaitMs)
    if (held === null) throw unavailable()
    return work().finally(held.free)
  }

  /** Each kind has its own queue, so that one doesn't delay the others. */
  function createCheck(atOnce = 2): CheckSlowHash {
    const kind = String(kinds.push(atOnce) - 1)
    return async (owner, slowHash, secret) => {
      const owners = [kind, `${kind} ${owner}`]
      const held = share.takeNow(owners, { checks: 1 })
      if (held === null) return null
      return whenFree(owners, () => verify(slowHash ?? hashOfNothing, secret)).finally(held.free)
    }
  }

  const ofMaking = String(kinds.push(2) - 1)
  /** May wait longer than a check, because customers never use it. */
  const make = (secret: string): Promise<string> => whenFree([ofMaking], () => hash(secret, cost))
  return { make, createCheck, used: share.used }
}

const bare = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '')
