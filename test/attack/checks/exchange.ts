import type { Route } from '../../../src/http/operations/route.ts'
import { apiRoutes } from '../../../src/http/routes/routes.ts'
import type { Actor } from '../cast/actors.ts'
import type { Staff } from '../cast/cast.ts'
import type { Attack } from '../generators/attack.ts'
import type { WireResponse } from '../wire/response.ts'

export interface Exchange {
  attack: Attack
  actor: Actor
  staff: Staff
  number: number
  sentAt: number
  endedAt: number
  line: string
  idempotencyKey: string | null
  index: number
  response: WireResponse
}

export const expectedFor = ({ attack, index }: Exchange) => attack.raw?.expected[index] ?? null
export type Check = (exchange: Exchange) => string | null
export const isPage = (line: string): boolean =>
  /^\/($|\?|(p|pay|sandbox|admin|till|portal|docs)($|[/?]))/.test(line)
export const isForPeople = (line: string): boolean => /^\/(till|portal)($|[/?])/.test(line)
export const isApi = (line: string): boolean => line.startsWith('/api/v1/')
export const isBoard = (line: string): boolean => /^\/admin\/queues($|[/?])/.test(line)

const patterns = apiRoutes.map((route) => ({
  route,
  pattern: new RegExp(`^/api/v1${route.path.replaceAll(/:\w+/g, '[^/?]+')}(\\?|$)`),
}))

export function operationAt(method: string, line: string): Route | null {
  const routed = method === 'HEAD' ? 'get' : method.toLowerCase()
  return patterns.find(({ route, pattern }) => route.method === routed && pattern.test(line))?.route ?? null
}

export function faultOf(check: Check, exchange: Exchange): string | null {
  try {
    return check(exchange)
  } catch (error) {
    return `cannot be checked (${String(error)}): ${exchange.response.body.slice(0, 200)}`
  }
}
