import { randomBytes, randomInt } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/** argon2id, its default, at the price that OWASP names: 19 MiB, 2 passes. Some 15 ms. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** 38 MiB in all, and half of the threads that files and names are looked up by. */
const mostAtOnce = 2
/** Half a second of waiting; whoever comes on top is sent away. */
const mostWaiting = 50

export const hashPassword = (password: string): Promise<string> => hash(password, cost)

const letters = '23456789abcdefghjkmnpqrstuvwxyz'

/** A password of 24 letters in groups of six, some 118 random bits. */
export function newPassword(): string {
  const group = () => Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('')
  return [group(), group(), group(), group()].join('-')
}

/** Whether a password fits a hash; null when too many are being looked at. Without a hash the same work, and it does not fit. */
export type CheckPassword = (passwordHash: string | null, password: string) => Promise<boolean | null>

/** The checks of one process: two at once, a bounded number waiting. */
export function createPasswordCheck(): CheckPassword {
  const waiting: (() => void)[] = []
  let running = 0
  return async (passwordHash, password) => {
    if (waiting.length >= mostWaiting) return null
    // Whoever ends hands its place on, so nobody slips in between.
    if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await verify(passwordHash ?? hashOfNothing, password)
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

const bare = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '')
/** As costly to check as any, and the hash of no password that anybody knows. */
const hashOfNothing = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${bare(16)}$${bare(32)}`
