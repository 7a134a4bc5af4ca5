import type { Route } from '../../../src/http/operations/route.ts'
import { routes } from '../../../src/http/routes/routes.ts'
import type { Actor } from '../cast/actors.ts'
import type { Staff } from '../cast/staff.ts'
import type { Attack, Due } from '../generators/attack.ts'
import type { Answer } from '../wire/answer.ts'

/** A sent request and its response. */
export interface Seen {
  attack: Attack
  actor: Actor
  staff: Staff
  /** Counts from 0 in the run. The mark of the request carries it. */
  number: number
  /** Path and query, with references replaced. */
  line: string
  idempotencyKey: string | null
  /** The index of the response among those to its bytes. */
  place: number
  answer: Answer
}

/** The expected response among raw bytes. Null if no request expects it. */
export const dueOf = ({ attack, place }: Seen): Due | null => attack.raw?.dues[place] ?? null

/** Returns a sentence about a violation, or null. */
export type Oracle = (seen: Seen) => string | null

/** Whether a path serves pages for people, or their assets. */
export const isPage = (line: string): boolean => /^\/($|\?|(p|pay|sandbox|admin|docs)($|[/?]))/.test(line)

export const isApi = (line: string): boolean => line.startsWith('/api/v1/')

/** Bull Board's pages and their assets. */
export const isBoard = (line: string): boolean => /^\/admin\/queues($|[/?])/.test(line)

const patterns = routes.map((route) => ({
  route,
  pattern: new RegExp(`^/api/v1${route.path.replaceAll(/:\w+/g, '[^/?]+')}(\\?|$)`),
}))

/** The operation of the API for a request, or null. */
export function operationAt(method: string, line: string): Route | null {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase()
  return patterns.find(({ route, pattern }) => route.method === asked && pattern.test(line))?.route ?? null
}

/** Applies an oracle. If it throws on a response, that is a violation too. */
export function faultOf(oracle: Oracle, seen: Seen): string | null {
  try {
    return oracle(seen)
  } catch (error) {
    return `cannot be judged (${String(error)}): ${seen.answer.body.slice(0, 200)}`
  }
}
