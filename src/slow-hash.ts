import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/** argon2id, its default, at the price that OWASP names: 19 MiB, 2 passes. Some 15 ms. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** In a process: 38 MiB in all, and half of the threads that files and names are looked up by. */
const mostAtOnce = 2
/** Of one kind. Half a second of waiting; whoever comes on top is sent away. */
const mostWaiting = 50

/** Whether a secret fits a hash; null when too many are being looked at. Without a hash the same work, and it does not fit. */
export type SlowCheck = (slowHash: string | null, secret: string) => Promise<boolean | null>

/** All slow hashing of one process: two at once, whatever they are for. */
export interface SlowHash {
  /** What is kept of a password or a PIN. Waits as long as it must: an operator asks. */
  make(secret: string): Promise<string>
  /** Checks one kind of secret. So many of a kind may wait, so that a flood of one sends none of another away. */
  createCheck(): SlowCheck
}

export function createSlowHash(): SlowHash {
  const waiting: (() => void)[] = []
  let running = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    // Whoever ends hands its place on, so nobody slips in between.
    if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }

  function createCheck(): SlowCheck {
    let asked = 0
    return async (slowHash, secret) => {
      if (asked >= mostAtOnce + mostWaiting) return null
      asked += 1
      return inTurn(() => verify(slowHash ?? hashOfNothing, secret)).finally(() => (asked -= 1))
    }
  }

  return { make: (secret) => inTurn(() => hash(secret, cost)), createCheck }
}

const bare = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '')
/** As costly to check as any, and the hash of no secret that anybody knows. */
const hashOfNothing = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${bare(16)}$${bare(32)}`
