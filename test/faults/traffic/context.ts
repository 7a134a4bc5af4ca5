import type { Chance } from '../../support/chance.ts'
import type { Call, What } from '../evidence/evidence.ts'
import type { MakeCall } from './client.ts'
import type { Body, RequestSpec } from './request-spec.ts'
import type { Send } from './send.ts'
import type { Key, Tenant, World } from './world.ts'

/** The inputs of an operation of the traffic. */
export interface Context {
  world: World
  tenant: Tenant
  /** One of the secret keys of the tenant. */
  key: Key
  operation: number
  chance: Chance
  makeCall: MakeCall
  send: Send
  /** An idempotency key, the same for the same seed. */
  newKey(): string
}

interface More {
  method?: RequestSpec['method']
  idempotencyKey?: string
  /** Another body that is later sent under the same key. */
  other?: object
  expects?: RequestSpec['expects']
}

export const specOf = (
  { operation, key, newKey }: Context,
  what: What,
  path: string,
  body: Body,
  { method = 'POST', idempotencyKey = newKey(), other, expects = [] }: More = {},
): RequestSpec => ({
  operation,
  actor: 'merchant',
  what,
  key,
  method,
  path: `/api/v1/dev${path}`,
  idempotencyKey: method === 'GET' ? null : idempotencyKey,
  body,
  otherBody: other === undefined ? null : { json: other },
  expects,
  headers: {},
})

/** Sends a merchant's read once. */
export const read = (context: Context, what: What, path: string, expects: readonly string[] = []) =>
  context.makeCall(specOf(context, what, path, null, { method: 'GET', expects }), 1, context.chance)

/** Sends a merchant's write until there is a response. */
export const write = (context: Context, what: What, path: string, body: Body, more?: More): Promise<Call | null> =>
  context.send(specOf(context, what, path, body, more), context.chance)

/** Sends a write without a body. */
export const act = (context: Context, what: What, path: string, more?: More): Promise<Call | null> =>
  write(context, what, path, null, more)
