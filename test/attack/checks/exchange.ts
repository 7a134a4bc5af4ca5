import type { Route } from '../../../src/http/operations/route.ts'
import { routes } from '../../../src/http/routes/routes.ts'
import type { Actor } from '../cast/actors.ts'
import type { Staff } from '../cast/staff.ts'
import type { Attack, Expected } from '../generators/attack.ts'
import type { WireResponse } from '../wire/response.ts'

/** A sent request and its response. */
export interface Exchange {
  attack: Attack
  actor: Actor
  staff: Staff
  /** The number of the request in the run, from 0. The tag of the request contains it. */
  number: number
  /** When it was sent and when its response arrived, in ms. */
  sentAt: number
  endedAt: number
  /** Path and query, with references replaced. */
  line: string
  idempotencyKey: string | null
  /** The index of the response among those to its bytes. */
  index: number
  response: WireResponse
}

/** The expected response among raw bytes. Null if no request expects it. */
export const expectedFor = ({ attack, index }: Exchange): Expected | null => attack.raw?.expected[index] ?? null

/** Returns a description of the violation, or null. */
export type Check = (exchange: Exchange) => string | null

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
  const routed = method === 'HEAD' ? 'get' : method.toLowerCase()
  return patterns.find(({ route, pattern }) => route.method === routed && pattern.test(line))?.route ?? null
}

/** Applies a check. If it throws on a response, that is a violation too. */
export function faultOf(check: Check, exchange: Exchange): string | null {
  try {
    return check(exchange)
  } catch (error) {
    return `cannot be checked (${String(error)}): ${exchange.response.body.slice(0, 200)}`
  }
}
