import type { Chance } from '../../support/chance.ts'
import type { Call, What } from '../evidence/evidence.ts'
import type { Ask } from './client.ts'
import type { Send } from './send.ts'
import type { Body, Wish } from './wish.ts'
import type { Key, Place, World } from './world.ts'

/** One operation of the traffic: its merchant and its generator. */
export interface Scene {
  world: World
  place: Place
  /** One of the place's secret keys. */
  key: Key
  operation: number
  chance: Chance
  ask: Ask
  send: Send
  /** An idempotency key, the same for the same seed. */
  newKey(): string
}

interface More {
  method?: Wish['method']
  idempotencyKey?: string
  /** Sent later under the same key. */
  other?: object
  expects?: Wish['expects']
}

export const wishOf = (
  { operation, key, newKey }: Scene,
  what: What,
  path: string,
  body: Body,
  { method = 'POST', idempotencyKey = newKey(), other, expects = [] }: More = {},
): Wish => ({
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

/** A merchant reads, once. */
export const read = (scene: Scene, what: What, path: string, expects: Wish['expects'] = []): Promise<Call> =>
  scene.ask(wishOf(scene, what, path, null, { method: 'GET', expects }), 1, scene.chance)

/** A merchant writes, until there is a response. */
export const write = (
  scene: Scene,
  what: What,
  path: string,
  body: Body,
  more?: More,
): Promise<Call | null> => scene.send(wishOf(scene, what, path, body, more), scene.chance)

/** A write without a body. */
export const act = (scene: Scene, what: What, path: string, more?: More): Promise<Call | null> =>
  write(scene, what, path, null, more)
