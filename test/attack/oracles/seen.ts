import type { Route } from '../../../src/http/operations/route.ts'
import { routes } from '../../../src/http/routes/routes.ts'
import type { Actor } from '../cast/actors.ts'
import type { Staff } from '../cast/staff.ts'
import type { Attack, Due } from '../generators/attack.ts'
import type { Answer } from '../wire/answer.ts'

/** A request as it was sent, and its answer. */
export interface Seen {
  attack: Attack
  actor: Actor
  staff: Staff
  /** In the run, from 0; its mark carries it. */
  number: number
  /** Path and query with ids in place. */
  line: string
  idempotencyKey: string | null
  /** Which of the answers to its bytes it is, from 0. */
  place: number
  answer: Answer
}

/** What the request must get that this answers, of raw ones; null where none was asked for. */
export const dueOf = ({ attack, place }: Seen): Due | null => attack.raw?.dues[place] ?? null

/** What is wrong with an answer, in a sentence; null where nothing is. */
export type Oracle = (seen: Seen) => string | null

/** Below which addresses answers are pages for people (and what these load). */
export const isPage = (line: string): boolean => /^\/($|\?|(p|pay|sandbox|admin|docs)($|[/?]))/.test(line)

export const isApi = (line: string): boolean => line.startsWith('/api/v1/')

/** Bull Board's pages, and what they load. */
export const isBoard = (line: string): boolean => /^\/admin\/queues($|[/?])/.test(line)

const patterns = routes.map((route) => ({
  route,
  pattern: new RegExp(`^/api/v1${route.path.replaceAll(/:\w+/g, '[^/?]+')}(\\?|$)`),
}))

/** The operation of the API that a request asks for, if there is one. */
export function operationAt(method: string, line: string): Route | null {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase()
  return patterns.find(({ route, pattern }) => route.method === asked && pattern.test(line))?.route ?? null
}

/** What an oracle says of an answer. One that stumbles over what the service said has found something by that. */
export function faultOf(oracle: Oracle, seen: Seen): string | null {
  try {
    return oracle(seen)
  } catch (error) {
    return `cannot be judged (${String(error)}): ${seen.answer.body.slice(0, 200)}`
  }
}
